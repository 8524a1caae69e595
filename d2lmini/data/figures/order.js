// Self-attention over tokens in the reader's order; scores of two positions may be added.
const { tokens, scores, positions, values, token } = given, n = tokens.length;
const vector = (row, digits) => `(${row.map(a => signed(a, digits)).join(", ")})`;
let order = range(n);  // the token at each position
const group = make("div", { role: "group", "aria-label": "Move to the front" }, "To the front: ");
const buttons = tokens.map((name, i) => {
  const button = make("button", { type: "button", "aria-label": `Move ${name} to the front` }, name);
  button.onclick = () => { order = [i, ...order.filter(j => j !== i)]; draw(); button.focus(); };
  return button;
});
const shuffle = make("button", { type: "button" }, "Shuffle");
shuffle.onclick = () => {
  for (let k = n - 1; k; k--) {
    const other = Math.floor(Math.random() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  draw();
};
const reset = make("button", { type: "button" }, "First order");
reset.onclick = () => { order = range(n); draw(); };
controls.append(group, make("div", {}, shuffle, reset));

function attend() {  // weights and output of each token, whatever its position
  const place = tokens.map((_, i) => order.indexOf(i));
  return scores.map((row, i) => {
    const masses = row.map((a, j) => Math.exp(a + positions[place[i]][place[j]]));
    const weights = masses.map(mass => mass / sum(masses));
    const output = values[0].map((_, c) => sum(weights.map((w, j) => w * values[j][c])));
    return { weights, output };
  });
}
const first = attend().map(({ output }) => vector(output, 2));

draw = () => {
  group.append(...order.map(i => buttons[i]));
  const found = attend(), outputs = found.map(({ output }) => vector(output, 2));
  const box = (x, y, width, style) =>
    `<rect x="${x}" y="${y}" width="${width}" height="26" rx="5" fill="none" ${style}/>`;
  paint(360, 34 * n + 24, text(70, 15, "tokens") + text(250, 15, "outputs") + order.map((i, a) => {
    const y = 24 + 34 * a, changed = outputs[i] !== first[i], chosen = i === token;
    const kind = chosen ? 'stroke="var(--query)" stroke-width="2.5"' : 'stroke="#888"';
    const note = changed ? text(322, y + 18, "changed") : "";
    return box(1, y, 138, kind) + text(70, y + 18, `${tokens[i]} ${vector(values[i], 0)}`) +
      path([[146, y + 13], [172, y + 13]], "") + path([[167, y + 9], [172, y + 13], [167, y + 17]], "") +
      box(180, y, 108, changed ? 'stroke="#b5402f" stroke-width="2.5"' : 'stroke="#888"') +
      text(234, y + 18, outputs[i]) + note;
  }).join(""));
  const { weights } = found[token], best = weights.indexOf(Math.max(...weights));
  status.textContent = `${order.map(i => tokens[i]).join(" ")}: ${tokens[token]} gives ${tokens[best]} the ` +
    `weight ${weights[best].toFixed(2)}, and its output is ${outputs[token]}` +
    (outputs[token] === first[token] ? "." : `, where it was ${first[token]}.`);
  fill(found.map(({ output }) => output));
};
