// Weights of scores at a temperature; of tokens that can be drawn, with top-k and top-p.
const { queries, keys, scores, rest = [], temperatures, ks, ps, start } = given;
const bars = given.bars || keys.length;
choices("query", "Query", queries);
slider("temperature", "Temperature τ", temperatures, start);
if (ks) {
  slider("k", "top-k", ks, ks.at(-1));
  slider("p", "top-p", ps, 1);
  const button = make("button", { type: "button" }, "Draw ten tokens");
  button.onclick = () => {
    const { weights } = distribution(scores[0]);
    const drawn = range(10).map(() => {
      let left = Math.random(), i = 0;
      while (i < keys.length && left >= weights[i]) left -= weights[i++];
      return keys[i] || "another token";
    });
    status.textContent = `Drawn: ${drawn.join(", ")}.`;
  };
  controls.append(make("div", {}, button));
}

function distribution(row) {  // [score, how many have it] from the largest on
  const all = [...row.map(a => [a, 1]), ...rest];
  const top = Math.max(...row), { temperature, k = Infinity, p = 1 } = shown;
  const masses = all.map(([a]) => Math.exp((a - top) / temperature));
  let before = 0;  // keys so far
  const counts = all.map(([, count]) => {
    const kept = Math.min(count, Math.max(0, k - before));
    before += kept;
    return kept;
  });
  const limit = p * sum(masses.map((mass, i) => mass * counts[i]));
  let mass = 0;
  masses.forEach((each, i) => {
    if (p < 1) counts[i] = Math.min(counts[i], Math.max(0, Math.ceil((limit - mass) / each)));
    mass += each * counts[i];
  });
  const weights = masses.map((each, i) => each * counts[i] / mass);
  return { weights, count: sum(counts) };
}

draw = () => {
  const found = scores.map(distribution), { weights, count } = found[shown.query];
  const names = [...keys.slice(0, bars), ...bars < weights.length ? ["all others"] : []];
  const lengths = names.map((_, i) => i < bars ? weights[i] : sum(weights.slice(bars)));
  paint(460, 26 * names.length, names.map((name, i) => {
    const y = 26 * i, length = 220 * lengths[i];
    return text(150, y + 18, name, "end") + text(168 + length, y + 18, lengths[i].toFixed(2), "start") +
      `<rect x="160" y="${y + 4}" width="${length.toFixed(1)}" height="18" class="weight"/>`;
  }).join(""));
  const order = lengths.map((weight, i) => [weight, names[i]]).sort((a, b) => b[0] - a[0]);
  const list = order.slice(0, 3).map(([weight, name]) => `${weight.toFixed(2)} ${name}`);
  const tokens = count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`;
  status.textContent = ks ? `${tokens} can be drawn.`
    : `${queries[shown.query]} at τ = ${shown.temperature}: ${list.join(" + ")} + …`;
  fill(names.map((_, i) => ks ? [lengths[i]] : found.map(({ weights }) => weights[i])));
};
