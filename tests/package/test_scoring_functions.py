"""Masks, masked_softmax and the attention layers: oracles and properties."""

from functools import partial

import pytest
import torch
from helpers import make_gpt, random
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

import d2lmini as d2l


@st.composite
def problems(draw, empty=True):
    """Queries, keys, values and lengths (or None) of random sizes.

    `empty` allows lengths of 0, queries that may attend to nothing.
    """
    b, n, m, d, v = (draw(st.integers(1, high)) for high in (3, 4, 6, 5, 4))
    length = st.integers(0 if empty else 1, m)
    one = st.lists(length, min_size=b, max_size=b)
    two = st.lists(st.lists(length, min_size=n, max_size=n), min_size=b, max_size=b)
    lengths = draw(st.none() | one | two)
    seed = draw(st.integers(0, 1000))
    shapes = [(b, n, d), (b, m, d), (b, m, v)]
    inputs = [random(*shape, seed=seed + i) for i, shape in enumerate(shapes)]
    return *inputs, None if lengths is None else torch.tensor(lengths)


def allowed(valid_lens, b, n, m):
    """The mask (b, n, m), entry by entry."""
    mask = torch.ones(b, n, m, dtype=torch.bool)
    if valid_lens is not None:
        for i in range(b):
            for j in range(n):
                length = valid_lens[i] if valid_lens.ndim == 1 else valid_lens[i, j]
                mask[i, j, int(length) :] = False
    return mask


def layers(queries, keys, values):
    """Both layers in evaluation mode, the additive one with its widths fixed."""
    torch.manual_seed(0)
    dot, additive = d2l.DotProductAttention(0.5), d2l.AdditiveAttention(7, 0.5)
    additive(queries, keys, values)
    return dot.eval(), additive.eval()


# --- masks ---------------------------------------------------------------------------


@given(problems())
def test_length_mask_hides_keys_beyond_the_length(problem):
    queries, keys, _, valid_lens = problem
    if valid_lens is not None:
        b, n, m = *queries.shape[:2], keys.shape[1]
        mask = d2l.length_mask(valid_lens, m).expand(b, n, m)
        assert torch.equal(mask, allowed(valid_lens, b, n, m))


@given(st.integers(1, 6), st.integers(0, 4))
def test_causal_mask_lets_a_query_see_up_to_its_own_position(n, start):
    mask = d2l.causal_mask(n, start=start)
    assert mask.shape == (n, start + n)
    for i in range(n):
        assert mask[i].tolist() == [j <= start + i for j in range(start + n)]
        assert torch.equal(d2l.causal_mask(1, start + n, start=start + i)[0], mask[i])


# --- masked_softmax ------------------------------------------------------------------


@given(problems(empty=False))
def test_masked_softmax_equals_d2l(d2l_1_0_3, problem):
    queries, keys, _, valid_lens = problem
    scores = queries @ keys.transpose(1, 2)
    theirs = d2l_1_0_3.masked_softmax(scores.clone(), valid_lens)
    torch.testing.assert_close(d2l.masked_softmax(scores, valid_lens), theirs)


def test_masked_keys_get_nothing_however_low_the_other_scores_are():
    scores = torch.tensor([[[-3000.0, -3001.0, 0.0]]])
    weights = d2l.masked_softmax(scores, torch.tensor([2]))
    torch.testing.assert_close(weights[0, 0, :2], torch.softmax(scores[0, 0, :2], -1))
    assert weights[0, 0, 2] == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_scores_of_minus_infinity_in_a_masked_row_leave_the_gradient_finite(dtype):
    scores = random(1, 2, 3).to(dtype).index_fill(1, torch.tensor([0]), -torch.inf)
    weights = d2l.masked_softmax(scores.requires_grad_(), [[0, 2]])
    expected = torch.softmax(scores[0, 1, :2].float(), dim=-1).to(dtype)
    torch.testing.assert_close(weights[0, 1, :2], expected)
    assert weights.dtype == dtype and not weights[0, 0].any()
    weights.float().square().sum().backward()
    assert scores.grad.isfinite().all() and scores.grad[0, 1].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"valid_lens": torch.tensor([1, 2, 3])}, r"valid_lens must be \(2,\) or \(2, 3\)"),
        ({"valid_lens": torch.ones(2)}, "valid_lens must be integers, not torch.float32"),
        ({"valid_lens": [2, -1]}, "valid_lens must be from 0 to 4, not -1"),
        ({"valid_lens": [[1, 2, 3], [4, 5, 0]]}, "valid_lens must be from 0 to 4, not 5"),
        ({"mask": torch.ones(3, 4)}, r"mask must be boolean and fit .* not torch.float32"),
        ({"mask": torch.ones(5, 4).bool()}, r"mask must .* \(2, 3, 4\), not .*\(5, 4\)"),
    ],
)
def test_lengths_or_a_mask_that_do_not_fit_are_refused(options, message):
    inputs = random(2, 3, 5), random(2, 4, 5), random(2, 4, 1)
    for call in (
        lambda: d2l.masked_softmax(random(2, 3, 4), **options),
        lambda: d2l.DotProductAttention(0)(*inputs, **options),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda X, mask: d2l.masked_softmax(X @ X.mT, mask=mask),
        lambda X, mask: d2l.DotProductAttention(0)(X, X, X, mask=mask),
        lambda X, mask: d2l.AdditiveAttention(4, 0)(X, X, X, mask=mask),
        lambda X, mask: d2l.blockwise_attention(X, X, X, mask=mask),
    ],
)
def test_a_mask_for_each_example_is_not_taken_for_one_for_each_head(call):
    X, mask = random(3, 3, 5, 4), random(3, 5, 5) < 0.5  # as many examples as heads
    with pytest.raises(ValueError, match=r"mask must .* \(3, 3, 5, 5\), not .*\(3, 5, 5\)"):
        call(X, mask)
    expected = torch.stack([call(X[i : i + 1], mask[i])[0] for i in range(3)])
    assert call(X, mask[:, None]).shape == expected.shape


def test_the_weights_are_those_of_the_call_whatever_happens_to_its_inputs_later():
    inputs = [random(2, n, 5, seed=n) for n in (3, 4, 4)]
    for layer in layers(*inputs):
        given, mask = [X.clone() for X in inputs], random(3, 4) < 0.7
        layer(*given, mask=mask)
        before = layer.attention_weights.clone()
        for X in given:
            X[:, 0] = 9
        mask[:] = True
        assert torch.equal(layer.attention_weights, before)


def test_weights_are_finite_where_float16_does_not_hold_the_scores():
    layer, X = d2l.DotProductAttention(0), 300 * random(1, 4, 64).half()
    layer(X, X, X)
    assert torch.equal(layer.attention_weights[0], torch.eye(4).half())


def test_a_mask_may_be_an_array():
    inputs = random(2, 3, 5), random(2, 4, 5, seed=1), random(2, 4, 6, seed=2)
    mask = d2l.causal_mask(3, 4)
    for layer in (*layers(*inputs), d2l.MultiHeadAttention(4, 2, 0)):
        expected = layer(*inputs, mask=mask)
        for same in (mask.numpy(), mask.expand(2, 3, 4).numpy()):
            assert torch.equal(layer(*inputs, mask=same), expected)


# --- the layers against their oracles ------------------------------------------------


@given(problems(empty=False))
def test_both_layers_equal_d2l_under_copied_weights(d2l_1_0_3, problem):
    queries, keys, values, valid_lens = problem
    wide = torch.cat([queries, queries], dim=-1)  # for additive attention
    for name, arguments, Q in [
        ("DotProductAttention", (0.5,), queries),
        ("AdditiveAttention", (7, 0.5), wide),
    ]:
        ours, theirs = (
            getattr(library, name)(*arguments).eval() for library in (d2l, d2l_1_0_3)
        )
        for layer in (ours, theirs):
            layer(Q, keys, values, valid_lens)
        ours.load_state_dict(theirs.state_dict())
        expected = theirs(Q, keys, values, valid_lens)
        torch.testing.assert_close(ours(Q, keys, values, valid_lens), expected)
        torch.testing.assert_close(ours.attention_weights, theirs.attention_weights)


@given(problems(), st.integers(1, 3), st.integers(0, 1000))
def test_dot_product_attention_equals_torch(problem, heads, seed):
    queries, keys, values = (
        torch.stack([part + head for head in range(heads)], dim=1) for part in problem[:3]
    )
    mask = random(len(queries), 1, queries.shape[2], keys.shape[2], seed=seed) > 0
    mask[..., 0] = True
    queries.requires_grad_()
    ours = d2l.DotProductAttention(0)(queries, keys, values, mask=mask)
    theirs = scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    torch.testing.assert_close(ours, theirs)
    slopes = [torch.autograd.grad(Y.square().sum(), queries)[0] for Y in (ours, theirs)]
    torch.testing.assert_close(*slopes)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@given(problem=problems())
def test_half_precision_agrees_with_single(dtype, problem):
    *inputs, valid_lens = problem
    inputs = [part.to(dtype) for part in inputs]
    layer, eps = d2l.DotProductAttention(0), torch.finfo(dtype).eps
    results = []
    for parts in (inputs, [part.float() for part in inputs]):
        results += [layer(*parts, valid_lens), layer.attention_weights]
    half, half_weights, *single = results
    assert half.dtype == half_weights.dtype == dtype
    for part, expected in zip((half, half_weights), single):
        torch.testing.assert_close(part.float(), expected, atol=8 * eps, rtol=8 * eps)


def test_weights_are_finite_where_float16_holds_only_the_scaled_scores():
    layer, X = d2l.DotProductAttention(0), torch.full((1, 3, 64), 40.0).half()
    layer(X, X, X)  # 64 · 40² is beyond float16, and divided by 8 it is not
    assert torch.equal(layer.attention_weights, torch.full((1, 3, 3), 1 / 3).half())


# --- properties of both layers -------------------------------------------------------


@given(problems())
def test_padding_never_leaks(problem):
    queries, keys, values, valid_lens = problem
    mask = allowed(valid_lens, *queries.shape[:2], keys.shape[1])
    unseen = ~mask.any(dim=1)  # keys that no query of the example may see
    for layer in layers(queries, keys, values):
        before = layer(queries, keys, values, valid_lens)
        other_keys, other_values = keys.clone(), values.clone()
        other_keys[unseen], other_values[unseen] = 50.0, -1e6
        after = layer(queries, other_keys, other_values, valid_lens)
        torch.testing.assert_close(after, before)


@given(problems(), st.integers(0, 1000), st.randoms(use_true_random=False))
def test_weights_pool_the_values_and_are_zero_where_mask_or_lengths_forbid(
    problem, seed, rng
):
    queries, keys, values, valid_lens = problem
    b, n, m = *queries.shape[:2], keys.shape[1]
    mask = random(b, n, m, seed=seed) > 0
    both = mask & allowed(valid_lens, b, n, m)
    order = list(range(m))
    rng.shuffle(order)
    for layer in layers(queries, keys, values):
        output = layer(queries, keys, values, valid_lens, mask=mask)
        weights = layer.attention_weights
        assert (weights[~both] == 0).all() and not weights.requires_grad
        torch.testing.assert_close(weights.sum(-1), both.any(-1).float())
        torch.testing.assert_close(output, weights @ values)
        shuffled = layer(queries, keys[:, order], values[:, order], mask=both[..., order])
        torch.testing.assert_close(output, shuffled)


@given(problems())
def test_causal_is_the_causal_mask_of_the_last_queries(problem):
    queries, keys, values, valid_lens = problem
    n, m = queries.shape[1], keys.shape[1]
    mask = d2l.causal_mask(n, m, start=m - n)
    for layer in layers(queries, keys, values):
        for lengths in (None, valid_lens):
            expected = layer(queries, keys, values, lengths, mask=mask)
            weights = layer.attention_weights
            output = layer(queries, keys, values, lengths, causal=True)
            torch.testing.assert_close(output, expected)
            torch.testing.assert_close(layer.attention_weights, weights)


LAYERS = {  # what a GPT has in its blocks
    "softmax": None,
    "latent": partial(d2l.LatentAttention, num_latents=4, rotary_width=2),
    "no window": d2l.WindowAttention,
    "a wide window": partial(d2l.WindowAttention, window=9),
}


@pytest.mark.parametrize("kind", [*LAYERS, "decoder"])
def test_there_is_no_mask_where_a_flag_is_enough_or_nothing_is_hidden(kind, monkeypatch):
    calls, tokens = [], torch.arange(6)[None]

    def noted(*args, attn_mask=None, is_causal=False, **options):
        calls.append((attn_mask is not None, is_causal))
        options |= {"attn_mask": attn_mask, "is_causal": is_causal}
        return scaled_dot_product_attention(*args, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", noted)
    if kind == "decoder":
        model = d2l.TransformerDecoder(9, 8, 16, 2, num_blks=1, dropout=0.5)
        state = model.init_state(random(1, 4, 8))
    else:
        model = make_gpt(9, 8, 1, 2, attention=LAYERS[kind])
        state = model.make_caches()
    calls.clear()
    for new in tokens.split((3, 1, 2), dim=1):
        out = model(new, state)
        state = out[1] if kind == "decoder" else state
    of_source = [(False, False)] if kind == "decoder" else []
    expected = [(False, True), *of_source, (False, False), *of_source, (True, False)]
    assert calls == [*expected, *of_source]


@pytest.mark.parametrize("dropout", [0, 0.5])
@pytest.mark.parametrize("heads", [(), (3,)])
def test_a_query_without_valid_keys_gets_zeros_and_finite_gradients(dropout, heads):
    inputs = [random(2, *heads, 4, 5, seed=seed) for seed in range(3)]
    for layer in (d2l.DotProductAttention(dropout), d2l.AdditiveAttention(7, dropout)):
        parts = [part.clone().requires_grad_() for part in inputs]
        output = layer(*parts, torch.tensor([0, 4]))
        output.square().sum().backward()
        assert (output[0] == 0).all() and (output[1] != 0).any()
        for part in parts:
            assert (part.grad[0] == 0).all() and part.grad.isfinite().all()


@pytest.mark.parametrize("lengths", [[2, 6], [[1, 2, 3, 4], [5, 0, 1, 2]]])
def test_heads_are_attended_to_one_by_one_with_the_same_lengths(lengths):
    queries, keys = random(2, 3, 4, 5), random(2, 3, 6, 5, seed=1)
    values = random(2, 3, 6, 7, seed=2)
    for layer in layers(queries, keys, values):
        output = layer(queries, keys, values, lengths)
        weights = layer.attention_weights
        assert weights.shape == (2 * 3, 4, 6)
        for head in range(3):
            one = layer(queries[:, head], keys[:, head], values[:, head], lengths)
            torch.testing.assert_close(output[:, head], one)
            torch.testing.assert_close(weights[head::3], layer.attention_weights)


def test_dropout_acts_on_the_weights_in_training_only():
    ones, values = torch.ones(1, 1, 1), torch.ones(1, 400, 1)
    for layer in layers(ones, ones, ones):
        torch.manual_seed(0)
        assert layer(ones, values, values).item() == pytest.approx(1)
        dropped = layer.train()(ones, values, values).item()
        assert dropped != pytest.approx(1) and dropped == pytest.approx(1, abs=0.3)
        uniform = torch.full((1, 1, 400), 1 / 400)
        torch.testing.assert_close(layer.attention_weights, uniform)


def test_dot_product_attention_keeps_nothing_of_size_n_by_m_and_no_graph():
    layer, saved = d2l.DotProductAttention(0), []
    inputs = [random(1, 128, 8, seed=seed).requires_grad_() for seed in range(3)]
    with torch.autograd.graph.saved_tensors_hooks(
        lambda part: saved.append(part) or part, lambda part: part
    ):
        layer(*(2 * part for part in inputs))
        layer(*(2 * part for part in inputs), causal=True)
    assert all(part.numel() < 128 * 128 for part in saved)
    assert not layer.attention_weights.requires_grad


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((2, 3, 5), (2, 4, 6), (2, 4, 1)), "queries must have the keys' width 6, not 5"),
        (((2, 3, 5), (2, 4, 5), (2, 3, 1)), "values must hold 4 items, as keys, not 3"),
        (((2, 3, 5), (2, 4, 5), (1, 4, 1)), r"queries, keys and values .*\(1, 4, 1\)"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        d2l.DotProductAttention(0)(*(random(*shape) for shape in shapes))


# --- what the exercises save ---------------------------------------------------------


@given(problems())
def test_distance_attention_is_a_softmax_of_distances(problem):
    queries, keys, values, valid_lens = problem
    layer = d2l.DistanceAttention(0.5).eval()
    output = layer(queries, keys, values, valid_lens)
    scores = -torch.cdist(queries, keys).square() / (2 * keys.shape[-1] ** 0.5)
    weights = d2l.masked_softmax(scores, valid_lens)
    close = {"atol": 1e-4, "rtol": 1e-4}
    torch.testing.assert_close(layer.attention_weights, weights, **close)
    torch.testing.assert_close(output, weights @ values, **close)


@given(problems(), st.integers(1, 5))
def test_bilinear_attention_is_a_dot_product_through_a_matrix(problem, width):
    _, keys, values, _ = problem
    queries = random(len(keys), 3, width)
    layer = d2l.BilinearAttention(keys.shape[-1], 0.5).eval()
    output = layer(queries, keys, values)
    scores = torch.einsum("bnp,dp,bmd->bnm", queries, layer.W_q.weight, keys)
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=-1)
    torch.testing.assert_close(layer.attention_weights, weights)
    torch.testing.assert_close(output, weights @ values)


@pytest.mark.parametrize("padding", [0, 30])
def test_distance_attention_is_accurate_far_from_the_origin(padding):
    queries, keys = random(2, 4, 8) + 2000, random(2, 6, 8, seed=1) + 2000
    padded = torch.cat([keys, torch.zeros(2, padding, 8)], dim=1)
    layer = d2l.DistanceAttention(0)
    layer(queries, padded, padded, torch.tensor([6, 6]))
    scores = -torch.cdist(queries.double(), keys.double()).square() / (2 * 8**0.5)
    weights = torch.softmax(scores, dim=-1).float()
    torch.testing.assert_close(layer.attention_weights[..., :6], weights)
