"""A small notebook of exercises, of which the tests of grading make a course."""

from nbformat.v4 import new_code_cell, new_markdown_cell

NAME = "00_doubling"
GIVEN = """\
import torch

ONE = 1


def near(a, b):
    return torch.allclose(torch.tensor(float(a)), torch.tensor(float(b)))"""
DOUBLE = 'def double(x):\n    """Twice x."""\n    return x + x'
TEST = "assert double(ONE) == 2, 'one'"
HIDDEN = "assert near(double(2.0), 4.0), f'2 gives {double(2.0)}, not 4'"
TRIPLE = 'def triple(x):\n    """Three times x."""\n    return x + double(x)'
FOUR = 'def four():\n    """Four."""\n    return 4'
WHY = """\
<details>
<summary>Solution</summary>

Because $a \\cdot 2 = a + a$.

**Rubric** (2 points)

- 2 points: says why

</details>"""


def tagged(cell, *tags, **metadata):
    cell.metadata.update(tags=list(tags), **metadata)
    return cell


WHY_NOT = WHY.replace("(2 points)", "(1 points)").replace("- 2 points", "- 1 point")
CELLS = [
    new_markdown_cell("# Exercises 0 · Doubling"),
    new_code_cell(GIVEN),
    tagged(
        new_markdown_cell(
            "## 0.1 Two\n\n*(core, easy, 1 minutes, 5 points)*\n\nWhy is $2 x^2$ even?"
        ),
        "core",
    ),
    tagged(new_code_cell(DOUBLE), "solution"),
    tagged(new_code_cell(TEST), "tests", points=1),
    tagged(new_code_cell(HIDDEN), "hidden-tests", points=2),
    tagged(new_markdown_cell(WHY), "solution", points=2),
    tagged(new_code_cell("print(double(7))"), "discussion"),
    tagged(new_markdown_cell("*It is odd.* No."), "tempting"),
    tagged(
        new_markdown_cell("## 0.2 Three\n\n*(core, easy, 1 minutes, 4 points)*\n"), "core"
    ),
    tagged(new_code_cell(TRIPLE), "solution"),
    tagged(new_code_cell("assert triple(5) == 15"), "tests", points=3),
    tagged(new_markdown_cell(WHY_NOT), "solution", points=1),
    new_markdown_cell("## 0.3 Four\n\n*(optional, easy, 1 minutes, 1 points)*\n"),
    tagged(new_code_cell(FOUR), "solution"),
    tagged(new_code_cell("assert four() == 4"), "tests", points=1),
]
