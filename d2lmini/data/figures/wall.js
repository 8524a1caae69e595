// All heads of a model as small maps of their weights, one of which is open.
const { tokens, shape: [layers, heads], query, key } = given, n = tokens.length;
const bytes = atob(given.weights), size = n * (n + 1) / 2, all = range(layers * heads);
const weight = (head, i, j) => bytes.charCodeAt(head * size + i * (i + 1) / 2 + j) / 255;
const row = head => range(query + 1).map(j => weight(head, query, j));
const found = range(query + 1).map(j => all.filter(head => weight(head, query, j) > 0.5));
const mean = range(query + 1).map(j => sum(all.map(head => weight(head, query, j))) / all.length);
const name = head => [Math.floor(head / heads) + 1, head % heads + 1];
const narrow = matchMedia("(max-width: 600px)"), asks = `“${tokens[query]}”`;
let open = given.layer * heads + given.head, filtered = 0;

choices("word", `Only heads in which ${asks} gives more than 0.5 to`, ["All heads", ...tokens.slice(0, query + 1)]);
const everything = controls.querySelector("button");
everything.setAttribute("aria-label", "All heads");
everything.parentElement.prepend(everything);
const count = make("p", { "aria-live": "polite" }), wall = make("div", { class: "wall" });
const steps = make("div", { class: "dials" }), map = make("div");
picture.replaceWith(count, wall, steps, map);

function button(label, content, go) {
  const made = make("button", { type: "button", "aria-label": label }, content);
  made.onclick = () => pick(go());
  return made;
}
const places = ["Layer", "Head"].map((kind, k) => {
  const step = k ? 1 : heads, place = make("output");
  place.style.minWidth = "1.6em";
  place.style.textAlign = "center";
  const [less, more] = [["Previous", "−", -step], ["Next", "+", step]].map(([which, sign, by]) =>
    button(`${which} ${kind.toLowerCase()}`, sign, () => open + by));
  steps.append(make("div", { role: "group", "aria-label": kind }, `${kind} `, less, place, more));
  return { less, place, more, last: k ? heads : layers };
});
const next = button("Open the next of these heads", "Next of these", () =>
  found[shown.word - 1].find(head => head > open) ?? found[shown.word - 1][0]);
steps.append(next);

function lay() {  // a column for each layer, on a phone in two bands
  const bands = narrow.matches ? 2 : 1, across = Math.ceil(layers / bands), width = narrow.matches ? 358 : 736;
  const pitch = Math.min(48, (width - 22) / across), unit = pitch / (n + 1), band = 24 + pitch * heads;
  const label = (x, y, number) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle">${number}</text>`;
  const ground = `M0 0${range(n).map(i => `H${i + 1}V${i + 1}`).join("")}H0z`;
  const rows = range(bands * heads).map(r => {
    const first = Math.floor(r / heads) * across, top = Math.floor(r / heads) * (band + 6) + 24 + pitch * (r % heads);
    const cells = range(Math.min(across, layers - first)).map(x => {
      const head = (first + x) * heads + r % heads, shades = range(9).map(() => "");
      for (const i of range(n)) for (const j of range(i + 1)) shades[Math.round(8 * weight(head, i, j))] += `M${j} ${i + 0.5}h1`;
      return `<g role="gridcell" data-head="${head}" aria-label="layer ${first + x + 1}, head ${r % heads + 1}"` +
        ` transform="translate(${(22 + pitch * x).toFixed(2)} ${top.toFixed(2)})">` +
        `<rect width="${(pitch - 1).toFixed(2)}" height="${(pitch - 1).toFixed(2)}" rx="2" fill="transparent"/>` +
        `<g transform="translate(${(unit * 0.45).toFixed(2)} ${(unit * 0.45).toFixed(2)}) scale(${unit.toFixed(3)})">` +
        `<path class="ground" d="${ground}"/>` +
        shades.map((d, shade) => shade && d ? `<path stroke-opacity="${shade / 8}" d="${d}"/>` : "").join("") + "</g></g>";
    });
    const numbers = r % heads ? "" : range(cells.length).map(x =>
      label(22 + pitch * (x + 0.5), top - 7, first + x + 1)).join("");
    return numbers + label(9, top + pitch / 2 + 5, r % heads + 1) + `<g role="row">${cells.join("")}</g>`;
  });
  const height = bands * (band + 6);
  wall.innerHTML = `<svg width="${width}" height="${height.toFixed(0)}" viewBox="0 0 ${width} ${height.toFixed(0)}" font-size="13"` +
    ` role="grid" aria-label="Heads: a column for each layer">${rows.join("")}</svg>`;
  wall.querySelectorAll("text").forEach(each => each.setAttribute("aria-hidden", "true"));
}

function enlarge() {  // the open map, and the weights of the query as bars
  const wide = !narrow.matches, width = wide ? 736 : 358, side = wide ? 52 : 41, high = 28, left = 66;
  const across = side * n, start = wide ? left + across + 10 : 0, top = wide ? 26 : 46 + high * n;
  const cells = range(n).flatMap(i => range(i + 1).map(j =>
    `<rect x="${left + side * j}" y="${26 + high * i}" width="${side}" height="${high}" fill="var(--weight)"` +
    ` fill-opacity="${(0.85 * weight(open, i, j)).toFixed(3)}" stroke="currentColor" stroke-opacity="0.25"/>`));
  const room = width - start - left - 50, bars = row(open).map((value, j) => {
    const y = top + high * j, length = room * value, x = start + left;
    return text(x - 8, y + 19, tokens[j], "end") + text(x + length + 8, y + 19, value.toFixed(2), "start") +
      `<rect x="${x}" y="${y + 5}" width="${length.toFixed(1)}" height="18" class="weight"/>`;
  });
  const height = top + Math.max(wide ? high * n : 0, high * (query + 1)) + 4;
  map.innerHTML = `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="14" aria-hidden="true">` +
    tokens.map((token, i) => text(left - 8, 45 + high * i, token, "end") +
      text(left + side * i + 5, 18 + high * i, token, "start")).join("") + cells.join("") + bars.join("") +
    `<rect class="line" x="${left}" y="${26 + high * query}" width="${side * (query + 1)}" height="${high}"/></svg>`;
}

function pick(head, focus) {
  if (!(head in all)) return;
  open = head;
  draw();
  if (focus) wall.querySelector(".looking").focus();
}

draw = () => {
  const these = shown.word ? found[shown.word - 1] : all;
  if (filtered !== shown.word && these.length && !these.includes(open)) open = these[0];
  filtered = shown.word;
  wall.querySelectorAll("[data-head]").forEach(cell => {
    const head = Number(cell.dataset.head), here = head === open;
    cell.classList.toggle("looking", here);
    cell.classList.toggle("dim", !these.includes(head));
    cell.setAttribute("aria-selected", here);
    cell.setAttribute("tabindex", here ? 0 : -1);
  });
  enlarge();
  const [layer, number] = name(open), weights = row(open), most = Math.max(...weights), j = weights.indexOf(most);
  status.textContent = `Layer ${layer}, head ${number} (${layer}.${number}): ${asks} looks ${most > 0.5 ? "at" : "most at"} ` +
    `${j === query ? "itself" : tokens[j]} with ${most.toFixed(2)}.`;
  const others = range(query + 1).filter(k => k !== shown.word - 1).map(k => `${tokens[k]} ${found[k].length}`);
  count.textContent = shown.word
    ? `In ${these.length} of ${all.length} heads ${asks} gives ${tokens[shown.word - 1]} more than 0.5. Compare: ${others.join(", ")}.`
    : `${layers} layers from left to right, with ${heads} heads each. In each small map, row ${query + 1} is ${asks}, and column ${key + 1} is ${tokens[key]}.`;
  next.disabled = !shown.word || !these.some(head => head !== open);
  places.forEach(({ less, place, more, last }, k) => {
    place.textContent = [layer, number][k];
    less.disabled = [layer, number][k] === 1;
    more.disabled = [layer, number][k] === last;
  });
  table.querySelector("tbody th").textContent = `open: ${layer}.${number}`;
  fill([weights, ...found[key].map(row), mean]);
};

wall.onclick = event => {
  const cell = event.target.closest("[data-head]");
  if (cell) pick(Number(cell.dataset.head));
};
wall.onkeydown = event => {
  const number = open % heads, moves = {
    ArrowRight: open + heads, ArrowLeft: open - heads, Home: number, End: (layers - 1) * heads + number,
    ArrowDown: number + 1 < heads ? open + 1 : -1, ArrowUp: number ? open - 1 : -1,
  };
  if (!(event.key in moves)) return;
  pick(moves[event.key], true);
  event.preventDefault();
};
narrow.onchange = () => { lay(); draw(); };
lay();
