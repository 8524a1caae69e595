"""The programs of the course: those of its notebooks, of its book and of its results."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def every_notebook(root=ROOT):
    """The paths of all notebooks, without the copies that JupyterLab keeps beside them."""
    paths = sorted((root / "notebooks").rglob("*.ipynb"))
    return [path for path in paths if ".ipynb_checkpoints" not in path.parts]
