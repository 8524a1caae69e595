"""Measure how many faults in the package its tests find: a mutation test, sampled.

    make mutants                                             20 places of each module
    _build/cosmic-ray/bin/python tools/mutants.py --seed 1 --count 50 toolkit

Cosmic Ray changes one place of a module, such as a `<` into a `<=`, in a copy of the
project, and the tests of this module should fail, or those that use all modules. The
places are drawn at random, then one of the changes for each; functions that only place
lines and labels in a figure are left out. A run that takes too long counts as failed. The
program prints a table and the mutants that survived, and writes both to
_build/mutants.md. It is run by the Python of an environment with cosmic-ray, and the tests
by that of the project.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRAWINGS = {"_attention_svg", "draw_attention", "_box", "_arrow"}  # are for the eye
IDENTITY = "_Is", "_IsNot"  # in place of == and != the same, for small numbers
OF_ALL_MODULES = "tests/test_devices.py tests/test_distributed.py"
LEFT_OUT = {".git", ".venv", ".hypothesis", "_build", "data", "shared"}


def modules() -> list[str]:
    """The names of the package's modules."""
    paths = ROOT.glob("d2lmini/*.py")
    return sorted(path.stem for path in paths if path.stem != "__init__")


def sample(mutations: list, count: int, seed: int) -> list:
    """One random mutation in each of `count` random places, in order."""
    places = defaultdict(list)
    for mutation in mutations:
        places[mutation.start_pos, mutation.end_pos].append(mutation)
    generator = random.Random(seed)
    chosen = generator.sample(sorted(places), min(count, len(places)))
    return [generator.choice(places[place]) for place in sorted(chosen)]


def all_mutations(path: Path) -> list:
    """What Cosmic Ray can change in a module, but for drawings, and == into `is`."""
    from cosmic_ray.commands.init import init
    from cosmic_ray.work_db import use_db

    with use_db(":memory:") as database:
        init([path], database, {})
        found = [item.mutations[0] for item in database.work_items]
    return [
        x
        for x in found
        if x.definition_name not in DRAWINGS and not x.operator_name.endswith(IDENTITY)
    ]


def left_out(folder, names) -> set[str]:
    """What needs no copy: what git leaves out, and git's own."""
    return LEFT_OUT if Path(folder) == ROOT else {"__pycache__"}


@cache
def time_limit(command: str) -> float:
    """Seconds that tests may take: many more than without a mutant. Exits if they fail."""
    start = time.monotonic()
    done = subprocess.run(command.split(), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command} fails without a mutant\n{done.stdout}")
    return 60 + 3 * (time.monotonic() - start)


def survivors(module: str, count: int, seed: int, python: Path) -> tuple[int, list[str]]:
    """The number of mutants, and the changes that the tests did not find.

    Works on the copy in the current directory. Exits if tests fail without a change.
    """
    from cosmic_ray.mutating import mutate_and_test

    path = Path("d2lmini", f"{module}.py")
    test = f"{python} -m pytest -x -q -p no:cacheprovider "
    commands = test + f"tests/test_{module}.py", test + OF_ALL_MODULES
    limits = [time_limit(command) for command in commands]
    mutations, survived = sample(all_mutations(path), count, seed), []
    for number, mutation in enumerate(mutations, start=1):
        for command, limit in zip(commands, limits):
            result = mutate_and_test([mutation], command, limit)
            if result.is_killed:
                break
        print(f"{module} {number}/{len(mutations)}: {result.test_outcome.name}", flush=True)
        if not result.is_killed:
            survived.append(change(result.diff, mutation))
            print(f"  {survived[-1]}", flush=True)
    return len(mutations), survived


def change(diff: str, mutation) -> str:
    """A mutant in one line: where it is, and the source before and after."""
    lines = [line for line in diff.splitlines() if line[:3] not in ("---", "+++")]
    before, after = (
        " ".join(line[1:].strip() for line in lines if line[:1] == sign) for sign in "-+"
    )
    where = f"line {mutation.start_pos[0]}, {mutation.definition_name}"
    return f"{where}: `{before}` → `{after}`"


def report(results: dict[str, tuple[int, list[str]]]) -> str:
    """The table in Markdown, then the survivors."""
    rows = [(module, n, n - len(left)) for module, (n, left) in results.items()]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    lines = ["| module | mutants | killed | score |", "|---|---|---|---|"]
    lines += [f"| {name} | {n} | {k} | {k / max(1, n):.0%} |" for name, n, k in rows]
    left = [f"- {module}, {text}" for module, (_, t) in results.items() for text in t]
    return "\n".join([*lines, "", *left]) + "\n"


def check(results: dict[str, tuple[int, list[str]]]) -> None:
    """Exit with an error if fewer than 90 % of the mutants were killed."""
    total = sum(n for n, _ in results.values())
    left = sum(len(survived) for _, survived in results.values())
    if left > total / 10:
        raise SystemExit(f"{left} of {total} mutants survived: more than a tenth")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", help="(default: all)")
    parser.add_argument("--count", type=int, default=20, help="mutants of a module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--python", type=Path, default=ROOT / ".venv" / "bin" / "python")
    args = parser.parse_args(argv)
    if unknown := set(args.modules) - {*modules()}:
        parser.error(f"modules must be of {modules()}, not {sorted(unknown)}")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "project")
        shutil.copytree(ROOT, copy, ignore=left_out)
        os.chdir(copy)
        os.environ["PYTHONPATH"] = str(copy)  # before the project itself
        for module in args.modules or modules():
            results[module] = survivors(module, args.count, args.seed, args.python)
        os.chdir(ROOT)
    text = report(results)
    path = ROOT / "_build" / "mutants.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"\n{text}\nThis is in {path.relative_to(ROOT)}, too.")
    check(results)


if __name__ == "__main__":
    main()
