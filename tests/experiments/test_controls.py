"""What trained models are compared with: counts, regressions, other losses, prompts."""

import math
from itertools import combinations
from types import SimpleNamespace

import pytest
import torch

from experiments import attention, counting, pretrained, repetition, stages
from tools.book import pages


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


def texts(num, seed):
    """Three tokens, one of them 1 and one 2, and whether 1 comes first."""
    generator = torch.Generator().manual_seed(seed)
    X = torch.stack([torch.randperm(3, generator=generator) for _ in range(num)])
    return X, ((X == 1).long().argmax(1) < (X == 2).long().argmax(1)).long()


def test_a_regression_on_pairs_tells_which_of_two_words_comes_first():
    regression, pairs = pretrained.regression, pretrained.all_pairs
    assert regression(texts(40, 0), texts(40, 1), pairs) == 1
    X, y = texts(400, 2)
    assert regression((X, y), (X, 1 - y), pairs) == 0


def test_an_n_gram_is_sure_of_what_always_follows():
    X = torch.tensor([[1, 3, 4, 2], [1, 4, 2, 0]] * 50)  # 1 is <bos>, 0 is <pad>
    page = SimpleNamespace(bos=1, pad=0, X={"train": X, "val": X}, vocab=range(5))
    # only the first token of a sentence is open: two choices for one of 2.5 tokens
    assert pretrained.counting_perplexity(2, page) == pytest.approx(2**0.4, abs=0.02)


def test_a_model_that_copies_the_answers_of_its_prompt_solves_no_task():
    def ask(lines, question):
        return lines[-1].rpartition("-> ")[2]

    for name, described, examples, exchanged in pretrained.few_shot(ask):
        assert described == examples == exchanged == "0.00", name


def test_right_answers_are_counted_for_words_that_the_prompt_does_not_show():
    opposite = dict(pretrained.pairs_of("the opposite"))

    def ask(lines, question):
        assert not any(line.startswith(f"{question} ->") for line in lines)
        shown = dict(line.split(" -> ") for line in lines if "->" in line)
        right = shown and all(opposite.get(x) == y for x, y in shown.items())
        return opposite.get(question, "") if right else ""

    (_, *shares), *_ = pretrained.few_shot(ask)
    assert shares == ["0.00", "1.00", "0.00"]


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
    loss = stages.published(now, old, mask, advantages, reference, beta=0.1)
    assert loss.item() == pytest.approx(-(first + second) / 2, rel=1e-12)


def test_pass_at_k_counts_the_choices_and_the_majority_the_votes():
    cells = [cell.source for cell in pages.read(stages.NOTEBOOK).cells]
    (source,) = (source for source in cells if "def pass_at_k(" in source)
    names = {"math": math}
    exec(source, names)
    for n, c, k in [(5, 2, 1), (6, 2, 3), (6, 0, 6), (4, 3, 2)]:
        choices = list(combinations([True] * c + [False] * (n - c), k))
        share = sum(map(any, choices)) / len(choices)
        assert names["pass_at_k"](n, c, k) == pytest.approx(share)
    majority = names["majority"]
    assert majority([3, 21, None, 21, None, None]) == 21  # None does not vote
    assert majority([4, 3, 3, 4]) == 4 and majority([None]) is None


def test_runs_of_four_tokens_are_repeated_where_they_occurred_before():
    assert repetition.repeated([1, 2, 3, 4, 5]) == 0
    assert repetition.repeated([1, 2, 3, 4, 1, 2, 3, 4]) == pytest.approx(1 / 5)
    assert repetition.repeated([7] * 10) == pytest.approx(6 / 7)
    assert repetition.repeated([1, 2]) == 0
    assert repetition.until([5, 6, 9, 7], 9) == [5, 6] and repetition.until([5], 9) == [5]
