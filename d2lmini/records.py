"""Files with a record in each line, JSON or the row of a table, and where one is broken."""

import csv
import io
import json
from contextlib import contextmanager

DELIMITERS = {".tsv": "\t", ".csv": ",", ".jsonl": None, ".json": None}


@contextmanager
def errors_of(path):
    """Within it, what is wrong with a file becomes a ValueError that names the path."""
    try:
        yield
    except FileNotFoundError as error:
        raise ValueError(f"{path}: there is no such file") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: it must be text in UTF-8: {error}") from error
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error


def json_lines(text):
    """The number and the JSON of each line that is not empty; ValueError for no JSON."""
    for line, record in enumerate(text.split("\n"), start=1):
        if record.strip():
            try:
                found = json.loads(record)
            except ValueError as error:
                raise ValueError(f"line {line}: it is no JSON: {error}") from error
            yield line, found


def table_rows(text, delimiter):
    """The number and the cells of each row that is not empty, the columns first.

    Raises ValueError, with the line, for a row with more or fewer cells than columns.
    """
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns = None
    try:
        for row in rows:
            line, row = rows.line_num, [cell.strip() for cell in row]
            columns = row if columns is None else columns
            if row is not columns and not any(row):
                continue
            if len(row) != len(columns):
                sizes = f"{len(row)} cells, and the first line {len(columns)}"
                raise ValueError(f"line {line}: it has {sizes}")
            yield line, row
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num}: {error}") from error
