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
  // A formula that is wider than the page can be scrolled with the keyboard.
  for (const box of document.querySelectorAll("div.math, mjx-container")) {
    if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible") {
      box.tabIndex = 0;
    }
  }
});
