// Two recurrent translators: one state that each word overwrites, beside states that stay.
const { sentences } = given, kinds = ["one vector", "attention"];
const told = [["One vector", "keeps the last state"], ["Attention", "keeps all states"]];
const width = 460, lefts = [30, 280], strips = 150, knots = [14, 446], margins = [8, 240], row = 24, top = 46;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const home = document.documentElement.dataset.content_root;  // of a page of the book
let race, family, length, step, total, timer, moves = false, started = false, models;
choices("family", "Sentence", sentences.map(({ name }) => name));
const group = (label, ...buttons) => controls.append(make("div", { role: "group", "aria-label": label }, ...buttons));
const button = (name, action) => {
  const made = make("button", { type: "button" }, name);
  made.onclick = action;
  return made;
};
const longer = button("Longer", () => pick(length + 1, true));
const shorter = button("Shorter", () => race.own ? own(race.source.slice(0, -3)) : pick(length - 1, true));
const back = button("Back", () => go(step - 1));
const next = button("Next word", () => go(step + 1, true));
const play = button("Play", () => timer ? stop() : start());
group("Length of the sentence", shorter, longer);
group("Steps", back, next, play);
picture.className = "d2l-race";
if (home !== undefined) offer();

// Bytes of base64, a state of 128 numbers after the other
function states(text) {
  const bytes = Int8Array.from(atob(text), letter => letter.charCodeAt());
  return range(bytes.length / 128).map(i => Array.from(bytes.subarray(128 * i, 128 * i + 128), z => z / 127));
}

function pick(index, moving) {
  length = index;
  const found = sentences[family].steps[index];
  const traces = kinds.map(kind => ({
    target: found[kind].target, states: states(found[kind].states),
    weights: (found[kind].weights || []).map(row => row.map(percent => percent / 100)),
  }));
  lay({ ...found, traces }, moving);
}

function lay(found, moving) {
  stop();
  started = true;
  race = found;
  race.written = race.traces.map(({ target }) => target.filter(token => token !== "<eos>"));
  total = race.source.length + Math.max(...race.written.map(words => words.length));
  moves = false;
  if (!moving || still) return go(moving ? total : total - 1);
  step = 0;
  start();
}

function go(wanted, moving = false) {
  if (!timer || !moving) stop();
  moves = moving;
  step = Math.max(0, Math.min(total, wanted));
  draw();
  moves = false;
}

function start() {
  stop();
  play.textContent = "Pause";
  timer = setInterval(() => { step < total ? go(step + 1, true) : stop(); }, 600);
  go(step < total ? step + 1 : 0, true);
}

function stop() {
  clearInterval(timer);
  timer = undefined;
  play.textContent = "Play";
}

const canvas = make("canvas", { width: 64, height: 2 }), pen = canvas.getContext("2d");
function strip(k, state, i, kind = "") {  // 128 cells in two rows, the colour is the sign
  pen.clearRect(0, 0, 64, 2);
  state.forEach((z, j) => {
    pen.fillStyle = `rgba(${z < 0 ? "15,143,155" : "181,64,47"},${Math.min(1, Math.abs(z))})`;
    pen.fillRect(j % 64, Math.floor(j / 64), 1, 1);
  });
  return `<image x="${lefts[k]}" y="${top + row * i}" width="${strips}" height="18" class="${kind}"` +
    ` preserveAspectRatio="none" href="${canvas.toDataURL()}"/>`;
}

// The words that both have in their order; the others are wrong, or missing before a word.
function compare(words, wanted) {
  const best = range(words.length + 1).map(() => range(wanted.length + 1).map(() => []));
  words.forEach((a, i) => wanted.forEach((b, j) => {
    const [one, two] = [best[i + 1][j], best[i][j + 1]];
    best[i + 1][j + 1] = a === b ? [...best[i][j], [i, j]] : one.length > two.length ? one : two;
  }));
  const same = new Map(best[words.length][wanted.length]);
  const missing = new Set();
  let i = 0, j = 0;
  for (const [a, b] of [...same, [words.length, wanted.length]]) {
    if (b > j && a === i) missing.add(a);
    [i, j] = [a + 1, b + 1];
  }
  return { wrong: new Set(range(words.length).filter(k => !same.has(k))), missing };
}

function panel(k, places) {
  const { source, reference } = race, m = source.length, { states, weights } = race.traces[k];
  const left = lefts[k], knot = knots[k], read = Math.min(step, m), done = step === total;
  const words = race.written[k], count = Math.max(0, Math.min(step - m, words.length));
  const now = !done && count === step - m ? count - 1 : -1;
  const parts = told[k].map((line, i) => styled(margins[k], 15 + 19 * i, line, "start", i ? "" : 'font-weight="600"'));
  source.forEach((_, i) => {
    const y = top + row * i, frame = style =>
      `<rect x="${left}" y="${y}" width="${strips}" height="18" fill="none" stroke="currentColor" ${style}/>`;
    if (k ? i >= read : i !== read - 1) {
      parts.push(frame('stroke-opacity="0.35" stroke-dasharray="3 4"'));
      return;
    }
    const fresh = moves && i === step - 1, over = fresh && !k && i;
    const inside = strip(k, states[i], i, fresh ? "arrive" : "") + frame('stroke-opacity="0.6"');
    parts.push(over ? `<g class="slide">${strip(k, states[i - 1], i, "leave")}${inside}</g>` : inside);
  });
  const middle = top + row * m + 6, flow = moves ? "flow" : "", kind = `${k ? "choice" : "whole"} ${flow}`;
  if (now >= 0) {
    const share = k ? weights[now] : source.map((_, i) => Number(i === m - 1)), edge = k ? left + strips + 2 : left - 2;
    share.forEach((weight, i) => {
      if (weight < 0.02) return;
      const y = top + row * i + 9, style = k ? `stroke-opacity="${Math.min(1, 0.2 + weight)}" stroke-width="${1 + 5 * weight}"` : "";
      parts.push(`<path pathLength="1" class="${kind}" ${style} d="M${edge} ${y}C${knot} ${y} ${knot} ${y} ${knot} ${middle}"/>`);
    });
    const [x, y, wide] = places[now], to = x + wide / 2;
    parts.push(`<path pathLength="1" class="${kind}" stroke-width="2" d="M${knot} ${middle}C${knot} ${middle + 26} ${to} ${y - 46} ${to} ${y - 16}"/>`);
  }
  const { wrong, missing } = done && reference ? compare(words, reference.split(" ")) : { wrong: new Set(), missing: new Set() };
  words.slice(0, count).forEach((word, i) => {
    const [x, y] = places[i], kinds = `class="${wrong.has(i) ? "wrong " : ""}${moves && i === now ? "arrive" : ""}"`;
    parts.push(styled(x, y, word, "start", `${kinds}${i === now ? ' font-weight="700"' : ""}`));
    if (missing.has(i)) parts.push(`<path class="missing" d="M${x - 7} ${y - 12}l3 6l3 -6"/>`);
  });
  return parts.join("");
}

const styled = (x, y, content, anchor, style) => text(x, y, content, anchor).replace("<text", `<text ${style}`);

// Where the French words of a side stand: [x, y, width]
function places(words, k, size) {
  pen.font = `700 ${size}px ${getComputedStyle(picture).fontFamily}`;
  let x = margins[k], y = top + row * race.source.length + 52;
  return words.map(word => {
    const wide = pen.measureText(word).width;
    if (x + wide > margins[k] + 214) [x, y] = [margins[k], y + 24];
    const place = [x, y, wide];
    x += wide + 0.45 * size;
    return place;
  });
}

function say() {
  const m = race.source.length;
  if (step === 0) return "Nothing is read yet.";
  if (step <= m) return `Both read ${race.source[step - 1]}. ${step > 1 ? "On the left it overwrites what was there" : "It fills one state"}, ` +
    `on the right ${step} ${step > 1 ? "states are" : "state is"} kept.`;
  if (step === total && !race.reference) return "What each one writes, you can judge for yourself.";
  if (step === total) return race.written.every(words => words.join(" ") === race.reference) ? "Both are right."
    : `Right is: ${race.reference} What differs is red and underlined.`;
  const [one, two] = race.written.map(words => words[step - m - 1]), weights = race.traces[1].weights[step - m - 1];
  const list = two && weights.map((weight, i) => [weight, race.source[i]]).sort((a, b) => b[0] - a[0]).slice(0, 2)
    .map(([weight, name]) => `${/\w/.test(name) ? name : `“${name}”`} ${weight.toFixed(2)}`).join(", ");
  return `${one ? `One vector writes ${one}` : "One vector has ended"}. ` +
    `${two ? `Attention looks at ${list}, and writes ${two}` : "Attention has ended"}.`;
}

draw = () => {
  if (family !== shown.family) {
    family = shown.family;
    return pick(0, started);
  }
  const size = Math.max(14, 12 * width / (root.clientWidth || width));
  const rows = race.written.map((words, k) => places(words, k, size));
  const middle = race.source.map((token, i) => styled(230, top + row * i + 14, token, "middle",
    `class="${i >= step ? "later" : ""}"${i === step - 1 ? ' font-weight="700"' : ""}`));
  paint(width, Math.max(...rows.flat().map(([, y]) => y)) + 10,
    middle.join("") + rows.map((words, k) => panel(k, words)).join(""));
  status.textContent = say();
  back.disabled = step === 0;
  next.disabled = step === total;
  longer.disabled = Boolean(race.own) || length + 1 === sentences[family].steps.length;
  shorter.disabled = race.own ? race.source.length < 4 : length === 0;
};

// In the book a reader can append words: both models run in the page, in 8 bits.
function offer() {
  const list = `d2l-${Math.random().toString(36).slice(2)}`, words = make("datalist", { id: list });
  const field = make("input", { type: "text", list, maxlength: 14, autocapitalize: "off", autocomplete: "off", spellcheck: "false" });
  const form = make("form", {}, make("label", {}, "Append a word", field), words, make("button", {}, "Append"));
  status.after(form);
  const ready = () => models ??= load().then(loaded => {
    words.replaceChildren(...loaded[0].source.tokens.filter(word => /^\p{L}/u.test(word)).map(value => make("option", { value })));
    return loaded;
  });
  field.onfocus = () => { ready().catch(() => { models = null; }); };
  form.onsubmit = async event => {
    event.preventDefault();
    const word = field.value.trim().toLowerCase();
    if (!word) return;
    stop();
    try {
      if (!models) status.textContent = "Loading both models, 0.8 MB …";
      const [{ source }] = await ready();
      if (!source.ids.has(word) || /[^\p{L}'-]/u.test(word)) status.textContent = `The models do not know ${word}.`;
      else if (race.source.length > 15) status.textContent = "The sentence is long enough.";
      else await own([...race.source.slice(0, -2), word]).then(() => { field.value = ""; });
    } catch {
      models = null;
      status.textContent = "The models could not be loaded.";
    }
  };
}

async function own(words) {  // a sentence without its end
  const loaded = await (models ??= load()), source = [...words, ".", "<eos>"];
  const traces = loaded.map(model => d2lForward.recurrent(model, source.map(word => model.source.ids.get(word))));
  lay({ source, traces, own: true }, true);
}

async function load() {
  const script = name => new Promise((resolve, reject) => {
    const element = make("script", { src: `${home}_static/${name}.js` });
    element.onload = resolve;
    element.onerror = reject;
    document.head.append(element);
  });
  if (!globalThis.d2lForward) await script("forward");
  if (!globalThis.d2lModels?.recurrent) await script("recurrent");
  return kinds.map(kind => d2lForward.load(d2lModels.recurrent[kind]));
}
