"""Saving from tiny notebooks: what a tag saves, what is generated, what is refused."""

import importlib
import shutil
import subprocess
import sys

import nbformat.v4
import pytest
from helpers import ROOT
from ruff import find_ruff_bin

from tools.build import save

ONE, TWO = "notebooks/00_one", "notebooks/01_two"
EXERCISES = "notebooks/exercises/00_one"
FILES = ["__init__.py", "one.py", "two.py"]
D2L = "import d2lmini as d2l"
PYPROJECT = '[project]\nname = "d2lmini"\nversion = "1.2.3"\ndescription = "A course"\n'


def prose(text):
    return nbformat.v4.new_markdown_cell(text)


def project(root, notebooks, toc=None):
    """Write a course: notebook name -> cells, where a plain string is a code cell."""
    (root / "notebooks" / "exercises").mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    chapters = "".join(f"  - file: {name}\n" for name in toc or notebooks)
    toc = f"format: jb-book\nroot: book/index\nchapters:\n{chapters}"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    for name, cells in notebooks.items():
        cells = [nbformat.v4.new_code_cell(c) if isinstance(c, str) else c for c in cells]
        notebook = nbformat.v4.new_notebook(cells=cells)
        nbformat.write(notebook, root / f"{name}.ipynb")
    return root


def module(root, name="one"):
    """The text of a generated module."""
    return (root / "d2lmini" / f"{name}.py").read_text(encoding="utf-8")


def saved(root, *cells):
    """What these code cells of one notebook save: the module's text below `__all__`."""
    assert save.main([], project(root, {ONE: cells})) == 0
    return module(root).partition("__all__ = [")[2].partition("]\n")[2].strip()


def imports(text):
    return [line for line in text.split("\n") if line.startswith(("import ", "from "))]


def snapshot(root):
    """Every file with its content and its time of writing."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def refused(tmp_path, capsys):
    """Check that a course is refused, in this cell, and that nothing is written."""

    def check(notebooks, notebook, cell, words):
        place = f"{notebook}.ipynb, code cell [{cell}]"
        before = snapshot(project(tmp_path, notebooks))
        for flags in ([], ["--check"]):
            assert save.main(flags, tmp_path) == 1
            assert capsys.readouterr().err.startswith(f"save: {place}: {words}")
        assert snapshot(tmp_path) == before

    return check


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Import the generated package, and forget it after the test."""

    def ours():
        return [name for name in sys.modules if name.partition(".")[0] == "d2lmini"]

    for name in ours():
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda name="d2lmini": importlib.import_module(name)
    for name in ours():
        del sys.modules[name]


# --- what a tag saves ----------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):  #@save\n    return x",
        "def f(x):  # @save\n    return x",
        "#@save\ndef f(x):\n    return x",
        "#@save\n@staticmethod\ndef f(x):\n    return x",
        "@staticmethod  #@save\ndef f(x):\n    return x",
        "@staticmethod\ndef f(x):  #@save\n    return x",
        "class C:  #@save\n    def f(self):\n        return 1",
        "def f(x):  #@save\n    return x  # (batch, n)",
        "SIZE = 3  # tokens  #@save",
        "SIZES = {  #@save\n    1: 2,\n}",
    ],
)
def test_a_tag_saves_its_statement_and_nothing_around_it(tmp_path, source):
    statement = source.removeprefix("#@save\n").replace("  #@save", "", 1)
    text = saved(tmp_path, f"y = 1  # not saved\n{source}\nprint(2)", "def g(): ...")
    assert text == statement.replace("  # @save", "")


def test_a_tag_inside_a_string_or_a_longer_word_is_no_tag(tmp_path):
    cell = 'HELP = """  #@save\n#@save\n"""\nprint("#@save")\na = 1  #@saved'
    assert saved(tmp_path, cell, "b = 2  #@save") == "b = 2"


# --- methods -------------------------------------------------------------------------

ADD = """\
def add_to_class(Class):  #@save
    return lambda method: setattr(Class, method.__name__, method)
"""
CLASS = "class C:  #@save\n    def f(self):\n        return 1\n\nX = 0  #@save"
METHOD = "@d2l.add_to_class(C)  #@save\ndef g(self):\n    return self.f()"


def test_add_to_class_puts_the_method_into_the_saved_class(tmp_path):
    more = "@add_to_class(C)  #@save\ndef h(self):\n    # why\n    return 2"
    text = saved(tmp_path, D2L, ADD, CLASS, METHOD, more)
    assert text.partition("class C")[2] == (
        ":\n    def f(self):\n        return 1\n\n"
        "    def g(self):\n        return self.f()\n\n"
        "    def h(self):\n        # why\n        return 2\n\n\nX = 0"
    )


def test_add_to_class_keeps_other_decorators_and_strings_and_exports_no_method(
    tmp_path, load
):
    body = 'return """one\ntwo\n  three"""'
    method = f"@d2l.add_to_class(C)  #@save\n@property\ndef g(self):\n    {body}"
    saved(tmp_path, D2L, ADD, CLASS, method)
    assert load().C().g == "one\ntwo\n  three"
    assert load("d2lmini.one").__all__ == ["add_to_class", "C", "X"]


# --- imports -------------------------------------------------------------------------


def test_the_imports_that_saved_code_needs_are_kept_and_the_others_dropped(tmp_path):
    saved(
        tmp_path,
        "import os, sys\nimport json\nfrom math import pi, tau",
        "import os.path as p",
        "def f():  #@save\n    return p.join(sys.path[0], tau)",
        "import sys\nprint(os.getcwd(), json, pi)",
    )
    needed = ["import os.path as p", "import sys", "from math import tau"]
    assert imports(module(tmp_path)) == needed


EARLIER = ["def f(x=0): return x  #@save", "class C: pass  #@save", "K = 2  #@save"]


def test_a_name_of_the_package_becomes_an_explicit_import(tmp_path, load):
    source = """\
@d2l.f  #@save
class D(d2l.C):
    k: d2l.C = d2l.K

    def f(self, é: d2l.C = "é") -> d2l.C:
        '''Like d2l.f.'''
        return "é d2l.K", d2l.f(d2l.K)  # d2l.K
"""
    assert save.main([], project(tmp_path, {ONE: EARLIER, TWO: [D2L, source]})) == 0
    text = module(tmp_path, "two")
    assert imports(text) == ["from .one import C, K, f"]
    for code in ("d2l.C", "d2l.f(d2l.K)", "= d2l.K", "@d2l.f"):
        source = source.replace(code, code.replace("d2l.", ""))
    assert text.endswith(source.replace("  #@save", "").replace("'", '"'))
    assert load().D().f() == ("é d2l.K", 2)


def test_a_name_saved_in_the_same_notebook_is_not_imported(tmp_path):
    assert saved(tmp_path, D2L, "a = 1  #@save", "b = d2l.a  #@save") == "a = 1\nb = a"
    assert imports(module(tmp_path)) == []


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%time f()\nx = 1  #@save", "does not compile as plain Python: invalid syntax"),
        ("x = await f()  #@save", "does not compile as plain Python: 'await' outside"),
        ("y = 1  #@save\nx = = 2", "does not compile as plain Python: invalid syntax (l"),
        ("#@save\nfrom math import pi", "the tag for line 2 stands on ImportFrom"),
        ("print(1)  #@save", "the tag for line 1 stands on Expr, not on a def"),
        ("if True:  #@save\n    x = 1", "the tag for line 1 stands on If"),
        ("x, y = 1, 2  #@save", "the tag for line 1 stands on Assign"),
        ("class C:\n    x = 1  #@save", "the tag for line 2 stands on nothing"),
        ("#@save\n\nx = 1", "the tag for line 2 stands on nothing"),
        ("def f(): pass  #@save", "'f' is saved already in one.py"),
        ("x = 1\ndef g():  #@save\n    return x", "Undefined name `x`"),  # not saved
        ("y = K  #@save", "Undefined name `K`"),  # saved in another notebook: d2l.K
        ("from d2lmini import K\ny = K  #@save", "Undefined name `K`"),
        ("y = missing  #@save  # noqa: F821", "Undefined name `missing`"),
        ("y = d2l.z  #@save\nz = 1  #@save", "Undefined name `z`"),  # used too early
        ("def g():  #@save\n    return vars(d2l)", "Undefined name `d2l`"),
        ("def g(K):  #@save\n    return d2l.K", "d2l.K is hidden by a variable"),
        ("def g():  #@save\n    K = d2l.K", "d2l.K is hidden by a variable"),
        ("@d2l.add_to_class(d2l.C)  #@save\ndef g(self): pass", "C is no class saved in"),
    ],
)
def test_a_cell_that_cannot_be_saved_is_refused(refused, cell, words):
    refused({ONE: EARLIER, TWO: [D2L, cell]}, TWO, 2, words)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (METHOD.replace("g(self)", "f(self)"), "Redefinition of unused `f`"),
        (METHOD.replace("self.f()", "missing"), "Undefined name `missing`"),
    ],
)
def test_an_added_method_is_refused_in_its_own_cell(refused, method, words):
    refused({ONE: [D2L, ADD, CLASS, method]}, ONE, 4, words)


def test_importing_from_a_later_chapter_is_refused(refused):
    cells = {ONE: [D2L, "x = d2l.y  #@save"], TWO: ["y = 1  #@save"]}
    refused(cells, ONE, 2, "Undefined name `y`")


def test_a_refusal_in_an_exercise_names_its_notebook_and_cell(refused):
    cells = {ONE: ["a = 1  #@save"], EXERCISES: ["x = 1", "a = 2  #@save"]}
    refused(cells, EXERCISES, 2, "'a' is saved already in one.py")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("_toc.yml", None, "cannot be read: "),
        ("_toc.yml", "chapters: [}", "names no chapter"),
        (f"{ONE}.ipynb", "{", "is no readable notebook: NotJSONError"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(
    tmp_path, capsys, name, text, words
):
    path = project(tmp_path, COURSE) / name
    path.unlink() if text is None else path.write_text(text, encoding="utf-8")
    before = snapshot(tmp_path)
    for flags in ([], ["--check"]):
        assert save.main(flags, tmp_path) == 1
        message = capsys.readouterr().err
        assert message.startswith(f"save: {name}: {words}") and message.count("\n") == 1
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["__init__", "class", "2x"])
def test_a_notebook_whose_name_is_no_name_of_a_module_is_refused(tmp_path, capsys, name):
    notebook = f"notebooks/01_{name}"
    assert save.main([], project(tmp_path, {ONE: ["x = 1  #@save"], notebook: []})) == 1
    message = f"save: {notebook}.ipynb: '{name}' cannot be the name of a module\n"
    assert capsys.readouterr() == ("", message)


def test_magics_and_await_in_cells_without_tags_are_fine(tmp_path):
    cells = "%%bash\nls | wc", "!ls\n%time 1\nx = !ls", "await f()", "y = 1  #@save"
    assert saved(tmp_path, *cells) == "y = 1"


# --- the generated package -----------------------------------------------------------


def test_the_chapters_come_in_the_order_of_the_toc(tmp_path, load):
    notebooks = {ONE: [D2L, "b = d2l.a  #@save"], TWO: ["a = 1  #@save"]}
    toc = ["book/notation", TWO, "notebooks/exercises/01_two", ONE]
    assert save.main([], project(tmp_path, notebooks, toc)) == 0
    assert load().__all__ == ["a", "b", "__version__"]


def test_what_exercises_save_comes_last_in_the_module_of_their_chapter(tmp_path, load):
    more = [
        f"{D2L}\nimport math\nfrom d2lmini.one import _two",
        "def c():  #@save\n    return math.floor(_two() + d2l.a)",
    ]
    chapter = ["a = 1  #@save", "def _two():  #@save\n    return 2.5", "b = 3  #@save"]
    assert save.main([], project(tmp_path, {ONE: chapter, EXERCISES: more})) == 0
    assert load().__all__ == ["a", "b", "c", "__version__"]
    assert load("d2lmini.one").c() == 3


def test_imports_of_exercises_that_save_nothing_are_left_out(tmp_path):
    chapter = ["def f():  #@save\n    from math import pi\n\n    return pi"]
    exercises = ["from cmath import pi\nprint(pi)"]
    assert save.main([], project(tmp_path, {ONE: chapter, EXERCISES: exercises})) == 0
    assert "cmath" not in module(tmp_path)


def test_a_module_begins_with_its_notebook_its_title_and_its_axes_paragraph(tmp_path, load):
    axes = "**Axes.** $\\mathbf{b}$: the batch, " + "well known " * 10
    text = prose(f"## No\n\n# T é\n\nText.\n\n{axes}\n\nText.\n\n# No")
    saved(tmp_path, "# a comment\nx = 1  #@save", text)
    docstring = load("d2lmini.one").__doc__
    assert docstring.split() == ["T", "é", *axes.replace("**", "").split()]
    assert 80 < max(map(len, docstring.split("\n"))) <= 88
    assert module(tmp_path).startswith(f"{save.GENERATED}{ONE}.ipynb:\n")
    assert load().__doc__.strip() == "A course"


def test_the_package_exports_its_public_names_plt_and_its_version(tmp_path, load):
    one = ["import json as plt", "b = 1  #@save\ndef _f(): return 5  #@save"]
    two = [D2L, "def a(): return d2l.plt.dumps(1)  #@save"]
    notebooks = {ONE: one, TWO: two, "notebooks/02_three": ["z = 1"]}
    assert save.main([], project(tmp_path, notebooks)) == 0
    assert load().__all__ == ["b", "plt", "a", "__version__"]
    assert load("d2lmini.one").__all__ == ["b", "plt"]
    assert (load().b, load().a(), load().__version__) == (1, "1", "1.2.3")
    assert load().one._f() == 5
    assert {path.name for path in (tmp_path / "d2lmini").iterdir()} == {*FILES}


def test_the_generated_package_passes_the_lint_of_the_project(tmp_path):
    name = "notebooks/00_a_chapter_with_a_long_name_of_its_own"
    one = ["import json as plt\nimport sys, os", "class Z: x = ('a',plt)  #@save"]
    two = [f"{D2L}\nimport os", "b = os, d2l.Z()  #@save\na = 1  #@save"]
    shutil.copy(ROOT / "pyproject.toml", project(tmp_path, {name: one, TWO: two}))
    assert save.main([], tmp_path) == 0
    for command in (["check"], ["format", "--check"]):
        command = [find_ruff_bin(), *command, "--no-cache", tmp_path / "d2lmini"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


# --- writing and checking ------------------------------------------------------------

COURSE = {
    ONE: ["import math\n\ndef f(x):  #@save\n    return math.sqrt(x)"],
    TWO: [D2L, "x = d2l.f(4)  #@save"],
}


def test_what_is_written_is_printed_and_the_second_time_nothing_is(tmp_path, capsys):
    assert save.main([], project(tmp_path, COURSE)) == 0
    printed = capsys.readouterr().out
    assert printed == "".join(f"saved d2lmini/{name}\n" for name in FILES)
    before = snapshot(tmp_path)
    for flags in ([], ["--check"]):
        assert save.main(flags, tmp_path) == 0
        assert capsys.readouterr() == ("", "")
    assert snapshot(tmp_path) == before


def test_check_names_the_stale_files_and_writes_nothing(tmp_path, capsys):
    before = snapshot(project(tmp_path, COURSE))
    assert save.main(["--check"], tmp_path) == 1
    stale = "save: d2lmini/{} is stale: run `make save`\n".format
    assert capsys.readouterr().err == "".join(map(stale, FILES))
    assert snapshot(tmp_path) == before
    save.main([], tmp_path)
    project(tmp_path, COURSE | {TWO: ["x = 2  #@save"]})
    assert save.main(["--check"], tmp_path) == 1
    assert capsys.readouterr().err == stale("two.py")
    assert save.main([], tmp_path) == 0
    assert module(tmp_path, "two").endswith("x = 2\n")


def test_a_generated_module_of_no_notebook_is_removed_and_others_are_kept(tmp_path, capsys):
    save.main([], project(tmp_path, COURSE))
    own = tmp_path / "d2lmini" / "own.py"
    own.write_text(f"# by hand\n{save.GENERATED}\n", encoding="utf-8")
    project(tmp_path, COURSE | {TWO: ["x = 2"]})
    capsys.readouterr()
    assert save.main(["--check"], tmp_path) == 1
    assert "save: d2lmini/two.py is stale" in capsys.readouterr().err
    assert save.main([], tmp_path) == 0
    assert "removed d2lmini/two.py" in capsys.readouterr().out
    left = sorted(path.name for path in own.parent.iterdir())
    assert left == ["__init__.py", "one.py", "own.py"]
