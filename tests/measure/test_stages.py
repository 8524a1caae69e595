"""The measurement runs the chapter's notebook, with other seeds."""

import ast
import copy
import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook
from tokenizers import AddedToken

import d2lmini as d2l
from tools.book import pages
from tools.measure import chapter, post_training, tool_calls
from tools.notebooks import execute

pytestmark = pytest.mark.weekly  # trains for a moment, once for each experiment

PARAMETERS = {"tags": ["parameters"]}
STAGES = ["fine_tuning", "lora", "tool_calls", "preferences", "reward", "wrong_reward"]
STAGES += ["rejection_sampling"]


def write(path, *sources):
    first = new_code_cell("SEED, results = 0, {}", metadata=PARAMETERS)
    cells = [first, *map(new_code_cell, sources)]
    nbformat.write(new_notebook(cells=cells, metadata=execute.METADATA), path)
    return path


def test_the_chapter_defines_its_seed_in_the_cell_of_parameters_and_names_its_tables():
    cells = pages.read(post_training.NOTEBOOK).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    assert sum("SEED = " in source for source in sources) == 1
    (tagged,) = (c for c in cells if c.metadata.get("tags") == PARAMETERS["tags"])
    assert "\nSEED = 0" in tagged.source
    for name in STAGES:
        assert sum(f'results["{name}"] =' in source for source in sources) == 1, name


@pytest.mark.parametrize("program", [post_training, tool_calls])
def test_no_later_cell_of_the_chapter_replaces_what_the_measurement_uses(program):
    used = {
        node.attr
        for node in ast.walk(ast.parse(Path(program.__file__).read_text("utf-8")))
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "page"
    }
    cells = pages.read(post_training.NOTEBOOK).cells
    code = [ast.parse(c.source).body for c in cells if c.cell_type == "code"]
    bound = Counter(name for body in code for node in body for name in names_of(node))
    assert sorted(name for name in used if bound[name] > 1) == []
    assert len(used & bound.keys()) > 10


def names_of(node):
    """What a statement at the top level of a cell defines, but `x = x[:9]` not anew."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        named = [n for target in node.targets for n in ast.walk(target)]
        stored = {
            n.id for n in named if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        return sorted(stored - read)
    return []


def test_the_measurement_runs_in_the_notebook_s_kernel_with_its_seed(tmp_path):
    path = write(tmp_path / "small.ipynb", "results['right'] = SEED / 4")
    before = path.read_bytes()
    assert [chapter.run(path, "results", seed) for seed in (0, 3)] == [
        {"right": 0.0},
        {"right": 0.75},
    ]
    assert path.read_bytes() == before


def test_each_model_is_a_row_with_one_number_for_each_seed():
    runs = [
        {
            "β = 1": {"in order": 0.75, "KL": 1.25 + seed, "with steps": seed / 2},
            "β = 2": {"in order": 0.5, "with steps": 1},
        }
        for seed in (0, 1)
    ]
    found = post_training.table(runs, post_training.TABLES["price"])
    assert "| β = 1 | 75 / 75 | 1.2 / 2.2 | 0 / 50 |" in found
    assert "| β = 2 | 50 / 50 |  | 100 / 100 |" in found


def test_only_the_template_s_vectors_are_trained():
    start = d2l.GPT(10, 8, 1, 2, max_len=8)

    def fine_tune(model, tokens, lr):
        trained = [p for p in model.parameters() if p.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr)
        for _ in range(3):
            model.loss(model(tokens[:, :-1]), tokens[:, 1:]).backward()
            optimizer.step()

    page = SimpleNamespace(start=start, SPECIAL=["a", "b", "c"], fine_tune=fine_tune)
    before = copy.deepcopy(start.state_dict())
    found = post_training.template_alone(page, [torch.arange(8)[None]]).state_dict()
    changed = {
        name for name, weight in found.items() if not torch.equal(weight, before[name])
    }
    assert changed == {"embedding.weight", "output.weight"}  # which are one
    same = (found["embedding.weight"] == before["embedding.weight"]).all(dim=1)
    assert same.tolist() == [False] * 3 + [True] * 7
    assert torch.equal(start.state_dict()["embedding.weight"], before["embedding.weight"])


def defined(part, **names):
    """What the notebook's cell that contains this text defines, given other names."""
    cells = pages.read(post_training.NOTEBOOK).cells
    (source,) = (c.source for c in cells if c.cell_type == "code" and part in c.source)
    exec(source, names)
    return names


def test_rejection_sampling_draws_as_often_as_grpo_and_learns_right_answers_only():
    asked = []

    def sample_answers(model, tokenizer, prompts, num_samples, end, *, seed):
        asked.extend(prompts)
        texts = [f"{'wrong' if i % 8 else 'right'} {p}{end}" for i, p in enumerate(prompts)]
        return None, None, texts

    found = defined(
        "def rejection_sampling(",
        questions=list(range(2000)),
        ask=str,
        dialogue=str,
        report=len,
        tokenizer=None,
        copy=copy,
        sample_answers=sample_answers,
        encode_answers=lambda _, prompts, answers, end: (prompts, answers),
        fine_tune=lambda model, *data: [*model, data],
    )
    rounds, history = found["rejection_sampling"]([], lambda q, text: "right" in text)
    assert asked == [str(i) for i in range(100, 740) for _ in range(8)]
    assert len(asked) == 40 * 16 * 8 and history == [0, 2, 4, 6, 8]
    assert {num_steps for *_, num_steps in rounds} == {20}
    taught = [pair for prompts, answers, _ in rounds for pair in zip(prompts, answers)]
    assert taught == [(str(i), f"right {i}") for i in range(100, 740)]
    source = "\n".join(cell.source for cell in pages.read(post_training.NOTEBOOK).cells)
    for line in ("reward, num_steps=40", "rng.sample(questions[100:2000], 16)", "G=8"):
        assert line in source, line  # GRPO


def test_the_published_loss_is_that_of_a_case_by_hand():
    now, old, reference = torch.tensor(
        [
            [[0.6, 0.2, 0.9], [0.6, 0.2, 0.5]],
            [[0.4, 0.4, 0.1], [0.4, 0.4, 0.5]],  # the ratios are 3/2, 1/2, and 1
            [[0.6, 0.1, 0.2], [0.6, 0.2, 0.5]],
        ],
        dtype=torch.double,
    ).log()
    mask = torch.tensor([[True, True, False], [True, True, True]])
    advantages = torch.tensor([[1.0], [-1.0]])
    kl = 0.5 + math.log(2) - 1  # of the second token; that of the others in the mask is 0
    first = (1.2 + 0.5 - 0.1 * kl) / 2  # clipped above, not below
    second = (-1.5 - 0.8 - 1) / 3  # clipped below, not above
    loss = post_training.published(now, old, mask, advantages, reference, beta=0.1)
    assert loss.item() == pytest.approx(-(first + second) / 2, rel=1e-12)


def test_pass_at_k_counts_the_choices_and_the_majority_the_votes():
    found = defined("def pass_at_k(", math=math)
    for n, c, k in [(5, 2, 1), (6, 2, 3), (6, 0, 6), (4, 3, 2)]:
        choices = list(combinations([True] * c + [False] * (n - c), k))
        share = sum(map(any, choices)) / len(choices)
        assert found["pass_at_k"](n, c, k) == pytest.approx(share)
    majority = found["majority"]
    assert majority([3, 21, None, 21, None, None]) == 21  # None does not vote
    assert majority([4, 3, 3, 4]) == 4 and majority([None]) is None


def test_a_notebook_that_fails_is_named_with_its_error(tmp_path):
    path = write(tmp_path / "small.ipynb", "1 / SEED")
    with pytest.raises(execute.Failed, match=r"small\.ipynb(.|\n)*ZeroDivisionError"):
        chapter.run(path, "results", 0)


class Untrained:
    """What chapter 12 defines for its tools, with a small random model."""

    SEED, LoRA = 0, d2l.LoRA
    say = staticmethod(lambda role, content: {"role": role, "content": content})

    def __init__(self):
        self.smol_tokenizer = d2l.train_bpe(["a"], 256)
        special = [AddedToken(t, special=True) for t in ("<|im_start|>", "<|im_end|>")]
        self.smol_tokenizer.add_special_tokens(special)
        parts = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "max_len": 200}
        torch.manual_seed(0)
        self.smol = d2l.GPT(258, 16, 2, 2, **parts)
        for weights in self.smol.parameters():
            torch.nn.init.normal_(weights, std=0.3)


def test_examples_in_the_prompt_are_read_before_the_test():
    page, before = Untrained(), [Untrained.say("user", "Who?")]
    question = [Untrained.say("user", "What?")]
    tokenizer = page.smol_tokenizer
    whole = d2l.chatml([*before, *question])
    likeliest = d2l.complete(page.smol, tokenizer, whole, 1, temperature=0)
    other = "b" if likeliest == "a" else "a"

    def data(*answers):
        prompts = [d2l.chatml(question)] * len(answers)
        encoded = d2l.encode_answers(tokenizer, prompts, answers, "<|im_end|>")
        return None, *encoded

    def scores(test):
        return list(tool_calls.in_prompt(page, before, test).values())

    tokens, mask = data(likeliest, other)[1:]
    mask[:, -1] = False  # the first token of an answer alone
    assert scores([(None, tokens, mask), (None, tokens[1:], mask[1:]), data("")]) == [
        0.5,
        0.0,
        float(likeliest == "{"),
    ]


def test_a_model_that_begins_anew_is_the_untrained_one():
    page = Untrained()
    tokens = torch.arange(9)[None]
    before = page.smol(tokens)
    d2l.add_lora(page.smol, 2, ["W_q"])
    for layer in page.smol.modules():
        if isinstance(layer, d2l.LoRA):
            torch.nn.init.ones_(layer.up)
    assert not torch.allclose(page.smol(tokens), before)
    tool_calls.reset(page)
    assert torch.equal(page.smol(tokens), before)
