// The sentence of each tab that says what to look at; the tab's own scripts make it. Adds former.lessons.
(() => {
  const former = window.former;
  const said = {}; // tab → sentence
  const places = {}; // tab → element

  former.lessons = {
    /** Says what to look at in a tab. */
    tell: (tab, sentence) => {
      said[tab] = sentence;
      if (places[tab] && places[tab].textContent !== sentence) places[tab].textContent = sentence;
      former.lessons.heard();
    },
    of: (tab) => said[tab] ?? "",
    heard: () => {}, // told of every sentence
    attach: (tab, element) => {
      places[tab] = element;
      element.textContent = said[tab] ?? "";
    },
  };
})();
