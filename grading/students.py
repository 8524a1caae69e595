"""Write the folder that students of a course get: no solution and no hidden test is in it.

It holds the chapters, the assignments as nbgrader released them, and the package as a
wheel, in which the definitions that exercises ask for are stubs. It can be given out as a
zip or a repository: see the README in it.
"""

import shutil

from tools import ROOT
from tools.book.downloads import write_wheel

README = """\
# Attention & Transformers: the notebooks of the course

`notebooks/` holds the chapters, `notebooks/further/` optional pages, `notebooks/exercises/`
the assignments. You need Python 3.11 to 3.14. In this folder:

    python -m venv .venv
    .venv/bin/pip install jupyterlab "{wheel}[all]"
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
    wheel = write_wheel(folder, stubs)
    shutil.unpack_archive(wheel, package, format="zip")
    (folder / "README.md").write_text(README.format(wheel=wheel.name), encoding="utf-8")
