"""Executing tiny notebooks: what is stored, what is kept, what a failure says.

A kernel takes a second to start, so the runs are made once and the tests look at them.
"""

from types import SimpleNamespace

import nbformat.v4
import pytest

from tools.notebooks import execute, uses

CLOCK = "import time\ntime.time_ns()"
PICTURE = f"from IPython.display import SVG\n{CLOCK}\nSVG(f'<svg>{{time.time_ns()}}</svg>')"
TIMING = {"execution": {"iopub.execute_input": "now"}, "collapsed": False, "scrolled": True}
UNSTABLE = {"tags": [execute.UNSTABLE]}


def code(source, metadata=()):
    return nbformat.v4.new_code_cell(source, metadata=dict(metadata))


def write(path, *cells, **metadata):
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def outputs(notebook):
    """The stored outputs of each code cell; one that is a stream stands as its text."""
    cells = execute.code_cells(notebook)
    return [[output.get("text", output) for output in cell.outputs] for cell in cells]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A notebook run seven times: new, again, with another output of a stable cell, with
    an output cleared, with a cell edited, with another package, and with --refresh."""
    path = write(
        tmp_path_factory.mktemp("my course") / "00_one.ipynb",
        nbformat.v4.new_markdown_cell("# One"),
        code("x = 2\nprint(x, flush=True)\nprint('é')", TIMING),
        code("x + 1"),
        *(code(CLOCK, UNSTABLE), code(CLOCK, UNSTABLE), code(f"{CLOCK}  # a", UNSTABLE)),
        code("import os\nos.path.basename(os.getcwd())[:9], os.environ['TQDM_DISABLE']"),
        code("os.environ.get('PRINTED')"),
        code(PICTURE),
        kernelspec={"display_name": "mine", "language": "python", "name": "mine"},
    )
    seen = SimpleNamespace(path=path)

    def run(name, *flags):
        status = execute.main([*flags, str(path)])
        stat = path.read_bytes(), path.stat().st_mtime_ns
        cells = execute.code_cells(nbformat.read(path, as_version=4))
        times = [cell.outputs[0].data for cell in filter(execute.unstable, cells)]
        setattr(seen, name, SimpleNamespace(status=status, stat=stat, times=times))

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TQDM_DISABLE", raising=False)
        run("first")
        seen.notebook = nbformat.read(path, as_version=4)
        run("again")
        patch.setenv("PRINTED", "something else")
        run("printed")
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[3].update(outputs=[], execution_count=None)  # as an editor clears it
        nbformat.write(notebook, path)
        run("cleared")
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[5].source = f"{CLOCK}  # b"
        nbformat.write(notebook, path)
        run("edited")
        patch.setattr(execute, "fingerprint", lambda sources: "of another package")
        run("package")
        run("refreshed", "--refresh")
    return seen


def test_outputs_are_stored_of_a_run_in_the_folder_and_without_progress_bars(course):
    assert course.first.status == 0
    stored = outputs(course.notebook)
    assert stored[0] == ["2\né\n"]
    assert stored[1][0].data == {"text/plain": "3"}
    assert stored[5][0].data == {"text/plain": "('my course', '1')"}


def test_metadata_and_numbers_of_cells_do_not_depend_on_the_editor(course):
    noted = dict(course.notebook.metadata)
    assert noted.pop("running_seconds") in execute.TIMES
    fingerprint = uses.fingerprint(execute.sources(course.notebook))
    assert noted == execute.METADATA | {"fingerprint": fingerprint}
    cells = execute.code_cells(course.notebook)
    assert cells[0].metadata == {}
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_second_run_leaves_the_file_as_it_is(course):
    assert course.again.stat == course.first.stat
    assert list(course.path.parent.iterdir()) == [course.path]


def test_clip_paths_are_called_alike_in_each_run():
    figure = '<clipPath id="p{}"><rect x="1.26"/></clipPath><g clip-path="url(#p{})">'
    first, second = (figure.format(*[f"{n:010x}"] * 2) for n in (0xA, 0xB))
    normal = execute.normalise_svg(first, "1")
    assert normal == execute.normalise_svg(second, "1") != execute.normalise_svg(first, "2")
    assert normal.count("clip-1-0") == 2 and 'x="1.3"' in normal


def test_a_text_of_a_figure_keeps_its_number_and_has_the_fonts_of_the_book():
    figure = """<text style="font-family: 'DejaVu Sans'; fill: red" x="1.26">1.26</text>"""
    style = f"font-family: {execute.PAGE_FONTS}; fill: red"
    normal = execute.normalise_svg(figure, "1")
    assert normal == f'<text style="{style}" x="1.3">1.26</text>'


def test_a_running_time_is_rounded_up_and_kept_unless_it_is_far_off():
    notebook = nbformat.v4.new_notebook()
    for seconds, stored, noted in [(6, None, 10), (12, 10, 10), (18, 10, 20), (3, 10, 5)]:
        execute.note_time(notebook, seconds, stored)
        assert notebook.metadata["running_seconds"] == noted


@pytest.mark.parametrize("run", ["printed", "cleared", "edited", "package", "refreshed"])
def test_all_outputs_come_from_one_run(course, run):
    runs = ["again", "printed", "cleared", "edited", "package", "refreshed"]
    before = getattr(course, runs[runs.index(run) - 1]).times
    assert len(before) == 3
    assert all(old != new for old, new in zip(before, getattr(course, run).times))


def test_what_was_edited_while_a_notebook_ran_is_not_overwritten(tmp_path, capsys):
    edit = "file = pathlib.Path('one.ipynb')\nfile.write_text(file.read_text() + ' ')"
    path = write(tmp_path / "one.ipynb", code(f"import pathlib\n\n{edit}"))
    text = path.read_text(encoding="utf-8")
    assert execute.main([str(path)]) == 1
    assert f"{path}: was changed while it ran" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == f"{text} "


def test_a_failure_names_notebook_and_cell_and_stops_no_other(tmp_path, capsys):
    failing = write(
        tmp_path / "failing.ipynb",
        code("int('expected')", {"tags": ["raises-exception"]}),
        nbformat.v4.new_markdown_cell("Text."),
        code("def f():\n    return 1 / 0"),
        code("f()"),
    )
    missing, text = tmp_path / "missing.ipynb", tmp_path / "text.ipynb"
    text.write_text("not a notebook", encoding="utf-8")
    good = write(tmp_path / "good.ipynb", code("print('good')"))
    before = failing.read_bytes()
    assert execute.main([str(path) for path in (failing, missing, text, good)]) == 1
    printed = capsys.readouterr()
    assert f"execute: {failing}, code cell [3]: " in printed.err
    assert "return 1 / 0" in printed.err
    assert "ZeroDivisionError: division by zero" in printed.err
    assert "\x1b" not in printed.err and "expected" not in printed.err
    for path in (missing, text):
        assert f"execute: {path}: is no readable notebook: " in printed.err
    assert failing.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == sorted([failing, text, good])
    assert printed.out.startswith(f"{good}: updated, ")
    assert outputs(nbformat.read(good, as_version=4)) == [["good\n"]]
