// Offers the exports of the page's shared modules to the tests as `former`, each once the page has fetched it. The
// parts of a panel are its own: two panels may give theirs one name.
(() => {
  const former = {};
  const offer = (module) => {
    for (const name of Object.keys(module)) {
      if (name === "site") Object.assign(former, module.site);
      else if (name !== "mount") Object.defineProperty(former, name, { enumerable: true, get: () => module[name] });
    }
    if (former.page) Object.assign(window, { former }); // the page has begun
  };
  const fetched = new PerformanceObserver((entries) => {
    // The page itself says why a script did not come.
    for (const { name } of entries.getEntries())
      if (/\/web\/[0-9a-f]+\/.*\/(lib|paper)\/.*\.js$/.test(name))
        window.formerMessages.then(() => import(name)).then(offer, () => {});
  });
  fetched.observe({ type: "resource", buffered: true });
})();
