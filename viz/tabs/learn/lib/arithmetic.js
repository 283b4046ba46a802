// Attention on small matrices, lists of rows, while one drags: tests hold it to former.attention to 1e-6.

const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);

/** Numbers → their softmax: all above 0, together 1. */
const softmax = (scores) => {
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((one, other) => one + other, 0);
  return raised.map((value) => value / sum);
};

/** The limit of the softmax of scores, each divided by ever less: the largest takes all, and equal ones share. */
const largest = (scores) => {
  const most = Math.max(...scores);
  const taken = scores.map((score) => Number(score > most - 1e-9));
  const count = taken.reduce((one, other) => one + other, 0);
  return taken.map((value) => value / count);
};

/** x (t, e) times the transpose of a matrix (out, e), as a linear layer has it. */
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
