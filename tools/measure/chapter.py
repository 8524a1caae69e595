"""Run a chapter's own notebook, and take a measurement from what its cells define."""

import argparse
import json
import sys

from nbformat.v4 import new_code_cell

from tools import ROOT
from tools.book import pages
from tools.measure import results
from tools.notebooks import execute

# What runs after the cells: this program's own code, too, can be imported there.
LAST = """
import importlib, json, sys
sys.path.insert(0, {root!r})
print("RESULT", json.dumps({expression}))
"""


def main(program, only=None):
    """Print the tables of a program, and with --write put them into the page of results.

    The program is a module. Its `measure` gets what the cells of its NOTEBOOK up to its
    LAST define, and gives the tables by name. `only` lists tables that may be asked for
    alone.
    """
    parser = argparse.ArgumentParser(description=program.__doc__.splitlines()[0])
    if only:
        parser.add_argument("--only", choices=only, help="this table alone")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args()
    origin = results.origin()
    arguments = f"globals(), only={options.only!r}" if only else "globals()"
    here = f"importlib.import_module({program.__spec__.name!r}).measure({arguments})"
    for name, table in run(program.NOTEBOOK, here, last=program.LAST).items():
        print(table, end="\n\n")
        if options.write:
            results.write(name, table, origin)


def main_with_seeds(program, seeds):
    """Print the tables of a program whose notebook runs once for each seed, as main does.

    The program's `measure` gives one run's results, and its `tables` the tables of all.
    `seeds` is how many by default. LAST is None if the whole notebook runs.
    """
    parser = argparse.ArgumentParser(description=program.__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=seeds, help="how many")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args()
    origin = results.origin()
    here = f"importlib.import_module({program.__spec__.name!r}).measure(globals())"
    runs = []
    for seed in range(options.seeds):
        runs.append(run(program.NOTEBOOK, here, seed, program.LAST))
        print(f"seed {seed}:", runs[-1], file=sys.stderr, flush=True)
    for name, table in program.tables(runs).items():
        print(table, end="\n\n")
        if options.write:
            results.write(name, table, origin)


def run(path, expression, seed=None, last=None):
    """The value of a Python expression, as JSON has it, after the cells of a notebook.

    With a seed, SEED has this value after the cell tagged `parameters`. With `last`, only
    the cells up to the one that contains this text run. Raises execute.Failed if a cell
    fails, and ValueError if no cell contains `last`.
    """
    notebook = pages.read(path)
    if last is not None:
        found = [i for i, cell in enumerate(notebook.cells) if last in cell.source]
        if not found:
            raise ValueError(f"no cell of {path} contains {last!r}")
        del notebook.cells[found[0] + 1 :]
    if seed is not None:
        tags = [cell.metadata.get("tags", []) for cell in notebook.cells]
        (at,) = (i for i, found in enumerate(tags) if "parameters" in found)
        notebook.cells.insert(at + 1, new_code_cell(f"SEED = {seed}"))
    source = LAST.format(root=str(ROOT), expression=expression)
    notebook.cells.append(new_code_cell(source))
    execute.run(notebook, path)
    outputs = notebook.cells[-1].outputs
    printed = "".join(o.text for o in outputs if o.get("name") == "stdout")
    return json.loads(printed.rpartition("RESULT ")[2])
