"""Run an experiment, and with WRITE=1 put its tables into the page of results.

python -m experiments                                 list them, as `make measure` does
python -m experiments NAME=copying SEEDS=3 WRITE=1    as make measure NAME=copying ...
"""

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path

from experiments import results
from tools import ROOT

SHORT = 3000  # characters; what is longer is not printed


def experiments():
    """The path of each experiment by its name."""
    return {
        path.stem: path
        for path in sorted(Path(__file__).parent.rglob("*.py"), key=lambda path: path.stem)
        if re.search(r"^def (rows|tables)\(", path.read_text("utf-8"), re.MULTILINE)
    }


def listed():
    """A line for each experiment: its name, and the first line of its docstring."""
    for name, path in experiments().items():
        told = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        yield f"  {name:<18} {told.splitlines()[0]}"


def load(name):
    """The module of an experiment."""
    parts = experiments()[name].relative_to(ROOT).with_suffix("").parts
    return importlib.import_module(".".join(parts))


def options(function, given):
    """The options of a function that are given as NAME=value, as keyword arguments.

    A value is a whole number where the default is one. Ends the program if the function
    has no such option.
    """
    known = inspect.signature(function).parameters
    found = {}
    for name, value in given.items():
        if name.lower() not in known:
            sys.exit(f"this experiment has no option {name}")
        is_number = isinstance(known[name.lower()].default, int)
        found[name.lower()] = int(value) if is_number else value
    return found


def run(name, given):
    """Yield the name and the text of each table, and its origin if it has one."""
    experiment = load(name)
    if hasattr(experiment, "tables"):
        yield from experiment.tables(**options(experiment.tables, given))
    else:
        seeds = range(int(given.pop("SEEDS", 3)))
        found = options(experiment.rows, given)
        yield name, results.tabulate(experiment.rows, experiment.COLUMNS, seeds, **found)


def main(arguments):
    given = dict(each.split("=", 1) for each in arguments)
    name, write = given.pop("NAME", None), given.pop("WRITE", None)
    if name not in experiments():
        print(*listed(), sep="\n")
        sys.exit(name and f"there is no experiment {name!r}")
    origin = results.origin()
    for table, text, *own in run(name, given):
        print(f"{table}\n\n{text if len(text) < SHORT else '...'}\n", flush=True)
        if write:
            results.write(table, text, *(own or [origin]))


if __name__ == "__main__":
    main(sys.argv[1:])
