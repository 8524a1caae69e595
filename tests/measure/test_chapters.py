"""Measurements of a chapter run its own cells, up to what they need, in its kernel."""

from types import SimpleNamespace

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from tools.book import pages
from tools.measure import attention, chapter, counting, pretraining
from tools.notebooks import execute


def write(path, *sources):
    cells = [new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(new_notebook(cells=cells, metadata=execute.METADATA), path)
    return path


def test_cells_run_up_to_the_last_needed_with_another_seed(tmp_path):
    path = write(tmp_path / "a.ipynb", "SEED = 0", "b = SEED + 1  # last", "1 / 0")
    assert chapter.run(path, "[b]", last="# last") == [1]
    assert chapter.run(path, "b", seed=4, last="# last") == 5
    noisy = "print('50 %', file=sys.stderr) or b"  # as a bar of progress
    assert chapter.run(path, noisy, last="# last") == 1
    with pytest.raises(ValueError, match=r"no cell of .*a\.ipynb contains 'c = '"):
        chapter.run(path, "b", last="c = ")


@pytest.mark.parametrize("module", [attention, pretraining, counting])
def test_one_cell_of_the_notebook_is_the_last_needed(module):
    cells = pages.read(module.NOTEBOOK).cells
    assert sum(module.LAST in cell.source for cell in cells) == 1


def test_five_seeds_of_each_kind_are_trained_and_the_models_with_attention_ablated(
    monkeypatch,
):
    """A model is here its own BLEU, and its own fraction in hundredths."""
    sizes = {"num_hiddens": 128}
    monkeypatch.setattr(attention.d2lmini, "translate", lambda model, *others: model)
    monkeypatch.setattr(
        attention.d2lmini, "held_out_bleu", lambda data, preds, *group: preds + sum(group)
    )
    names = {
        "data": None,
        "english": None,
        "models": {"attention": [70.0, 71.0], "no attention": [40.0, 41.0]},
        "kinds": {"no attention": 40.0, "attention": 70.0},
        "sizes": sizes,
        "train": lambda Decoder, seed, lr=0.01: (
            Decoder + seed + (lr != 0.01) + sizes["num_hiddens"] // 200
        ),
        "ablate": lambda model, change=None: {
            "negation": (model if change is attention.overwrite else model - 60) / 100
        },
    }
    monkeypatch.setattr(attention, "pointing", lambda shift: 50.0 + shift)
    monkeypatch.setattr(
        attention, "more_ablations", lambda model, names: {"all": model / 100}
    )
    found = attention.measure(names)
    assert (
        "| no attention | 42.0 ± 1.6 | 40.0 | 44.0 | 48.0 | 53.0 | 57.0 | 61.0 |"
        in found["attention"]
    )
    assert (
        "| attention | 72.0 ± 1.6 | 70.0 | 74.0 | 78.0 | 83.0 | 87.0 | 91.0 |"
        in found["attention"]
    )
    assert (
        "| no attention, half the rate | 43.0 ± 1.6 | 41.0 | 45.0 |" in found["attention"]
    )
    assert "| one state, of the next position | 53.0 ± 1.6 | 51.0 |" in found["attention"]
    assert "| attention, 256 hidden units | 73.0 ± 1.6 | 71.0 |" in found["attention"]
    assert (
        "| no attention, 512 hidden units, half the rate | 45.0 ± 1.6 |"
        in found["attention"]
    )
    assert sizes == {"num_hiddens": 128}
    assert "| negation | 0.72 ± 0.02 | 0.12 ± 0.02 |" in found["ablation"]
    assert "| all |  | 0.72 ± 0.02 |" in found["ablation"]


def test_a_pointer_reads_the_state_of_its_token_and_stops_at_the_last():
    decoder = attention.pointing(1)(10, 4, 6, 1)
    values, lengths = torch.arange(24.0).view(2, 2, 6), torch.tensor([2, 1])
    state = decoder.init_state((values.transpose(0, 1), None), lengths)
    pointer, (keys, *_) = decoder.attention, state
    for first, second in [(1, 0), (1, 0)]:
        context = pointer.attend(None, keys, keys, lengths)
        assert torch.equal(
            context[:, 0], torch.stack([values[0, first], values[1, second]])
        )
    pointer.shift = 0
    decoder.init_state((values.transpose(0, 1), None), lengths)
    assert torch.equal(pointer.attend(None, keys, keys, lengths)[0, 0], values[0, 0])


def test_kneser_ney_counts_in_how_many_runs_a_shorter_one_continues():
    prob = counting.kneser_ney([0, 1, 0, 2, 2, 0], 2, vocab_size=3)
    found = [[prob((0, token)), prob((token,))] for token in range(3)]
    # pairs with 0, 1 and 2 at the end: 2, 1 and 2; after 0 comes 1 once, and 2 once
    expected = [[0.32, 0.4], [0.26, 0.2], [0.42, 0.4]]
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected))
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(4, (200,), generator=generator).tolist()
    prob = counting.kneser_ney(ids, 3, vocab_size=6)  # of which two never occur
    for before in [(), (0,), (5,), (1, 2), (5, 2), (2, 5)]:
        assert sum(prob((*before, token)) for token in range(6)) == pytest.approx(1)


class Letters:
    """A tokenizer of letters."""

    get_vocab_size = staticmethod(lambda: 256)
    encode = staticmethod(lambda text: SimpleNamespace(ids=[*map(ord, text)]))


def test_the_small_gpt_is_trained_with_three_seeds_and_stands_beside_models_that_count(
    monkeypatch,
):
    """A model is here its own bits per byte."""
    monkeypatch.setattr(
        counting.d2lmini,
        "train_gpt",
        lambda tokens, updates, *, vocab_size, seed: updates / 100 + seed,
    )
    monkeypatch.setattr(
        counting,
        "kneser_ney",
        lambda ids, n, size: lambda run: 2 ** -(n + len(ids) / 100),
    )
    names = {
        "whole": "a" * 6000,
        "tokens": torch.arange(200),
        "tokenizer": Letters,
        "scores": {"zlib": 1.912},
        "begin": {"zlib": 2.64},
        "bits": lambda model, tokenizer, text: model + len(text) / 1000,
        "count_runs": lambda ids: (len(ids), 1, 1),
    }

    def counting_bits(text, n):
        return n + len(text) / 10_000 + names.get("runs", 0) / 1000

    names["counting_bits"] = counting_bits
    found = counting.measure(names)["counting"].splitlines()
    assert found[0] == "|  | all | 5,000 characters |" and found[2:] == [
        "| zlib | 1.91 | 2.64 |",
        "| counts of up to 1 tokens | 1.60 | 1.50 |",
        "| counts of up to 2 tokens | 2.60 | 2.50 |",
        "| counts of up to 3 tokens | 3.60 | 3.50 |",
        "| counts of up to 3 tokens, of what 280 updates read | 3.80 | 3.70 |",
        "| counts of up to 3 tokens, of what 840 updates read | 3.80 | 3.70 |",
        "| Kneser–Ney, up to 3 tokens | 5.00 | 5.00 |",
        "| Kneser–Ney, up to 5 tokens | 7.00 | 7.00 |",
        "| Kneser–Ney, up to 3 tokens, of what 280 updates read | 4.99 | 4.99 |",
        "| Kneser–Ney, up to 5 tokens, of what 280 updates read | 6.99 | 6.99 |",
        "| Kneser–Ney, up to 3 tokens, of what 840 updates read | 4.99 | 4.99 |",
        "| Kneser–Ney, up to 5 tokens, of what 840 updates read | 6.99 | 6.99 |",
        "| our GPT, 280 updates | 9.80 ± 1.00 | 8.80 ± 1.00 |",
        "| our GPT, 840 updates | 15.40 ± 1.00 | 14.40 ± 1.00 |",
    ]


def test_each_seed_has_one_of_the_pretrained_models_and_as_many_updates(monkeypatch):
    monkeypatch.setattr(pretraining, "regression", lambda training, test, pairs: 0.5)
    names = {"right_or_wrong": lambda num, seed: None}

    def fine_tune(start, task, number, seed, updates, lr):
        assert names["mlm"] == f"model {seed}" and updates == pretraining.UPDATES
        return number / 10_000 + seed / 100 - 0.1 * (lr != max(pretraining.RATES))

    names["fine_tune"] = fine_tune
    found = pretraining.many_labels([f"model {seed}" for seed in range(3)], names)
    rows = {name: cells for name, *cells in found}
    assert rows["scratch"][-1] == rows["all"][-1] == "0.33 (0.32–0.34)"
    assert rows["blocks"][:3] == ["", "", "0.03 (0.02–0.04)"]
    assert rows["regression on neighbours"][1:3] == ["", "0.50 (0.50–0.50)"]


def texts(num, seed):
    """Three tokens, one of them 1 and one 2, and whether 1 comes first."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.stack([torch.randperm(3, generator=generator) for _ in range(num)])
    return X, ((X == 1).long().argmax(1) < (X == 2).long().argmax(1)).long()


def test_a_regression_on_pairs_tells_which_of_two_words_comes_first():
    regression, pairs = pretraining.regression, pretraining.all_pairs
    assert regression(texts(40, 0), texts(40, 1), pairs) == 1
    X, y = texts(400, 2)
    assert regression((X, y), (X, 1 - y), pairs) == 0


def test_an_n_gram_is_sure_of_what_always_follows():
    X = torch.tensor([[1, 3, 4, 2], [1, 4, 2, 0]] * 50)  # 1 is <bos>, 0 is <pad>
    page = SimpleNamespace(bos=1, pad=0, X={"train": X, "val": X}, vocab=range(5))
    # only the first token of a sentence is open: two choices for one of 2.5 tokens
    assert pretraining.counting_perplexity(2, page) == pytest.approx(2**0.4, abs=0.02)


def test_a_model_that_copies_the_answers_of_its_prompt_solves_no_task():
    def ask(lines, question):
        return lines[-1].rpartition("-> ")[2]

    for name, described, examples, exchanged in pretraining.few_shot(ask):
        assert described == examples == exchanged == "0.00 (0.00–0.00)", name


def test_right_answers_are_counted_for_words_that_the_prompt_does_not_show():
    opposite = dict(pretraining.pairs_of("the opposite"))

    def ask(lines, question):
        assert not any(line.startswith(f"{question} ->") for line in lines)
        shown = dict(line.split(" -> ") for line in lines if "->" in line)
        right = shown and all(opposite.get(x) == y for x, y in shown.items())
        return opposite.get(question, "") if right else ""

    (_, *shares), *_ = pretraining.few_shot(ask)
    assert shares == ["0.00 (0.00–0.00)", "1.00 (1.00–1.00)", "0.00 (0.00–0.00)"]
