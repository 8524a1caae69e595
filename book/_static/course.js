// What the theme leaves to do for readers on paper and with a keyboard or a screen reader.

// A page is printed with the light theme, whichever is on the screen, and with open folds.
const root = document.documentElement;
let onScreen;
let closed;
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  root.dataset.theme = "light";
  closed = document.querySelectorAll("article details:not([open])");
  for (const fold of closed) fold.open = true;
});
addEventListener("afterprint", () => {
  root.dataset.theme = onScreen;
  for (const fold of closed) fold.open = false;
});

// The entry of the page is in view in the table of contents, which on a phone opens later.
// A page without an entry, as the start page, shows the list's beginning, with the search.
function showEntry() {
  const list = document.querySelector(".bd-sidebar-primary");
  if (!list?.clientHeight) return;
  const entry = list.querySelector(".bd-links a.current");
  if (!entry) {
    list.scrollTop = 0;
    return;
  }
  const { top, bottom } = entry.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) list.scrollTop += top - innerHeight / 2;
}
addEventListener("load", showEntry);
addEventListener("click", ({ target }) => {
  if (target.closest?.(".primary-toggle")) setTimeout(showEntry, 300); // it slides in
}, true); // before the theme, which lets nobody else know

// A formula is copied as its source.
addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed) return;
  const copied = document.createElement("div");
  copied.append(selection.getRangeAt(0).cloneContents());
  const formulas = copied.querySelectorAll("[data-tex]");
  if (!formulas.length) return;
  for (const formula of formulas) formula.textContent = formula.dataset.tex;
  for (const sign of copied.querySelectorAll("button, .headerlink")) sign.remove();
  document.body.append(copied); // where its blocks become lines
  event.clipboardData.setData("text/plain", copied.innerText);
  copied.remove();
  event.preventDefault();
});

// What is wider than its place can be scrolled with the keyboard. A box is measured when it
// is laid out, and never all of them at once, as the theme would do (tools/book/lighter_pages.py).
const BOXES = `article :is(
  pre, .cell_output > .output, .pst-scrollable-table-container, div.math, mjx-container
)`;
const sizes = new ResizeObserver((entries) => {
  const scrolls = entries.map(({ target: box }) =>
    box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible");
  entries.forEach(({ target: box }, i) => {
    if (scrolls[i]) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
});

addEventListener("load", () => {
  // The arrows of the table of contents get names.
  for (const item of document.querySelectorAll(".bd-links li:has(> details)")) {
    const chapter = item.querySelector("a").textContent.trim();
    item.querySelector("summary").setAttribute("aria-label", `Pages of ${chapter}`);
  }
  // Buttons that copy get the name of their code: its number on the page and first line.
  document.querySelectorAll("button.copybtn").forEach((button, i) => {
    const code = document.querySelector(button.dataset.clipboardTarget).textContent;
    const line = code.trim().split("\n", 1)[0];
    button.setAttribute("aria-label", `Copy code ${i + 1}: ${line}`);
  });
  // The head of the sidebar, with the logo and the search, gets a place among the landmarks.
  const head = document.querySelector(".sidebar-primary-items__start");
  head?.setAttribute("role", "navigation");
  head?.setAttribute("aria-label", "Start page and search");
  const boxes = [...document.querySelectorAll(BOXES)];
  boxes.forEach((box) => sizes.observe(box));
  // Letters that come later may be wider, which no observer tells.
  document.fonts.addEventListener("loadingdone", () => {
    for (const box of boxes) sizes.unobserve(box), sizes.observe(box);
  });
});

// A click on a figure, or its button, opens it large: as wide as the window, or on a phone
// in its own size, to be scrolled. Escape or a click closes it.
function enlarge(image) {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.setAttribute("aria-label", figureName(image));
  const close = document.createElement("button");
  close.textContent = "Close";
  const figure = document.createElement("figure");
  figure.tabIndex = 0; // to be scrolled by keyboard
  const own = image.naturalWidth || parseFloat(image.style.width);
  const { width, height } = image.viewBox?.baseVal ?? image.getBoundingClientRect();
  const room = Math.min(innerWidth - 48, (innerHeight - 96) * width / height);
  const copy = image.cloneNode(true);
  copy.removeAttribute("id");
  copy.style.width = `${Math.max(own, room)}px`;
  figure.append(copy);
  dialog.append(close, figure);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.querySelector("article").append(dialog);
  dialog.showModal();
}
const figureName = (image) =>
  image.closest("figure")?.querySelector(".caption-number")?.textContent.replace(". ", "")
  ?? (image.alt ?? image.getAttribute("aria-label")).split(". ", 1)[0];
const FIGURES = "article :is(.cell_output, figure) :is(img, .drawing:not(.panels *))";
for (const image of document.querySelectorAll(FIGURES)) {
  const button = document.createElement("button");
  button.className = "enlarge";
  button.textContent = "Enlarge";
  button.setAttribute("aria-label", `Enlarge: ${figureName(image)}`);
  for (const place of [button, image]) {
    place.addEventListener("click", () => enlarge(image));
  }
  const caption = image.closest("figure")?.querySelector("figcaption p");
  (caption ?? image.parentElement).append(button);
}

// A guess (tools/book/guesses.py): the items of a list become buttons, and only when one is
// tapped, the result is shown, and the line about the answer, one of those in the fold below.
// The result is what follows: cells, and what is said about them up to the next cell.
// The list tells by an event "guess" which one it was.
function resultOf(list) {
  const result = [];
  let said = false;
  let next = list.nextElementSibling ?? list.parentElement.nextElementSibling;
  for (; next && !next.matches("section, h2, h3, .guess"); next = next.nextElementSibling) {
    const cell = next.matches(".cell, figure");
    if (cell && said) break;
    if (next.nextElementSibling?.matches(".guess")) break; // the next question
    said ||= !cell;
    result.push(next);
  }
  return result;
}
for (const list of document.querySelectorAll("article ul.guess")) {
  const fold = list.nextElementSibling?.matches("details") ? list.nextElementSibling : null;
  const about = [...(fold?.querySelectorAll("li") ?? [])];
  fold?.remove();
  const result = list.dataset.open ? [] : resultOf(list);
  for (const part of result) part.classList.add("guessed");
  const line = document.createElement("p");
  line.className = "line";
  line.setAttribute("aria-live", "polite");
  if (result.length) line.textContent = "The result appears when you choose.";
  list.after(line);
  [...list.children].forEach((answer, number) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...(answer.firstElementChild?.matches("p") ? answer.firstElementChild : answer).childNodes);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const each of list.querySelectorAll("button")) {
        each.setAttribute("aria-pressed", String(each === button));
      }
      for (const part of result) part.classList.remove("guessed");
      line.innerHTML = (about[number]?.querySelector("p") ?? about[number])?.innerHTML ?? "";
      list.dispatchEvent(new CustomEvent("guess", { detail: number }));
    });
    answer.replaceChildren(button);
  });
}

// A figure with very many numbers gets them when it is near (tools/book/lighter_pages.py).
// Then the script of its kind, which stands in the page, draws it.
function loadFigure(figure) {
  const { later, kind } = figure.dataset, script = document.createElement("script");
  if (figure.matches("[data-loading]")) return;
  figure.dataset.loading = "";
  script.src = later;
  script.onload = () => {
    figure.dataset.given = window.figures[later.split("/").pop()];
    for (const name of ["ready", "later", "loading"]) delete figure.dataset[name];
    const drawing = document.createElement("script"), mark = `[data-kind="${kind}"]:not([data-ready])`;
    drawing.textContent = [...document.scripts].find((each) => each.textContent.includes(mark)).textContent;
    document.head.append(drawing);
  };
  document.head.append(script);
}
const distant = document.querySelectorAll(".d2l-figure[data-later]");
const nearing = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    nearing.unobserve(target);
    loadFigure(target);
  }
}, { rootMargin: "1500px" });
for (const figure of distant) nearing.observe(figure);
addEventListener("beforeprint", () => distant.forEach((figure) => figure.dataset.later && loadFigure(figure)));

// On a phone, a cell of more than so many lines is folded until somebody asks for all of it.
const LONG = 16;
for (const cell of document.querySelectorAll("article div.cell_input")) {
  const number = cell.querySelector("pre")?.textContent.trimEnd().split("\n").length ?? 0;
  if (number <= LONG || cell.closest("details")) continue;
  const button = document.createElement("button");
  button.className = "unfold";
  button.textContent = `All ${number} lines`;
  button.addEventListener("click", () => cell.classList.remove("folded"));
  cell.classList.add("folded");
  cell.after(button);
}
