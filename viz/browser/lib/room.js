// Rooms: the leader's page says what it shows, as the parameters of its link, and the pages of a class take them up
// until they are touched. Also notices a server that is gone, and one that was started anew: the page goes on with it,
// and offers to be loaded again.

import { leftOut, opened, writeBeside } from "./address.js";
import { listeners, url } from "./base.js";
import { kept } from "./kept.js";
import { inWords, refusal, say } from "./messages.js";
import { page } from "./page.js";

const FOLLOW = 1500; // ms between two questions of a follower
const ALIVE = 10000; // and of a page that follows nobody
const SETTLE = 250; // from a leader's change to the room
const KEEP = 60000; // a leader is heard of at least this often
const LEADS = "former-leads"; // in the page's session: the room it leads; its address is one that follows
const LOST = "former-lost"; // in the page's session: the server was gone, or another one answers
const TABS = "former-rooms"; // the channel on which this browser's pages hear that one of them leads no longer

export const room = { name: null, state: null, message: null, lost: false, anew: false, votes: null, asks: () => null };
let run = null; // of the server that answers
let rev = 0; // of the view taken up
let view = null; // the newest view of the room
let sent = null; // by the leader
let timer = 0;
let due = false; // whether a leader's change is on its way

const { subscribe, publish } = listeners(["room"]);
room.subscribe = subscribe;
const become = (changes) => {
  Object.assign(room, changes);
  publish("room");
};

/** Says something where rooms do. */
room.tell = (message) => become({ message });

/** A secret, made here and kept for this browser. */
const secret = (name) => {
  const { always } = kept;
  if (!always.get(name)) {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    always.set(name, [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return always.get(name);
};
/** A room's key: a reloaded page still leads. */
const key = (name = room.name) => secret(`former-key-${name}`);

// --- the server ---------------------------------------------------------------------------------------------------

/** Asks one of our small routes; notices a server that is gone, and one that is new. Null where nothing came. */
const ask = async (path, options) => {
  let response;
  try {
    response = await fetch(url(path), options);
  } catch {
    response = null;
  }
  if (!response || response.status >= 500 || response.status === 404) {
    // 404: it begins, without our routes yet
    kept.session.set(LOST, "1");
    if (!room.lost) become({ lost: true });
    return null;
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  const anew = Boolean(run && answer.run && answer.run !== run);
  run = answer.run ?? run;
  if (anew || room.lost) {
    if (anew) sent = null; // it knows nothing of the room
    become({ lost: false, anew: room.anew || anew });
    kept.session.set(LOST, room.anew ? "1" : null);
  }
  return { status: response.status, ...answer };
};

/** The page goes on as it is, with a server that was started anew. */
room.stay = () => {
  kept.session.set(LOST, null);
  become({ anew: false });
};

const tick = async () => {
  clearTimeout(timer);
  due = false;
  const follows = room.state && room.state !== "leading";
  if (!document.hidden) {
    if (room.state === "leading") await lead().then(count);
    else if (follows) await look();
    else await ask("/alive");
  }
  const soon = follows || room.lost || question() || (room.state === "leading" && !sent);
  timer = setTimeout(tick, soon ? FOLLOW : ALIVE);
};

// --- following ----------------------------------------------------------------------------------------------------

const look = async () => {
  const answer = await ask(`/room/${encodeURIComponent(room.name)}?rev=${rev}`);
  if (answer?.error) return forget(refusal(answer)); // no room can have this name
  if (answer?.view === null) {
    rev = 0;
    if (room.state === "following") become({ state: "waiting" });
  }
  if (!answer?.view) return;
  ({ rev, view } = answer);
  if (room.state === "waiting") become({ state: "following" });
  if (room.state === "following") await takeUp();
};

const takeUp = async () => {
  const params = new URLSearchParams(view);
  await page.follow(params);
  const panel = [...document.querySelectorAll(".former .panel")].find(
    (one) => one.dataset.panel === params.get("panel"),
  );
  panel?.scrollIntoView({ block: "nearest" });
};

/** Whoever touches the page looks on their own; to answer a question is no such touch. */
const touched = (event) => {
  if (room.state !== "following" || !event.isTrusted || event.target.closest?.(".room-bar, .check")) return;
  if (event.type === "keydown" && ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  become({ state: "alone" });
};
for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, touched, true);

room.follow = () => {
  become({ state: view ? "following" : "waiting" });
  if (view) takeUp();
  tick();
};

// --- leading ------------------------------------------------------------------------------------------------------

const lead = async () => {
  const now = page.whole();
  if (now === sent?.view && Date.now() - sent.at < KEEP) return void (await ask("/alive"));
  const { name } = room;
  const body = JSON.stringify({ key: key(), view: now });
  const answer = await ask(`/room/${encodeURIComponent(name)}`, { method: "PUT", body });
  if (room.state !== "leading" || room.name !== name) return end(name); // it was left meanwhile
  if (answer?.rev) {
    sent = { view: now, at: Date.now() };
    if (room.message) become({ message: null });
  } else if (answer?.status === 409 || (answer?.error && !sent)) forget(refusal(answer));
  else if (answer?.error) become({ message: refusal(answer) }); // this view cannot be shown; the next may
};

// --- votes --------------------------------------------------------------------------------------------------------

/** The question whose votes this page shows: room.asks() names the one on the screen. */
const question = () => (room.state === "leading" ? room.asks() : null);

/** How many in the room chose which answer: room.votes is {question, counts}. */
const count = async () => {
  const asked = question();
  if (!asked) return;
  const body = JSON.stringify({ key: key(), question: asked });
  const answer = await ask(`/room/${encodeURIComponent(room.name)}/votes`, { method: "POST", body });
  const votes = { question: asked, counts: answer?.counts ?? [] };
  if (JSON.stringify(votes) !== JSON.stringify(room.votes)) become({ votes });
};

/** Tells the leader of this page's room, if it is in one, which answer was chosen. */
room.vote = (asked, choice) => {
  if (!room.name || room.state === "leading") return;
  const body = JSON.stringify({ voter: secret("former-voter"), question: asked, choice });
  ask(`/room/${encodeURIComponent(room.name)}/vote`, { method: "PUT", body });
};

room.lead = (name) => {
  sent = null;
  become({ name, state: "leading", message: null, votes: null });
  kept.session.set(LEADS, name);
  writeBeside({ room: name, lead: null });
  tick();
};

const end = (name) => {
  const body = JSON.stringify({ key: key(name) });
  ask(`/room/${encodeURIComponent(name)}`, { method: "DELETE", body, keepalive: true });
};

/** Follows and leads no longer; a room that was led is free at once, and no other page of this browser leads it. */
room.leave = () => {
  if (room.state === "leading") {
    end(room.name);
    tabs?.postMessage(room.name);
  }
  forget(null);
};

/** The page is in no room any more; the message says why, where it was not left here. */
const forget = (message) => {
  kept.session.set(LEADS, null);
  writeBeside({ room: null, lead: null });
  become({ name: null, state: null, message, votes: null });
};

const channel = () => {
  try {
    return new BroadcastChannel(TABS);
  } catch {
    return null; // in another's page, where some browsers block it as they block storage
  }
};
const tabs = channel();
tabs?.addEventListener("message", ({ data }) => {
  if (room.state === "leading" && room.name === data) forget(say("room_ended", { room: data }));
});

window.addEventListener("former-address", () => {
  if (room.state !== "leading" || due) return;
  due = true; // not put off by every further change: some come all the time
  clearTimeout(timer);
  timer = setTimeout(tick, SETTLE);
});
window.addEventListener("former-left-out", () => room.tell(leftOut && inWords(leftOut.note)));
document.addEventListener("visibilitychange", () => !document.hidden && tick());

/** Once, when the page is there: a link may ask for a room. */
room.start = () => {
  if (kept.session.get(LOST)) {
    kept.session.set(LOST, null);
    room.message = say("server_back");
  }
  const name = opened.get("room");
  if (name && (opened.get("lead") === "1" || kept.session.get(LEADS) === name)) return room.lead(name);
  become(name ? { name, state: "waiting" } : {});
  tick();
};
