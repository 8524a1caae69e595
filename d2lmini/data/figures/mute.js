// What a language model writes next with all heads, and without one of them.
const { beginnings, heads, names } = given, places = range(5);
choices("text", "Beginning", beginnings.map((_, i) => i + 1));
choices("head", "Without head", ["none", ...names]);
const words = make("p");
picture.before(words);

function list(left, title, tokens) {  // five tokens with bars
  return `<g font-weight="bold">${text(left + 4, 18, title, "start")}</g>` + tokens.map(([token, p], i) => {
    const y = 28 + 32 * i;
    return `<rect x="${left}" y="${y}" width="${(204 * p).toFixed(1)}" height="26" fill="var(--plain)" fill-opacity="0.4"/>` +
      `<path class="line faint" d="M${left} ${y}v26"/>` + text(left + 8, y + 18, token, "start") +
      text(left + 204, y + 18, p.toFixed(2), "end");
  }).join("");
}

draw = () => {
  const { tokens, next, heads: all } = beginnings[shown.text], muted = all[shown.head - 1];
  const name = heads[shown.head - 1], [[first, p]] = next, last = tokens.at(-1);
  words.replaceChildren(...tokens.flatMap((token, i) => {
    const word = make("span", {}, token), share = muted ? muted.percent[i] : 0;
    word.style = `padding: 0.15em; border-radius: 0.25em; background: color-mix(in srgb, var(--weight) ${share / 2}%, transparent)`;
    return [i && /\w/.test(token) ? " " : "", word];
  }), " …");
  const same = muted ? next.flatMap(([token], i) => {
    const j = muted.next.findIndex(([other]) => other === token);
    return j < 0 ? [] : path([[212, 41 + 32 * i], [248, 41 + 32 * j]], "faint");
  }) : [];
  paint(460, 190, list(4, "all heads", next) + same.join("") + (muted ? list(252, `without head ${name}`, muted.next) : ""));
  const best = muted ? muted.percent.indexOf(Math.max(...muted.percent)) : 0;
  status.textContent = muted
    ? `Without head ${name}, “${first}” has ${muted.without[0].toFixed(2)} instead of ${p.toFixed(2)}. ` +
      `Without another head of its layer it has ${muted.others[0].toFixed(2)} on average. ` +
      `From “${last}”, head ${name} looks most at ${best === tokens.length - 1 ? "itself" : `“${tokens[best]}”`}.`
    : `With all heads, “${first}” has ${p.toFixed(2)}. Switch a head off.`;
  table.querySelectorAll("tbody th").forEach((th, i) => {
    th.textContent = i < 5 ? next[i][0] : `${first}, another head of the layer off`;
  });
  fill([...places.map(i => [next[i][1], ...all.map(({ without }) => without[i])]),
    [p, ...all.map(({ others }) => others[0])]]);
};
