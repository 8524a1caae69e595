// A position as the hands of clocks, one for each pair of columns.
const { omega, names, last } = given, size = 96;
slider("i", "Position", range(last + 1), given.i);
draw = () => {
  const point = (k, i, radius) => {  // clockwise from the top
    const x = size * (k + 0.5), angle = i * omega[k];
    return [x + radius * Math.sin(angle), 86 - radius * Math.cos(angle)];
  };
  paint(size * omega.length, 180, omega.map((_, k) => {
    const dots = range(shown.i + 1).map(i => {
      const [x, y] = point(k, i, 40);
      return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.5" fill="var(--plain)"/>`;
    });
    const centre = [size * (k + 0.5), 86], angle = shown.i * omega[k];
    const [what, which] = names[k].split(/ (.*)/);  // on two lines, for a phone
    return text(centre[0], 14, what) + text(centre[0], 32, which) +
      `<circle class="line faint" cx="${centre[0]}" cy="86" r="40"/>` +
      dots.join("") + path([centre, point(k, shown.i, 40)], "plain") +
      text(centre[0], 154, signed(Math.sin(angle))) + text(centre[0], 174, signed(Math.cos(angle)));
  }).join(""));
  const turns = omega.map(w => (shown.i * w / (2 * Math.PI)).toFixed(2));
  status.textContent = `Position ${shown.i}: the hands have made ${turns.join(", ")} turns. ` +
    "Below each clock stand the sine and the cosine, two entries of the row.";
  fill(omega.map(w => [Math.sin(shown.i * w), Math.cos(shown.i * w)]));
};
