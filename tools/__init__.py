"""The programs of the course: those of its notebooks and of its book."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def beside(module: str, name: str) -> str:
    """The text of a file beside a module: a script, a style, a template.

    The module is its `__file__`.
    """
    return Path(module).with_name(name).read_text(encoding="utf-8")


def filled(module: str, name: str, /, **values) -> str:
    """A template of Jinja beside a module with these values, escaped in HTML."""
    from jinja2 import StrictUndefined, Template  # tools/__main__.py does without

    return Template(
        beside(module, name),
        autoescape=name.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    ).render(values)


def every_notebook(root=ROOT):
    """The paths of all notebooks, without the copies that JupyterLab keeps beside them."""
    paths = sorted((root / "notebooks").rglob("*.ipynb"))
    return [path for path in paths if ".ipynb_checkpoints" not in path.parts]
