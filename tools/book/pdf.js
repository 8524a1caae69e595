// What pdf.py asks of a page of the book before it is printed, and does to it.
globalThis.d2lPdf = {
  // What the page is called, and its sections: identifier and heading of each.
  headings() {
    const text = (heading) => {
      const copy = heading.cloneNode(true);
      for (const link of copy.querySelectorAll("a.headerlink, a.report")) link.remove();
      return copy.textContent.trim();
    };
    const sections = [...document.querySelectorAll("article section[id] > h2")];
    return [
      document.querySelector("article h1").dataset.title ?? text(document.querySelector("article h1")),
      sections.map((heading) => [heading.parentElement.id, text(heading)]),
    ];
  },

  // Chromium notes only those places in its PDF to which a link leads.
  markPlaces() {
    for (const place of document.querySelectorAll("article [id]")) {
      const link = document.createElement("a");
      link.href = "#" + place.id;
      link.style.display = "none";
      document.body.append(link);
    }
  },

  keepStatements() {
    for (const fold of document.querySelectorAll("article details")) fold.remove();
  },

  // Nothing scrolls on paper: formulas and tables that are too wide become smaller.
  async fit() {
    dispatchEvent(new Event("beforeprint"));
    while (document.querySelector("[data-later]")) await new Promise((next) => setTimeout(next, 20));
    document.body.offsetHeight; // fonts of what folds hide are read when it is laid out
    await document.fonts.ready;
    for (const box of document.querySelectorAll("article :is(div.math, table)")) {
      const frame = box.parentElement;
      const { paddingLeft, paddingRight } = getComputedStyle(frame);
      const room = frame.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      if (box.scrollWidth > room) box.style.zoom = room / box.scrollWidth;
    }
  },
};
