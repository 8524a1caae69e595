"""One attention in many notations: each against every other, PyTorch and d2l."""

import copy
import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import d2lmini as d2l
from d2lmini.implementations import _identity_module

notation = pytest.mark.parametrize("name", d2l.NOTATIONS)


def random(*shape, seed=0, **options):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, **{"dtype": torch.float64, **options})


@st.composite
def problems(draw, empty=True, square=False):
    """Query, key, value of random sizes, and lengths by one of the chapter's rules.

    `empty` allows lengths of 0; with `square` there are as many keys as queries.
    """
    b, h, n, m, d = (draw(st.integers(1, high)) for high in (3, 3, 4, 5, 4))
    m = n if square else m
    v = draw(st.sampled_from([d, d + 1, 1]))  # the module wants v = d
    seed = draw(st.integers(0, 1000))
    inputs = (
        random(b, h, n, d, seed=seed),
        random(b, h, m, d, seed=seed + 1),
        random(b, h, m, v, seed=seed + 2),
    )
    length = st.integers(0 if empty else 1, m + 1)
    causal = torch.arange(1, n + 1).expand(b, n)
    padded = torch.tensor(draw(st.lists(length, min_size=b, max_size=b)))
    padded = padded.unsqueeze(1).expand(b, n)
    one = st.lists(length, min_size=n, max_size=n)
    free = torch.tensor(draw(st.lists(one, min_size=b, max_size=b)))
    rules = [None, causal, padded, torch.minimum(causal, padded), free]
    return inputs, draw(st.sampled_from(rules))


def allowed(valid_lens, query, key):
    """Who may attend, in plain Python, (b, h, n, m)."""
    mask = torch.ones(*query.shape[:3], key.shape[2], dtype=torch.bool)
    if valid_lens is not None:
        for e, i in itertools.product(range(len(query)), range(query.shape[2])):
            mask[e, :, i, int(valid_lens[e, i]) :] = False
    return mask


def with_gradients(function, *inputs):
    """The output, and its gradients by the inputs for a random direction."""
    inputs = [part.clone().requires_grad_() for part in inputs]
    output = function(*inputs)
    direction = random(*output.shape, seed=77, dtype=output.dtype)
    unused = sum(0 * part.sum() for part in inputs)  # where no key at all is seen
    return output, *torch.autograd.grad((output * direction).sum() + unused, inputs)


def assert_same(results, others):
    for ours, theirs in zip(results, others, strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=1e-10)


def by_torch(query, key, value, mask):
    """PyTorch's own answer, and zeros where nothing may be attended to."""
    empty = ~mask.any(dim=-1, keepdim=True)
    output = scaled_dot_product_attention(query, key, value, attn_mask=mask | empty)
    return output.masked_fill(empty, 0)


# --- each against every other --------------------------------------------------------


@given(problems())
def test_any_two_notations_agree_forward_and_backward(problem):
    inputs, valid_lens = problem
    square = inputs[0].shape[-1] == inputs[2].shape[-1]
    results = {
        name: with_gradients(
            lambda *parts, attend=attend: attend(*parts, valid_lens), *inputs
        )
        for name, attend in d2l.NOTATIONS.items()
        if square or name != "PyTorch, module"
    }
    for name, other in itertools.combinations(results, 2):
        assert_same(results[name], results[other])


@notation
@given(problem=problems())
def test_each_notation_agrees_with_torch_forward_and_backward(name, problem):
    (query, key, value), valid_lens = problem
    if name == "PyTorch, module":
        value = random(*key.shape, seed=3)
    mask = allowed(valid_lens, query, key)
    ours = with_gradients(
        lambda *parts: d2l.NOTATIONS[name](*parts, valid_lens), query, key, value
    )
    theirs = with_gradients(lambda *parts: by_torch(*parts, mask), query, key, value)
    assert_same(ours, theirs)


@given(problems(empty=False))
def test_the_loops_agree_with_d2l(d2l_1_0_3, problem):
    (query, key, value), valid_lens = problem
    output = d2l.attention_in_loops(query, key, value, valid_lens)
    for head in range(query.shape[1]):
        theirs = d2l_1_0_3.DotProductAttention(0)(
            query[:, head], key[:, head], value[:, head], valid_lens
        )
        torch.testing.assert_close(output[:, head], theirs)


def test_there_are_seven_functions_of_one_signature():
    assert len(d2l.NOTATIONS) == len({*d2l.NOTATIONS.values()}) == 7


@notation
def test_a_query_without_keys_gets_zeros_and_finite_gradients(name):
    inputs = random(2, 3, 4, 5), random(2, 3, 6, 5, seed=1), random(2, 3, 6, 5, seed=2)
    lens = torch.tensor([[0, 2, 0, 6], [0, 0, 0, 0]])
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        output, *gradients = with_gradients(
            lambda *parts: d2l.NOTATIONS[name](*parts, lens), *inputs
        )
    assert (output[0, :, [0, 2]] == 0).all() and (output[1] == 0).all()
    assert (output[0, :, [1, 3]] != 0).all()
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert all((gradient[1] == 0).all() for gradient in gradients)


@notation
def test_padding_never_leaks_whatever_it_holds(name):
    query, key, value = random(2, 2, 3, 4), random(2, 2, 5, 4), random(2, 2, 5, 4, seed=1)
    lens = torch.tensor([[2] * 3, [5] * 3])
    before = d2l.NOTATIONS[name](query, key, value, lens)
    key[0, :, 2:], value[0, :, 2:] = 1e3, -1e12
    assert torch.equal(d2l.NOTATIONS[name](query, key, value, lens), before)


@notation
def test_large_scores_do_not_overflow(name):
    query, key, value = (1000 * random(1, 2, 3, 4, seed=seed) for seed in range(3))
    for lens in (None, torch.tensor([[1, 2, 3]])):
        output = d2l.NOTATIONS[name](query, key, value, lens)
        expected = by_torch(query, key, value, allowed(lens, query, key))
        torch.testing.assert_close(output, expected)


@notation
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_types_and_arguments_stay_as_they_were(name, dtype):
    inputs = [random(2, 2, 3, 4, seed=seed, dtype=dtype) for seed in range(3)]
    inputs.append(torch.tensor([[1, 2, 3], [0, 3, 2]]))
    before = copy.deepcopy(inputs)
    assert d2l.NOTATIONS[name](*inputs).dtype == dtype
    assert all(map(torch.equal, before, inputs))


@notation
def test_single_precision_is_within_a_millionth_of_double(name):
    inputs = [random(2, 4, 16, 8, seed=seed) / 2 for seed in range(3)]
    lens = torch.arange(1, 17).expand(2, 16)
    single = with_gradients(
        lambda *parts: d2l.NOTATIONS[name](*parts, lens), *(part.float() for part in inputs)
    )[0]
    double = d2l.NOTATIONS["PyTorch, function"](*inputs, lens)
    assert (single - double).abs().max() < 1e-6


@notation
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query": (2, 3, 5)}, r"query must be \(b, h, n, d\), not \(2, 3, 5\)"),
        ({"key": (2, 3, 6, 4)}, r"key must be \(2, 3, m, 5\), not \(2, 3, 6, 4\)"),
        ({"key": (1, 3, 6, 5)}, r"key must be \(2, 3, m, 5\), not \(1, 3, 6, 5\)"),
        ({"key": (2, 1, 6, 5)}, r"key must be \(2, 3, m, 5\), not \(2, 1, 6, 5\)"),
        ({"key": (2, 6, 5)}, r"key must be \(2, 3, m, 5\), not \(2, 6, 5\)"),
        ({"value": (2, 3, 7, 5)}, r"value must be \(2, 3, 6, v\), not \(2, 3, 7, 5\)"),
        ({"value": (2, 1, 6, 5)}, r"value must be \(2, 3, 6, v\), not \(2, 1, 6, 5\)"),
        ({"value": (2, 3, 6)}, r"value must be \(2, 3, 6, v\), not \(2, 3, 6\)"),
        ({"valid_lens": (2,)}, r"valid_lens must be \(2, 4\), not \(2,\)"),
        ({"valid_lens": (2, 6)}, r"valid_lens must be \(2, 4\), not \(2, 6\)"),
        ({"valid_lens": (6, 4)}, r"valid_lens must be \(2, 4\), not \(6, 4\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(name, changed, message):
    shapes = {"query": (2, 3, 4, 5), "key": (2, 3, 6, 5), "value": (2, 3, 6, 5)}
    inputs = {part: torch.ones(shape) for part, shape in (shapes | changed).items()}
    with pytest.raises(ValueError, match=message):
        d2l.NOTATIONS[name](**inputs)


def test_the_module_refuses_values_of_another_width():
    message = "value must have the width of key, 5, not 4"
    with pytest.raises(ValueError, match=message):
        d2l.attention_by_module(random(2, 3, 4, 5), random(2, 3, 6, 5), random(2, 3, 6, 4))


def test_the_module_draws_no_random_numbers_and_learns_nothing():
    state = torch.get_rng_state()
    inputs = [random(1, 7, 2, 11, seed=seed).requires_grad_() for seed in range(3)]
    for _ in range(2):
        d2l.attention_by_module(*inputs).sum().backward()
    assert torch.equal(torch.get_rng_state(), state)
    layer = _identity_module(7, 11, torch.float64, inputs[0].device)
    assert all(part.grad is None for part in layer.parameters())
    expected = scaled_dot_product_attention(*inputs)
    torch.testing.assert_close(d2l.attention_by_module(*inputs), expected)


# --- the blog's four axes ------------------------------------------------------------


@given(problems(), st.sampled_from([2, 3, 4]), st.integers(0, 1000))
def test_self_attention_agrees_with_torch_for_masks_of_all_kinds(problem, axes, seed):
    (query, key, value), _ = problem
    b, h, n, m = *query.shape[:3], key.shape[2]
    shape = {2: (n, m), 3: (b, n, m), 4: (b, h, n, m)}[axes]
    mask = random(*shape, seed=seed) > 0
    full = mask.unsqueeze(1) if axes == 3 else mask
    full = full.expand(b, h, n, m)
    ours = with_gradients(
        lambda *parts: d2l.self_attention(*parts, mask)[0], query, key, value
    )
    assert_same(
        ours, with_gradients(lambda *parts: by_torch(*parts, full), query, key, value)
    )
    output, weights = d2l.self_attention(query, key, value, mask)
    assert weights.shape == (b, h, n, m)
    assert (weights[~full] == 0).all()
    torch.testing.assert_close(weights.sum(-1), full.any(-1).to(weights.dtype))
    torch.testing.assert_close(weights @ value, output)


def test_self_attention_needs_no_mask():
    inputs = random(2, 3, 4, 5), random(2, 3, 6, 5), random(2, 3, 6, 2)
    output, weights = d2l.self_attention(*inputs)
    torch.testing.assert_close(output, scaled_dot_product_attention(*inputs))
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 4, dtype=torch.float64))


@pytest.mark.parametrize("h", [1, 2, 3])
def test_a_mask_for_each_example_reaches_all_heads_however_many(h):
    """The blog lays (b, n, m) on (b, h, n, m): with h = b, examples become heads."""
    query, key, value = (random(2, h, 4, 5, seed=seed) for seed in range(3))
    mask = d2l.length_mask(torch.tensor([1, 4]), 4).expand(2, 4, 4)
    _, weights = d2l.self_attention(query, key, value, mask)
    assert (weights[0, :, :, 1:] == 0).all()
    assert (weights[1] > 0).all()
    repeated = d2l.self_attention(query, key, value, mask[:, :1])[1]  # sizes of 1 repeat
    assert torch.equal(repeated, weights)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_self_attention_in_half_precision(dtype):
    inputs = [random(2, 3, 4, 5, seed=seed, dtype=torch.float32) for seed in range(3)]
    mask = d2l.length_mask(torch.tensor([0, 3]), 4)
    single, _ = d2l.self_attention(*inputs, mask)
    half, _ = d2l.self_attention(*(part.to(dtype) for part in inputs), mask)
    eps = 8 * torch.finfo(dtype).eps
    torch.testing.assert_close(half.float(), single, atol=eps, rtol=eps)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (torch.ones(4, 4), "mask must be boolean, True = may attend, not torch.float32"),
        (torch.ones(2, 4, 4), "mask must be boolean, True = may attend, not torch.float32"),
        (
            torch.ones(3, 4, 4).bool(),
            r"mask must broadcast to \(2, 4, 4\), and is \(3, 4, 4\)",
        ),
        (
            torch.ones(2, 4, 5).bool(),
            r"mask must broadcast to \(2, 4, 4\), and is \(2, 4, 5\)",
        ),
        (torch.ones(2, 2, 4, 4).bool(), r"mask must broadcast to \(2, 3, 4, 4\), and is"),
        (
            torch.ones(5, 4).bool(),
            r"mask must broadcast to \(2, 3, 4, 4\), and is \(5, 4\)",
        ),
    ],
)
def test_self_attention_refuses_a_mask_that_does_not_fit(mask, message):
    inputs = [random(2, 3, 4, 5, seed=seed) for seed in range(3)]
    with pytest.raises(ValueError, match=message):
        d2l.self_attention(*inputs, mask)


# --- the blog's multi-head attention -------------------------------------------------


def theirs_like(blog):
    """nn.MultiheadAttention with the blog's parameters."""
    layer = nn.MultiheadAttention(
        blog.W_o.in_features, blog.num_heads, batch_first=True, dtype=torch.float64
    )
    parts = blog.W_q, blog.W_k, blog.W_v
    layer.load_state_dict(
        {
            "in_proj_weight": torch.cat([part.weight for part in parts]),
            "in_proj_bias": torch.cat([part.bias for part in parts]),
            "out_proj.weight": blog.W_o.weight,
            "out_proj.bias": blog.W_o.bias,
        }
    )
    return layer


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.integers(1, 3))
def test_the_mended_class_agrees_with_torch_under_copied_weights(b, h, n, p):
    torch.manual_seed(0)
    blog = d2l.BlogMultiHeadAttention(h * p, h).double()
    nn.init.normal_(blog.W_v.bias)
    theirs = theirs_like(blog)
    X, Y, Z = (
        random(b, size, h * p, seed=seed) for seed, size in enumerate([n, n + 2, n + 2])
    )
    mask = random(b, n, n + 2, seed=9) > 0
    mask[..., 0] = True
    hidden = ~mask.repeat_interleave(h, dim=0)
    weights = blog(X, Y, Z, mask)[1]
    _, attended = theirs(X, Y, Z, attn_mask=hidden, average_attn_weights=False)
    torch.testing.assert_close(weights, attended)
    ours = with_gradients(lambda *parts: blog(*parts, mask)[0], X, Y, Z)
    expected = with_gradients(lambda *parts: theirs(*parts, attn_mask=hidden)[0], X, Y, Z)
    assert_same(ours, expected)


def test_the_mended_class_agrees_with_chapter_5_and_its_names():
    torch.manual_seed(0)
    blog = d2l.BlogMultiHeadAttention(12, 4)
    ours = d2l.MultiHeadAttention(12, 4, 0, bias=True)
    ours.load_state_dict(blog.state_dict())
    X, Y = torch.randn(2, 3, 12), torch.randn(2, 5, 12)
    mask = d2l.length_mask(torch.tensor([2, 0]), 5)
    output, weights = blog(X, Y, Y, mask)
    torch.testing.assert_close(ours(X, Y, Y, mask=mask), output)
    torch.testing.assert_close(ours.attention.attention_weights, weights)
    assert torch.equal(blog(X, Y, Y)[1] > 0, torch.ones(2, 4, 3, 5, dtype=torch.bool))


@pytest.mark.parametrize("num_heads", [0, 5, 24, -3])
def test_a_number_of_heads_that_does_not_divide_is_refused(num_heads):
    message = f"num_heads must be at least 1 and divide d_model = 12, not {num_heads}"
    with pytest.raises(ValueError, match=message):
        d2l.BlogMultiHeadAttention(12, num_heads)


@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("shape", [(2, 3, 11), (2, 1, 3, 12), (3, 12)])
def test_the_mended_class_refuses_other_shapes(name, shape):
    inputs = dict.fromkeys(("query", "key", "value"), torch.ones(2, 3, 12))
    given = str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=rf"{name} must be \(b, items, 12\), not {given}"):
        d2l.BlogMultiHeadAttention(12, 3)(**inputs | {name: torch.ones(shape)})


# --- the five stages -----------------------------------------------------------------


def test_the_stages_one_by_one():
    query = torch.tensor([[[[1.0, 2.0], [0.0, -1.0]]]])
    key = torch.tensor([[[[3.0, 1.0], [2.0, 2.0], [0.0, 5.0]]]])
    similarities = d2l.dot_product_similarities(query, key)
    assert similarities.tolist() == [[[[5.0, 6.0, 10.0], [-1.0, -2.0, -5.0]]]]
    assert d2l.scale(similarities, 4).tolist() == [[[[2.5, 3.0, 5.0], [-0.5, -1.0, -2.5]]]]
    matrix = torch.tensor([[True, False, True], [False, True, True]])
    masked = d2l.mask(similarities, matrix)
    assert masked.tolist() == [[[[5.0, -math.inf, 10.0], [-math.inf, -2.0, -5.0]]]]
    assert similarities[0, 0, 0, 1] == 6
    weights = torch.tensor([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    values = torch.tensor([[2.0], [4.0], [6.0]])
    assert d2l.attention_values(weights, values).tolist() == [[4.0], [4.0]]


def test_the_stages_refuse_what_does_not_fit():
    four = torch.ones(1, 2, 3, 4)
    with pytest.raises(ValueError, match=r"key must be \(1, 2, m, 4\), not \(1, 2, 3, 5\)"):
        d2l.dot_product_similarities(four, torch.ones(1, 2, 3, 5))
    for width in (0, -1):
        with pytest.raises(ValueError, match=f"d_k must be at least 1, not {width}"):
            d2l.scale(four, width)
    with pytest.raises(ValueError, match="mask_matrix must be boolean, True = may attend"):
        d2l.mask(four, torch.ones(3, 4))
    for shape in [(4, 4), (2, 2, 3, 4), (1, 1, 2, 3, 4)]:
        with pytest.raises(
            ValueError, match=r"mask_matrix must broadcast to \(1, 2, 3, 4\)"
        ):
            d2l.mask(four, torch.ones(shape).bool())
    with pytest.raises(ValueError, match="weights must hold 5 weights a query, not 4"):
        d2l.attention_values(four, torch.ones(1, 2, 5, 1))


@given(problems(square=True), st.integers(0, 3))
def test_the_module_of_stages_is_causal_attention_up_to_its_size(problem, room):
    (query, key, value), _ = problem
    attention = d2l.ScaledDotProductAttention(True, max_time_steps=query.shape[2] + room)
    ours = with_gradients(attention, query, key, value)
    theirs = with_gradients(
        lambda *parts: scaled_dot_product_attention(*parts, is_causal=True),
        query, key, value,
    )  # fmt: skip
    assert_same(ours, theirs)


@given(problems())
def test_without_a_mask_the_module_of_stages_is_plain_attention(problem):
    inputs, _ = problem
    ours = with_gradients(d2l.ScaledDotProductAttention(do_mask=False), *inputs)
    assert_same(ours, with_gradients(scaled_dot_product_attention, *inputs))


def test_future_words_cannot_change_the_past():
    attention = d2l.ScaledDotProductAttention(do_mask=True, max_time_steps=6)
    parts = [random(1, 2, 6, 4, seed=seed) for seed in range(3)]
    before = attention(*parts)
    for part in parts:
        part[:, :, 4:] = 100.0
    after = attention(*parts)
    assert torch.equal(after[:, :, :4], before[:, :, :4])
    assert not torch.equal(after[:, :, 4:], before[:, :, 4:])


def test_the_causal_buffer_moves_along_and_stays_out_of_checkpoints():
    attention = d2l.ScaledDotProductAttention(do_mask=True, max_time_steps=5)
    assert torch.equal(attention.mask_matrix, d2l.causal_mask(5))
    assert dict(attention.named_buffers()).keys() == {"mask_matrix"}
    assert attention.to("meta").mask_matrix.is_meta
    assert not attention.state_dict() and not [*attention.parameters()]
    assert d2l.ScaledDotProductAttention(do_mask=False).mask_matrix is None


def test_the_module_of_stages_refuses_other_lengths():
    attention = d2l.ScaledDotProductAttention(do_mask=True, max_time_steps=3)
    with pytest.raises(ValueError, match="query must hold at most 3 time steps, not 4"):
        attention(*[torch.ones(1, 1, 4, 2)] * 3)
    with pytest.raises(ValueError, match="key must hold 2 time steps, as query, not 3"):
        attention(torch.ones(1, 1, 2, 2), *[torch.ones(1, 1, 3, 2)] * 2)
    with pytest.raises(ValueError, match=r"value must be \(1, 1, 3, v\)"):
        attention(*[torch.ones(1, 1, 3, 2)] * 2, torch.ones(1, 2, 3, 2))
    for most in (None, 0):
        message = f"max_time_steps must be at least 1 with do_mask, not {most}"
        with pytest.raises(ValueError, match=message):
            d2l.ScaledDotProductAttention(do_mask=True, max_time_steps=most)


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


@pytest.mark.parametrize("hidden", [-3.0, 50.0, math.inf])
@pytest.mark.parametrize("kind", PRINTED)
def test_the_printed_example_of_the_julia_edition(kind, hidden):
    valid_lens, slices = PRINTED[kind]
    printed = torch.stack([torch.tensor(part) for part in slices], dim=-1)  # (m, n, b)
    scores = printed.log().nan_to_num(neginf=hidden) + random(1, 2, 2).float()
    weights = d2l.column_masked_softmax(scores, valid_lens)
    torch.testing.assert_close(weights, printed, atol=1e-6, rtol=0)
    assert (weights[printed == 0] == 0).all()


@given(problems(), st.booleans())
def test_the_column_softmax_is_that_of_chapter_3_with_axes_reversed(problem, by_example):
    (query, key, _), valid_lens = problem
    scores = (query @ key.transpose(-2, -1))[:, 0]
    lens = None if valid_lens is None else valid_lens[:, 0] if by_example else valid_lens
    ours = with_gradients(
        lambda X: d2l.column_masked_softmax(X, lens), d2l.reverse_axes(scores)
    )
    theirs = with_gradients(lambda X: d2l.reverse_axes(d2l.masked_softmax(X, lens)), scores)
    assert_same(ours, (theirs[0], d2l.reverse_axes(theirs[1])))


@given(problems(), st.booleans())
def test_column_attention_returns_the_output_and_its_weights(problem, by_example):
    (query, key, value), valid_lens = problem
    query, key, value = query[:, 0], key[:, 0], value[:, 0]
    lens = None if valid_lens is None else valid_lens[:, 0] if by_example else valid_lens
    columns = [d2l.reverse_axes(part) for part in (query, key, value)]
    output, weights = d2l.column_attention(*columns, lens)
    layer = d2l.DotProductAttention(0)
    expected = layer(query, key, value, lens)
    torch.testing.assert_close(output, d2l.reverse_axes(expected))
    torch.testing.assert_close(weights, d2l.reverse_axes(layer.attention_weights))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_reversing_axes_moves_nothing(shape):
    tensor = random(*shape)
    reversed_ = d2l.reverse_axes(tensor)
    assert reversed_.shape == (*shape[::-1],)
    assert reversed_.data_ptr() == tensor.data_ptr()
    assert torch.equal(d2l.reverse_axes(reversed_), tensor)
    for index in itertools.product(*map(range, shape)):
        assert reversed_[index[::-1]] == tensor[index]


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("softmax", [(4, 2)], r"X must be \(m, n, b\), not \(4, 2\)"),
        (
            "softmax",
            [(4, 2, 3), (2,)],
            r"valid_lens must be \(3,\) or \(3, 2\), not \(2,\)",
        ),
        ("softmax", [(4, 2, 3), (2, 3)], r"valid_lens must be .* not \(2, 3\)"),
        ("attention", [(5, 2), (5, 4, 3), (1, 4, 3)], r"queries must be \(d, n, b\), not"),
        ("attention", [(5, 2, 3), (4, 4, 3), (1, 4, 3)], r"keys must be \(5, m, 3\), not"),
        ("attention", [(5, 2, 3), (5, 4, 1), (1, 4, 1)], r"keys must be \(5, m, 3\), not"),
        ("attention", [(5, 2, 3), (5, 4), (1, 4, 3)], r"keys must be .* not \(5, 4\)"),
        (
            "attention",
            [(5, 2, 3), (5, 4, 3), (1, 5, 3)],
            r"values must be \(v, 4, 3\), not",
        ),
        (
            "attention",
            [(5, 2, 3), (5, 4, 3), (1, 4, 1)],
            r"values must be \(v, 4, 3\), not",
        ),
        ("attention", [(5, 2, 3), (5, 4, 3), (4, 3)], r"values must be .* not \(4, 3\)"),
    ],
)
def test_columns_that_do_not_fit_are_refused(function, arguments, message):
    functions = {"softmax": d2l.column_masked_softmax, "attention": d2l.column_attention}
    with pytest.raises(ValueError, match=message):
        functions[function](*map(torch.ones, arguments))
