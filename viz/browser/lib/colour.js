// Colour scales as lookup tables of 256 pixels, for the theme that is on. Adds former.colours.
(() => {
  const former = window.former;
  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  /** Stops → 256 pixels as one Uint32 each (ABGR, the order of ImageData). */
  const table = (stops) => {
    const rgb = stops.map(channels);
    return Uint32Array.from({ length: 256 }, (_, i) => {
      const at = (i / 255) * (rgb.length - 1);
      const low = Math.min(Math.floor(at), rgb.length - 2);
      const [r, g, b] = rgb[low].map((from, c) => Math.round(from + (rgb[low + 1][c] - from) * (at - low)));
      return (255 << 24) | (b << 16) | (g << 8) | r;
    });
  };

  const tables = {};
  for (const [mode, scales] of Object.entries(former.style.scales))
    tables[mode] = Object.fromEntries(Object.entries(scales).map(([name, stops]) => [name, table(stops)]));

  /** {weights, scores: Uint32Array(256), masked: pixel} of the theme that is on. */
  former.colours = () => {
    const own = tables[former.isDark() ? "dark" : "light"];
    const [r, g, b] = channels(former.variable("masked"));
    return { ...own, masked: (255 << 24) | (b << 16) | (g << 8) | r };
  };

  /** The value of one of the page's CSS variables: former.variable("text"). */
  former.variable = (name) => getComputedStyle(document.body).getPropertyValue(`--f-${name}`).trim();

  /** Black or white, whichever reads better on a pixel. */
  former.inkOn = (pixel) =>
    0.299 * (pixel & 255) + 0.587 * ((pixel >> 8) & 255) + 0.114 * ((pixel >> 16) & 255) > 140 ? "#10151d" : "#ffffff";

  /** A pixel of a table as a CSS colour. */
  former.css = (pixel) => `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;
})();
