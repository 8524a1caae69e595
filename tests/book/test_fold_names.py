"""A fold of a page says what it holds."""

from bs4 import BeautifulSoup

from tools.book import fold_names

CELL = """<div class="cell"><details class="hide"><summary>
<p class="collapsed">Show code cell source</p>
<p class="expanded">Hide code cell source</p>
</summary><pre>{code}</pre></details>{output}</div>"""


def fold(code, output=""):
    """What is seen of a fold with this code, closed and open, and its name."""
    page = fold_names.name_folds(CELL.format(code=code, output=output))
    summary = BeautifulSoup(page, "lxml").find("summary")
    return [p.text for p in summary.find_all("p")], summary["aria-label"]


def test_folded_code_says_what_it_defines_or_that_it_draws():
    code = "\n".join(
        ["class A:", "    def f(self): ...", "def _help(): ...", "def g(): ..."]
    )
    assert fold(code) == (["Code: A, _help, g"] * 2, "Code: A, _help, g")
    draws = '<img alt="A line. It falls.">'
    assert fold(code, draws) == (["Code of the figure"] * 2, "Code of the figure: A line")
    assert fold("import re\nimport os") == (["Code: imports"] * 2, "Code: imports")
    assert fold("x = 1\ny = 2") == (["Code"] * 2, "Code: x = 1")
