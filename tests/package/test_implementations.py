"""One attention in many notations: each equals PyTorch's, forward and backward."""

import itertools
import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

import d2lmini as d2l


def random(*shape, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=dtype)


def in_blog(query, key, value, valid_lens=None):
    mask = None if valid_lens is None else d2l.length_mask(valid_lens, key.shape[2])
    return d2l.self_attention(query, key, value, mask)[0]


def in_columns(query, key, value, valid_lens=None):
    columns = [d2l.reverse_axes(X.flatten(0, 1)) for X in (query, key, value)]
    if valid_lens is not None:
        valid_lens = valid_lens.repeat_interleave(query.shape[1], dim=0)
    output, _ = d2l.column_attention(*columns, valid_lens)
    return d2l.reverse_axes(output).unflatten(0, query.shape[:2])


NOTATIONS = {"blog": in_blog, "columns": in_columns}
notation = pytest.mark.parametrize("name", NOTATIONS)


@st.composite
def problems(draw, square=False):
    """Query, key and value of random sizes, and lengths (b, n) or None.

    With `square` there are as many keys as queries. Lengths may be 0.
    """
    b, h, n, m, d, v = (draw(st.integers(1, high)) for high in (3, 3, 4, 5, 4, 4))
    m, seed = n if square else m, draw(st.integers(0, 1000))
    shapes = (b, h, n, d), (b, h, m, d), (b, h, m, v)
    inputs = [random(*shape, seed=seed + i) for i, shape in enumerate(shapes)]
    one = st.lists(st.integers(0, m), min_size=n, max_size=n)
    lens = torch.tensor(draw(st.lists(one, min_size=b, max_size=b)))
    return inputs, draw(st.sampled_from([None, lens]))


def allowed(valid_lens, query, key):
    """Who may attend, in plain Python, (b, h, n, m)."""
    mask = torch.ones(*query.shape[:3], key.shape[2], dtype=torch.bool)
    if valid_lens is not None:
        for e, i in itertools.product(range(len(query)), range(query.shape[2])):
            mask[e, :, i, int(valid_lens[e, i]) :] = False
    return mask


def by_torch(query, key, value, mask):
    """PyTorch's own answer, and zeros where nothing may be attended to."""
    empty = ~mask.any(dim=-1, keepdim=True)
    output = scaled_dot_product_attention(query, key, value, attn_mask=mask | empty)
    return output.masked_fill(empty, 0)


def with_gradients(function, *inputs):
    """The output, and its gradients with respect to the inputs in a random direction."""
    inputs = [part.clone().requires_grad_() for part in inputs]
    output = function(*inputs)
    direction = random(*output.shape, seed=77, dtype=output.dtype)
    return output, *torch.autograd.grad(output, inputs, direction)


def assert_same(results, others):
    for ours, theirs in zip(results, others, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=1e-10)


# --- all notations -------------------------------------------------------------------


@notation
@given(problem=problems())
def test_each_notation_agrees_with_torch_forward_and_backward(name, problem):
    inputs, valid_lens = problem
    mask = allowed(valid_lens, *inputs[:2])
    ours = with_gradients(lambda *parts: NOTATIONS[name](*parts, valid_lens), *inputs)
    assert_same(ours, with_gradients(lambda *parts: by_torch(*parts, mask), *inputs))


@notation
def test_a_query_without_keys_gets_zeros_and_finite_gradients(name):
    inputs = random(2, 3, 4, 5), random(2, 3, 6, 5, seed=1), random(2, 3, 6, 5, seed=2)
    lens = torch.tensor([[0, 2, 0, 6], [0, 0, 0, 0]])
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        output, *gradients = with_gradients(
            lambda *parts: NOTATIONS[name](*parts, lens), *inputs
        )
    assert (output[0, :, [0, 2]] == 0).all() and (output[1] == 0).all()
    assert (output[0, :, [1, 3]] != 0).all()
    for gradient in gradients:
        assert gradient.isfinite().all() and (gradient[1] == 0).all()


@notation
def test_scores_that_fit_float16_only_when_scaled_are_scaled_in_time(name):
    X = torch.full((1, 1, 3, 64), 40.0).half()  # 64 · 40² is beyond float16
    torch.testing.assert_close(NOTATIONS[name](X, X, X), X)


@notation
def test_padding_never_leaks_whatever_it_holds(name):
    query, key, value = random(2, 2, 3, 4), random(2, 2, 5, 4), random(2, 2, 5, 4, seed=1)
    lens = torch.tensor([[2] * 3, [5] * 3])
    before = NOTATIONS[name](query, key, value, lens)
    key[0, :, 2:], value[0, :, 2:] = 1e3, -1e12
    assert torch.equal(NOTATIONS[name](query, key, value, lens), before)


# --- the blog's four axes ------------------------------------------------------------


@given(problems(), st.sampled_from([2, 3, 4]), st.booleans(), st.integers(0, 1000))
def test_self_attention_agrees_with_torch_for_masks_of_all_kinds(
    problem, axes, one_row, seed
):
    inputs, _ = problem
    shape = b, _, n, m = *inputs[0].shape[:3], inputs[1].shape[2]
    mask = random(*{2: (n, m), 3: (b, n, m), 4: shape}[axes], seed=seed) > 0
    mask = mask[..., :1, :] if one_row else mask  # a size of 1 repeats
    full = (mask.unsqueeze(1) if axes == 3 else mask).expand(shape)
    ours = with_gradients(lambda *parts: d2l.self_attention(*parts, mask)[0], *inputs)
    assert_same(ours, with_gradients(lambda *parts: by_torch(*parts, full), *inputs))
    output, weights = d2l.self_attention(*inputs, mask)
    assert weights.shape == shape and (weights[~full] == 0).all()
    torch.testing.assert_close(weights.sum(-1), full.any(-1).to(weights.dtype))
    torch.testing.assert_close(weights @ inputs[2], output)


@pytest.mark.parametrize(
    "changed",
    [
        {"query": (2, 3, 5)},
        {"key": (2, 3, 6, 4)},
        {"value": (2, 3, 7, 5)},
    ],
)
@pytest.mark.parametrize(
    "attend",
    [d2l.self_attention, d2l.ScaledDotProductAttention(False)],
    ids=["f", "module"],
)
def test_what_does_not_fit_is_refused_with_its_sizes(changed, attend):
    shapes = {"query": (2, 3, 4, 5), "key": (2, 3, 6, 5), "value": (2, 3, 6, 5)} | changed
    message = "(b, h, m, v), not {query}, {key} and {value}".format_map(shapes)
    with pytest.raises(ValueError, match=re.escape(message)):
        attend(**{name: torch.ones(shape) for name, shape in shapes.items()})


# --- the five stages -----------------------------------------------------------------


@given(problems(square=True), st.integers(0, 3))
def test_the_module_of_stages_is_causal_attention_up_to_its_size(problem, longer):
    inputs, _ = problem
    max_time_steps = inputs[0].shape[2] + longer
    attention = d2l.ScaledDotProductAttention(True, max_time_steps=max_time_steps)

    def theirs(*parts):
        return scaled_dot_product_attention(*parts, is_causal=True)

    assert_same(with_gradients(attention, *inputs), with_gradients(theirs, *inputs))


@given(problems())
def test_without_a_mask_the_module_of_stages_is_plain_attention(problem):
    inputs, _ = problem
    ours = with_gradients(d2l.ScaledDotProductAttention(do_mask=False), *inputs)
    assert_same(ours, with_gradients(scaled_dot_product_attention, *inputs))


@pytest.mark.parametrize(("n", "m"), [(4, 4), (2, 3)])
def test_the_module_of_stages_refuses_other_lengths(n, m):
    attention = d2l.ScaledDotProductAttention(do_mask=True, max_time_steps=3)
    message = f"must hold equally many steps, at most 3, not {n} and {m}"
    with pytest.raises(ValueError, match=message):
        attention(torch.ones(1, 1, n, 2), *[torch.ones(1, 1, m, 2)] * 2)
    with pytest.raises(ValueError, match="max_time_steps must be given with do_mask"):
        d2l.ScaledDotProductAttention(do_mask=True)


# --- Julia's reversed axes -----------------------------------------------------------

# What the Julia edition prints: slices [:, :, 1] and [:, :, 2], four keys by two queries.
PRINTED = {
    "by example": (
        [2, 3],
        [
            [[0.342791, 0.525284], [0.657209, 0.474716], [0, 0], [0, 0]],
            [[0.391309, 0.331539], [0.361107, 0.283358], [0.247584, 0.385103], [0, 0]],
        ],
    ),
    "by query": (
        [[1, 3], [2, 4]],
        [
            [[1, 0.384194], [0, 0.347209], [0, 0.268596], [0, 0]],
            [[0.52007, 0.273421], [0.47993, 0.233685], [0, 0.317595], [0, 0.175299]],
        ],
    ),
}


@pytest.mark.parametrize("padding", [50.0, math.inf])
@pytest.mark.parametrize("kind", PRINTED)
def test_the_printed_example_of_the_julia_edition(kind, padding):
    valid_lens, slices = PRINTED[kind]
    printed = torch.stack([torch.tensor(part) for part in slices], dim=-1)  # (m, n, b)
    scores = printed.log().nan_to_num(neginf=padding) + random(1, 2, 2).float()
    weights = d2l.column_masked_softmax(scores, valid_lens)
    torch.testing.assert_close(weights, printed, atol=1e-6, rtol=0)
    assert (weights[printed == 0] == 0).all()


@given(problems())
def test_column_attention_returns_the_weights_beside_the_output(problem):
    (query, key, value), _ = problem
    columns = [d2l.reverse_axes(part[:, 0]) for part in (query, key, value)]
    _, weights = d2l.column_attention(*columns)
    _, expected = d2l.self_attention(query, key, value)
    torch.testing.assert_close(weights, d2l.reverse_axes(expected[:, 0]))
