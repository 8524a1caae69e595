"""Whose solutions a book shows: all, none, or those of sheets whose answers are released.

    make book SOLUTIONS=0
    make book SOLUTIONS="01_queries_keys_values 3"

The variable names sheets by their notebooks or numbers; 0 is none. Nothing that is built
then has what students of the other sheets must not get: solutions and answers in words
with their rubrics, hidden tests, tempting answers and discussions. What exercises ask for
and the package has is not implemented in the wheel and in downloads. leaks.py looks for it.
Without the variable a book shows everything.
"""

import os
import re
from pathlib import Path

SHEETS = "notebooks/exercises"


def released(root: Path) -> list[str] | None:
    """The sheets of a book whose solutions it shows, or None if SOLUTIONS is not set.

    Raises ValueError for a sheet that the book does not have.
    """
    chosen = re.split(r"[\s,]+", os.environ.get("SOLUTIONS", "").strip(" ,"))
    if chosen == [""]:
        return None
    if chosen == ["0"]:
        return []
    sheets = sorted(path.stem for path in (root / SHEETS).glob("*.ipynb"))
    known = {name.partition("_")[0].lstrip("0"): name for name in sheets}
    known |= dict(zip(sheets, sheets))
    for name in chosen:
        if name not in known:
            raise ValueError(
                "SOLUTIONS must be 0, or name sheets by their numbers or as one of "
                f"{', '.join(sheets)}, not {name!r}"
            )
    return sorted({known[name] for name in chosen})


def are_shown(sheet: str, released: list[str] | None) -> bool:
    """Whether a book that has released these shows the solutions of a sheet."""
    return released is None or sheet in released
