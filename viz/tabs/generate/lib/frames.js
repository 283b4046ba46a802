// Asks the server to write, and reads what it answers: a frame a token (viz/tabs/generate/writing.py). Adds former.write and former.textOf.
(() => {
  const former = window.former;

  /** One frame: the header's fields, and `cells`, 255·√weight of the newest token, layer by layer, head by head. */
  const decode = (bytes, header) => ({
    ...JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + header))),
    cells: bytes.slice(8 + header),
  });

  /** The text of a prompt and the tokens written to it. Throws an Error whose message is for the visitor. */
  former.textOf = async (order) => (await former.answer("/written", order)).text;

  /** The frames that are answered to an order, as they come. Throws an Error whose message is for the visitor. */
  former.write = async function* (order, signal) {
    const response = await former.patiently("/write", { method: "POST", body: JSON.stringify(order), signal });
    if (!response.ok) {
      throw new Error(former.refusal(await response.json().catch(() => null)));
    }
    const reader = response.body.getReader();
    let held = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      held = joined;
      for (;;) {
        if (held.length < 8) break;
        const sizes = new DataView(held.buffer, held.byteOffset);
        const header = sizes.getUint32(0, true);
        const end = 8 + header + sizes.getUint32(4, true);
        if (held.length < end) break;
        yield decode(held.subarray(0, end), header);
        held = held.subarray(end);
      }
    }
  };
})();
