"""Run what a reader gets in Colab, with a Python that has Colab's versions of everything.

    python -m tests.as_in_colab [NOTEBOOK ...]

First come the downloads of all notebooks, or of these, where the course is missing; sheets
of exercises have the book's solutions as answers. One after the other runs its setup cell,
which installs what Colab lacks. Then all are run and compared, and so are the package's
tests, which need libraries that no page uses.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.helpers import served
from tools import ROOT, every_notebook

NOTEBOOKS = ROOT / "notebooks"


def main(names):
    paths = [Path(name).resolve() for name in names] or every_notebook()
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / path.relative_to(NOTEBOOKS) for path in paths]
        for path, copy in zip(paths, copies):
            copy.parent.mkdir(exist_ok=True)
            notebook = served(path)
            nbformat.write(notebook, copy)
            set_up(notebook, copy)
        shutil.copy(ROOT / "conftest.py", folder)
        nbval = ["--nbval", "--nbval-current-env", "--dist", "loadfile"]
        pytest(*nbval, *copies, folder=folder)
    if not names:
        pip = [sys.executable, "-m", "pip", "install", "--quiet"]
        no_deps = ["--no-deps", "--requirement", ROOT / "requirements-no-deps.txt"]
        subprocess.run([*pip, "hypothesis", "requests"], check=True)
        subprocess.run([*pip, *no_deps], check=True)
        # What other libraries of that age say of each other is not our business.
        pytest("-W", "ignore::DeprecationWarning", ROOT / "tests" / "package", folder=ROOT)


def set_up(notebook, path):
    """Run the setup cell of a download, and say what it has said."""
    (cell,) = [cell for cell in notebook.cells if cell.get("id") == "setup"]
    alone = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(alone, resources={"metadata": {"path": path.parent}}).execute()
    said = "".join(output.get("text", "") for output in cell.outputs)
    print(f"{path.stem}: {said.strip()}", flush=True)
    if "could not be installed" in said or "d2lmini was missing" not in said:
        sys.exit(f"the setup cell of {path.name} has failed")


def pytest(*arguments, folder):
    environment = os.environ | ({"PYTHONPATH": str(ROOT)} if folder == ROOT else {})
    command = [sys.executable, "-m", "pytest", "-n", "2", *map(str, arguments)]
    subprocess.run(command, cwd=folder, env=environment, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
