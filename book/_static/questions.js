// Checks the questions of a page, remembers the answers, and shows on the start page how
// far one has come. The questions and the words for each answer are in the page, written by
// tools/book/questions.py.

(() => {
  // What is remembered of a page: its answers by question, and how many of all are right.
  const remembered = {
    key: (page) => `d2lmini/questions/${page}`,
    // A browser may refuse to store anything, as in some private windows.
    read(page) {
      try {
        return JSON.parse(localStorage.getItem(this.key(page)));
      } catch {
        return null;
      }
    },
    write(page, record) {
      try {
        if (record) localStorage.setItem(this.key(page), JSON.stringify(record));
        else localStorage.removeItem(this.key(page));
      } catch { /* the answers are forgotten with the page */ }
    },
  };

  // 0.5, 0,5, 1/2, 50 %, −2 and 1,600 are numbers; NaN for what is none.
  function toNumber(text) {
    let plain = text.replace(/\s/g, "").replace(/−/g, "-");
    if (/^-?\d{1,3}(,\d{3})+$/.test(plain)) plain = plain.replaceAll(",", "");
    plain = plain.replace(",", ".");
    const [, upper, lower = "1", percent] =
      plain.match(/^(-?(?:\d+\.?\d*|\.\d+))(?:\/(\d+\.?\d*))?(%?)$/) ?? [];
    return Number(upper) / Number(lower) / (percent ? 100 : 1);
  }

  // The template of the answer that somebody gives, if it is one of those that are known.
  function outcome(form, given) {
    return [...form.querySelectorAll("template")].find(({ dataset }) =>
      Math.abs(given - dataset.answer) <= Number(dataset.within) + 1e-9
    );
  }

  function tell(form, kind, words, template) {
    const verdict = form.querySelector(".verdict");
    verdict.replaceChildren(document.createElement("strong"), " ");
    verdict.firstChild.textContent = words;
    if (template) verdict.append(template.content.cloneNode(true));
    form.dataset.verdict = kind;
  }

  // Says of an answer whether it is right, and why; false if it is no answer.
  function check(form, text) {
    const choice = form.querySelector("[type=radio]");
    const given = text ? toNumber(text) : NaN;
    if (Number.isNaN(given)) {
      tell(form, "", choice ? "Choose an answer first." : "Write a number, such as 0.5.");
      return false;
    }
    const found = outcome(form, given);
    const right = found?.hasAttribute("data-right");
    const other = choice ? "Not quite." : found ? "Not yet." : "Not yet. Try again.";
    tell(form, right ? "right" : "wrong", right ? "Right." : other, found);
    const show = form.querySelector("[type=button]");
    if (show) show.hidden = right;
    return true;
  }

  function watch(questions) {
    const { page } = questions.dataset;
    const forms = [...questions.querySelectorAll("form")];
    const state = questions.querySelector(".state");
    const answers = {};

    function count() {
      const right = forms.filter((form) => form.dataset.verdict === "right").length;
      state.hidden = !Object.keys(answers).length;
      state.firstChild.textContent = `${right} of ${forms.length} right.`;
      return { answers, right, of: forms.length };
    }

    const before = remembered.read(page)?.answers ?? {};
    for (const form of forms) {
      const { question } = form.dataset;
      if (question in before) {
        answers[question] = before[question];
        form.elements.answer.value = before[question];
        check(form, before[question]);
      }
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const text = form.elements.answer.value;
        if (!check(form, text)) return;
        answers[question] = text;
        remembered.write(page, count());
      });
      form.querySelector("[type=button]")?.addEventListener("click", () => {
        tell(form, "shown", "The answer:", form.querySelector("[data-right]"));
        remembered.write(page, count());
      });
    }
    state.querySelector("button").addEventListener("click", () => {
      for (const form of forms) {
        form.reset();
        form.querySelector(".verdict").replaceChildren();
        delete form.dataset.verdict;
        delete answers[form.dataset.question];
        const show = form.querySelector("[type=button]");
        if (show) show.hidden = true;
      }
      remembered.write(page, null);
      count();
      forms[0].querySelector("input").focus();
    });
    count();
  }

  document.querySelectorAll("div.questions").forEach(watch);

  // In the table of chapters of the start page, and in the list beside each page.
  const LINKS = "article td:first-child a[href], li.chapter > a:first-child";
  for (const link of document.querySelectorAll(LINKS)) {
    const [, page] = link.pathname.match(/\/notebooks\/(\w+)(?:\.html)?$/) ?? [];
    const record = page && remembered.read(page);
    if (!record) continue;
    const progress = document.createElement("span");
    progress.className = "progress-so-far";
    const listed = link.closest("li.chapter");
    progress.textContent = listed ? ` ${record.right}/${record.of}` : `${record.right} of ${record.of} questions`;
    if (listed) link.append(progress);
    else link.after(" ", progress);
  }
})();
