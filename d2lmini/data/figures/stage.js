// A plane with keys, in which queries are dragged, and the weights that they give.
// `handles` are named vectors. Without `rows` there is one, the query; with `rows` (n, c),
// the vectors of the tokens, they are the rows of a matrix that makes a query of each.
const { tokens, axes, keys, values, handles, rows, token, temperature, presets } = given;
const { target, answers } = given;  // of what can be learned, and whose value is asked for
const low = -3, high = 5, scale = 42, side = scale * (high - low);
const vectors = handles.map(([, vector]) => [...vector]);
const still = matchMedia("(prefers-reduced-motion: reduce)");
let trail = [], timer;

const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
const place = ([x, y]) => [scale * (x - low), scale * (high - y)];
const named = vector => `(${vector.map(x => signed(x).replace(/\.00$/, "")).join(", ")})`;
const exact = vector => `(${vector.map(x => signed(x)).join(", ")})`;
const queries = () => rows
  ? rows.map(row => axes.map((_, i) => sum(row.map((x, c) => x * vectors[c][i])))) : vectors;

function attend(query) {
  const scores = keys.map(key => dot(query, key)), top = Math.max(...scores);
  const masses = scores.map(score => Math.exp((score - top) / temperature));
  const weights = masses.map(mass => mass / sum(masses));
  const mean = of => of[0].map((_, c) => sum(weights.map((w, j) => w * of[j][c])));
  return { scores, weights, output: mean(values), mean };
}

function stop() {
  cancelAnimationFrame(timer);
  clearTimeout(timer);
  learn?.setAttribute("aria-pressed", "false");
  timer = undefined;
}

function glide(to) {  // all handles, in half a second
  stop();
  trail = [];
  const from = vectors.map(vector => [...vector]), begun = performance.now();
  const frame = now => {
    const part = still.matches ? 1 : Math.min(1, (now - begun) / 600), eased = part * part * (3 - 2 * part);
    vectors.forEach((vector, i) => vector.forEach((_, c) => {
      vector[c] = part === 1 ? to[i][c] : from[i][c] + eased * (to[i][c] - from[i][c]);
    }));
    draw();
    timer = part < 1 ? requestAnimationFrame(frame) : undefined;
  };
  frame(begun);
}

if (rows) choices("token", "Who asks", tokens, token);
const buttons = make("div", { role: "group", "aria-label": "Move" });
for (const [name, to] of presets) {
  const button = make("button", { type: "button" }, name);
  button.onclick = () => glide(to);
  buttons.append(button);
}
controls.append(buttons);
let learn;
if (target !== undefined) {
  choices("target", "Learn to find", tokens, target);
  learn = make("button", { type: "button", "aria-pressed": "false" }, "Learn");
  const step = () => {  // of gradient descent on -log of the weight of the target
    const { weights, mean } = attend(vectors[0]), wrong = mean(keys);
    trail.push([...vectors[0]]);
    vectors[0].forEach((_, c) => {
      vectors[0][c] += given.rate * (keys[shown.target][c] - wrong[c]) / temperature;
    });
  };
  learn.onclick = () => {
    if (timer) return stop();
    trail = [];
    let left = given.steps;
    learn.setAttribute("aria-pressed", "true");
    const next = () => {
      step();
      left -= 1;
      draw();
      if (left) timer = setTimeout(next, 70);
      else stop();
    };
    if (!still.matches) return next();
    while (left--) step();
    draw();
    stop();
  };
  controls.lastElementChild.append(learn);
}
if (answers) choices("answer", "In the sentence is", answers.map(([name]) => `a ${name}`));

// The handles lie above the picture, and stay while it is painted anew.
const board = make("div", { class: "board" }), size = {};
picture.replaceWith(board);
board.append(picture);
const grips = handles.map(([name], i) => {
  const grip = make("button", { type: "button", class: "grip" });
  const move = (x, y) => {
    const inside = z => Math.min(high, Math.max(low, z));
    trail = [];
    vectors[i] = [inside(x), inside(y)];
    draw();
  };
  grip.addEventListener("pointerdown", event => {
    stop();
    grip.setPointerCapture(event.pointerId);
  });
  grip.addEventListener("pointermove", event => {
    if (!grip.hasPointerCapture(event.pointerId)) return;
    const box = picture.getBoundingClientRect(), unit = scale * box.width / size.width;
    const [x, y] = [event.clientX - box.x, event.clientY - box.y].map(z => z / unit);
    move(Math.round(20 * (x + low)) / 20, Math.round(20 * (high - y)) / 20);
  });
  grip.addEventListener("keydown", event => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    stop();
    const step = event.shiftKey ? 1 : 0.1;
    move(...vectors[i].map((z, c) => Math.round(10 * (z + step * by[c])) / 10));
  });
  board.append(grip);
  return grip;
});

const arrow = (from, to, style) => {
  const [a, b] = [place(from), place(to)], length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (length < 6) return "";
  const [u, v] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const tip = [[-11, -6], [0, 0], [-11, 6]].map(([p, q]) => [b[0] + p * u - q * v, b[1] + p * v + q * u]);
  return `<g ${style}>${path([a, b], "query")}${path(tip, "query")}</g>`;
};

draw = () => {
  const all = queries(), mine = rows ? shown.token : 0, query = all[mine];
  const names = answers ? tokens.map((name, j) => j === given.swapped ? answers[shown.answer][0] : name) : tokens;
  const { weights, output, mean } = attend(query), narrow = root.clientWidth < 560;
  const [left, top] = narrow ? [0, side + 16] : [side + 24, 20], row = 30, length = narrow ? 150 : 130;
  size.width = narrow ? side : left + 64 + 36 + length + 34;
  size.height = Math.max(narrow ? 0 : side, top + row * tokens.length + (answers ? 96 : 36));
  const groups = new Map();  // of tokens with the same key
  keys.forEach((key, j) => groups.set(`${key}`, [...groups.get(`${key}`) ?? [], j]));
  const [x0, y0] = place([0, 0]), end = place(output);
  const inside = ([x, y]) => [x, y].map(z => Math.min(high, Math.max(low, z)));
  const grid = range(high - low - 1).map(k => k + low + 1);
  const parts = [
    `<rect class="line faint" x="0.5" y="0.5" width="${side - 1}" height="${side - 1}"/>`,
    path([[0, y0], [side, y0]], "faint"), path([[x0, 0], [x0, side]], "faint"),
    `<g opacity="0.6">`, ...grid.flatMap(k => [
      text(place([k, 0])[0], side - 8, signed(k, 0)), text(20, place([0, k])[1] + 5, signed(k, 0), "end"),
    ]), "</g>",
    text(side - 8, y0 - 8, axes[0], "end"), text(x0 + 8, 18, axes[1], "start"),
    ...trail.map(point => {
      const [x, y] = place(inside(point));
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="var(--query)" fill-opacity="0.55"/>`;
    }),
    ...values.map((value, j) => {  // threads: what each value adds
      const [a, b] = [place(value), end];
      return weights[j] < 0.005 ? "" : `<path d="M${a.map(z => z.toFixed(1))}L${b.map(z => z.toFixed(1))}"` +
        ` stroke="var(--weight)" stroke-linecap="round" stroke-opacity="0.75" stroke-width="${(12 * weights[j]).toFixed(1)}"/>`;
    }),
    ...[...groups.values()].map(group => {
      const [x, y] = place(keys[group[0]]), label = group.map(j => names[j]).join(", ");
      return `<rect x="${x - 6}" y="${y - 6}" width="12" height="12" rx="2" fill="var(--key)"/>` +
        (keys[group[0]][1] ? text(x + 13, y - 8, label, "start")
          : keys[group[0]][0] ? text(x, y + 36, label) : text(x - 10, y + 22, label, "end"));
    }),
    ...all.map((each, i) => i === mine ? "" : arrow([0, 0], inside(each), 'opacity="0.3"')),
    arrow([0, 0], inside(query), ""),
    `<circle cx="${end[0].toFixed(1)}" cy="${end[1].toFixed(1)}" r="8" class="line" style="fill: var(--paper, #fff)"/>`,
    text(end[0], end[1] - 26, "output"),
    ...names.map((name, j) => {
      const y = top + row * j, wide = length * weights[j];
      return text(left + 72, y + 17, name, "end") +
        `<rect class="weight" x="${left + 80}" y="${y + 2}" width="${wide.toFixed(1)}" height="20"/>` +
        text(left + 86 + wide, y + 17, weights[j].toFixed(2), "start");
    }),
  ];
  const below = top + row * tokens.length + 24;
  const who = answers && mean(keys.map((_, j) => j === given.swapped ? answers[shown.answer][1] : answers[0][1].map(() => 0)));
  parts.push(text(left + 72, below, "output", "end"), text(left + 80, below, exact(output), "start"));
  if (who) {
    answers.forEach(([name], c) => {
      parts.push(text(left + 72, below + 30 * (c + 1), `a ${name}?`, "end"),
        `<rect x="${left + 80}" y="${below - 15 + 30 * (c + 1)}" width="${(length * who[c]).toFixed(1)}" height="20" fill="var(--value)"/>`,
        text(left + 86 + length * who[c], below + 30 * (c + 1), who[c].toFixed(2), "start"));
    });
  }
  paint(size.width, size.height, parts.join(""));
  grips.forEach((grip, i) => {
    const [x, y] = place(inside(vectors[i]));
    grip.style.left = `${100 * x / size.width}%`;
    grip.style.top = `${100 * y / size.height}%`;
    grip.textContent = rows ? String(i + 1) : "";
    grip.setAttribute("aria-label", `${handles[i][0]} ${named(vectors[i])}, to be moved by the arrow keys`);
  });
  const order = weights.map((weight, j) => [weight, names[j]]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const product = () => rows[mine].map((x, c) => `${signed(x, 0)} × ${named(vectors[c])}`).join(" + ");
  status.textContent = (rows ? `${names[mine]} asks ${product()} = ${named(query)}: ` : `The query is ${named(query)}: `) +
    order.map(([weight, name]) => `${weight.toFixed(2)} ${name}`).join(" + ") + ` + … = ${exact(output)}.` +
    (who ? ` With the values ${answers.map(([name]) => name).join(" and ")}: ${answers.map(([name], c) => `${name} ${who[c].toFixed(2)}`).join(", ")}.` : "");
  fill(rows ? all.map(each => attend(each).weights) : tokens.map((_, j) => [dot(query, keys[j]), weights[j]]));
};
