"""Write the folder that students of a course get: no solution and no hidden test is in it.

It holds the chapters, the assignments as nbgrader released them, and the package as a
wheel, in which the definitions that exercises ask for are stubs. It can be given out as a
zip or a repository: see the README in it.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import ROOT
from tools.notebooks.standalone import package_files

README = """\
# Attention & Transformers: the notebooks of the course

`notebooks/` holds the chapters, `notebooks/further/` optional pages, `notebooks/exercises/`
the assignments. You need Python 3.11 to 3.14. In this folder:

    python -m venv .venv
    .venv/bin/pip install jupyterlab {wheel}
    .venv/bin/jupyter lab notebooks

Without a GPU, `export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu` before the
commands saves gigabytes (in PowerShell `$env:PIP_EXTRA_INDEX_URL = "..."`). There is no
current PyTorch for Macs with Intel processors: use Colab. On Windows it is
`.venv\\Scripts\\` instead of `.venv/bin/`. In Colab nothing has to be installed: open an
assignment there, and run its first cell.

Hand in the notebook of the assignment, under its own name.
"""


def write(course, stubs):
    """Write students/ of a course, and package/, anew; these names are stubs in both.

    package/ is the same package unpacked, with which notebooks are graded.
    """
    folder, package = course / "students", course / "package"
    for each in (folder, package):
        shutil.rmtree(each, ignore_errors=True)
    exercises = folder / "notebooks" / "exercises"
    exercises.mkdir(parents=True)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, folder / "notebooks")
    shutil.copytree(ROOT / "notebooks" / "further", folder / "notebooks" / "further")
    for path in course.glob("release/*/*.ipynb"):
        shutil.copy(path, exercises)
    with tempfile.TemporaryDirectory() as temporary:
        wheel = make_wheel(Path(temporary), folder, stubs)
    shutil.unpack_archive(wheel, package, format="zip")
    (folder / "README.md").write_text(README.format(wheel=wheel.name), encoding="utf-8")


def make_wheel(temporary, folder, stubs):
    """Build the package with these names as stubs; returns the wheel's path."""
    shutil.copytree(ROOT / "d2lmini" / "data", temporary / "d2lmini" / "data")
    for name, text in package_files((), stubs).items():
        (temporary / name).write_text(text, encoding="utf-8", newline="\n")
    shutil.copy(ROOT / "pyproject.toml", temporary)
    (temporary / "README.md").write_text("See the course.", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--wheel-dir", str(folder), str(temporary)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))
