// One live panel alone, for another page or slides: ?embed=PANEL.

import { addressWith, embeddedPanel as panel, viewNow } from "./address.js";
import { copyText } from "./ask.js";
import { flushDeferred, h } from "./base.js";
import { say } from "./messages.js";
import { presenter } from "./presenter.js";
import { site } from "./site.js";

/** This page's address without the parameters that show a panel alone. */
const whole = () => {
  flushDeferred();
  const url = new URL(location.href);
  url.searchParams.delete("embed");
  return url.href;
};

/** The address of one panel alone, with the current view. */
const addressOf = (/** @type {string} */ name) =>
  addressWith([["embed", name], ...[...viewNow()].filter(([key]) => key !== "panel")]);

/** A line of HTML that embeds a panel in another page.
 *  @type {(panel: { name: string, title: string | null }) => string} */
const lineOf = ({ name, title }) =>
  h("iframe", { src: addressOf(name), title, width: 800, height: 500, style: "border:0", loading: "lazy" }).outerHTML;

/** The message about an unknown panel, with a list of the known ones. */
const unknown = () => {
  const link = (/** @type {string} */ name) => h("a", { href: addressWith([["embed", name]]) }, name);
  const names = Object.keys(site.panels).map((name) => h("li", link(name)));
  return h(
    "div.embed-unknown",
    { role: "alert" },
    h("p", say("embed_unknown", { given: panel?.slice(0, 40) })),
    h("ul", ...names),
  );
};

/** Called once, when the page is ready. */
const start = () => {
  if (panel === null) return;
  document.body.classList.add("presenting", "embedding");
  if (!Object.hasOwn(site.panels, panel)) return document.body.append(unknown());
  const link = h(
    "a",
    { target: "_blank", rel: "noopener", href: whole(), onclick: () => (link.href = whole()) },
    say("embed_whole"),
  );
  document.body.append(h("p.embed-foot", link));
  const nothing = h("p.embed-unknown", { role: "status", hidden: true }, say("embed_nothing", { panel }));
  document.body.append(nothing);
  presenter.showOnly(panel, (there) => (nothing.hidden = there));
};

// --- in the menu -------------------------------------------------------------------------------------------------

/** The entry next to "Copy link": a choice of panel, and its line of HTML. */
const makeSheet = () => {
  const which = h("select", { "aria-label": say("embed_panel"), onchange: () => write() });
  const line = h("textarea", { readonly: true, rows: 4, spellcheck: "false", "aria-label": say("embed_line") });
  const status = h("p", { role: "status" });
  const copy = async () => (status.textContent = say((await copyText(line)) ? "class_room_copied" : "link_refused"));
  let panels = presenter.panels();
  const write = () => (line.value = lineOf(panels[which.selectedIndex]));
  const fill = () => {
    panels = presenter.panels();
    which.replaceChildren(...panels.map(({ name, title }) => h("option", { value: name }, title)));
    status.textContent = say("embed_hint");
    if (panels.length) write();
  };
  return {
    node: h(
      "div.embed",
      h("b", say("embed")),
      which,
      line,
      h("button", { onclick: copy }, say("class_room_copy")),
      status,
    ),
    fill,
  };
};

export const embed = { start, sheet: makeSheet };
