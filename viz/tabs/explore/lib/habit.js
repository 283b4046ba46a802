// What a head does, in numbers and in one sentence made from them. Adds former.measure and former.habit.
(() => {
  const former = window.former;

  /** {entropy, distance, previous, first, self} of a map, as former.analysis.head_statistics; means over queries. */
  former.measure = (shown) => {
    const tokens = shown.map.queries.length;
    const sum = { entropy: 0, distance: 0, previous: 0, first: 0, self: 0 };
    for (let query = 0; query < tokens; query++) {
      const row = former.row(shown, query);
      for (let key = 0; key < row.length; key++) {
        if (row[key] > 0) sum.entropy -= row[key] * Math.log2(row[key]);
        sum.distance += row[key] * Math.abs(query - key);
      }
      if (query > 0) sum.previous += row[query - 1];
      sum.first += row[0];
      sum.self += row[query];
    }
    for (const name of Object.keys(sum)) sum[name] /= name === "previous" ? Math.max(1, tokens - 1) : tokens;
    return sum;
  };

  /** The statistics of a head, as Python measured them. */
  former.statisticsOf = (map, layer, head) =>
    Object.fromEntries(Object.entries(map.statistics).map(([name, values]) => [name, values[layer][head]]));

  /** What looking at all alike would give: {entropy, distance}. */
  former.even = (map) => {
    if (!evens.has(map)) evens.set(map, evenOf(map));
    return evens.get(map);
  };
  const evens = new WeakMap();
  const evenOf = (map) => {
    const tokens = map.queries.length;
    const even = { entropy: 0, distance: 0 };
    for (let query = 0; query < tokens; query++) {
      const length = map.rowLength(query);
      even.entropy += Math.log2(length) / tokens;
      for (let key = 0; key < length; key++) even.distance += Math.abs(query - key) / length / tokens;
    }
    return even;
  };

  /**
   * The strongest habit that the numbers show: {kind, strength, words}.
   *
   * One place that takes half of the mass or more is what the head does; an entropy of nine tenths of the possible is
   * an even spread; then the distance decides, beside that of an even spread.
   */
  former.habit = (statistics, even) => {
    const { share, say } = former;
    const places = ["previous", "first", "self"].sort((a, b) => statistics[b] - statistics[a]);
    const [place] = places;
    const strength = statistics[place];
    const named = (kind, values = {}) => ({
      kind,
      strength,
      words: say(`habit_${kind}`, values),
      short: say(`short_${kind}`, values),
    });
    const reach = { distance: statistics.distance.toFixed(1), even: even.distance.toFixed(1) };
    if (strength >= 0.5) return named(`${place}`, { share: share(strength), how: say("habit_mostly") });
    if (statistics.entropy >= 0.9 * even.entropy)
      return named("even", { entropy: statistics.entropy.toFixed(2), most: even.entropy.toFixed(2) });
    if (strength >= 0.3) return named(`${place}`, { share: share(strength), how: say("habit_often") });
    if (statistics.distance <= 0.4 * even.distance) return named("local", reach);
    if (statistics.distance >= 1.25 * even.distance) return named("far", reach);
    return named("mixed", { ...reach, share: share(strength), place: say(`place_${place}`) });
  };
})();
