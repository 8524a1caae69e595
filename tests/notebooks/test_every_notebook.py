"""What holds for every notebook: stored outputs, figures, prose, links, references."""

import ast
import re
import statistics

import nbformat
import pytest
from myst_parser.mdit_to_docutils.base import default_slugify

from tools import ROOT, every_notebook
from tools.book import pages
from tools.book.pages import read
from tools.notebooks import execute, save, uses

NOTEBOOKS = every_notebook()
CORE = [path for path in NOTEBOOKS if path.parent.name == "notebooks"]
CHAPTERS = save.chapter_paths(ROOT)
BIBLIOGRAPHY = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
PAPER = re.compile(
    r"(?:arxiv\.org/abs/|doi\.org/|jstor\.org/stable/|proceedings\.mlr\.press/"
    r"|openreview\.net/forum\?id=|openai\.com/index/|transformer-circuits\.pub/"
    r"|joschu\.net/blog/|lesswrong\.com/posts/)([^)\s]+)"
)


def name(path):
    return path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()


notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path):
    return pages.prose(read(path))


def figures(cell):
    return [output for output in cell.outputs if "image/svg+xml" in output.get("data", {})]


def tags(cell):
    return set(cell.metadata.get("tags", []))


# --- stored outputs ------------------------------------------------------------------


@notebook
def test_cells_are_numbered_from_one_and_hold_clean_outputs(path):
    nbformat.validate(read(path))
    assert "widgets" not in read(path).metadata
    assert all(re.fullmatch("[0-9a-f]{8}", cell.id) for cell in read(path).cells)
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell.source.strip()
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", (cell.source, output.get("text"))
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})


@notebook
def test_all_outputs_are_those_of_the_code_as_it_is(path):
    now = uses.fingerprint(execute.sources(read(path)))
    advice = f"run `make execute NB={path.relative_to(ROOT)}`"
    assert read(path).metadata.get("fingerprint") == now, advice


@notebook
def test_every_cell_is_executed_and_nearly_all_are_compared(path):
    cells = code_cells(path)
    ignored = sum("nbval-ignore-output" in tags(cell) for cell in cells)
    share = 5 if path.parent.name == "exercises" else 20
    assert ignored <= max(1, len(cells) / share)
    for cell in cells:
        assert not {"nbval-skip", "skip-execution"} & tags(cell)
        assert not re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)", cell.source)


@notebook
def test_figures_are_svg_say_what_they_show_come_once_and_stay_small(path):
    for cell in code_cells(path):
        data = [output.get("data", {}) for output in cell.outputs]
        assert not any("image/png" in formats for formats in data), "call set_figsize first"
        shown = [str(output.data) for output in figures(cell)]
        assert len(shown) == len(set(shown)), cell.source
        assert all(len(figure) < 150_000 for figure in shown), cell.source
        if shown:
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt.split()) >= 8 and alt.endswith("."), cell.source


# --- teaching ------------------------------------------------------------------------


def lines_of_code(source):
    """The number of lines without blank lines, comments and docstrings."""
    lines = dict(enumerate(source.splitlines(), start=1))
    code = {n for n, line in lines.items() if not re.match(r"\s*(#|$)", line)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            code -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(code)


@notebook
def test_open_cells_are_short_and_at_most_two_code_cells_stand_in_a_row(path):
    folded = {"hide-input", "hide-cell"}
    lengths = [lines_of_code(c.source) for c in code_cells(path) if not folded & tags(c)]
    assert statistics.median(lengths) <= 12
    if path.stem == "07_transformer":  # the whole model on one screen
        lengths.remove(max(lengths))
    assert max(lengths) <= 45
    in_a_fold = {"tests", "hidden-tests"}  # of an exercise
    kinds = "".join(c.cell_type[0] for c in read(path).cells if not in_a_fold & tags(c))
    assert "ccc" not in kinds, f"three code cells in a row near cell {kinds.index('ccc')}"


# What a page builds in short and runs, in open cells: the library's version is folded.
IN_SHORT = {"11_gpt": {"GPT", "GPTBlock", "Cache"}}


def explained(path):
    """The lines of the saved definitions that the prose names, open and folded.

    What reads data, and what draws, may be folded. An example in a fence uses a name.
    """
    prose = "".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    prose = re.sub(r"(?s)```.*?```", "", prose)
    lines = {"open": 0, "folded": 0}
    for cell in code_cells(path):
        kind = "folded" if {"hide-input", "hide-cell"} & tags(cell) else "open"
        for node in ast.parse(cell.source).body if "# @save" in cell.source else []:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                added = re.search(r"add_to_class\((\w+)\)", ast.unparse(node))
                name = added[1] if added else node.name
                bases = ast.unparse(node).partition(":")[0]
                reads_data = "Data" in bases or name.startswith("show_")
                in_short = kind == "folded" and name in IN_SHORT.get(path.stem, ())
                is_named = re.search(rf"\b{name}\b", prose)
                if is_named and not (reads_data or in_short):
                    lines[kind] += lines_of_code(ast.unparse(node))
    return lines


@pytest.mark.parametrize("path", CORE, ids=name)
def test_what_a_page_explains_by_name_stands_open_for_the_most_part(path):
    lines = explained(path)
    assert lines["open"] >= lines["folded"]


@notebook
def test_labels_of_figures_can_be_read_on_a_phone(path):
    column = 358  # pixels
    for cell in code_cells(path):
        for data in (figure.data for figure in figures(cell)):
            if "text/html" in data:  # has controls, and tests of its own
                continue
            width = float(re.search(r'viewBox="0 0 ([\d.]+)', data["image/svg+xml"])[1])
            scale = min(4 / 3, column / width)  # pixels for a point
            for text in re.findall(r"<text.*?</text>", data["image/svg+xml"], re.DOTALL):
                sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)", text)]
                # Of a formula, its letters count, not what is raised or lowered.
                assert round(scale * max(sizes), 1) >= 9, (cell.id, text)


@chapter
def test_a_figure_comes_in_the_first_quarter_and_a_chapter_has_its_parts(path):
    cells, text = code_cells(path), prose(path)
    first = next(i for i, cell in enumerate(cells) if figures(cell))
    assert first < len(cells) / 4
    assert pages.question(read(path))
    assert re.search(r"^(- )?\*\*(At the end you will have|You will build)\*\*", text, re.M)
    assert "\n## Summary" in text and "\n## Exercises" in text


@pytest.mark.parametrize("path", CORE, ids=name)
def test_each_answer_of_a_guess_has_a_line_in_the_fold_below(path):
    fold = r"<details>\n<summary>About each answer</summary>\n\n((?:- .+\n)+)\n</details>"
    found = re.findall(rf"\*\*Guess\.\*\* .+\n\n((?:- .+\n)+)\n{fold}", prose(path))
    asked = re.findall(r"\*\*Guess\.\*\* .+\n\n- ", prose(path))  # one has no list
    assert len(found) == len(asked)
    assert all(answers.count("\n") == lines.count("\n") for answers, lines in found)


# --- in the book, JupyterLab, GitHub and Colab ---------------------------------------


@notebook
def test_markdown_is_plain_enough_for_all_four(path):
    text = prose(path)
    roles = r"(?<!ref)(?<!label)(?<!mathrm)\{(cite|eq|ref|doc|numref|term)\b"
    noise = r"^:::", r"^> \[!", r"\[\^", r"^- \[[ x]\]", r"\$\$\s*\(\w", "<img", r"!\[\s*\]"
    for markup in (roles, *noise):
        assert not re.search(markup, text, re.MULTILINE), markup
    for formula in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL):
        assert "\n" not in formula, "a formula on several lines breaks in the book"
        assert not {r"\\", r"\tag"} <= {*re.findall(r"\\(?:\\|tag)", formula)}, formula


@notebook
def test_a_page_with_a_real_model_names_its_license(path):
    code = "".join(cell.source for cell in code_cells(path))
    if re.search(
        r"(?<!def )(load_smollm2|smollm2_(heads|wall|reading)|dinov2_flower)\(", code
    ):
        assert "Apache license 2.0" in prose(path)


@notebook
def test_equations_that_are_referred_to_stand_on_the_page(path):
    text = prose(path)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    numbers = re.findall(r"\\tag\{(.*?)\}", text)
    assert len(set(labels)) == len(labels)
    assert len(set(numbers)) == len(numbers)
    assert set(re.findall(r"\\eqref\{(.*?)\}", text)) <= set(labels)


def anchors(path):
    """What a link to a page can name behind #: headings, as GitHub calls them, and ids."""
    text = prose(path) if path.suffix == ".ipynb" else path.read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    titles = [re.sub(r"\[(.*?)\]\(.*?\)|[`*]", r"\1", title) for title in titles]
    return {*map(default_slugify, titles), *re.findall(r' id="(.*?)"', text)}


@notebook
def test_links_lead_to_a_section_a_file_or_to_a_paper_of_the_references(path):
    for target in re.findall(r"\]\(([^)\s]+)", prose(path)):
        if target.startswith("http"):
            paper = PAPER.search(target)
            assert paper and paper[1] in BIBLIOGRAPHY, target
            continue
        file, _, anchor = target.partition("#")
        page = path.parent / file if file else path
        assert page.exists(), target
        assert not anchor or anchor in anchors(page), target


def test_every_reference_is_cited_and_every_page_cites_only_references():
    book = ROOT / "book"
    paths = [*book.glob("*.md"), *(book / "results").glob("*.md")]
    pages = [path.read_text(encoding="utf-8") for path in paths]
    texts = [*pages, *map(prose, NOTEBOOKS)]
    cited = {number for text in texts for number in PAPER.findall(text)}
    assert [number for number in cited if number not in BIBLIOGRAPHY] == []
    for entry in re.split(r"^@", BIBLIOGRAPHY, flags=re.MULTILINE)[1:]:
        assert any(number in entry for number in cited), entry.partition(",")[0]


# A bold, calligraphic or accented letter, a Greek one: what a reader would look up.
SYMBOL = re.compile(
    r"\\(?:mathbf|mathcal|boldsymbol|hat|bar|tilde|over(?:right|left)arrow)"
    r"\{?\\?\w+\}?(?:\{\w+\}\})?"
    r"|\\(?:alpha|beta|delta|epsilon|eta|theta|kappa|xi|mu|sigma|varphi|omega|Phi|ell)\b"
)


def symbols(text):
    """The symbols in the formulas of a text, without their indices."""
    text = re.sub(r"`[^`\n]*`", "", text)
    formulas = re.findall(r"\$\$.*?\$\$|\$[^$\n]+\$", text, re.DOTALL)
    found = {symbol for formula in formulas for symbol in SYMBOL.findall(formula)}
    return {re.sub(r"[{}]", "", symbol) for symbol in found}


@chapter
def test_every_symbol_is_explained_for_its_page_or_an_earlier_one(path):
    """On the page of notation, in the general part or in the section of such a page."""
    notation = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
    general, *sections = re.split(r"^### ", notation, flags=re.MULTILINE)
    read_so_far = CHAPTERS[: CHAPTERS.index(path) + 1]
    titles = {pages.title(read(save.chapter_of(page))) for page in read_so_far}
    explained = [text for text in sections if text.partition("\n")[0] in titles]
    assert len(explained) == len(titles)
    assert symbols(prose(path)) - symbols("".join([general, *explained])) == set()


def test_a_letter_means_one_thing_on_all_pages():
    """It has one row in the tables of notation; further pages may use it again."""
    notation = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
    tables = notation.partition("\n## Conventions")[0]
    rows = re.findall(r"^\| (\$.+?) \| (.+) \|$", tables, re.MULTILINE)
    letters = [
        re.split(r"\\in\b|=", formula)[0].strip()
        for cell, meaning in rows
        if not re.search(r"\*Going further|exercises", meaning)
        for formula in re.findall(r"\$([^$]+)\$", cell)
    ]
    assert len(letters) > 100
    # The intercept of a line, and a difference of scores, where no sizes are meant.
    assert {one for one in letters if letters.count(one) > 1} <= {"b", "c"}
