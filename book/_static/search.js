// The search of the book: sections by relevance, with MiniSearch (minisearch.js), while one
// types. The theme's dialogue and the page search.html call Sphinx's `Search`; here it gets
// another way to find and to show results. What is looked through, tools/book/search.py
// has written; it is read when a reader begins to search.

// Words of questions, and what the whole course is about: they find nothing by themselves.
const QUESTION = `can do does explain find get have how i me my use using what when where
  which why work works you from scratch pytorch tutorial`;
const SHOWN = 25;

// How much a find in a field and on a page counts.
const FIELDS = { title: 6, terms: 8, defines: 4, page: 2, text: 1, code: 0.5 };
const ABOUT = ["title", "terms", "defines"]; // what a section with this find is about
const PAGES = {
  "notebooks/exercises/": 0.3, "notebooks/further/": 0.6, "book/names": 0.3, "book/": 0.5,
};
const NAMED = 3; // where the query is the title of the section, a term, or defined there

// A number at the end is a word of its own, so that gpt2 is GPT-2, and √d is sqrt d.
const splitWords = (text) =>
  text.replaceAll("√", " sqrt ").replace(/(?<=\p{Letter}{2})(?=\p{Number}+\b)/gu, " ")
    .match(/[\p{Letter}\p{Number}_]+/gu) ?? [];

// The stem of a word, in lower case and American spelling, and the stems of its parts.
function stems(word, stemmer) {
  const parts = word.match(/\p{Lu}?[\p{Ll}\p{Number}]+|\p{Lu}+(?!\p{Ll})/gu) ?? [];
  const forms = /\p{Ll}\p{Lu}|_/u.test(word) ? [word, ...parts] : [word];
  return forms.map((form) => {
    const plain = form.toLowerCase().replace(/is(e|ed|er|es|ing|ations?)$/, "iz$1");
    return stemmer.stemWord(plain);
  });
}

class Finder {
  constructor(sections) {
    this.sections = sections;
    const stemmer = new Stemmer(); // Sphinx's, as are `stopwords`
    this.stems = (word) => stems(word, stemmer);
    this.skipped = new Set([...stopwords, ...QUESTION.split(/\s+/)]);
    this.index = new MiniSearch({
      idField: "url",
      fields: Object.keys(FIELDS),
      extractField: (section, field) => [section[field]].flat().join(" "),
      tokenize: splitWords,
      processTerm: this.stems,
    });
    this.index.addAll(sections);
    this.byUrl = new Map(sections.map((section) => [section.url, section]));
    this.names = new Map(
      sections.map(({ url, title, terms, defines }) =>
        [url, [title, ...terms, ...defines].map((name) => this.joined(this.asked(name)))]),
    );
  }

  joined = (words) => words.flatMap((word) => this.stems(word)).join(" ");

  // The words of a text that say what is looked for; all of them, if none does.
  asked(text) {
    const words = splitWords(text);
    const asked = words.filter((word) => !this.skipped.has(word.toLowerCase()));
    return asked.length ? asked : words;
  }

  // Sections that hold all words of the query. Where none of them has one of the words in
  // its title or its terms, they only happen to hold them: then those that hold some.
  find(query) {
    const words = this.asked(query);
    const text = words.join(" ");
    const whole = this.joined(words);
    const boostDocument = (url) => {
      const page = Object.keys(PAGES).find((start) => url.startsWith(start));
      return (PAGES[page] ?? 1) * (this.names.get(url).includes(whole) ? NAMED : 1);
    };
    const options = { boost: FIELDS, boostDocument, prefix: (term) => term.length > 2 };
    const all = this.index.search(text, { ...options, combineWith: "AND" });
    const isAbout = ({ match }) =>
      Object.values(match).flat().some((field) => ABOUT.includes(field));
    return all.some(isAbout) ? all : this.index.search(text, options);
  }

  // About thirty words of a section's text, where it holds most of the found words.
  excerpt({ id, terms }, length = 30) {
    const { text } = this.byUrl.get(id);
    const words = text.split(" ");
    const hits = words.map((word) =>
      splitWords(word).flatMap(this.stems).filter((stem) => terms.includes(stem)),
    );
    let best = [0, 0];
    hits.forEach((found, start) => {
      const count = new Set(hits.slice(start, start + length).flat()).size;
      if (found.length && count > best[0]) best = [count, start];
    });
    const start = Math.max(0, best[1] - 5);
    const shown = document.createElement("p");
    shown.className = "context";
    if (start) shown.append("… ");
    for (let i = start; i < Math.min(start + length, words.length); i += 1) {
      const word = document.createElement(hits[i].length ? "mark" : "span");
      word.textContent = words[i];
      shown.append(word, " ");
    }
    if (start + length < words.length) shown.append("…");
    return shown;
  }
}

const readScript = (name) =>
  new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const root = new URL(document.documentElement.dataset.content_root, location);
    Object.assign(script, { src: new URL(name, root), onload: resolve, onerror: reject });
    document.body.append(script);
  });

let finder;
const readFinder = () =>
  (finder ??= Promise.all([readScript("_static/minisearch.js"), readScript("sections.js")])
    .then(() => new Finder(sections)));

async function showResults(query) {
  const { title, status, output } = Search; // of this query: another may follow at once
  const engine = await readFinder();
  const results = engine.find(query);
  for (const result of results.slice(0, SHOWN)) {
    const section = engine.byUrl.get(result.id);
    const link = document.createElement("a");
    link.href = result.id;
    link.textContent =
      section.title === section.page ? section.page : `${section.page} › ${section.title}`;
    const item = document.createElement("li");
    item.append(link);
    if (section.text) item.append(engine.excerpt(result));
    output.append(item);
  }
  Search.stopPulse();
  title.textContent = results.length ? "Search results" : "Nothing found";
  status.textContent = results.length
    ? `${results.length} section${results.length === 1 ? "" : "s"} found`
    : `No section of this course mentions “${query.trim()}”.`;
}

// By now Sphinx has begun the search of search.html, and waits for its own index.
document.addEventListener("DOMContentLoaded", () => {
  Search.hasIndex = () => true;
  Search.query = showResults;
  if (Search._queued_query !== null) showResults(Search._queued_query);
});
addEventListener("focusin", ({ target }) => {
  if (target.matches?.("input[name=q]")) readFinder();
});
