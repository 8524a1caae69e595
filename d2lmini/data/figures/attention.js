// Lines from queries to keys for one head, drawn into the picture that is there.
const { weights, rows, columns } = given;  // of each text, in percent: [block][head][row][column]
const lines = picture.querySelector(".lines");
const sides = [".query-token", ".key-token"].map(side => [...picture.querySelectorAll(side)]);
const labels = [...picture.querySelectorAll("[font-style]")].map(label => label.textContent);
let text = null, names, picked, hovered;  // [side, index]
choices("text", "Sentence", weights.map((_, i) => i + 1));
choices("block", "Block", weights[0].map((_, i) => i + 1), given.block);
choices("head", "Head", given.heads, given.head);
picture.setAttribute("role", "group");
picture.setAttribute("aria-label", "Tokens");

function line(i, j, weight) {
  const [a, b] = [sides[0][i], sides[1][j]].map(g => g.transform.baseVal[0].matrix);
  return `<path d="M${a.e} ${a.f}L${b.e} ${b.f}" stroke-opacity="${weight / 100}"` +
    ` stroke-width="${1 + 0.03 * weight}"/>`;
}

function sentence(side, name, row) {
  const order = row.map((weight, k) => [weight, names[1 - side][k]])
    .filter(([weight]) => weight).sort((a, b) => b[0] - a[0]);
  const list = order.map(([weight, other]) => `${other} ${(weight / 100).toFixed(2)}`);
  if (list.length > 6) list.splice(5, list.length, `and ${list.length - 5} more`);
  return `${name} ${side ? "is attended to by" : "attends to"} ` +
    (list.join(", ") || (side ? "no token" : "nothing"));
}

function lay() {  // the tokens of the chosen text, and an empty table
  names = [rows[shown.text], columns[shown.text]];
  sides.forEach((tokens, s) => {
    while (tokens.length > names[s].length) tokens.pop().remove();
    while (tokens.length < names[s].length) {
      const token = tokens[0].cloneNode(true), { e, f } = tokens[0].transform.baseVal[0].matrix;
      token.setAttribute("transform", `translate(${e} ${f + 28 * tokens.length})`);
      tokens.at(-1).after(token);
      tokens.push(token);
    }
    tokens.forEach((token, k) => listen(token, s, k));
  });
  const width = picture.getAttribute("width"), height = 28 * Math.max(...names.map(side => side.length)) + 36;
  picture.setAttribute("height", height);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const cells = (tag, scope, list) => list.map(name => make(tag, { scope }, name));
  table.querySelector("thead").replaceChildren(
    make("tr", {}, make("td"), ...cells("th", "col", names[1])));
  table.querySelector("tbody").replaceChildren(...names[0].map(name =>
    make("tr", {}, ...cells("th", "row", [name]), ...names[1].map(() => make("td")))));
}

draw = () => {
  if (text !== shown.text) {
    text = shown.text;
    lay();
    const first = names[0].indexOf(given.query);
    first < 0 ? pick() : pick(0, first);
    return;
  }
  const matrix = weights[text][shown.block][shown.head], [side, index] = hovered || picked || [];
  const row = side === 1 ? matrix.map(row => row[index]) : matrix[index];
  lines.innerHTML = matrix.flatMap((row, i) => row.map((weight, j) =>
    weight && (side === undefined || index === [i, j][side]) ? line(i, j, weight) : ""
  )).join("");
  sides.forEach((tokens, s) => tokens.forEach((token, k) => {
    const [box, label] = token.children, other = side === 1 - s;
    const name = names[s][k], weight = other && row[k] ? (row[k] / 100).toFixed(2) : "";
    box.setAttribute("fill-opacity", other ? row[k] / 200 : 0);
    label.textContent = !weight ? name : s ? `${name} ${weight}` : `${weight} ${name}`;
    token.classList.toggle("looking", side === s && index === k);
    token.setAttribute("aria-label", `${label.textContent}, ${labels[s]}`);
    token.setAttribute("aria-pressed", String(picked) === String([s, k]));
  }));
  status.textContent = side === undefined
    ? "Point at a token, tap it, or reach it with Tab and the arrow keys."
    : sentence(side, names[side][index], row);
  fill(matrix.map(row => row.map(weight => weight / 100)));
  const parts = [["sentence", text, weights.map((_, i) => i + 1)],
    ["block", shown.block, weights[0].map((_, i) => i + 1)], ["head", shown.head, given.heads]];
  const caption = [given.title, ...parts.flatMap(([kind, i, all]) =>
    all.length > 1 ? [`${kind} ${all[i]}`] : [])].join(", ");
  table.querySelector("summary").textContent = `${caption}: table`;
  table.querySelector("table").setAttribute("aria-label", caption);
};

function pick(side, index) {
  picked = side === undefined ? null : [side, index];
  hovered = null;
  sides.flat().forEach(token => token.setAttribute("tabindex", -1));
  (sides[side] || sides[0])[index || 0].setAttribute("tabindex", 0);
  draw();
}

function listen(token, s, k) {
  token.setAttribute("role", "button");
  token.onpointermove = event => {
    const moved = event.movementX || event.movementY;  // by hand, not by a scrolling page
    if (event.pointerType !== "mouse" || !moved || String(hovered) === String([s, k])) return;
    hovered = [s, k];
    draw();
  };
  token.onclick = event => {
    event.stopPropagation();
    String(picked) === String([s, k]) ? pick() : pick(s, k);
  };
  token.onfocus = () => { if (token.matches(":focus-visible")) pick(s, k); };
  token.onkeydown = event => {
    const tokens = sides[s], size = tokens.length, there = sides[1 - s];
    const next = {
      ArrowDown: tokens[(k + 1) % size], ArrowUp: tokens[(k + size - 1) % size],
      Home: tokens[0], End: tokens[size - 1],
      [s ? "ArrowLeft" : "ArrowRight"]: there[Math.min(k, there.length - 1)],
    }[event.key];
    if (event.key === "Escape") pick();
    else if (event.key === "Enter" || event.key === " ") token.dispatchEvent(new Event("click"));
    else if (next) next.focus();
    else return;
    event.preventDefault();
  };
}
picture.onclick = () => pick();
picture.onpointerleave = () => { hovered = null; draw(); };
