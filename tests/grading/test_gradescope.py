"""The export for otter-grader gives the points that nbgrader gives."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_code_cell
from small_course import (
    ANSWERS,
    DOUBLE,
    NAME,
    TRIPLE,
    answered,
    hand_in,
    hand_in_answers,
    make_course,
    place,
    read,
    tool,
)

from grading import grade, gradescope

POINTS = {"0-1-tests-1": 1, "0-1-hidden-tests-1": 2, "0-2-tests-1": 3}
RUN = "ada", "cleo", "dan", "hal", "kim", "pia"  # the others need nbgrader's limits


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by ten students."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, {})
    hand_in_answers(folder, {name: ANSWERS[name] for name in RUN})
    given_out = folder / "release" / NAME / f"{NAME}.ipynb"
    hand_in(folder, "una", read(given_out))  # has answered nothing
    split = answered(read(given_out), DOUBLE, TRIPLE)
    i = place(split, "def triple")
    first, second = split.cells[i].source.split('"""\n')
    split.cells[i].source = f'{first}"""'
    split.cells.insert(i + 1, new_code_cell(second))
    hand_in(folder, "vic", split)
    return folder


@pytest.fixture
def folder(course, tmp_path, monkeypatch):
    """What the zip is made of, with stand-ins for what it imports of otter."""

    def test_case(**about):
        return lambda function: SimpleNamespace(run=function, **about)

    parts = {"plugins.AbstractOtterPlugin": object, "test_files.test_case": test_case}
    monkeypatch.setitem(sys.modules, "otter", SimpleNamespace())
    for name, part in parts.items():
        module, name = name.split(".")
        stand_in = SimpleNamespace(**{name: part})
        monkeypatch.setitem(sys.modules, f"otter.{module}", stand_in)
    folder = tmp_path / NAME
    gradescope.write_files(folder, course, NAME)
    monkeypatch.chdir(folder)
    return folder


def read_test(path):
    """The test of one of otter's test files."""
    found = {}
    exec(path.read_text(encoding="utf-8"), found)
    assert found["name"] == found["test"].name == path.stem
    return found["test"]


def failed(folder, notebook):
    """The tests that fail where they stand in the notebook, as otter runs them; remarks."""
    shutil.copy(folder / "files" / "release.json", folder)  # otter has all in one folder
    plugin = importlib.import_module("grading.otter_plugin").Mend()
    variables, names = {}, set()
    for cell in plugin.before_execution(notebook).cells:
        if cell.cell_type == "code":
            with suppress(Exception):
                exec(cell.source, variables)
        for name in cell.metadata.get("otter", {}).get("tests", []):
            try:
                read_test(folder / "tests" / f"{name}.py").run(variables)
            except Exception:
                names.add(name)
    return names, plugin.generate_report()


@pytest.mark.weekly
def test_each_cell_of_tests_becomes_a_file_with_its_points(folder):
    tests = {path.stem: read_test(path) for path in (folder / "tests").glob("*.py")}
    assert {name: test.points for name, test in tests.items()} == POINTS
    assert {name for name, test in tests.items() if test.hidden} == {"0-1-hidden-tests-1"}


@pytest.mark.weekly
def test_no_solution_is_in_it_and_hidden_tests_only_in_tests(folder):
    for path in folder.rglob("*.*"):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "ignore")  # a font is no text
            assert "x + double(x)" not in text and "says why" not in text, path
            assert "double(2.0)" not in text or path.parent.name == "tests", path


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("student", "names", "report"),
    [
        ("ned", set(), ""),
        ("vic", set(), ""),
        ("una", POINTS.keys(), ""),
        ("cleo", {"0-1-hidden-tests-1", "0-2-tests-1"}, ""),
        ("hal", POINTS.keys() - {"0-2-tests-1"}, "0.1 hidden tests 1: missing; "),
        ("ola", {"0-2-tests-1"}, "0.2 solution 1: missing; "),
    ],
)
def test_files_pass_with_right_answers_only(folder, course, student, names, report):
    path = course / "submitted" / student / NAME / f"{NAME}.ipynb"
    found, remarks = failed(folder, read(path))
    assert found == names and report in remarks and bool(report) == bool(remarks)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "program", "message"),
    [
        ("09_nothing", "exit 0", f"assignment must be one of {NAME}, not '09_nothing'"),
        (NAME, None, "the program otter is not in the path"),
        (NAME, "echo no >&2; exit 1", "otter generate failed:\nno"),
    ],
)
def test_what_cannot_be_written_is_refused(
    course, tmp_path, monkeypatch, name, program, message
):
    if program:
        (tmp_path / "otter").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        (tmp_path / "otter").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=message):
        gradescope.write_zip(course, name)
    assert not (course / "otter" / f"{name}.zip").exists()


# --- otter-grader itself ----------------------------------------------------------------


@pytest.fixture(scope="module")
def otter(tmp_path_factory):
    """The programs of an environment with otter, which sees this one's packages, too."""
    folder = tmp_path_factory.mktemp("otter")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    install = (
        programs / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "otter-grader[grading]==7.*",
    )
    done = subprocess.run(install, capture_output=True, encoding="utf-8")
    if done.returncode:
        pytest.skip(f"otter-grader cannot be installed here: {done.stderr[-300:]}")
    paths = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    (packages / "course.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return programs


def run_otter(otter, autograder, notebook, folder):
    """The score of each test, by otter; students see it after marks are published."""
    files = autograder.with_suffix("") / "files"
    command = otter / "otter", "run", "--no-logo", "-a", autograder, "-o", folder, notebook
    done = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": str(files)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert {each["visibility"] for each in results["tests"]} == {"after_published"}
    return {each["name"]: each["score"] for each in results["tests"]}


@pytest.mark.weekly  # it installs otter-grader
def test_otter_gives_the_points_that_nbgrader_gives(course, otter, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{otter}{os.pathsep}{os.environ['PATH']}")
    zipped = gradescope.write_zip(course, NAME)
    tool("grade", NAME, "--course", course)
    scores, expected = {}, {}
    with grade.open_course(course).gradebook as gradebook:
        for path in sorted(course.glob(f"submitted/*/{NAME}/*.ipynb")):
            student = path.parts[-3]
            scores[student] = run_otter(otter, zipped, path, tmp_path)
            (graded,) = gradebook.find_submission(NAME, student).notebooks
            marks = {each.name: each.auto_score for each in graded.grades}
            expected[student] = {name: marks[name] for name in POINTS}
    assert scores == expected and len(scores) == 10
    assert {sum(points.values()) for points in scores.values()} == {0, 1, 3, 6}
