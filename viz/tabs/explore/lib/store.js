// The attention store: the pass on screen and what of it is looked at. Every part of tab Explore reads this and no other;
// choosing a head, a layer, a token or a scale changes `view` here and never asks Python. Adds former.store.
(() => {
  const former = window.former;

  const MEASURES = ["previous", "next", "first", "separator", "self", "same", "elsewhere", "copying", "decided", "entropy", "distance", "effect"]; // of scans.py

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
    scan_x: { initial: "previous", choices: MEASURES }, // of all heads over a corpus: the measures of the two axes
    scan_y: { initial: "copying", choices: MEASURES },
  };
  const SHOWS = ["map", "of", "layer", "head"]; // what of a pass is shown

  const settings = former.settings(FIELDS);

  const store = {
    pass: null, // a Pass (lib/pass.js)
    map: null, // the one of its maps that is looked at
    exact: null, // {of, layer, head, weights} of what is shown, and of a head {q, k, v, out, scores, error}, once it is here
    old: null, // why the pass on screen is not the one asked for: "asked", "refused" or "offline"
    fields: FIELDS,
    view: settings.values,
    allowed: settings.allowed,
    hover: null, // {token} or {query, key}: what is pointed at; not part of a link
    effects: null, // what switching off each head does, by map, [layer][head]: a number, null where not measured yet
    notes: { server: [], link: [] }, // {kind: "info" | "error", key, values}: see former.told
    rev: 0, // of the answer on screen
  };

  const PARTS = ["pass", "exact", "old", "hover", "effects", "notes", "rev"]; // what else a listener is told of
  const { subscribe, publish } = former.listeners([...PARTS, ...Object.keys(FIELDS)]);
  const exact = former.exactOf(store, publish);

  /** listen(changed): changed is a Set of names in PARTS and FIELDS. Called at once, with all of them. */
  store.subscribe = subscribe;

  /** Changes the view: set({layer: 2, head: 1}). What the pass does not have is left as it was; what is chosen once more
   *  is asked for again where it never came. */
  store.set = (partial) => {
    const changed = settings.change(partial);
    if (changed.includes("map")) {
      changed.push("hover", ...fitView());
      store.hover = null; // a place of the map before
    }
    if (changed.length) writeLinkSoon();
    if (SHOWS.some((name) => changed.includes(name) || (name in partial && !store.exact))) {
      exact.forget();
      changed.push("exact");
      exact.fetchSoon();
    }
    if (changed.length) publish(...changed);
  };

  /** What is pointed at: {token}, {query, key}, or null. */
  store.point = (hover) => {
    if (JSON.stringify(hover) === JSON.stringify(store.hover)) return;
    store.hover = hover;
    publish("hover");
  };

  /** What was measured of the heads of the pass on screen: {name of a map: [layer][head]}, or null. */
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
    FIELDS.of.valid = (of) => of !== "rollout" || store.map?.square !== false;
  };

  // --- Python's answers ---------------------------------------------------------------------------------------------

  const SOON = 300; // ms: an answer that comes within does not let what is on screen look old before
  const PATIENCE = 8000; // ms without an answer, after which the question is asked again

  /** How Python is asked once more for what stands in the fields; attention_store.js says. */
  store.ask = () => {};
  let question = null; // {model, text, edits}: asked, and not answered yet
  let tries = 0; // that failed since
  let timers = [];

  const become = (old) => {
    if (old === store.old) return;
    store.old = old;
    publish("old");
  };
  const after = (delay, act) => timers.push(setTimeout(act, delay));
  const settle = () => {
    timers.forEach(clearTimeout);
    timers = [];
  };

  /** Python is being asked; returns how: the edits go with the question's number. What is on screen is soon old, and
   *  without an answer it is asked again. */
  store.asked = (model, text, given) => {
    const { list = [], model: owner, step = null } = given ?? {};
    const edits = owner === model ? list : [];
    const named = former.snapshotAt(model, owner === model ? step : null);
    const header = store.pass?.header;
    settle();
    question = { model: named, text, edits };
    writeLink();
    const same = header && header.model === named && header.text === text && JSON.stringify(header.edits) === JSON.stringify(edits);
    if (!same && !store.old) after(SOON, () => become("asked"));
    after(PATIENCE, failed);
    return [model, text, { ...given, asked: ++asks }];
  };
  let asks = 0;

  /** No answer came: what is on screen stays, is said to be old, and the question is asked again after a while. */
  const failed = () => {
    settle();
    store.complain("asking_again");
    become("offline");
    after(former.later(tries++), store.ask);
  };
  window.addEventListener("online", () => store.old === "offline" && store.ask());

  /** Asks again at once, where a text is still without an answer. */
  store.again = (text) => question?.text === text && store.ask();

  const answered = (old) => {
    settle();
    [question, tries] = [null, 0];
    become(old);
  };

  /** Takes up an answer of Python: {key, rev, asked, notes, link, example}; key null where it has nothing to show. */
  store.receive = async (answer) => {
    if (answer?.link && askForLink()) return; // to a link that another came after
    if (!answer || answer.rev <= newest) return;
    if (answer.asked !== null && answer.asked < asks) return; // another question was asked since
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
      answered(key ? null : "refused");
      writeLink();
      if (!store.exact) exact.load(); // the server held the pass no longer, and holds it again
      const followed = key && followedTo(store.pass);
      if (followed) lookAs(followed);
      return publish("rev");
    }
    let pass = null;
    let gone = false; // the server holds it no longer
    try {
      pass = former.decodePass(await former.bytes(`/attention/${key}`));
    } catch (error) {
      gone = error.status === 404;
    }
    if (answer.rev !== newest) return; // a later answer overtook this one
    if (gone) return store.ask();
    if (!pass) return failed();
    store.rev = answer.rev; // only now: a part painted meanwhile still shows the answer before
    answered(null);
    take(pass);
  };
  let newest = 0; // the last answer taken up; store.rev follows when it is on the screen
  let example = null; // the worked example's key, kept back while a link's answer is under way
  const meant = former.tabOf(former.opened) === "explore"; // the link is of this tab
  /** Whether the link asks for another pass than this one, {model, text}: as `restore` in viz/tabs/explore/page.py sees it. */
  const linkAsks = (here) =>
    meant && Object.entries({ ...here, edits: "" }).some(([name, value]) => (former.opened.get(name) ?? value) !== value);

  /** A new pass comes on the screen, with the view of a link that was waiting for it. A model that comes anew opens on the
   *  head that is worth seeing, unless the link names one. */
  const take = (pass) => {
    const followed = followedTo(pass);
    const ofLink = followed !== null || !store.pass;
    const opens = followed ? !followed.named : store.pass ? own(store.pass.header.model) !== own(pass.header.model) : !(meant && namesHead(former.opened));
    store.pass = pass;
    store.hover = store.effects = null;
    Object.assign(store.view, followed?.values);
    const moved = [...Object.keys(followed?.values ?? {}), ...fitView(ofLink)];
    if (opens) moved.push(...settings.change(opening()));
    exact.load();
    writeLink();
    publish(...PARTS, ...moved);
  };
  /** The view of the followed link that was waiting for this pass, if one was: the worked example may come before it. */
  const followedTo = ({ header: { model, text } }) => {
    if (viewToCome?.model !== model || ![text, ""].includes(viewToCome.text)) return null;
    const followed = viewToCome;
    viewToCome = null;
    return followed;
  };
  const own = (model) => former.snapshotOf(model)[0]; // of which it is a snapshot
  const namesHead = (params) => params.has("layer") || params.has("head");
  const opening = () => {
    const [layer, head] = store.map.opening ?? [0, 0];
    return { layer, head };
  };

  /** Takes up a link's view while the page is open; ask({model, text, edits}) where it shows another pass. */
  store.follow = (params, ask) => {
    former.beside.read(params);
    const asked = Object.fromEntries(["model", "text", "edits"].map((name) => [name, params.get(name) ?? ""]));
    const { model, text, edits = [] } = store.pass?.header ?? {};
    const here = asked.model === model && asked.text === text && asked.edits === inLink(edits);
    const same = !asked.model || (here && !viewToCome); // the answer to a link before this one would come on the screen
    const { map } = store;
    if (!same) store.map = null; // what the other pass has is not known yet
    limit();
    const { values, refused } = settings.read(params);
    store.map = map;
    limit();
    store.notes.link = [];
    refused.forEach(refuse);
    publish("notes");
    const named = namesHead(params);
    if (same) return lookAs({ values, named });
    viewToCome = { values, named, model: asked.model, text: asked.text }; // "": an example comes
    waiting = () => ask(asked);
    if (!following) askForLink();
  };

  let following = 0; // a timer, while the answer to a followed link is under way
  let waiting = null; // asks for the last link that was followed meanwhile: two answers at once could come in any order
  /** Nothing is under way any more: the link that waits is asked for; returns whether there was one. */
  const askForLink = () => {
    const ask = waiting;
    waiting = null;
    clearTimeout(following);
    following = ask && setTimeout(askForLink, PATIENCE);
    ask?.();
    return Boolean(ask);
  };
  let viewToCome = null; // of a followed link, and whose pass it is of

  /** Shows the pass on screen as a followed link does. */
  const lookAs = ({ values, named }) => store.set({ ...values, ...(named || !store.map ? {} : opening()) });

  /** A message of the browser's own. */
  store.complain = (key, values) => {
    store.notes.server = [{ kind: "error", key, values }];
    publish("notes");
  };

  /** After a new pass: whatever it does not have goes back to its default; a link that asked for it is told so. */
  const fitView = (ofLink = false) => {
    store.map = store.pass.maps[store.view.map] ?? store.pass.maps[0];
    limit();
    const moved = Object.keys(FIELDS).filter((name) => !settings.allowed(name, store.view[name]));
    for (const name of moved) {
      if (ofLink) refuse(former.badLink(name, store.view[name], FIELDS[name].initial));
      store.view[name] = FIELDS[name].initial;
    }
    return moved;
  };

  // --- the link -----------------------------------------------------------------------------------------------------

  /** Edits as viz/passes/edits.py reads them in a link: 0.3.off,2.L.uniform,1.2.x-1.5,0.1.w5_2_0.8,cross.0.1.off. */
  const inLink = (edits) => edits.map((edit) => [...(edit.map ? [edit.map] : []), edit.layer, edit.head ?? "L", doneInLink(edit)].join(".")).join(",");
  const doneInLink = ({ do: what, factor, query, key, weight, renormalise }) => {
    if (what === "weight") return `${renormalise ? "w" : "W"}${query}_${key}_${weight}`;
    return what === "uniform" ? what : factor ? `x${factor}` : "off";
  };

  /** The view as it stands in the address bar, with the model, text and edits that are asked for: a page that is loaded
   *  again before the answer loses nothing. */
  const writeLink = former.page.keep("explore", () => {
    if (!store.pass) return null;
    const { header } = store.pass;
    const asked = question && question.text.trim() && question.text.length <= former.limits.text ? question : header;
    const { layer, head } = store.view;
    const view = asked.model === header.model ? { ...settings.link(), layer, head } : {};
    return { model: asked.model, text: asked.text, edits: inLink(asked.edits), ...view, ...former.beside.link(asked.text) };
  });
  const writeLinkSoon = former.afterwards(writeLink);
  Object.assign(store, { writeLink, editsInLink: inLink });

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

  readLink();
  former.store = store;
})();
