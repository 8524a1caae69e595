"""The page of results includes one generated file for each experiment."""

import re

from tools import ROOT
from tools.measure import bench, own_text, post_training, results, scores

PAGE = (ROOT / "book" / "results.md").read_text(encoding="utf-8")


def test_the_page_includes_every_table_and_each_has_the_columns_of_today():
    heads = {name: ["model", *columns] for name, (_, columns) in scores.EXPERIMENTS.items()}
    heads["gpt"][:1] = scores.GPT_PARTS
    heads["benchmark"] = bench.COLUMNS
    heads["own_text"] = own_text.COLUMNS
    heads |= {name: ["", *columns] for name, columns in post_training.TABLES.items()}
    included = re.findall(r"^```\{include\} _generated/(\w+)\.md$", PAGE, re.MULTILINE)
    assert sorted(included) == sorted(heads)
    for name, head in heads.items():
        text = (results.FOLDER / f"{name}.md").read_text(encoding="utf-8")
        if text.startswith("**This experiment has not been run yet.**"):
            assert f"tools.measure.scores --only {name} --write" in text
        else:
            assert text.startswith(results.head(head)) and "*Measured on " in text
