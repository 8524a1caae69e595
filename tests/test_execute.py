"""tools/execute.py on tiny notebooks: what is stored, what is kept, what a failure says.

A kernel takes a second to start, so the runs are made once and the tests look at them.
"""

import io
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import execute
import nbformat.v4
import pytest

CLOCK = "import time\nprint(time.time_ns())"
WIDGET = "application/vnd.jupyter.widget-view+json"
TIMING = {"execution": {"iopub.execute_input": "now"}, "collapsed": False, "scrolled": True}


def code(source, *tags, **metadata):
    metadata |= {"tags": list(tags)} if tags else {}
    return nbformat.v4.new_code_cell(source, metadata=metadata)


def write(path, *cells, **metadata):
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells), metadata=metadata), path)
    return path


def read(path):
    return nbformat.read(path, as_version=4)


def outputs(path):
    """The stored outputs of each code cell; one that is a stream stands as its text."""
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    return [[output.get("text", output) for output in cell.outputs] for cell in cells]


def run(*arguments):
    """Run the tool: its exit code, what it printed, and what it printed to stderr."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = execute.main([str(argument) for argument in arguments])
    return SimpleNamespace(status=status, out=out.getvalue(), err=err.getvalue())


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A notebook run four times: new, again, with one cell edited, and with --refresh."""
    path = tmp_path_factory.mktemp("my course") / "00_one.ipynb"
    show = f'display({{"{WIDGET}": {{}}, "text/plain": "bar"}}, raw=True)'
    write(
        path,
        nbformat.v4.new_markdown_cell("# One"),
        code("x = 2\nprint(x)\nprint('é')", **TIMING),
        code("x + 1"),
        code(CLOCK, execute.UNSTABLE),
        code(CLOCK, execute.UNSTABLE),
        code(f"{CLOCK}  # a", execute.UNSTABLE),
        code(show),
        code(""),
        code("import os\nos.path.basename(os.getcwd())[:9], os.environ['TQDM_DISABLE']"),
        kernelspec={"display_name": "mine", "language": "python", "name": "mine"},
        language_info={"name": "python", "version": "3.11.7"},
        widgets={WIDGET: {"state": {}}},
    )
    seen = SimpleNamespace(path=path)

    def stage(name, *flags):
        done = run(path, *flags)
        stat = (path.read_bytes(), path.stat().st_mtime_ns)
        done.stat, done.notebook, done.outputs = stat, read(path), outputs(path)
        setattr(seen, name, done)

    stage("first")
    stage("again")
    notebook = read(path)
    notebook.cells[5].source = f"{CLOCK}  # b"
    nbformat.write(notebook, path)
    stage("edited")
    stage("refreshed", "--refresh")
    return seen


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """One call with a failing notebook, a missing one, two that are none, a good one."""
    folder = tmp_path_factory.mktemp("mixed")
    failing = write(
        folder / "failing.ipynb",
        code("int('expected')", "raises-exception"),
        nbformat.v4.new_markdown_cell("Text."),
        code("def f():\n    return 1 / 0"),
        code("f()"),
        code("print('never')"),
    )
    notebook = read(failing)
    notebook.cells[4].outputs = [nbformat.v4.new_output("error", ename="Old", evalue="old")]
    nbformat.write(notebook, failing)
    missing, text, other = (folder / f"{name}.ipynb" for name in ("gone", "text", "list"))
    text.write_text("not a notebook", encoding="utf-8")
    other.write_text("[]", encoding="utf-8")
    good = write(folder / "good.ipynb", code("print('good')"))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    done = run(failing, missing, text, other, good)
    done.changed = [
        path.name for path in folder.iterdir() if before.get(path) != path.read_bytes()
    ]
    done.folder, done.failing, done.missing, done.good = folder, failing, missing, good
    done.others = [text, other]
    return done


# --- what is stored ------------------------------------------------------------------


def test_the_outputs_are_stored(course):
    assert course.first.status == 0
    assert course.first.err == ""
    assert course.first.out == f"{course.path}: updated\n"
    assert course.first.outputs[0] == ["2\né\n"]
    assert course.first.outputs[1][0].data == {"text/plain": "3"}


def test_the_code_cells_are_counted_from_one(course):
    cells = [cell for cell in course.first.notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert course.first.outputs[1][0].execution_count == 2


def test_a_notebook_runs_in_its_own_folder_and_without_progress_bars(course):
    assert course.first.outputs[7][0].data == {"text/plain": "('my course', '1')"}


def test_the_metadata_of_the_notebook_is_the_same_for_everybody(course):
    assert course.first.notebook.metadata == execute.METADATA


def test_the_metadata_of_a_run_are_dropped_from_the_cells(course):
    assert course.first.notebook.cells[1].metadata == {}


def test_the_view_of_a_widget_is_dropped_and_its_text_kept(course):
    assert course.first.outputs[5][0].data == {"text/plain": "bar"}


def test_the_stored_notebook_is_valid_and_ends_with_one_new_line(course):
    nbformat.validate(course.first.notebook)
    assert course.first.stat[0].endswith(b"}\n")
    assert list(course.path.parent.iterdir()) == [course.path]


def test_a_second_run_leaves_the_file_as_it_is(course):
    assert course.again.out == f"{course.path}: unchanged\n"
    assert course.again.stat == course.first.stat


# --- outputs that no two runs share --------------------------------------------------


def test_the_output_of_an_unstable_cell_is_kept_while_its_source_is_unchanged(course):
    assert course.again.outputs[2:5] == course.first.outputs[2:5]
    assert course.edited.outputs[2:4] == course.first.outputs[2:4]


def test_two_unstable_cells_with_the_same_source_keep_their_own_outputs(course):
    assert course.again.outputs[2] != course.again.outputs[3]


def test_the_output_of_an_unstable_cell_is_renewed_when_its_source_has_changed(course):
    assert course.edited.out == f"{course.path}: updated\n"
    assert course.edited.outputs[4] != course.first.outputs[4]


def test_refresh_renews_the_output_of_every_unstable_cell(course):
    assert course.refreshed.status == 0
    pairs = zip(course.refreshed.outputs[2:5], course.edited.outputs[2:5], strict=True)
    assert all(new and new != old for new, old in pairs)


# --- failures ------------------------------------------------------------------------


def test_a_failing_cell_is_named_with_its_traceback(mixed):
    assert mixed.status == 1
    assert f"execute: {mixed.failing}, code cell [3]: " in mixed.err
    assert "return 1 / 0" in mixed.err
    assert "ZeroDivisionError: division by zero" in mixed.err
    assert "\x1b" not in mixed.err


def test_an_error_that_is_expected_or_of_an_earlier_run_is_not_reported(mixed):
    assert "expected" not in mixed.err
    assert "Old" not in mixed.err


def test_a_failing_notebook_is_left_as_it_was(mixed):
    assert mixed.changed == ["good.ipynb"]
    assert not list(mixed.folder.glob("*.part"))


def test_the_other_notebooks_of_the_call_are_run(mixed):
    assert mixed.out == f"{mixed.good}: updated\n"
    assert outputs(mixed.good) == [["good\n"]]


def test_a_missing_file_is_named(mixed):
    assert f"execute: {mixed.missing}: is no readable notebook: " in mixed.err
    assert "No such file" in mixed.err
    assert not mixed.missing.exists()


def test_a_file_that_is_no_notebook_is_named(mixed):
    for path in mixed.others:
        assert f"execute: {path}: is no readable notebook: " in mixed.err


# --- which notebooks -----------------------------------------------------------------


def test_without_arguments_every_notebook_is_run_but_no_checkpoint(tmp_path, monkeypatch):
    paths = ["01_b.ipynb", "00_a.ipynb", "exercises/00_a.ipynb"]
    for name in [*paths, ".ipynb_checkpoints/00_a-checkpoint.ipynb"]:
        path = tmp_path / "notebooks" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    called = []
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    monkeypatch.setattr(execute, "execute", lambda *arguments: called.append(arguments))
    assert run("--refresh").status == 0
    assert called == [(tmp_path / "notebooks" / name, True) for name in sorted(paths)]
