"""Align the tables that pandas writes: text to the left, numbers to the right.

pandas aligns everything to the right. A column is text, and gets the class `text`, unless
all of its cells begin with a number. In text, a full stop does not begin a line.
"""

import itertools
import re

from bs4 import BeautifulSoup

TABLE = re.compile(r'<table[^>]* class="dataframe".*?</table>', re.DOTALL)
NUMBER = re.compile(r"$|[-−+±<>≈(\[]*(?:\d|∞|inf|nan|NaN)|[–—]$")
END = re.compile(r" (?=[.,?!](?: |$))")


def align(body: str) -> str:
    """The HTML of a page or a slide, with aligned tables."""
    return TABLE.sub(lambda match: align_table(match[0]), body)


def align_table(text: str) -> str:
    table = BeautifulSoup(text, "lxml").table
    for row in table.find_all("tr"):
        del row["style"]
    # From the right, because the cells of a group's first row can span the others.
    head, body = (
        [row.find_all(["th", "td"])[::-1] for row in table.select(f"{part} tr")]
        for part in ("thead", "tbody")
    )
    columns = [[*filter(None, column)] for column in itertools.zip_longest(*body)]
    for place, column in enumerate(columns):
        if all(NUMBER.match(cell.text.strip()) for cell in column):
            continue
        for cell in column:
            if cell.string:
                cell.string = END.sub("\u00a0", cell.string)
        for cell in [*column, *(row[place] for row in head if len(row) == len(columns))]:
            cell["class"] = "text"
    return str(table)
