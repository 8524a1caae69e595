"""Saving from tiny notebooks: what a tag saves, what is generated, what is refused."""

import importlib
import sys

import nbformat.v4
import pytest

from tools.notebooks import save

ONE, TWO, THREE = "notebooks/00_one", "notebooks/01_two", "notebooks/02_three"
EXERCISES = "notebooks/exercises/00_one"
DRAW, LOAD = "notebooks/further/00_draw", "notebooks/further/01_load"
FILES = ["__init__.py", "one.py", "two.py"]
D2L = "import d2lmini as d2l"
PYPROJECT = '[project]\nname = "d2lmini"\nversion = "1.2.3"\ndescription = "A course"\n'


def project(root, notebooks, toc=None, further=()):
    """Write a course: notebook name -> the sources of its code cells.

    Its supporting pages are those in notebooks/further/, but for the names in further.
    """
    for folder in ("exercises", "further"):
        (root / "notebooks" / folder).mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    names, lines = toc or notebooks, "      - file: {}\n".format
    supporting = [name for name in names if "/further/" in name and name not in further]
    chapters = "".join(lines(name) for name in names if name not in supporting)
    supporting = "".join(map(lines, supporting))
    toc = "format: jb-book\nroot: book/index\nparts:\n"
    toc += f"  - caption: One part\n    chapters:\n{chapters}"
    toc += f"  - caption: Supporting code\n    chapters:\n{supporting}"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    for name, cells in notebooks.items():
        cells = [nbformat.v4.new_code_cell(source) for source in cells]
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
        "@staticmethod\ndef f(x):  #@save\n    return x",
        "class C:  #@save\n    def f(self):\n        return 1",
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
MOVED = "C:  # @save in other"
METHOD = "@d2l.add_to_class(C)  #@save\ndef g(self):\n    return self.f()"


def test_add_to_class_puts_the_method_into_the_saved_class(tmp_path):
    more = "@add_to_class(C)  #@save\ndef h(self):\n    # why\n    return 2"
    text = saved(tmp_path, D2L, ADD, CLASS, METHOD, more)
    assert text.partition("class C")[2] == (
        ":\n    def f(self):\n        return 1\n\n"
        "    def g(self):\n        return self.f()\n\n"
        "    def h(self):\n        # why\n        return 2\n\n\nX = 0"
    )


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


# --- supporting pages ----------------------------------------------------------------

SUPPORTED = {
    ONE: [D2L, "a = d2l.draw()  #@save"],
    TWO: [D2L, "b = d2l.a  #@save"],
    LOAD: [D2L, "def load(): return d2l.b  #@save"],
    DRAW: ["def draw(): return 1  #@save"],
}


def test_modules_are_ordered_by_what_they_need(tmp_path, load):
    assert save.main([], project(tmp_path, SUPPORTED)) == 0
    assert load().__all__ == ["draw", "a", "b", "load", "__version__"]
    assert load().load() == 1
    assert imports(module(tmp_path, "one")) == ["from .draw import draw"]
    assert imports(module(tmp_path, "load")) == ["from .two import b"]


def test_a_chapter_may_not_use_a_later_chapter(refused):
    cells = {ONE: [D2L, "a = d2l.b  #@save"], TWO: ["b = 1  #@save"]}
    refused(cells, ONE, 2, "Undefined name `b`")


def test_modules_that_import_each_other_are_refused_by_name(tmp_path, capsys):
    circle = {DRAW: [D2L, "def draw(): return d2l.load  #@save"]}
    project(tmp_path, SUPPORTED | circle)
    assert save.main([], tmp_path) == 1
    words = "a circle of imports: one needs draw needs load needs two needs one"
    assert capsys.readouterr().err == f"save: {ONE}.ipynb: {words}\n"
    assert not (tmp_path / "d2lmini").exists()


# --- names that the package does not export ------------------------------------------


def test_a_name_tagged_for_its_module_is_not_exported(tmp_path, load):
    cells = ["def f(): return 1  # @save module", "def g(): return f()  #@save"]
    assert save.main([], project(tmp_path, {ONE: cells})) == 0
    assert (load().__all__, load().one.__all__) == (["g", "__version__"], ["g"])
    assert not hasattr(load(), "f")
    assert (load().g(), load().one.f()) == (1, 1)
    assert "module" not in module(tmp_path)


# --- several modules of a page -------------------------------------------------------

PARTS = [
    "import math\n\nclass Model:  #@save\n    size = math.prod([2, 3])",
    "# @save in drawn\ndef draw(sizes=None):\n    return sizes or [Model.size, limit(1)]",
    "@staticmethod  # @save module in text\ndef limit(x):\n    return math.floor(x)",
    "def show(draw):  # @save\n    return draw()",
]
TAKEN = "def taken():  #@save\n    return d2l.draw()"


def test_a_tag_may_name_the_module_of_its_statement(tmp_path, load):
    assert save.main([], project(tmp_path, {ONE: PARTS, TWO: [D2L, TAKEN]})) == 0
    assert "class Model:" in module(tmp_path) and "math" in module(tmp_path)
    assert "\n\n\ndef draw(" in module(tmp_path, "drawn")
    assert imports(module(tmp_path, "drawn")) == [
        "from .one import Model",
        "from .text import limit",
    ]
    assert imports(module(tmp_path, "text")) == ["import math"]
    assert imports(module(tmp_path, "two")) == ["from .drawn import draw"]
    assert load().__all__ == ["Model", "show", "draw", "taken", "__version__"]
    assert load().taken() == [6, 1]
    assert (load().drawn.__all__, load().text.__all__) == (["draw"], [])


def test_pages_whose_names_continue_that_of_a_chapter_save_into_its_module(tmp_path, load):
    more, sheet = f"{ONE}_more", "notebooks/exercises/00_one"
    text = "@d2l.add_to_class(C)  #@save\ndef f(self):\n    return b"
    notebooks = {
        ONE: [D2L, "class C:  #@save\n    pass", "a = 1  #@save"],
        TWO: [D2L, "c = d2l.C().f()  #@save"],
        more: [D2L, f"b = 2  #@save\n\n\n{text}"],
        sheet: ["e = 3  #@save"],
    }
    root = project(tmp_path, notebooks, toc=[ONE, TWO, more])
    assert save.main([], root) == 0
    assert {path.name for path in (root / "d2lmini").glob("*.py")} == set(FILES)
    assert load().c == 2 and "__all__ = ['C', 'a', 'b', 'e']" in module(root).replace(
        '"', "'"
    )


def test_further_pages_save_into_the_chapter_above_them_in_their_order(tmp_path, load):
    """Their names do not matter: a chapter has several, and two chapters share a number."""
    last, first = "notebooks/further/00_last", "notebooks/further/01_two"
    notebooks = {
        ONE: ["a = 1  #@save"],
        TWO: ["b = 2  #@save"],
        first: ["c = 3  #@save"],
        last: ["d = c + 1  #@save", "def f(): return d  # @save in part"],
        EXERCISES: ["g = 5  #@save"],
        DRAW: ["h = 6  #@save"],
    }
    toc = [ONE, TWO, first, last, DRAW]
    project(tmp_path, notebooks, toc=toc, further=(first, last))
    assert save.main([], tmp_path) == 0
    assert load().one.__all__ == ["a", "g"] and load().draw.__all__ == ["h"]
    assert load().two.__all__ == ["b", "c", "d"] and load().f() == 4
    assert module(tmp_path, "part").startswith(f"{save.GENERATED}{last}.ipynb:\n")


def test_the_named_modules_say_of_which_page_they_are(tmp_path):
    project(tmp_path, {ONE: PARTS})
    path = tmp_path / f"{ONE}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    prose = nbformat.v4.new_markdown_cell("# 0 · One\n\n**Axes.** $n$ tokens.")
    notebook.cells.insert(0, prose)
    nbformat.write(notebook, path)
    assert save.main([], tmp_path) == 0
    head = f"{save.GENERATED}{ONE}.ipynb:\n# edit that, then run `make save`.\n"
    for name, title in (("one", "0 · One"), ("drawn", "0 · One: drawn")):
        text = f'{head}"""{title}\n\nAxes. `n` tokens.\n"""\n'
        assert module(tmp_path, name).startswith(text)


def test_a_module_of_a_page_imports_what_it_names_and_no_variable_of_that_name(tmp_path):
    own = "def f(g, *h): return [g for k in h], k  #@save\n\nk = 2  #@save"
    other = "def g(): return f  # @save in b\n\ndef h(): return g  # @save in c"
    assert save.main([], project(tmp_path, {ONE: [own, other]})) == 0
    assert imports(module(tmp_path)) == []
    assert imports(module(tmp_path, "b")) == ["from .one import f"]
    assert imports(module(tmp_path, "c")) == ["from .b import g"]


def test_a_page_imports_in_both_ways_as_long_as_there_is_no_circle(tmp_path, load):
    """The page's own module needs one of the named ones, and another one needs it."""
    cells = [D2L, "a = 1  # @save in b", "c = a + 1  #@save", "d = d2l.c  # @save in e"]
    assert save.main([], project(tmp_path, {ONE: cells})) == 0
    assert imports(module(tmp_path)) == ["from .b import a"]
    assert imports(module(tmp_path, "e")) == ["from .one import c"]
    assert (load().__all__, load().d) == (["a", "c", "d", "__version__"], 2)


def test_a_method_goes_where_its_class_is(tmp_path, load):
    cells = [D2L, "LIMIT = 3  #@save", f"{ADD}\n{CLASS}".replace("C:  #@save", MOVED)]
    cells.append(METHOD.replace("self.f()", "self.f() + LIMIT"))
    cells.append("@add_to_class(C)  # @save in other\ndef h(self):\n    return X")
    assert save.main([], project(tmp_path, {ONE: cells})) == 0
    assert imports(module(tmp_path, "other")) == ["from .one import LIMIT, X"]
    assert (load().C().g(), load().C().h()) == (4, 0)


def test_a_page_that_saves_only_into_named_modules_has_no_other(tmp_path, load):
    cells = [D2L, "import json as plt", "x = d2l.plt.dumps(1)  # @save in part"]
    assert save.main([], project(tmp_path, {ONE: cells})) == 0
    assert not (tmp_path / "d2lmini" / "one.py").exists()
    assert (load().__all__, load().x) == (["x", "plt", "__version__"], "1")


def test_modules_of_a_page_that_need_each_other_are_refused(tmp_path, capsys):
    cells = ["def a(): return b  #@save", "def b(): return a  # @save in part"]
    assert save.main([], project(tmp_path, {ONE: cells})) == 1
    words = "a circle of imports: one needs part needs one"
    assert capsys.readouterr().err == f"save: {ONE}.ipynb: {words}\n"
    assert not (tmp_path / "d2lmini").exists()


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("x = 1  # @save in 2d", "'2d' cannot be the name of a module"),
        ("x = 1  # @save in a-b", "'a-b' cannot be the name of a module"),
        ("x = 1  # @save in import", "'import' cannot be the name of a module"),
        ("x = 1  # @save in __init__", "'__init__' cannot be the name of a module"),
        ("x = 1  # @save in", "'' cannot be the name of a module"),
        ("x = 1  # @save in two", f"two.py is the module of {TWO}.ipynb"),
        ("x = 1  # @save in draw", f"draw.py is the module of {DRAW}.ipynb"),
        ("x = 1  # @save in b", f"b.py is the module of {ONE}.ipynb"),
        ("#@save\ndef f():  # @save in b\n    pass", "several tags stand on"),
        ("@d2l.add_to_class(K)  # @save in b\ndef g(self): pass", "a method of K goes"),
        ("y = z  # @save in c", "Undefined name `z`"),  # saved in another notebook: d2l.z
    ],
)
def test_a_module_that_cannot_be_named_is_refused(refused, cell, words):
    cells = [D2L, "class K: pass  #@save", cell]
    others = {ONE: ["z = 1  # @save in b"], TWO: ["a = 1  #@save"], DRAW: []}
    refused(others | {THREE: cells}, THREE, 3, words)


def test_a_module_that_is_written_by_hand_is_not_replaced(tmp_path, capsys):
    own = project(tmp_path, {ONE: ["x = 1  # @save in own"]}) / "d2lmini" / "own.py"
    own.parent.mkdir()
    own.write_text("y = 1\n", encoding="utf-8")
    assert save.main([], tmp_path) == 1
    place = f"{ONE}.ipynb, code cell [1]"
    assert capsys.readouterr().err == f"save: {place}: own.py is written by hand\n"
    assert own.read_text(encoding="utf-8") == "y = 1\n"


@pytest.mark.parametrize("tag", ["#@save", "# @save module", "# @save module in text"])
def test_readers_elsewhere_see_no_tags(tag):
    assert save.untagged(f"x = 1  {tag}\ny = 2") == "x = 1\ny = 2"


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%time f()\nx = 1  #@save", "does not compile as plain Python: invalid syntax"),
        ("#@save\nfrom math import pi", "the tag for line 2 stands on ImportFrom"),
        ("class C:\n    x = 1  #@save", "the tag for line 2 stands on nothing"),
        ("def f(): pass  #@save", "'f' is saved already in one.py"),
        ("x = 1\ndef g():  #@save\n    return x", "Undefined name `x`"),  # not saved
        ("y = K  #@save", "Undefined name `K`"),  # saved in another notebook: d2l.K
        ("y = d2l.z  #@save\nz = 1  #@save", "Undefined name `z`"),  # used too early
        ("def g(K):  #@save\n    return d2l.K", "d2l.K is hidden by a variable"),
        ("@d2l.add_to_class(d2l.C)  #@save\ndef g(self): pass", "C is no class saved in"),
    ],
)
def test_a_cell_that_cannot_be_saved_is_refused(refused, cell, words):
    refused({ONE: EARLIER, TWO: [D2L, cell]}, TWO, 2, words)


def test_a_refusal_in_an_exercise_names_its_notebook_and_cell(refused):
    cells = {ONE: ["a = 1  #@save"], EXERCISES: ["x = 1", "a = 2  #@save"]}
    refused(cells, EXERCISES, 2, "'a' is saved already in one.py")


def test_a_notebook_that_cannot_be_read_is_refused_in_one_line(tmp_path, capsys):
    path = project(tmp_path, COURSE) / f"{ONE}.ipynb"
    path.write_text("{", encoding="utf-8")
    assert save.main([], tmp_path) == 1
    message = capsys.readouterr().err
    assert message.startswith(f"save: {ONE}.ipynb: is no readable notebook: NotJSONError")
    assert message.count("\n") == 1
    assert not (tmp_path / "d2lmini").exists()


def test_magics_and_await_in_cells_without_tags_are_fine(tmp_path):
    cells = "%%bash\nls | wc", "!ls\n%time 1\nx = !ls", "await f()", "y = 1  #@save"
    assert saved(tmp_path, *cells) == "y = 1"


# --- the generated package -----------------------------------------------------------


def test_the_package_exports_public_names_in_the_order_of_the_toc(tmp_path, load):
    one = [D2L, "def a(): return d2l.plt.dumps(1)  #@save"]
    two = ["import json as plt", "b = 1  #@save\ndef _f(): return 5  #@save"]
    assert save.main([], project(tmp_path, {ONE: one, TWO: two}, [TWO, ONE])) == 0
    assert load().__all__ == ["b", "plt", "a", "__version__"]
    assert (load().b, load().a(), load().__version__) == (1, "1", "1.2.3")
    assert load().two._f() == 5


# --- writing and checking ------------------------------------------------------------

COURSE = {
    ONE: ["import math\n\ndef f(x):  #@save\n    return math.sqrt(x)"],
    TWO: [D2L, "x = d2l.f(4)  #@save"],
}


def test_check_names_what_is_stale_until_it_is_saved_which_then_changes_nothing(
    tmp_path, capsys
):
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
    before = snapshot(tmp_path)
    assert save.main([], tmp_path) == save.main(["--check"], tmp_path) == 0
    assert snapshot(tmp_path) == before


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
