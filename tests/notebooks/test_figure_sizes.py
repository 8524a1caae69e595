"""No figure that is as wide as its text takes its size from the fonts of the machine."""

import dataclasses
import re
import warnings

import matplotlib
import nbformat
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt

import d2lmini as d2l
from tools import ROOT, every_notebook

SIZE = re.compile(r"<Figure size [\d.x]+")
SYSTEM = (
    "Arial",
    "Helvetica",
    "Helvetica Neue",
    "Liberation Sans",
    "Segoe UI",
    "DejaVu Sans",
)


@pytest.fixture
def wide_fonts(monkeypatch):
    """Let the machine have one font, wide and only upright, under all these names."""
    d2l.use_svg_display()
    fonts = font_manager.fontManager
    known = [font for font in fonts.ttflist if font.name.startswith("d2lmini")]
    known += [
        f for f in fonts.ttflist if str(f.fname).startswith(matplotlib.get_data_path())
    ]
    wide = next(f for f in known if str(f.fname).endswith("DejaVuSansMono.ttf"))
    misleading = [dataclasses.replace(wide, name=name) for name in SYSTEM]
    monkeypatch.setattr(fonts, "ttflist", misleading + known)
    fonts.addfont(wide.fname)  # so that matplotlib looks again for all fonts
    with plt.rc_context():
        yield
    monkeypatch.undo()
    fonts.addfont(wide.fname)


def sizes(cell):
    """The sizes of a cell's figures, as it has printed them."""
    texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return [found[0] for text in texts if (found := SIZE.match(text))]


def measuring():
    """Notebooks and their cells to the last figure of a size that comes from a text.

    Those that train a model before are compared by nbval alone.
    """
    for path in every_notebook():
        cells = nbformat.read(path, as_version=4).cells
        cells = [cell for cell in cells if cell.cell_type == "code"]
        while cells and not any("." in size for size in sizes(cells[-1])):
            cells.pop()
        source = "".join(cell.source for cell in cells)
        if cells and not re.search(r"rainer\(|optim\.", source):
            name = path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
            yield pytest.param(path, cells, id=name)


@pytest.mark.parametrize("path, cells", [*measuring()])
def test_a_font_of_the_machine_changes_no_size(
    path, cells, wide_fonts, monkeypatch, caplog
):
    monkeypatch.chdir(path.parent)
    namespace, drawn = {}, []
    warnings.simplefilter("ignore")  # as in a notebook; until this test ends
    for cell in cells:
        exec(compile(cell.source, f"cell {cell.execution_count}", "exec"), namespace)
        if plt.get_fignums():
            drawn.append((cell.execution_count, SIZE.match(repr(plt.gcf()))[0]))
            plt.close("all")
    stored = [(cell.execution_count, size) for cell in cells for size in sizes(cell)]
    assert drawn == stored
    assert not caplog.records  # as of a font that has no bold letters
    ours, theirs = (
        plt.figtext(0, 0, "width", family=name) for name in ("d2lmini Sans", "Arial")
    )
    assert theirs.get_window_extent().width > 1.1 * ours.get_window_extent().width
