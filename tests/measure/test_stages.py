"""The measurement runs the chapter's notebook, with other seeds."""

import copy
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

PARAMETERS = {"tags": ["parameters"]}
STAGES = ["fine_tuning", "lora", "tool_calls", "preferences", "reward", "wrong_reward"]


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


class Page:
    """What the notebook defines, with models that are lists of what they were taught."""

    SEED, start, questions = 0, [], [(i,) for i in range(2000)]
    tokenizer = dialogue = staticmethod(str)
    ask = staticmethod(lambda question: question)
    right = staticmethod(lambda question, text: text == f"right {question}<|end|>")


def test_rejection_sampling_draws_as_often_as_grpo_and_learns_right_answers_only(
    monkeypatch,
):
    asked = []

    def sample_answers(model, tokenizer, prompts, num_samples, end, *, seed):
        asked.extend(prompts)
        return (
            None,
            None,
            [
                f"{'wrong' if i else 'right'} {prompt}{end}"
                for prompt in prompts
                for i in range(num_samples)
            ],
        )

    def tune(page, pairs, model, num_steps):
        return [*model, (pairs, num_steps)]

    monkeypatch.setattr(d2l, "sample_answers", sample_answers)
    monkeypatch.setattr(post_training, "tune", tune)
    rounds = post_training.rejection_sampling(Page, [], rounds=10, num_steps=40)
    assert asked == [str(q) for q in Page.questions[100:1700]]
    assert [num_steps for _, num_steps in rounds] == [40] * 10
    taught = [pair for pairs, _ in rounds for pair in pairs]
    assert taught == [(q, f"right {q}") for q in Page.questions[100:1700]]


def test_grpo_draws_eight_answers_to_sixteen_questions_in_each_of_100_steps():
    source = "\n".join(cell.source for cell in pages.read(post_training.NOTEBOOK).cells)
    for line in (
        "num_steps=100",
        "rng.sample(questions[100:], 16)",
        "G=8",
        "if step % 20 == 0:\n            history.append(report(model))",
    ):
        assert line in source, line
    assert 100 * 16 == post_training.DRAWN


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
