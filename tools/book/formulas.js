// Runs MathJax without a browser: from formulas in TeX to HTML and CSS (formulas.py).

const { mathjax } = MathJax._.mathjax;
const adaptor = MathJax._.adaptors.liteAdaptor.liteAdaptor();
MathJax._.a11y["assistive-mml"].AssistiveMmlHandler(
  MathJax._.handlers.html_ts.RegisterHTMLHandler(adaptor)
);
const chtml = new MathJax._.output.chtml_ts.CHTML({
  font: new MathJax._.output.chtml.fonts.tex_ts.TeXFont({ fontURL: "formulas" }),
  matchFontHeight: false, // the same size on every machine
  scale: 1.15,
});

function fail(source, message) {
  throw new Error(`${message}: ${source}`);
}

// Takes the formulas of one page, in their delimiters; returns the HTML of each.
function set(sources) {
  const tex = new MathJax._.input.tex_ts.TeX({
    packages: ["base", "ams", "boldsymbol", "newcommand"],
    formatError: (jax, error) => fail(jax.latex, error.message),
  });
  const page = mathjax.document("", {
    InputJax: tex,
    OutputJax: chtml,
    compileError: (_, formula, error) => fail(formula.math, error.message),
    typesetError: (_, formula, error) => fail(formula.math, error.message),
  });
  const boxes = sources.map((source) => adaptor.node("div", {}, [adaptor.text(source)]));
  for (const box of boxes) adaptor.append(adaptor.body(page.document), box);
  page.render();
  return boxes.map((box, index) => {
    for (const [, label] of sources[index].matchAll(/\\(?:eq)?ref\s*\{([^}]*)\}/g)) {
      if (!(label in tex.parseOptions.tags.allLabels)) fail(sources[index], "No such label");
    }
    const html = adaptor.innerHTML(box);
    return html.includes("<mjx-container") ? html : fail(sources[index], "No formula");
  });
}

// Takes the formulas of every page; returns the HTML of each and the CSS of all, as JSON.
function setAll(pages) {
  const result = { pages: {} };
  for (const [name, sources] of Object.entries(pages)) {
    try {
      result.pages[name] = set(sources);
    } catch (error) {
      return JSON.stringify({ error: `${name}: ${error.message}` });
    }
  }
  result.css = adaptor.textContent(chtml.styleSheet(mathjax.document("", { OutputJax: chtml })));
  return JSON.stringify(result);
}
0; // what evaluating this file yields: a number, which Python can take
