// The text as tokens. Under each, two stripes for the token that is pointed at or locked: upper, how much it looks
// there; lower, how much is looked at it from there. The ground of a token is free for another layer: --ground.
const { h, say, store, eachFrame, share } = former;
const NAMED = 4; // tokens a sentence names
const { tools, body, foot } = former.panel(element, say("strip"));
const list = h("div", { class: "tokens", role: "group", "aria-label": say("strip_label") });
const sentence = h("p", { class: "readout", "aria-live": "polite" });
tools.append(
  h("span", { class: "key looks" }, h("i"), say("strip_looks")),
  h("span", { class: "key looked" }, h("i"), say("strip_looked")),
);
body.append(list);
foot.append(sentence);
let tokens = []; // the buttons
let last = null; // the token shown before
let looks = []; // how each is painted

const build = () => {
  const { labels } = store.pass.header;
  tokens = labels.map((label, i) =>
    h("button", { type: "button", class: "token", "data-token": i, "aria-label": `${label}, ${i}` }, h("span", {}, label)),
  );
  looks = [];
  list.replaceChildren(...tokens);
  list.classList.toggle("words", ["word", "piece"].includes(store.pass.header.unit));
};

/** The weights to and from a token: [looks at, is looked at by], each a number a token. */
const both = (shown, token) => {
  const count = tokens.length;
  const looks = new Float32Array(count);
  looks.set(former.row(shown, token));
  const looked = Float32Array.from({ length: count }, (_, query) => former.row(shown, query)[token] ?? 0);
  return [looks, looked];
};

const paint = eachFrame(() => {
  const shown = former.shown();
  if (!shown) return;
  const own = shown.map.square && shown.map.queries.length === tokens.length; // rows and columns are of this text
  const token = own ? store.token() : null;
  const locked = store.view.token;
  const stripes = token === null ? [] : both(shown, token);
  const most = stripes.map((weights) => weights.reduce((a, b) => Math.max(a, b), 1e-9));
  tokens.forEach((button, i) => {
    const levels = [0, 1].map((which) => (stripes[which] ? former.scaled(stripes[which][i], most[which]).toFixed(2) : "0"));
    const look = [...levels, i === token, i === locked, i === (token ?? 0)].join();
    if (look === looks[i]) return; // most tokens, at most choices
    looks[i] = look;
    button.style.setProperty("--looks", levels[0]);
    button.style.setProperty("--looked", levels[1]);
    button.setAttribute("aria-pressed", `${i === locked}`);
    button.classList.toggle("at", i === token);
    button.tabIndex = i === (token ?? 0) ? 0 : -1;
  });
  if (token !== null && token !== last && !list.matches(":hover")) reveal(tokens[token]);
  last = token;
  tell(shown, token, stripes);
  element.dataset.rev = store.rev;
});

/** Scrolls the strip, never the page, to a token looked at elsewhere. */
const reveal = ({ offsetTop, offsetHeight }) => {
  const away = offsetTop - body.scrollTop;
  if (away < 0 || away + offsetHeight > body.clientHeight) body.scrollTop = offsetTop - body.clientHeight / 2;
};

const tell = (shown, token, [looks, looked]) => {
  sentence.dataset.token = token ?? "";
  sentence.dataset.locked = store.view.token !== null;
  if (token === null) return void (sentence.textContent = say("strip_hint"));
  const named = (weights) => {
    const strong = former.strongestOf(weights, NAMED).filter((i) => weights[i] >= 0.01);
    return former.list(strong.map((i) => `${former.quote(i)} ${share(weights[i])}`)) || say("strip_faint");
  };
  sentence.replaceChildren(
    h("b", {}, `${former.quote(token)}${store.view.token !== null ? ` · ${say("locked")}` : ""}`),
    ` ${say("strip_to")} `, h("span", { class: "to" }, named(looks)),
    `; ${say("strip_from")} `, h("span", { class: "from" }, named(looked)),
  );
};

const at = former.pointsAtTokens(list);
list.addEventListener("keydown", (event) => {
  const now = at(event);
  const steps = { ArrowLeft: now - 1, ArrowRight: now + 1, ArrowUp: line(now, -1), ArrowDown: line(now, 1), Home: 0, End: tokens.length - 1 };
  if (now === null || !(event.key in steps)) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(tokens.length - 1, steps[event.key]));
  if (store.view.token !== null) store.set({ token: next, key: null });
  tokens[next].focus();
});

/** The token above or below, in the text as it is broken into lines. */
const line = (from, step) => {
  const own = tokens[from].offsetTop;
  const others = tokens.map((button, i) => ({ i, top: button.offsetTop, left: button.offsetLeft }));
  const tops = [...new Set(others.map(({ top }) => top))];
  const top = tops[tops.indexOf(own) + step];
  if (top === undefined) return from;
  const away = ({ left }) => Math.abs(left - tokens[from].offsetLeft);
  return others.filter((other) => other.top === top).reduce((a, b) => (away(b) < away(a) ? b : a)).i;
};

const ON = ["pass", "exact", "hover", "token", "layer", "head", "of", "scale", "rev"];
store.subscribe(element, (changed) => {
  if (!store.pass) return;
  if (changed.has("pass")) build();
  if (ON.some((name) => changed.has(name))) paint();
});
