// The pictures of "Attention in ten minutes" that no chapter has (tools/book/ten_minutes.py).
// Without this script, there is the table of each.
for (const root of document.querySelectorAll("[data-ten]")) {
  const given = JSON.parse(root.dataset.given), shown = {}, table = root.querySelector("details");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const controls = make("div", { class: "dials" }), picture = make("div", { class: "picture" });
  const status = make("p", { "aria-live": "polite" });
  table.before(controls, picture, status);
  table.open = false;
  root.dataset.drawn = "";

  function make(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  }

  function choices(name, label, options, then) { // buttons; shown[name] is an index
    shown[name] = 0;
    const buttons = options.map((option, i) => {
      const button = make("button", { type: "button" }, option);
      button.onclick = () => { shown[name] = i; press(); then(); };
      return button;
    });
    const press = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === shown[name]));
    press();
    controls.append(make("div", { role: "group", "aria-label": label }, ...buttons));
  }

  function paint(width, height, content) {
    const size = Math.max(15, 12 * width / (root.clientWidth || width)); // 12 pixels on a phone
    picture.innerHTML = `<svg width="${1.35 * width}" height="${1.35 * height}" aria-hidden="true"` +
      ` viewBox="0 0 ${width} ${height}" font-size="${size.toFixed(1)}">${content}</svg>`;
  }

  const text = (x, y, content, anchor = "start", more = "") =>
    `<text x="${x}" y="${y + 5}" text-anchor="${anchor}" ${more}>${content.replace(/</g, "&lt;")}</text>`;
  const line = (x1, y1, x2, y2, width, opacity) =>
    `<path d="M${x1} ${y1.toFixed(1)}C${(x1 + x2) / 2} ${y1.toFixed(1)},${(x1 + x2) / 2} ${y2.toFixed(1)},${x2} ${y2.toFixed(1)}"` +
    ` class="strand" stroke-width="${width}" stroke-opacity="${opacity.toFixed(3)}"/>`;

  const figures = {
    // A sentence goes through one vector, or keeps one for each of its words.
    vector() {
      const { sentences } = given, row = 34;
      let open = 0, timer; // 0: one vector, 1: one for each word
      const draw = () => {
        const { english, meaning, ...lines } = sentences[shown.sentence];
        const many = open > 0.5, french = lines[many ? "attention" : "one vector"];
        const rows = Math.max(english.length, french.length), height = row * rows + 8, middle = height / 2;
        const at = (i, n) => middle + row * (i - (n - 1) / 2);
        const box = i => middle + open * (at(i, english.length) - middle);
        const parts = english.flatMap((word, i) => [
          text(108, at(i, english.length), word, "end"), line(114, at(i, english.length), 158, box(i), 1.5, 0.5),
        ]);
        french.forEach(([word, wrong], j) => {
          english.forEach((_, i) => parts.push(line(182, box(i), 226, at(j, french.length), 1.5,
            i ? 0.2 * open : 0.5 - 0.3 * open)));
          parts.push(text(232, at(j, french.length), word, "start", wrong ? 'class="wrong"' : ""));
        });
        english.forEach((_, i) => parts.push(`<rect class="vector" x="158" y="${(box(i) - 12).toFixed(1)}" width="24" height="24" rx="5"/>`,
          ...[-6, 0, 6].map(y => `<circle cx="170" cy="${(box(i) + y).toFixed(1)}" r="1.8" fill="currentColor"/>`)));
        paint(340, height, parts.join(""));
        status.textContent = many ? "One vector for each word. This is what the sentence says."
          : `One vector for the whole sentence. The French says: ${meaning}.`;
      };
      const glide = () => {
        cancelAnimationFrame(timer);
        const from = open, begun = performance.now();
        const frame = now => {
          const part = calm.matches ? 1 : Math.min(1, Math.max(0, now - begun) / 700), eased = part * part * (3 - 2 * part);
          open = from + eased * (shown.kind - from);
          draw();
          if (part < 1) timer = requestAnimationFrame(frame);
        };
        frame(begun);
      };
      choices("kind", "Translated", ["one vector", "attention"], glide);
      choices("sentence", "Sentence", sentences.map(({ name }) => name), draw);
      draw();
    },

    // A word asks, and each other one compares its key when it is tapped.
    asks() {
      const { tokens, keys, query, scores, asks, axes } = given, best = Math.max(...scores);
      const named = vector => `(${vector.join(", ")})`;
      const asked = make("p", { class: "asked" }, make("b", {}, asks), ` asks ${named(query)}: an ${axes[0]}?`);
      const cards = tokens.map((token, j) => {
        const score = make("span", { class: "score" }, "?");
        const card = make("button", { type: "button", class: "card" }, make("b", {}, token), " ",
          make("span", { class: "key" }, `key ${named(keys[j])}`), " ", make("span", { class: "value" }, `value ${named(keys[j])}`), " ", score);
        card.onclick = async () => {
          await travel(card);
          score.textContent = `score ${scores[j]}`;
          card.classList.add("seen");
          card.classList.toggle("best", scores[j] === best);
          const product = keys[j].map((x, i) => `${query[i]} · ${x}`).join(" + ");
          status.textContent = `${token}: ${product} = ${scores[j]}, its score. ` +
            (scores[j] === best ? "No other key fits so well." : scores[j] ? "It fits a little." : "It does not fit.");
        };
        return card;
      });
      picture.append(asked, make("div", { class: "cards" }, ...cards));
      controls.remove();
      status.textContent = `Two numbers: how much of an ${axes[0]}, and how much of an ${axes[1]}. Here key and value are the same.`;

      async function travel(card) { // the query goes to the key
        if (calm.matches) return;
        const [from, to, all] = [asked, card, picture].map(e => e.getBoundingClientRect());
        const dot = make("span", { class: "dot" });
        picture.append(dot);
        const place = ({ left, top, width, height }, part) => `${left - all.left + width / 2 - 8}px ${top - all.top + part * height - 8}px`;
        await dot.animate([{ translate: place(from, 0.9) }, { translate: place(to, 0.45) }], { duration: 450, easing: "ease-in-out", fill: "both" }).finished;
        dot.remove();
      }
    },

    // Values times weights, and their sum.
    sum() {
      const { weights, place, asks, sentences } = given, row = 38, height = row * weights.length, middle = height / 2;
      const draw = () => {
        const { name, tokens, values, output } = sentences[shown.animal];
        const parts = weights.flatMap((weight, j) => {
          const y = row * (j + 0.5);
          return [
            `<path d="M188 ${y}C220 ${y},220 ${middle},252 ${middle}" class="thread" stroke-width="${(20 * weight).toFixed(1)}"/>`,
            text(66, y, tokens[j], "end", j === place ? 'font-weight="600"' : ""),
            text(76, y, weight.toFixed(2), "start", 'class="number"'), text(112, y, "×"),
            `<rect class="given" x="128" y="${y - 13}" width="60" height="26" rx="6"/>`,
            text(158, y, `(${values[j].join(", ")})`, "middle", 'class="valued"'),
          ];
        });
        parts.push(`<circle class="node" cx="252" cy="${middle}" r="9"/>`, ...output.flatMap((part, i) => {
          const y = middle + (i ? 28 : -48);
          return [text(262, y, `a ${sentences[i].name} ${part.toFixed(2)}`),
            `<rect class="bar" x="262" y="${y + 11}" width="${(72 * part).toFixed(1)}" height="12"/>`];
        }));
        paint(340, height, parts.join(""));
        status.textContent = `${weights[place].toFixed(2)} × (${values[place].join(", ")}) + … = ` +
          `(${output.map(part => part.toFixed(2)).join(",\u00a0")}): ${asks} has become a ${name}.`;
      };
      const send = () => { // the value goes to the sum, which grows
        draw();
        if (calm.matches) return;
        const svg = picture.firstChild, y = row * (place + 0.5);
        svg.insertAdjacentHTML("beforeend", `<circle class="sent" r="8" style="offset-path: path('M188 ${y}C220 ${y},220 ${middle},252 ${middle}')"/>`);
        const dot = svg.lastChild;
        dot.animate([{ offsetDistance: "0%" }, { offsetDistance: "100%" }], { duration: 600, easing: "ease-in-out", fill: "both" })
          .finished.then(() => dot.remove());
        for (const bar of svg.querySelectorAll(".bar")) {
          bar.animate([{ transform: "scaleX(0)" }, { transform: "scaleX(1)" }], { delay: 550, duration: 350, fill: "backwards", easing: "ease-out" });
        }
      };
      choices("animal", "In the sentence is", sentences.map(({ name }) => `a ${name}`), send);
      draw();
    },
  };
  figures[root.dataset.ten]();
}
