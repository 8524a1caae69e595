"""Run a chapter's own notebook, and take a measurement from what its cells define."""

import json
import sys
from concurrent.futures import ProcessPoolExecutor

from nbformat.v4 import new_code_cell

from tools import ROOT
from tools.book import pages
from tools.notebooks import execute, workers

# What runs after the cells: the experiments, too, can be imported there.
LAST = """
import importlib, json, sys
sys.path.insert(0, {root!r})
module = importlib.import_module({module!r})
print("RESULT", json.dumps(module.{name}(globals(), *{arguments!r})))
"""


def run(path, function, *arguments, seed=None, last=None):
    """The value of function(names, *arguments), as JSON has it, after a notebook's cells.

    The names are what the cells define. The function stands at the top of a module. With a
    seed, SEED has this value after the cell tagged `parameters`. With `last`, only the
    cells up to the one that contains this text run. Raises execute.Failed if a cell
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
    called = {"module": function.__module__, "name": function.__name__}
    source = LAST.format(root=str(ROOT), arguments=arguments, **called)
    notebook.cells.append(new_code_cell(source))
    execute.run(notebook, path)
    outputs = notebook.cells[-1].outputs
    printed = "".join(o.text for o in outputs if o.get("name") == "stdout")
    return json.loads(printed.rpartition("RESULT ")[2])


def run_seeds(number, path, function, last=None):
    """What `run` gives with each of so many seeds."""
    with ProcessPoolExecutor(workers.num_workers()) as pool:
        started = [
            pool.submit(run, path, function, seed=seed, last=last) for seed in range(number)
        ]
        for seed, each in enumerate(started):
            print(f"seed {seed}:", each.result(), file=sys.stderr, flush=True)
    return [each.result() for each in started]
