"""Write an assignment of a course for otter-grader, by which Gradescope can grade it.

    python -m grading.gradescope ASSIGNMENT [--course FOLDER]

The folder otter/ASSIGNMENT/ of the course gets, in the form that otter documents
(https://otter-grader.readthedocs.io), a test file for each cell of tests of source/, with
the points that it has in nbgrader; the students' package; and a plugin that mends notebooks
as nbgrader's step does (otter_plugin.py). Otter itself makes otter/ASSIGNMENT.zip of these,
and adds what Gradescope needs, so the program `otter` must be in the path, in an
environment of its own if you like.

Answers in words are not in it. The tests give the points that nbgrader gives for them.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import nbformat

from grading import parser
from grading.grade import check_assignment
from grading.mend import grade_id
from tools import ROOT

INSTALL = 'python -m venv ~/otter && ~/otter/bin/pip install "otter-grader[grading]"'
CONFIG = {
    "plugins": ["grading.otter_plugin.Mend"],
    "show_hidden": True,  # points and messages, after marks are published
    "force_public_test_summary": False,  # in it, hidden tests that failed have passed
}
CODE = "grading/__init__.py", "grading/mend.py", "grading/otter_plugin.py"
RUN = b'import sys\n\nsys.path.insert(0, "/autograder/source/files")\n'
TEST = """\
from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
points = {points}
SOURCE = {source!r}


@test_case(name={name!r}, points={points}, hidden={hidden})
def test(env):
    exec(compile(SOURCE, name, "exec"), env)
"""


def main():
    """Write the zip of one assignment."""
    command = parser(__doc__)
    command.add_argument("assignment", help="such as 01_queries_keys_values")
    options = command.parse_args()
    try:
        print(write_zip(options.course, options.assignment))
    except ValueError as error:
        sys.exit(f"gradescope: {error}")


def write_zip(course, assignment):
    """Write otter/ASSIGNMENT.zip in a course; returns its path.

    Raises ValueError for an assignment that the course does not have, and if there is no
    program `otter`, or it fails.
    """
    check_assignment(course, assignment)
    otter = shutil.which("otter")
    if otter is None:
        raise ValueError(f"the program otter is not in the path. To install it: {INSTALL}")
    folder = course.resolve() / "otter" / assignment
    target = folder.with_suffix(".zip")
    shutil.rmtree(folder, ignore_errors=True)
    target.unlink(missing_ok=True)
    write_files(folder, course, assignment)
    files = folder / "files"
    command = [os.path.abspath(otter), "generate", "-o", str(target), "--no-environment"]
    command += ["-t", "../tests", "-r", "../requirements.txt", "-c", "../otter_config.json"]
    command += sorted(path.name for path in files.iterdir())
    path = {"PYTHONPATH": str(files)}  # otter imports the plugin already now
    made = subprocess.run(
        command, cwd=files, env=os.environ | path, capture_output=True, encoding="utf-8"
    )
    if made.returncode:
        raise ValueError(f"otter generate failed:\n{made.stdout}{made.stderr}")
    let_import_the_plugin(target)
    return target


def let_import_the_plugin(path):
    """Put the zip's files into the path of the program that Gradescope runs."""
    with zipfile.ZipFile(path) as made:
        parts = {each: made.read(each) for each in made.infolist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as changed:
        for each, content in parts.items():
            begin = RUN if each.filename == "run_otter.py" else b""
            changed.writestr(each, begin + content)


def write_files(folder, course, assignment):
    """Write what otter makes a zip of."""
    name = Path(assignment, f"{assignment}.ipynb")
    source, release = (
        nbformat.read(course / part / name, as_version=4) for part in ("source", "release")
    )
    tests, files = folder / "tests", folder / "files"
    tests.mkdir(parents=True)
    for cell in source.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            path = tests / f"{grade_id(cell)}.py"
            path.write_text(test_file(cell), encoding="utf-8")
    shutil.copytree(course / "package" / "d2lmini", files / "d2lmini")
    shutil.copytree(ROOT / "tools" / "notebooks", files / "tools" / "notebooks")
    shutil.copy(ROOT / "tools" / "__init__.py", files / "tools")
    (files / "grading").mkdir()
    for path in CODE:
        shutil.copy(ROOT / path, files / path)
    for cache in files.rglob("__pycache__"):
        shutil.rmtree(cache)
    (files / "release.json").write_text(nbformat.writes(release), encoding="utf-8")
    (folder / "otter_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = ["--extra-index-url https://download.pytorch.org/whl/cpu"]
    lines += project["dependencies"]
    (folder / "requirements.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_file(cell):
    """The text of otter's test file for a cell of tests."""
    name = grade_id(cell)
    return TEST.format(
        name=name,
        points=cell.metadata.nbgrader.points,
        source=cell.source,
        hidden="hidden" in name,
    )


if __name__ == "__main__":
    main()
