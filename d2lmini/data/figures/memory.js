// A matrix as memory: pairs are written by addition or by the delta rule, and read.
const { names, keys, words } = given, writes = [...given.writes];
choices("rule", "Write", ["by addition", "by the delta rule"]);
const group = make("div", { role: "group", "aria-label": "Write a pair" });
names.forEach((name, i) => words.forEach((word, j) => {
  const button = make("button", { type: "button", "aria-label": `Write ${name} ${word}` }, `${name} ${word}`);
  button.onclick = () => { writes.push([i, j]); draw(); };
  group.append(button);
}));
const back = make("button", { type: "button" }, "Take back"), empty = make("button", { type: "button" }, "Empty");
back.onclick = () => { writes.pop(); draw(); };
empty.onclick = () => { writes.length = 0; draw(); };
controls.append(group, make("div", {}, back, empty));
choices("query", "Ask for", names);
const vector = row => `(${row.map(a => signed(a)).join(", ")})`;

draw = () => {
  const S = keys[0].map(() => words.map(() => 0));
  const read = key => words.map((_, j) => sum(key.map((a, r) => a * S[r][j])));
  let known, wrote;  // under the last key
  for (const [i, word] of writes) {
    known = read(keys[i]);
    wrote = known.map((a, j) => (j === word) - (shown.rule ? a : 0));
    keys[i].forEach((a, r) => wrote.forEach((w, j) => { S[r][j] += a * w; }));
  }
  const key = keys[shown.query], answer = read(key), [left, width, bottom] = [150, 96, 32 + 38 * key.length];
  const cell = (x, y, number, style) => `<rect x="${x}" y="${y}" width="${width - 6}" height="32" rx="5" ${style}/>` +
    text(x + width / 2 - 3, y + 21, signed(number));
  const row = (y, numbers, kind) => numbers.map((a, j) => cell(left + width * j, y, a, kind(a))).join("");
  paint(left + width * words.length + 2, bottom + 56, [
    ...words.map((word, j) => text(left + width * (j + 0.5) - 3, 17, word)),
    text(left - width / 2 - 19, 17, names[shown.query]),
    ...key.map((a, r) => cell(left - width - 16, 26 + 38 * r, a, `fill="var(--query)" fill-opacity="${0.05 + 0.35 * Math.abs(a)}" stroke="var(--query)"`) +
      text(left - 15, 47 + 38 * r, "×") +
      row(26 + 38 * r, S[r], b => `fill="var(--value)" fill-opacity="${Math.min(0.5, 0.25 * Math.abs(b))}" stroke="var(--value)"`)),
    path([[left, bottom], [left + width * words.length - 6, bottom]], ""),
    text(left - 24, bottom + 31, "answer", "end"),
    row(bottom + 10, answer, () => `fill="none" stroke="currentColor"`),
  ].join(""));
  const list = writes.slice(-6).map(([i, j]) => `${names[i]} ${words[j]}`);
  if (writes.length > 6) list.unshift("…");
  const last = writes.length && names[writes.at(-1)[0]];
  status.textContent = (last ? `Written: ${list.join(", ")}. ` + (shown.rule
    ? `Under ${last} stood ${vector(known)}, so the difference ${vector(wrote)} was written last. ` : "")
    : "Nothing is written. ") + `Asked for ${names[shown.query]}, the memory answers ${vector(answer)}.`;
  back.disabled = empty.disabled = !writes.length;
  fill(keys.map(read));
};
