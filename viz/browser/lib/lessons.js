// The sentence of each tab that says what to look at; the tab's own scripts make it. Adds former.lessons.
(() => {
  const former = window.former;
  const said = {}; // tab → sentence
  const places = {}; // tab → its elements {sentence, anchor}
  const links = {}; // tab → {article, href}
  const { subscribe, publish } = former.listeners(["sentence"]);

  former.lessons = {
    subscribe, // to every sentence
    /** Says what to look at in a tab. */
    tell: (tab, sentence) => {
      said[tab] = sentence;
      const place = places[tab]?.sentence;
      if (place) former.setText(place, sentence);
      publish("sentence");
    },
    of: (tab) => said[tab] ?? "",
    /** Where the article says more of what is in front in a tab: {article: its heading, href}. */
    link: (tab, { article, href }) => {
      links[tab] = { article, href };
      if (!places[tab]) return;
      places[tab].anchor.href = href;
      places[tab].anchor.textContent = former.say("lesson_article", { section: article });
    },
    attach: (tab, sentence, anchor) => {
      places[tab] = { sentence, anchor };
      sentence.textContent = said[tab] ?? "";
      if (links[tab]) former.lessons.link(tab, links[tab]);
    },
  };
})();
