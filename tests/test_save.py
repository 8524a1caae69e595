"""tools/save.py on tiny notebooks: what a tag saves, what is generated, what is refused."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat.v4
import pytest
import save
from ruff import find_ruff_bin

ROOT = Path(__file__).resolve().parent.parent
ONE, TWO = "notebooks/00_one", "notebooks/01_two"
PYPROJECT = """\
[project]
name = "d2lmini"
version = "1.2.3"
description = 'A "tiny" course \\ package'
"""


def prose(text):
    return nbformat.v4.new_markdown_cell(text)


def project(root, notebooks, toc=None):
    """Write a course: notebook name -> cells, where a plain string is a code cell."""
    (root / "notebooks").mkdir(parents=True, exist_ok=True)
    (root / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    chapters = "".join(f"  - file: {name}\n" for name in toc or notebooks)
    toc = f"format: jb-book\nroot: book/index\nchapters:\n{chapters}"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    for name, cells in notebooks.items():
        notebook = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(cell) if isinstance(cell, str) else cell
                for cell in cells
            ]
        )
        nbformat.write(notebook, root / f"{name}.ipynb")
    return root


def run(root, *flags):
    return save.main(["--root", str(root), *flags])


def module(root, name="one"):
    """The text of a generated module."""
    return (root / "d2lmini" / f"{name}.py").read_text(encoding="utf-8")


def saved(root, *cells):
    """What these code cells of one notebook save: the module's text below `__all__`."""
    assert run(project(root, {ONE: cells})) == 0
    return module(root).partition("__all__ = [")[2].partition("]\n")[2].strip()


def snapshot(root):
    """Every file with its content and its time of writing."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def refused(tmp_path, capsys):
    """Check that a course is refused: exit code 1, the words of stderr, nothing written.

    The words begin right after the place: a cell, by its number, or a whole notebook, the
    last one if `at` names no other.
    """

    def check(notebooks, cell, *words, at=None, toc=None):
        if not isinstance(notebooks, dict):
            notebooks = {ONE: notebooks}
        place = f"{at or list(notebooks)[-1]}.ipynb" + (
            f", code cell [{cell}]" if cell else ""
        )
        before = snapshot(project(tmp_path, notebooks, toc))
        for flags in ([], ["--check"]):
            assert run(tmp_path, *flags) == 1
            printed = capsys.readouterr()
            assert printed.out == ""
            assert printed.err.startswith(f"save: {place}: {words[0]}")
            assert all(word in printed.err for word in words)
        assert snapshot(tmp_path) == before

    return check


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Import the generated package, and forget it after the test."""
    ours = [name for name in sys.modules if name.partition(".")[0] == "d2lmini"]
    for name in ours:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda name="d2lmini": importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "d2lmini"]:
        del sys.modules[name]


# --- where a tag stands --------------------------------------------------------------


def test_a_tag_at_the_end_of_the_first_line_saves_the_statement(tmp_path):
    text = saved(tmp_path, "def f(x):  #@save\n    return x\n\nf(1)")
    assert text == "def f(x):\n    return x"


def test_a_tag_on_its_own_line_saves_the_statement_below(tmp_path):
    text = saved(tmp_path, "#@save\ndef f(x):\n    return x\n\ndef g(x):\n    return -x")
    assert text == "def f(x):\n    return x"


def test_a_tag_on_its_own_line_saves_the_decorated_statement_below(tmp_path):
    text = saved(tmp_path, "#@save\n@staticmethod\ndef f(x):\n    return x")
    assert text == "@staticmethod\ndef f(x):\n    return x"


def test_a_tag_after_a_decorator_saves_the_function(tmp_path):
    text = saved(tmp_path, "@staticmethod  #@save\ndef f(x):\n    return x")
    assert text == "@staticmethod\ndef f(x):\n    return x"


def test_a_tag_after_a_decorator_of_several_lines_saves_the_function(tmp_path):
    source = "@functools.lru_cache(\n    maxsize=3,\n)  #@save\ndef f(x):\n    return x"
    text = saved(tmp_path, "import functools", source)
    assert text == source.replace("  #@save", "")


def test_a_tag_after_the_last_line_of_a_header_saves_the_function(tmp_path):
    text = saved(tmp_path, "def f(\n    x,\n    y=1,\n):  #@save\n    return x + y")
    assert text == "def f(\n    x,\n    y=1,\n):\n    return x + y"


def test_a_tag_after_the_last_line_of_an_assignment_saves_it(tmp_path):
    assert saved(tmp_path, "SIZES = (\n    1,\n    2,\n)  #@save") == (
        "SIZES = (\n    1,\n    2,\n)"
    )


def test_a_tag_may_have_a_space_in_it(tmp_path):
    assert saved(tmp_path, "SIZE = 3  # @save") == "SIZE = 3"


def test_a_comment_beside_the_tag_is_kept(tmp_path):
    text = saved(tmp_path, "SIZE = 3  # tokens  #@save", "N = 1  #@save  # heads")
    assert text == "SIZE = 3  # tokens\n\n\nN = 1  # heads"


def test_a_comment_after_the_last_line_of_a_statement_is_kept(tmp_path):
    text = saved(tmp_path, "def f(x):  #@save\n    return x  # (batch, n)\n\nf(1)  # one")
    assert text == "def f(x):\n    return x  # (batch, n)"


def test_what_has_no_tag_is_not_saved(tmp_path):
    text = saved(tmp_path, "SIZE = 3\nN = 1  #@save\nprint(SIZE)", "def f(): ...")
    assert text == "N = 1"


def test_every_kind_of_definition_and_assignment_is_saved(tmp_path, load):
    saved(
        tmp_path,
        "def f(): pass  #@save",
        "async def g(): return await g()  #@save",
        "class C: pass  #@save",
        "a = b = 1  #@save\n(c, [d, *e]) = 1, (2, 3)  #@save\nk: int = 4  #@save",
        "m = 5; n = 6  #@save",
    )
    assert load().__all__ == [*"fgCabcdekmn", "__version__"]
    assert (load().e, load().n) == ([3], 6)


def test_a_tag_inside_a_string_is_no_tag(tmp_path):
    text = saved(
        tmp_path,
        'HELP = """  #@save\nwrite #@save\n#@save\n"""\nprint("#@save")',
        'TEXT = "after it: #@save"  #@save',
    )
    assert text == 'TEXT = "after it: #@save"'


def test_a_longer_word_is_no_tag(tmp_path):
    assert saved(tmp_path, "a = 1  #@saved\nb = 2  #@save") == "b = 2"


def test_a_notebook_without_tags_gives_no_module(tmp_path):
    project(tmp_path, {ONE: ["x = 1"], TWO: ["y = 1  #@save"]})
    assert run(tmp_path) == 0
    assert sorted(p.name for p in (tmp_path / "d2lmini").iterdir()) == [
        "__init__.py",
        "two.py",
    ]


# --- decorators and add_to_class -----------------------------------------------------


def test_decorators_are_kept(tmp_path, load):
    source = """\
import functools
import math

def twice(f):  #@save
    @functools.wraps(f)
    def inner(x):
        return f(f(x))
    return inner

@functools.lru_cache(maxsize=None)  #@save
@twice
def root(x):
    return math.sqrt(x)

class Circle:  #@save
    def __init__(self, r):
        self.r = r

    @property
    def area(self):
        return round(self.r**2 * math.pi, 2)
"""
    saved(tmp_path, source)
    package = load()
    assert package.root(16.0) == 2.0
    assert package.root.cache_info().misses == 1
    assert package.root.__name__ == "root"
    assert package.Circle(1).area == 3.14


D2L = "import d2lmini as d2l"
CLASS = "class C:  #@save\n    x = 1"
METHOD = "@d2l.add_to_class(C)  #@save\ndef f(self):\n    return 1"
ADD = """\
import d2lmini as d2l

def add_to_class(Class):  #@save
    def wrapper(obj):
        setattr(Class, obj.__name__, obj)
    return wrapper
"""


def test_add_to_class_puts_the_method_into_the_saved_class(tmp_path):
    text = saved(
        tmp_path,
        ADD,
        "class C:  #@save\n    def f(self):\n        return 1\n\nX = 0  #@save",
        "@d2l.add_to_class(C)  #@save\ndef g(self):\n    # why\n    return self.f()",
        "@d2l.add_to_class(d2l.C)  #@save\ndef h(self):\n    return self.g()",
    )
    assert text.partition("class C")[2] == (
        ":\n    def f(self):\n        return 1\n\n"
        "    def g(self):\n        # why\n        return self.f()\n\n"
        "    def h(self):\n        return self.g()\n\n\nX = 0"
    )


def test_add_to_class_by_its_bare_name_puts_the_method_into_the_class(tmp_path):
    text = saved(
        tmp_path,
        ADD,
        CLASS,
        "@add_to_class(C)  #@save\ndef f(self):\n    return self.x",
    )
    assert text.endswith("class C:\n    x = 1\n\n    def f(self):\n        return self.x")


def test_add_to_class_extends_a_class_written_on_one_line(tmp_path):
    text = saved(
        tmp_path,
        ADD,
        "@staticmethod\nclass C(Exception): pass  #@save",
        "@d2l.add_to_class(C)  #@save\ndef f(self):\n    return 1",
        "@d2l.add_to_class(C)  #@save\ndef g(self):\n    return 2",
    )
    assert text.endswith(
        "@staticmethod\nclass C(Exception):\n    def f(self):\n        return 1\n\n"
        "    def g(self):\n        return 2"
    )


def test_add_to_class_extends_a_one_line_class_whose_header_has_several(tmp_path):
    text = saved(
        tmp_path,
        ADD,
        "class C(  #@save\n    Exception\n): x = 1; y = 2",
        "@d2l.add_to_class(C)  #@save\ndef f(self):\n    return 1",
    )
    assert text.endswith(
        "class C(Exception):\n    x = 1\n    y = 2\n\n    def f(self):\n        return 1"
    )


def test_add_to_class_leaves_the_lines_of_a_string_where_they_are(tmp_path, load):
    body = 'a = """one\ntwo\n  three"""\n    return a + f"""{\n    x}\nfour"""'
    method = f"@d2l.add_to_class(C)  #@save\ndef f(self, x):\n    {body}"
    saved(tmp_path, ADD, "class C:  #@save\n    pass", method)
    assert load().C().f(0) == "one\ntwo\n  three0\nfour"


def test_add_to_class_keeps_the_other_decorators(tmp_path, load):
    saved(
        tmp_path,
        ADD,
        CLASS,
        "@d2l.add_to_class(C)  #@save\n@property\ndef above(self):\n    return self.x",
        "@property\n@d2l.add_to_class(C)  #@save\ndef below(self):\n    return self.x + 1",
    )
    package = load()
    assert (package.C().above, package.C().below) == (1, 2)
    assert isinstance(package.C.below, property)


def test_a_method_is_not_exported_by_its_name(tmp_path, load):
    saved(tmp_path, ADD, CLASS, METHOD)
    assert load("d2lmini.one").__all__ == ["add_to_class", "C"]


def test_a_method_saved_twice_is_refused(refused):
    refused([ADD, CLASS, METHOD, METHOD], 4, "the method C.f is saved twice")


def test_a_method_that_the_class_has_already_is_refused(refused):
    cells = [ADD, "class C:  #@save\n    def f(self): pass", METHOD]
    refused(cells, 3, "the method C.f is saved twice")


@pytest.mark.parametrize(
    "cell",
    ["class C: pass", "def C(): pass  #@save", "C = dict  #@save", "C, D = 1, 2  #@save"],
)
def test_a_method_of_what_is_no_class_saved_here_is_refused(refused, cell):
    refused([ADD, cell, METHOD], 3, "C is no class saved in this notebook")


def test_a_method_of_a_class_saved_in_another_notebook_is_refused(refused):
    method = "@d2l.add_to_class(d2l.C)  #@save\ndef f(self):\n    return 1"
    cells = {ONE: [ADD, CLASS], TWO: [D2L, method]}
    refused(cells, 2, "C is no class saved in this notebook")


def test_an_undefined_name_in_an_added_method_names_the_cell_of_the_method(refused):
    method = "@d2l.add_to_class(C)  #@save\ndef f(self):\n    return missing"
    refused([ADD, CLASS, method], 3, "Undefined name `missing`")


# --- the text of what is saved -------------------------------------------------------


def test_a_docstring_with_a_line_in_column_zero_is_kept(tmp_path, load):
    source = 'def f():  #@save\n    """One.\n\nTwo.\n    """\n    return """x\ny"""'
    saved(tmp_path, source)
    assert load().f.__doc__.split() == ["One.", "Two."]
    assert load().f() == "x\ny"


def test_source_that_is_not_ascii_is_cut_in_the_right_place(tmp_path, load):
    saved(
        tmp_path,
        D2L,
        "n = 1; é = 'ÄÖ€𝄞'  #@save",
        "def f(ï='é𝄞'):  #@save\n    ü = ['Ü', d2l.é, 'ä'], d2l.é  # ñ d2l.é\n    return ü",
        "s = 'déjà vu'; t = 'ç' + d2l.é + 'ß'  # ß #@save",
    )
    assert load().f() == (["Ü", "ÄÖ€𝄞", "ä"], "ÄÖ€𝄞")
    assert load().t == "çÄÖ€𝄞ß"
    assert "# ñ d2l.é" in module(tmp_path)


def test_a_form_feed_or_line_separator_in_a_cell_is_no_new_line(tmp_path):
    text = saved(tmp_path, "a = '\u2028\x0c'\n#@save\nb = '\u2028'\nc = 3  #@save")
    assert text == 'b = "\u2028"\n\n\nc = 3'


def test_a_cell_with_windows_line_ends_is_saved(tmp_path):
    text = saved(tmp_path, "#@save\r\ndef f():\r\n    return 1\r\n\r\na = 1  #@save\r\nf()")
    assert text == "def f():\n    return 1\n\n\na = 1"


def test_what_is_saved_is_formatted(tmp_path):
    assert saved(tmp_path, "x = {'a':1}  #@save") == 'x = {"a": 1}'


# --- imports -------------------------------------------------------------------------


def imports(text):
    return [line for line in text.split("\n") if line.startswith(("import ", "from "))]


def test_the_imports_that_saved_code_needs_are_kept_and_the_others_dropped(tmp_path):
    saved(
        tmp_path,
        "import os, sys\nimport json\nfrom math import pi, tau",
        "def f():  #@save\n    return sys.path, tau",
        "print(os.getcwd(), json, pi)",
    )
    assert imports(module(tmp_path)) == ["import sys", "from math import tau"]


def test_an_import_under_another_name_is_kept(tmp_path):
    saved(
        tmp_path,
        "import os.path as p\nfrom json import dumps as text\nimport xml.dom, xml.sax",
        "x = p.join(text(1), 'a'), xml.dom, xml.sax  #@save",
    )
    assert imports(module(tmp_path)) == [
        "import os.path as p",
        "import xml.dom",
        "import xml.sax",
        "from json import dumps as text",
    ]


def test_an_import_in_a_cell_with_a_magic_is_found(tmp_path):
    saved(tmp_path, "%config x.y = 1\nimport json\n!ls", "x = json.dumps(1)  #@save")
    assert imports(module(tmp_path)) == ["import json"]


def test_an_import_that_comes_twice_is_written_once(tmp_path):
    saved(tmp_path, "import json", "import json\nx = json.dumps(1)  #@save")
    assert imports(module(tmp_path)) == ["import json"]


def test_one_name_for_two_imports_is_refused(refused):
    cells = ["from json import dump as f", "from pickle import dump as f", "g = f  #@save"]
    refused(cells, 2, "Redefinition of unused `f`")


def test_a_star_import_is_refused(refused):
    cells = ["x = 1  #@save", "from math import *"]
    refused(cells, 2, "a star import hides where names come from")


def test_an_import_from_a_module_of_the_package_is_refused(refused):
    for line in ("import d2lmini.one as o", "from d2lmini.one import x"):
        refused(["x = 1  #@save", line], 2, "import from d2lmini, not its modules")


def test_a_relative_import_is_refused(refused):
    for line in ("from . import x", "from .one import x"):
        refused(["x = 1  #@save", line], 2, "a notebook has no package")


# --- names of the package ------------------------------------------------------------

EARLIER = ["def f(x=0): return x  #@save", "class C: pass  #@save", "K = 2  #@save"]


def two(root, *cells):
    """What these cells save in a notebook that comes after `EARLIER`."""
    assert run(project(root, {ONE: EARLIER, TWO: [D2L, *cells]})) == 0
    return module(root, "two")


def test_a_name_of_the_package_becomes_an_explicit_import(tmp_path):
    text = two(tmp_path, "def g(x):  #@save\n    return d2l.f(d2l.K) + d2l.K")
    assert imports(text) == ["from .one import K, f"]
    assert text.endswith("def g(x):\n    return f(K) + K\n")


def test_names_are_rewritten_in_bases_decorators_annotations_and_defaults(tmp_path):
    text = two(
        tmp_path,
        "@d2l.f  #@save\nclass D(d2l.C, metaclass=d2l.f):\n    k: d2l.C = d2l.K\n"
        "    @d2l.f\n    def g(self, c: d2l.C = d2l.K, *a: d2l.C) -> d2l.C:\n"
        "        x: d2l.C = lambda z=d2l.K: d2l.f(z)\n        return x.K",
        "kept: dict[str, d2l.C] = {}  #@save",
    )
    assert "d2l." not in text
    assert "@f\nclass D(C, metaclass=f):\n    k: C = K\n" in text
    assert "    @f\n    def g(self, c: C = K, *a: C) -> C:\n" in text
    assert "        x: C = lambda z=K: f(z)\n        return x.K\n" in text
    assert "kept: dict[str, C] = {}\n" in text


def test_names_are_rewritten_in_f_strings(tmp_path, load):
    two(
        tmp_path,
        "def g():  #@save\n    w = 4\n"
        "    return f\"d2l.x {d2l.K:{d2l.f(w)}} {d2l.f('é')!r}\" 'é'",
        'h = f"""é\n  {d2l.K\n} d2l.é {d2l.f(f"{d2l.K}")}\n"""  #@save',
    )
    assert load().g() == "d2l.x    2 'é'é"
    assert load().h == "é\n  2 d2l.é 2\n"
    assert "{d2l" not in module(tmp_path, "two")


def test_an_f_string_that_says_the_name_as_text_and_as_code_is_refused(refused):
    cells = {ONE: EARLIER, TWO: [D2L, 'x = f"d2l.K is {d2l.K}"  #@save']}
    refused(cells, 2, "d2l.K stands in an f-string")


def test_strings_docstrings_and_comments_keep_the_name(tmp_path):
    body = '\n    """Like d2l.f."""\n    # as d2l.f\n    return "d2l.K", '
    text = two(tmp_path, f"def g():  #@save{body}d2l.K")
    assert text.endswith(f"def g():{body}K\n")


def test_a_name_imported_from_the_package_is_imported_from_its_module(tmp_path):
    text = two(tmp_path, "from d2lmini import f, K as k, C", "x = f(k)  #@save")
    assert imports(text) == ["from .one import K as k", "from .one import f"]


def test_the_package_may_have_any_name_in_the_notebook(tmp_path):
    cells = ["import d2lmini", "import d2lmini as mini", "x = mini.f(d2lmini.K)  #@save"]
    text = two(tmp_path, *cells)
    assert text.endswith("x = f(K)\n")


def test_a_name_saved_in_the_same_notebook_is_not_imported(tmp_path):
    text = saved(tmp_path, "import d2lmini as d2l\na = 1  #@save", "b = d2l.a  #@save")
    assert text == "a = 1\n\n\nb = a"
    assert imports(module(tmp_path)) == []


def test_a_name_saved_twice_in_one_notebook_is_refused(refused):
    cells = ["f = 1  #@save", "x = 1", "def f(): pass  #@save"]
    refused(cells, 3, "'f' is saved already in notebooks/00_one.ipynb, code cell [1]")


def test_a_name_saved_in_two_notebooks_is_refused(refused):
    cells = {ONE: ["f = 1  #@save"], TWO: ["x = 1", "def f(): pass  #@save"]}
    refused(cells, 2, "'f' is saved already in notebooks/00_one.ipynb, code cell [1]")


def test_an_undefined_name_is_refused(refused):
    cells = ["x = 1", "y = 1  #@save\ndef f():  #@save\n    return x"]
    reason = "Undefined name `x`: it is neither imported nor saved in this notebook"
    refused(cells, 2, reason)


def test_noqa_does_not_hide_an_undefined_name(refused):
    refused(["y = x  #@save  # noqa: F821"], 1, "Undefined name `x`")


def test_a_name_that_another_notebook_saves_is_refused_with_a_hint(refused):
    cells = {ONE: ["f = 1  #@save"], TWO: ["g = f  #@save"]}
    hint = "write d2l.f for the one saved in notebooks/00_one.ipynb, code cell [1]"
    refused(cells, 1, f"Undefined name `f`: {hint}")


def test_a_name_that_the_package_does_not_save_is_refused(refused):
    reason = "d2lmini.Unknown is undefined: no notebook saves it"
    refused([D2L, "x = d2l.Unknown  #@save"], 2, reason)
    refused(["x = 1  #@save", "from d2lmini import Unknown"], 2, reason)


def test_a_name_saved_in_a_later_chapter_is_refused(refused):
    cells = {ONE: [D2L, "x = d2l.y  #@save"], TWO: ["y = 1  #@save"]}
    reason = "y is saved in notebooks/01_two.ipynb, code cell [1], a later chapter"
    refused(cells, 2, reason, at=ONE)


def test_a_name_used_before_it_is_saved_is_refused(refused):
    refused([D2L, "x = d2l.y  #@save", "y = 1  #@save"], 2, "Undefined name `y`")


@pytest.mark.parametrize("use", ["return vars(d2l)", "d2l = 1", "return f'{d2l}'"])
def test_the_package_by_itself_is_refused(refused, use):
    cells = [D2L, f"def f():  #@save\n    {use}"]
    refused(cells, 2, "d2l (line 2) can only be saved as d2l.Name")


@pytest.mark.parametrize(
    "cell",
    [
        "def g(K):  #@save\n    return d2l.K",
        "def g(d2l):  #@save\n    return d2l.K",
        "def g():  #@save\n    K = 1\n    return f'{d2l.K}'",
        "def g():  #@save\n    return d2l.K\n    import json as K",
        "def g():  #@save\n    def K(): pass\n    return d2l.K",
        "def g():  #@save\n    try: pass\n    except OSError as K: return d2l.K",
        "def g():  #@save\n    match 1:\n        case {**K}: return d2l.K",
        "def g():  #@save\n    for K in range(3): return lambda: d2l.K",
        "def g():  #@save\n    return [d2l.K for K in range(3)]",
        "def g():  #@save\n    return lambda *K: d2l.K",
        "x = [d2l.K for K in range(3)]  #@save",
        "class D:  #@save\n    K = 1\n    k = d2l.K",
        "class D:  #@save\n    def K(self): pass\n    def g(self, k=d2l.K): pass",
    ],
)
def test_a_name_hidden_by_a_local_variable_is_refused(refused, cell):
    reason = "is hidden by a local variable"
    refused({ONE: EARLIER, TWO: [D2L, cell]}, 2, "d2l.K (line ", reason)


def test_a_method_may_have_the_name_of_what_it_calls(tmp_path, load):
    two(
        tmp_path,
        "class D:  #@save\n    def f(self, K=d2l.K): return d2l.f(K) + 1",
        "def k(f=d2l.f): return f(5)  #@save",
    )
    assert (load().D().f(), load().k()) == (3, 5)


def test_a_change_of_the_package_is_refused(refused):
    cells = {ONE: EARLIER, TWO: [D2L, "def g():  #@save\n    d2l.K = 1"]}
    refused(cells, 2, "d2l.K (line 2) may not be changed")


def test_a_name_that_is_also_the_name_of_another_module_is_refused(refused):
    cells = {ONE: ["two = 2  #@save"], TWO: ["x = 1  #@save"]}
    refused(cells, 1, "'two' is also the name of a module", at=ONE)


def test_a_name_may_be_the_name_of_its_own_module(tmp_path, load):
    cells = {ONE: ["one = 1  #@save"], TWO: [D2L, "y = d2l.one  #@save"]}
    assert run(project(tmp_path, cells)) == 0
    assert (load().one, load().y) == (1, 1)


# --- cells that cannot be saved ------------------------------------------------------


@pytest.mark.parametrize("magic", ["%time f()", "!ls", "x = !ls", "f?", "%%time\nf()"])
def test_a_magic_in_a_saved_cell_is_refused(refused, magic):
    cells = ["x = 1", f"{magic}\ndef f():  #@save\n    return 1"]
    refused(cells, 2, "a saved cell may not hold a magic or a shell command")


def test_a_magic_in_a_cell_without_tags_is_fine(tmp_path):
    assert saved(tmp_path, "%%bash\nls | wc", "!ls\n%time 1\nx = !ls", "y = 1  #@save")


@pytest.mark.parametrize(
    "cell",
    [
        "x = await f()  #@save",
        "x = [y async for y in f()]  #@save",
        "def g(x=await f()): pass  #@save",
        "x = 1  #@save\nawait f()",
    ],
)
def test_await_outside_a_function_is_refused(refused, cell):
    cells = ["async def f(): return 1", cell]
    refused(cells, 2, "cannot be saved: ", "outside", "function (line ")


def test_await_in_a_cell_without_tags_is_fine(tmp_path):
    assert saved(tmp_path, "await f()", "x = 1  #@save") == "x = 1"


def test_await_inside_an_async_function_is_fine(tmp_path):
    cell = "async def f(g):  #@save\n    async with g:\n        return await g"
    assert saved(tmp_path, cell) == cell.replace("  #@save", "")


@pytest.mark.parametrize("tag", ["", "  #@save"])
def test_a_syntax_error_is_refused(refused, tag):
    cells = ["x = 1  #@save", f"y = 1\nx = = 2{tag}"]
    refused(cells, 2, "does not parse: invalid syntax (line 2)")


@pytest.mark.parametrize(
    ("cell", "line", "kind"),
    [
        ("import math  #@save", 1, "Import"),
        ("#@save\nfrom math import pi", 1, "ImportFrom"),
        ("x = 1\nprint(x)  #@save", 2, "Expr"),
        ("x = 1\nx += 1  #@save", 2, "AugAssign"),
        ("if True:  #@save\n    x = 1", 1, "If"),
    ],
)
def test_a_tag_on_something_else_is_refused(refused, cell, line, kind):
    cells = ["x = 1", cell]
    reason = f"the tag in line {line} stands on {kind}, not on a def, class or assignment"
    refused(cells, 2, reason)


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("def f():\n    x = 1  #@save\n    return x", 2),
        ("def f():\n    #@save\n    return 1", 2),
        ("def f():\n    return 1  #@save", 2),
        ("class C:\n    @property  #@save\n    def f(self): pass", 2),
        ("class C:\n    def f(self):  #@save\n        pass", 2),
        ("x = [\n    1,  #@save\n    2,\n]", 2),
        ("#@save\n\nx = 1", 1),
        ("#@save\n# a comment\nx = 1", 1),
        ("x = 1\n#@save", 2),
        ("def f(): pass  #@save\n#@save", 2),
    ],
)
def test_a_tag_that_stands_on_no_statement_is_refused(refused, cell, line):
    refused(["x = 1", cell], 2, f"the tag in line {line} stands on nothing")


@pytest.mark.parametrize("cell", ["x[0] = 1", "x.y = 1", "x: int"])
def test_an_assignment_that_binds_no_name_is_refused(refused, cell):
    refused([f"{cell}  #@save"], 1, "the assignment in line 1 binds no name")


# --- notebooks and their order -------------------------------------------------------


def test_a_notebook_that_is_not_in_the_toc_is_refused(refused):
    refused({ONE: ["x = 1  #@save"], TWO: ["y = 1"]}, None, "is not in _toc.yml", toc=[ONE])


def test_the_order_is_that_of_the_toc_and_not_of_the_names(tmp_path, load):
    notebooks = {ONE: [D2L, "b = d2l.a  #@save"], TWO: ["a = 1  #@save"]}
    assert run(project(tmp_path, notebooks, toc=["book/notation", TWO, ONE])) == 0
    assert load().__all__ == ["a", "b", "__version__"]


def test_exercises_are_no_chapters(tmp_path, load):
    (tmp_path / "notebooks" / "exercises").mkdir(parents=True)
    exercises = ONE.replace("notebooks/", "notebooks/exercises/")
    notebooks = {ONE: ["a = 1  #@save"], exercises: [D2L, "print(d2l.a)"]}
    assert run(project(tmp_path, notebooks)) == 0
    assert load().__all__ == ["a", "__version__"]


def test_what_exercises_save_comes_last_in_the_module_of_their_chapter(tmp_path, load):
    (tmp_path / "notebooks" / "exercises").mkdir(parents=True)
    exercises = ONE.replace("notebooks/", "notebooks/exercises/")
    more = [
        f"{D2L}\nimport math\nfrom d2lmini.one import _two",
        "secret = 5",
        "def c():  #@save\n    return math.floor(_two() + d2l.a + d2l.b)",
    ]
    chapter = ["a = 1  #@save", "def _two():  #@save\n    return 2.5", "b = 3  #@save"]
    assert run(project(tmp_path, {ONE: chapter, exercises: more})) == 0
    saved = load()
    assert saved.__all__ == ["a", "b", "c", "__version__"]
    assert saved.c() == 6 and saved.one.c is saved.c
    assert not hasattr(saved.one, "secret")


def test_an_error_in_an_exercise_names_its_notebook_and_cell(tmp_path, capsys):
    (tmp_path / "notebooks" / "exercises").mkdir(parents=True)
    exercises = ONE.replace("notebooks/", "notebooks/exercises/")
    notebooks = {ONE: ["a = 1  #@save"], exercises: ["x = 1", "a = 2  #@save"]}
    assert run(project(tmp_path, notebooks)) == 1
    message = capsys.readouterr().err
    assert f"{exercises}.ipynb, code cell [2]: 'a' is saved already in" in message


def test_a_file_that_is_no_notebook_is_refused(refused, tmp_path):
    project(tmp_path, {ONE: ["x = 1  #@save"]})
    (tmp_path / f"{TWO}.ipynb").write_text("[]", encoding="utf-8")
    cells = {ONE: ["x = 1  #@save"]}
    refused(cells, None, "is no readable notebook", at=TWO, toc=[ONE, TWO])


@pytest.mark.parametrize("name", ["00_a-b", "00_class", "01_2d"])
def test_a_notebook_whose_name_is_no_module_name_is_refused(refused, name):
    reason = f"{name[3:]!r} is no name for a module"
    refused({f"notebooks/{name}": ["x = 1  #@save"]}, None, reason)


def test_two_notebooks_for_one_module_are_refused(refused):
    cells = {"notebooks/00_one": ["x = 1  #@save"], "notebooks/02_one": ["y = 1  #@save"]}
    refused(cells, None, "two notebooks give one.py", at="notebooks/00_one")


# --- the generated files -------------------------------------------------------------


def test_a_module_says_that_it_is_generated_and_from_what(tmp_path):
    saved(tmp_path, "x = 1  #@save")
    assert module(tmp_path).startswith(
        "# Generated by tools/save.py from notebooks/00_one.ipynb:\n"
        "# edit that, then run `make save`.\n"
    )
    assert module(tmp_path, "__init__").startswith("# Generated by tools/save.py from the ")


def test_the_docstring_is_the_title_and_the_axes_paragraph(tmp_path, load):
    saved(
        tmp_path,
        "# not the title\nx = 1  #@save",
        prose("# A \"title\" \\ 'ok' é\n\nText.\n\n## Part"),
        prose(
            'Not.\n\n**Axes.** $\\mathbf{b}$: "batch",\n- n: """tokens"""\n\nMore.\n\n# No'
        ),
    )
    assert load("d2lmini.one").__doc__.strip() == (
        'A "title" \\ \'ok\' é\n\nAxes. $\\mathbf{b}$: "batch",\n- n: """tokens"""'
    )


def test_a_long_line_of_the_axes_paragraph_is_wrapped(tmp_path):
    saved(tmp_path, "x = 1  #@save", prose("# T\n\n**Axes.** " + "well-known " * 30))
    lines = module(tmp_path).split("\n")
    assert 80 < max(map(len, lines)) <= 88
    assert all(line.endswith("-known") for line in lines if line.startswith("well"))


def test_all_lists_the_saved_names_in_their_order(tmp_path, load):
    saved(tmp_path, "b = 1  #@save", "def a(): pass  #@save")
    assert load("d2lmini.one").__all__ == ["b", "a"]


def test_private_names_are_saved_but_not_exported(tmp_path, load):
    saved(tmp_path, "def _f(): return 1  #@save\ndef g(): return _f()  #@save")
    assert load("d2lmini.one").__all__ == ["g"]
    assert load().__all__ == ["g", "__version__"]
    assert load().g() == 1


def test_the_package_exports_every_name_its_version_and_its_description(tmp_path, load):
    project(tmp_path, {ONE: ["b = 1  #@save"], TWO: ["a = 2  #@save", "_c = 3  #@save"]})
    assert run(tmp_path) == 0
    package = load()
    assert package.__all__ == ["b", "a", "__version__"]
    assert package.__version__ == "1.2.3"
    assert package.__doc__ == 'A "tiny" course \\ package'
    assert (package.a, package.b) == (2, 1)


def test_plt_is_exported_by_the_first_chapter_that_imports_it(tmp_path, load):
    one = ["import json as plt", "x = 1  #@save"]
    two = [D2L, "y = d2l.plt.dumps(1)  #@save"]
    assert run(project(tmp_path, {ONE: one, TWO: two})) == 0
    assert load().__all__ == ["x", "plt", "y", "__version__"]
    assert load("d2lmini.two").plt is load().plt


def test_the_generated_package_passes_the_lint_of_the_project(tmp_path):
    name = "notebooks/00_a_chapter_with_a_long_name_of_its_own"
    one = [
        prose("# A long chapter\n\n**Axes.** " + "b is the batch, " * 20),
        "import json as plt\nimport sys, os",
        "class Z:  #@save\n    pass\nb = plt, 1  #@save\na = 1  #@save",
    ]
    two = ["import d2lmini as d2l\nimport os", "x = os, d2l.a, d2l.Z(), d2l.b  #@save"]
    cells = {name: one, TWO: two, "notebooks/10_a_b": ["A = 1  #@save"]}
    shutil.copy(ROOT / "pyproject.toml", project(tmp_path, cells))
    assert run(tmp_path) == 0
    for command in (["check"], ["format", "--check"]):
        command = [find_ruff_bin(), *command, "--no-cache", tmp_path / "d2lmini"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout


# --- writing and checking ------------------------------------------------------------

COURSE = {
    ONE: [prose("# One"), "import math\n\ndef f(x):  #@save\n    return math.sqrt(x)"],
    TWO: ["import d2lmini as d2l\nx = f'{d2l.f(4)}'  #@save"],
}


def test_the_generated_package_works(tmp_path, load):
    assert run(project(tmp_path, COURSE)) == 0
    assert (load().f(9.0), load().x) == (3.0, "2.0")
    assert load().f.__module__ == "d2lmini.one"


def test_a_folder_with_a_space_in_its_name_is_no_trouble(tmp_path):
    assert run(project(tmp_path / "my course", COURSE)) == 0
    assert run(tmp_path / "my course", "--check") == 0


def test_saving_prints_what_was_written(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    assert capsys.readouterr().out.split("\n") == [
        "saved d2lmini/one.py",
        "saved d2lmini/two.py",
        "saved d2lmini/__init__.py",
        "",
    ]


def test_saving_twice_writes_nothing(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    before = snapshot(tmp_path)
    capsys.readouterr()
    assert run(tmp_path) == 0
    assert capsys.readouterr().out == ""
    assert snapshot(tmp_path) == before


def test_check_is_silent_when_the_package_is_up_to_date(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    before = snapshot(tmp_path)
    capsys.readouterr()
    assert run(tmp_path, "--check") == 0
    assert capsys.readouterr() == ("", "")
    assert snapshot(tmp_path) == before


def test_check_names_the_stale_file_and_writes_nothing(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    project(tmp_path, COURSE | {TWO: ["x = 2  #@save"]})
    before = snapshot(tmp_path)
    capsys.readouterr()
    assert run(tmp_path, "--check") == 1
    assert capsys.readouterr().err == "save: d2lmini/two.py is stale: run `make save`\n"
    assert snapshot(tmp_path) == before
    assert run(tmp_path) == 0
    assert module(tmp_path, "two").endswith("x = 2\n")


def test_check_of_a_package_never_saved_names_every_file(tmp_path, capsys):
    before = snapshot(project(tmp_path, COURSE))
    assert run(tmp_path, "--check") == 1
    err = capsys.readouterr().err
    assert all(f"d2lmini/{name}.py is stale" in err for name in ("one", "two", "__init__"))
    assert snapshot(tmp_path) == before
    assert not (tmp_path / "d2lmini").exists()


def test_the_module_of_a_notebook_without_its_tags_is_found_and_removed(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    project(tmp_path, COURSE | {TWO: ["x = 2"]})
    before = snapshot(tmp_path)
    assert run(tmp_path, "--check") == 1
    assert "save: d2lmini/two.py is stale" in capsys.readouterr().err
    assert snapshot(tmp_path) == before
    assert run(tmp_path) == 0
    assert "removed d2lmini/two.py" in capsys.readouterr().out
    assert not (tmp_path / "d2lmini" / "two.py").exists()
    assert run(tmp_path, "--check") == 0


def test_a_generated_module_of_no_notebook_is_found_and_removed(tmp_path, capsys):
    run(project(tmp_path, COURSE))
    old = tmp_path / "d2lmini" / "old.py"
    old.write_text(module(tmp_path), encoding="utf-8")
    capsys.readouterr()
    assert run(tmp_path, "--check") == 1
    assert capsys.readouterr().err == "save: d2lmini/old.py is stale: run `make save`\n"
    assert old.exists()
    assert run(tmp_path) == 0
    assert not old.exists()


def test_a_hand_written_file_is_left_alone(tmp_path):
    run(project(tmp_path, COURSE))
    own = tmp_path / "d2lmini" / "own.py"
    own.write_text(f"# by hand\n{save.GENERATED}\n", encoding="utf-8")
    assert run(tmp_path, "--check") == 0
    assert run(tmp_path) == 0
    assert own.exists()


def test_a_refusal_leaves_the_package_as_it_was(tmp_path):
    run(project(tmp_path, COURSE))
    project(tmp_path, COURSE | {ONE: ["x = 3  #@save"], TWO: ["y = undefined  #@save"]})
    before = snapshot(tmp_path)
    assert run(tmp_path) == 1
    assert snapshot(tmp_path) == before
