"""The decoder with attention: what it asks, what it sees, and what it shows of that."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import d2lmini as d2l

SIZE = 7  # of the vocabulary


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@st.composite
def problems(draw):
    """A decoder, its inputs, what an encoder gave, and lengths or None."""
    b, m, n, h, seed = (draw(st.integers(1, high)) for high in (3, 6, 4, 5, 1000))
    layers = draw(st.integers(1, 3))
    lengths = draw(st.none() | st.lists(st.integers(1, m), min_size=b, max_size=b))
    torch.manual_seed(seed)
    decoder = d2l.Seq2SeqAttentionDecoder(SIZE, draw(st.integers(1, 4)), h, layers)
    X = torch.randint(SIZE, (b, n), generator=torch.Generator().manual_seed(seed))
    encoded = random(m, b, h, seed=seed), random(layers, b, h, seed=seed + 1)
    return decoder, X, encoded, None if lengths is None else torch.tensor(lengths)


def inputs_of(module, calls):
    """Have the calls of a module write down their arguments."""
    return module.register_forward_pre_hook(lambda _, args: calls.append(args))


# --- the decoder ---------------------------------------------------------------------


def test_a_decoder_with_attention_must_show_its_weights():
    class Mine(d2l.AttentionDecoder):
        pass

    with pytest.raises(NotImplementedError, match="Mine must define attention_weights"):
        _ = Mine().attention_weights
    with pytest.raises(NotImplementedError, match="Mine must define init_state"):
        Mine().init_state(None)
    assert isinstance(Mine(), d2l.Decoder)
    assert issubclass(d2l.Seq2SeqAttentionDecoder, d2l.AttentionDecoder)


def test_shapes_are_those_of_the_source():
    encoder = d2l.Seq2SeqEncoder(10, 8, 16, 2)
    decoder = d2l.Seq2SeqAttentionDecoder(10, 8, 16, 2)
    assert decoder.attention_weights == []
    X = torch.zeros((4, 7), dtype=torch.long)
    state = decoder.init_state(encoder(X), None)
    output, state = decoder(X, state)
    assert output.shape == (4, 7, 10)
    assert state[0].shape == (4, 7, 16)
    assert state[1].shape == (2, 4, 16)
    assert state[2] is None
    assert [tuple(weights.shape) for weights in decoder.attention_weights] == [
        (4, 1, 7)
    ] * 7


@given(problems())
def test_the_query_is_the_state_before_and_the_context_its_attention(problem):
    decoder, X, encoded, lengths = problem
    start = decoder.init_state(encoded, lengths)
    queries, steps = [], []
    hooks = inputs_of(decoder.attention.W_q, queries), inputs_of(decoder.rnn, steps)
    _, (values, final, same_lengths) = decoder(X, start)
    for hook in hooks:
        hook.remove()
    assert torch.equal(values, encoded[0].transpose(0, 1))
    assert same_lengths is lengths
    weights = decoder.attention_weights
    assert len(queries) == len(steps) == len(weights) == X.shape[1]
    hidden = encoded[1]
    for t, (inputs, before) in enumerate(steps):
        torch.testing.assert_close(before, hidden)
        query = before[-1].unsqueeze(1)
        assert torch.equal(queries[t][0], query)
        context = decoder.attention(query, values, values, lengths)
        torch.testing.assert_close(decoder.attention.attention_weights, weights[t])
        pooled = d2l.attention_pooling(weights[t], values)
        torch.testing.assert_close(context, pooled)
        word = decoder.embedding(X[:, t : t + 1])
        expected = torch.cat([pooled, word], dim=-1).transpose(0, 1)
        torch.testing.assert_close(inputs, expected)
        _, hidden = decoder.rnn(inputs, before)
    torch.testing.assert_close(final, hidden)


@given(problems())
def test_each_step_attends_to_the_words_and_never_to_padding(problem):
    decoder, X, encoded, lengths = problem
    scores, _ = decoder(X, decoder.init_state(encoded, lengths))
    b, m = X.shape[0], len(encoded[0])
    for weights in decoder.attention_weights:
        assert weights.shape == (b, 1, m)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(b, 1))
        for i, row in enumerate(weights[:, 0]):
            length = m if lengths is None else lengths[i]
            assert (row[:length] > 0).all()
            assert (row[length:] == 0).all()
    if lengths is not None:
        outputs = encoded[0].clone()
        for i, length in enumerate(lengths):
            outputs[length:, i] = 1e6
        others, _ = decoder(X, decoder.init_state((outputs, encoded[1]), lengths))
        torch.testing.assert_close(others, scores)


def test_the_keys_go_through_their_matrix_once_in_a_call():
    decoder, calls = d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 1), []
    state = decoder.init_state((random(6, 2, 4), random(1, 2, 4)), None)
    hook = inputs_of(decoder.attention.W_k, calls)
    decoder(torch.zeros(2, 5, dtype=torch.long), state)
    hook.remove()
    assert len(calls) == 1


def test_a_call_shows_its_own_weights_and_leaves_earlier_ones_alone():
    decoder = d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 1)
    state = decoder.init_state((random(6, 2, 4), random(1, 2, 4)), None)
    decoder(torch.zeros(2, 5, dtype=torch.long), state)
    first = decoder.attention_weights
    copies = [weights.clone() for weights in first]
    decoder(torch.ones(2, 3, dtype=torch.long), state)
    assert len(decoder.attention_weights) == 3
    assert len(first) == 5
    assert all(map(torch.equal, first, copies))


def test_weights_keep_no_graph_and_a_trained_decoder_can_be_copied():
    decoder = d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 2)
    X = torch.zeros(2, 5, dtype=torch.long)
    state = decoder.init_state((random(6, 2, 4), random(2, 2, 4)), torch.tensor([2, 6]))
    scores, _ = decoder(X, state)
    scores.sum().backward()
    assert not any(weights.requires_grad for weights in decoder.attention_weights)
    clone, fresh = copy.deepcopy(decoder), d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 2)
    fresh.load_state_dict(decoder.state_dict())
    for other in (clone, fresh):
        assert torch.equal(other(X, state)[0], scores)


def test_every_weight_is_there_before_the_first_call():
    decoder = d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 2)
    shapes = {name: tuple(part.shape) for name, part in decoder.named_parameters()}
    assert shapes["attention.W_k.weight"] == shapes["attention.W_q.weight"] == (4, 4)
    assert shapes["dense.weight"] == (SIZE, 4)
    assert not any(nn.parameter.is_lazy(part) for part in decoder.parameters())


def test_dropout_acts_on_the_attention_even_with_one_layer():
    torch.manual_seed(0)
    decoder = d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, 1, dropout=0.5)
    X = torch.zeros(2, 3, dtype=torch.long)
    state = decoder.init_state((random(6, 2, 4), random(1, 2, 4)), None)
    assert not torch.equal(decoder(X, state)[0], decoder(X, state)[0])
    decoder.eval()
    assert torch.equal(decoder(X, state)[0], decoder(X, state)[0])


# --- attention to keys that are ready -------------------------------------------------


@given(problems(), st.integers(1, 3), st.booleans())
def test_attend_to_hidden_keys_is_the_whole_layer(problem, n, masked):
    _, _, (outputs, _), lengths = problem
    values = outputs.transpose(0, 1)
    b, m, width = values.shape
    queries, keys = random(b, n, width + 1, seed=3), random(b, m, width + 2, seed=4)
    mask = random(b, n, m, seed=5) > 0 if masked else None
    torch.manual_seed(0)
    layer = d2l.AdditiveAttention(4, 0.5).eval()
    expected = layer(queries, keys, values, lengths, mask=mask)
    weights = layer.attention_weights
    layer(queries[:, :1], keys, values)
    output = layer.attend(queries, layer.W_k(keys), values, lengths, mask=mask)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(layer.attention_weights, weights)
    if masked:
        assert (weights[~mask] == 0).all()
    assert not layer.attention_weights.requires_grad


def test_attend_uses_the_keys_as_they_are():
    layer, calls = d2l.AdditiveAttention(4, 0), []
    queries, keys, values = (
        random(2, 3, 5),
        random(2, 6, 4, seed=1),
        random(2, 6, 7, seed=2),
    )
    layer(queries, keys, values)
    hook = inputs_of(layer.W_k, calls)
    layer.attend(queries, keys, values)
    hook.remove()
    assert not calls


# --- grading -------------------------------------------------------------------------

FOUR = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}


class Graded(d2l.MTFraEng):
    """The four sentences of d2l, twice, and a held-out one of the same words."""

    def _download(self):
        pairs = [*FOUR.items(), *FOUR.items(), ("i'm calm .", "je suis calme .")]
        return "\n".join(map("\t".join, pairs))


class Remembers(nn.Linear):
    """A model that knows all translations of its data by heart, but for some."""

    def __init__(self, data, forgotten=()):
        super().__init__(1, 1)
        src, _, _, labels = data.build(*data.sentences(train=True))
        more, _, _, others = data.build(*data.sentences(train=False))
        keys = map(tuple, torch.cat([src, more]).tolist())
        self.known = dict(zip(keys, torch.cat([labels, others])))
        for row in data.build(list(forgotten))[0] if forgotten else ():
            self.known[tuple(row.tolist())] = data.build(["go ."], ["je ."])[3][0]

    def predict_step(self, batch, device, num_steps):
        return torch.stack([self.known[tuple(row.tolist())] for row in batch[0]]), []


def test_a_perfect_model_gets_the_best_grades():
    data = Graded(4, num_steps=6, num_train=8, num_val=1)
    grades, preds = d2l.grade(Remembers(data), data)
    assert [*grades] == ["held out", *FOUR]
    assert [*grades.values()] == pytest.approx([100, 1, 1, 1, 1])
    assert preds == data.sentences(train=False)[1] == ["je suis calme ."]


@pytest.mark.parametrize("forgotten", [*FOUR, "i'm calm ."])
def test_a_wrong_translation_lowers_its_own_grade_alone(forgotten):
    data = Graded(4, num_steps=6, num_train=8, num_val=1)
    grades, preds = d2l.grade(Remembers(data, [forgotten]), data)
    (lower,) = [name for name, grade in grades.items() if grade < 0.99]
    assert lower == (forgotten if forgotten in FOUR else "held out")
    assert preds == (["je suis calme ."] if forgotten in FOUR else ["je ."])
