// The patches of an image: point at a token to see whom it attends to.
const { tokens, pixels, photos, blocks, choice, columns, first, token, block } = given, n = tokens.length;
const size = photos ? Math.min(52, 480 / columns) : 96, [right, down] = photos ? [size, size] : [size + 8, size + 26];
const top = first ? 42 : 2, rows = (n - first) / columns;  // above the patches, <cls>
const bytes = atob(given.weights);  // roots of weights in 255ths
const attended = (i, j) => (bytes.charCodeAt(((shown.image * blocks + shown.block) * n + i) * n + j) / 255) ** 2;
const weights = i => range(n).map(j => attended(i, j));
let picked = token, hovered = null;
choices("image", "Image", (photos || pixels).map((_, i) => i + 1));
choices("block", choice, range(blocks).map(i => i + 1), block);
const place = i => [2 + right * (i % columns), top + down * Math.floor(i / columns)];
const seen = i => photos && i >= first;  // a part of a photograph
paint(right * columns + 4, top + down * rows + 2, tokens.map((name, i) => {
  const [x, y] = i < first ? [2, 2] : place(i - first), [width, height] = i < first ? [96, 26] : [size, size];
  const colors = seen(i) ? 'fill="#000" stroke="#fff"' : 'fill="var(--weight)" stroke="currentColor"';
  return `<g role="button" transform="translate(${x} ${y})"><g fill="currentColor"></g>` +
    `<rect width="${width}" height="${height}" ${colors}/>` +
    (seen(i) ? "" : text(width / 2, i < first ? 18 : size + 16, name)) + "</g>";
}).join(""));
const drawing = picture.firstChild;
drawing.removeAttribute("aria-hidden");
drawing.setAttribute("role", "group");
drawing.setAttribute("aria-label", "Tokens");
const tiles = [...picture.querySelectorAll("g[role]")];
if (photos) tiles[first].insertAdjacentHTML("beforebegin",
  `<image x="2" y="${top}" width="${size * columns}" height="${size * rows}" aria-hidden="true"/>`);
const ring = (color, width) => `<path d="M5 5h${size - 10}v${size - 10}h${10 - size}z" fill="none"` +
  ` stroke="${color}" stroke-width="${width}"/>`;

draw = () => {
  const index = hovered ?? picked, row = weights(index), most = Math.max(...row.slice(first));
  if (photos) drawing.querySelector("image").setAttribute("href", photos[shown.image]);
  tiles.forEach((tile, i) => {
    const [inside, frame, label] = tile.children, weight = row[i].toFixed(2);
    if (seen(i)) {  // the less weight, the darker
      inside.innerHTML = i === index ? ring("#000", 8) + ring("#fff", 4) : "";
      frame.setAttribute("fill-opacity", 0.75 * (1 - row[i] / most));
    } else {
      if (i >= first) {
        const side = Math.sqrt(pixels[0][0].length);
        inside.setAttribute("transform", `scale(${size / side})`);
        inside.innerHTML = pixels[shown.image][i - first].map((value, k) => value ? `<path fill-opacity="${value / 9}"` +
          ` d="M${k % side} ${Math.floor(k / side)}h1v1h-1z"/>` : "").join("");
      }
      frame.setAttribute("fill-opacity", row[i] / 1.6);
      frame.setAttribute("stroke-opacity", i === index ? 1 : 0.4);
      label.textContent = `${tokens[i]} ${weight}`;
      tile.classList.toggle("looking", i === index);
    }
    tile.setAttribute("aria-label", `${tokens[i]}, gets ${weight}`);
    tile.setAttribute("aria-pressed", i === picked);
    tile.setAttribute("tabindex", i === picked ? 0 : -1);
  });
  const order = row.map((weight, i) => [weight, tokens[i]]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const where = blocks > 1 ? `${choice} ${shown.block + 1}: ` : "";
  status.textContent = `${where}${tokens[index]} attends to ` +
    `${order.map(([weight, name]) => `${name} ${weight.toFixed(2)}`).join(", ")}, …`;
  // All weights of the block, or those of one token, where the patches belong in the photograph.
  fill(photos ? range(rows).map(r => row.slice(first + r * columns, first + (r + 1) * columns)) : range(n).map(weights));
  const caption = photos ? `Weights of ${tokens[index]}` : `Image ${shown.image + 1}, ${choice.toLowerCase()} ${shown.block + 1}`;
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
