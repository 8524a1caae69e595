"""Train models with several seeds: a table of the mean and the spread of their scores.

    make scores [ONLY=copying] [SEEDS=3] [ROOT=data] [WRITE=1]

Each table is an experiment of its own, a module of tools/measure/experiments. Tatoeba is
downloaded into the root folder unless it is there; if that fails, its tables are skipped.
With WRITE=1, tables go to book/_generated/.
"""

import argparse
import statistics
import sys

from tools.measure import results
from tools.measure.experiments import (
    copying,
    differences,
    draws,
    embeddings,
    experts,
    gpt,
    large,
    look_up,
    look_up_longer,
    norms,
    parts,
    phrasebook,
    sampling,
    small,
    vision,
)

EXPERIMENTS = {
    "copying": copying,
    "phrasebook": phrasebook,
    "parts": parts,
    "embeddings": embeddings,
    "norms": norms,
    "differences": differences,
    "small": small,
    "large": large,
    "vision": vision,
    "draws": draws,
    "look_up": look_up,
    "look_up_longer": look_up_longer,
    "gpt": gpt,
    "experts": experts,
    "sampling": sampling,
}


def spread(values, digits):
    """The mean, and the standard deviation of fractions that are not all the same."""
    if None in values:
        return ""
    mean = f"{statistics.mean(values):,.{digits}f}"
    if digits == 0 or len({*values}) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values):.{digits}f}"


def columns(name):
    """The columns of an experiment's table."""
    return ["model", *EXPERIMENTS[name].COLUMNS]


def tabulate(name, seeds, root):
    """The table of an experiment: the mean of the seeds, and the spread."""
    experiment, rows = EXPERIMENTS[name], {}
    for seed in seeds:
        for title, values in experiment.rows(seed, root):
            rounded = [value and round(value, 4) for value in values]
            print(f"seed {seed}, {title}:", *rounded, file=sys.stderr, flush=True)
            rows.setdefault(title, []).append(values)
    cells = [
        [title, *map(spread, zip(*runs), experiment.COLUMNS.values())]
        for title, runs in rows.items()
    ]
    return f"{results.head(columns(name))}\n{results.lines(*cells)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=EXPERIMENTS)
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--root", default="data", help="the folder of what is downloaded")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args()
    origin = results.origin()
    for name in [options.only] if options.only else EXPERIMENTS:
        try:
            table = tabulate(name, range(options.seeds), options.root)
        except ConnectionError as error:
            reason = f"its data could not be downloaded: {error}"
            print(f"{name}: skipped, because {reason}", file=sys.stderr)
            continue
        print(f"{name}\n\n{table}\n", flush=True)
        if options.write:
            results.write(name, table, origin)


if __name__ == "__main__":
    main()
