"""How the tables of pandas are aligned."""

import pandas as pd
from bs4 import BeautifulSoup

from tools.book import tables


def columns(frame):
    """What an aligned table has as text, column by column, from the left."""
    table = BeautifulSoup(tables.align(frame.to_html()), "lxml").table
    rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")]
    return [[cell.text for cell in row if "text" in cell.get("class", [])] for row in rows]


def test_sentences_and_labels_are_text_and_numbers_are_not():
    frame = pd.DataFrame(
        {"BLEU": ["0.5 ± 0.1", "−1"], "French": ["le chat", "2"], "p": [93, 1e-9]},
        ["with", "without"],
    )
    assert columns(frame) == [["", "French"], ["with", "le chat"], ["without", "2"]]


def test_a_table_of_numbers_has_no_text():
    assert columns(pd.DataFrame({"a": [1.5, float("nan")]}, [10, 20])) == [[], [], []]


def test_groups_of_rows_keep_the_columns_apart():
    index = pd.MultiIndex.from_product([[0, 1], ["mean", "best"]])
    found = columns(pd.DataFrame({"error": [1, 2, 3, 4]}, index))
    assert [row[-1] for row in found[1:]] == ["mean", "best", "mean", "best"]
    assert all(len(row) == 1 for row in found[1:])


def test_a_full_stop_does_not_begin_a_line():
    frame = pd.DataFrame({"French": ["le chat dort .", "il y a 1 . 5 ?"]}, [1, 2])
    assert columns(frame)[1:] == [["le chat dort\u00a0."], ["il y a 1\u00a0. 5\u00a0?"]]
