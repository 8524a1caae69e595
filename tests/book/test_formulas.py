"""How the formulas of pages are set while the book is built."""

import pytest
from bs4 import BeautifulSoup
from sphinx.errors import ExtensionError

from tools.book import formulas

HEAD = '<head>\n    <link href="_static/course.css" />\n</head>\n'


@pytest.fixture
def write(tmp_path):
    """A function that writes a page with formulas, sets them, and returns its path."""

    def write(*sources, text=""):
        (tmp_path / "_static").mkdir(exist_ok=True)
        page = tmp_path / "page.html"
        found = "".join(f'<div class="math notranslate">\n{tex}</div>' for tex in sources)
        page.write_text(HEAD + found + text, encoding="utf-8")
        formulas.render(tmp_path)
        return page

    return write


def test_a_formula_becomes_html_with_its_source_and_mathml(write):
    page = BeautifulSoup(
        write(r"\[a &lt; \boldsymbol{\beta}\]").read_text(encoding="utf-8"), "lxml"
    )
    formula = page.select_one("div.math")
    assert formula["data-tex"] == r"\[a < \boldsymbol{\beta}\]"
    assert formula.select_one("mjx-container > mjx-math[aria-hidden=true] mjx-c")
    assert [tag.text for tag in formula.select("math mi")] == ["a", "β"]
    assert page.select_one("head link")["href"].startswith("_static/formulas.css")


def test_formulas_refer_to_each_other_forwards_and_backwards(write):
    equation = r"\[x \tag{7.2}\label{eq:x}\]"
    refer = r"\(\eqref{eq:x}\)"
    page = BeautifulSoup(write(refer, equation, refer).read_text(encoding="utf-8"), "lxml")
    (target,) = {link["href"] for link in page.select(".math > a")}
    assert {link.text for link in page.select("a")} == {"(7.2)"}
    assert page.select("[aria-hidden] a") == []  # or screen readers would not find it
    assert len(page.select("a")) == 2
    assert target == "#mjx-eqn%3Aeq%3Ax" and page.find(id="mjx-eqn:eq:x")


def test_punctuation_stays_on_the_line_of_the_formula_before_it(write):
    inline = r'<span class="math notranslate">\(x\)</span>'
    text = f"<p>If {inline} and {inline}, then ({inline}).</p>"
    page = BeautifulSoup(write(text=text).read_text(encoding="utf-8"), "lxml")
    ends = [tag.contents[-1] for tag in page.select("span.unbroken:has(> .math)")]
    assert ends == [",", ")."]


def test_a_second_build_changes_nothing(write, tmp_path):
    inline = r'<span class="math notranslate">\(x\)</span>'
    write(r"\(\frac{a}{b}\)", r"\[x \tag{1}\label{eq:x}\]", text=f"<p>{inline}.</p>")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    before = [path.read_bytes() for path in files]
    formulas.render(tmp_path)
    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (r"\(\alhpa\)", r"Undefined control sequence \alhpa: \alhpa"),
        (r"\(\frac{1}\)", "Missing argument for \\frac: \\frac{1}"),
        (r"\(\eqref{eq:y}\)", r"No such label: \(\eqref{eq:y}\)"),
        ("x", "No formula: x"),
        (r'<span class="eqno">(1)</span>\[x\]', "a number from Sphinx"),
    ],
)
def test_a_wrong_formula_is_reported_with_its_page(write, source, fault):
    with pytest.raises(ExtensionError) as error:
        write(r"\(x\)", source)
    assert "page.html" in str(error.value) and fault in str(error.value)
