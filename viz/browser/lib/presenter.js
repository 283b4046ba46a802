// In front of a class: one panel at a time fills the window, in larger type and with nothing around it. Arrow keys (and
// the Page keys that a remote control sends) go through the panels of all tabs. Adds former.presenter and former.laser.
(() => {
  const former = window.former;
  const presenter = (former.presenter = { on: false, panel: null });
  /** tab → step(by), of a tab that shows one section at a time: turns to another, or returns false. */
  presenter.turns = {};
  const caption = former.h("p", { class: "presenter-caption", "aria-live": "polite" });
  let shown = null; // the section that is presented

  const nameOf = (section) => section.dataset.panel;

  /** The panels of the tab that is or will be in front, as they stand; those that show nothing now are left out. */
  const panels = () => {
    const place = document.querySelector(`.former-lesson[data-tab=${former.page.tab}]`)?.closest("[role=tabpanel]");
    const all = [...(place?.querySelectorAll(".former .panel") ?? [])];
    return all.filter((section) => !section.closest("[hidden], .former-export"));
  };

  const show = (section) => {
    shown?.classList.remove("presented", "maximised");
    shown = section;
    presenter.panel = section ? nameOf(section) : null;
    section?.classList.add("presented", "maximised");
    if (!section) return;
    section.tabIndex = -1;
    section.focus({ preventScroll: true });
    tell();
    former.writeBeside({ present: "1", panel: presenter.panel });
  };

  const tell = () => {
    const all = panels();
    const at = former.say("presenting_at", { at: all.indexOf(shown) + 1, count: all.length, panel: shown.querySelector("h2").textContent });
    caption.replaceChildren(
      former.h("b", {}, former.lessons.of(former.page.tab)),
      former.room.name ? former.h("span", {}, former.say("presenting_room", { room: former.room.name })) : "",
      former.h("span", {}, at),
      former.h("span", {}, former.say("presenting_keys")),
    );
  };

  /** Begins with the named panel, or the first; a tab that has just been opened takes a moment to have any. */
  const begin = async (wanted) => {
    presenter.on = true;
    document.body.classList.add("presenting");
    if (!caption.isConnected) document.body.append(caption);
    const all = await settled(wanted);
    if (presenter.on && all.length) show(all.find((section) => nameOf(section) === wanted) ?? all[wanted === Infinity ? all.length - 1 : 0]);
  };

  /** The panels, once the wanted one is among them, no more have come for a while, or presenting has ended. */
  const settled = async (wanted) => {
    let [count, still] = [0, 0];
    while (presenter.on && still < 20 && !panels().some((section) => nameOf(section) === wanted)) {
      await new Promise(requestAnimationFrame);
      const now = panels().length;
      still = now && now === count ? still + 1 : 0;
      count = now;
    }
    return panels();
  };

  const end = () => {
    presenter.on = false;
    document.body.classList.remove("presenting");
    show(null);
    caption.remove();
    former.writeBeside({ present: null, panel: null });
  };

  /** Goes to a tab, and there to the named panel or the first; where that is shown, or any and none is named, it stays. */
  presenter.go = async (tab, panel) => {
    if (shown && tab === former.page.tab && (!panel || nameOf(shown) === panel)) return;
    show(null);
    await former.page.open(tab);
    await begin(panel);
  };

  presenter.toggle = () => (presenter.on ? end() : begin(null));

  /** One panel on or back, through the sections of a tab that has some, and over its end into the next. */
  presenter.step = async (by) => {
    const all = panels();
    const next = all[all.indexOf(shown) + by];
    if (next) return show(next);
    if (presenter.turns[former.page.tab]?.(by)) return; // what is hidden now gives way to what is shown, see start
    const tab = former.tabs[former.tabs.indexOf(former.page.tab) + by];
    if (tab) await presenter.go(tab, by < 0 ? Infinity : null);
  };

  /** On a canvas: the light of a laser pointer around a cell, while presenting. */
  former.laser = (context, x, y, width, height) => {
    if (!presenter.on) return;
    context.save();
    context.strokeStyle = context.shadowColor = former.variable("laser");
    Object.assign(context, { lineWidth: 3, shadowBlur: 14 });
    context.strokeRect(x - 2, y - 2, Math.max(width, 4) + 4, Math.max(height, 4) + 4);
    context.restore();
  };

  const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
    if (!typing && event.key.toLowerCase() === "p") presenter.toggle();
    else if (presenter.on && event.key === "Escape") end();
    else if (presenter.on && STEPS[event.key] && !(typing && event.key.startsWith("Arrow"))) presenter.step(STEPS[event.key]);
    else return;
    event.preventDefault();
  });

  /** Once, when the page is there: a link may ask for it. What the tab says, and which panels it has, may change. */
  presenter.start = () => {
    if (former.opened.get("present") === "1") begin(former.opened.get("panel"));
    former.lessons.heard = () => presenter.on && shown && tell();
    new MutationObserver(() => {
      if (presenter.on && shown?.closest("[hidden]")) requestAnimationFrame(() => show(panels()[0]));
    }).observe(document.body, { subtree: true, attributeFilter: ["hidden"] });
  };
})();
