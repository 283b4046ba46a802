// The attention store: the pass on screen and what of it is looked at. Every part of tab Explore reads this and no other;
// choosing a head, a layer, a token or a scale changes `view` here and never asks Python. Adds former.store.
(() => {
  const former = window.former;

  // The view. What there is of layers, heads and tokens, a pass says; null: nothing chosen.
  const FIELDS = {
    map: { initial: 0, min: 0, max: Infinity }, // which of the pass's maps
    layer: { initial: 0, min: 0, max: Infinity },
    head: { initial: 0, min: 0, max: Infinity },
    token: { initial: null, min: 0, max: Infinity, optional: true }, // the locked token
    key: { initial: null, min: 0, max: Infinity, optional: true }, // with it, the key of the locked pair
    of: { initial: "head", choices: ["head", "mean", "rollout"] },
    view: { initial: "map", choices: ["map", "lines"] },
    scale: { initial: "linear", choices: ["linear", "row", "root"] },
    show: { initial: "weights", choices: ["weights", "scores"] },
  };

  const settings = former.settings(FIELDS);

  const store = {
    pass: null, // a Pass (lib/pass.js)
    map: null, // the one of its maps that is looked at
    exact: null, // {layer, head, q, k, weights, scores, recomputed, error} of the chosen head, once it is here
    fields: FIELDS,
    view: settings.values,
    allowed: settings.allowed,
    hover: null, // {token} or {query, key}: what is pointed at; not part of a link
    effects: null, // what switching off each head does, [layer][head]: a number, null where not measured yet
    notes: { server: [], link: [] }, // {kind: "info" | "error", key, values}: see former.told
    rev: 0, // of the answer on screen
  };

  const PARTS = ["pass", "exact", "hover", "effects", "notes", "rev"]; // what else a listener is told of
  const { subscribe, publish } = former.listeners([...PARTS, ...Object.keys(FIELDS)]);

  /** listen(changed): changed is a Set of names in PARTS and FIELDS. Called at once, with all of them. */
  store.subscribe = subscribe;

  /** Changes the view: set({layer: 2, head: 1}). What the pass does not have is left as it was. */
  store.set = (partial) => {
    const changed = settings.change(partial);
    if (!changed.length) return;
    if (changed.includes("map")) changed.push(...fitView());
    publish(...changed);
    writeLink();
    if (["map", "layer", "head"].some((name) => changed.includes(name))) loadExact();
  };

  /** What is pointed at: {token}, {query, key}, or null. */
  store.point = (hover) => {
    if (JSON.stringify(hover) === JSON.stringify(store.hover)) return;
    store.hover = hover;
    publish("hover");
  };

  /** What was measured of the heads of the pass on screen: [layer][head], or null. */
  store.measured = (effects) => {
    store.effects = effects;
    publish("effects");
  };

  /** The token whose attention is shown: the locked one, else the one pointed at, else null. */
  store.token = () => store.view.token ?? store.hover?.token ?? store.hover?.query ?? null;

  /** What a pass has is what may be chosen; without one, anything. */
  const limit = () => {
    const { layers = Infinity, heads = Infinity, queries, keys } = store.map ?? {};
    FIELDS.map.max = (store.map ? store.pass.maps.length : Infinity) - 1;
    FIELDS.layer.max = layers - 1;
    FIELDS.head.max = heads - 1;
    FIELDS.token.max = (queries?.length ?? Infinity) - 1;
    FIELDS.key.max = (keys?.length ?? Infinity) - 1;
  };

  /** Takes up an answer of Python: {key, rev, notes, link, example}; key null where it has nothing to show.
   *  expired() has Python make the pass on screen once more. */
  store.receive = async (answer, expired) => {
    askAgain = expired;
    if (!answer || answer.rev <= newest) return;
    // A link that names a model or a text gets an answer of its own: the worked example would only flash by.
    const first = newest === 0;
    newest = answer.rev;
    store.notes.server = answer.notes ?? [];
    if (answer.link) store.notes.link.push(...answer.link);
    if (first && linkAsks(answer.example)) return void (example = answer.key);
    publish("notes");
    const key = answer.key ?? (store.pass ? null : example);
    if (!answer.key) viewToCome = null; // what was followed was refused
    if (!key || key === store.pass?.header.key) {
      store.rev = answer.rev;
      if (!store.exact) loadExact(); // the server held the pass no longer, and holds it again
      return publish("rev");
    }
    const response = await fetch(former.url(`/attention/${key}`)).catch(() => null);
    if (response?.status === 404) return askAgain();
    if (!response?.ok) return store.complain("offline");
    const buffer = await response.arrayBuffer();
    if (answer.rev !== newest) return; // a later answer overtook this one
    store.rev = answer.rev; // only now: a part painted meanwhile still shows the answer before
    store.pass = former.decodePass(buffer);
    store.hover = store.effects = null;
    const { model, text } = store.pass.header;
    const followed = viewToCome?.model === model && viewToCome.text === text ? viewToCome.view : {};
    viewToCome = null;
    Object.assign(store.view, followed);
    const moved = [...Object.keys(followed), ...fitView()];
    loadExact();
    writeLink();
    publish(...PARTS, ...moved);
  };
  let askAgain = null; // the `expired` of the answers
  let newest = 0; // the last answer taken up; store.rev follows when it is on the screen
  let example = null; // the worked example's key, kept back while a link's answer is under way
  const meant = former.tabOf(former.opened) === "explore"; // the link is of this tab
  /** Whether the link asks for another pass than this one, {model, text}: as `restore` in viz/tabs/explore/page.py sees it. */
  const linkAsks = (here) =>
    meant && Object.entries({ ...here, edits: "" }).some(([name, value]) => (former.opened.get(name) ?? value) !== value);

  /** Takes up a link's view while the page is open; ask({model, text, edits}) where it shows another pass. */
  store.follow = (params, ask) => {
    const asked = Object.fromEntries(["model", "text", "edits"].map((name) => [name, params.get(name) ?? ""]));
    const { model, text, edits = [] } = store.pass?.header ?? {};
    const same = !asked.model || (asked.model === model && asked.text === text && asked.edits === edits.map(inLink).join(","));
    if (same) return store.set(settings.read(params).values);
    const { map } = store;
    store.map = null; // what the other pass has is not known yet
    limit();
    viewToCome = { view: settings.read(params).values, model: asked.model, text: asked.text };
    store.map = map;
    limit();
    ask(asked);
  };
  let viewToCome = null; // of a followed link, and whose pass it is of

  /** A message of the browser's own. */
  store.complain = (key, values) => {
    store.notes.server = [{ kind: "error", key, values }];
    publish("notes");
  };

  /** After a new pass: whatever it does not have goes back to its default; a link that asked for it is told so. */
  const fitView = () => {
    store.map = store.pass.maps[store.view.map] ?? store.pass.maps[0];
    limit();
    const moved = Object.keys(FIELDS).filter((name) => !settings.allowed(name, store.view[name]));
    for (const name of moved) {
      if (fromLink) refuse(former.badLink(name, store.view[name], FIELDS[name].initial));
      store.view[name] = FIELDS[name].initial;
    }
    fromLink = false;
    return moved;
  };

  /** Fetches the chosen head's q, k and weights in the background. */
  const loadExact = async () => {
    store.exact = null;
    publish("exact");
    const { pass } = store;
    const { map } = store;
    const { layer, head } = store.view;
    if (!pass) return;
    const response = await fetch(former.url(`/attention/${pass.header.key}/${map.name}/${layer}/${head}`)).catch(() => null);
    if (response?.status === 404 && pass === store.pass) askAgain();
    if (!response?.ok) return; // the packed weights stay, marked as approximate
    const exact = former.decodeHead(map, await response.arrayBuffer());
    if (map !== store.map || layer !== store.view.layer || head !== store.view.head) return;
    store.exact = { layer, head, ...exact };
    publish("exact");
  };

  /** An edit as viz/passes/edits.py reads it in a link: 0.3.off, 2.L.uniform, 1.2.x-1.5. */
  const inLink = ({ layer, head, do: what, factor }) =>
    [layer, head ?? "L", what === "uniform" ? what : factor ? `x${factor}` : "off"].join(".");

  /** The view as it stands in the address bar; `model`, `text` and `edits` are beside it. */
  const writeLink = former.page.keep("explore", () => {
    if (!store.pass) return null;
    const { model, text, edits } = store.pass.header;
    return { model, text, edits: edits.map(inLink).join(","), ...settings.link() };
  });

  const refuse = (note) => store.notes.link.push({ kind: "error", ...note });

  /** The view of a link; nonsense is named and left as in the beginning. */
  const readLink = () => {
    const tab = former.opened.get("tab");
    if (tab !== null && !former.tabs.includes(tab)) refuse(former.badLink("tab", tab, former.tabs[0]));
    if (!meant) return;
    const { values, refused } = settings.read(former.opened);
    Object.assign(store.view, values);
    refused.forEach(refuse);
  };

  // Escape steps back once: out of what fills the window (panel.js, which hears it first), else out of a lock.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || former.presenter.on) return;
    if (!event.target.closest?.("input, textarea, select")) store.set({ token: null, key: null });
  });

  let fromLink = true; // until the first pass has shown whether it has what the link asks for
  readLink();
  former.store = store;
})();
