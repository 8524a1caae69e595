"""The page of results: its tables are replaced, and nothing else."""

import re
from datetime import date

import pytest

from tools.measure import bench, results, scores

TEXT = """# Results

<!-- table: one -->
old
<!-- end -->

between

<!-- table: two -->
<!-- end -->

after
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    page = tmp_path / "results.md"
    page.write_text(TEXT, encoding="utf-8")
    arguments = ["/some/where/tools/measure/scores.py", "--only", "small", "--root", "/a/b"]
    monkeypatch.setattr("sys.argv", [*arguments, "--write"])
    return page


def test_a_table_is_replaced_with_its_origin_and_nothing_else(page):
    results.write("one", results.lines(["a", "1 ± 2"]), page)
    text = page.read_text(encoding="utf-8")
    head, foot = TEXT.split("old\n")
    assert text.startswith(f"{head}\n| a | 1 ± 2 |\n\n*Measured on ") and "old" not in text
    assert text.endswith(f" and PyTorch {results.torch.__version__}.*\n\n{foot}")
    assert "`.venv/bin/python -m tools.measure.scores --only small --write`" in text
    assert f"{date.today():%B %Y}" in text and "/a/b" not in text
    results.write("one", results.lines(["a", "1 ± 2"]), page)
    assert page.read_text(encoding="utf-8") == text


def test_a_table_without_a_place_on_the_page_is_refused(page):
    with pytest.raises(
        ValueError, match=r"results\.md must have one place <!-- table: on "
    ):
        results.write("on", "", page)
    assert page.read_text(encoding="utf-8") == TEXT


def table(name, text):
    """What stands on the page between the marks of a table."""
    return re.search(rf"<!-- table: {name} -->(.*?)<!-- end -->", text, re.DOTALL)[1]


def test_the_page_has_every_table_with_the_columns_of_today():
    text = results.PAGE.read_text(encoding="utf-8")
    heads = {name: ["model", *columns] for name, (_, columns) in scores.EXPERIMENTS.items()}
    heads["benchmark"] = bench.COLUMNS
    if "has not been run yet" in table("fashion", text):  # it needs data and a GPU
        assert "tools.measure.scores --only fashion --write" in table("fashion", text)
        assert not re.search(r"\d\.\d|^\|", table("fashion", text), re.MULTILINE)
        del heads["fashion"]
    found = re.findall(r"<!-- table: (.*) -->\n\n((?:.*\n){2}).*\|\n", text)
    assert dict(found) == {name: f"{results.head(head)}\n" for name, head in heads.items()}
    assert text.count("*Measured on ") == len(heads)
