"""The page of results includes one generated file for each experiment."""

import re
from datetime import date

from helpers import ROOT

from tools.measure import bench, results, scores

PAGE = (ROOT / "book" / "results.md").read_text(encoding="utf-8")


def test_a_table_is_written_with_its_origin_into_a_file_of_its_own(tmp_path, monkeypatch):
    arguments = ["/some/where/scores.py", "--only", "small", "--root", "/a/b", "--write"]
    monkeypatch.setattr("sys.argv", arguments)
    results.write("one", results.lines(["a", "1 ± 2"]), tmp_path)
    text = (tmp_path / "one.md").read_text(encoding="utf-8")
    assert text.startswith("| a | 1 ± 2 |\n\n*Measured on ")
    assert text.endswith(f" and PyTorch {results.torch.__version__}.*\n")
    assert "`.venv/bin/python -m tools.measure.scores --only small --write`" in text
    assert f"{date.today():%B %Y}" in text and "/a/b" not in text


def test_the_page_includes_every_table_and_each_has_the_columns_of_today():
    heads = {name: ["model", *columns] for name, (_, columns) in scores.EXPERIMENTS.items()}
    heads["benchmark"] = bench.COLUMNS
    included = re.findall(r"^```\{include\} _generated/(\w+)\.md$", PAGE, re.MULTILINE)
    assert sorted(included) == sorted(heads)
    for name, head in heads.items():
        text = (results.FOLDER / f"{name}.md").read_text(encoding="utf-8")
        if text.startswith("**This experiment has not been run yet.**"):
            assert f"tools.measure.scores --only {name} --write" in text
        else:
            assert text.startswith(results.head(head)) and "*Measured on " in text
