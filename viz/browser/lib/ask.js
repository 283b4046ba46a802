// Asking the server for what takes a while, and handing files to the visitor. Adds former.later, former.patiently,
// former.answer, former.lines, former.copy and former.saveFile.
(() => {
  const former = window.former;
  const LATER = 700; // ms, up to twice that: from a busy server's refusal to the next time it is asked; then twice that
  const LATEST = 20000; // and up to twice that at most
  const TIMES = 4; // that a busy server is asked

  /** How long to wait, in ms, before something that failed so many times before is tried again. */
  former.later = (times) => Math.min(LATEST, LATER * 2 ** times) * (1 + Math.random()); // a class does not come back at once

  /** As fetch, of a path; a busy server is asked again, up to some 10 s later. */
  former.patiently = async (path, options) => {
    for (let time = 0; ; time++) {
      const response = await fetch(former.url(path), options);
      if (response.status !== 503 || time + 1 === TIMES) return response;
      await new Promise((done) => setTimeout(done, former.later(time)));
    }
  };

  /** Python's answer to a question, JSON; without a body a GET. Throws an Error whose message is for the visitor. */
  former.answer = async (path, body, signal) => {
    const options = body && { method: "POST", body: JSON.stringify(body) };
    const response = await former.patiently(path, { ...options, signal }).catch(() => null);
    const said = await response?.json().catch(() => null);
    if (!response) throw new Error(former.say("offline"));
    if (!response.ok || !said) throw new Error(former.refusal(said));
    return said;
  };

  /** GETs lines of JSON, or with a body POSTs for them, and calls take(value) for each as it comes; aborting the signal ends
   *  the work on the server. Throws an Error whose message is for the visitor; `busy` says whether the server had no room. */
  former.lines = async (path, signal, take, body) => {
    const response = await former.patiently(path, { signal, ...(body && { method: "POST", body: JSON.stringify(body) }) });
    if (response.status === 404) throw new Error(former.say("gone"));
    const busy = response.status === 503;
    if (!response.ok) throw Object.assign(new Error(former.refusal(await response.json().catch(() => null))), { busy });
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

  /** Copies what stands in a field; false where the clipboard is refused, as on plain http or in another page's frame: it
   *  is then selected, to be copied by the keys. */
  former.copy = async (field) => {
    field.select();
    return (await navigator.clipboard?.writeText(field.value).then(() => true, () => false)) ?? false;
  };

  /** Gives the visitor a file that was made here. */
  former.saveFile = (name, blob) => {
    const url = URL.createObjectURL(blob);
    former.h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
})();
