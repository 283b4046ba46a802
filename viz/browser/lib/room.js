// Rooms: the leader's page publishes its view as the parameters of its link, and the pages of a class follow it until
// their visitor uses them. Also notices a server that is unreachable or was restarted: the page then continues and
// offers to reload.

import { leftOut, opened, writeBeside } from "./address.js";
import { send } from "./ask.js";
import { listeners } from "./base.js";
import { inWords, refusal, say } from "./messages.js";
import { page } from "./page.js";
import { answersIn } from "./room/answers.js";
import { key, keyName, secret, self } from "./room/keys.js";
import { polls } from "./room/polls.js";
import { storage } from "./storage.js";

const FOLLOW = 1500; // ms between two requests of a follower
const ALIVE = 10000; // and of a page in no room
const SETTLE = 250; // ms from a leader's change to its publication
const KEEP = 60000; // ms after which a leader reports at the latest
const LEADS = "former-leads"; // in the page's session: the room it leads; its address is one that follows
const LOST = "former-lost"; // in the page's session: the server was gone, or another one answers
const TABS = "former-rooms"; // the BroadcastChannel on which a page says that it stopped leading

/** @typedef {[member: string, question: string, choice: number, right: boolean]} Recorded an answer */

let run = /** @type {string | null} */ (null); // of the server that answered
let rev = 0; // of the followed view
let view = /** @type {string | null} */ (null); // the room's newest view
let sent = /** @type {{ view: string, at: number } | null} */ (null); // the view last sent by the leader
let timer = 0;
let due = false; // whether a leader's change is about to be sent

const { subscribe, publish } = listeners(["room"]);

/** A message is about the state that it was shown in.
 *  @type {(changes: { [name: string]: any }) => void} */
const update = (changes) => {
  if (changes.state && changes.state !== room.state) room.message = null;
  Object.assign(room, changes);
  publish("room");
};

/** Shows a message in the bar of the room. */
const showMessage = (/** @type {string | null} */ message) => update({ message });

// --- the server ---------------------------------------------------------------------------------------------------

/** The path of a room. */
const of = (/** @type {string} */ name) => `/room/${encodeURIComponent(name)}`;

/** Requests one of our small routes; notices a server that is unreachable or new. Null without an answer.
 *  @type {(path: string, options?: { method?: string, body?: object, keepalive?: boolean }) => Promise<any>} */
const ask = async (path, options = {}) => {
  const response = await send(path, options).catch(() => null);
  if (!response || response.status >= 500 || response.status === 404) {
    // 404: the server is starting, without our routes yet
    storage.session.set(LOST, "1");
    if (!room.lost) update({ lost: true });
    return null;
  }
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}));
  const anew = Boolean(run && answer.run && answer.run !== run);
  run = answer.run ?? run;
  if (anew || room.lost) {
    if (anew) [sent, rev] = [null, 0]; // a new server does not know the room
    update({ lost: false, anew: room.anew || anew });
    storage.session.set(LOST, room.anew ? "1" : null);
  }
  return { status: response.status, ...answer };
};

/** Continues with a server that was restarted. */
const stay = () => {
  storage.session.set(LOST, null);
  update({ anew: false });
};

const tick = async () => {
  clearTimeout(timer);
  due = false;
  const follows = room.state && room.state !== "leading";
  if (!document.hidden) {
    if (room.state === "leading") await lead().then(count);
    else if (follows) await fetchView();
    else await ask("/alive");
  }
  const leading = room.state === "leading" && (!sent || room.watched || polls.asks());
  const soon = follows || room.lost || leading;
  timer = setTimeout(tick, soon ? FOLLOW : ALIVE);
};

// --- following ----------------------------------------------------------------------------------------------------

const fetchView = async () => {
  const follower = room.state === "alone" ? "" : `&page=${self}`;
  const answer = await ask(`${of(room.name)}?rev=${rev}${follower}`);
  if (answer?.error) return forget(refusal(answer)); // an invalid name for a room
  if (answer?.view === null) {
    rev = 0;
    answersIn(room.name).forget(run);
    if (room.state === "following") update({ state: "waiting" });
  } else if (answer) await sendAnswers();
  if (!answer?.view) return;
  ({ rev, view } = answer);
  if (room.state === "waiting") update({ state: "following" });
  if (room.state === "following") await takeUp();
};

const takeUp = async () => {
  const params = new URLSearchParams(view ?? "");
  await page.follow(params);
  const panel = [...document.querySelectorAll(".former .panel")].find(
    (one) => one.dataset.panel === params.get("panel"),
  );
  panel?.scrollIntoView({ block: "nearest" });
};

/** A visitor who uses the page stops following; answering a question does not count, nor does scrolling by a finger,
 *  which ends in a pointercancel. */
const touched = (/** @type {any} */ event) => {
  if (event.type !== "keydown" && (event.pointerType === "touch") !== (event.type === "pointerup")) return;
  if (room.state !== "following" || !event.isTrusted || event.target.closest?.(".room-bar, .check, .guess-options"))
    return;
  if (event.type === "keydown" && ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  update({ state: "alone" });
};
for (const kind of ["pointerdown", "pointerup", "keydown"]) document.addEventListener(kind, touched, true);

const follow = () => {
  update({ state: view ? "following" : "waiting" });
  if (view) takeUp();
  tick();
};

// --- leading ------------------------------------------------------------------------------------------------------

const lead = async () => {
  const now = page.whole();
  if (now === sent?.view && Date.now() - sent.at < KEEP) return;
  const { name } = room;
  const answer = await ask(of(name), { method: "PUT", body: { key: key(room.name), view: now } });
  if (room.state !== "leading" || room.name !== name) return end(name); // the room was left meanwhile
  if (answer?.rev) {
    if (!sent) storage.always.set(keyName(name), key(name)); // the browser's other pages may lead too
    sent = { view: now, at: Date.now() };
    if (room.message) update({ message: null });
  } else if (answer?.status === 409 || (answer?.error && !sent)) forget(refusal(answer));
  else if (answer?.error) update({ message: refusal(answer) }); // this view cannot be shown, but the next may
};

// --- votes --------------------------------------------------------------------------------------------------------

/** Counts followers and votes: room.votes is {question: on the screen, counts: for each of its answers, followers,
 *  answers: to all questions}. */
const count = async () => {
  if (room.state !== "leading") return;
  const question = polls.asks();
  const answer = await ask(`${of(room.name)}/votes`, { body: { key: key(room.name), question } });
  if (!answer?.counts || room.state !== "leading") return;
  const { counts, followers, answers } = answer;
  const votes = { question, counts, followers, answers };
  if (JSON.stringify(votes) !== JSON.stringify(room.votes)) update({ votes });
};

/** The number of votes for each answer of a question; null unless this page leads and it is on the screen. */
const votesOn = (/** @type {string | null} */ question) => {
  const { state, votes } = room;
  return state === "leading" && votes && votes.question === question ? votes.counts : null;
};

/** All answers in the order they came; null if the server does not answer.
 *  @type {() => Promise<Recorded[] | null>} */
const record = async () => {
  const answer = await ask(`${of(room.name)}/record`, { body: { key: key(room.name) } });
  return answer?.answers ?? null;
};

/** Whether the leader watches the answers as they come. */
const watch = (/** @type {boolean} */ on) => {
  room.watched = on;
  if (on) tick();
};

/** Sends the answers that the server has not counted; it counts the first of this browser to each question. */
const sendAnswers = async () => {
  const { name } = room;
  const answers = answersIn(name);
  for (const [question, { choice, right }] of answers.owed(run)) {
    const body = { voter: secret("former-voter"), question, choice, right };
    const answer = await ask(`${of(name)}/vote`, { method: "PUT", body });
    if (room.name !== name) return;
    if (answer?.error) update({ message: refusal(answer) });
    const first = answer?.error ? { choice, right } : answer?.first;
    if (first) answers.count(question, first, run);
  }
};

/** Sends the chosen answer to the leader of this page's room, if it is in one.
 *  @type {(question: string, choice: number, right: boolean) => void} */
const vote = (question, choice, right) => {
  if (!room.name || room.state === "leading") return;
  answersIn(room.name).add(question, { choice, right });
  sendAnswers();
};

const leadAs = (/** @type {string} */ name) => {
  sent = null;
  update({ name, state: "leading", message: null, votes: null });
  storage.session.set(LEADS, name);
  writeBeside({ room: name, lead: null });
  tick();
};

const end = (/** @type {string} */ name) =>
  ask(of(name), { method: "DELETE", body: { key: key(name) }, keepalive: true });

/** Stops following or leading; a room that was led is free at once, and no other page of this browser leads it. */
const leave = () => {
  if (room.state === "leading") {
    end(room.name);
    tabs?.postMessage(room.name);
  }
  forget(null);
};

/** Leaves the room; the message gives the reason, unless the visitor left it here. */
const forget = (/** @type {string | null} */ message) => {
  storage.session.set(LEADS, null);
  storage.session.set(keyName(room.name), null);
  writeBeside({ room: null, lead: null });
  update({ name: "", state: null, message, votes: null });
};

const channel = () => {
  try {
    return new BroadcastChannel(TABS);
  } catch {
    return null; // in another page's frame, where some browsers block it together with storage
  }
};
const tabs = channel();
tabs?.addEventListener("message", ({ data }) => {
  if (room.state === "leading" && room.name === data) forget(say("room_ended", { room: data }));
});

window.addEventListener("former-address", () => {
  if (room.state !== "leading" || due) return;
  due = true; // further changes do not postpone it: some views change all the time
  clearTimeout(timer);
  timer = setTimeout(tick, SETTLE);
});
window.addEventListener("former-left-out", () => showMessage(leftOut && inWords(leftOut.note)));
document.addEventListener("visibilitychange", () => !document.hidden && tick());

/** Called once, when the page is ready: a link may name a room. */
const start = () => {
  if (storage.session.get(LOST)) {
    storage.session.set(LOST, null);
    room.message = say("server_back");
  }
  const name = opened.get("room");
  if (name && (opened.get("lead") === "1" || storage.session.get(LEADS) === name)) return leadAs(name);
  update(name ? { name, state: "waiting", message: room.message } : {});
  tick();
};

export const room = {
  name: "",
  /** @type {"leading" | "waiting" | "following" | "alone" | null} */ state: null,
  /** @type {string | null} */ message: null,
  lost: false, // whether the server is out of reach
  anew: false, // whether another one answers
  /** @type {{ question: string, counts: number[], followers: number, answers: any } | null} */ votes: null,
  watched: false, // whether the leader looks at the answers
  subscribe,
  showMessage,
  stay,
  follow,
  votesOn,
  record,
  watch,
  vote,
  lead: leadAs,
  leave,
  start,
};
