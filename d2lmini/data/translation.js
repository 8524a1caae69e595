// The view of a translation: the tokens, where each one looks, the five likeliest, one head
// opened, and parts switched off. `mount(root, {trace, load, examples, then})` draws a trace
// (d2l.translation_trace, or d2lForward.translate); `load`, if given, brings the model for a
// sentence that is typed, and for heads, single weights and other parts that are switched off.
// `then` names, after some of the `examples`, a sentence to type next.
globalThis.d2lTranslation ??= (() => {
  const range = count => Array.from({ length: count }, (_, i) => i);
  const sum = numbers => numbers.reduce((a, b) => a + b, 0);
  const signed = (number, digits = 2) => {
    const rounded = number.toFixed(digits);
    return Number(rounded) ? rounded.replace("-", "−") : rounded.replace("-", "");
  };
  const large = number => number < 100 ? number.toFixed(2)
    : number.toLocaleString("en", { maximumSignificantDigits: 4 });

  function make(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element[name] = value;
      else if (value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...content);
    return element;
  }

  // The kinds of attention: what asks (queries), what answers (keys), and who they are.
  const KINDS = [
    { stack: "decoder", kind: "cross", name: "cross-attention", short: "cross", sides: ["English", "French"] },
    { stack: "encoder", kind: "self", name: "encoder self-attention", short: "encoder self", sides: ["English", "English"] },
    { stack: "decoder", kind: "self", name: "decoder self-attention", short: "decoder self", sides: ["French read", "French written"] },
  ];

  const LONGEST = 90;  // characters of a sentence
  const PARTS = {
    positions: () => "positional encoding",
    mask: () => "causal mask",
    scale: p => `division by √${p}`,
    factor: (p, heads) => `factor √${p * heads} of the embeddings`,
  };

  // How many letters must change to make one word of the other.
  function distance(a, b) {
    let row = range(b.length + 1);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) {
        next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
      }
      row = next;
    }
    return row[b.length];
  }

  // The indices of the tokens that two sentences have in common, in their order.
  function common(a, b) {
    const best = range(a.length + 1).map(() => range(b.length + 1).map(() => []));
    a.forEach((x, i) => b.forEach((y, j) => {
      const [left, up] = [best[i + 1][j], best[i][j + 1]];
      best[i + 1][j + 1] = x === y ? [...best[i][j], j] : left.length > up.length ? left : up;
    }));
    return new Set(best[a.length][b.length]);
  }

  // What the model says at each position; without the mask this is not what it has written.
  const said = trace => trace.steps.map(({ token }) => token);
  const asked = trace => {  // the source as one would type it
    const text = trace.source.filter(token => token !== "<eos>").join(" ").replace(/ (?=[,.!?])/g, "");
    return text[0].toUpperCase() + text.slice(1);
  };

  function mount(root, { trace, load, examples = [], then = {} }) {
    const whole = { trace };  // of the sentence, with all parts
    const off = { positions: false, mask: false, scale: false, factor: false, heads: [], ffns: [], links: [] };
    const find = (kind, block) => trace.attentions.find(a =>
      a.stack === kind.stack && a.kind === kind.kind && a.block === block);
    const blocks = kind => trace.attentions.filter(a =>
      a.stack === kind.stack && a.kind === kind.kind).map(a => a.block);
    const kinds = KINDS.filter(kind => blocks(kind).length);
    const last = blocks(kinds[0]).at(-1);
    const shown = { kind: kinds[0], block: last, head: -1 };  // -1: the mean
    const state = { step: 0, count: trace.target.length, word: 0, pointed: null, key: null };
    let model, timer;
    for (const child of [...root.children]) {
      if (!child.matches("style, script")) child.remove();  // what stands there without scripts
    }
    const part = (name, tag = "div", attributes = {}) => {
      const element = make(tag, { class: name, ...attributes });
      root.append(element);
      return element;
    };

    // What is chosen: the keys, the queries, the weights between them.
    const sides = (kind = shown.kind) => kind.kind === "cross" ? [trace.source, said(trace)]
      : kind.stack === "encoder" ? [trace.source, trace.source]
      : [["<bos>", ...trace.target.slice(0, -1)], said(trace)];
    const writes = () => shown.kind.stack === "decoder";  // its queries write tokens
    const query = () => writes() ? state.step : state.word;
    const heads = () => find(shown.kind, shown.block).heads;
    const weights = () => shown.head >= 0 ? heads()[shown.head].weights
      : heads()[0].weights.map((row, i) => row.map((_, j) =>
        sum(heads().map(head => head.weights[i][j])) / heads().length));

    // What is switched off, by its place: a head, or in it the weight of a query on a key.
    const same = a => b => String(a) === String(b);
    const place = () => [shown.kind.stack, shown.kind.kind, shown.block, shown.head];
    const isHeadOff = () => off.heads.some(same(place()));
    const link = () => {
      const i = query(), row = weights()[i], keys = sides()[0].length;
      const j = state.key !== null && state.key < keys ? state.key : row.indexOf(Math.max(...row));
      return [...place(), i, j];
    };
    const isCut = (...weight) => off.links.some(same([...place(), ...weight]));

    // --- the field ------------------------------------------------------------------------

    const id = `d2l-${Math.random().toString(36).slice(2)}`;
    let field, words, message, options = [], active = -1, request = 0;

    function ask() {
      field = make("input", {
        id, type: "text", value: asked(trace), autocomplete: "off", autocapitalize: "off",
        spellcheck: "false", maxlength: LONGEST, role: "combobox", "aria-expanded": "false",
        "aria-controls": `${id}-words`, "aria-autocomplete": "list", enterkeyhint: "go",
      });
      const button = make("button", { type: "submit" }, "Translate");
      const form = make("form", { class: "ask" },
        make("label", { for: id }, "Type an English sentence", make("span", {}, ` and a small Transformer puts it into French, here in the page. It knows everyday words, and makes mistakes. One sentence at a time, of at most ${LONGEST} characters.`)), make("div", {}, field, button));
      words = make("div", { class: "words", id: `${id}-words` });
      message = make("p", { class: "message", role: "status" });
      root.append(form, words, message);
      field.onfocus = () => { field.select(); ready(); };
      field.oninput = () => {
        dim(!field.value.trim());
        tellLength();
        suggest();
      };
      field.onblur = () => setTimeout(() => { if (!root.contains(document.activeElement)) suggest(true); }, 200);
      field.onkeydown = event => {
        const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (move && options.length) choose((active + move + options.length) % options.length);
        else if (event.key === "Enter" && active >= 0) take(options[active]);
        else if (event.key === "Escape") suggest(true);
        else return;
        event.preventDefault();
      };
      form.onsubmit = event => { event.preventDefault(); suggest(true); translate(); };
      suggest(true);
    }

    // The model, which is loaded when somebody touches the view for the first time.
    function ready() {
      if (!model) {
        say("Loading the model …");
        model = load().then(loaded => { tellLength(); return loaded; });
        model.catch(() => { model = null; say("The model could not be loaded."); });
      }
      return model;
    }

    function say(...content) {
      message.replaceChildren(...content);
    }

    function tellLength() {
      say(field.value.length < LONGEST ? "" : `That is all: a sentence may have ${LONGEST} characters.`);
    }

    function dim(yes) {  // while the picture shows another sentence than the field
      picture.inert = below.inert = yes;
    }

    const known = loaded => loaded.source.tokens.filter(word => /^\p{L}/u.test(word));

    // Words that continue what is typed, or, while nobody types, sentences to try.
    async function suggest(none) {
      const start = /[^\s,.!?]*$/.exec(field.value)[0].toLowerCase(), own = ++request;
      options = [];
      choose(-1);
      if (none || !start) {
        const sentences = examples.map(sentence => make("button", {
          type: "button", onclick: () => { field.value = sentence; translate(); },
        }, sentence));
        words.removeAttribute("role");
        words.replaceChildren(...sentences.length ? [make("span", {}, "Try"), ...sentences] : []);
        field.setAttribute("aria-expanded", "false");
        return;
      }
      const loaded = await ready();
      if (own !== request) return;  // somebody has typed on
      const found = known(loaded).filter(word => word.startsWith(start));
      options = found.sort((a, b) => a.length - b.length).slice(0, 7);
      words.setAttribute("role", "listbox");
      words.setAttribute("aria-label", "Known words");
      words.replaceChildren(...options.map((word, i) => make("div", {
        id: `${id}-${i}`, role: "option", class: "option",
        onpointerdown: event => event.preventDefault(),  // the field keeps the focus
        onclick: () => take(word),
      }, word)));
      field.setAttribute("aria-expanded", String(options.length > 0));
      choose(-1);
    }

    function choose(index) {
      active = index;
      [...words.children].forEach((option, i) => {
        if (options.length) option.setAttribute("aria-selected", String(i === index));
      });
      if (index < 0) field.removeAttribute("aria-activedescendant");
      else field.setAttribute("aria-activedescendant", `${id}-${index}`);
    }

    function take(word) {
      field.value = `${field.value.replace(/[^\s,.!?]*$/, "")}${word} `;
      suggest(true);
      field.focus();
    }

    // What the field holds, translated; or what it holds that the model does not know.
    async function translate() {
      const loaded = await ready();
      const { tokens, ids, unknown } = d2lForward.tokenize(loaded, field.value);
      dim(true);
      if (!tokens.some(token => /\p{L}/u.test(token))) return say("Type a few English words.");
      if (tokens.slice(0, -1).some(token => /^[.!?]$/.test(token))) return say("One sentence at a time, please.");
      if (unknown.length) return say(...unknown.flatMap(word => doubt(loaded, word)));
      dim(false);
      [off.links, listed] = [[], []];  // they were weights of another sentence
      whole.trace = d2lForward.translate(loaded, ids);
      say(make("span", { class: "unseen" }, `In French: ${said(whole.trace).join(" ")}`), ...next(asked(whole.trace)));
      show(isOff() ? d2lForward.translate(loaded, ids, off) : whole.trace);
      if (document.activeElement === field) field.select();  // what is typed next replaces it
      if (writes()) grow();
    }

    function next(sentence) {
      const following = then[sentence];
      return following ? [make("span", {}, "Now type it the other way round: "), make("button", {
        type: "button", onclick: () => { field.value = following; translate(); },
      }, following)] : [];
    }

    function doubt(loaded, word) {
      const told = make("span", {}, "I do not know ", make("em", {}, word), ". ");
      if (!/\p{L}/u.test(word)) return [told];
      const near = known(loaded).map(other => [distance(word, other) - (word[0] === other[0]) / 2, other])
        .sort((a, b) => a[0] - b[0]).slice(0, 4).map(([, other]) => make("button", {
          type: "button",
          onclick: () => {
            const all = field.value.toLowerCase().split(/(\s+|(?=[,.!?]))/);
            field.value = all.map(each => each === word ? other : each).join("");
            translate();
          },
        }, other));
      return [told, make("span", {}, "I know "), ...near];
    }

    // --- the picture ----------------------------------------------------------------------

    const controls = {};

    function choices(name, label, entries) {  // entries: [value, text]; shown[name] is a value
      const buttons = entries.map(([value, text]) => make("button", {
        type: "button", "aria-label": `${label} ${text}`,
        onclick: () => { stop(); shown[name] = value; state.key = null; build(); },
      }, text));
      controls[name] = { press: () => buttons.forEach((button, i) =>
        button.setAttribute("aria-pressed", String(entries[i][0] === shown[name]))) };
      return make("div", { class: "choices", role: "group", "aria-label": label },
        make("span", {}, label), make("div", {}, ...buttons));
    }

    if (load) ask();
    part("selectors").append(
      choices("kind", "Attention", kinds.map(kind => [kind, kind.short])),
      choices("block", "Block", blocks(kinds[0]).map(i => [i, `${i + 1}`])),
      choices("head", "Head", [[-1, "mean"], ...range(heads().length).map(i => [i, `${i + 1}`])]));
    const picture = part("picture", "div", { role: "group", "aria-label": "Tokens" });
    const below = part("below");
    const player = make("div", { class: "player" });
    const status = make("p", { class: "status", "aria-live": "polite" });
    const likely = make("div", { class: "likely" });
    const scissors = make("button", { type: "button", class: "cut" });
    const french = make("div", { class: "french" });
    below.append(make("div", { class: "left" }, player, status, scissors), likely, french);
    let rows = [[], []], lines;

    // The tokens of both sides, again when there are others.
    function build() {
      const names = sides();
      for (const control of Object.values(controls)) control.press();
      state.pointed = null;
      rows = names.map((tokens, side) => tokens.map((token, i) => {
        const weight = make("span", { class: "weight", "aria-hidden": "true" });
        const button = make("button", {
          type: "button", class: /^</.test(token) ? "token special" : "token",
          onclick: () => point(side, i),
          onpointermove: event => {
            const moved = event.movementX || event.movementY;  // by hand, not by a scrolling page
            if (event.pointerType === "mouse" && moved) hover(side, i);
          },
          onfocus: () => { if (button.matches(":focus-visible")) point(side, i); },
          onkeydown: event => walk(event, side, i),
        }, ...side ? [make("b", {}, token), weight] : [weight, make("b", {}, token)]);
        return button;
      }));
      lines = make("div", { class: "lines" });
      const labels = shown.kind.sides.map((text, side) =>
        make("span", { class: side ? "label queries" : "label keys" }, text));
      picture.replaceChildren(labels[0], make("div", { class: "tokens keys" }, ...rows[0]), lines,
        labels[1], make("div", { class: "tokens queries" }, ...rows[1]));
      for (const [side, name] of ["keys", "queries"].entries()) {
        picture.style.setProperty(`--${name}`, rows[side].length);
        const columns = names[side].map(token => `minmax(0, ${room(token).toFixed(2)}fr)`);
        picture.style.setProperty(`--${name}-columns`, columns.join(" "));
      }
      state.word = Math.min(state.word, trace.source.length - 1);
      turn();
      draw();
    }

    // In a row, a token has room for its letters; its middle is where its lines begin.
    const room = token => 0.55 * token.length + 1.7;

    function middle(tokens, index, upright) {  // in percent
      if (upright) return (100 * (index + 0.5)) / tokens.length;
      const before = sum(tokens.slice(0, index).map(room)) + room(tokens[index]) / 2;
      return (100 * before) / sum(tokens.map(room));
    }

    // Rows of tokens where they fit, else columns.
    function turn() {
      const size = parseFloat(getComputedStyle(picture).fontSize);
      const width = Math.max(...sides().map(tokens => sum(tokens.map(room)))) * size;
      const upright = picture.clientWidth - 4.5 * size < width;
      picture.classList.toggle("upright", upright);
    }

    function point(side, index) {
      stop();
      state.pointed = side ? null : [0, index];
      if (!side) state.key = index;
      if (side) go(index, writes() && index >= state.count);
      else draw();
    }

    function hover(side, index) {
      if (timer || side && writes() && index >= state.count) return;
      if (String(state.hovered) === String([side, index])) return;
      state.hovered = [side, index];
      draw();
    }

    function walk(event, side, i) {
      const upright = picture.classList.contains("upright");
      const [before, after] = upright ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
      const across = upright ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
      const row = rows[side], there = rows[1 - side];
      const next = {
        [before]: row[(i + row.length - 1) % row.length], [after]: row[(i + 1) % row.length],
        Home: row[0], End: row.at(-1), [across[side]]: there[Math.min(i, there.length - 1)],
      }[event.key];
      if (!next) return;
      next.focus();
      event.preventDefault();
    }

    // The query that is shown; with `last`, the sentence ends with it.
    function go(index, last = false) {
      if (writes()) {
        state.step = state.wished = index;
        if (last) state.count = index + 1;
      } else {
        state.word = index;
      }
      state.hovered = state.pointed = null;
      state.key = null;
      draw();
    }

    function grow() {  // the whole sentence, token by token
      stop();
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (still) { state.count = trace.target.length; return go(favourite()); }
      go(0, true);
      timer = setInterval(() => {
        if (state.step + 1 < trace.target.length) return go(state.step + 1, true);
        stop();
        go(favourite());
      }, 420);
      draw();
    }

    function stop() {
      clearInterval(timer);
      timer = null;
    }

    // The token that looks farthest aside: the most telling one to begin with.
    function favourite() {
      const block = find(kinds[0], last), length = trace.target.length - 1;
      const far = range(length).map(i => {
        const mean = trace.source.map((_, j) => sum(block.heads.map(head => head.weights[i][j])));
        const best = mean.indexOf(Math.max(...mean));
        return Math.abs(best - i) * Math.max(...mean);
      });
      return far.indexOf(Math.max(...far));
    }

    // --- what is drawn each time ----------------------------------------------------------

    function draw() {
      const matrix = weights(), [side, index] = state.hovered || state.pointed || [1, query()];
      const names = sides(), upright = picture.classList.contains("upright");
      const count = writes() ? state.count : names[1].length;
      const line = (i, j, kind) => {
        const [a, b] = [middle(names[0], j, upright), middle(names[1], i, upright)];
        const d = upright ? `M0 ${a}C50 ${a} 50 ${b} 100 ${b}` : `M${a} 0C${a} 50 ${b} 50 ${b} 100`;
        const weight = matrix[i][j];
        return `<path class="${kind}" d="${d}" style="--weight: ${weight.toFixed(3)}"/>`;
      };
      const chosen = (i, j) => index === [j, i][side];
      const paths = [false, true].map(strong => matrix.slice(0, count).flatMap((row, i) =>
        row.map((weight, j) => weight < (strong ? 0.01 : 0.1) || chosen(i, j) !== strong ? ""
          : line(i, j, strong ? "strong" : "faint"))).join(""));
      const cut = off.links.filter(each => same(place())(each.slice(0, 4)) && each[4] < count);
      lines.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">` +
        `${paths.join("")}${cut.map(([, , , , i, j]) => line(i, j, "gone")).join("")}</svg>`;
      picture.classList.toggle("off", isHeadOff());

      const row = side ? matrix[index] : matrix.map(each => each[index]);
      rows.forEach((buttons, s) => buttons.forEach((button, k) => {
        const other = s !== side, weight = other && (s === 0 || k < count) ? row[k] : 0;
        const later = s === 1 && k >= count;
        button.style.setProperty("--weight", weight.toFixed(3));
        button.querySelector(".weight").textContent = weight >= 0.005 ? weight.toFixed(2) : "";
        button.classList.toggle("later", later);
        button.classList.toggle("chosen", !other && k === index);
        button.classList.toggle("asking", s === 1 && other && k === query());  // whose weight is cut
        button.setAttribute("aria-pressed", String(!other && k === index));
        const what = `${names[s][k]}, ${shown.kind.sides[s]}`;
        button.setAttribute("aria-label", later ? `${what}, not written yet`
          : weight >= 0.005 ? `${what}, weight ${weight.toFixed(2)}` : what);
        button.tabIndex = s === side && k === index ? 0 : -1;
      }));

      const order = row.map((weight, k) => [weight, names[1 - side][k]])
        .slice(0, side ? undefined : count).filter(([weight]) => weight >= 0.005).sort((a, b) => b[0] - a[0]);
      const list = order.slice(0, 3).map(([weight, name]) => `${name} ${weight.toFixed(2)}`);
      const verb = side ? "looks at" : "is looked at by";
      if (!timer) {
        status.replaceChildren(make("b", {}, names[side][index]), ` ${verb} `,
          list.join(", ") || "no token", order.length > 3 ? ", …" : ".",
          shown.head < 0 ? ` This is the mean of ${heads().length} heads.` : "",
          isHeadOff() ? " This head is switched off: nothing of it arrives." : "");
      } else status.textContent = "";
      play();
      bars();
      fill(matrix);
      open();
      snip();
      compare();
    }

    let listed = [];  // the weights of this sentence that were cut, and perhaps mended

    // Scissors for the weight of the chosen query on the chosen key, or the largest.
    function snip() {
      const [, , , head, i, j] = link();
      const own = head < 0 ? null : isCut(i, j), masked = own === false && heads()[head].scores[i][j] === null;
      scissors.hidden = !load || own === null || masked || isHeadOff() || Boolean(timer);
      if (scissors.hidden) return;
      const [keys, queries] = sides();
      scissors.textContent = `${own ? "Mend" : "✂ Cut"} ${queries[i]} → ${keys[j]}`;
      scissors.setAttribute("aria-pressed", String(own));
      scissors.onclick = () => toggleIn("links", [...place(), i, j])(j);
    }

    // Switch an entry of `off` off, or on again, and compute anew; a key stays chosen.
    const toggleIn = (name, entry) => (key = null) => {
      if (name === "links" && !listed.some(same(entry))) listed.push(entry);
      off[name] = off[name].some(same(entry)) ? off[name].filter(each => !same(entry)(each)) : [...off[name], entry];
      return again(key);
    };

    function play() {
      player.hidden = !writes();
      const end = trace.target.length - 1;
      const button = (label, icon, disabled, onclick) => {
        let found = player.querySelector(`[data-do="${icon}"]`);
        if (!found) {
          found = make("button", { type: "button", "data-do": icon });
          player.append(found);
        }
        found.onclick = onclick;
        found.setAttribute("aria-label", label);
        found.setAttribute("aria-disabled", String(disabled));
        found.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
      };
      const step = by => () => {
        stop();
        const next = state.step + by;
        if (next >= 0 && next <= end) go(next, true);
      };
      button("Back one token", "back", state.step === 0, step(-1));
      const playing = player.querySelector('[data-do="play"]');
      if (playing) playing.classList.toggle("playing", Boolean(timer));
      button(timer ? "Pause" : "Play the translation", "play", false, () => { if (timer) { stop(); draw(); } else grow(); });
      if (timer) player.querySelector('[data-do="play"] path').setAttribute("d", ICONS.pause);
      button("Forward one token", "forward", state.step === end, step(1));
      let told = player.querySelector("span");
      if (!told) { told = make("span"); player.append(told); }
      told.textContent = `token ${state.step + 1} of ${end + 1}`;
    }

    function bars() {
      likely.hidden = !writes();
      const before = trace.target.slice(0, state.step).join(" "), { token, top } = trace.steps[state.step];
      likely.replaceChildren(
        make("p", {}, "What comes next after ", make("em", {}, before || "<bos>"), "?"),
        make("ol", {}, ...top.map(([name, probability]) =>
          make("li", name === token ? { class: "best" } : {}, make("span", {}, name),
            make("i", { style: `--size: ${probability}` }),
            make("output", {}, probability < 0.0005 ? "0.000" : probability.toFixed(3))))));
    }

    // --- one head -------------------------------------------------------------------------

    const opened = make("section", { class: "opened", "aria-label": "One head opened" });
    let numbers = false, component = 0;

    function open() {
      const head = heads()[Math.max(shown.head, 0)];
      const title = make("strong", { class: "heading" }, "One head, opened");
      if (shown.head < 0) {
        opened.replaceChildren(title, make("p", {}, "Choose a head above: the mean of several has no query of its own."));
        return;
      }
      const [keys, queries] = sides(), i = query(), p = head.Q[0].length;
      const { Q, K, V, dots, scores, weights: all, output } = head, row = all[i];
      state.key ??= row.indexOf(Math.max(...row));
      const j = state.key, scaled = !off.scale;
      const strips = [];
      const readout = make("p", { class: "readout", "aria-live": "polite" });
      const most = rows => Math.max(...rows.flat().map(Math.abs)) || 1;
      const strip = (kind, name, vector, most, tell) => {
        const cells = vector.map(value => make("i", {
          class: value < 0 ? "negative" : "", style: `--size: ${(Math.abs(value) / most).toFixed(2)}`,
        }, ...numbers ? [signed(value)] : []));
        const box = make("div", {
          class: `strip ${kind}`, role: "slider", tabindex: strips.length ? -1 : 0,
          "aria-label": `${name}, component`, "aria-valuemin": 1, "aria-valuemax": p,
          "aria-orientation": "horizontal", style: `--columns: ${Math.ceil(p / 2)}`,
        }, ...cells);
        const number = strips.length;
        const read = c => {
          component = c;
          strips.forEach((other, s) => {
            other.box.tabIndex = s === number ? 0 : -1;
            [...other.box.children].forEach((cell, k) => cell.classList.toggle("read", k === c));
          });
          box.setAttribute("aria-valuenow", c + 1);
          box.setAttribute("aria-valuetext", `${c + 1}: ${signed(vector[c])}`);
          readout.textContent = tell(c);
        };
        box.setAttribute("aria-valuenow", component + 1);
        box.setAttribute("aria-valuetext", `${component + 1}: ${signed(vector[component])}`);
        const place = event => {
          const at = cells.findIndex(cell => {
            const { left, right, top, bottom } = cell.getBoundingClientRect();
            return left <= event.clientX && event.clientX < right && top <= event.clientY && event.clientY < bottom;
          });
          if (at >= 0) read(at);
        };
        box.onpointermove = place;
        box.onpointerdown = place;
        box.onfocus = () => { if (box.matches(":focus-visible")) read(component); };
        box.onkeydown = event => {
          const move = { ArrowLeft: -1, ArrowRight: 1, Home: -component, End: p - 1 - component }[event.key];
          const other = { ArrowUp: -1, ArrowDown: 1 }[event.key];
          if (move !== undefined) read(Math.min(p - 1, Math.max(0, component + move)));
          else if (other) (strips[number + other] || strips[number]).box.focus();
          else return;
          event.preventDefault();
        };
        strips.push({ box });
        return box;
      };
      const scale = most([...Q, ...K]), values = most([...V, ...output]);
      const q = strip("query", `query of ${queries[i]}`, Q[i], scale, c =>
        `Component ${c + 1} of the query: ${signed(Q[i][c])}`);
      const ks = keys.map((key, k) => strip("key", `key of ${key}`, K[k], scale, c =>
        `Component ${c + 1}: ${signed(Q[i][c])} × ${signed(K[k][c])} = ${signed(Q[i][c] * K[k][c])}, ` +
        `one of ${p} terms of q · k = ${signed(dots[i][k])} for ${key}`));
      const vs = keys.map((key, k) => strip("value", `value of ${key}`, V[k], values, c =>
        `Component ${c + 1}: weight ${row[k].toFixed(2)} × ${signed(V[k][c])} = ${signed(row[k] * V[k][c])}, ` +
        `one of ${keys.length} terms of the output ${signed(output[i][c])}`));
      const o = strip("value output", `output for ${queries[i]}`, output[i], values, c =>
        `Component ${c + 1} of the output: ${signed(output[i][c])}`);
      const table = make("table", {},
        make("thead", {}, make("tr", {}, ...["", "query and keys", "q · k", scaled ? `÷ √${p}` : "not scaled", "weight", "values"]
          .map(text => text ? make("th", { scope: "col" }, text) : make("td")))),
        make("tbody", {},
          make("tr", { class: "query-row" }, make("th", { scope: "row" }, make("span", { class: "name" }, queries[i])),
            make("td", {}, q), make("td"), make("td"), make("td"), make("td")),
          ...keys.map((key, k) => make("tr", { class: k === j ? "picked" : "" },
            make("th", { scope: "row" }, make("button", {
              type: "button", "aria-pressed": String(k === j), onclick: () => { state.key = k; open(); snip(); opened.querySelectorAll("th button")[k].focus(); },
            }, key)),
            make("td", {}, ks[k]), make("td", {}, signed(dots[i][k])),
            make("td", {}, scores[i][k] === null ? "−∞" : signed(scores[i][k])),
            make("td", { class: "softmax", style: `--size: ${row[k].toFixed(3)}` }, make("span", {}, row[k].toFixed(2))),
            make("td", {}, vs[k]))),
          make("tr", { class: "output-row" }, make("th", { scope: "row" }, make("span", { class: "name" }, "output")),
            make("td"), make("td", { class: "sum", colspan: 3 }, "sum of weight × value"), make("td", {}, o))));
      const total = sum(scores[i].map(score => score === null ? 0 : Math.exp(score)));
      const score = scores[i][j];
      const check = score === null ? [make("b", {}, keys[j]), ` is ${isCut(i, j) ? "cut" : "masked"}: its score is −∞ and its weight 0.`]
        : [make("b", {}, keys[j]), `: q · k = ${signed(dots[i][j])}` + (scaled ? `, divided by √${p}: ${signed(score)}` : "") +
          `. exp(${signed(score, 3)}) / ${large(total)} = ${large(Math.exp(score))} / ${large(total)} = `,
          make("strong", {}, row[j].toFixed(2)), `, where ${large(total)} is the sum over all keys.`];
      const toggle = make("button", {
        type: "button", class: "numbers", "aria-pressed": String(numbers),
        onclick: () => { numbers = !numbers; open(); opened.querySelector(".numbers").focus(); },
      }, "Numbers");
      const where = `Block ${shown.block + 1}, head ${shown.head + 1} of the ${shown.kind.name}. ` +
        "The query is compared with each key; colour is positive, grey negative." +
        (isHeadOff() ? " This head is switched off: in place of its output the model gets zeros." : "");
      opened.replaceChildren(make("div", { class: "title" }, title, toggle), make("p", {}, where),
        make("div", { class: numbers ? "scroll with-numbers" : "scroll" }, table),
        readout, make("p", { class: "check" }, ...check));
      readout.textContent = "Point at a strip for its numbers.";
    }

    // --- parts switched off ---------------------------------------------------------------

    const isOff = () => Object.values(off).some(value => value === true || value.length);
    const parts = make("section", { class: "parts", "aria-label": "Parts of the model" });

    function compare() {
      if (!load) return;
      const first = heads()[0], p = first.Q?.[0].length || Math.round(heads().length ** 2);
      const entries = Object.entries(PARTS).map(([name, label]) =>
        [label(p, heads().length), off[name], () => { off[name] = !off[name]; return again(); }]);
      const kindOf = ([stack, kind]) => KINDS.find(each => each.stack === stack && each.kind === kind);
      const where = entry => `head ${entry[3] + 1} of block ${entry[2] + 1}, ${kindOf(entry).name}`;
      for (const entry of [...off.heads, ...shown.head >= 0 && !isHeadOff() ? [place()] : []]) {
        entries.push([where(entry), off.heads.some(same(entry)), toggleIn("heads", entry)]);
      }
      for (const entry of listed) {
        const [keys, queries] = sides(kindOf(entry)), [i, j] = entry.slice(4);
        entries.push([`weight ${queries[i] ?? "…"} → ${keys[j] ?? "…"}, ${where(entry)}`, off.links.some(same(entry)), toggleIn("links", entry)]);
      }
      for (const kind of kinds.filter(({ kind }) => kind === "self")) {
        for (const block of blocks(kind)) {
          const entry = [kind.stack, block];
          entries.push([`feed-forward network, ${kind.stack} ${block + 1}`, off.ffns.some(same(entry)), toggleIn("ffns", entry)]);
        }
      }
      const focused = parts.contains(document.activeElement) && document.activeElement.dataset.part;
      const switches = entries.map(([label, isOff, change]) => make("label", {}, make("input", {
        type: "checkbox", role: "switch", "data-part": label, ...isOff ? {} : { checked: "" },
        onchange: () => change(),
      }), make("span", {}, label)));
      const without = entries.filter(([, isOff]) => isOff).map(([label]) => label).join(", ");
      const kept = common(said(whole.trace), said(trace));
      const sentence = (tokens, marked) => tokens.filter(token => token !== "<eos>").flatMap((token, i) =>
        [make(marked && !kept.has(i) ? "mark" : "span", {}, token), " "]);
      const changed = String(said(trace)) !== String(said(whole.trace));
      const both = (...names) => make("dl", {}, make("dt", {}, names[0]),
        make("dd", {}, ...sentence(said(whole.trace))),
        ...isOff() ? [make("dt", {}, names[1]), make("dd", {}, ...sentence(said(trace), true),
          changed ? "" : make("small", {}, " (the same)"))] : []);
      french.replaceChildren(...writes() ? [] : [both("in French", "without what is off")]);
      parts.replaceChildren(make("strong", { class: "heading" }, "Switch parts off"),
        make("div", { class: "switches" }, ...switches),
        make("div", { role: "status" }, both("all parts", `without ${without}`)),
        ...off.mask ? [make("p", {}, "Without the mask: the sentence is written with it, then predicted again at all " +
          "positions at once, each of which also sees the tokens after it.")] : []);
      if (focused) parts.querySelector(`[data-part="${focused}"]`)?.focus();
    }

    async function again(key = null) {
      stop();
      const loaded = await ready();
      const { ids } = d2lForward.tokenize(loaded, asked(whole.trace));
      whole.trace = d2lForward.translate(loaded, ids);
      show(isOff() ? d2lForward.translate(loaded, ids, off) : whole.trace, key);
    }

    function show(next, key = null) {
      trace = next;
      state.count = trace.target.length;
      state.step = Math.min(state.wished, state.count - 1);  // or a shorter one would stay
      state.hovered = null;
      state.key = key;
      build();
    }

    // --- the numbers, for who does not see the picture -----------------------------------

    const table = part("numbers-table", "details");
    table.append(make("summary", {}, ""), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Weights" }));

    function fill(matrix) {
      const [keys, queries] = sides();
      const mean = shown.head < 0 ? `mean of ${heads().length} heads` : `head ${shown.head + 1}`;
      table.firstChild.textContent = `Weights as a table: ${shown.kind.name}, block ${shown.block + 1}, ${mean}`;
      if (!table.open) return;
      const cell = (text, scope) => make(scope ? "th" : "td", scope ? { scope } : {}, text);
      table.lastChild.replaceChildren(make("table", {},
        make("thead", {}, make("tr", {}, make("td"), ...keys.map(key => cell(key, "col")))),
        make("tbody", {}, ...queries.map((token, i) => make("tr", {}, cell(token, "row"),
          ...matrix[i].map(weight => cell(weight.toFixed(2))))))));
    }
    table.ontoggle = () => fill(weights());

    table.before(...load ? [parts] : [], opened);
    picture.onpointerleave = () => { if (state.hovered) { state.hovered = null; draw(); } };
    state.step = state.wished = favourite();
    shown.head = sharpest();
    new ResizeObserver(() => {
      const before = picture.classList.contains("upright");
      turn();
      if (before !== picture.classList.contains("upright")) draw();
    }).observe(root);
    build();

    // The head whose weights are the most decided, for the start.
    function sharpest() {
      const decided = heads().map(head => sum(head.weights.map(row => Math.max(...row))));
      return decided.indexOf(Math.max(...decided));
    }
  }

  const ICONS = {
    back: "M15 5l-7 7 7 7", forward: "M9 5l7 7-7 7", play: "M8 5v14l11-7z", pause: "M8 5v14M16 5v14",
  };

  return { mount };
})();

// A view for each place of a page that holds what it shows as JSON. `scripts`, if given, are
// forward.js and the weights, which are read when they are needed: fetch cannot read files.
for (const root of document.querySelectorAll(".d2l-translation:not([data-ready])")) {
  root.dataset.ready = "";
  const given = JSON.parse(root.querySelector("[type='application/json']").textContent);
  const read = src => new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src, onload: done, onerror: failed });
    document.head.append(script);
  });
  const load = given.scripts && (async () => {
    for (const script of given.scripts) await read(script);
    return d2lForward.load(d2lModels.translator);
  });
  d2lTranslation.mount(root, { ...given, load });
}
