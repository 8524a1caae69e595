"""Private tests are drawn from the public ones (what they reject: test_exercises.py)."""

import re
from random import Random

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from grading import assignments, private
from tools import ROOT
from tools.notebooks import exercises

SHEETS = sorted(exercises.SOURCES.glob("*.ipynb"))
NINE = next(path for path in SHEETS if path.stem.startswith("09"))


def cell(source, **drawn):
    return new_code_cell(source, metadata={"drawn": drawn})


def test_all_seeds_are_moved_by_one_number_and_nothing_else():
    source = (
        "seed, é = 3, d2l.fixed_randn(2, 3)  # seed=1\n"
        "K = [fixed_randn(*é.shape, seed=seed), tokens(9, seed=1, b=2)]\n"
        "_ = torch.manual_seed(1), torch.Generator().manual_seed(0)"
    )
    assert private.move_seeds(source, by=1000) == (
        "seed, é = 3, d2l.fixed_randn(2, 3, seed=1000)  # seed=1\n"
        "K = [fixed_randn(*é.shape, seed=1000 + (seed)), tokens(9, seed=1001, b=2)]\n"
        "_ = torch.manual_seed(1001), torch.Generator().manual_seed(1000)"
    )


def test_the_seed_determines_what_is_drawn():
    pieces = {"[1, 2]": "[random.randrange(10**9)] + old", "(3, 'aB')": "renamed(old)"}
    drawn = [private.drawn(cell("f([1, 2], (3, 'aB'))", **pieces), s) for s in "112"]
    assert drawn[0] == drawn[1] != drawn[2]
    assert re.fullmatch(r"f\(\[\d+, 1, 2\], \(3, '[a-z][A-Z]'\)\)", drawn[0])


def test_lists_of_a_case_are_reordered_alike():
    number, letters, digits = private.reordered(Random(2), (1, ["a", "b", "c"], [1, 2, 3]))
    assert number == 1 and sorted(digits) == [1, 2, 3] != digits
    assert letters == ["abc"[digit - 1] for digit in digits]


@pytest.mark.parametrize("source", ["f(2)", "f([1]) + g([1])"])
def test_a_piece_that_is_not_there_just_once_is_refused(source):
    with pytest.raises(ValueError, match=r"'\[1\]', to be drawn, must be there once"):
        private.drawn(cell(source, **{"[1]": "[2]"}), "1")


def test_tests_are_written_kept_and_laid_over_the_books(tmp_path, capsys):
    private.write(tmp_path, "a text", [NINE.stem])
    folder = tmp_path / "private" / NINE.stem
    assert {each.name for each in folder.iterdir()} == {"9.1.py", "9.2.py"}  # the core
    written = (folder / "9.1.py").read_text(encoding="utf-8")
    notebook = nbformat.read(NINE, as_version=4)
    assignments.lay_over(notebook, folder)
    hidden = [c for c in notebook.cells if "hidden-tests" in c.metadata.get("tags", [])]
    assert hidden[0].source + "\n" == written

    (folder / "9.1.py").write_text("mine", encoding="utf-8")
    private.write(tmp_path, "another", [NINE.stem])
    assert (folder / "9.1.py").read_text(encoding="utf-8") == "mine"
    assert "9.1.py exists, and stays as it is" in capsys.readouterr().out
    private.write(tmp_path, "a text", [NINE.stem], overwrite=True)
    assert (folder / "9.1.py").read_text(encoding="utf-8") == written


@pytest.mark.parametrize(
    ("seed", "names", "message"),
    [
        ("", [], "SEED must be a text"),
        ("1", ["09_masks"], "ASSIGNMENT must be one of 01_.*, not '09_masks'"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, seed, names, message):
    with pytest.raises(ValueError, match=message):
        private.write(tmp_path, seed, names)
    assert not any(tmp_path.iterdir())


def test_a_test_that_the_published_solution_does_not_pass_is_not_written():
    tests = private.passed(NINE, {"9.1": "assert 1 == 2, 'never'"})
    with pytest.raises(ValueError, match=r"9\.1: .* AssertionError: never"):
        list(tests)


def test_the_page_says_where_only_seeds_are_drawn():
    cells = {}
    for path in SHEETS:
        cells |= private.hidden_tests(path)
    assert all(private.drawn(each, "1") != each.source for each in cells.values())
    page = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    (listed,) = re.findall(
        r"Only the random numbers .* change, and no size, in (.*)\.", page
    )
    alone = [number for number, each in cells.items() if "drawn" not in each.metadata]
    assert re.split(", | and ", listed) == alone
