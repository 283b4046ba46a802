// Which section of tab Learn is open, its link, its progress, and its script, which comes when it is first opened. Adds
// former.learn.
(() => {
  const former = window.former;
  const TAB = "learn";
  const ANSWERED = "former-learn-answered"; // in the browser: names of sections whose question has been answered

  const learn = (former.learn = { sections: [], open: null, message: "" });
  const { subscribe, publish } = former.listeners(["open", "answered", "message"]);
  learn.subscribe = subscribe;

  /** The section that a link opens: the one it names, or the first. */
  const asked = (params) => {
    const named = params.get("section");
    return learn.find(named) ? named : learn.sections[0].name;
  };

  learn.find = (name) => learn.sections.find((section) => section.name === name);

  /** Once: `contents` of page.py. The link is read when the tab is in front: Gradio makes the first tab even where a link
   *  opens another. */
  learn.begin = (contents) => {
    learn.sections = contents.map((given) => ({ ...given, key: `learn_${given.name.replaceAll("-", "_")}`, link: () => ({}), follow: null }));
    former.page.subscribe(document.body, () => {
      if (former.page.tab === TAB && !learn.open) follow(former.tabOf(former.opened) === TAB ? former.opened : new URLSearchParams());
    });
  };

  const link = () => learn.open && { section: learn.open, ...learn.find(learn.open).link() };
  const write = former.page.keep(TAB, link);

  /** Opens a section. */
  learn.show = (name) => {
    if (name === learn.open || !learn.find(name)) return;
    learn.open = name;
    complain("");
    publish("open");
    write();
  };

  /** The next section or one before; whether there is one. Presenting, the presenter's steps come here too. */
  learn.step = (by) => {
    const next = learn.sections[learn.sections.indexOf(learn.find(learn.open)) + by];
    if (next) learn.show(next.name);
    return Boolean(next);
  };
  const place = () => ({ at: learn.sections.indexOf(learn.find(learn.open)) + 1, count: learn.sections.length });
  former.presenter.turns[TAB] = { step: learn.step, place };
  former.room.asks = () => (former.page.tab === TAB ? learn.open : null);

  const complain = (text) => {
    learn.message = text;
    publish("message");
  };

  const follow = (params) => {
    const named = params.get("section");
    const name = asked(params);
    learn.show(name);
    if (named && named !== name) complain(former.told(former.badLink("section", named, former.say(`${learn.find(name).key}_title`))));
    learn.find(name).follow?.(params);
  };
  former.followers[TAB] = (params) => learn.open && follow(params); // else the link is read when the tab opens

  /** Where a section's demonstration keeps its view: as former.demo takes it. */
  learn.place = (section) => ({
    keep: (link) => {
      section.link = () => link() ?? {};
      return write;
    },
    mine: (params) => former.tabOf(params) === TAB && asked(params) === section.name,
    follow: (take) => (section.follow = take),
  });

  former.viewOf[TAB] = () => learn.find(learn.open)?.live?.view ?? null;

  // --- progress --------------------------------------------------------------------------------------------------

  const answered = new Set((former.kept.always.get(ANSWERED) ?? "").split(" "));
  learn.answered = (name) => answered.has(name);
  learn.answer = (name) => {
    answered.add(name);
    former.kept.always.set(ANSWERED, [...answered].filter(Boolean).join(" "));
    publish("answered");
  };

  // --- scripts ---------------------------------------------------------------------------------------------------

  const coming = {}; // name → what to call when its script is there

  /** A section's script, {draw, props}: asked for once, again after it failed. */
  learn.script = (name) =>
    new Promise((resolve, reject) => {
      coming[name] = resolve;
      const onerror = () => {
        script.remove();
        reject(former.unanswered("offline"));
      };
      const script = former.h("script", { src: former.url(`/learn/${name}.js`), onerror });
      document.head.append(script);
    });

  /** A script calls this with itself. */
  learn.arrived = (name, props, draw) => coming[name]({ draw, props });

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || former.page.tab !== TAB || event.target.closest?.("input, dialog")) return;
    const by = former.keys.is(event, "n") ? 1 : former.keys.is(event, "b") ? -1 : 0;
    if (by) learn.step(by);
  });
})();
