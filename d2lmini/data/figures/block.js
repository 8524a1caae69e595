// One block of a Transformer for one token at a time, from step to step.
const { tokens, columns, names, numbers, weights, token } = given;
shown.step = 0;
choices("token", "Token", tokens, token);
const steps = make("div", { role: "group", "aria-label": "Steps" });
const [back, next] = [["Back", -1], ["Next", 1]].map(([label, by]) => {
  const button = make("button", { type: "button" }, label);
  button.onclick = () => {
    shown.step = Math.min(names.length - 1, Math.max(0, shown.step + by));
    draw();
  };
  steps.append(button);
  return button;
});
controls.append(steps);

function list(row) {  // what is not zero
  const parts = row.map((a, j) => [signed(a), columns[j]]).filter(([a]) => Number(a.replace("−", "-")));
  return parts.map(([a, name]) => `${name} ${a}`).join(", ") || "zeros";
}

draw = () => {
  const mine = numbers[shown.token], name = tokens[shown.token], attended = weights[shown.token];
  const [left, width] = [128, 288], cell = width / columns.length;
  const strip = (y, row, fill, on, digits) => row.map((a, j) => {
    const size = width / row.length, opacity = Math.min(0.65, 0.2 * Math.abs(a) * (fill ? 3 : 1));
    return `<rect x="${left + size * j}" y="${y}" width="${size}" height="26" stroke="currentColor"` +
      ` stroke-opacity="${on ? 0.4 : 0.15}" fill="${fill || (a < 0 ? "#b5402f" : "var(--plain, #0f8f9b)")}"` +
      ` fill-opacity="${on ? opacity : 0}"/>` + (on ? text(left + size * (j + 0.5), y + 18, digits(a)) : "");
  }).join("");
  const places = [22, 114, 158, 202, 246];
  const rows = names.map((label, i) => {
    const on = i <= shown.step, mark = i === shown.step ? ` font-weight="bold"` : on ? "" : ` opacity="0.6"`;
    return `<g${mark}>${text(left - 10, places[i] + 18, label, "end")}</g>` + strip(places[i], mine[i], "", on, signed);
  });
  const on = shown.step > 0, each = width / tokens.length;
  rows.push(`<g font-size="12"${on ? "" : ` opacity="0.6"`}>` +
    tokens.map((other, k) => text(left + each * (k + 0.5), 66, other)).join("") + "</g>",
    `<g${shown.step === 1 ? ` font-weight="bold"` : ""}>${text(left - 10, 90, "weights", "end")}</g>`,
    strip(72, attended, "var(--weight, #7f45f0)", on, a => a.toFixed(2)));
  paint(left + width + 4, 276, columns.map((column, j) =>
    text(left + cell * (j + 0.5), 14, column)).join("") + rows.join(""));
  const strongest = attended.map((weight, k) => [weight, tokens[k]]).filter(([weight]) => weight >= 0.005)
    .sort((a, b) => b[0] - a[0]).map(([weight, other]) => `${other} ${weight.toFixed(2)}`);
  if (strongest.length > 3) strongest.splice(3, strongest.length, "…");
  status.textContent = `Step ${shown.step + 1} of 5. ` + [
    `${name} enters as a row of ${columns.length} numbers: ${list(mine[0])}.`,
    `Self-attention: ${name} attends to ${strongest.join(", ")} and gets ${list(mine[1])}.`,
    `What was found is added to the row of ${name}: ${list(mine[2])}.`,
    `Feed-forward: it reads the row of ${name} alone and writes ${list(mine[3])}.`,
    `This is added, too: the row of ${name} in the output of the block is ${list(mine[4])}.`,
  ][shown.step];
  back.disabled = !shown.step;
  next.disabled = shown.step === names.length - 1;
  fill(mine);
};
