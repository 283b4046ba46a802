// Asking the server for what takes a while, and handing files to the visitor. Adds former.patiently, former.lines
// and former.saveFile.
(() => {
  const former = window.former;
  const LATER = 700; // ms, up to twice that: from a busy server's refusal to the one time it is asked again

  /** As fetch, of a path; a busy server is asked once more. */
  former.patiently = async (path, options) => {
    const response = await fetch(former.url(path), options);
    if (response.status !== 503) return response;
    await new Promise((done) => setTimeout(done, LATER * (1 + Math.random()))); // a class does not come back at once
    return fetch(former.url(path), options);
  };

  /** GETs lines of JSON and calls take(value) for each as it comes; aborting the signal ends the work on the server. */
  former.lines = async (path, signal, take) => {
    const response = await former.patiently(path, { signal });
    if (response.status === 404) throw new Error(former.say("gone"));
    if (!response.ok) throw new Error(former.refusal(await response.json().catch(() => null)));
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const piece = JSON.parse(line);
        if (piece.error) throw new Error(former.refusal(piece));
        take(piece);
      }
    }
  };

  /** Gives the visitor a file that was made here. */
  former.saveFile = (name, blob) => {
    const url = URL.createObjectURL(blob);
    former.h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
})();
