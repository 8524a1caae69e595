"""tools/save.py on tiny notebooks: what a tag saves, what is generated, what is refused."""

import importlib
import shutil
import subprocess
import sys

import nbformat.v4
import pytest
import save
from ruff import find_ruff_bin

from conftest import ROOT

ONE, TWO, EMPTY = "notebooks/00_one", "notebooks/01_two", "notebooks/03_empty"
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
    """Check that a course is refused with these words, in this place, and nothing written.

    The place is a code cell, by its number, or a whole notebook; of the last one if `at`
    names no other.
    """

    def check(notebooks, cell, words, at=None, toc=None):
        if not isinstance(notebooks, dict):
            notebooks = {ONE: notebooks}
        place = f"{at or list(notebooks)[-1]}.ipynb"
        place += f", code cell [{cell}]" if cell else ""
        before = snapshot(project(tmp_path, notebooks, toc))
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
        "@staticmethod\n@staticmethod  #@save\ndef f(x):\n    return x",
        "@staticmethod\ndef f(x):  #@save\n    return x",
        "class C:  #@save\n    def f(self):\n        return 1",
        "def f(x):  #@save\n    return x  # (batch, n)",
        'def f():  #@save\n    """One.\n\n    #@save\n    """',
        "SIZE = 3  # tokens  #@save",
        "SIZE = 3  #@save  # tokens",
        "SIZES = {  #@save\n    1: 2,\n}",
        "SIZES: dict[int, int] = {}  #@save",
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


def test_add_to_class_keeps_the_other_decorators_and_exports_no_method(tmp_path, load):
    method = "@d2l.add_to_class(C)  #@save\n@property\ndef g(self):\n    return 3"
    saved(tmp_path, D2L, ADD, CLASS, method)
    assert load().C().g == 3
    assert load("d2lmini.one").__all__ == ["add_to_class", "C", "X"]


def test_add_to_class_leaves_the_lines_of_a_string_as_they_are(tmp_path, load):
    body = 'return """one\ntwo\n  three""" + f"""{\n    x}\nfour"""'
    method = f"@d2l.add_to_class(C)  #@save\ndef g(self, x):\n    {body}"
    saved(tmp_path, D2L, ADD, CLASS, method)
    assert load().C().g(0) == "one\ntwo\n  three0\nfour"


@pytest.mark.parametrize("name", ["f", "g"])
def test_a_method_saved_twice_is_refused(refused, name):
    cells = [D2L, ADD, CLASS, METHOD, METHOD.replace("g(self)", f"{name}(self)")]
    refused(cells, 5, f"Redefinition of unused `{name}`")


def test_a_method_of_a_class_saved_in_another_notebook_is_refused(refused):
    method = METHOD.replace("(C)", "(d2l.C)")
    cells = {ONE: [ADD, CLASS], TWO: [D2L, method]}
    refused(cells, 2, "C is no class saved in this notebook")


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

    def g(self, K):
        return K
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


def test_a_name_saved_twice_is_refused(refused):
    notebooks = {ONE: ["f = 1  #@save"], TWO: ["x = 1", "def f(): pass  #@save"]}
    refused(notebooks, 2, f"'f' is saved already in {ONE}.ipynb, code cell [1]")


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("x = 1\ndef f():  #@save\n    return x", "x"),  # not saved
        ("y = K  #@save", "K"),  # saved in another notebook: d2l.K
        ("from d2lmini import K\ny = K  #@save", "K"),
        ("y = missing  #@save  # noqa: F821", "missing"),
        ("y = d2l.z  #@save\nz = 1  #@save", "z"),  # used before it is defined
        ("def f():  #@save\n    return vars(d2l)", "d2l"),
    ],
)
def test_an_undefined_name_is_refused(refused, cell, name):
    refused({ONE: ["K = 1  #@save"], TWO: [D2L, cell]}, 2, f"Undefined name `{name}`")


def test_an_undefined_name_in_an_added_method_names_the_cell_of_the_method(refused):
    method = METHOD.replace("self.f()", "missing")
    refused([D2L, ADD, CLASS, method], 4, "Undefined name `missing`")


@pytest.mark.parametrize("later", ["y = 1  #@save", "y = 1"])
def test_a_name_that_no_earlier_chapter_saves_is_refused(refused, later):
    cells = {ONE: [D2L, "x = d2l.y  #@save"], TWO: [later]}
    refused(cells, 2, "d2l.y is not saved in this chapter or before", at=ONE)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("def g(K):  #@save\n    return d2l.K", "is hidden by a variable of that name"),
        ("def g():  #@save\n    K = d2l.K", "is hidden by a variable of that name"),
        ("g = lambda *K: d2l.K  #@save", "is hidden by a variable of that name"),
        (
            "def g():  #@save\n    return f'{d2l.K}'",
            "stands in an f-string",
        ),
    ],
)
def test_a_name_that_cannot_stand_without_the_package_is_refused(refused, cell, reason):
    refused({ONE: EARLIER, TWO: [D2L, cell]}, 2, f"d2l.K {reason}")


# --- cells and notebooks that cannot be saved ----------------------------------------


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%time f()\nx = 1  #@save", "a saved cell may not hold a magic or a shell"),
        ("!ls\nx = 1  #@save", "a saved cell may not hold a magic or a shell command"),
        ("x = await f()  #@save", "does not compile: 'await' outside function (line 1)"),
        ("x = 1  #@save\nawait f()", "does not compile: 'await' outside function"),
        ("y = 1\nx = = 2", "does not compile: invalid syntax (line 2)"),
        ("y = 1\nx = = 2  #@save", "does not compile: invalid syntax (line 2)"),
        ("#@save\nfrom math import pi", "the tag for line 2 stands on ImportFrom"),
        ("print(1)  #@save", "the tag for line 1 stands on Expr, not on a def"),
        ("x = 1\nx += 1  #@save", "the tag for line 2 stands on AugAssign"),
        ("if True:  #@save\n    x = 1", "the tag for line 1 stands on If"),
        ("x, y = 1, 2  #@save", "the tag for line 1 stands on Assign"),
        ("x = y = 1  #@save", "the tag for line 1 stands on Assign"),
        ("x[0] = 1  #@save", "the tag for line 1 stands on Assign"),
        ("def f():\n    x = 1  #@save", "the tag for line 2 stands on nothing"),
        ("class C:\n    x = 1  #@save", "the tag for line 2 stands on nothing"),
        ("#@save\n\nx = 1", "the tag for line 2 stands on nothing"),
        ("x = 1\n#@save", "the tag for line 3 stands on nothing"),
    ],
)
def test_a_cell_that_cannot_be_saved_is_refused(refused, cell, words):
    refused(["y = 1  #@save", cell], 2, words)


def test_magics_and_await_in_cells_without_tags_are_fine(tmp_path):
    cells = "%%bash\nls | wc", "!ls\n%time 1\nx = !ls", "await f()", "y = 1  #@save"
    assert saved(tmp_path, *cells) == "y = 1"


def test_a_notebook_that_cannot_be_read_or_is_not_in_the_toc_is_refused(refused, tmp_path):
    cells = {ONE: ["x = 1  #@save"]}
    (project(tmp_path, cells) / f"{TWO}.ipynb").write_text("<<<<<<<", encoding="utf-8")
    refused(cells, None, "is no readable notebook", at=TWO, toc=[ONE, TWO])
    refused(cells, None, "is not in _toc.yml", at=TWO)


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


def test_a_refusal_in_an_exercise_names_its_notebook_and_cell(refused):
    notebooks = {ONE: ["a = 1  #@save"], EXERCISES: ["x = 1", "a = 2  #@save"]}
    refused(notebooks, 2, "'a' is saved already in", at=EXERCISES)


def test_the_docstring_is_the_title_and_the_axes_paragraph_wrapped(tmp_path, load):
    axes = "**Axes.** $\\mathbf{b}$: the batch, " + "well known " * 10
    text = prose(f"## No\n\n# T é\n\nText.\n\n{axes}\n\nText.\n\n# No")
    saved(tmp_path, "# a comment\nx = 1  #@save", text)
    docstring = load("d2lmini.one").__doc__
    assert docstring.split() == ["T", "é", *axes.replace("**", "").split()]
    assert 80 < max(map(len, docstring.split("\n"))) <= 88


def test_each_file_says_that_it_is_generated_and_from_what(tmp_path, load):
    saved(tmp_path, "x = 1  #@save")
    assert module(tmp_path).startswith(f"# Generated by tools/save.py from {ONE}.ipynb:\n")
    assert module(tmp_path, "__init__").startswith("# Generated by tools/save.py from the ")
    assert load().__doc__.strip() == "A course"


def test_the_package_exports_its_public_names_plt_and_its_version(tmp_path, load):
    one = ["import json as plt", "b = 1  #@save\ndef _f(): return 5  #@save"]
    two = [D2L, "def a(): return d2l.plt.dumps(1)  #@save"]
    three = ["import json as plt", "def c(): return plt  #@save"]
    notebooks = {ONE: one, TWO: two, "notebooks/02_three": three, EMPTY: ["z = 1"]}
    assert save.main([], project(tmp_path, notebooks)) == 0
    assert load().__all__ == ["b", "plt", "a", "c", "__version__"]
    assert load("d2lmini.one").__all__ == ["b", "plt"]
    assert load("d2lmini.three").__all__ == ["c"]
    assert (load().b, load().a(), load().__version__) == (1, "1", "1.2.3")
    assert load().one._f() == 5
    names = {path.name for path in (tmp_path / "d2lmini").iterdir()}
    assert names == {*FILES, "three.py"}


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
