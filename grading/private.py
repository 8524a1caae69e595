"""Write hidden tests of your own: the book's, with other seeds and sizes.

    python -m grading.private --seed SEED [--course FOLDER] [--overwrite] [ASSIGNMENT ...]

Each becomes a file such as private/01_queries_keys_values/1.2.py, which `make assignments`
puts in place of the book's tests. The seed and the number of the exercise determine what is
drawn. A test is written once the published solution has passed it.

Every seed in a test is moved by the same number: those of `seed=...` and manual_seed(...),
and that of a fixed_randn(...) without one. What else is drawn stands in the metadata of its
cell: `drawn` has, for a piece of the source, the expression whose value takes its place. In
it, `old` is the value of the piece, `random` a random.Random, and renamed and reordered are
the functions below. An expected result that the test does not compute is drawn by a
symmetry: in another order, on another scale, with other letters.
"""

import ast
import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from random import Random
from string import ascii_lowercase

import matplotlib
import nbformat

from grading import parser
from grading.grade import open_course
from tools.notebooks import exercises


def main():
    """Write the tests for a course."""
    command = parser(__doc__)
    command.add_argument("assignments", nargs="*", metavar="ASSIGNMENT", help="or all")
    command.add_argument("--seed", required=True, help="a text that students do not know")
    command.add_argument("--overwrite", action="store_true", help="files that exist, too")
    options = command.parse_args()
    matplotlib.use("agg")
    try:
        write(options.course, options.seed, options.assignments, options.overwrite)
    except ValueError as error:
        sys.exit(f"private: {error}")


def write(course, seed, assignments=(), overwrite=False):
    """Write the tests of these assignments, or of all, into private/ of a course.

    Those of optional exercises are written for a course that has these. A file that exists
    stays as it is, unless overwrite is true. Raises ValueError for an unknown assignment,
    an empty seed, and a test that the published solution does not pass.
    """
    sheets = {path.stem: path for path in sorted(exercises.SOURCES.glob("*.ipynb"))}
    for name in assignments:
        if name not in sheets:
            known = ", ".join(sheets)
            raise ValueError(f"ASSIGNMENT must be one of {known}, not {name!r}")
    if not seed:
        raise ValueError("SEED must be a text that students do not know, and is empty")
    made = (course / "nbgrader_config.py").exists()
    core_only = not made or open_course(course).config.Course.exercises == "core"
    for name in assignments or sheets:
        folder, tests = course / "private" / name, {}
        for number, cell in hidden_tests(sheets[name], core_only).items():
            if (path := folder / f"{number}.py").exists() and not overwrite:
                print(f"{path} exists, and stays as it is (OVERWRITE=1 replaces it)")
            else:
                tests[number] = drawn(cell, f"{seed} {number}")
        folder.mkdir(parents=True, exist_ok=True)
        for number, source in passed(sheets[name], tests):
            path = folder / f"{number}.py"
            path.write_text(source + "\n", encoding="utf-8")
            print(path)


def code_cells(path, core_only=False):
    """Exercise, kind and cell of each cell of code that runs when a solution is graded."""
    number, left_out = None, False
    for i, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if found := exercises.EXERCISE.match(cell.source):
            number = found[1]
            left_out = core_only and "core" not in cell.metadata.get("tags", [])
        kind = exercises.kind_of(cell, i)
        if cell.cell_type == "code" and kind not in exercises.FOR_THE_BOOK and not left_out:
            yield number, kind, cell


def hidden_tests(path, core_only=False):
    """The cells of hidden tests of a notebook, by exercise."""
    cells = code_cells(path, core_only)
    return {number: cell for number, kind, cell in cells if kind == "hidden-tests"}


def passed(path, tests):
    """The number and source of each of these tests, once the published solution passes it.

    Raises ValueError if it does not. The cells run as when the solution is graded, up to
    the last of the tests.
    """
    names, left = {"__name__": "__main__"}, dict(tests)
    for number, kind, cell in code_cells(path):
        if not left:
            return
        if kind == "hidden-tests" and number not in left:
            continue
        test = left.pop(number) if kind == "hidden-tests" else None
        try:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                exec(compile(test or cell.source, f"{path.name}, {number}", "exec"), names)
        except Exception as error:
            raise ValueError(
                f"{number}: the published solution fails here: {type(error).__name__}: "
                f"{error}. Take another SEED, and please report this one."
            ) from error
        if test:
            yield number, test


# --- what is drawn ---------------------------------------------------------------------


def drawn(cell, seed):
    """The source of a cell of hidden tests, drawn anew. The seed is a text.

    Raises ValueError if a piece of the source that is to be drawn is not there just once.
    """
    draws, random = cell.metadata.get("drawn", {}), Random(seed)
    by = random.randrange(1000, 10**6)
    for piece in draws:
        if (times := cell.source.count(piece)) != 1:
            raise ValueError(
                f"{piece!r}, to be drawn, must be there once, not {times} times"
            )

    def draw(found):
        names = {"random": random, "old": eval(found[0])}
        names |= {each.__name__: partial(each, random) for each in (renamed, reordered)}
        return repr(eval(draws[found[0]], names))

    source = cell.source
    if draws:
        source = re.sub("|".join(map(re.escape, draws)), draw, source)
    return move_seeds(source, by)


def renamed(random, case):
    """A tuple in whose texts each letter becomes another, of the same case."""
    old, new = ascii_lowercase, "".join(random.sample(ascii_lowercase, 26))
    table = str.maketrans(old + old.upper(), new + new.upper())
    return tuple(part.translate(table) if isinstance(part, str) else part for part in case)


def reordered(random, case):
    """A tuple whose lists, all of the same length, are in one other order."""
    size = next(len(part) for part in case if isinstance(part, list))
    order = random.sample(range(size), size)
    return tuple(
        [part[i] for i in order] if isinstance(part, list) else part for part in case
    )


def move_seeds(source, by):
    """The source in which all seeds of random numbers are larger by this number."""
    code, edits = source.encode(), []  # ast counts bytes
    starts = [0]
    for line in code.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node):
        begin = starts[node.lineno - 1] + node.col_offset
        return begin, starts[node.end_lineno - 1] + node.end_col_offset

    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", None))
        seeds = [option.value for option in node.keywords if option.arg == "seed"]
        if called == "manual_seed":
            seeds = node.args
        for seed in seeds:
            begin, end = span(seed)
            number = isinstance(seed, ast.Constant)
            text = by + seed.value if number else f"{by} + ({code[begin:end].decode()})"
            edits.append((begin, end, str(text)))
        if called == "fixed_randn" and not seeds:
            _, end = span(node.args[-1])
            edits.append((end, end, f", seed={by}"))
    for begin, end, text in sorted(edits, reverse=True):
        code = code[:begin] + text.encode() + code[end:]
    return code.decode()


if __name__ == "__main__":
    main()
