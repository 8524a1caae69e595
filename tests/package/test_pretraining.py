"""Pretraining: what each mask lets through, and what each objective hides."""

import itertools
import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import d2lmini as d2l

SENTINELS = ["<X>", "<Y>", "<Z>", "<V>", "<W>", "<U>"]
SPECIAL = ["<pad>", "<bos>", "<eos>", "<mask>"]
VOCAB = d2l.Vocab([chr(97 + i) for i in range(20)], reserved_tokens=SPECIAL)
few = settings(max_examples=settings().max_examples // 3)


def model(mask):
    torch.manual_seed(0)
    return d2l.TransformerLM(30, 16, 32, 2, 2, dropout=0.0, mask=mask)


# --- masks ---------------------------------------------------------------------------


@given(n=st.integers(1, 8), length=st.integers(1, 8), prefix=st.integers(0, 8))
@few
def test_the_prefix_mask_lies_between_the_causal_and_the_bidirectional_one(
    n, length, prefix
):
    length, prefix = min(length, n), min(prefix, n)
    causal = d2l.valid_lens_for("causal", [length], n)
    assert torch.equal(d2l.length_mask(causal, n)[0], d2l.causal_mask(n))
    assert d2l.valid_lens_for("bidirectional", [length], n).tolist() == [[length] * n]
    assert torch.equal(d2l.valid_lens_for("prefix", [length], n, [0]), causal)
    assert d2l.valid_lens_for("prefix", [n], n, [n]).tolist() == [[n] * n]
    visible = d2l.valid_lens_for("prefix", [length], n, [prefix])[0]
    assert (visible >= prefix).all() and (visible >= causal).all()


@pytest.mark.parametrize(
    ("mask", "prefix_lens"), [("bidirectional", None), ("causal", None), ("prefix", [2, 5])]
)
def test_an_output_changes_exactly_with_the_tokens_that_its_mask_shows(mask, prefix_lens):
    """And no output for a token with the padding, which ends the first example."""
    lm, X, lens = model(mask), torch.arange(5, 19).view(2, 7), torch.tensor([4, 7])
    visible = d2l.length_mask(d2l.valid_lens_for(mask, lens, 7, prefix_lens), 7)
    is_token = d2l.length_mask(lens, 7).squeeze(1)
    Y = lm(X, lens, prefix_lens)
    assert Y.shape == (2, 7, 30)
    assert not visible[0, :4, 4:].any()
    for j in range(7):
        changed = X.clone()
        changed[:, j] = 4
        difference = (lm(changed, lens, prefix_lens) - Y).abs().amax(dim=-1)
        assert torch.equal((difference > 1e-6)[is_token], visible[:, :, j][is_token])


def test_the_blocks_are_those_of_the_encoder_and_the_embedding_is_shared():
    lm, X = model("bidirectional"), torch.randint(5, 30, (2, 6))
    lens = torch.tensor([3, 6])
    assert torch.equal(lm.encode(X, lens), lm.encoder(X, lens))
    assert lm.dense.weight is lm.encoder.embedding.weight


def test_labels_of_minus_100_leave_the_loss_and_its_gradient():
    lm, X = model("causal"), torch.randint(5, 30, (2, 6))
    labels = X.masked_fill(torch.tensor([[True] * 4 + [False] * 2]), -100)
    logits = lm(X, [6, 6])
    expected = nn.functional.cross_entropy(logits[:, 4:].flatten(0, 1), X[:, 4:].flatten())
    torch.testing.assert_close(lm.loss(logits, labels), expected)
    assert lm.loss(logits, torch.full_like(X, -100)) == 0  # and not NaN


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model("future"), "mask is bidirectional, causal or prefix, not 'future'"),
        (lambda: d2l.valid_lens_for("prefix", [3], 3), "prefix_lens must be given"),
        (lambda: d2l.mask_tokens(torch.zeros(1, 1), VOCAB, 15), "rate must be .* not 15"),
        (lambda: d2l.mask_tokens(torch.zeros(1, 1), d2l.Vocab()), "vocab must have"),
        (lambda: d2l.corrupt_spans("abc", SENTINELS, 15), "rate must be in 0 to 1"),
        (
            lambda: d2l.corrupt_spans("abcdef", ["<X>"], 0.5, 1),
            "sentinels must be at least 4 for 3",
        ),
    ],
)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rows_have_their_sentences_between_special_tokens():
    rows = d2l.token_rows([["a", "b"], ["c"]], VOCAB)
    assert VOCAB.to_tokens(rows[0]) == ["<bos>", "a", "b", "<eos>"]
    assert VOCAB.to_tokens(rows[1]) == ["<bos>", "c", "<eos>", "<pad>"]


def test_training_on_rows_teaches_what_make_batch_asks_for():
    torch.manual_seed(0)
    rows = torch.arange(5, 13).repeat(40, 1).roll(1)

    def next_tokens(rows):
        return rows[:, :-1], torch.full((len(rows),), 7), rows[:, 1:]

    lm = d2l.train_on_rows(model("causal"), rows, next_tokens, num_steps=60)
    *batch, labels = next_tokens(rows)
    assert not lm.training and lm.loss(lm(*batch), labels) < 0.1


# --- objectives ----------------------------------------------------------------------


def random_tokens(rows=200, n=50):
    return torch.randint(len(VOCAB), (rows, n), generator=torch.Generator().manual_seed(0))


def test_of_the_chosen_tokens_eighty_percent_are_masked_ten_random_and_ten_kept():
    X = torch.tensor(VOCAB[[list("abcdefghijklmnopqrst") * 50] * 40])
    kept = X.clone()
    generator = torch.Generator().manual_seed(0)
    inputs, labels = d2l.mask_tokens(X, VOCAB, generator=generator)
    chosen = labels != -100
    assert torch.equal(X, kept) and torch.equal(labels[chosen], X[chosen])
    assert torch.equal(inputs[~chosen], X[~chosen])
    masked, same = inputs == VOCAB["<mask>"], inputs == X
    random_token = chosen & ~masked & ~same
    for part, fraction in [(masked, 0.8), (same & chosen, 0.105), (random_token, 0.095)]:
        assert part.sum() / chosen.sum() == pytest.approx(fraction, abs=0.02)
    assert chosen.float().mean() == pytest.approx(0.15, abs=0.01)
    counts = inputs[random_token].bincount(minlength=len(VOCAB))
    assert (counts[VOCAB[[*"abcdefghijklmnopqrst"]]] > 0).all()


def test_special_tokens_are_neither_chosen_nor_drawn():
    X = random_tokens()
    special = torch.tensor(VOCAB[["<unk>", *SPECIAL]])
    inputs, labels = d2l.mask_tokens(X, VOCAB, rate=1.0)
    assert torch.equal(labels == -100, torch.isin(X, special))
    new = inputs[inputs != X]
    assert not torch.isin(new[new != VOCAB["<mask>"]], special).any()


def test_a_token_with_one_angle_bracket_is_a_word_like_others():
    vocab = d2l.Vocab([["<b", "->", "a"]], reserved_tokens=["<mask>"])
    X = torch.tensor(vocab[[["<b", "->", "a"] * 50]])
    inputs, labels = d2l.mask_tokens(X, vocab, rate=1.0)
    assert torch.equal(labels, X)
    drawn = inputs[(inputs != X) & (inputs != vocab["<mask>"])].unique()
    assert {*vocab.to_tokens(drawn.tolist())} == {"<b", "->", "a"}


def test_a_generator_fixes_the_masks():
    one, two, three = (
        d2l.mask_tokens(random_tokens(), VOCAB, generator=torch.Generator().manual_seed(s))
        for s in (0, 0, 1)
    )
    assert all(map(torch.equal, one, two)) and not torch.equal(one[0], three[0])


@given(
    n=st.integers(2, 30),
    rate=st.floats(0.05, 0.95),
    mean_length=st.floats(1, 4),
    seed=st.integers(0, 999),
)
@few
def test_the_sentence_can_be_restored_from_input_and_target(n, rate, mean_length, seed):
    tokens, sentinels = list(range(n)), [f"<{i}>" for i in range(n + 1)]
    rng = random.Random(seed)
    inputs, target = d2l.corrupt_spans(tokens, sentinels, rate, mean_length, rng=rng)
    spans, marks = {}, [t for t in target if isinstance(t, str)]
    for token in target:
        if isinstance(token, str):
            span = spans[token] = []
        else:
            span.append(token)
    restored = [x for token in inputs for x in spans.get(token, [token])]
    assert restored == tokens == list(range(n))
    assert marks == sentinels[: len(marks)] and spans.pop(marks[-1]) == []
    assert [t for t in inputs if isinstance(t, str)] == marks[:-1] and all(spans.values())
    dropped = n - sum(isinstance(t, int) for t in inputs)
    assert dropped == min(max(1, round(rate * n)), n - 1)
    adjacent = itertools.pairwise(inputs)
    assert not any(isinstance(a, str) and isinstance(b, str) for a, b in adjacent)


def test_every_choice_of_a_span_occurs_equally_often():
    rng = random.Random(0)
    firsts = [
        d2l.corrupt_spans(list("abcde"), SENTINELS, 0.4, 2, rng=rng)[1][1]
        for _ in range(2000)
    ]
    for letter in "abcd":
        assert firsts.count(letter) / 2000 == pytest.approx(0.25, abs=0.04)


class Batches(d2l.DataModule):
    """The rows of some tensors, in batches of eight."""

    batch_size = 8

    def __init__(self, *tensors):
        super().__init__()
        self.tensors = tensors

    def get_dataloader(self, train):
        return self.get_tensorloader(self.tensors, train)


def test_the_trainer_fits_the_model():
    rows = torch.randint(5, 30, (16, 6), generator=torch.Generator().manual_seed(0))
    lens = torch.full((len(rows),), 6)
    lm = model("prefix")
    lm.board.display = False
    trainer = d2l.Trainer(30)
    trainer.fit(lm, Batches(rows, lens, lens // 2, rows))
    assert trainer.history["val_loss"].iloc[-1] < trainer.history["val_loss"].iloc[0] / 2
