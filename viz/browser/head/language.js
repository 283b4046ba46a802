// Chooses the page's language before Gradio lays out the page, and replaces the ⟦note⟧ placeholders in Gradio's
// configuration. It is a classic script, since modules run too late. Sets window.formerLanguage,
// window.formerTexts once it has the messages, and window.formerMessages, a promise of that.
(() => {
  const languages = window.formerLanguages; // {name: {name, file, labels}}

  /** The visitor's choice on an earlier visit; a browser may block its storage. */
  const storedChoice = () => {
    try {
      return localStorage.getItem("former-language");
    } catch {
      return null;
    }
  };

  const preferred = [new URLSearchParams(location.search).get("lang"), storedChoice(), ...navigator.languages];
  const names = preferred.map((name) => name?.toLowerCase().split("-")[0]);
  const chosen = names.find((name) => name && Object.hasOwn(languages, name)) ?? "en";
  window.formerLanguage = chosen;
  const page = document.documentElement;
  const speak = () => page.lang === chosen || (page.lang = chosen);
  // Gradio uses the browser's language, later too
  new MutationObserver(speak).observe(page, { attributeFilter: ["lang"] });
  speak();

  const { labels, file } = languages[chosen];
  const root = new URL(window.gradio_config.root, location.href).pathname.replace(/\/$/, "");
  /** Requests the messages until they come: without them the page has no script that could say why it is empty. */
  const load = async () => {
    try {
      const answer = await fetch(root + file);
      if (answer.ok) return await answer.json();
    } catch {} // there is no network, or this is a proxy's page
    await new Promise((done) => setTimeout(done, 1000));
    return load();
  };
  window.formerMessages = load().then((texts) => Object.assign(window, { formerTexts: texts }));
  /** @type {(value: any) => any} */
  const said = (value) => {
    if (Array.isArray(value)) return value.map(said);
    if (value && typeof value === "object")
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, said(each)]));
    return typeof value === "string" ? value.replace(/⟦(.*?)⟧/g, (mark, note) => labels[note] ?? mark) : value;
  };
  for (const { props } of window.gradio_config.components)
    for (const name of ["label", "placeholder", "choices", "value"]) if (name in props) props[name] = said(props[name]);
})();
