"""Run chapter 12 with several seeds: what each stage of post-training brings.

    .venv/bin/python -m tools.measure.post_training [--seeds 0 1 2] [--write]

The code is that of the notebook, with another SEED and without the real model; its bar
charts become rows. With --write, the table goes to book/_generated/post_training.md.
"""

import argparse
import sys

import matplotlib

from tools.build import pages
from tools.build.standalone import ROOT
from tools.measure import results

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
COLUMNS = ["", "right", "with steps"]
LEFT_OUT = ("smol", "make_requests", "run_lower", "right calls", "converse(", "stream(")


def run(seed, cells):
    """Name -> row of each model that the notebook's cells train from this seed."""
    tables, names = [], {}
    for source in cells:
        if any(part in source for part in LEFT_OUT):
            continue
        exec(source.replace("SEED = 0", f"SEED = {seed}"), names)
        names["bars"] = lambda rows, columns=(): tables.append(rows)
    fine_tuning, lora, preferences, _, _, wrong = tables
    found = dict(fine_tuning)
    found |= {f"LoRA, {name}": row for name, row in lora.items() if "rank" in name}
    for name in ("with steps", "at once"):
        found[f"DPO, answers {name} preferred"] = preferences[name]
    found["GRPO, 100 steps"] = names["history"][-1]
    found["fine-tuned for as long as GRPO"] = names["control"][-1]
    found["GRPO with the wrong reward"] = wrong["after"]
    return found


def table(runs):
    """Markdown: for each model its shares in percent, one number for each seed."""
    rows = []
    for name in runs[0]:
        shares = [
            " / ".join(f"{100 * found[name][column]:.0f}" for found in runs)
            for column in COLUMNS[1:]
        ]
        rows.append([name, *shares])
    return results.head(COLUMNS) + "\n" + results.lines(*rows)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(argv)
    matplotlib.use("Agg")
    notebook = pages.read(NOTEBOOK)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    found = table([run(seed, cells) for seed in options.seeds])
    print(found)
    if options.write:
        results.write("post_training", found)


if __name__ == "__main__":
    sys.exit(main())
