// Self-attention over tokens in the reader's order. With angles, positions are points on a clock:
// a query at the angle a and a key at b have strength * cos(a - turn - b) added to their score.
const { tokens, scores, values, token, second, angles, strength } = given, n = tokens.length;
const vector = (row, digits) => `(${row.map(a => signed(a, digits)).join(", ")})`;
let order = range(n);  // the token at each position
if (angles) slider("turn", "Turn back by", range(13).map(k => `${15 * k}°`), "0°");
const turn = () => angles ? parseFloat(shown.turn) * Math.PI / 180 : 0;
const group = make("div", { role: "group", "aria-label": "Move to the front" }, "To the front: ");
const buttons = tokens.map((name, i) => {
  const button = make("button", { type: "button", "aria-label": `Move ${name} to the front` }, name);
  button.onclick = () => { order = [i, ...order.filter(j => j !== i)]; draw(); button.focus(); };
  return button;
});
const orders = make("div");
for (const [name, next] of [["First order", () => range(n)], ["Second order", () => [...second]], ["Shuffle", shuffled]]) {
  const button = make("button", { type: "button" }, name);
  button.onclick = () => { order = next(); draw(); };
  if (second || name !== "Second order") orders.append(button);
}
controls.append(orders, group);

function shuffled() {
  const next = range(n);
  for (let k = n - 1; k; k--) {
    const other = Math.floor(Math.random() * (k + 1));
    [next[k], next[other]] = [next[other], next[k]];
  }
  return next;
}

function attend(order) {  // weights and output of each token, whatever its position
  const place = tokens.map((_, i) => order.indexOf(i));
  const added = (i, j) => angles ? strength * Math.cos(angles[place[i]] - turn() - angles[place[j]]) : 0;
  return scores.map((row, i) => {
    const masses = row.map((a, j) => Math.exp(a + added(i, j)));
    const weights = masses.map(mass => mass / sum(masses));
    const output = values[0].map((_, c) => sum(weights.map((w, j) => w * values[j][c])));
    return { weights, output };
  });
}

function clock(x, y, radius) {  // the keys of the positions, and the query of the token
  const point = (angle, r) => [x + r * Math.sin(angle), y - r * Math.cos(angle)];
  const own = angles[order.indexOf(token)];
  return [
    `<circle class="line faint" cx="${x}" cy="${y}" r="${radius}"/>`,
    ...order.map((i, a) => {
      const [u, v] = point(angles[a], radius), [left, top] = point(angles[a], radius + 12);
      const side = Math.sin(angles[a]), anchor = side > 0.2 ? "start" : side < -0.2 ? "end" : "middle";
      return `<rect x="${(u - 5).toFixed(1)}" y="${(v - 5).toFixed(1)}" width="10" height="10" rx="2" fill="var(--key)"/>` +
        text(left.toFixed(1), (top + (anchor === "middle" ? 0 : 5)).toFixed(1), tokens[i], anchor);
    }),
    turn() ? `<g opacity="0.5">${path([[x, y], point(own, radius - 9)], "query dashed")}</g>` : "",
    path([[x, y], point(own - turn(), radius - 9)], "query"),
  ].join("");
}

draw = () => {
  group.append(...order.map(i => buttons[i]));
  const first = attend(range(n)).map(({ output }) => vector(output, 2));
  const found = attend(order), outputs = found.map(({ output }) => vector(output, 2));
  const { weights } = found[token], best = weights.indexOf(Math.max(...weights));
  const box = (x, y, width, style) =>
    `<rect x="${x}" y="${y}" width="${width}" height="26" rx="5" fill="none" ${style}/>`;
  const below = 34 * n + 24, wide = root.clientWidth >= 640;
  const rows = order.map((i, a) => {
    const y = 24 + 34 * a, changed = outputs[i] !== first[i], bar = 60 * weights[i];
    const kind = i === token ? 'stroke="var(--query)" stroke-width="2.5"' : 'stroke="#888"';
    return box(1, y, 132, kind) + text(67, y + 18, `${tokens[i]} ${vector(values[i], 0)}`) +
      `<rect class="weight" x="146" y="${y + 3}" width="${bar.toFixed(1)}" height="20"/>` +
      text(152 + bar, y + 18, weights[i].toFixed(2), "start") +
      box(256, y, 112, changed ? 'stroke="var(--wrong)" stroke-width="2.5"' : 'stroke="#888"') +
      text(312, y + 18, outputs[i]) + (changed ? text(406, y + 18, "changed") : "");
  });
  const heads = text(67, 15, "tokens") + text(146, 15, `${tokens[token]} gives`, "start") + text(312, 15, "outputs");
  const dial = !angles ? "" : wide ? clock(530, 24 + 17 * n, 66) : clock(190, below + 98, 66);
  paint(angles && wide ? 670 : 440, angles && !wide ? below + 180 : below, heads + rows.join("") + dial);

  status.textContent = `${order.map(i => tokens[i]).join(" ")}${turn() ? `, query turned back by ${shown.turn}` : ""}: ${tokens[token]} gives ` +
    `${best === token ? "itself" : tokens[best]} the weight ${weights[best].toFixed(2)}, and its output is ${outputs[token]}` +
    (outputs[token] === first[token] ? "." : `. In the first order it is ${first[token]}.`);
  fill(found.map(({ output }, i) => [weights[i], ...output]));
};
