// The bar for a class: presenting, leading a room; and for every visitor, the state of the room and of the server.

import { addressWith, opened } from "./lib/address.js";
import { copyText } from "./lib/ask.js";
import { flushDeferred, h } from "./lib/base.js";
import { embed } from "./lib/embed.js";
import { keys } from "./lib/keys.js";
import { languageSwitch } from "./lib/languages.js";
import { asText, inWords, say } from "./lib/messages.js";
import { page } from "./lib/page.js";
import { presenter } from "./lib/presenter.js";
import { makeRecord } from "./lib/room/record.js";
import { room } from "./lib/room.js";
import { slides } from "./lib/slides.js";
import { paper } from "./paper/paper.js";

/** @type {(label: string, act: () => void) => HTMLElement} */
const button = (label, act) => h("button", { onclick: act }, label);

/** The link for the class: this page's address without the parameter that makes it the leader's. */
const classLink = () => {
  const url = new URL(location.origin + location.pathname);
  url.searchParams.set("room", room.name);
  return url.href;
};

/** The menu with this page's link. */
const makeLinkMenu = () => {
  const embedSheet = embed.sheet();
  /** This page's own address, even in another page's frame, where the address bar shows that page's. */
  const own = h("input", { type: "text", readonly: true, "aria-label": say("link_here") });
  const status = h("p", { role: "status" });
  const menu = h(
    "details.class-menu.link",
    h("summary", say("link_copy")),
    h("div.sheet", status, own, embedSheet.node),
  );
  menu.addEventListener("toggle", async () => {
    if (!menu.open) return;
    flushDeferred(); // writes the latest choices into the address
    embedSheet.fill();
    own.value = location.href;
    const lacks = page.beyond().map(({ note }) => inWords(note));
    const copied = say((await copyText(own)) ? "link_copied" : "link_refused");
    status.textContent = asText([copied, ...lacks]);
  });
  return menu;
};

/** The state of the room and of the server: {nodes, paint}. */
const makeRoomBar = () => {
  const words = h("span", { role: "status" });
  const back = button(say("room_back"), () => room.follow());
  const leave = button(say("room_leave"), () => room.leave());
  const load = button(say("server_load"), () => location.reload());
  const stay = button(say("server_stay"), () => room.stay());
  const record = makeRecord();
  const bar = h("div.room-bar", { hidden: true }, words, record.button, back, leave, load, stay);
  const paint = () => {
    const leading = room.state === "leading";
    const ofServer = room.lost ? "server_lost" : room.anew ? "server_anew" : null;
    const ofRoom = room.message ?? (room.state ? say(`room_${room.state}`, { room: room.name }) : "");
    words.textContent = ofServer ? say(ofServer) : ofRoom;
    bar.hidden = !words.textContent;
    document.documentElement.classList.toggle("room-bar-shown", !bar.hidden); // :has() would search all of the page
    bar.className = `room-bar ${room.lost ? "lost" : room.anew ? "anew" : (room.state ?? "")}`;
    load.hidden = stay.hidden = ofServer !== "server_anew";
    back.hidden = room.state !== "alone" || room.anew;
    leave.textContent = say(leading ? "class_room_end" : room.state ? "room_leave" : "record_close"); // a message
    leave.title = leading ? say("class_room_end_hint") : "";
    leave.hidden = (!room.state && !room.message) || room.anew;
  };
  return { nodes: [record.node, bar], paint };
};

export const mount = (/** @type {import("./mount.js").Mounted} */ { element, trigger }) => {
  const name = h("input", {
    type: "text",
    maxlength: 40,
    pattern: "[A-Za-z0-9\\-]{1,40}",
    required: true,
    autocomplete: "off",
    "aria-label": say("class_room_name"),
    placeholder: say("class_room_name"),
  });
  const begin = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (menu.open && name.reportValidity()) room.lead(name.value);
  };
  // The browser would also validate the name in the closed menu, where it cannot show its message.
  const lead = h(
    "form",
    { novalidate: true, onsubmit: begin },
    name,
    h("button", { type: "submit" }, say("class_room_go")),
  );
  const link = h("input", {
    type: "text",
    readonly: true,
    "aria-label": say("class_room_link"),
    onfocus: () => link.select(),
  });
  const copy = h("button", { onclick: () => copyLink() }, say("class_room_copy"));
  const shared = h("div.shared", h("span", say("class_room_link")), link, copy);
  const single = h("input", { type: "checkbox", checked: keys.on(), onchange: () => keys.turn(single.checked) });
  const menu = h(
    "details.class-menu",
    h("summary", say("class_open")),
    h(
      "div.sheet",
      h(
        "button",
        { title: say("class_present_hint"), onclick: () => ((menu.open = false), presenter.toggle()) },
        say("class_present"),
      ),
      h("p", say("class_present_hint")),
      h("label.single-keys", single, say("class_keys")),
      h("b", say("class_room")),
      lead,
      shared,
      h("p", say("class_room_hint")),
      slides.sheet(),
      h(
        "a",
        {
          href: addressWith([
            ["tab", "learn"],
            ["print", "1"],
          ]),
          target: "_blank",
        },
        say("paper_booklet"),
      ),
    ),
  );
  const linkMenu = makeLinkMenu();
  const bar = makeRoomBar();
  element.append(languageSwitch(), linkMenu, menu);
  document.body.append(...bar.nodes);

  const copyLink = async () => {
    copy.textContent = say((await copyText(link)) ? "class_room_copied" : "link_refused");
  };

  room.subscribe(document.body, () => {
    const leading = room.state === "leading";
    lead.hidden = leading;
    shared.hidden = !leading;
    if (leading) {
      link.value = classLink();
      copy.textContent = say("class_room_copy");
    }
    bar.paint();
  });
  const closeMenus = (/** @type {any} */ but) =>
    [menu, linkMenu].forEach((one) => one.contains(but) || (one.open = false));
  // A button of a menu may have removed itself.
  document.addEventListener("click", (/** @type {any} */ { target }) => target.isConnected && closeMenus(target));
  document.addEventListener("keydown", (event) => {
    const open = [menu, linkMenu].find((one) => one.open);
    if (event.key !== "Escape" || event.defaultPrevented || !open) return;
    if (open.contains(document.activeElement)) open.querySelector("summary").focus();
    closeMenus(null);
    event.preventDefault();
  });
  page.select = () => trigger("opened");
  if (page.asked && page.asked !== page.tab) page.select(); // before this script was loaded
  const more = () => document.querySelector(".overflow-menu > button")?.setAttribute("aria-label", say("tabs_more"));
  page.arrived.then(more); // Gradio names it in English alone
  embed.start();
  presenter.start();
  slides.start();
  paper.start();
  const lacked = opened.get("left_out");
  if (lacked) room.showMessage(say("link_was_left_out", { names: lacked.slice(0, 80) }));
  room.start();
};
