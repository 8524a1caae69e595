"""Masks, masked_softmax and the two attention layers: oracles and properties."""

import copy
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

import d2lmini as d2l


def random(*shape, seed=0, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **options)


@st.composite
def problems(draw, empty=True):
    """Queries, keys, values and lengths (or None) of random sizes.

    `empty` allows lengths of 0, queries that may attend to nothing.
    """
    b, n, m, d, v = (draw(st.integers(1, high)) for high in (3, 4, 6, 5, 4))
    seed = draw(st.integers(0, 1000))
    length = st.integers(0 if empty else 1, m + 1)
    one = st.lists(length, min_size=b, max_size=b)
    two = st.lists(st.lists(length, min_size=n, max_size=n), min_size=b, max_size=b)
    lengths = draw(st.none() | one | two)
    lengths = None if lengths is None else torch.tensor(lengths)
    return (
        random(b, n, d, seed=seed),
        random(b, m, d, seed=seed + 1),
        random(b, m, v, seed=seed + 2),
        lengths,
    )


def allowed(valid_lens, b, n, m):
    """The mask in plain Python, for (b, n, m)."""
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
def test_length_mask_hides_what_lies_beyond_the_length(problem):
    queries, keys, _, valid_lens = problem
    if valid_lens is not None:
        b, n, m = *queries.shape[:2], keys.shape[1]
        mask = d2l.length_mask(valid_lens, m).expand(b, n, m)
        assert torch.equal(mask, allowed(valid_lens, b, n, m))


@given(st.integers(1, 6), st.integers(0, 4))
def test_causal_mask_lets_a_query_see_up_to_its_own_position(n, start):
    mask = d2l.causal_mask(n, start=start)
    for i in range(n):
        for j in range(start + n):
            assert mask[i, j] == (j <= start + i)


def test_one_query_at_a_time_has_the_rows_of_the_causal_mask():
    whole = d2l.causal_mask(5)
    for t in range(5):
        assert torch.equal(d2l.causal_mask(1, 5, start=t), whole[t : t + 1])


# --- masked_softmax ------------------------------------------------------------------


@given(problems(empty=False))
def test_masked_softmax_equals_d2l(d2l_1_0_3, problem):
    queries, keys, _, valid_lens = problem
    scores = queries @ keys.transpose(1, 2)
    theirs = d2l_1_0_3.masked_softmax(scores.clone(), valid_lens)
    torch.testing.assert_close(d2l.masked_softmax(scores, valid_lens), theirs)


@given(problems())
def test_rows_sum_to_one_or_to_zero_when_empty(problem):
    queries, keys, _, valid_lens = problem
    scores = queries @ keys.transpose(1, 2)
    mask = allowed(valid_lens, *scores.shape)
    weights = d2l.masked_softmax(scores, valid_lens)
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())
    assert (weights[~mask] == 0).all()
    assert (weights >= 0).all()


@given(problems())
def test_arguments_stay_unchanged(problem):
    before = copy.deepcopy(problem)
    queries, keys, values, valid_lens = problem
    mask = allowed(valid_lens, *queries.shape[:2], keys.shape[1])
    scores = queries @ keys.transpose(1, 2)
    copies = scores.clone(), mask.clone()
    d2l.masked_softmax(scores, valid_lens, mask=mask)
    for layer in layers(queries, keys, values):
        layer(queries, keys, values, valid_lens, mask=mask)
    assert torch.equal(scores, copies[0])
    assert torch.equal(mask, copies[1])
    for old, new in zip(before, problem):
        assert old is new is None or torch.equal(old, new)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@given(problem=problems())
def test_half_precision_agrees_with_single(dtype, problem):
    queries, keys, values, valid_lens = (
        part.to(dtype) if part is not None and part.is_floating_point() else part
        for part in problem
    )
    tolerance = {"atol": 8 * torch.finfo(dtype).eps, "rtol": 8 * torch.finfo(dtype).eps}
    scores = queries @ keys.transpose(1, 2)
    single = d2l.masked_softmax(scores.float(), valid_lens)
    half = d2l.masked_softmax(scores, valid_lens)
    assert half.dtype == dtype
    torch.testing.assert_close(half.float(), single, **tolerance)
    layer = d2l.DotProductAttention(0)
    single = layer(queries.float(), keys.float(), values.float(), valid_lens)
    half = layer(queries, keys, values, valid_lens)
    assert half.dtype == dtype
    torch.testing.assert_close(half.float(), single, **tolerance)


def test_an_empty_row_has_finite_gradients():
    scores = random(2, 3, 4).requires_grad_()
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        weights = d2l.masked_softmax(scores, torch.tensor([0, 2]))
        (weights * random(2, 3, 4, seed=1)).sum().backward()
    assert scores.grad.isfinite().all()
    assert (scores.grad[0] == 0).all()
    assert (scores.grad[1, :, :2] != 0).all()


def test_lengths_and_mask_must_both_allow_a_key():
    scores = random(2, 4, 4)
    weights = d2l.masked_softmax(scores, torch.tensor([2, 4]), mask=d2l.causal_mask(4))
    both = d2l.length_mask(torch.tensor([2, 4]), 4) & d2l.causal_mask(4)
    assert torch.equal(weights > 0, both)


def test_lengths_reach_every_head():
    scores = random(2, 3, 4, 5)
    for lengths in (torch.tensor([1, 4]), torch.tensor([[1, 2, 3, 4], [5, 0, 1, 2]])):
        weights = d2l.masked_softmax(scores, lengths)
        for head in range(3):
            expected = d2l.masked_softmax(scores[:, head], lengths)
            torch.testing.assert_close(weights[:, head], expected)


def test_a_list_of_lengths_or_of_booleans_will_do():
    scores = random(2, 3, 4)
    expected = d2l.masked_softmax(scores, torch.tensor([1, 3]))
    assert torch.equal(d2l.masked_softmax(scores, [1, 3]), expected)
    mask = [True, False, True, True]
    expected = d2l.masked_softmax(scores, mask=torch.tensor(mask))
    assert torch.equal(d2l.masked_softmax(scores, mask=mask), expected)


def test_there_may_be_no_key_and_no_example():
    assert d2l.masked_softmax(torch.empty(2, 3, 0), torch.tensor([0, 0])).shape == (2, 3, 0)
    assert d2l.masked_softmax(torch.empty(0, 3, 4), torch.empty(0)).shape == (0, 3, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"valid_lens": torch.ones(3)},
            r"valid_lens must be counts \(2,\) or \(2, 3\), not \(3,\)",
        ),
        ({"valid_lens": torch.ones(2, 3).bool()}, r"must be counts .* of torch\.bool"),
        ({"valid_lens": torch.ones(2, 4)}, r"valid_lens must be .* not \(2, 4\)"),
        ({"mask": torch.ones(3, 4)}, "mask must be boolean, True = may attend, not"),
        ({"mask": torch.ones(5, 4).bool()}, r"mask must broadcast to \(2, 3, 4\)"),
        ({"mask": torch.ones(1, 2, 3, 4).bool()}, r"mask must .* is \(1, 2, 3, 4\)"),
        ({"mask": torch.ones(1, 1, 4, 1).bool()}, r"mask must .* is \(1, 1, 4, 1\)"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        d2l.masked_softmax(random(2, 3, 4), **options)
    with pytest.raises(ValueError, match=message):
        d2l.DotProductAttention(0)(
            random(2, 3, 5), random(2, 4, 5), random(2, 4, 1), **options
        )


# --- the layers against their oracles ------------------------------------------------


@given(problems(empty=False))
def test_dot_product_attention_equals_d2l(d2l_1_0_3, problem):
    ours, theirs = (
        d2l.DotProductAttention(0.5).eval(),
        d2l_1_0_3.DotProductAttention(0.5).eval(),
    )
    torch.testing.assert_close(ours(*problem), theirs(*problem))
    torch.testing.assert_close(ours.attention_weights, theirs.attention_weights)


@given(problems(empty=False))
def test_additive_attention_equals_d2l_under_copied_weights(d2l_1_0_3, problem):
    queries, keys, values, valid_lens = problem
    queries = torch.cat([queries, queries], dim=-1)  # wider than the keys
    ours, theirs = d2l.AdditiveAttention(7, 0.5), d2l_1_0_3.AdditiveAttention(7, 0.5)
    for layer in (ours, theirs):
        layer.eval()(queries, keys, values, valid_lens)
    ours.load_state_dict(theirs.state_dict())
    expected = theirs(queries, keys, values, valid_lens)
    torch.testing.assert_close(ours(queries, keys, values, valid_lens), expected)
    torch.testing.assert_close(ours.attention_weights, theirs.attention_weights)


@given(problems(), st.integers(1, 3), st.integers(0, 1000))
def test_dot_product_attention_equals_torch(problem, heads, seed):
    queries, keys, values = (
        torch.stack([part + head for head in range(heads)], dim=1) for part in problem[:3]
    )
    shape = (len(queries), 1, queries.shape[2], keys.shape[2])
    mask = random(*shape, seed=seed) > 0
    mask[..., 0] = True  # torch's own answer for an empty row is not ours to copy
    queries.requires_grad_()
    ours = d2l.DotProductAttention(0)(queries, keys, values, mask=mask)
    (gradient,) = torch.autograd.grad(ours.square().sum(), queries)
    theirs = scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
    (expected,) = torch.autograd.grad(theirs.square().sum(), queries)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(gradient, expected)


@given(problems())
def test_the_weights_asked_for_are_those_used(problem):
    queries, keys, values, valid_lens = problem
    for layer in layers(queries, keys, values):
        output = layer(queries, keys, values, valid_lens)
        weights = layer.attention_weights
        assert weights.shape == (*queries.shape[:2], keys.shape[1])
        assert not weights.requires_grad
        torch.testing.assert_close(output, d2l.attention_pooling(weights, values))


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


@given(problems(), st.integers(0, 1000))
def test_a_mask_hides_what_it_forbids(problem, seed):
    queries, keys, values, valid_lens = problem
    b, n, m = *queries.shape[:2], keys.shape[1]
    mask = random(b, n, m, seed=seed) > 0
    both = mask & allowed(valid_lens, b, n, m)
    for layer in layers(queries, keys, values):
        output = layer(queries, keys, values, valid_lens, mask=mask)
        weights = layer.attention_weights
        assert (weights[~both] == 0).all()
        torch.testing.assert_close(weights.sum(-1), both.any(-1).float())
        torch.testing.assert_close(output, layer(queries, keys, values, mask=both))


def test_forbidden_keys_get_nothing_however_bad_the_others_are():
    scores = torch.tensor([[[-3000.0, -3001.0, 0.0]]])
    weights = d2l.masked_softmax(scores, torch.tensor([2]))
    torch.testing.assert_close(weights[0, 0, :2], torch.softmax(scores[0, 0, :2], -1))
    assert weights[0, 0, 2] == 0


@given(problems(), st.randoms(use_true_random=False))
def test_shuffling_keys_with_their_values_changes_nothing(problem, rng):
    queries, keys, values, valid_lens = problem
    mask = allowed(valid_lens, *queries.shape[:2], keys.shape[1])
    order = list(range(keys.shape[1]))
    rng.shuffle(order)
    for layer in layers(queries, keys, values):
        before = layer(queries, keys, values, mask=mask)
        after = layer(queries, keys[:, order], values[:, order], mask=mask[..., order])
        torch.testing.assert_close(after, before)


def test_a_query_that_may_attend_to_nothing_gets_zeros_and_finite_gradients():
    inputs = [random(2, 3, 5), random(2, 4, 5, seed=1), random(2, 4, 6, seed=2)]
    for layer in layers(*inputs):
        parts = [part.clone().requires_grad_() for part in inputs]
        output = layer(*parts, torch.tensor([0, 4]))
        output.square().sum().backward()
        assert (output[0] == 0).all()
        assert (output[1] != 0).all()
        assert (layer.attention_weights[0] == 0).all()
        for part in parts:
            assert part.grad.isfinite().all()
            assert (part.grad[0] == 0).all()


@given(problems())
def test_gradients_agree_with_finite_differences(problem):
    queries, keys, values, valid_lens = problem
    if queries.numel() * keys.numel() > 100:
        return
    parts = [part.double().requires_grad_() for part in (queries, keys, values)]
    layer = d2l.DotProductAttention(0)
    assert torch.autograd.gradcheck(lambda *qkv: layer(*qkv, valid_lens), parts)


def test_scores_are_divided_by_the_root_of_the_width():
    queries, keys = random(1, 1, 64), random(1, 2, 64, seed=1)
    layer = d2l.DotProductAttention(0)
    layer(queries, keys, keys)
    ratio = layer.attention_weights[0, 0, 0] / layer.attention_weights[0, 0, 1]
    gap = (queries[0, 0] @ (keys[0, 0] - keys[0, 1])).item()
    assert math.isclose(ratio.log().item(), gap / 8, rel_tol=1e-4)


def test_dropout_thins_out_the_weights_in_training_only():
    ones = torch.ones(1, 1, 1)
    for layer in layers(ones, ones, torch.ones(1, 1, 1)):
        values = torch.ones(1, 400, 1)
        keys = torch.ones(1, 400, 1)
        torch.manual_seed(0)
        runs = {
            mode: layer.train(mode)(ones, keys, values).item() for mode in (True, False)
        }
        assert runs[False] == pytest.approx(1)
        assert runs[True] != pytest.approx(1)
        assert runs[True] == pytest.approx(1, abs=0.3)
        layer.train()(ones, keys, values)
        torch.testing.assert_close(
            layer.attention_weights, torch.full((1, 1, 400), 1 / 400)
        )


def test_dropout_acts_where_its_own_module_is_in_training():
    ones, values = torch.ones(1, 1, 1), torch.ones(1, 400, 1)
    for layer in layers(ones, ones, ones):
        layer.dropout.train()  # as for Monte Carlo dropout
        assert layer(ones, values, values).item() != pytest.approx(1)
        layer.train().dropout.eval()
        assert layer(ones, values, values).item() == pytest.approx(1)


def held_tensors(layer):
    """Every tensor that the layer itself holds, parameters aside, however deep."""

    def tensors(part):
        if isinstance(part, torch.Tensor):
            yield part
        elif isinstance(part, list | tuple):
            for inner in part:
                yield from tensors(inner)

    return [*tensors([*vars(layer).values()])]


@pytest.mark.parametrize("n, dropout", [(128, 0), (2200, 0.5)])
def test_nothing_of_size_n_by_m_is_kept_by_dot_product_attention(n, dropout):
    layer, sizes = d2l.DotProductAttention(dropout), []
    inputs = [random(1, n, 8, seed=seed).requires_grad_() for seed in range(3)]

    def note(tensor):
        sizes.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        layer(*inputs)
    assert sizes and max(sizes) < n * n
    held = held_tensors(layer)
    assert len(held) == 2
    assert all(part.numel() < n * n for part in held)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("num_scores", [1, 5, 9, 10**6])
def test_dropout_in_pieces_has_the_gradients_of_the_weights_it_used(num_scores, masked):
    queries, keys = (random(2, 3, 5, 4, seed=seed).requires_grad_() for seed in range(2))
    mask = torch.rand(2, 1, 1, 5) < 0.7 if masked else None
    mask = None if mask is None else mask | torch.tensor([True] + 4 * [False])
    attend = d2l.DotProductAttention(0.375)._with_dropout

    def pieces(values):  # with the same dropout every time
        torch.manual_seed(3)
        in_pieces = d2l.scoring_functions._in_pieces
        return in_pieces(attend, queries, keys, values, mask, num_scores)

    used = pieces(torch.eye(5).expand(2, 3, 5, 5)).detach()
    assert 0 < (used == 0).float().mean() < 1
    values = random(2, 3, 5, 6, seed=2).requires_grad_()
    scores = queries @ keys.transpose(-2, -1) / 2
    weights = d2l.masked_softmax(scores, mask=mask)
    torch.testing.assert_close(used, weights * (used > 0) / 0.625)
    weighed = (weights * (used > 0) / 0.625) @ values
    output = pieces(values)
    torch.testing.assert_close(output, weighed)
    inputs, factor = (queries, keys, values), random(*output.shape, seed=4)
    expected = torch.autograd.grad(weighed, inputs, factor)
    torch.testing.assert_close(torch.autograd.grad(output, inputs, factor), expected)


@pytest.mark.parametrize("axes", [(), (3,)])
def test_with_dropout_a_query_that_sees_nothing_gets_zeros(axes):
    inputs = [random(2, *axes, 5, 4, seed=seed).requires_grad_() for seed in range(3)]
    mask = torch.ones(2, *(1 for _ in axes), 5, 5, dtype=torch.bool)
    mask[0, ..., 1, :] = False
    mask[1, ..., 3, 2:] = False
    output = d2l.DotProductAttention(0.5).train()(*inputs, mask=mask)
    assert (output[0, ..., 1, :] == 0).all() and (output[1, ..., 3, :] != 0).any()
    for part in torch.autograd.grad(output.square().sum(), inputs):
        assert part.isfinite().all() and (part != 0).any()
    blind = d2l.DotProductAttention(0.5).train()(*inputs, mask=torch.zeros(5, 5) > 0)
    assert (blind == 0).all()


def test_nothing_of_the_graph_is_kept_by_the_layers():
    inputs = [random(1, 4, 8, seed=seed).requires_grad_() * 2 for seed in range(3)]
    for layer in layers(*inputs):
        layer(*inputs)
        held = held_tensors(layer)
        assert held
        assert not any(tensor.requires_grad for tensor in held)


def test_a_layer_tells_the_weights_of_what_it_was_let_remember():
    queries, keys, values = random(2, 3, 4, 5), random(2, 3, 6, 5), random(2, 3, 6, 7)
    mask = d2l.length_mask(torch.tensor([2, 6]), 6).unsqueeze(1)
    one, other = d2l.DotProductAttention(0), d2l.DotProductAttention(0)
    for options in ({}, {"mask": mask}):
        one(queries, keys, values, **options)
        other.remember(queries, keys, **options)
        assert torch.equal(other.attention_weights, one.attention_weights)
    keys.zero_()
    with pytest.raises(RuntimeError, match="changed in place"):
        _ = other.attention_weights


def test_there_are_no_weights_before_the_first_call():
    for layer in (d2l.DotProductAttention(0), d2l.AdditiveAttention(4, 0)):
        assert layer.attention_weights is None


def test_weights_of_inputs_that_were_changed_since_are_refused():
    for change in range(3):
        inputs = [random(2, 3, 5), random(2, 4, 5, seed=1), random(2, 4, 6, seed=2)]
        mask = torch.ones(2, 3, 4, dtype=torch.bool)
        layer = d2l.DotProductAttention(0)
        layer(*inputs, mask=mask)
        before = layer.attention_weights
        inputs[2].zero_()  # the values have no part in the weights
        assert torch.equal(layer.attention_weights, before)
        [inputs[0], inputs[1], mask][change].zero_()
        with pytest.raises(RuntimeError, match="have since changed in place"):
            _ = layer.attention_weights


def test_weights_can_be_asked_for_in_inference_mode():
    with torch.inference_mode():
        inputs = [random(2, 3, 5), random(2, 4, 5, seed=1), random(2, 4, 6, seed=2)]
        for layer in layers(*inputs):
            output = layer(*inputs, torch.tensor([2, 4]))
            pooled = d2l.attention_pooling(layer.attention_weights, inputs[2])
            torch.testing.assert_close(output, pooled)


def test_half_precision_weights_do_not_overflow_where_the_output_does_not():
    queries = torch.full((1, 1, 64), 60.0, dtype=torch.float16)
    keys = torch.stack([torch.full((64,), 40.0), torch.full((64,), 39.0)])[None].half()
    layer = d2l.DotProductAttention(0)
    assert layer(queries, keys, keys).isfinite().all()
    assert layer.attention_weights[0, 0].tolist() == [1.0, 0.0]


def test_a_layer_can_be_copied_and_restored_after_use():
    queries, keys, values = (
        random(2, 3, 5),
        random(2, 4, 5, seed=1),
        random(2, 4, 6, seed=2),
    )
    for layer in layers(queries, keys, values):
        output = layer(queries.requires_grad_(), keys, values)
        clone = copy.deepcopy(layer)
        fresh = type(layer)(7, 0.5) if layer.state_dict() else type(layer)(0.5)
        fresh.load_state_dict(layer.state_dict())
        for other in (clone, fresh.eval()):
            assert torch.equal(other(queries, keys, values), output)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            ((2, 3, 5), (2, 4, 6), (2, 4, 1)),
            "queries must have the width of the keys, 6, not 5",
        ),
        (((2, 3, 5), (2, 4, 5), (2, 3, 1)), "values must hold 4 items, .* not 3"),
        (((2, 3, 5), (1, 4, 5), (2, 4, 1)), r"keys must be \(2, .*, not \(1, 4, 5\)"),
        (((3, 5), (4, 5), (4, 1)), r"queries must be \(b, items, width\), not \(3, 5\)"),
        (((2, 3, 5), (2, 7, 4, 5), (2, 7, 4, 1)), r"keys must be \(2, items, width\)"),
        (((2, 1, 3, 5), (2, 7, 4, 5), (2, 7, 4, 1)), r"keys must be \(2, 1, items, width"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(shapes, message):
    with pytest.raises(ValueError, match=message):
        d2l.DotProductAttention(0)(*(random(*shape) for shape in shapes))


def test_lengths_need_a_batch():
    with pytest.raises(ValueError, match=r"valid_lens need scores \(b, \.\.\., n, m\)"):
        d2l.masked_softmax(random(2, 3), torch.tensor([1, 2]))
    mask = torch.tensor([True, False, True])
    assert torch.equal(d2l.masked_softmax(random(2, 3), mask=mask) > 0, mask.expand(2, 3))


def test_heads_are_attended_to_one_by_one():
    queries, keys = random(2, 3, 4, 5), random(2, 3, 6, 5, seed=1)
    values, lengths = random(2, 3, 6, 7, seed=2), torch.tensor([2, 6])
    for layer in layers(queries, keys, values):
        output = layer(queries, keys, values, lengths)
        weights = layer.attention_weights
        for head in range(3):
            one = layer(queries[:, head], keys[:, head], values[:, head], lengths)
            torch.testing.assert_close(output[:, head], one)
            torch.testing.assert_close(weights[:, head], layer.attention_weights)


def test_additive_attention_refuses_another_width_once_it_knows_its_own():
    layer = d2l.AdditiveAttention(7, 0)
    layer(random(1, 2, 3), random(1, 4, 5), random(1, 4, 1))
    with pytest.raises(ValueError, match="queries must have the width 3, not 4"):
        layer(random(1, 2, 4), random(1, 4, 5), random(1, 4, 1))
    with pytest.raises(ValueError, match="keys must have the width 5, not 6"):
        layer(random(1, 2, 3), random(1, 4, 6), random(1, 4, 1))


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
    _, keys, values, valid_lens = problem
    queries = random(len(keys), 3, width)
    lengths = None if valid_lens is None else valid_lens.reshape(len(keys), -1)[:, 0]
    layer = d2l.BilinearAttention(keys.shape[-1], 0.5).eval()
    output = layer(queries, keys, values, lengths)
    scores = torch.einsum("bnp,dp,bmd->bnm", queries, layer.W_q.weight, keys)
    weights = d2l.masked_softmax(scores / keys.shape[-1] ** 0.5, lengths)
    torch.testing.assert_close(layer.attention_weights, weights)
    torch.testing.assert_close(output, weights @ values)


def test_what_the_exercises_save_refuses_other_widths():
    with pytest.raises(ValueError, match="queries must have the width of the keys, 5"):
        d2l.DistanceAttention(0)(random(1, 2, 4), random(1, 3, 5), random(1, 3, 2))
    layer = d2l.BilinearAttention(5, 0)
    with pytest.raises(ValueError, match="keys must have the width 5, not 4"):
        layer(random(1, 2, 4), random(1, 3, 4), random(1, 3, 2))
    layer(random(1, 2, 4), random(1, 3, 5), random(1, 3, 2))
    with pytest.raises(ValueError, match="queries must have the width 4, not 3"):
        layer(random(1, 2, 3), random(1, 3, 5), random(1, 3, 2))


# --- what the chapter says of d2l ----------------------------------------------------


def test_d2l_overwrites_the_scores_and_attends_to_padding_at_length_zero(d2l_1_0_3):
    scores = random(2, 3, 4)
    before = scores.clone()
    weights = d2l_1_0_3.masked_softmax(scores, torch.tensor([0, 2]))
    assert not torch.equal(scores, before)
    torch.testing.assert_close(weights[0], torch.full((3, 4), 0.25))
    half = d2l_1_0_3.masked_softmax(before.half(), torch.tensor([0, 2]))
    assert half[0].isnan().all()
