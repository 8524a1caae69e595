"""The rendered book in a browser: requests, script errors, widths, links, accessibility.

Slow, and needs a built book (`make book`) and Chromium or Chrome.
"""

import functools
import gzip
import http.server
import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, quote_plus, unquote, urldefrag, urljoin, urlsplit

import nbformat.v4
import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.errors import ExtensionError

import d2lmini
from tools import ROOT
from tools.book.address import add_address
from tools.notebooks import execute, save

pytestmark = pytest.mark.slow
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")
BOOK = ROOT / "_build" / "html"
NAMES = re.findall(r"\b(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
# All chapters and pages of the book, and a few of the exercises and of Going further.
ON_A_PHONE = [
    name for name in NAMES if re.match(r"book/|notebooks/(\d|\w+/(05|11_))", name)
]
# Pages that stand for the others, in all combinations of width and theme: plain text, an
# explorer, the longest chapter, exercises, wide tables.
FEW = [
    "book/index",
    "book/try",
    "notebooks/04_bahdanau",
    "notebooks/07_transformer",
    "notebooks/exercises/05_multi_head",
    "book/results",
]
KV_CACHE = "notebooks/07_transformer#decoding-with-a-keyvalue-cache"
GPT = "notebooks/11_gpt#from-the-transformer-to-llama"
HELP = "book/index#report-a-mistake-or-contribute"
SEARCHES = {  # what a reader looks for, and the section that must come first
    "Trainer": "notebooks/00_training#model-data-and-trainer-as-three-classes",
    "BLEU": "notebooks/00_translation#bleu",
    "attention": "notebooks/01_queries_keys_values#attention-in-one-picture",
    "temperature": "notebooks/01_queries_keys_values#from-scores-to-weights-the-softmax",
    "how do I mask padding": "notebooks/03_scoring_functions#padding",
    "masking padding": "notebooks/03_scoring_functions#padding",
    "dropout": "notebooks/03_scoring_functions#scaled-dot-product-attention",
    "why divide by sqrt d": "notebooks/03_scoring_functions#scaling-by-d",
    "divide by sqrt(d_k)": "notebooks/03_scoring_functions#scaling-by-d",
    "multi-head attention": "notebooks/05_multi_head#definition",
    "MultiHeadAttention": "notebooks/05_multi_head#the-layer",
    "positional encoding": "notebooks/06_positional_encoding#positional-encodings",
    "rotary": "notebooks/06_positional_encoding#rotary-encoding",
    "RoPE": "notebooks/06_positional_encoding#rotary-encoding",
    "transformer from scratch": "notebooks/07_transformer#the-architecture",
    "attention is all you need": "notebooks/07_transformer#the-architecture",
    "layer norm": "notebooks/07_transformer#residual-connections-and-layer-normalisation",
    "kv cache": KV_CACHE,
    "KV-cache": KV_CACHE,
    "key-value cache": KV_CACHE,
    "key–value caching": KV_CACHE,
    "bert": "notebooks/10_pretraining#predicting-masked-tokens",
    "gpt2 pytorch": GPT,
    "gpt-2": GPT,
    "top-p": "notebooks/11_gpt#the-distribution-of-the-next-token",
    "LoRA": "notebooks/12_post_training#low-rank-adaptation",
    "install": "book/index#run-the-notebooks",
    "set_axes": "book/names#d2lmini.drawing.set_axes",
    "license": HELP,
    "licence": HELP,
    "contribute": HELP,
    "how to contribute": HELP,
    "report a mistake": HELP,
}

# What axe-core finds in what others make, and we cannot mend.
THEIRS = {
    "empty-table-header",  # a formula counts as nothing; a test below finds others
    "aria-deprecated-role",  # docutils' lists of references
    "aria-allowed-role",
    "aria-required-children",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    """Where the built book is served."""
    if not (BOOK / "book" / "index.html").exists():
        pytest.skip("there is no built book: run `make book` first")
    handler = functools.partial(Quiet, directory=str(BOOK))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_page(browser, address):
    """A function that opens a page of the book and waits until it is complete."""
    contexts = []

    def open_page(name, width=1400, scheme="light"):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        contexts.append(context)
        context.add_init_script(
            f"localStorage.setItem('mode', '{scheme}');"
            f"localStorage.setItem('theme', '{scheme}')"
        )
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(f"script: {error}"))
        page.on(
            "console",
            lambda m: page.faults.append(f"console: {m.text}") if m.type == "error" else 0,
        )
        page.on("request", lambda request: note_outside(page, request.url, address))
        page.goto(f"{address}/{name}")
        return page

    yield open_page
    for context in contexts:
        context.close()


def note_outside(page, url, address):
    if not url.startswith((address, "data:", "blob:")):
        page.faults.append(f"outside request: {url}")


WIDE = """[...document.querySelectorAll('body *')].filter(e =>
  e.getBoundingClientRect().right > innerWidth + 1 &&
  ![...function* () { for (let p = e.parentElement; p; p = p.parentElement) yield p }()]
    .some(p => getComputedStyle(p).overflowX != 'visible')
).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)"""

# Whether formulas need scrolling, of those that the tab key stops at, and of the others.
SCROLLING = """stops => [...document.querySelectorAll("div.math, mjx-container")]
  .filter(e => !e.closest("details:not([open])")) // measured when they are opened
  .filter(e => getComputedStyle(e).overflowX !== "visible" && (e.tabIndex === 0) === stops)
  .map(e => e.scrollWidth > e.clientWidth)"""

# Folds whose content would be printed before it has become visible.
FADING = """[...document.querySelectorAll('details.hide > :not(summary)')]
  .filter(e => getComputedStyle(e).animationName != 'none').length"""

# Formulas whose punctuation stands below them.
LONELY = """[...document.querySelectorAll("article .math")].filter(e => {
  if (!/^[.,;:!?)]/.test(e.nextSibling?.data ?? "")) return false;
  const sign = document.createRange();
  sign.setStart(e.nextSibling, 0);
  sign.setEnd(e.nextSibling, 1);
  return sign.getBoundingClientRect().top > e.getBoundingClientRect().bottom - 2;
}).map(e => e.dataset.tex)"""

# What cells have printed and the edge of the column cuts.
CUT_OUTPUTS = """[...document.querySelectorAll("article .cell_output pre")]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 200))"""

# The number of characters in the longest line of each text without formulas.
LINES = """[...document.querySelectorAll("article :is(p, li)")]
  .filter(e => e.getClientRects().length && !e.querySelector(".math, ul, p, code"))
  .map(e => {
    const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    const at = document.createRange();
    const lines = new Map();
    while (texts.nextNode()) {
      for (let i = 0; i < texts.currentNode.length; i++) {
        at.setStart(texts.currentNode, i);
        at.setEnd(texts.currentNode, i + 1);
        const y = Math.round(at.getBoundingClientRect().bottom / 10);
        lines.set(y, (lines.get(y) ?? 0) + 1);
      }
    }
    return Math.max(0, ...lines.values());
  })"""

SMALLEST_CODE = """Math.min(Infinity, ...[...document.querySelectorAll('article pre')]
  .map(e => parseFloat(getComputedStyle(e).fontSize)))"""

# What scrolls sideways, each with the attachments of its backgrounds.
SCROLLED = """[...document.querySelectorAll(
    'article :is(pre, .pst-scrollable-table-container, div.output.text_html)')]
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => getComputedStyle(e).backgroundAttachment)"""

# Code that would lose its right end on paper.
CUT_OFF = """[...document.querySelectorAll('pre')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 200))"""


def lay_out(page):
    """Lay out the whole page, as for a reader who has been everywhere."""
    page.add_style_tag(content="section { content-visibility: visible !important }")
    page.wait_for_timeout(400)


def violations(page):
    found = Axe().run(page).response["violations"]
    return {each["id"]: [node["html"][:200] for node in each["nodes"]] for each in found}


def assert_complete_and_fits(page):
    assert page.faults == []
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, page.evaluate(WIDE)


@pytest.mark.parametrize("name", ON_A_PHONE)
def test_a_page_fits_a_phone_is_accessible_and_prints_whole(open_page, name):
    page = open_page(f"{name}.html", 390)
    lay_out(page)
    assert_complete_and_fits(page)
    found = violations(page)
    assert found.keys() <= THEIRS, found
    assert page.evaluate(LONELY) == []
    assert page.evaluate(SMALLEST_CODE) >= 12
    assert all(page.evaluate(SCROLLING, True)) and not any(page.evaluate(SCROLLING, False))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 without its margins
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(FADING) == 0


@pytest.mark.parametrize(
    ("width", "scheme"), [(1400, "light"), (1400, "dark"), (390, "dark")]
)
@pytest.mark.parametrize("name", FEW)
def test_a_page_fits_a_screen_in_both_themes_and_prints_in_light(
    open_page, name, width, scheme
):
    page = open_page(f"{name}.html", width, scheme)
    lay_out(page)
    assert_complete_and_fits(page)
    assert violations(page) == {}
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    closed = page.locator("article details:not([open])")
    assert closed.count() == 0  # folds are open on paper, and closed again afterwards
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == page.locator("article details").count()


def test_what_scrolls_sideways_on_a_phone_has_a_shadow_at_its_edge(open_page):
    page = open_page("notebooks/07_transformer.html", 390)
    lay_out(page)
    found = page.evaluate(SCROLLED)
    assert len(found) > 30  # code, outputs and tables
    assert set(found) == {"local, local, scroll, scroll, scroll"}


def colour(page, place, x, y):
    """The colour of the pixel at (x, y) of an element."""
    picture = Image.open(io.BytesIO(place.screenshot())).convert("RGB")
    return picture.getpixel((x, y))


def test_figures_have_no_face_in_the_dark_but_photographs_have(open_page):
    page = open_page("notebooks/08_vision_transformer.html", scheme="dark")
    text = colour(page, page.locator("article p").first, 0, 0)
    figure = page.locator("article .cell_output img:not(.photograph)").first
    assert colour(page, figure, 3, 3) == text
    assert min(colour(page, page.locator("article img.photograph").first, 12, 12)) > 200


@pytest.mark.parametrize("name", FEW)
def test_buttons_and_folds_are_named_after_what_they_hold(open_page, name):
    page = open_page(f"{name}.html")
    names = page.evaluate(
        "[...document.querySelectorAll('article :is(button.copybtn, summary)')]"
        ".map(e => e.ariaLabel ?? e.textContent.trim())"
    )
    assert "" not in names and len(set(names)) >= 0.95 * len(names)


@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_has_its_entry_in_view_in_the_table_of_contents(open_page, address, width):
    page = open_page("notebooks/01_queries_keys_values.html", width)
    page.set_viewport_size({"width": width, "height": 500})
    page.goto(f"{address}/book/results.html")
    if width < 600:
        page.locator("button.primary-toggle").first.click()
    entry = page.locator(".bd-links a.current").first
    page.wait_for_timeout(1000)
    box = entry.bounding_box()
    assert 0 <= box["y"] and box["y"] + box["height"] <= 500


def test_a_page_without_an_entry_shows_the_table_of_contents_from_its_top(
    open_page, address
):
    page = open_page("book/results.html")
    page.wait_for_load_state("load")
    scrolled = "document.querySelector('.bd-sidebar-primary').scrollTop"
    assert page.evaluate(scrolled) > 0  # which the theme remembers for the next page
    page.goto(f"{address}/book/index.html")
    page.wait_for_timeout(1000)
    assert page.evaluate(scrolled) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_of_a_heading_fades_and_goes_at_once_for_who_wants_no_motion(
    open_page, scheme
):
    page = open_page("notebooks/03_scoring_functions.html#the-causal-mask", 1400, scheme)
    heading = page.locator(":target > h3, :target > h2")
    colour = "e => getComputedStyle(e).backgroundColor"
    duration = "e => e.getAnimations()[0].effect.getTiming().duration"
    # From its beginning, however long the page took to load.
    heading.evaluate("e => { e.getAnimations()[0].pause(); }")
    heading.evaluate("e => { e.getAnimations()[0].currentTime = 0; }")
    assert heading.evaluate(colour) != "rgba(0, 0, 0, 0)"
    assert heading.evaluate(duration) == 1000
    heading.evaluate("e => e.getAnimations()[0].finish()")
    assert heading.evaluate(colour) == "rgba(0, 0, 0, 0)"
    page.emulate_media(reduced_motion="reduce")
    assert heading.evaluate(duration) <= 1


def test_without_the_sidebar_a_line_has_at_most_85_characters(open_page):
    page = open_page("notebooks/07_transformer.html", 1920)
    page.locator("button.primary-toggle:visible").click()
    page.wait_for_timeout(500)
    lines = page.evaluate(LINES)
    assert 70 < max(lines) <= 85


@pytest.mark.parametrize("name", ["notebooks/05_multi_head", "notebooks/11_gpt"])
def test_what_is_printed_is_not_cut_at_the_edge(open_page, name):
    assert open_page(f"{name}.html").evaluate(CUT_OUTPUTS) == []


def test_a_phone_lays_out_what_is_near_the_screen_and_measures_it_then(open_page):
    page = open_page("notebooks/07_transformer.html", 390)
    section = page.locator("section#decoding-with-a-keyvalue-cache")
    shown = "e => e.lastElementChild.checkVisibility({contentVisibilityAuto: true})"
    stops = """e => [...e.querySelectorAll("pre, div.math")]
      .filter(box => box.scrollWidth > box.clientWidth && !box.closest("details"))
      .map(box => box.tabIndex)"""
    page.wait_for_timeout(1000)
    assert not section.evaluate(shown)
    assert set(section.evaluate(stops)) == {-1}  # not even the theme has measured them
    section.evaluate("e => e.scrollIntoView()")
    page.wait_for_timeout(500)
    assert section.evaluate(shown)
    assert set(section.evaluate(stops)) == {0}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_enlarged_by_touch_and_keyboard(open_page, scheme):
    page = open_page("notebooks/07_transformer.html", 390, scheme)
    figure, dialog = page.locator("#figure-7-1"), page.locator("dialog.enlarged")
    figure.locator("img").click()
    image = dialog.locator("img")
    assert image.bounding_box()["width"] > 500 > figure.bounding_box()["width"]
    scroll = "e => { e.scrollLeft = 100; return e.scrollLeft; }"
    assert dialog.locator("figure").evaluate(scroll) == 100
    assert violations(page) == {}
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    button = figure.get_by_role("button", name="Enlarge: Figure 7.1")
    button.press("Enter")
    assert dialog.get_attribute("aria-label") == "Figure 7.1"
    image.click()
    assert dialog.count() == 0
    assert button.evaluate("e => e === document.activeElement")


def test_a_formula_is_copied_as_its_source(open_page):
    page = open_page("notebooks/01_queries_keys_values.html")
    copied = page.evaluate("""() => {
      const text = document.querySelector("p:has(.math)"), data = new DataTransfer();
      getSelection().selectAllChildren(text);
      text.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, bubbles: true}));
      return [data.getData("text/plain"), text.querySelector(".math").dataset.tex];
    }""")
    assert copied[1].startswith(r"\(") and copied[1] in copied[0]


@pytest.mark.parametrize(
    "name", ["book/index", "notebooks/01_queries_keys_values", "search"]
)
def test_a_first_visit_leaves_no_message_in_the_console(browser, address, name):
    page, told = browser.new_page(color_scheme="dark"), []
    page.on("console", lambda m: told.append(m.text) if m.type != "log" else 0)
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    assert told == []
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.close()


# Kilobytes that a page may load, if the server compresses them, before somebody touches it.
CHAPTERS = [name for name in NAMES if re.match(r"notebooks/\d", name)]
WEIGHTS = {"book/index": 250} | dict.fromkeys(["book/try", *CHAPTERS], 500)


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_page_loads_little(browser, address, name):
    page, loaded = browser.new_page(), []
    page.on("response", lambda response: loaded.append(response))
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    total = 0
    for response in loaded:
        packed = response.url.partition("?")[0].endswith((".woff", ".woff2", ".png"))
        body = response.body()
        total += len(body if packed else gzip.compress(body))
    assert total < 1000 * WEIGHTS[name]
    page.close()


def test_the_search_answers_while_one_types(open_page):
    page = open_page("book/index.html")
    index = page.locator("script[src*='sections.js']")
    assert index.count() == 0  # it is read when somebody searches
    page.keyboard.press("Control+k")
    page.keyboard.type("masked softmax")
    first = page.locator("#search-results ul.search li a").first
    first.wait_for()
    assert index.count() == 1 and page.faults == []
    assert "3" in first.text_content()


def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_are_numbered_on_the_page_and_their_slides_lead_to_them(address, name):
    page, deck = (
        soup(BOOK / f"{name}.html"),
        soup(BOOK / "slides" / Path(f"{name}.html").name),
    )
    numbers = [tag.text for tag in page.select("figcaption .caption-number")]
    start = numbers[0].removesuffix("1. ")
    assert numbers == [f"{start}{place}. " for place in range(1, len(numbers) + 1)]
    places = {figure["id"] for figure in page.select("figure[id]")}
    assert len(places) == len(numbers)
    links = [link["href"].partition("#")[2] for link in deck.select("a.figure")]
    assert links and set(links) <= places


@pytest.mark.parametrize("name", NAMES)
def test_no_fold_is_unnamed_and_no_table_has_an_empty_heading(address, name):
    page = soup(BOOK / f"{name}.html")
    assert not [tag for tag in page.find_all("th") if not tag.text.strip()]
    assert not page.find_all("summary", attrs={"aria-label": "Toggle hidden content"})
    assert all(tag.text.strip() for tag in page.select(".bd-article summary"))


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_is_set_and_no_page_loads_mathjax(address, name):
    page = soup(BOOK / f"{name}.html")
    linked = 'a[href^="#mjx-eqn"]'  # a reference to a formula is a link to its number
    assert all(tag.select_one(f"mjx-container, {linked}") for tag in page.select(".math"))
    assert "mathjax" not in " ".join(map(str, page.find_all("script"))).lower()


def test_every_link_within_the_book_leads_somewhere(address):
    pages = {
        path: soup(path) for path in BOOK.rglob("*.html") if "_static" not in path.parts
    }
    anchors = {
        path: {
            tag[key] for key in ("id", "name") for tag in page.find_all(attrs={key: True})
        }
        for path, page in pages.items()
    }
    broken = []
    for path, page in pages.items():
        for tag in page.find_all(href=True):
            url, anchor = urldefrag(urljoin(path.as_uri(), tag["href"]))
            if urlsplit(url).scheme != "file":
                continue
            target = Path(unquote(urlsplit(url).path))
            if not target.is_file():
                broken.append((path.name, tag["href"]))
            elif anchor and target in anchors and unquote(anchor) not in anchors[target]:
                broken.append((path.name, tag["href"]))
    assert broken == []


def test_the_search_finds_the_section_first_and_shows_no_latex(open_page, address):
    page = open_page("search.html")
    results = page.locator("#search-results ul.search li")
    first = {}
    for words in SEARCHES:
        page.goto(f"{address}/search.html?q={quote_plus(words)}")
        results.first.wait_for()
        first[words] = results.locator("a").first.get_attribute("href")
        told = " ".join(results.all_text_contents())
        assert not re.search(r"\\\(|\\\w|\$", told), told
    expected = {words: target.replace("#", ".html#") for words, target in SEARCHES.items()}
    assert first == expected


def test_the_search_says_that_it_found_nothing(open_page):
    page = open_page("search.html?q=xylophone")
    page.get_by_text("No section of this course mentions “xylophone”.").wait_for()
    assert page.locator("#search-results li").count() == 0 and page.faults == []


def links(page):
    return [tag["href"] for tag in page.find_all(href=True)]


def test_without_an_address_no_page_leads_to_a_repository(address):
    for path in BOOK.rglob("*.html"):
        found = links(soup(path))
        assert "" not in found, path
        assert not [url for url in found if re.search("google.com/github|/issues", url)]
    start = (BOOK / "book" / "index.html").read_text("utf-8")
    assert "Upload notebook" in start and ".github/CONTRIBUTING.md" in start


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("notebooks")])
def test_without_an_address_a_page_says_how_to_run_its_notebook(address, name):
    first, second = soup(BOOK / f"{name}.html").select("article p.times")
    file = first.find("a", download=True)["href"]
    assert (BOOK / f"{name}.html").parent.joinpath(file).is_file()
    assert "Upload notebook" in second.text
    assert second.find("code").text == f"jupyter lab {Path(file).name}"


ONE, SHEET = "notebooks/01_one", "notebooks/exercises/01_one"


@pytest.fixture(scope="module")
def addressed(tmp_path_factory):
    """A book of three pages, built with the course's settings and an address."""
    folder = tmp_path_factory.mktemp("book")
    theirs = "_config.yml", "book/_static", "book/references.bib", "tools"
    for name in (*theirs, ".github/book.png"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(ROOT / name)
    for name in (ONE, SHEET):
        text = "# One\n\n*What is one?*\n\nIt is a number.\n\n## Two & `more`\n\nOthers."
        cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell("1 + 1")]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=execute.METADATA)
        (folder / name).parent.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    toc = "format: jb-book\nroot: book/index\nchapters:\n"
    toc += f"  - file: {ONE}\n  - file: {SHEET}\n"
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    (folder / "book" / "terms.yml").write_text("{}\n", encoding="utf-8")
    start = "# Start\n\n```{only} not address\nUpload it.\n```\n\n{{ badge }}\n\n"
    start += "{{ pip_install }}\n\n{{ contributing }}\n"
    (folder / "book" / "index.md").write_text(start, encoding="utf-8")
    command = [JUPYTER_BOOK, "build", folder, "-W", "-n", "-q"]
    environment = {**os.environ, "REPO": "someone/some.where"}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "_build" / "html"


@pytest.mark.parametrize("name", ["book/index", ONE, SHEET])
def test_with_an_address_a_notebook_opens_where_it_runs_and_an_exercise_without_solutions(
    addressed, name
):
    page = soup(addressed / f"{name}.html")
    file = f"github.com/someone/some.where/blob/gh-pages/_sources/{name}.ipynb"
    expected = {
        f"https://colab.research.google.com/{file.replace('.com', '', 1)}",
        f"https://kaggle.com/kernels/welcome?src=https://{file}",
        "https://codespaces.new/someone/some.where?quickstart=1",
    }
    expected = {"book/index": set(), ONE: expected, SHEET: set(sorted(expected)[1:])}[name]
    assert {tag["href"] for tag in page.select("p.times a:not([download])")} == expected
    assert {tag["href"] for tag in page.select(".dropdown-launch-buttons a")} == expected
    assert "Upload" not in page.text and "" not in links(page)


def test_with_an_address_the_start_page_has_a_badge_and_says_how_to_install(addressed):
    start = soup(addressed / "book" / "index.html")
    repository = "https://github.com/someone/some.where"
    assert f"git+{repository}" in start.text
    (badge,) = start.select("article img")
    workflow = badge["src"].removeprefix(f"{repository}/actions/workflows/")
    name, _, kind = workflow.partition("/")
    assert (ROOT / ".github" / "workflows" / name).is_file() and kind == "badge.svg"


def test_with_an_address_the_start_page_leads_to_how_to_contribute(addressed):
    start = soup(addressed / "book" / "index.html")
    (guide,) = start.find_all("a", string="how to contribute")
    file = guide["href"].removeprefix("https://github.com/someone/some.where/blob/HEAD/")
    assert (ROOT / file).is_file()


def test_with_an_address_a_reader_reports_a_section(addressed):
    page = soup(addressed / f"{ONE}.html")
    one, two = page.select("article a.report")
    assert two.parent.name == "h2" and two["aria-label"].endswith("section: Two & more")
    query = parse_qs(urlsplit(two["href"]).query)
    assert two["href"].startswith("https://github.com/someone/some.where/issues/new?")
    assert query["title"] == ["One: Two & more"]
    place = f"https://someone.github.io/some.where/{ONE}.html#two-more"
    assert query["body"][0].startswith(f"{place}\nVersion {d2lmini.__version__}\n")
    assert parse_qs(urlsplit(one["href"]).query)["title"] == ["One"]
    assert [url for url in links(page) if "/issues" in url] == [one["href"], two["href"]]


def described(page):
    """What a page tells search engines and previews of links."""
    tags = page.find_all("meta", content=True)
    return {tag.get("property") or tag.get("name"): tag["content"] for tag in tags}


def test_with_an_address_a_link_is_shown_with_question_and_picture(addressed):
    found = described(soup(addressed / f"{ONE}.html"))
    assert found["og:title"] == "One"
    assert found["og:description"] == "What is one? It is a number." == found["description"]
    website = "https://someone.github.io/some.where/"
    assert found["og:url"] == f"{website}{ONE}.html"
    assert found["og:image"].startswith(website)
    assert (addressed / found["og:image"].removeprefix(website)).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_each_page_describes_itself_without_formulas(address, name):
    found = described(soup(BOOK / f"{name}.html"))
    assert 40 < len(found["description"]) <= 200
    assert "\\" not in found["description"] and "og:image" not in found


@pytest.mark.parametrize("name", ["someone", "https://github.com/a/b", "a/b c"])
def test_an_address_of_another_form_is_refused(monkeypatch, name):
    monkeypatch.setenv("REPO", name)
    app = SimpleNamespace(tags=set())
    with pytest.raises(ExtensionError, match=f"owner/name on GitHub, not '{name}'"):
        add_address(app, SimpleNamespace(myst_substitutions={}))


DECKS = [path.stem for path in save.chapter_paths(ROOT)]

# What of the current slide is outside of it, or too small to be read from the last row.
CUT_OR_SMALL = """(() => {
  const slide = Reveal.getCurrentSlide().firstElementChild;
  const { left, top, right, bottom } = slide.getBoundingClientRect();
  const shown = [...slide.querySelectorAll(":not(mjx-container *, svg *)")];
  const cut = shown.filter(e => {
    const box = e.getBoundingClientRect();
    return box.width && (box.left < left || box.top < top
      || box.right > right || box.bottom > bottom);
  });
  const small = shown.filter(e =>
    e.matches(".content > img:not(.tall)") && e.clientWidth < 0.85 * e.naturalWidth
    || e.matches(".content > img") && e.clientHeight < 0.6 * e.naturalHeight
    || e.matches("pre, p, li, td") && parseFloat(getComputedStyle(e).fontSize) < 20
  );
  return [...cut, ...small].map(e => e.outerHTML.slice(0, 120));
})()"""


@pytest.mark.parametrize("name", DECKS)
def test_no_slide_is_cut_or_small(open_page, name):
    page = open_page(f"slides/{name}.html")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("window.Reveal?.isReady()")
    assert page.evaluate("document.querySelectorAll('mjx-merror').length") == 0
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({number})")
        assert page.evaluate(CUT_OR_SMALL) == [], number + 1
    assert page.faults == []


def test_a_deck_opens_from_a_file_with_notes_and_prints_a_page_for_each_slide(
    browser, address
):
    context = browser.new_context()
    page = context.new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(f"script: {error}"))
    page.on("request", lambda request: note_outside(page, request.url, "file:"))
    deck = (BOOK / "slides" / "07_transformer.html").as_uri()
    page.goto(f"{deck}?print-pdf")
    page.wait_for_function("window.Reveal?.isReady()")
    pages = page.locator(".pdf-page")
    pages.first.wait_for()
    assert pages.count() == page.evaluate("Reveal.getTotalSlides()")
    page.goto(f"{deck}#/2")
    page.wait_for_function("window.Reveal?.isReady()")
    with context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text("A recurrent translator has two costs").wait_for()
    assert page.faults == []
    context.close()
