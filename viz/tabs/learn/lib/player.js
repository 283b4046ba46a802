// A course of steps with a slider and a button that plays it while its section is on the screen. Adds former.player.
(() => {
  const former = window.former;
  const { h } = former;

  /**
   * Of a demonstration whose view has `step`, in a section whose messages are play, play_hint and step.
   *
   * last(): the last step; now(): the one that is shown; pace: ms between two; ready(): whether there is anything to
   * play; held(): whether the step before is still to come; paint: called when playing begins and ends.
   * Returns {play, slider, stop, put, update}: put(changes) gives a handler that stops and changes the view.
   */
  former.player = (section, demo, { last, now, pace, ready = () => true, held = () => false, paint }) => {
    const { words } = section;
    let playing = null; // the timer while it plays
    const stop = () => {
      clearTimeout(playing);
      playing = null;
      paint();
    };
    const put = (changes) => () => (stop(), demo.set(changes));
    const further = () => demo.set({ step: (now() + 1) % (last() + 1) });
    const advance = () => {
      const shown = former.page.tab === "learn" && former.learn.open === section.name;
      if (!shown || now() === last()) return stop();
      if (!held()) further();
      playing = setTimeout(advance, pace);
    };
    const run = () => {
      if (!ready()) return;
      if (former.reducedMotion()) return further();
      if (now() === last()) demo.set({ step: 0 });
      playing = setTimeout(advance, pace);
      paint();
    };
    const play = h("button", { type: "button", class: "field-button", title: words("play_hint"), onclick: () => (playing ? stop() : run()) });
    const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": words("step"), oninput: () => put({ step: Number(slider.value) })() });
    const update = () => {
      play.textContent = words("play", { running: playing ? "yes" : "no" });
      if (!ready()) return;
      slider.max = last();
      slider.value = now();
    };
    return { play, slider, stop, put, update };
  };
})();
