// The Nadaraya–Watson estimate at a width, and the weights of one query.
const { x, y, grid, truth, widths, start } = given;
const kernels = [u => Math.exp(-u * u / 2), u => Number(Math.abs(u) < 1)];
choices("kernel", "Kernel", ["Gaussian", "boxcar"]);
slider("width", "Width σ", widths, start);
slider("query", "Query x", grid, grid[Math.floor(grid.length / 2)]);
const [low, high] = [Math.min(...y, ...truth), Math.max(...y, ...truth)], last = grid.at(-1);
const place = (a, b) => [45 + 405 * a / last, 230 - 220 * (b - low) / (high - low)];
const levels = range(Math.floor(high) - Math.ceil(low) + 1).map(k => Math.ceil(low) + k);

function estimate(query) {
  const kappa = x.map(key => kernels[shown.kernel]((query - key) / shown.width));
  const weights = kappa.map(value => value / (sum(kappa) || 1));
  return { weights, y: sum(weights.map((w, i) => w * y[i])) };
}

draw = () => {
  const estimates = grid.map(estimate), i = grid.indexOf(shown.query), chosen = estimates[i];
  const ticks = grid.filter(Number.isInteger);
  const [column, bottom] = place(shown.query, low);
  paint(460, 275, [
    path([[column, 8], [column, bottom]], "query"),
    path(grid.map((a, g) => place(a, truth[g])), "dashed"),
    path(grid.map((a, g) => place(a, estimates[g].y)), "plain"),
    ...x.map((a, k) => {
      const [cx, cy] = place(a, y[k]), weight = chosen.weights[k];
      return `<circle cx="${cx.toFixed(1)}" cy="${cy.toFixed(1)}" class="weight"` +
        ` r="${(2 + 18 * Math.sqrt(weight)).toFixed(1)}" fill-opacity="${weight ? 0.6 : 0.25}"/>`;
    }),
    path([place(0, high), place(0, low), place(last, low)], "faint"),
    ...ticks.map(a => text(place(a, low)[0], 250, String(a))),
    ...levels.map(b => text(36, place(0, b)[1] + 5, signed(b, 0), "end")),
    text(240, 271, "dashed: truth, solid: estimate, large dots: large weights"),
  ].join(""));
  const error = Math.sqrt(sum(estimates.map((e, g) => (e.y - truth[g]) ** 2)) / grid.length);
  status.textContent = `At x = ${shown.query} the estimate is ${signed(chosen.y)} and the truth ` +
    `${signed(truth[i])}. The error over all x is ${error.toFixed(2)}.`;
  fill(ticks.map(a => [truth[grid.indexOf(a)], estimate(a).y]));
};
