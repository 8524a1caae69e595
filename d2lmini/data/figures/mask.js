// Scores or weights of all pairs of tokens, with a causal mask and a valid length.
const { tokens, scores, query } = given, n = tokens.length, size = 54, left = 80;
choices("causal", "Mask", ["none", "causal"]);
choices("numbers", "Show", ["weights", "scores"]);
slider("valid", "Valid length", range(n + 1), n);
choices("query", "Query", tokens, query);
draw = () => {
  const allowed = (i, j) => j < shown.valid && !(shown.causal && j > i);
  const weights = scores.map((row, i) => {
    const top = Math.max(...row), masses = row.map((a, j) => allowed(i, j) && Math.exp(a - top));
    return masses.map(mass => mass / (sum(masses) || 1));
  });
  const cells = weights.flatMap((row, i) => row.map((weight, j) => {
    const number = shown.numbers ? signed(scores[i][j], 1) : weight.toFixed(2);
    const free = allowed(i, j), label = free ? number : shown.numbers ? "−∞" : "0";
    return `<rect x="${left + size * j}" y="${24 + 36 * i}" width="${size}" height="36" ` +
      `fill="${free ? "var(--weight)" : "#888"}" fill-opacity="${free ? weight * 0.6 : 0.25}" ` +
      `stroke="currentColor" stroke-opacity="0.3"/>` +
      text(left + size * (j + 0.5), 47 + 36 * i, label);
  }));
  paint(left + size * n + 2, 26 + 36 * n, cells.join("") +
    tokens.map((token, k) => text(left + size * (k + 0.5), 15, token) +
      text(left - 8, 47 + 36 * k, token, "end")).join("") +
    `<rect class="line" x="${left}" y="${24 + 36 * shown.query}" width="${size * n}" height="36"/>`);
  const row = weights[shown.query], list = row.map((weight, j) => [weight, tokens[j]])
    .filter(([weight]) => weight).sort((a, b) => b[0] - a[0]);
  status.textContent = `${tokens[shown.query]} ` + (list.length ? "attends to " +
    list.map(([weight, token]) => `${token} ${weight.toFixed(2)}`).join(", ")
    : "may attend to no token, so all its weights are 0") + ".";
  fill(weights);
};
