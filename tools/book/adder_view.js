// Four models answer one question: their tokens with probabilities, the step that is wrong,
// and what they say when their tokens are drawn. `mount(root, {scripts, numbers, models})` shows
// the answers that `models` bring along; the scripts, forward.js and the weights, are read
// when somebody asks something else.
globalThis.d2lAdder ??= (() => {
  const MAX_TOKENS = 24, DRAWS = 8;
  const sum = numbers => numbers.reduce((a, b) => a + b, 0);
  const range = count => Array.from({ length: count }, (_, i) => i);

  // --- what the models compute ---------------------------------------------------------

  // The models of a file of weights, with what stands before and after a question.
  const load = file => file.models.map(({ template, weights }) =>
    ({ template, gpt: d2lForward.load({ ...file, weights }) }));

  // The answer to three numbers, as a trace of d2lForward.complete.
  function answer({ template: { before, between, after, end }, gpt }, numbers, temperature = 0) {
    const asked = numbers.flatMap((number, i) => i ? [between, `${number}`] : [`${number}`]);
    const tokens = [before, ...asked, ...after];
    const ids = tokens.map(token => gpt.target.ids.get(token));
    return d2lForward.complete(gpt, ids, {}, MAX_TOKENS, { end, temperature });
  }

  // The steps of an answer, between its equals signs. A step is right if its sum is that of
  // the step before, the first if it is that of the question. An answer is right if it ends
  // and its last number is the sum, as in chapter 12.
  function check(target, end, numbers) {
    const wanted = sum(numbers), ended = target.at(-1) === end;
    const text = target.slice(0, ended ? -1 : undefined).join("").trim();
    let before = { text: numbers.join("+"), value: wanted };
    const steps = text.split("=").map(part => {
      const step = part.replace(/^\? /, "");  // the answer begins with the sum as a question
      const value = /^\d+(\+\d+)*$/.test(step) ? sum(step.split("+").map(Number)) : null;
      const found = { text: step, value, before, right: value === before.value };
      if (value !== null) before = { text: step, value };
      return found;
    });
    const last = /\d+$/.exec(text), number = ended && last ? Number(last[0]) : null;
    return { steps, ended, wanted, number, right: number === wanted };
  }

  // What `check` has found, in words.
  function verdict({ steps, ended, wanted, right }) {
    const wrong = steps.find(step => !step.right);
    const whole = right ? (wrong ? "Right, although a step is wrong" : "Right")
      : ended ? `Wrong, the sum is ${wanted}` : "It does not end";
    if (!wrong || steps.length === 1) return `${whole}.`;
    const { text, value, before } = wrong, equation = `${before.text} is ${before.value}`;
    return `${whole}: ` + (value === null ? `“${text}” is no sum.`
      : text.includes("+") ? `${equation}, but ${text} is ${value}.` : `${equation}, not ${text}.`);
  }

  // --- the view --------------------------------------------------------------------------

  const NAMES = { " ": ["␣", "space"], "\n": ["↵", "line break"], "<|end|>": ["end", "end of the answer"] };
  const shown = token => NAMES[token]?.[0] ?? token, spoken = token => NAMES[token]?.[1] ?? token;
  const percent = p => p < 0.001 ? "< 0.001" : p.toFixed(3);

  function make(tag, attributes = {}, ...content) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element[name] = value;
      else if (value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...content);
    return element;
  }

  function mount(root, { scripts, numbers, models }) {
    let loaded, run = 0, tokens = [];  // run: the last question or draw that was asked for
    for (const child of [...root.children]) {
      if (!child.matches("style, script")) child.remove();  // what stands there without scripts
    }

    // The models with their weights, read when somebody asks for the first time.
    function ready() {
      const read = src => new Promise((done, failed) => {
        const script = make("script", { src, onload: done, onerror: failed });
        document.head.append(script);
      });
      loaded ??= (async () => {
        const loading = "Loading the models …";
        say(loading);
        for (const script of scripts) if (!(script.includes("forward") && globalThis.d2lForward)) await read(script);
        if (message.textContent === loading) say("");  // and nothing that was said meanwhile
        return load(d2lModels.adder);
      })().catch(() => { loaded = null; say("The models could not be loaded."); });
      return loaded;
    }

    const id = `d2l-${Math.random().toString(36).slice(2)}`;
    const field = make("input", {
      id, type: "text", inputmode: "numeric", autocomplete: "off", maxlength: 12,
      enterkeyhint: "go", value: numbers.join(" "), onfocus: () => { field.select(); ready(); },
    });
    const other = make("button", { type: "button", onclick: async () => {
      if (!await ready()) return;
      const { questions } = d2lModels.adder;
      field.value = questions[Math.floor(Math.random() * questions.length)].join(" ");
      ask();
    } }, "A test question");
    const form = make("form", { class: "question" },
      make("label", { for: id }, "A number from 10 to 72, and two from 1 to 5"),
      make("div", {}, field, make("button", { type: "submit" }, "Add"), other));
    form.onsubmit = event => { event.preventDefault(); ask(); };
    const message = make("p", { class: "told", role: "status" });
    const say = text => { message.textContent = text; };

    const rows = models.map(({ name, note, right, of }) => {
      const row = {
        name, answer: make("div", { class: "answer", role: "group", "aria-label": `Answer, ${name}` }),
        verdict: make("p", { class: "verdict" }), drawn: make("p", { class: "drawn" }),
      };
      const share = `${right} of ${of} test questions right`;
      row.element = make("div", { class: "model", role: "group", "aria-label": name },
        make("p", { class: "who" }, make("b", {}, name), make("span", {}, note), make("span", {}, share)),
        make("div", {}, row.answer, row.verdict, row.drawn));
      return row;
    });
    const expected = make("div", { class: "expected", "aria-live": "polite" });

    const output = make("output");
    const slider = make("input", { type: "range", min: 2, max: 20, value: 10, "aria-label": "Temperature τ" });
    const temperature = () => slider.value / 10;
    slider.oninput = () => {
      output.textContent = temperature().toFixed(1);
      slider.setAttribute("aria-valuetext", output.textContent);
    };
    slider.oninput();
    const button = make("button", { type: "button", onclick: () => draw() }, `Draw ${DRAWS} answers of each`);
    root.append(form, message, ...rows.map(row => row.element),
      make("div", { class: "sampling" }, make("label", {}, "Temperature τ ", slider, output), button));

    // The likeliest answers to what the field holds.
    async function ask() {
      const found = (field.value.match(/\d+/g) || []).map(Number), [first, ...others] = found;
      if (found.length !== 3 || /[^\d\s+=?,]/.test(field.value) || first < 10 || first > 72
        || others.some(each => each < 1 || each > 5)) {
        return say("Type a number from 10 to 72 and two from 1 to 5, for example 38 4 5.");
      }
      const mine = ++run, all = await ready();
      if (!all || mine !== run) return;
      numbers = found;
      field.value = found.join(" ");
      const set = d2lModels.adder.questions.some(each => each.join() === found.join());
      say(set ? "A test question: it occurs in no training text."
        : "No test question: the base model may have read it with its solution.");
      show(all.map(model => answer(model, numbers)));
    }

    function show(answers) {
      tokens = answers.map(({ target, steps }, r) => {
        const { template } = models[r], found = check(target, template.end, numbers);
        const parts = [make("span", { class: "step" })];  // a step, or an equals sign
        const buttons = target.map((token, t) => {
          const [[, p]] = steps[t].top;
          const chip = make("button", {
            type: "button", class: token in NAMES ? "token special" : "token", style: `--p: ${p.toFixed(3)}`,
            "aria-label": `${spoken(token)}, probability ${percent(p)}`,
            onclick: () => choose(r, t), onkeydown: event => walk(event, r, t),
          }, make("b", {}, shown(token)), make("small", {}, p < 0.995 ? p.toFixed(2) : ""));
          if (token === "=") parts.push(chip, make("span", { class: "step" }));
          else parts.at(-1).append(chip);
          return chip;
        });
        parts.filter(part => part.matches(".step")).forEach((part, i) =>
          part.classList.toggle("wrong", !found.steps[i].right));
        rows[r].answer.replaceChildren(...parts);
        rows[r].verdict.textContent = verdict(found);
        rows[r].element.classList.toggle("right", found.right);
        rows[r].drawn.replaceChildren();
        return buttons.map((chip, t) => ({ chip, before: target.slice(0, t), ...steps[t] }));
      });
      const all = tokens.flatMap((row, r) => row.map(({ top }, t) => [top[0][1], r, t]));
      const [, r, t] = all.reduce((least, each) => each[0] < least[0] ? each : least);
      choose(r, t);  // where a model is least sure
    }

    function choose(r, t) {
      tokens.flat().forEach(({ chip }) => { chip.tabIndex = -1; chip.setAttribute("aria-pressed", "false"); });
      const { chip, before, top } = tokens[r][t];
      chip.tabIndex = 0;
      chip.setAttribute("aria-pressed", "true");
      const written = before.map(shown).join("");
      rows[r].drawn.before(expected);
      expected.replaceChildren(
        make("p", {}, written ? "The likeliest after " : "The likeliest beginnings", make("em", {}, written), ":"),
        make("ol", {}, ...top.slice(0, 3).map(([token, p]) => make("li", {}, make("span", {}, shown(token)),
          make("i", { style: `--p: ${p.toFixed(3)}` }), make("output", {}, percent(p))))));
    }

    function walk(event, r, t) {
      const row = tokens[r], beside = by => tokens[(r + by + tokens.length) % tokens.length];
      const near = there => there[Math.min(t, there.length - 1)];
      const next = {
        ArrowLeft: row[Math.max(0, t - 1)], ArrowRight: row[Math.min(row.length - 1, t + 1)],
        Home: row[0], End: row.at(-1), ArrowUp: near(beside(-1)), ArrowDown: near(beside(1)),
      }[event.key];
      if (!next) return;
      const at = tokens.findIndex(each => each.includes(next));
      choose(at, tokens[at].indexOf(next));
      next.chip.focus();
      event.preventDefault();
    }

    // Eight answers of each model, and which number is the most frequent among them.
    async function draw() {
      const mine = ++run, all = await ready(), told = [];
      if (!all) return;
      rows.forEach(row => row.drawn.replaceChildren());
      for (const [r, model] of all.entries()) {
        const counts = new Map();
        let right = 0;
        for (const i of range(DRAWS)) {
          await new Promise(done => setTimeout(done));  // so that the page stays alive
          if (mine !== run) return;
          const found = check(answer(model, numbers, temperature()).target, model.template.end, numbers);
          counts.set(found.number, (counts.get(found.number) || 0) + 1);
          right += found.right;
          told[r] = tally(rows[r], counts, right, i + 1, found.wanted);
        }
      }
      say(`Majorities of ${DRAWS}: ${rows.map(({ name }, r) => `${name} ${told[r]}`).join(", ")}.`);
    }

    // Show what was drawn; gives the majority in words, of two the one that was drawn first.
    function tally({ drawn }, counts, right, count, wanted) {
      const order = [...counts].sort((a, b) => b[1] - a[1]), best = order.find(([number]) => number !== null);
      const list = order.map(([number, times]) =>
        make("span", number === best?.[0] ? { class: "most" } : {}, `${number ?? "no end"} × ${times}`));
      const majority = !best ? "none" : `${best[0]}, ${best[0] === wanted ? "right" : "wrong"}`;
      drawn.replaceChildren(make("span", {}, `${count} drawn, ${right} right: `),
        ...list.flatMap(each => [each, " "]), `majority ${majority}`);
      return majority;
    }

    show(models);
  }

  return { load, answer, check, verdict, mount };
})();

if (globalThis.document) {
  for (const root of document.querySelectorAll(".d2l-adder:not([data-ready])")) {
    root.dataset.ready = "";
    d2lAdder.mount(root, JSON.parse(root.querySelector("[type='application/json']").textContent));
  }
}
