// The first screen: where a pronoun looks, drawn as threads that can be cut. All answers are
// stored in the page (experiments/try_it/threads.py); nothing is computed or loaded here.
(() => {
  const screen = document.getElementById("first-screen");
  const { nouns } = JSON.parse(screen.querySelector("script[type='application/json']").textContent);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const $ = selector => screen.querySelector(selector);
  const stage = $(".stage"), said = $(".said"), controls = $(".controls");
  const THREADED = 5; // the head that has both threads, among 24
  const state = { noun: nouns[0], cut: [false, false], head: null, seen: new Set(), guess: null };

  function make(tag, attributes = {}, ...content) {
    const svg = ["svg", "path", "rect", "circle"].includes(tag);
    const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element[name] = value;
      else if (value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...content);
    return element;
  }
  const wait = ms => new Promise(done => setTimeout(done, calm.matches ? 0 : ms));
  const italic = (text, lang) => make("i", { lang }, text);

  // --- what the translator answers --------------------------------------------------------

  const answer = ({ noun, cut, head } = state) => {
    const usual = noun.cuts[0];
    if (head === null) return noun.cuts[cut[0] + 2 * cut[1]];
    const [text, ...probabilities] = noun.heads[head];
    return [text || usual[0], ...probabilities];
  };
  const pronoun = text => /qu'(elle|il) /.exec(text)?.[1];
  const isFeminine = noun => pronoun(noun.cuts[0][0]) === "elle";
  const isCut = i => state.cut[i] || state.head === THREADED;
  // What became of a sentence without a head: nothing, another pronoun, or another word.
  const outcome = (noun, head) => {
    const [text] = noun.heads[head];
    if (!text) return "=";
    return pronoun(text) && pronoun(text) !== pronoun(noun.cuts[0][0]) ? pronoun(text) : "≈";
  };

  // --- the French, corrected as by a proofreader ------------------------------------------

  // Pairs of words, before and after: those in which two sentences agree at both ends, and
  // between them one by one, or as a whole where their numbers differ.
  function compared(before, after) {
    const [a, b] = [before.split(" "), after.split(" ")];
    let start = 0, end = 0;
    while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
    while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
    const middle = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
    const between = middle[0].length === middle[1].length
      ? middle[0].map((word, i) => [word, middle[1][i]]) : [middle.map(words => words.join(" "))];
    const same = words => words.map(word => [word, word]);
    return [...same(a.slice(0, start)), ...between, ...same(a.slice(a.length - end))];
  }

  const MEANS = { elle: "she", il: "he" };
  const told = word => MEANS[word] ? [word, make("small", { lang: "en" }, MEANS[word])] : [word];

  function word([before, after], first) {
    const text = first ? before[0].toUpperCase() + before.slice(1) : before;
    if (before !== after) {
      const kept = before.startsWith("qu'") && after.startsWith("qu'") ? 3 : after && before.startsWith(after) ? after.length : 0;
      const inserted = after.slice(kept);
      return [text.slice(0, kept), make("del", {}, before.slice(kept)), ...(inserted ? [make("ins", {}, ...told(inserted))] : [])];
    }
    if (pronoun(`${before} `)) return ["qu'", make("b", {}, ...told(before.slice(3)))];
    if (before === "fatiguée") return ["fatigué", make("b", {}, "e")];
    return [text];
  }

  function drawFrench() {
    const pairs = compared(state.noun.cuts[0][0], answer()[0]).filter(([before]) => before !== ".");
    const spans = pairs.map((pair, i) => make("span", {}, ...word(pair, i === 0)));
    spans.at(-1).append(".");
    const line = $(".french");
    line.replaceChildren(...spans.flatMap((span, i) => i ? [" ", span] : [span]));
    line.normalize();
    for (const node of [...line.querySelectorAll("span")].flatMap(span => [...span.childNodes])) {
      if (node.nodeType === 3) node.data = node.data.replaceAll("'", "’");
    }
  }

  // --- what is said about it --------------------------------------------------------------

  function say() {
    const { noun, cut: [it, adjective], head } = state;
    const feminine = isFeminine(noun), [text, elle] = answer();
    const name = italic(noun.noun), turned = feminine && pronoun(text) === "il";
    const parts = [];
    const strong = (...content) => parts.push(make("strong", {}, ...content));
    const more = (...content) => parts.push(" ", ...content);
    if (head !== null) {
      const found = outcome(noun, head);
      strong(`Head ${head + 1} of 24 is off.`);
      if (found === "=") more("Not a letter changes: it does something else, or other heads do the same.");
      else if (head === THREADED && turned) more("This is the head with both threads: ", italic("elle", "fr"), " is gone, and so is the ", italic("e", "fr"), ".");
      else more("Another word changes, and the pronoun stays.");
    } else if (!it && !adjective) {
      strong(italic("It"), " looks back and finds ", name);
      more(`with the weight ${noun.weights[0].toFixed(2)}`);
      if (feminine) parts.push(", and takes from it what French needs to know: ", italic("elle", "fr"), ".");
      else parts.push(". In French this is a ", italic("he"), ", so ", italic("it"), " becomes ", italic("il", "fr"), ".");
    } else if (!feminine) {
      strong("Nothing changes.");
      more(italic("Il", "fr"), " is what this translator writes when it does not know. Cut the thread of a feminine noun.");
    } else if (it && !turned) {
      strong("Here ", italic("elle", "fr"), " survives");
      more(`but its probability falls to ${elle.toFixed(2)}. It also comes by another way.`);
    } else if (it && adjective) {
      strong("Both threads are cut.");
      more(italic("Elle", "fr"), " and the ", italic("e", "fr"), " are gone.");
    } else if (it) {
      strong("One weight is gone, and ", italic("elle", "fr"), " has become ", italic("il", "fr"), ".");
      more("Only the ", italic("e", "fr"), " of ", italic("fatiguée", "fr"), " remembers it. It hangs on the other thread.");
    } else {
      strong("Only the ", italic("e", "fr"), " falls off.");
      more(italic("Tired"), ` looks at ${noun.noun} by itself, with the weight ${noun.weights[1].toFixed(2)}. The pronoun does not need that.`);
    }
    if (state.guess && it && head === null) {
      const right = state.guess === (turned ? "turns" : "stays");
      more(right ? "As you guessed." : "You guessed something else.");
    }
    said.replaceChildren(...parts);
  }

  // --- the threads -------------------------------------------------------------------------

  const svg = make("svg", { class: "threads", "aria-hidden": "true" });
  const ends = [".it", ".adjective"];
  const threads = ends.map((_, i) => {
    const ghost = make("path", { class: "ghost" });
    const path = make("path", { class: `thread ${i ? "second" : "first"}`, pathLength: 1 });
    const button = make("button", { type: "button", class: `cut ${i ? "second" : "first"}`, onclick: () => toggle(i) });
    svg.append(ghost, path);
    return { ghost, path, button };
  });
  const weight = make("span", { class: "weight", "aria-hidden": "true" });
  stage.append(svg, weight, ...threads.map(({ button }) => button));

  function box(selector) {
    const [{ left, top }, found] = [stage.getBoundingClientRect(), $(selector).getBoundingClientRect()];
    return { x: found.left - left + found.width / 2, top: found.top - top, bottom: found.bottom - top, height: found.height };
  }

  // Arcs above the sentence, or where it has two lines, curves between them.
  function layout() {
    const noun = box(".noun"), wide = Math.abs(noun.top - box(".it").top) < 9;
    stage.classList.toggle("folded", !wide);
    threads.forEach(({ ghost, path, button }, i) => {
      const from = box(ends[i]), to = noun.x + (wide ? 9 - 18 * i : 26 * i - 14);
      const start = from.top + from.height * 0.12, end = wide ? noun.top + noun.height * 0.12 : noun.bottom - noun.height * 0.1;
      const rise = 130 + 84 * i, middle = start + (end - start) * (i ? 0.75 : 0.5);
      const d = wide ? `M${from.x} ${start} C${from.x} ${start - rise},${to} ${end - rise},${to} ${end}`
        : `M${from.x} ${start} C${from.x} ${middle},${to} ${middle},${to} ${end}`;
      ghost.setAttribute("d", d), path.setAttribute("d", d);
      const { x, y } = at(path, wide ? 0.5 : i ? 0.3 : 0.5);
      button.style.translate = `calc(${x}px - 50%) calc(${y}px - 50%)`;
      if (!i) weight.style.translate = wide ? `calc(${x}px - 50%) ${y + 26}px` : `calc(${x - 76}px - 50%) calc(${y}px - 50%)`;
    });
  }
  const at = (path, share) => path.getPointAtLength(path.getTotalLength() * share);

  function drawThreads() {
    threads.forEach(({ ghost, path, button }, i) => {
      const gone = isCut(i), own = state.cut[i];
      path.classList.toggle("gone", gone), ghost.classList.toggle("shown", gone);
      const what = i ? "the thread of tired" : "the thread of it";
      button.textContent = own ? "Mend" : i ? "✂" : "✂ Cut";
      button.setAttribute("aria-label", `${own ? "Mend" : "Cut"} ${what}`);
      button.setAttribute("aria-pressed", own);
    });
    weight.textContent = isCut(0) ? "0" : state.noun.weights[0].toFixed(2);
    weight.classList.toggle("none", isCut(0));
  }

  // Both halves of a cut thread fall like ropes: points that keep their speed and distance.
  function fall({ path }) {
    if (calm.matches) return;
    const number = 14, ropes = [0, 1].map(end => {
      const points = Array.from({ length: number }, (_, k) => {
        const { x, y } = at(path, end + (0.5 - end) * k / (number - 1));
        return { x, y, before: [x, y] };
      });
      points.at(-1).before = [points.at(-1).x + (end ? -6 : 6), points.at(-1).y + 6];
      const rope = make("path", { class: path.getAttribute("class").replace("gone", "") + " rope" });
      svg.append(rope);
      return { points, rope };
    });
    const rest = path.getTotalLength() / 2 / (number - 1), begin = performance.now();
    const step = now => {
      const age = (now - begin) / 1000, length = rest * Math.max(0.4, 1 - age);
      for (const { points, rope } of ropes) {
        for (const point of points.slice(1)) {
          const { x, y, before } = point;
          point.before = [x, y];
          point.x += 0.97 * (x - before[0]), point.y += 0.97 * (y - before[1]) + 0.4;
        }
        for (let round = 0; round < 8; round++) {
          for (let k = 1; k < number; k++) {
            const [a, b] = [points[k - 1], points[k]], [dx, dy] = [b.x - a.x, b.y - a.y];
            const pull = 1 - length / (Math.hypot(dx, dy) || 1), share = k === 1 ? 0 : 0.5;
            a.x += share * pull * dx, a.y += share * pull * dy;
            b.x -= (1 - share) * pull * dx, b.y -= (1 - share) * pull * dy;
          }
        }
        rope.setAttribute("d", `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L")}`);
        rope.style.opacity = Math.min(1, Math.max(0, 2 * (1 - age)));
      }
      if (age < 1) requestAnimationFrame(step);
      else for (const { rope } of ropes) rope.remove();
    };
    requestAnimationFrame(step);
  }

  function toggle(i) {
    state.head = null;
    state.cut[i] = !state.cut[i];
    if (state.cut[i]) fall(threads[i]);
    draw();
  }

  // --- nouns, a guess, and all heads --------------------------------------------------------

  const GUESSES = ["stays", "turns", "breaks"];
  const asked = italic("elle", "fr"), other = italic("il", "fr");
  const answers = make("ul", { class: "guess", "data-open": "true" }, // course.js makes them buttons
    make("li", {}, "it stays"), make("li", {}, make("span", {}, "it becomes ", other)), make("li", {}, "the sentence breaks"));
  answers.addEventListener("guess", ({ detail }) => {
    state.guess = GUESSES[detail];
    threads[0].button.classList.add("next");
    question.replaceChildren("Now cut the thread of ", italic("it"), ": tap the scissors.");
  });
  const question = make("span", { role: "status" });
  const guess = make("div", { class: "ask", role: "group", "aria-label": "Your guess" }, question, answers);
  function drawGuess() {
    const pronouns = isFeminine(state.noun) ? ["elle", "il"] : ["il", "elle"];
    asked.textContent = pronouns[0], other.textContent = pronouns[1];
    guess.style.visibility = isCut(0) && !state.guess ? "hidden" : ""; // nobody guesses what is seen
  }
  function forgetGuess() {
    state.guess = null;
    question.replaceChildren("Guess: if the thread of ", italic("it"), " is cut, what becomes of ", asked, "?");
    for (const button of answers.querySelectorAll("button")) button.setAttribute("aria-pressed", "false");
  }

  const choice = noun => make("label", {},
    make("input", { type: "radio", name: "first-screen-noun", value: noun.noun, checked: noun === state.noun, onchange: () => {
      Object.assign(state, { noun, cut: [false, false], head: null, seen: new Set() });
      $(".noun").textContent = noun.noun;
      forgetGuess();
      draw();
    } }), noun.noun);
  const choices = make("fieldset", { class: "nouns" }, make("legend", {}, "The noun"),
    make("span", {}, "a ", italic("she"), " in French"), ...nouns.filter(isFeminine).map(choice),
    make("span", {}, "a ", italic("he")), ...nouns.filter(noun => !isFeminine(noun)).map(choice));

  const GROUPS = ["reading: English looks at English", "writing: French looks at French", "writing: French looks at English"];
  const summary = make("p", { role: "status" });
  const all = make("button", { type: "button", class: "all" });
  const tiles = Array.from({ length: 24 }, (_, head) => make("button", { type: "button", onclick: () => {
    stop();
    switchOff(state.head === head ? null : head);
  } }));
  const heads = make("div", { class: "heads", role: "group", "aria-label": "All heads" }, all, make("p", {}, make("strong", {}, "All 24 heads")), summary,
    make("div", { class: "groups" }, ...GROUPS.map((group, k) => make("div", { role: "group", "aria-label": group },
      make("small", {}, group), make("div", {}, ...tiles.slice(8 * k, 8 * k + 8))))));
  heads.onkeydown = event => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key], from = tiles.indexOf(document.activeElement);
    if (!move || from < 0) return;
    event.preventDefault();
    tiles[(from + move + 24) % 24].focus();
  };
  forgetGuess();
  controls.append(guess, choices, heads);

  function drawHeads() {
    tiles.forEach((tile, head) => {
      const bars = [...state.noun.looks[head]].map((tenths, j) => make("rect", { x: 4 * j + 1, width: 3, y: 33 - 3.2 * tenths, height: 3.2 * tenths + 1 }));
      const seen = state.seen.has(head), found = seen ? outcome(state.noun, head) : "";
      const says = { "": "", "=": ": nothing changes", "≈": ": another word changes" }[found] ?? `: ${found}`;
      tile.replaceChildren(make("svg", { viewBox: `0 0 ${4 * bars.length + 1} 34`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars), make("span", { "aria-hidden": "true" }, found));
      tile.setAttribute("aria-label", `Switch off head ${head % 4 + 1} of block ${(head % 8 >> 2) + 1}, ${GROUPS[head >> 3]}${says}`);
      tile.setAttribute("aria-pressed", state.head === head);
      tile.classList.toggle("turns", seen && !"=≈".includes(found));
    });
    const found = [...state.seen].map(head => outcome(state.noun, head)), number = kind => found.filter(each => each === kind).length;
    const turns = found.length - number("=") - number("≈");
    summary.textContent = !found.length ? "The translator has 24 heads. Each has such weights of its own, and its picture shows where the pronoun looks. Both threads belong to one of them. Switch one off, or all in turn."
      : `${found.length} of 24 heads switched off, one at a time: ${number("=")} change nothing, ${number("≈")} another word, and ${turns} the pronoun.`;
    all.textContent = running ? "Stop" : state.head === null ? "Switch off all 24, one by one" : "Switch it on again";
  }

  function switchOff(head) {
    state.cut = [false, false];
    state.head = head;
    if (head !== null) state.seen.add(head);
    if (head === THREADED) threads.forEach(fall);
    draw();
  }

  let running = null;
  const stop = () => { running = null; };
  all.onclick = async () => {
    if (running || state.head !== null) {
      stop();
      return switchOff(null);
    }
    const own = running = {};
    state.seen.clear();
    said.removeAttribute("role"); // nobody wants to hear 24 answers
    for (let head = 0; head < 24 && running === own; head++) {
      switchOff(head);
      await new Promise(done => setTimeout(done, outcome(state.noun, head) === "=" ? 260 : 1200));
    }
    said.setAttribute("role", "status");
    if (running === own) {
      stop();
      switchOff(null);
    }
  };

  function draw() {
    drawGuess();
    drawFrench();
    drawThreads();
    drawHeads();
    say();
    layout();
  }

  // --- the first seconds: it asks, the noun answers, and the French is written ------------------

  async function travel(path, kind, reverse) {
    const dot = make("span", { class: `dot ${kind}` });
    dot.style.offsetPath = `path("${path.getAttribute("d")}")`;
    stage.append(dot);
    const frames = [{ offsetDistance: "0%" }, { offsetDistance: "100%" }];
    await dot.animate(reverse ? frames.reverse() : frames, { duration: 700, easing: "ease-in-out", fill: "both" }).finished;
    dot.remove();
  }

  async function play() {
    layout();
    if (calm.matches || document.visibilityState !== "visible") return;
    screen.classList.add("playing");
    await wait(300);
    const [{ path }] = threads;
    screen.classList.add("asks");
    await Promise.all([travel(path, "query"), path.animate([{ strokeDashoffset: 1 }, { strokeDashoffset: 0 }], { duration: 700, easing: "ease-in-out" }).finished]);
    screen.classList.add("answered");
    await wait(250);
    await travel(path, "value", true);
    screen.classList.remove("playing", "asks", "answered");
  }

  screen.classList.add("ready"); // at once, so that nothing on the page moves later
  draw();
  new ResizeObserver(layout).observe(stage);
  (document.fonts?.ready ?? Promise.resolve()).then(play);
})();
