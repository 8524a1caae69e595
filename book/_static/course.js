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

// The index of the search, a large file, is read when a reader begins to search.
addEventListener("focusin", ({ target }) => {
  const loaded = document.querySelector("script[src*='searchindex.js']");
  if (target.matches?.("input[name=q]") && !loaded) {
    const script = document.createElement("script");
    script.src = new URL("searchindex.js", new URL(root.dataset.content_root, location));
    document.body.append(script);
  }
});

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
  // A formula that is wider than the page can be scrolled with the keyboard.
  for (const box of document.querySelectorAll("div.math, mjx-container")) {
    if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible") {
      box.tabIndex = 0;
    }
  }
});
