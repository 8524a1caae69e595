// Requests that share a batch: the next ones wait for all of it, or for one slot.
const { lengths, size, step } = given, kinds = ["Static batch", "Continuous batch"];
slider("size", "Batch size", range(Math.min(8, lengths.length)).map(i => i + 1), size);
shown.step = step;
let timer, found;
const steps = make("div", { role: "group", "aria-label": "Steps" });
const [back, next, play] = [["Back", -1], ["Next", 1], ["Play", 0]].map(([label, by]) => {
  const button = make("button", { type: "button" }, label);
  button.onclick = () => {
    const start = !by && !timer;
    stop();
    if (start) {
      if (shown.step >= found[0].steps) shown.step = 0;
      timer = setInterval(() => { shown.step += 1; draw(); }, 500);
      play.textContent = "Pause";
    }
    shown.step += by;
    draw();
  };
  steps.append(button);
  return button;
});
controls.append(steps);

function stop() {
  clearInterval(timer);
  timer = undefined;
  play.textContent = "Play";
}

function schedule(continuous) {
  const free = Array(shown.size).fill(0);  // the step from which a slot is free
  const runs = lengths.map((length, i) => {
    if (!continuous && i % shown.size === 0) free.fill(Math.max(...free));
    const slot = free.indexOf(Math.min(...free)), start = free[slot];
    free[slot] += length;
    return { slot, start, end: free[slot] };
  });
  return { runs, steps: Math.max(...free) };
}

draw = () => {
  found = [schedule(false), schedule(true)];  // the first never takes fewer steps
  const now = shown.step = Math.min(shown.step, found[0].steps), most = found[0].steps;
  if (timer && now === most) stop();
  const left = 8, unit = 444 / most, height = 40 + 24 * shown.size, numbers = [];
  const panels = found.map(({ runs, steps }, k) => {
    const top = k * (height + 14), until = Math.min(now, steps);
    const rect = (slot, start, end, style) =>
      `<rect x="${(left + unit * start).toFixed(1)}" y="${top + 26 + 24 * slot}"` +
      ` width="${(unit * (end - start)).toFixed(1)}" height="20" ${style}/>`;
    const waiting = range(lengths.length).filter(i => runs[i].start >= until && until < steps);
    const note = now >= steps ? `done after ${steps} steps`
      : waiting.length ? `waiting: ${waiting.map(i => i + 1).join(" ")}` : "nobody waits";
    const idle = range(shown.size).map(slot =>
      until ? rect(slot, 0, until, 'fill="#888" fill-opacity="0.2"') : "");
    const parts = runs.filter(({ start }) => start < until).map(run => {
      const i = runs.indexOf(run), end = Math.min(run.end, until), room = unit * (end - run.start);
      const number = String(i + 1), middle = left + unit * (run.start + end) / 2;
      return rect(run.slot, run.start, end,
        `fill="var(--plain)" fill-opacity="${run.end > until ? 0.6 : 0.35}" stroke="currentColor" stroke-opacity="0.5"`) +
        (room > 4 + 8 * number.length ? text(middle, top + 41 + 24 * run.slot, number) : "");
    });
    const busy = runs.filter(({ start, end }) => start < until && end >= until).length;
    const share = sum(lengths) / (steps * shown.size);
    const wait = sum(runs.map(({ start }) => start)) / runs.length;
    numbers.push(now >= steps ? `${steps} steps, slots busy ${(100 * share).toFixed(0)} % of the time, ` +
      `a request waits ${wait.toFixed(1)} steps on average`
      : `${busy} of ${shown.size} slots busy, ${waiting.length} requests waiting`);
    return text(left, top + 16, `${kinds[k]}, ${note}`, "start") + idle.join("") + parts.join("") +
      range(shown.size + 1).map(slot => path([[left, top + 24 + 24 * slot], [left + 444, top + 24 + 24 * slot]], "faint")).join("");
  });
  const line = left + unit * now, bottom = 2 * height + 4;
  paint(460, bottom + 20, panels.join("") + path([[line, 22], [line, height - 12]], "") +
    path([[line, height + 36], [line, bottom - 2]], "") + text(Math.min(430, Math.max(30, line)), bottom + 14, `step ${now}`));
  status.textContent = `Step ${now}. ${kinds.map((kind, k) => `${kind}: ${numbers[k]}.`).join(" ")}`;
  back.disabled = !now;
  next.disabled = now === most;
  const rows = lengths.map((length, i) =>
    [length, ...found.flatMap(({ runs }) => [runs[i].start, runs[i].end])]);
  fill([...rows, rows[0].map((_, j) => sum(rows.map(row => row[j])) / rows.length)]);
};
