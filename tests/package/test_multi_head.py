"""MultiHeadAttention: equal to PyTorch's and d2l's layers, and what a mask means to it."""

import pytest
import torch
from helpers import random
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

import d2lmini as d2l


@st.composite
def problems(draw, one_width=False):
    """A layer in evaluation mode, its inputs of random sizes, and lengths or None.

    With `one_width` all inputs have the width num_hiddens.
    """
    b, n, m, h, p = (draw(st.integers(1, high)) for high in (3, 4, 6, 4, 3))
    widths = [h * p] * 3 if one_width else [draw(st.integers(1, 5)) for _ in range(3)]
    seed, bias = draw(st.integers(0, 1000)), draw(st.booleans())
    length = st.integers(1, m)
    one = st.lists(length, min_size=b, max_size=b)
    two = st.lists(st.lists(length, min_size=n, max_size=n), min_size=b, max_size=b)
    lengths = draw(st.none() | one | two)
    inputs = [
        random(b, items, width, seed=seed + i)
        for i, (items, width) in enumerate(zip((n, m, m), widths))
    ]
    layer = layer_for(inputs, h * p, h, bias, seed)
    return layer, inputs, None if lengths is None else torch.tensor(lengths)


def layer_for(inputs, num_hiddens, num_heads, bias=False, seed=0):
    """A layer in evaluation mode that knows the widths of its inputs."""
    torch.manual_seed(seed)
    layer = d2l.MultiHeadAttention(num_hiddens, num_heads, 0.5, bias).eval()
    layer(*inputs)
    return layer


def one_head_at_a_time(layer, inputs, masks):
    """What the layer should give, from one DotProductAttention for each head.

    `masks` has one mask (b, n, m) for each head.
    """
    h, heads = layer.num_heads, []
    pieces = [
        zip(W.weight.chunk(h), [None] * h if W.bias is None else W.bias.chunk(h))
        for W in (layer.W_q, layer.W_k, layer.W_v)
    ]
    for mask, *parts in zip(masks, *pieces):
        qkv = [nn.functional.linear(X, *part) for X, part in zip(inputs, parts)]
        heads.append(d2l.DotProductAttention(0)(*qkv, mask=mask))
    return layer.W_o(torch.cat(heads, dim=-1))


# --- oracles -------------------------------------------------------------------------


@given(problems())
def test_equal_to_d2l_under_copied_weights(d2l_1_0_3, problem):
    layer, inputs, lengths = problem
    bias = layer.W_q.bias is not None
    sizes = layer.W_o.in_features, layer.num_heads, 0.5
    theirs = d2l_1_0_3.MultiHeadAttention(*sizes, bias).eval()
    theirs(*inputs, lengths)
    assert list(layer.state_dict()) == list(theirs.state_dict())
    fresh = d2l.MultiHeadAttention(*sizes, bias).eval()
    fresh.load_state_dict(theirs.state_dict())  # before it has seen any width
    expected = theirs(*inputs, lengths)
    torch.testing.assert_close(fresh(*inputs, lengths), expected)
    weights = fresh.attention.attention_weights
    torch.testing.assert_close(weights, theirs.attention.attention_weights)


def torch_layer(layer):
    """PyTorch's layer with the weights of ours."""
    num_hiddens, bias = layer.W_o.in_features, layer.W_q.bias is not None
    theirs = nn.MultiheadAttention(
        num_hiddens, layer.num_heads, bias=bias, batch_first=True
    )
    parts = [layer.W_q, layer.W_k, layer.W_v]
    state = {
        "in_proj_weight": torch.cat([W.weight for W in parts]),
        "out_proj.weight": layer.W_o.weight,
    }
    if bias:
        state["in_proj_bias"] = torch.cat([W.bias for W in parts])
        state["out_proj.bias"] = layer.W_o.bias
    theirs.load_state_dict(state)
    return theirs


@given(problems(one_width=True))
def test_equal_to_torch_with_padding_and_so_are_the_gradients(problem):
    layer, inputs, lengths = problem
    theirs, padding = torch_layer(layer), None
    if lengths is not None:
        lengths = lengths if lengths.ndim == 1 else lengths[:, 0]
        padding = ~d2l.length_mask(lengths, inputs[1].shape[1]).squeeze(1)
    results = []
    for call in (
        lambda *qkv: layer(*qkv, lengths),
        lambda *qkv: theirs(*qkv, key_padding_mask=padding, need_weights=False)[0],
    ):
        parts = [part.clone().requires_grad_() for part in inputs]
        output = call(*parts)
        output.square().sum().backward()
        results.append((output, *(part.grad for part in parts)))
    for ours, expected in zip(*results):
        torch.testing.assert_close(ours, expected, atol=1e-5, rtol=1e-4)
    pile = torch.cat([W.weight.grad for W in (layer.W_q, layer.W_k, layer.W_v)])
    torch.testing.assert_close(pile, theirs.in_proj_weight.grad, atol=1e-5, rtol=1e-4)
    expected = theirs.out_proj.weight.grad
    torch.testing.assert_close(layer.W_o.weight.grad, expected, atol=1e-5, rtol=1e-4)


# --- masks and lengths ---------------------------------------------------------------


@given(problems(), st.integers(0, 1000), st.lists(st.booleans(), min_size=4, max_size=4))
def test_a_mask_means_the_same_to_the_layer_as_to_its_heads(problem, seed, whole):
    layer, inputs, _ = problem
    b, n, m, h = *inputs[0].shape[:2], inputs[1].shape[1], layer.num_heads
    sizes = [size if keep else 1 for size, keep in zip((b, h, n, m), whole)]
    mask = random(*sizes, seed=seed) > 0
    masks = mask.expand(b, h, n, m).unbind(1)
    expected = one_head_at_a_time(layer, inputs, masks)
    torch.testing.assert_close(layer(*inputs, mask=mask), expected)
    if mask.shape[1] == 1:
        torch.testing.assert_close(layer(*inputs, mask=mask[:, 0]), expected)
        if mask.shape[0] == 1:
            torch.testing.assert_close(layer(*inputs, mask=mask[0, 0]), expected)


def test_the_first_of_three_axes_of_a_mask_is_the_example_even_when_heads_are_as_many():
    X = random(3, 4, 12)
    layer = layer_for([X, X, X], 12, 3)
    lengths = torch.tensor([1, 2, 4])
    mask = d2l.length_mask(lengths, 4).expand(3, 4, 4)
    torch.testing.assert_close(layer(X, X, X, mask=mask), layer(X, X, X, lengths))
    layer(X, X, X, mask=mask[None])  # has an axis of heads
    seen = (layer.attention.attention_weights.unflatten(0, (3, 3)) > 0).sum(-1)
    assert torch.equal(seen, lengths[None, :, None].expand(3, 3, 4))


@pytest.mark.parametrize("bias", [False, True])
def test_a_query_that_may_attend_to_nothing_gets_zero_heads_and_finite_gradients(bias):
    inputs = [random(2, items, 6, seed=items).requires_grad_() for items in (3, 4, 4)]
    layer = layer_for(inputs, 6, 2, bias)
    output = layer(*inputs, torch.tensor([0, 4]))
    expected = layer.W_o.bias if bias else torch.zeros(6)
    assert torch.equal(output[0], expected.expand(3, 6))
    assert (layer.attention.attention_weights[0] == 0).all()
    output.square().sum().backward()
    gradients = [part.grad for part in [*inputs, *layer.parameters()]]
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert all((part.grad[0] == 0).all() for part in inputs)


# --- errors and dropout --------------------------------------------------------------


@pytest.mark.parametrize("num_heads", [0, 3])
def test_a_head_count_that_does_not_divide_is_refused_at_once(num_heads):
    message = f"num_heads must divide num_hiddens = 100, and is {num_heads}$"
    with pytest.raises(ValueError, match=message):
        d2l.MultiHeadAttention(100, num_heads, 0)


def test_a_mask_that_does_not_fit_is_refused():
    inputs = random(2, 3, 6), random(2, 4, 6), random(2, 4, 6)
    layer = layer_for(inputs, 6, 2)
    with pytest.raises(ValueError, match=r"mask must be boolean and fit \(2, 2, 3, 4\)"):
        layer(*inputs, mask=torch.ones(4, 3, 4, dtype=torch.bool))


def test_dropout_acts_in_training_only():
    X = random(1, 50, 8)
    layer = d2l.MultiHeadAttention(8, 2, 0.5)
    torch.manual_seed(0)
    assert not torch.equal(layer(X, X, X), layer(X, X, X))
    layer.eval()
    assert torch.equal(layer(X, X, X), layer(X, X, X))
