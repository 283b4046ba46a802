// One forward pass in the browser: decodes what viz/passes/payload.py packed. Adds former.decodePass and former.decodeHead.
(() => {
  const former = window.former;

  class Pass {
    constructor(buffer) {
      const magic = new TextDecoder().decode(new Uint8Array(buffer, 0, 4));
      if (magic !== "FMR1") throw new Error("not a packed pass");
      const length = new DataView(buffer).getUint32(4, true);
      /** Everything but the cells; the fields are those of `run` in viz/passes/run.py. */
      this.header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
      const { layers, heads, tokens, causal } = this.header;
      this.scales = new Float32Array(buffer, 8 + length, layers * heads);
      this.cells = new Uint8Array(buffer, 8 + length + 4 * layers * heads);
      this.perHead = causal ? (tokens * (tokens + 1)) / 2 : tokens * tokens;
    }

    /** Where a query's keys begin among the cells of a head, and how many it has. */
    rowStart(query) {
      return this.header.causal ? (query * (query + 1)) / 2 : query * this.header.tokens;
    }
    rowLength(query) {
      return this.header.causal ? query + 1 : this.header.tokens;
    }

    /** A head's cells as they came: square roots of weight / scale, 0 to 255. */
    quantised(layer, head) {
      const first = (layer * this.header.heads + head) * this.perHead;
      return this.cells.subarray(first, first + this.perHead);
    }

    /** A head's weights, cell by cell; off by at most scale / 255, or scale / 51 in a large pass. */
    approximate(layer, head) {
      const scale = this.scales[layer * this.header.heads + head] / 65025;
      const levels = this.quantised(layer, head);
      const weights = new Float32Array(levels.length);
      for (let i = 0; i < levels.length; i++) weights[i] = levels[i] * levels[i] * scale;
      return weights;
    }
  }

  former.decodePass = (buffer) => new Pass(buffer);

  /** One head exactly: q and k (tokens × headSize) and the model's weights, in the cells' order. */
  former.decodeHead = (pass, buffer) => {
    const size = pass.header.tokens * pass.header.headSize;
    const all = new Float32Array(buffer);
    return { q: all.subarray(0, size), k: all.subarray(size, 2 * size), weights: all.subarray(2 * size) };
  };
})();
