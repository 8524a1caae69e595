// A document as a language model reads it: how probable each token was before it came.
const { documents } = given;  // of each: title, tokens, and what was expected: [p, five likeliest]
let chosen, picked, hovered, spans;
choices("text", "Text", documents.map(({ title }) => title), given.text);
const steps = make("div", { role: "group", "aria-label": "Move" });
const passage = make("div", { role: "group", "aria-label": "Tokens of the text" });
for (const [name, step] of [["Token before", -1], ["Next token", 1]]) {
  const button = make("button", { type: "button" }, name);
  button.onclick = () => pick(picked + step);
  steps.append(button);
}
passage.style = "max-width: 34rem; margin: 0.5rem auto; text-align: start; line-height: 2.1";
picture.before(passage, steps);
steps.style = "display: flex; justify-content: center; gap: 0.3rem";

// A token at place k: a piece that goes on with the word before it begins with dots.
const goesOn = (token, k) => /^[\p{L}\d]/u.test(token) && /[\p{L}\d]$/u.test(documents[chosen].tokens[k - 1]);
const name = (token, k) => goesOn(token, k) ? `…${token}`
  : token.trim() || (token.includes("\n") ? "a new line" : "a space");
const said = p => p < 0.005 ? "less than 0.01" : p.toFixed(2);

function lay() {  // the tokens of the chosen text
  const { tokens, next } = documents[chosen];
  spans = tokens.map((token, k) => {
    const span = make("span", {}, token.trim());
    span.style = "padding: 0.3em 0.05em; border-radius: 0.25em; margin: 0 0.5px; font-weight: inherit";
    passage.append(...(token.startsWith(" ") ? [" "] : []), span);
    if (!k) return span;
    span.style.background = `color-mix(in srgb, var(--plain) ${(45 * next[k - 1][0]).toFixed(1)}%, transparent)`;
    span.style.cursor = "pointer";
    span.setAttribute("role", "button");
    span.setAttribute("aria-label", `${name(token, k)}, ${said(next[k - 1][0])}`);
    span.onclick = () => pick(k);
    span.onfocus = () => { if (span.matches(":focus-visible")) pick(k); };
    span.onpointermove = event => {
      if (event.pointerType !== "mouse" || hovered === k) return;
      hovered = k;
      draw();
    };
    span.onkeydown = event => {
      const to = { ArrowLeft: picked - 1, ArrowRight: picked + 1, Home: 1, End: spans.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      pick(to);
      spans[picked].focus();
    };
    return span;
  });
  passage.onpointerleave = () => { hovered = undefined; draw(); };
}

function pick(k) {
  picked = Math.min(spans.length - 1, Math.max(1, k));
  hovered = undefined;
  draw();
}

draw = () => {
  if (chosen !== shown.text) {
    chosen = shown.text;
    passage.replaceChildren();
    lay();
    hovered = undefined;
    picked = documents[chosen].first;
  }
  const k = hovered ?? picked, { tokens, next } = documents[chosen], [p, best] = next[k - 1];
  const token = tokens[k], place = best.findIndex(([other]) => other === token);
  const rows = place < 0 ? [...best, [token, p]] : best;
  spans.slice(1).forEach((span, i) => {
    const here = i + 1 === k;
    span.setAttribute("aria-pressed", i + 1 === picked);
    span.tabIndex = i + 1 === picked ? 0 : -1;
    span.style.boxShadow = here ? "0 0 0 2px currentColor" : "none";
  });
  const [back, on] = steps.children;
  back.disabled = picked === 1;
  on.disabled = picked === spans.length - 1;
  paint(360, 196, rows.map(([other, q], i) => {
    const y = 2 + 32 * i + (i === 5 ? 4 : 0), mine = other === token;
    return `<g${mine ? ' font-weight="bold"' : ""}>` +
      `<rect x="112" y="${y}" width="${(200 * q).toFixed(1)}" height="26" fill="var(--plain)" fill-opacity="${mine ? 0.8 : 0.35}"/>` +
      `<path class="line faint" d="M112 ${y}v26"/>` + text(104, y + 18, name(other, k), "end") +
      text(118 + 200 * q, y + 18, said(q).replace("less than ", "< "), "start") + "</g>";
  }).join(""));
  const [first, most] = best[0], came = name(token, k);
  status.textContent = place === 0
    ? `Before it read “${came}”, the model expected “${came}” most, with ${said(p)}.`
    : `Before it read “${came}”, the model expected “${name(first, k)}” most, with ${said(most)}. “${came}” had ${said(p)}.`;
  table.querySelectorAll("tbody th").forEach((th, i) => {
    th.textContent = i < 5 ? name(best[i][0], k) : `what came: ${came}`;
  });
  fill([...best.map(([, q]) => [q]), [p]]);
};
