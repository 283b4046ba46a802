// A text and its branches: a tree of tokens that grows from a prompt, up to a limit. Independent of the page.

/** A token of it: state is the model's output for the text up to it, once known; onward the child that is shown; beam
 *  its rank and bits, of the end of one.
 *  @typedef {{ token: number | null, parent: Node | null, depth: number, branch: number, children: Node[],
 *              onward: Node | null, state: any, label: string, beam?: { rank: number, bits: string } }} Node */

export class Branches {
  /** @type {{ from: Node | null, parent: number | null, first: Node | null }[]} */ list = []; // the branches
  size = 0; // number of tokens in all of them

  /** limit: number of tokens in all branches together; a single path is never cut. */
  constructor(limit) {
    this.limit = limit;
    this.gone = 0; // number of removed tokens
    /** The end of the prompt. @type {Node} */
    this.root = { token: null, parent: null, depth: 0, branch: 0, children: [], onward: null, state: null, label: "" };
    this.number();
  }

  /** The node of a token after `parent`. A second child there starts a branch. */
  write(parent, token, label = "") {
    let node = parent.children.find((child) => child.token === token);
    if (!node) {
      node = { token, parent, depth: parent.depth + 1, branch: 0, children: [], onward: null, state: null, label };
      parent.children.push(node);
      this.enter(node);
      while (this.size > this.limit && this.letGo(node));
    }
    parent.onward = node;
    return node;
  }

  /** Counts a node, and sets its branch: its parent's, or a new one if the parent continues elsewhere. */
  enter(node) {
    const { parent } = node;
    const own = parent.children[0] === node;
    node.branch = own ? parent.branch : this.list.length;
    if (!own) this.list.push({ from: parent, parent: parent.branch, first: null });
    this.list[node.branch].first ??= node;
    this.size++;
  }

  /** Removes the oldest branch that is not on the path to a node, with everything that grew from it; false without
   *  one. */
  letGo(node) {
    const path = [this.root, ...this.path(node)];
    const at = path.findIndex(({ children }) => children.length > 1);
    if (at < 0) return false;
    this.visit(node);
    const { children } = path[at];
    children.splice(children[0] === path[at + 1] ? 1 : 0, 1);
    const before = this.size;
    this.number();
    this.gone += before - this.size;
    return true;
  }

  /** Numbers the branches and counts the tokens, from the first. */
  number() {
    this.list = [{ from: null, parent: null, first: null }];
    this.size = 0;
    const rest = [...this.root.children].reverse();
    for (let node = rest.pop(); node; node = rest.pop()) {
      this.enter(node);
      rest.push(...[...node.children].reverse());
    }
  }

  /** Shows the path to a node. */
  visit(node) {
    for (let at = node; at.parent; at = at.parent) at.parent.onward = at;
  }

  /** The nodes from the first written token to this one. */
  path(node) {
    const nodes = [];
    for (let at = node; at.parent; at = at.parent) nodes.push(at);
    return nodes.reverse();
  }

  /** The end of the path that was last taken from a node. */
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

  /** The bytes of each of them as hexadecimal digits; "" for a token that the model has not read yet. */
  bytes(node) {
    return [...(this.root.state?.bytes ?? []), ...this.path(node).map(({ state }) => state?.bytes.at(-1) ?? "")];
  }
}
