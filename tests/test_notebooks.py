"""What holds for every notebook: stored outputs, pictures, prose, links, citations."""

import ast
import re
import statistics

import nbformat
import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
PICTURES = ("image/svg+xml", "image/png")
UNSTABLE = "nbval-ignore-output"


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def prose(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type != "code")


def pictures(cell):
    return [o for o in cell.outputs if any(kind in o.get("data", {}) for kind in PICTURES)]


def tags(cell):
    return cell.metadata.get("tags", [])


CHAPTERS = [path for path in NOTEBOOKS if path.parent.name == "notebooks"]


def name(path):
    return path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()


notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


# --- stored outputs ------------------------------------------------------------------


@notebook
def test_cells_are_numbered_from_one_and_hold_clean_outputs(path):
    nbformat.validate(read(path))
    cells = code_cells(path)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", (cell.source, output.get("text"))
            assert "application/vnd.jupyter.widget-view+json" not in output.get("data", {})


@notebook
def test_at_most_one_cell_in_ten_goes_uncompared(path):
    cells = code_cells(path)
    assert sum(UNSTABLE in tags(cell) for cell in cells) <= len(cells) / 10


@notebook
def test_no_cell_skips_execution(path):
    for cell in code_cells(path):
        assert cell.source.strip()
        assert not {"nbval-skip", "skip-execution"} & set(tags(cell))
        assert not re.search(r"#\s*(NBVAL|PYTEST_VALIDATE)", cell.source)


@notebook
def test_cells_that_draw_show_each_figure_once(path):
    for cell in code_cells(path):
        seen = [str(output.data) for output in pictures(cell)]
        assert len(seen) == len(set(seen)), cell.source


@notebook
def test_every_figure_says_what_it_shows(path):
    for cell in code_cells(path):
        if pictures(cell):
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt.split()) >= 8, cell.source
            assert alt.endswith(".")


@notebook
def test_figures_stay_small(path):
    for cell in code_cells(path):
        for output in pictures(cell):
            assert len(str(output.data)) < 150_000, cell.source


# --- teaching ------------------------------------------------------------------------


def lines_of_code(source):
    """The lines of a cell without blank lines, comments and docstrings."""
    lines = {i for i, line in enumerate(source.splitlines(), 1) if line.strip(" ")}
    lines -= {i for i in lines if source.splitlines()[i - 1].lstrip().startswith("#")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


@notebook
def test_cells_are_short(path):
    cells = code_cells(path)
    assert statistics.median(lines_of_code(cell.source) for cell in cells) <= 8
    assert max(len(cell.source.splitlines()) for cell in cells) <= 35


@notebook
def test_at_most_two_code_cells_stand_in_a_row(path):
    cells = read(path).cells  # hidden tests may follow a solution and its tests
    kinds = "".join(c.cell_type[0] for c in cells if "hidden-tests" not in tags(c))
    assert "ccc" not in kinds, f"three code cells in a row near cell {kinds.index('ccc')}"


@chapter
def test_a_figure_comes_in_the_first_quarter_and_a_chapter_has_its_parts(path):
    cells = code_cells(path)
    first = next(i for i, cell in enumerate(cells) if pictures(cell))
    assert first < len(cells) / 4
    text = prose(path)
    for part in (
        "**You will build**",
        "**You will measure**",
        "\n## Summary",
        "\n## Exercises",
    ):
        assert part in text


@chapter
def test_exercises_state_minutes_and_difficulty(path):
    exercises = prose(path).partition("\n## Exercises")[2]
    numbered = re.findall(r"^(\d+)\. (.*)$", exercises, re.MULTILINE)
    assert len(numbered) >= 4
    for i, (number, text) in enumerate(numbered, start=1):
        assert int(number) == i
        assert re.match(r"\*\(\d+ minutes, (easy|medium|hard)\)\* \S", text), text


# --- four places to read in ----------------------------------------------------------


@notebook
def test_markdown_is_plain_enough_for_jupyterlab_github_and_colab(path):
    text = prose(path)
    for noise in (
        r"(?<!ref)(?<!label)\{(cite|eq|ref|doc|numref|term)\b",
        r"^:::",
        r"^> \[!",
        r"\[\^",
        r"^- \[[ x]\]",
    ):
        assert not re.search(noise, text, re.MULTILINE), noise
    assert not re.search(r"\$\$\s*\(\w", text)
    assert "<img" not in text
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
    for display in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL):
        assert "\n" not in display, "a formula on several lines breaks in the book"


@notebook
def test_equations_that_are_referred_to_stand_on_the_page(path):
    text = prose(path)
    labels = re.findall(r"\\label\{(.*?)\}", text)
    numbers = re.findall(r"\\tag\{(.*?)\}", text)
    assert len(set(labels)) == len(labels)
    assert len(set(numbers)) == len(numbers)
    assert set(re.findall(r"\\eqref\{(.*?)\}", text)) <= set(labels)


@notebook
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if not target.startswith(("http", "#")):
            assert (path.parent / target.partition("#")[0]).exists(), target


PAPER = re.compile(r"(?:arxiv\.org/abs/|doi\.org/|jstor\.org/stable/)([^)\s]+)")


@notebook
def test_links_lead_to_papers_of_the_references(path):
    bibliography = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    for link in re.findall(r"\]\((https?://[^)]+)\)", prose(path)):
        paper = PAPER.search(link)
        assert paper, f"{link} is neither a paper nor relative"
        assert paper[1] in bibliography, link


def test_every_reference_is_cited():
    cited = {number for path in NOTEBOOKS for number in PAPER.findall(prose(path))}
    bibliography = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    for entry in re.split(r"^@", bibliography, flags=re.MULTILINE)[1:]:
        assert any(number in entry for number in cited), entry.partition(",")[0]


@notebook
def test_the_title_has_the_number_of_the_file(path):
    title = re.search(r"^# (.*)$", prose(path), re.MULTILINE)[1]
    number = int(path.stem[:2])
    if path not in CHAPTERS:
        assert title.startswith(f"Exercises {number} · ")
    else:
        assert title.startswith(f"{number} · ") if number else title[0].isalpha()


# --- the package ---------------------------------------------------------------------


@notebook
def test_saved_public_names_have_a_docstring(path):
    for cell in code_cells(path):
        if "#@save" not in cell.source:
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name != "forward":
                assert ast.get_docstring(node), node.name
