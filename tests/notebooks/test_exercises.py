"""The exercises' tests tell right answers from wrong, and students get no solution."""

import ast
import importlib.util
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools import ROOT, every_notebook
from tools.book import pages
from tools.notebooks import exercises
from tools.notebooks.save import chapter_of, chapter_paths, pages_of

NOTEBOOKS = sorted(exercises.SOURCES.glob("*.ipynb"))
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def kinds(path):
    """The cells of a notebook with their kinds."""
    cells = nbformat.read(path, as_version=4).cells
    return [(exercises.kind_of(cell, i), cell) for i, cell in enumerate(cells)]


def parts_of(path):
    """For each exercise, by number: what is new before it, its solution and its tests."""
    found, given, number = {}, [], None
    for kind, cell in kinds(path):
        if heading := exercises.EXERCISE.match(cell.source):
            number = heading[1]
        written = cell.cell_type == "markdown" and "points" in cell.metadata
        asked = cell.cell_type == "code" and kind in ("solution", "tests", "hidden-tests")
        if (written or asked) and number not in found:
            found[number] = {"given": given, "solution": "", "tests": [], "points": 0}
            given = []
        if written or kind in ("tests", "hidden-tests"):
            found[number]["points"] += cell.metadata["points"]
        if asked and kind != "solution":
            found[number]["tests"].append(cell.source)
        elif asked:
            found[number]["solution"] += cell.source + "\n"
        if cell.cell_type == "code" and kind in (None, "solution"):
            given.append(cell.source)  # later exercises may build on a solution
    return found


def answers(path):
    """The wrong and the other right answers to a notebook's exercises, kept as data."""
    file = ROOT / "tests" / "exercise_answers" / f"{path.stem}.py"
    spec = importlib.util.spec_from_file_location(f"answers_{path.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(sources, names):
    """Run cells with these names."""
    for source in sources:
        exec(compile(source, "<exercise>", "exec"), names)


def failure(exercise, names, solution):
    """The first error of the tests of an exercise for this solution, or None."""
    before = dict(names)  # to be restored for the next solution
    try:
        run([solution, *exercise["tests"]], names)
    except Exception as error:  # whatever a wrong answer may raise
        return error
    finally:
        names.clear()
        names.update(before)


# --- the exercises -------------------------------------------------------------------


def test_each_chapter_with_a_number_has_a_sheet_as_the_start_page_says():
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert "Each chapter\nwith a number has a page of exercises" in page
    chapters = {chapter_of(path).stem for path in chapter_paths(ROOT)}
    numbered = {name for name in chapters if not name.startswith("00_")}
    assert {path.stem for path in NOTEBOOKS} == numbered


def sheets(weekly):
    """The sheets for a slow test, each once a week where `weekly` says so of its name."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=pytest.mark.weekly if weekly(path.stem) else pytest.mark.slow,
        )
        for path in NOTEBOOKS
    ]


LONGEST = {
    "08_vision_transformer",
    "10_pretraining",
    "11_gpt",
    "12_post_training",
}  # as long as all others; their solutions run as notebooks


@pytest.mark.parametrize("path", sheets(weekly=lambda name: name in LONGEST))
def test_right_answers_pass_and_wrong_ones_and_stubs_fail(path):
    data, found = answers(path), parts_of(path)
    assert found.keys() == data.WRONG.keys() == data.OTHER.keys()
    names = {"__name__": "exercise"}
    for number, exercise in found.items():
        run(exercise["given"], names)
        assert failure(exercise, names, exercise["solution"]) is None, number
        assert failure(exercise, names, data.OTHER[number]) is None, number
        missing = failure(exercise, names, exercises.stub(exercise["solution"]))
        assert isinstance(missing, NotImplementedError), number
        assert len(data.WRONG[number]) >= 2, number
        for why, source in data.WRONG[number]:
            assert failure(exercise, names, source) is not None, (number, why)


@pytest.mark.weekly
@notebook
def test_tests_with_other_seeds_and_sizes_tell_right_from_wrong_as_well(path):
    private = pytest.importorskip("grading.private", reason="it needs nbgrader")
    data, cells, names = answers(path), private.hidden_tests(path), {"__name__": "exercise"}
    for number, exercise in parts_of(path).items():
        run(exercise["given"], names)
        visible = exercise["tests"][0]
        for seed in range(2):
            drawn = private.drawn(cells[number], f"{seed} {number}")
            tests = {"tests": [visible, drawn]}
            for right in (exercise["solution"], data.OTHER[number]):
                assert failure(tests, names, right) is None, (number, seed)
            for why, source in data.WRONG[number]:
                assert failure(tests, names, source) is not None, (number, seed, why)


def stated(path):
    """What the heading of each exercise says: (number, core or optional, minutes, ...)."""
    text = "\n".join(cell.source for _, cell in kinds(path))
    line = r"\*\((core|optional), (easy|medium|hard), (\d+) minutes, 10 points\)\*"
    found = re.findall(rf"^## (\d+\.\d+) \S.*\n\n{line}", text, re.MULTILINE)
    assert len(found) == len(re.findall(exercises.EXERCISE.pattern, text))
    return [(number, which, level, int(m)) for number, which, level, m in found]


@notebook
def test_two_exercises_are_core_and_each_exercise_has_ten_points(path):
    found = stated(path)
    assert [row[0] for row in found] == [
        f"{int(path.stem[:2])}.{i + 1}" for i in range(len(found))
    ]
    core = [row[0] for row in found if row[1] == "core"]
    assert len(core) == 2 and found[0][2] == "easy"
    assert {each["points"] for each in parts_of(path).values()} == {10}
    number, cells = None, {row[0]: [] for row in found}
    for kind, cell in kinds(path):
        if heading := exercises.EXERCISE.match(cell.source):
            number = heading[1]
            tagged = "core" in cell.metadata.get("tags", [])
            assert tagged == (number in core), number
        if number:
            written = cell.cell_type == "markdown" and "points" in cell.metadata
            cells[number].append("written" if written else kind)
    for number, kind in cells.items():
        assert kind.count("tests") == kind.count("hidden-tests") == 1, number
        assert kind.count("written") <= 1, number


def test_the_core_exercises_take_28_hours_at_most():
    minutes = [row[3] for path in NOTEBOOKS for row in stated(path) if row[1] == "core"]
    assert sum(minutes) <= 28 * 60


@notebook
def test_the_chapter_lists_the_same_exercises(path):
    *_, last = pages_of(path.parent.parent / path.name, ROOT)
    cells = nbformat.read(last, as_version=4).cells
    chapter = "\n".join(cell.source for cell in cells).partition("\n## Exercises\n")[2]
    line = r"^(\d+)\. \*\((core|optional), (\w+), (\d+) minutes\)\*"
    listed = re.findall(line, chapter, re.MULTILINE)
    begin = int(path.stem[:2])
    listed = [(f"{begin}.{n}", which, level, int(m)) for n, which, level, m in listed]
    assert stated(path) == listed


@pytest.fixture(scope="module")
def instructors():
    """The page for instructors."""
    return (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")


def minutes(path, which):
    """The minutes of the core or of the optional exercises of a notebook."""
    return [row[3] for row in stated(path) if row[1] == which]


def test_the_instructors_page_has_the_right_numbers(instructors):
    row = r"^\| \[.*\]\(\.\./(.*)\) \| .* \| (\d+) \| (\d+) \| (\d+) \|$"
    listed = {
        ROOT / path: [*map(int, n)] for path, *n in re.findall(row, instructors, re.M)
    }
    counted = {}
    for path in NOTEBOOKS:
        optional = minutes(path, "optional")
        counted[path] = [sum(minutes(path, "core")), len(optional), sum(optional)]
    assert listed == counted
    totals = " | ".join(str(sum(column)) for column in zip(*counted.values()))
    assert f"| **all** | | {totals} |" in instructors


def test_the_plans_have_the_right_minutes_and_hours():
    text = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    plan = r"^## (\w+) weeks\n(.*?)^\| \*\*all\*\* \|(.*?)$"
    row = r"^\| \d+ \| (.*?) \| (\d*) ?\| (\d*) ?\| (\d*) ?\| ([\d.]+) \|"
    core = {int(path.stem[:2]): sum(minutes(path, "core")) for path in NOTEBOOKS}
    totals = {}
    for name, listed, total in re.findall(plan, text, re.MULTILINE | re.DOTALL):
        weeks = re.findall(row, listed, re.MULTILINE)
        read = worked = 0
        for what, reading, sheet, work, hours in weeks:
            pages_of = re.findall(r"\(\.\./(notebooks/\w+\.ipynb)\)", what)
            needed = sum(
                pages.reading_minutes(pages.read(ROOT / path)) for path in pages_of
            )
            assert int(reading or 0) == needed, what
            assert int(work or 0) == (core[int(sheet)] if sheet else 0), what
            own = needed + int(work or 0)
            assert float(hours) == pytest.approx(own / 60 + 1.5, abs=0.051), what
            read, worked = read + needed, worked + int(work or 0)
        hours = f"{(read + worked) / 60 + 1.5 * len(weeks):.1f}"
        assert total.split("|")[1:5:2] == [f" {read} ", f" {worked} "]
        assert total.split("|")[4].strip() == hours
        totals[name] = (len(weeks), read, worked)
    assert [totals[name][0] for name in ("Fourteen", "Six")] == [14, 6]
    _, read, worked = totals["Fourteen"]
    five = sum(core[sheet] for sheet in (1, 3, 5, 7, 11))
    for begins, reading, sheets, project, contact in [
        ("fourteen weeks, with the project and five sheets", read, five, 40, 21),
        ("fourteen weeks, with all sheets", read, worked, 0, 21),
        ("six weeks", *totals["Six"][1:], 0, 9),
    ]:
        hours = (reading + sheets) / 60 + project + contact
        parts = f"{reading / 60:.1f} | {sheets / 60:.1f} | {project} | {contact}"
        credits = "–".join(map(str, sorted({round(hours / each) for each in (25, 30)})))
        assert f"| {begins} | {parts} | {hours:.1f} | {credits} |" in text


def test_the_shares_of_the_assessment_are_the_whole():
    text = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
    table = text.split("## Assessment\n", 1)[1].strip().split("\n\n")[0].splitlines()
    for row in table[2:]:
        shares = re.findall(r"(\d+) %", row)
        assert row.count("|") == 5 and sum(map(int, shares)) == 100, row


def test_the_example_of_private_tests_tells_the_books_solution_from_wrong_ones(instructors):
    (example,) = re.findall(r"^```python\n(.+?)^```", instructors, re.M | re.DOTALL)
    path = next(path for path in NOTEBOOKS if path.stem.startswith("03"))
    names = {"__name__": "exercise"}
    for number, exercise in parts_of(path).items():
        run([*exercise["given"], exercise["solution"]], names)
        if number == "3.2":
            break
    run([example], names)
    wrong = dict(answers(path).WRONG["3.2"])
    for why in ("does not divide", "ignores the lengths", "ignores the mask"):
        with pytest.raises(AssertionError, match="must be"):
            run([wrong[why], example], names)


def test_exercises_that_a_page_refers_to_exist():
    numbers = {row[0] for path in NOTEBOOKS for row in stated(path)}
    for path in [*every_notebook(), *(ROOT / "book").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        for found in re.findall(r"\b[Ee]xercises? (\d+(?:\.\d+)?)\b(?! ·|\.\d)", text):
            assert found in numbers, (path.name, found)


# --- in the book ---------------------------------------------------------------------


@notebook
def test_the_book_folds_tests_and_solutions_and_shows_all_else(path):
    source = nbformat.read(path, as_version=4)
    book = exercises.folded(source)
    nbformat.validate(book)
    depth, shown, hidden = 0, [], []
    for cell in book.cells:
        depth += cell.source.count("<details") - cell.source.count("</details")
        assert depth in (0, 1)
        (hidden if depth else shown).append(cell.id)
    expected = [cell.id for kind, cell in kinds(path) if kind is None]
    assert [cell for cell in shown if cell in expected] == expected
    assert {cell.id for kind, cell in kinds(path) if kind} <= {*hidden}


@notebook
def test_without_solutions_the_book_shows_what_students_get(path):
    book = exercises.folded(nbformat.read(path, as_version=4), solutions=False)
    text = "\n".join(cell.source for cell in book.cells)
    for kind, cell in kinds(path):
        assert (cell.id in {each.id for each in book.cells}) == (kind in ("tests", None))
    assert "Rubric" not in text and "<summary>Solution" not in text


# --- what students get ---------------------------------------------------------------


@notebook
def test_students_get_neither_solutions_nor_hidden_tests(path):
    source = nbformat.read(path, as_version=4)
    student = exercises.student_view(source)
    nbformat.validate(student)
    text = "\n".join(cell.source for cell in student.cells)
    assert "@save" not in text and ".ipynb" not in text
    for kind, cell in kinds(path):
        shown = exercises.LINK.sub(r"\1", cell.source)
        assert (shown in text) == (kind in ("tests", None)), cell.source
        if kind == "solution" and cell.cell_type == "code":
            names = {n.name for n in ast.parse(cell.source).body if hasattr(n, "name")}
            assert all(re.search(rf"(def|class) {name}\b", text) for name in names)
    assert not any(cell.get("outputs") for cell in student.cells)


@notebook
def test_the_core_sheet_has_the_cells_of_two_exercises_whole(path):
    source = nbformat.read(path, as_version=4)
    complete = {cell.source for cell in exercises.student_view(source).cells}
    core = exercises.view_of(source, exercises.shown, core_only=True).cells
    code = [cell for cell in core if cell.cell_type == "code" and cell.id != "setup"]
    assert code and all(cell.source in complete for cell in code)
    statements = [c.source for c in core if exercises.EXERCISE.match(c.source)]
    assert len(statements) == 2 and all(text in complete for text in statements)


@pytest.mark.weekly
def test_a_core_exercise_needs_no_optional_one_that_stands_before_it():
    private = pytest.importorskip("grading.private", reason="it needs nbgrader")
    for path in NOTEBOOKS:
        if [row[1] for row in stated(path)][:2] != ["core", "core"]:
            run([cell.source for *_, cell in private.code_cells(path, core_only=True)], {})


def test_a_stub_keeps_signatures_docstrings_imports_and_constants():
    source = '''import torch
RATE = 0.1


@torch.no_grad()
def f(
    x, *, y=1
):
    """Both.

    On two lines.
    """
    # a secret
    {}


class A(torch.nn.Module):
    """A layer."""

    def __init__(self, n):
        {}

    def forward(self, X):
        """X (b, n) gives (b,)."""
        {}'''
    solution = source.format("y = x\n\n    return y", "self.n = n", "return X.sum(1)")
    shown = source.replace("    # a secret\n", "")
    assert exercises.stub(solution) == shown.replace("{}", "raise NotImplementedError")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("print(1)", r"definitions only, not 'print\(1\)'"),
        ("def f(x):\n    return x", "f must have a docstring"),
        ('def f(x):\n    """F."""\n    return x\n    # x', "students would see '# x'"),
    ],
)
def test_a_solution_that_cannot_be_hidden_is_refused_with_its_cell(source, message):
    solution = new_code_cell(source, metadata={"tags": ["solution"]})
    cells = [new_code_cell("x = 1"), solution]
    with pytest.raises(ValueError, match=f"cell 1: .*{message}"):
        exercises.student_view(new_notebook(cells=cells))
