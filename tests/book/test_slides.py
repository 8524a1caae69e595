"""The decks of slides: how cells make them, and that they say what their notebook says."""

import html
import re

import nbformat.v4
import pandas as pd
import pytest
from built import BOOK, note_outside

from tools import ROOT
from tools.book import pages, questions, slides
from tools.book.tables import align
from tools.notebooks.save import chapter_paths

CHAPTERS = chapter_paths(ROOT)
chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
PICTURE = '<svg viewBox="0 0 300 100"></svg>'


def code(source, *outputs, slide=None, **metadata):
    cell = nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata=metadata)
    if slide is not None:
        cell.metadata["slide"] = slide
    return cell


def prose(source, slide=None):
    metadata = {} if slide is None else {"slide": slide}
    return nbformat.v4.new_markdown_cell(source, metadata=metadata)


def shown(*cells):
    """The slides of a notebook with these cells, without the first one."""
    first, *others = slides.slides(nbformat.v4.new_notebook(cells=list(cells)))
    assert first["body"] == first["picture"] == ""
    return others


def printed(text):
    return nbformat.v4.new_output("stream", text=text)


def drawn():
    return nbformat.v4.new_output("display_data", {"image/svg+xml": PICTURE})


def test_a_slide_has_its_text_and_notes_have_all_prose():
    text = ["## One", "", "Short.", "", "## Two", "", "$x$"]
    cells = [prose("Before."), prose("Long *one*.", slide=text), prose("After.")]
    title, one, two = slides.slides(nbformat.v4.new_notebook(cells=cells))
    assert title["notes"] == "<p>Before.</p>\n"
    assert (one["heading"], one["body"]) == ("One", "<p>Short.</p>\n")
    assert (two["heading"], two["body"]) == ("Two", "<p>\\(x\\)</p>\n")
    assert one["notes"] == "<p>Long <em>one</em>.</p>\n"
    assert two["notes"] == one["notes"] + "<p>After.</p>\n"


def test_a_text_without_a_heading_continues_the_slide_before():
    (one,) = shown(prose("", slide=["## One"]), code("x = 1", slide=[]), code("y = 2"))
    assert ">x</span>" in one["body"] and ">y</span>" not in one["body"]


def test_what_follows_a_pause_is_shown_by_the_next_click():
    (one,) = shown(prose("", slide=["## Quiz", "", "Why?", "", ". . .", "", "So."]))
    assert one["body"] == '<p>Why?</p>\n<div class="fragment"><p>So.</p>\n</div>'


def test_a_question_for_the_class_follows_its_slide_and_its_answer_the_next_click():
    choices = [{"wrong": "no", "why": "Guesses."}, {"right": "$y$", "why": "Knows."}]
    asked = {"after": "One", "ask": "Why?", "choices": choices, "because": "So."}
    one, vote, two = slides.with_votes([slides.new("One"), slides.new("Two")], [asked])
    assert [one["title"], vote["title"], two["title"]] == ["One", slides.VOTE, "Two"]
    shown, told = vote["body"].split('<div class="fragment">')
    assert "<p>Why?</p>" in shown and r"<strong>B</strong> \(y\)" in shown
    assert told == "<p><strong>B.</strong> So.</p>\n</div>"
    assert "<strong>A</strong> Guesses." in vote["notes"]


def test_code_is_shown_with_its_output_without_docstring_and_mark():
    source = 'def f():  # @save\n    """Words."""\n    return 1\n\n\nprint(f())'
    (one,) = shown(code(source, printed("1\n"), slide=["## One"]))
    text = re.sub("<[^>]*>", "", one["body"])
    assert text == "def f():\n    return 1\n\nprint(f())1"


@pytest.mark.parametrize(
    ("cell", "left"),
    [
        (code("x = 1\n" * 13, printed("1"), slide=["## One"]), "1"),
        (code("x = 1\n" * 7, printed("1\n" * 6), slide=["## One"]), "1\n" * 5 + "1"),
        (code("x = 1", printed("1"), slide=["## One"], tags=["hide-input"]), "1"),
        (code("x = 1", printed("1"), slide=["## One", "```", "y = 2", "```"]), "y = 21"),
    ],
    ids=["long", "long with its output", "folded", "replaced"],
)
def test_code_is_left_out_if_it_is_long_folded_or_replaced(cell, left):
    (one,) = shown(cell)
    assert re.sub("<[^>]*>", "", one["body"]) == left


def test_of_a_table_and_of_a_figure_no_code_is_shown():
    table = {"text/html": "<table></table>", "text/plain": "1"}
    output = nbformat.v4.new_output("display_data", table)
    (one,) = shown(code("table", output, slide=["## One"]))
    assert one["body"] == "<table></table>"
    alt = {"mystnb": {"image": {"alt": "A <line>."}}}
    (one,) = shown(code("plot()", printed("1"), drawn(), slide=["## One"], **alt))
    assert one["body"] == ""
    assert 'class="wide" alt="A &lt;line&gt;."' in one["picture"]


def test_the_columns_of_a_table_stand_below_their_headings(browser):
    table = pd.DataFrame({"error": [0.5]}, ["one width"]).to_html()
    css = (slides.HERE / "slides.css").read_text(encoding="utf-8")
    page = browser.new_page()
    slide = f'<div class="reveal"><div class="content"><div class="text">{align(table)}'
    page.set_content(f"<style>{css}</style>{slide}")
    left = [page.locator(cell).bounding_box()["x"] for cell in ("thead th >> nth=1", "td")]
    assert left[0] == left[1]
    page.close()


def test_notes_number_their_references_and_link_to_the_book():
    formula = r"$$x \tag{1.2}\label{eq:x}$$"
    text = r"See $\eqref{eq:x}$ [above](#x), [one](01_one.ipynb#two)."
    (one,) = shown(prose(f"{formula}\n\n{text}", slide=["## One"]))
    assert r"\[x \tag{1.2}\]" in one["notes"] and "See (1.2) above, <a" in one["notes"]
    assert 'href="../notebooks/01_one.html#two"' in one["notes"]


@chapter
def test_a_deck_has_a_question_a_picture_a_formula_code_and_a_quiz(path):
    notebook = pages.read(path)
    asked = questions.for_class(ROOT, path.stem)
    found = slides.with_votes(slides.slides(notebook), asked)[1:]
    titles = [slide["title"] for slide in found]
    places = [titles.index(question["after"]) for question in asked]
    assert places == sorted(places)
    # two of them are votes, which take a quarter of a session and are no more to read
    assert 12 <= len(found) + 1 - len(asked) <= 20 and len(asked) <= 2
    for slide in found:
        assert slide["title"] and (slide["body"] or slide["picture"])
    text = html.unescape(slides.deck(notebook, path.stem, asked))
    assert f"<p>{pages.question(notebook)}</p>" in text
    assert any(slide["picture"] for slide in found)
    assert any(r"\[" in slide["body"] for slide in found)
    assert any('class="highlight"' in slide["body"] for slide in found)
    quiz = [slide for slide in found if slide["title"].startswith("Quiz")]
    assert quiz and all('class="fragment"' in slide["body"] for slide in quiz)


def sources(notebook, kind):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == kind)


def texts(notebook):
    """The texts of all slides, whose formulas, code and numbers are checked."""
    return "".join(slide["title"] + slide["text"] for slide in slides.slides(notebook)[1:])


@chapter
def test_every_number_on_a_slide_stands_in_its_notebook(path):
    notebook = pages.read(path)
    outputs = [
        slides.plain(output)
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    known = "\n".join([sources(notebook, "markdown"), sources(notebook, "code"), *outputs])
    number = re.compile(r"\d+(?:[.,]\d+)*")
    assert set(number.findall(texts(notebook))) <= set(number.findall(known))


def squeezed(formula):
    """A formula without its number and without spaces."""
    return re.sub(r"\\(?:tag|label)\{.*?\}|\s", "", formula)


@chapter
def test_every_formula_and_line_of_code_on_a_slide_stands_in_its_notebook(path):
    notebook = pages.read(path)
    known = squeezed(sources(notebook, "markdown"))
    for formula in re.findall(r"\$\$(.*?)\$\$", texts(notebook), re.DOTALL):
        assert squeezed(formula) in known, formula
    lines = {line.strip() for line in sources(notebook, "code").splitlines()}
    for block in re.findall(r"```python\n(.*?)```", texts(notebook), re.DOTALL):
        assert {line.strip() for line in block.splitlines()} <= lines


def test_the_decks_share_what_they_load_and_are_small(tmp_path):
    slides.write(ROOT, tmp_path)
    assert {path.stem for path in tmp_path.glob("*.html")} == {p.stem for p in CHAPTERS}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 10e6
    text = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    for path in CHAPTERS:
        title = html.escape(pages.title(pages.read(path)))
        assert f'<a href="../slides/{path.stem}.html">{title}</a>' in text


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


@pytest.mark.slow
@pytest.mark.parametrize(  # three of the chapters in every run
    "path",
    [
        pytest.param(path, marks=[] if i % 8 == 0 else pytest.mark.weekly, id=path.stem)
        for i, path in enumerate(CHAPTERS)
    ],
)
def test_no_slide_is_cut_or_small(open_page, path):
    page = open_page(f"slides/{path.stem}.html")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("window.Reveal?.isReady()")
    assert page.evaluate("document.querySelectorAll('mjx-merror').length") == 0
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({number})")
        assert page.evaluate(CUT_OR_SMALL) == [], number + 1
    assert page.faults == []


@pytest.mark.slow
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
    page.goto(f"{deck}#/1")
    page.wait_for_function("window.Reveal?.isReady()")
    with context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text("Each state waits for the one before").wait_for()
    assert page.faults == []
    context.close()
