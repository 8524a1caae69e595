// What each token of a sentence may attend to and has to predict, under three masks.
const { tokens, hidden, prefix, token } = given, n = tokens.length, size = 50, left = 60;
choices("mask", "Mask", ["bidirectional", "causal", "prefix"]);
slider("prefix", "Prefix length", range(n).map(i => i + 1), prefix);
choices("token", "Token", tokens, token);
const length = controls.querySelector("input");
const press = i => controls.querySelectorAll("[aria-label='Token'] button")[i].click();
picture.addEventListener("click", event => {
  const row = event.target.closest("[data-row]");
  if (row) press(Number(row.dataset.row));
});
draw = () => {
  const [both, causal] = [shown.mask === 0, shown.mask === 1], first = causal ? 1 : shown.prefix;
  length.disabled = both || causal;
  const names = tokens.map((name, i) => both && i === hidden ? "<mask>" : name);
  const allowed = range(n).map(i => range(n).map(j => both || j < Math.max(first, i + 1)));
  const targets = range(n).map(i => both ? (i === hidden ? tokens[i] : undefined)
    : i >= first - 1 ? tokens[i + 1] : undefined);
  paint(left + size * n + 80, 26 + 36 * n, names.map((name, j) =>
    text(left + size * (j + 0.5), 15, name)).join("") + range(n).map(i => {
    const y = 24 + 36 * i, on = i === shown.token;
    return `<g data-row="${i}" cursor="pointer"${on ? ' font-weight="bold"' : ""}>` +
      `<rect x="0" y="${y}" width="${left + size * n + 80}" height="36" fill-opacity="0"/>` +
      allowed[i].map((free, j) => `<rect x="${left + size * j}" y="${y}" width="${size}" height="36"` +
        ` fill="${free ? "var(--weight)" : "#888"}" fill-opacity="${free ? (on ? 0.6 : 0.25) : 0.1}"` +
        ` stroke="currentColor" stroke-opacity="0.3"/>`).join("") +
      text(left - 8, y + 23, names[i], "end") +
      (targets[i] ? text(left + size * n + 8, y + 23, `→ ${targets[i]}`, "start") : "") + "</g>";
  }).join("") +
    `<rect class="line" x="${left}" y="${24 + 36 * shown.token}" width="${size * n}" height="36"/>`);
  const seen = names.filter((_, j) => allowed[shown.token][j]), target = targets[shown.token];
  const count = targets.filter(Boolean).length;
  status.textContent = `${names[shown.token]} may attend to ` +
    `${seen.length === n ? "all tokens" : seen.join(", ")}, and has to predict ${target || "nothing"}. ` +
    `Of the ${n} tokens ${count} ${count === 1 ? "predicts" : "predict"} something.`;
  table.querySelectorAll("thead th:not(:empty)").forEach((th, j) => { th.textContent = names[j]; });
  table.querySelectorAll("tbody th").forEach((th, i) => { th.textContent = names[i]; });
  fill(allowed.map(row => row.map(Number)));
};
