// Attention on small matrices, given as lists of rows, for dragging; tests compare it with former.attention to 1e-6.

const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);

/** The softmax of numbers: all above 0, with sum 1. */
const softmax = (scores) => {
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((one, other) => one + other, 0);
  return raised.map((value) => value / sum);
};

/** The limit of the softmax as the temperature goes to 0: the largest score gets all the weight, and equal ones share
 *  it. */
const largest = (scores) => {
  const most = Math.max(...scores);
  const taken = scores.map((score) => Number(score > most - 1e-9));
  const count = taken.reduce((one, other) => one + other, 0);
  return taken.map((value) => value / count);
};

/** x (t, e) times the transpose of a matrix (out, e), as in a linear layer. */
const linear = (x, matrix) => x.map((row) => matrix.map((weights) => dot(row, weights)));

/** Queries (t, s), keys and values (u, s): {scores q·k / divisor, weights, y}. */
const attention = (q, k, v, divisor = 1) => {
  const scores = q.map((query) => k.map((key) => dot(query, key) / divisor));
  const weights = scores.map(softmax);
  const y = weights.map((row) =>
    v[0].map((_, column) =>
      dot(
        row,
        v.map((value) => value[column]),
      ),
    ),
  );
  return { scores, weights, y };
};

export const arithmetic = { dot, softmax, largest, linear, attention };
