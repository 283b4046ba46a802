// Numbers to pixels: the scales, thumbnails pooled so that no line is lost, and a whole map. Adds former.pool,
// former.pixelsOfLevels and former.paintMap.
(() => {
  const former = window.former;

  const index = {
    linear: (weight) => weight,
    row: (weight, most) => weight / most,
    root: (weight) => Math.sqrt(weight),
  };

  /** Where a weight stands on the chosen scale, 0 to 1; most is the largest of its row. */
  former.scaled = (weight, most) => Math.min(1, index[former.store.view.scale](weight, most));

  /** Row by row: pixels of weights on the chosen scale. */
  const weightPixels = (row, table, scale, into) => {
    let most = 1e-30;
    if (scale === "row") for (let key = 0; key < row.length; key++) if (row[key] > most) most = row[key];
    if (scale === "root") for (let key = 0; key < row.length; key++) into[key] = table[Math.min(255, (Math.sqrt(row[key]) * 255 + 0.5) | 0)];
    else {
      const factor = scale === "row" ? 255 / most : 255;
      for (let key = 0; key < row.length; key++) into[key] = table[Math.min(255, (row[key] * factor + 0.5) | 0)];
    }
  };

  /** And of scores: below zero, zero, above. */
  const scorePixels = (row, table, size, into) => {
    for (let key = 0; key < row.length; key++) into[key] = table[(127.5 + (127.5 * row[key]) / size) | 0];
  };

  /** Cells → width × height levels, each the largest of what falls in it. perRow: relative to the row's largest. */
  former.pool = (map, layer, head, width, height, perRow) => {
    const [down, across] = [map.queries.length, map.keys.length];
    const cells = map.quantised(layer, head);
    const levels = new Uint8Array(width * height);
    const column = Uint16Array.from({ length: across }, (_, key) => Math.floor((key * width) / across));
    const columnEnd = Uint16Array.from({ length: across }, (_, key) => Math.max(column[key] + 1, Math.floor(((key + 1) * width) / across)));
    for (let query = 0; query < down; query++) {
      const [start, length] = [map.rowStart(query), map.rowLength(query)];
      let factor = 1;
      if (perRow) {
        let most = 1;
        for (let key = 0; key < length; key++) if (cells[start + key] > most) most = cells[start + key];
        factor = 255 / most;
      }
      const y = Math.floor((query * height) / down);
      const yEnd = Math.max(y + 1, Math.floor(((query + 1) * height) / down));
      for (let key = 0; key < length; key++) {
        const level = cells[start + key] * factor;
        for (let x = column[key]; x < columnEnd[key]; x++) if (levels[y * width + x] < level) levels[y * width + x] = level;
      }
      for (let below = y + 1; below < yEnd; below++) levels.copyWithin(below * width, y * width, (y + 1) * width);
    }
    return levels;
  };

  /** For a level of a pooled head: its pixel, on the chosen scale. */
  former.pixelsOfLevels = (headScale) => {
    const { weights } = former.colours();
    const { scale } = former.store.view;
    return Uint32Array.from({ length: 256 }, (_, level) => {
      const part = (level / 255) ** 2; // of the head's largest weight; of the row's, on the row scale
      return weights[Math.round(255 * former.scaled(scale === "row" ? part : part * headScale, 1))];
    });
  };

  /** A whole map, one pixel a cell, on a canvas of its own; values are weights, or scores with their largest size. */
  former.paintMap = (canvas, map, values, scoreSize) => {
    const [width, height] = [map.keys.length, map.queries.length];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    const image = context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const { weights, scores, masked } = former.colours();
    pixels.fill(masked);
    for (let query = 0; query < height; query++) {
      const start = map.rowStart(query);
      const row = values.subarray(start, start + map.rowLength(query));
      const into = pixels.subarray(query * width, query * width + row.length);
      if (scoreSize) scorePixels(row, scores, scoreSize, into);
      else weightPixels(row, weights, former.store.view.scale, into);
    }
    context.putImageData(image, 0, 0);
  };
})();
