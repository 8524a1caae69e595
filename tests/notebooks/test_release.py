"""What students download is enough: every right answer passes the tests that they see."""

import json
import re
import subprocess

import nbformat
import pytest
from test_exercises import answers, parts_of, sheets
from test_standalone import clean_environment

from tools.notebooks import exercises

# Runs the exercises of a notebook one after the other, each with several answers.
RUNNER = """
import json, pathlib, sys

exercises = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
names = {"__name__": "exercise"}
for number, given, answers, tests in exercises:
    for source in given:
        exec(compile(source, f"given before {number}", "exec"), names)
    for who, answer in answers:
        before = dict(names)
        for source in [answer, *tests]:
            exec(compile(source, f"{number}, {who}", "exec"), names)
        names.clear()
        names.update(before)
print("all pass")
"""


ONE = "04_bahdanau"  # stands for the other sheets


@pytest.mark.parametrize("path", sheets(weekly=lambda name: name != ONE))
def test_right_answers_pass_the_visible_tests_where_only_the_release_is(path, tmp_path):
    """The course is not installed, and what exercises ask for is a stub in the package."""
    clean_environment(tmp_path / "clean")
    student = exercises.student_view(nbformat.read(path, as_version=4))
    (setup,) = [cell.source for cell in student.cells if cell.get("id") == "setup"]
    shown = {cell.source.partition("\n")[2] for cell in student.cells}  # without its id
    other, todo = answers(path).OTHER, []
    for number, exercise in parts_of(path).items():
        right = [("the book's answer", exercise["solution"]), ("another", other[number])]
        visible = [source for source in exercise["tests"] if source in shown]
        todo.append([number, exercise["given"], right, visible])
    todo[0][1].insert(0, re.sub(r"%pip .*", "pass", setup))
    assert any(visible for *_, visible in todo)
    runner, cells = tmp_path / "runner.py", tmp_path / "cells.json"
    runner.write_text(RUNNER, encoding="utf-8")
    cells.write_text(json.dumps(todo), encoding="utf-8")
    command = [tmp_path / "clean" / "bin" / "python", runner, cells]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.stdout.endswith("all pass\n"), done.stderr[-3000:]
