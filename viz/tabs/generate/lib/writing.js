// What tab Generate is about: the text, its branches, where one stands in them, and the rules. The parts of the tab
// read this and act on it; Python is asked for what the model makes of a text, and forgets it. Adds former.writing.
(() => {
  const former = window.former;

  const number = (initial, min, max, step) => ({ initial, min, max, step });
  const FIELDS = {
    model: { initial: "", choices: [] },
    text: { initial: "", longest: Infinity }, // the server says how long is too long
    temperature: number(0.8, 0, 2, 0.05),
    top_k: number(0, 0, 100, 1), // 0: all
    top_p: number(1, 0.05, 1, 0.05), // 1: all
    seed: number(1, 0, former.limits.seed, 1),
    length: number(200, 1, former.limits.length, 1),
    pace: number(12, 1, former.limits.pace, 1),
    layer: number(0, 0, 0, 1),
    head: number(0, 0, 0, 1),
    of: { initial: "mean", choices: ["mean", "head"] },
    scale: { initial: "row", choices: ["row", "root", "linear"] },
  };
  const SAMPLING = ["temperature", "top_k", "top_p", "seed"];
  const SHAPING = ["model", "text"]; // another of these, and what was written is another text
  const LINKED = 600; // a link holds this many written tokens at most

  const settings = former.settings(FIELDS);

  const writing = {
    fields: FIELDS,
    settings: settings.values,
    models: {},
    branches: new former.Branches(),
    cursor: null, // the node where one stands: what is shown, and what is written on from
    hover: null, // a node that is pointed at, shown in its stead
    status: "idle", // "reading" one state, "running", or neither
    message: null, // {kind: "info" | "error", text}
    rev: 0, // counts what was received; tests wait for it
  };
  writing.cursor = writing.branches.root;

  const { subscribe, publish } = former.listeners(["text", "hover", "status", "models", ...Object.keys(FIELDS)]);

  /** listen(changed): changed is a Set of "text" (tokens, states, cursor), "hover", "status" and the settings' names. */
  writing.subscribe = subscribe;

  /** The node on display. */
  writing.shown = () => writing.hover ?? writing.cursor;

  // --- asking the server -------------------------------------------------------------------------------------------

  let asking = null; // the AbortController of the request that is under way
  let later = 0;

  const order = (length, given) => {
    const { model, text, temperature, top_k, top_p, seed, pace } = writing.settings;
    const written = writing.branches.path(writing.cursor).map((node) => node.token);
    return { model, text, written, given, length, temperature, top_k: top_k || null, top_p: top_p < 1 ? top_p : null, seed, pace };
  };

  const rules = () => SAMPLING.map((name) => writing.settings[name]).join();

  const end = () => {
    clearTimeout(later);
    asking?.abort();
    asking = null;
  };

  /** Asks for the state where one stands, and for `length` tokens more, the first of them given where they are known. */
  const ask = async (length = 0, given = []) => {
    end();
    const own = (asking = new AbortController());
    const drawnBy = rules();
    writing.status = length ? "running" : "reading";
    writing.message = null;
    publish("status");
    try {
      let node = writing.cursor;
      for await (const frame of former.write(order(length, given), own.signal)) {
        if (own !== asking) return;
        if (frame.token !== null) node = writing.branches.write(node, frame.token);
        node.state = { ...frame, drawnBy };
        writing.cursor = node;
        writing.rev++;
        publish("text");
      }
    } catch (error) {
      if (own !== asking) return; // it was ended on purpose
      const refused = error instanceof TypeError || error.name === "NetworkError" ? former.say("offline") : error.message;
      writing.message = { kind: "error", text: refused };
    }
    if (own === asking) rest();
  };

  const rest = () => {
    end();
    writing.status = "idle";
    writeLink();
    publish("status", "text");
  };

  /** After a move: what is not known here, or was drawn by other rules, is asked for. Moving on at once asks nothing. */
  const settle = (delay = 120) => {
    clearTimeout(later);
    const { state } = writing.cursor;
    if (!state || state.drawnBy !== rules()) later = setTimeout(ask, state ? delay : 0);
  };

  // --- what one can do ---------------------------------------------------------------------------------------------

  /** Writes up to the length that is set; from there, as much again. */
  writing.run = () => {
    const { length } = writing.settings;
    writing.hover = null;
    ask(length - (writing.cursor.depth % length));
  };

  writing.pause = () => {
    if (writing.status !== "idle") rest();
  };

  /** Ends the run and goes back to the prompt. What was written stays, on its branch. */
  writing.stop = () => {
    rest();
    writing.go(writing.branches.root);
  };

  /** One token: the one that is drawn. */
  writing.step = () => {
    writing.pause();
    const { state } = writing.cursor;
    if (state && state.drawnBy === rules()) writing.take(state.drawn);
    else ask(1);
  };

  /** Writes this token after where one stands, whatever was drawn. */
  writing.take = (token) => {
    writing.pause();
    const label = writing.cursor.state?.candidates.find(([id]) => id === token)?.[1] ?? "";
    writing.go(writing.branches.write(writing.cursor, token, label));
  };

  /** Stands at a node. */
  writing.go = (node) => {
    if (writing.status !== "idle") rest();
    writing.branches.visit(node);
    writing.cursor = node;
    writing.hover = null;
    writeLink();
    publish("text", "hover");
    settle();
  };

  writing.back = () => writing.cursor.parent && writing.go(writing.cursor.parent);
  writing.forward = () => writing.cursor.onward && writing.go(writing.cursor.onward);

  /** Shows what the model made of the text up to a node, while it is pointed at. */
  writing.point = (node) => {
    const hover = writing.status === "running" || !node?.state || node === writing.cursor ? null : node;
    if (hover === writing.hover) return;
    writing.hover = hover;
    publish("hover");
  };

  /** "1 token", "2 tokens". */
  writing.count = (count) => former.say("write_count", { count });

  /** Forgets what was written, and begins at the prompt. */
  writing.clear = () => {
    end();
    writing.branches = new former.Branches();
    writing.cursor = writing.branches.root;
    writing.hover = null;
    writing.status = "idle";
    publish("text", "hover", "status");
    ask();
  };

  /** Changes settings: set({temperature: 1}). What is out of range is left as it was. */
  writing.set = (partial) => {
    const changed = settings.change(partial);
    if (!changed.length) return;
    if (changed.includes("model")) fitModel(writing.settings.model);
    publish(...changed);
    if (changed.includes("model") || changed.includes("text")) {
      end();
      later = setTimeout(writing.clear, changed.includes("text") ? 300 : 0);
    } else if (writing.status === "running" && changed.some((name) => SAMPLING.includes(name) || name === "pace" || name === "length")) {
      clearTimeout(later);
      later = setTimeout(writing.run, 120); // the request under way goes on until then
    } else if (changed.some((name) => SAMPLING.includes(name))) settle();
    writeLink();
  };

  /** The layers and heads that a model has; what it does not have gives way to its last layer, or its first head. */
  const fitModel = (model) => {
    const { layers, heads } = writing.models[model];
    Object.assign(FIELDS.layer, { max: layers - 1, initial: layers - 1 });
    FIELDS.head.max = heads - 1;
    for (const name of ["layer", "head"]) if (!settings.allowed(name, writing.settings[name])) writing.settings[name] = FIELDS[name].initial;
  };

  // --- the link ----------------------------------------------------------------------------------------------------

  /** The settings and the written tokens in the address bar. */
  const writeLink = former.page.keep("generate", () => {
    if (!Object.keys(writing.models).length) return null;
    const written = writing.branches.path(writing.cursor).map((node) => node.token);
    return { ...settings.link(), written: written.length <= LINKED ? written.join(".") : "" };
  });

  /** Takes up the settings of a link; returns {given: the tokens it has written, refused: notes}. */
  const read = (params) => {
    const model = params.get("model");
    fitModel(settings.allowed("model", model) ? model : FIELDS.model.initial); // first: it says which layers there are
    const { values, refused } = settings.read(params);
    Object.assign(writing.settings, values);
    const written = params.get("written") ?? "";
    const given = /^\d{1,6}(\.\d{1,6})*$/.test(written) ? written.split(".").map(Number) : [];
    if (written && !given.length) refused.push(former.badLink("written", written));
    return { given, refused };
  };

  /** Takes up a link's view while the page is open. */
  writing.follow = (params) => {
    const before = SHAPING.map((name) => writing.settings[name]).join("\n");
    const { given: wanted } = read(params);
    publish(...Object.keys(FIELDS));
    if (before !== SHAPING.map((name) => writing.settings[name]).join("\n")) {
      end();
      writing.branches = new former.Branches();
      writing.cursor = writing.branches.root;
    }
    const here = writing.branches.path(writing.cursor).map((node) => node.token);
    const onward = here.every((token, i) => token === wanted[i]);
    if (!onward) writing.cursor = writing.branches.root;
    const given = onward ? wanted.slice(here.length) : wanted;
    if (given.length || !writing.cursor.state || writing.cursor.state.drawnBy !== rules()) ask(given.length, given);
    else rest();
  };

  /** Once, when the tab comes on the page: its models, then what the link asks for. */
  writing.start = async ({ models, text }) => {
    writing.models = models;
    FIELDS.model.choices = Object.keys(models);
    const [first] = FIELDS.model.choices;
    FIELDS.model.initial = writing.settings.model = first;
    FIELDS.text.initial = writing.settings.text = text;
    const asked = former.tabOf(former.opened) === "generate" ? former.opened : new URLSearchParams();
    const { given, refused } = read(asked);
    publish("models", ...Object.keys(FIELDS));
    former.followers.generate = writing.follow;
    await ask(given.length, given);
    if (refused.length) writing.message ??= { kind: "error", text: refused.map(former.told).join(" ") };
    publish("status");
  };

  former.writing = writing;
})();
