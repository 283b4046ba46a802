// The tab that a link opens, before Gradio lays the page out: it begins with that tab, and fetches what draws it. A
// classic script: modules would come too late. Makes window.formerTabOf and window.formerBegins.
(() => {
  const { tabs, panels, ahead } = JSON.parse(`${document.querySelector("#former-site")?.textContent}`);

  // Tab Explore was once the first, and links to it named no tab: whatever of its view a link holds says that it is
  // one.
  const EXPLORE = ["model", "text", "edits", "map", "layer", "head", "token", "key", "of", "view", "scale", "show"];

  /** The tab that a link, URLSearchParams, opens: the one it names, or else Explore for a view of it, or the first. */
  window.formerTabOf = (params) => {
    const named = panels[`${params.get("embed")}`] ?? params.get("tab");
    if (tabs.includes(named)) return named;
    const known = tabs.includes("explore") && EXPLORE.some((name) => params.has(name));
    return known ? "explore" : tabs[0];
  };

  const begins = window.formerTabOf(new URLSearchParams(location.search));
  window.formerBegins = begins;
  for (const { type, props } of window.gradio_config.components) if (type === "tabs") props.selected = begins;
  const root = location.origin + new URL(window.gradio_config.root, location.href).pathname.replace(/\/$/, "");
  for (const name of ahead[begins]) {
    const link = document.createElement("link");
    const kind = name.endsWith(".css") ? { rel: "preload", as: "style" } : { rel: "modulepreload" };
    Object.assign(link, { ...kind, href: root + name, fetchPriority: "low" }); // Gradio's own go first
    document.head.append(link);
  }
})();
