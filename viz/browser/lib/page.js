// Which tab is in front. Adds former.page.
(() => {
  const former = window.former;
  const { subscribe, publish } = former.listeners(["tab"]);
  const page = { tab: former.tabOf(former.opened), subscribe };

  /** A tab came to the front. The page opens with its first; a link's own follows, and until then nothing changes. */
  page.show = (tab) => {
    if (toCome && tab !== toCome) return;
    toCome = null;
    arrive();
    if (tab === page.tab) return;
    page.tab = tab;
    publish("tab");
  };

  /** Keeps a tab's view in the address bar while it is in front: link() gives it, {name: value}, or null for not yet.
   *  Returns what to call when the view has changed. */
  page.keep = (tab, link) => {
    const write = () => {
      const view = page.tab === tab && link();
      if (view) former.writeAddress(tab, view);
    };
    subscribe(document.documentElement, write);
    return write;
  };

  let toCome = page.tab === former.tabs[0] ? null : page.tab;
  let arrive;
  page.arrived = new Promise((done) => (arrive = done)); // when the tab that the page opens with is in front
  if (!toCome) arrive();
  former.page = page;
})();
