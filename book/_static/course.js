// What the theme leaves to do for readers on paper and with a keyboard or a screen reader.

// A page is printed with the light theme, whichever is on the screen.
const root = document.documentElement;
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = onScreen;
});

addEventListener("load", async () => {
  // The arrows of the table of contents get names.
  for (const item of document.querySelectorAll(".bd-links li:has(> details)")) {
    const chapter = item.querySelector("a").textContent.trim();
    item.querySelector("summary").setAttribute("aria-label", `Pages of ${chapter}`);
  }
  // A formula that is wider than the page can be scrolled with the keyboard.
  await window.MathJax?.startup?.promise;
  for (const box of document.querySelectorAll("div.math, mjx-container")) {
    if (box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX !== "visible") {
      box.tabIndex = 0;
    }
  }
});
