// A query and a key at two positions: the pairs of their columns turn back at their own speeds,
// counterclockwise. The first column of a pair points to the right, the second one up.
const { query, key, bases, base, last } = given, pairs = query.length / 2;
const positions = range(last + 1);
const setQuery = slider("i", "Query at", positions, given.i);
const setKey = slider("j", "Key at", positions, given.j);
slider("base", "Base", bases, base);
const steps = make("div", { role: "group", "aria-label": "Both positions" }, "Move both ");
for (const [label, step] of [["−1", -1], ["+1", 1]]) {
  const button = make("button", { type: "button", "aria-label": `Move both by ${label}` }, label);
  button.onclick = () => {
    const [i, j] = [shown.i + step, shown.j + step];
    if (Math.min(i, j) >= 0 && Math.max(i, j) <= last) { setQuery(i); setKey(j); draw(); }
  };
  steps.append(button);
}
controls.append(steps);

function parts(offset) {  // of the score, one of each pair
  return range(pairs).map(p => {
    const angle = offset * shown.base ** (-p / pairs);
    const [a, b, c, d] = [query[2 * p], query[2 * p + 1], key[2 * p], key[2 * p + 1]];
    return (a * c + b * d) * Math.cos(angle) + (a * d - b * c) * Math.sin(angle);
  });
}

draw = () => {
  const offset = shown.i - shown.j, products = parts(offset), score = sum(products);
  const longest = Math.max(...range(pairs).flatMap(p =>
    [query, key].map(vector => Math.hypot(vector[2 * p], vector[2 * p + 1]))));
  const hand = (vector, p, position, kind) => {
    const angle = Math.atan2(vector[2 * p + 1], vector[2 * p]) + position * shown.base ** (-p / pairs);
    const length = 44 * Math.hypot(vector[2 * p], vector[2 * p + 1]) / longest, x = 60 + 115 * p;
    return path([[x, 62], [x + length * Math.cos(angle), 62 - length * Math.sin(angle)]], kind);
  };
  const dials = products.map((product, p) =>
    `<circle class="line" cx="${60 + 115 * p}" cy="62" r="46"/>` + hand(query, p, shown.i, "query") +
    hand(key, p, shown.j, "key") + text(60 + 115 * p, 128, signed(product)));
  const offsets = range(2 * last + 1).map(k => k - last);
  const curve = offsets.map(k => sum(parts(k))), most = Math.max(...curve.map(Math.abs)) || 1;
  const place = (k, a) => [54 + (115 * pairs - 74) * (k + last) / (2 * last), 210 - 55 * a / most];
  const [x, y] = place(offset, score);
  paint(115 * pairs, 292, [
    ...dials,
    path([place(-last, 0), place(last, 0)], "faint"),
    path([place(-last, most), place(-last, -most)], "faint"),
    ...[most, 0, -most].map(a => text(46, place(0, a)[1] + 5, signed(a, a ? 1 : 0), "end")),
    path(offsets.map((k, index) => place(k, curve[index])), ""),
    `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="6" fill="var(--plain)"/>`,
    ...[-last, 0, last].map(k => text(place(k, 0)[0], 286, signed(k, 0),
      k ? (k < 0 ? "start" : "end") : "middle")),
    text(115 * pairs * 0.75, 286, "offset"),
  ].join(""));
  status.textContent = `Query (orange) at ${shown.i}, key (blue) at ${shown.j}: the offset is ` +
    `${signed(offset, 0)} and the score ${products.map(product => signed(product)).join(" + ")} = ${signed(score)}.`;
  fill([...products, score].map(value => [value]));
};
