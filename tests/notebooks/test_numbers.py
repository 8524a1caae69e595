"""A decimal number in the prose of a notebook is one that the notebook prints.

It stands, rounded to its digits, in an output, in code, in a formula or in a table. If it
is quoted from elsewhere, its paragraph links to a paper, or its cell to the page of results
with a table that has it. All others, for example what was seen in some run or follows from
two printed numbers, are named in the metadata of the cell: "quoted": ["0.36"].
"""

import ast
import re

import nbformat
import pytest

from tools import ROOT, every_notebook
from tools.book.pages import read

NOTEBOOKS = every_notebook()
TABLES = sorted((ROOT / "book" / "_generated").glob("*.md"))
DECIMAL = re.compile(r"(?<![\w./-])\d+\.\d+(?!\w|\.\d)")
FORMULA = r"\$\$.*?\$\$|\$[^$]*\$"
ROW = r"^ *\|.*$"  # of a table
HEADING = r"^#.*$"
CODE = r"```.*?```|`[^`]*`"
ADDRESS = r"(?<=\])\([^)]*\)"
# A version of a model or a library, a section, an exercise.
NAME = r"\b(?:gpt|llama|qwen|gemma|deepseek|pytorch|python|section|exercise)s?[ -]v?[\d.]+"
NO_PROSE = re.compile("|".join([FORMULA, ROW, HEADING, CODE, ADDRESS]), re.S | re.M)
PARAGRAPH = re.compile(r"\n\s*\n|\n(?=- |\d\. )")


def numbers(text):
    return [
        float(found) for found in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)
    ]


def printed(notebook):
    """The numbers in outputs, code, formulas and tables."""
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts += re.findall(f"{FORMULA}|{ROW}", cell.source, re.S | re.M)
            continue
        parts.append(cell.source)
        for output in cell.outputs:
            data = output.get("data", {})
            parts += [output.get("text", ""), data.get("text/plain", "")]
            parts.append(data.get("text/html", ""))
            # matplotlib writes formulas letter by letter, and also into a comment
            svg = data.get("image/svg+xml", "")
            parts += map("".join, re.findall(r"<!-- (.*?) -->|<text[^>]*>([^<]+)", svg))
    return numbers("\n".join(parts))


RESULTS = re.compile(r"results(/\w+)?\.md")


def has(number, found):
    """Whether one of these numbers is the decimal number, rounded to its digits."""
    half = 0.5001 * 10 ** -len(number.partition(".")[2])
    return any(abs(value - float(number)) <= half for value in found)


def unexplained(notebook, results):
    """What no cell prints of the numbers in each Markdown cell, and what it marks."""
    found = printed(notebook)
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        missing, known = [], found + results * bool(RESULTS.search(cell.source))
        for paragraph in PARAGRAPH.split(cell.source):
            text = re.sub(NAME, " ", NO_PROSE.sub(" ", paragraph), flags=re.IGNORECASE)
            if "](https://" not in paragraph:
                missing += [n for n in DECIMAL.findall(text) if not has(n, known)]
        yield cell, sorted(set(missing)), sorted(cell.metadata.get("quoted", []))


@pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_decimal_numbers_in_the_prose_are_printed_or_marked_as_quoted(path):
    results = numbers("\n".join(table.read_text(encoding="utf-8") for table in TABLES))
    for cell, missing, quoted in unexplained(read(path), results):
        assert missing == quoted, cell.source


def test_the_shares_that_a_figure_of_chapter_7_draws_are_those_of_the_results():
    drawn = assigned(ROOT / "notebooks" / "07_transformer_parts.ipynb", "shares")
    table = (ROOT / "book" / "_generated" / "mirror.md").read_text(encoding="utf-8")
    rows = {
        "no attention": "without attention",
        "no feed-forward\nnetwork": "without the feed-forward network",
        "whole block": "whole block",
        "two attentions": "without it, a second attention",
    }
    assert drawn.keys() == rows.keys()
    for name, row in rows.items():
        cells = re.search(rf"^\| {row}[^|]* \|(.*)\|$", table, re.MULTILINE)[1].split("|")
        assert numbers(cells[2])[0] == drawn[name], name  # with √d, rate 0.01


def test_the_bits_that_a_figure_of_chapter_11_draws_are_those_of_the_results():
    cells = read(ROOT / "notebooks" / "11_gpt.ipynb").cells
    (source,) = [cell.source for cell in cells if cell.source.startswith("measured = {")]
    names = {}
    exec(source, names)
    table = (ROOT / "book" / "_generated" / "gpt_parts.md").read_text(encoding="utf-8")
    for start, rows in names["measured"].items():
        first = start.replace("initial", "first")
        for model, drawn in rows.items():
            row = re.search(rf"^\| {model}, {first} \| [\d,]+ \|(.*)\|$", table, re.M)
            found = numbers(row[1])  # mean, deviation, mean, ...
            best = min(zip(found[::2], found[1::2]))
            assert all(has(f"{x:.2f}", [y]) for x, y in zip(drawn, best, strict=True))


def test_what_chapter_11_says_of_longer_trainings_is_measured():
    cells = read(ROOT / "notebooks" / "11_gpt.ipynb").cells
    (cell,) = [cell.source for cell in cells if "from the page of results" in cell.source]
    (text,) = [cell.source for cell in cells if "after ten minutes:" in cell.source]
    table = (ROOT / "book" / "_generated" / "own_text.md").read_text(encoding="utf-8")
    for name, row in (
        ("larger, ten minutes", "10 minutes"),
        ("larger, an hour", "60 minutes"),
    ):
        drawn = re.search(rf'"{name}": ([\d.]+),', cell)[1]
        assert re.search(rf"^\| {row}, [\d,]+ updates \| {drawn} \|$", table, re.M), name
    samples = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    assert len(samples) == 2
    assert all(sample in table for sample in samples)


@pytest.mark.parametrize(
    ("name", "table"), [("labels_needed", "many_labels"), ("prompts", "few_shot")]
)
def test_the_shares_that_figures_of_chapter_10_draw_are_those_of_the_results(name, table):
    drawn = assigned(ROOT / "notebooks" / "10_pretraining.ipynb", name)
    text = (ROOT / "book" / "_generated" / f"{table}.md").read_text(encoding="utf-8")
    lines = [line[2:-2].split(" | ") for line in text.splitlines() if line[:1] == "|"]
    columns = [column.removesuffix(" labels").replace(",", "") for column in lines[0]]
    for row in lines[2:]:
        cells = zip(columns[1:], row[1:])
        found = {column: numbers(cell)[0] for column, cell in cells if cell}
        shares = drawn.pop(row[0], found)  # the page may leave out a row
        assert {str(key): share for key, share in shares.items()} == found, row
    assert not drawn


def test_the_numbers_that_figures_of_chapter_4_draw_are_those_of_the_results():
    path, folder = ROOT / "notebooks" / "04_bahdanau.ipynb", ROOT / "book" / "_generated"
    rows = {
        name: dict(re.findall(r"^\| ([^|]+) \| (.*) \|$", text, re.M))
        for name in ("attention", "ablation", "fixed_place", "fixed_place_sentence")
        if (text := (folder / f"{name}.md").read_text(encoding="utf-8"))
    }
    for kind, (mean, *ends) in assigned(path, "measured").items():
        found = numbers(rows["attention"][kind].replace("±", "|"))
        assert [mean, *ends] == [found[0], *found[2:4]]
    for name, share in assigned(path, "masked").items():
        assert share == numbers(rows["ablation"][name].split("|")[1])[0], name
    for kind, shares in assigned(path, "phrases").items():
        cells = rows["fixed_place"][kind].split("|")
        assert [*shares] == [numbers(cell)[0] for cell in cells]
    for kind, sentence in assigned(path, "written").items():
        assert sentence == rows["fixed_place_sentence"][kind].split(" | ")[0]


def test_the_losses_that_going_further_10_fits_are_those_of_the_results():
    measured = assigned(ROOT / "notebooks" / "further" / "10_pretraining.ipynb", "measured")
    text = (ROOT / "book" / "_generated" / "widths.md").read_text(encoding="utf-8")
    rows = [numbers(line.replace(",", "")) for line in text.splitlines() if "±" in line]
    assert [*measured.items()] == [(size, loss) for _, size, loss, _ in rows]


def test_the_times_that_a_figure_of_chapter_14_draws_are_those_of_the_results():
    measured = assigned(ROOT / "notebooks" / "14_serving.ipynb", "measured")
    text = (ROOT / "book" / "_generated" / "prompt_time.md").read_text(encoding="utf-8")
    rows = [numbers(line.replace(",", "")) for line in text.splitlines()[2:-2]]
    assert measured == {n: (read, step) for n, read, _, _, step, *_ in rows}


def assigned(path, name):
    """The value, a literal, that the code of a notebook gives a name."""
    for cell in read(path).cells:
        for node in ast.parse(cell.source if cell.cell_type == "code" else "").body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
                return ast.literal_eval(node.value)
    raise ValueError(f"{path} has no {name}")


def test_numbers_are_looked_for_at_their_precision():
    cells = [
        nbformat.v4.new_markdown_cell(
            "It is 0.43, 0.4 % and 0.44.\n\n## 3.1 Title\n\n"
            "See [here](results.md#a1.5): 71.6.\n"
            "- [A paper](https://arxiv.org/abs/1706.03762) has 28.4, GPT-2 has 1.5 billion"
        ),
        nbformat.v4.new_code_cell(
            "print(x)", outputs=[nbformat.v4.new_output("stream", text="0.4312 and 72\n")]
        ),
    ]
    ((_, missing, _),) = unexplained(nbformat.v4.new_notebook(cells=cells), [71.58])
    assert missing == ["0.44"]
