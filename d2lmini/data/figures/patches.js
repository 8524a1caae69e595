// The patches of an image: point at a token to see whom it attends to.
const { tokens, pixels, photos, weights, columns, first, token, block } = given;  // weights in percent
const size = photos ? 52 : 96, [right, down] = photos ? [size, size] : [size + 8, size + 26];
const top = first ? 42 : 2, rows = (tokens.length - first) / columns;  // above the patches, <cls>
let picked = token, hovered = null;
choices("image", "Image", (photos || pixels).map((_, i) => i + 1));
choices("block", "Block", weights[0].map((_, i) => i + 1), block);
const place = i => [2 + right * (i % columns), top + down * Math.floor(i / columns)];
paint(right * columns + 4, top + down * rows + 2, tokens.map((name, i) => {
  const [x, y] = i < first ? [2, 2] : place(i - first), height = i < first ? 26 : size;
  const colors = `fill="${photos ? "#000" : "var(--weight)"}" stroke="${photos ? "#fff" : "currentColor"}"`;
  return `<g role="button" transform="translate(${x} ${y})"><g fill="currentColor"></g>` +
    `<rect width="${size}" height="${height}" ${colors}/>` +
    (photos ? "" : text(size / 2, i < first ? 18 : size + 16, name)) + "</g>";
}).join(""));
const drawing = picture.firstChild;
drawing.removeAttribute("aria-hidden");
drawing.setAttribute("role", "group");
drawing.setAttribute("aria-label", "Tokens");
const tiles = [...picture.querySelectorAll("g[role]")];
if (photos) tiles[0].insertAdjacentHTML("beforebegin",
  `<image x="2" y="${top}" width="${size * columns}" height="${size * rows}" aria-hidden="true"/>`);
const ring = (color, width) => `<path d="M5 5h${size - 10}v${size - 10}h${10 - size}z" fill="none"` +
  ` stroke="${color}" stroke-width="${width}"/>`;

draw = () => {
  const matrix = weights[shown.image][shown.block], index = hovered ?? picked, row = matrix[index];
  const most = Math.max(...row);
  if (photos) drawing.querySelector("image").setAttribute("href", photos[shown.image]);
  tiles.forEach((tile, i) => {
    const [inside, frame, label] = tile.children, weight = (row[i] / 100).toFixed(2);
    if (photos) {  // the less weight, the darker
      inside.innerHTML = i === index ? ring("#000", 8) + ring("#fff", 4) : "";
      frame.setAttribute("fill-opacity", 0.75 * (1 - row[i] / most));
    } else {
      if (i >= first) {
        const side = Math.sqrt(pixels[0][0].length);
        inside.setAttribute("transform", `scale(${size / side})`);
        inside.innerHTML = pixels[shown.image][i - first].map((value, k) => value ? `<path fill-opacity="${value / 9}"` +
          ` d="M${k % side} ${Math.floor(k / side)}h1v1h-1z"/>` : "").join("");
      }
      frame.setAttribute("fill-opacity", row[i] / 160);
      frame.setAttribute("stroke-opacity", i === index ? 1 : 0.4);
      label.textContent = `${tokens[i]} ${weight}`;
      tile.classList.toggle("looking", i === index);
    }
    tile.setAttribute("aria-label", `${tokens[i]}, gets ${weight}`);
    tile.setAttribute("aria-pressed", i === picked);
    tile.setAttribute("tabindex", i === picked ? 0 : -1);
  });
  const order = row.map((weight, i) => [weight, tokens[i]]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const where = weights[0].length > 1 ? `Block ${shown.block + 1}: ` : "";
  status.textContent = `${where}${tokens[index]} attends to ` +
    `${order.map(([weight, name]) => `${name} ${(weight / 100).toFixed(2)}`).join(", ")}, …`;
  // All weights of the block, or those of one patch, where they belong in the image.
  const numbers = first ? matrix : range(rows).map(r => row.slice(r * columns, (r + 1) * columns));
  fill(numbers.map(row => row.map(weight => weight / 100)));
  const caption = first ? `Image ${shown.image + 1}, block ${shown.block + 1}` : `Weights of ${tokens[index]}`;
  table.querySelector("summary").textContent = `${caption}: table`;
  table.querySelector("table").setAttribute("aria-label", caption);
};

const pick = i => { [picked, hovered] = [i, null]; draw(); };
tiles.forEach((tile, i) => {
  tile.onpointermove = event => {
    const moved = event.movementX || event.movementY;  // by hand, not by a scrolling page
    if (event.pointerType !== "mouse" || !moved || hovered === i) return;
    hovered = i;
    draw();
  };
  tile.onclick = () => pick(i);
  tile.onfocus = () => { if (tile.matches(":focus-visible")) pick(i); };
  tile.onkeydown = event => {
    const next = {
      ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: tiles.length - 1,
      ArrowUp: i < first + columns ? first - 1 : i - columns, ArrowDown: i < first ? first : i + columns,
    }[event.key];
    if (event.key === "Enter" || event.key === " ") pick(i);
    else if (next !== undefined) tiles[next]?.focus();
    else return;
    event.preventDefault();
  };
});
picture.onpointerleave = () => { hovered = null; draw(); };
