"""The adder's answers in V8 are PyTorch's with the same weights, and are judged rightly."""

import re

import pytest
import torch

from experiments import results
from experiments.try_it import adder, weights
from tools.book import addition, pages


@pytest.fixture(scope="module")
def page():
    return addition.page()


@pytest.fixture(scope="module")
def content():
    return weights.read(addition.FILE)


@pytest.mark.parametrize(
    "place", [0, 3, *(pytest.param(i, marks=pytest.mark.weekly) for i in (1, 2))]
)
def test_answers_and_probabilities_are_those_of_pytorch(page, content, place):
    model = content["models"][place]
    gpt, questions = adder.load(content, model), content["questions"][:50]
    expected = adder.answers(gpt, content, model["template"], questions)
    traces = page.call(
        f"{questions}.map(numbers => d2lAdder.answer(models[{place}], numbers))"
    )
    assert ["".join(trace["target"]) for trace in traces] == expected
    ids = {token: i for i, token in enumerate(content["target"])}
    for trace in traces[:10]:
        tokens = [ids[token] for token in (*trace["source"], *trace["target"])]
        with torch.no_grad():
            probs = gpt(torch.tensor([tokens[:-1]])).softmax(dim=-1)[0]
        for step, row in zip(
            trace["steps"], probs[len(trace["source"]) - 1 :], strict=True
        ):
            found = [p for _, p in step["top"]]
            assert found == pytest.approx(row.topk(5).values.tolist(), abs=1e-4)


def test_the_notebook_defines_the_models_that_are_stored():
    cells = [cell.source for cell in pages.read(adder.NOTEBOOK).cells]
    last = next(i for i, source in enumerate(cells) if adder.LAST in source)
    for *_, name in adder.STAGES.values():
        assert re.search(rf"^{name}\b.* = ", "\n".join(cells[: last + 1]), re.MULTILINE)


def test_the_numbers_of_the_page_are_those_of_the_file(content):
    table = (results.FOLDER / "adder.md").read_text(encoding="utf-8")
    assert table.startswith(results.table(["", *adder.COLUMNS], []))
    questions, rows = content["questions"], table.splitlines()[2:]
    assert addition.FILE.stat().st_size < 450_000
    assert [*addition.NOTES] == [*adder.STAGES]
    for model, row in zip(content["models"], rows):
        end = model["template"]["end"]
        gpt = adder.load(content, model)
        texts = adder.answers(gpt, content, model["template"], questions)
        right = sum(adder.is_right(q, text, end) for q, text in zip(questions, texts))
        assert row.split(" | ")[0] == f"| {model['name']}"
        assert row.split(" | ")[2] == str(model["right"])
        assert abs(model["right"] - right) <= 2  # another processor rounds differently


ANSWERS = {  # to 3+8+4+6: the places of wrong steps, and the verdict
    "11+4+6=15+6=21": ([], "Right."),
    "3+8+4+6=? 11+4+6=15+6=21": ([], "Right."),
    "3+8+5+6=? 11+5+6=16+6=22": (
        [0],
        "Wrong, the sum is 21: 3+8+4+6 is 21, but 3+8+5+6 is 22.",
    ),
    "21": ([], "Right."),
    "20": ([0], "Wrong, the sum is 21."),
    "12+4+6=16+6=22": (
        [0],
        "Wrong, the sum is 21: 3+8+4+6 is 21, but 12+4+6 is 22.",
    ),
    "11+4+6=15+6=22": ([2], "Wrong, the sum is 21: 15+6 is 21, not 22."),
    "11+4+6=16+6=21": (
        [1, 2],
        "Right, although a step is wrong: 11+4+6 is 21, but 16+6 is 22.",
    ),
    "11++6=21": ([0], "Right, although a step is wrong: “11++6” is no sum."),
}


@pytest.mark.parametrize("text", ANSWERS)
def test_the_step_that_is_wrong_is_found(page, text):
    wrong, told = ANSWERS[text]
    target = [*text, "<|end|>"]
    found = page.call(f"d2lAdder.check({target}, '<|end|>', [3, 8, 4, 6])")
    assert (
        found["right"]
        == told.startswith("Right")
        == adder.is_right((3, 8, 4, 6), f"{text}.", ".")
    )
    assert [i for i, step in enumerate(found["steps"]) if not step["right"]] == wrong
    assert (
        page.call(f"d2lAdder.verdict(d2lAdder.check({target}, '<|end|>', [3, 8, 4, 6]))")
        == told
    )
    unfinished = f"d2lAdder.verdict(d2lAdder.check({target[:-1]}, '<|end|>', [3, 8, 4, 6]))"
    assert page.call(unfinished).startswith("It does not end")


def test_tokens_are_drawn_with_their_probabilities(page, content):
    page.v8.eval("let state = 1; 0")  # the same numbers in every run
    page.v8.eval("Math.random = () => (state = state * 16807 % 2147483647) / 2147483647; 0")
    prompt = ["<|user|>", "38", " ", "4", " ", "5", "<|assistant|>"]
    ids = [content["target"].index(token) for token in prompt]
    draw = f"d2lForward.complete(models[1].gpt, {ids}, {{}}, 1, {{temperature: 2}})"
    drawn = page.call(f"Array.from({{length: 400}}, () => {draw}.target[0])")
    model = adder.load(content, content["models"][1])
    with torch.no_grad():
        probs = (model(torch.tensor([ids]))[0, -1] / 2).softmax(dim=-1)
    for p, i in zip(*(each.tolist() for each in probs.topk(3))):
        share = drawn.count(content["target"][i]) / len(drawn)
        assert share == pytest.approx(p, abs=4 * (p * (1 - p) / len(drawn)) ** 0.5)
