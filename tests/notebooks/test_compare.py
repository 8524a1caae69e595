"""Which notebooks are compared again, and what is noted; on a package of two modules."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tools.notebooks import compare, execute, uses, workers

FIRST = 'def double(x):\n    """Twice x."""\n    return 2 * x\n'
SECOND = "from .first import double\n\n\ndef again(x):\n    return double(double(x))\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The root of a project with one notebook, which uses `again` and so `double`."""
    folder = tmp_path / "d2lmini"
    (folder / "data").mkdir(parents=True)
    (folder / "first.py").write_text(FIRST, encoding="utf-8")
    (folder / "second.py").write_text(SECOND, encoding="utf-8")
    (folder / "__init__.py").write_text("from .second import again\n", encoding="utf-8")
    for name in compare.REQUIRED:
        (tmp_path / name).write_text("", encoding="utf-8")
    write(tmp_path / "notebooks" / "01_one.ipynb", 12)
    for module in (uses, compare):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # for the kernels
    monkeypatch.setattr(compare, "PASSED", tmp_path / "_build" / "passed")
    uses.read_package.cache_clear()
    yield tmp_path
    uses.read_package.cache_clear()


def write(path, printed):
    source = "import d2lmini as d2l\n\nprint(d2l.again(3))"
    output = new_output("stream", text=f"{printed}\n")
    cell = new_code_cell(source, execution_count=1, outputs=[output])
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=[cell]), path)


@pytest.mark.parametrize(
    "file, old, new, stale",
    [
        ("notebooks/01_one.ipynb", "again(3)", "again(4)", True),
        ("notebooks/01_one.ipynb", "12", "13", True),  # its output
        ("d2lmini/second.py", "double(double(x))", "double(double(1 * x))", True),
        ("d2lmini/first.py", "2 * x", "x + x", True),  # what a module it uses, uses
        ("d2lmini/first.py", "Twice x.", "x, two times.", False),
        ("d2lmini/first.py", "def double", "def other():\n    pass\n\n\ndef double", False),
        *((name, "", "new", True) for name in compare.REQUIRED),
    ],
)
def test_a_notebook_is_stale_if_anything_it_depends_on_has_changed(
    project, file, old, new, stale
):
    path = project / "notebooks" / "01_one.ipynb"
    before = compare.key(path)
    text = (project / file).read_text(encoding="utf-8")
    assert old in text
    text = text.replace(old, new) if old else new
    (project / file).write_text(text, encoding="utf-8")
    uses.read_package.cache_clear()
    assert (compare.key(path) != before) == stale


@pytest.mark.parametrize("setting", compare.SETTINGS)
def test_what_has_passed_in_another_way_to_compute_is_stale(project, monkeypatch, setting):
    path = project / "notebooks" / "01_one.ipynb"
    monkeypatch.delenv(setting, raising=False)
    before = compare.key(path)
    monkeypatch.setenv(setting, "")
    assert compare.key(path) != before


@pytest.mark.parametrize("text", ["<<<<<<< HEAD", "cells"])
def test_a_notebook_that_cannot_be_read_stops_no_other(project, capsys, text):
    broken = project / "notebooks" / "02_two.ipynb"
    write(broken, 12)
    text = (
        broken.read_text(encoding="utf-8").replace("print(", "print((")
        if text == "cells"
        else text
    )
    broken.write_text(text, encoding="utf-8")
    assert execute.out_of_date(broken)
    assert compare.main([]) == 1
    printed = capsys.readouterr().out
    assert "01_one.ipynb: passed" in printed and "02_two.ipynb: failed" in printed


def test_what_has_passed_is_not_run_again_and_what_has_failed_is(project, capsys):
    write(project / "notebooks" / "02_two.ipynb", 13)
    assert compare.main([]) == 1
    first = capsys.readouterr().out
    assert first.startswith("2 of 2 notebooks")
    assert "01_one.ipynb: passed" in first and "0 left" in first
    assert "02_two.ipynb: failed" in first and "13" in first.partition("failed")[2]
    write(project / "notebooks" / "02_two.ipynb", 12)
    assert compare.main([]) == 0
    second = capsys.readouterr().out
    assert second.startswith("1 of 2 notebooks") and "01_one" not in second
    assert compare.main([]) == 0 and capsys.readouterr().out.startswith("0 of 2 notebooks")


def test_a_shard_is_every_third_notebook_from_the_longest_on(project, monkeypatch):
    paths = [project / "notebooks" / f"0{number}.ipynb" for number in range(5)]
    for path, seconds in zip(paths, (5, 30, 10, 60, 20)):
        nbformat.write(new_notebook(metadata={"running_seconds": seconds}), path)
    begun = []
    monkeypatch.setattr(workers, "run_each", lambda paths, *_: begun.append(paths) or [])
    for shard in ("1/3", "2/3", "3/3"):
        assert compare.main(["--shard", shard, *map(str, paths)]) == 0
    assert begun == [[paths[3], paths[2]], [paths[1], paths[0]], [paths[4]]]
