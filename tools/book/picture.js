// What picture.py does to the start page before it takes the picture.
globalThis.d2lPicture = {
  // Remove all but what these selectors show, and in it what those of links name.
  keep(shown, links) {
    for (const link of document.querySelectorAll(links)) link.remove();
    const kept = [...document.querySelectorAll(shown)];
    for (const part of document.querySelectorAll("body *")) {
      if (!kept.some((each) => each.contains(part) || part.contains(each))) part.remove();
    }
  },

  // The names of the parts that do not fit into the window.
  cutOff(shown) {
    const parts = [...document.querySelectorAll(shown)].filter((part) => {
      const { left, top, right, bottom } = part.getBoundingClientRect();
      return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
    });
    return parts.map((part) => part.tagName.toLowerCase());
  },
};
