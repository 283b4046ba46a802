// A text and its branches: a tree of tokens that grows from a prompt. Adds former.Branches. Knows nothing of the page.
(() => {
  const former = window.former;

  class Branches {
    constructor() {
      this.list = [{ from: null, parent: null, first: null }]; // in the order they began
      /** The end of the prompt. A node: the token written, what the model made of the text up to it, what follows. */
      this.root = { token: null, parent: null, depth: 0, branch: 0, children: [], onward: null, state: null, label: "" };
      this.size = 0; // tokens held, on all branches
    }

    /** The node of a token after `parent`. A second way on from there begins a branch. */
    write(parent, token, label = "") {
      let node = parent.children.find((child) => child.token === token);
      if (!node) {
        let branch = parent.branch;
        if (parent.children.length) {
          branch = this.list.length;
          this.list.push({ from: parent, parent: parent.branch, first: null });
        }
        node = { token, parent, depth: parent.depth + 1, branch, children: [], onward: null, state: null, label };
        this.list[branch].first ??= node;
        parent.children.push(node);
        this.size++;
      }
      parent.onward = node;
      return node;
    }

    /** Makes the way to a node the one that is shown. */
    visit(node) {
      for (let at = node; at.parent; at = at.parent) at.parent.onward = at;
    }

    /** The nodes from the first written token to this one. */
    path(node) {
      const nodes = [];
      for (let at = node; at.parent; at = at.parent) nodes.push(at);
      return nodes.reverse();
    }

    /** The end of the way that was last gone on from a node. */
    tip(node) {
      while (node.onward) node = node.onward;
      return node;
    }

    /** The last node of a branch. */
    end(branch) {
      let node = this.list[branch].first ?? this.root;
      for (;;) {
        const next = node.children.find((child) => child.branch === branch);
        if (!next) return node;
        node = next;
      }
    }

    /** One label for each token of the prompt and of the path to a node. A later token may complete a character. */
    labels(node) {
      const labels = [...(this.root.state?.labels ?? [])];
      for (const at of this.path(node)) {
        labels.push(at.label);
        const last = at.state?.labels ?? [];
        labels.splice(labels.length - last.length, last.length, ...last);
      }
      return labels;
    }
  }

  former.Branches = Branches;
})();
