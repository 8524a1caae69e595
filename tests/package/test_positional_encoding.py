"""PositionalEncoding: equal to d2l's table and to the formula, wherever it starts.
RotaryEncoding: equal to complex multiplication; scores depend on offsets only.
"""

import math

import pytest
import torch
from helpers import random
from hypothesis import given
from hypothesis import strategies as st

import d2lmini as d2l


def expected_row(i, d):
    """Row i of the table, one number at a time, by the formula of the paper."""
    row = []
    for j in range(math.ceil(d / 2)):
        angle = i / math.pow(10000, 2 * j / d)
        row += [math.sin(angle), math.cos(angle)]
    return row[:d]


def table(d, max_len=1000):
    """The rows of the table, (max_len, d)."""
    return d2l.PositionalEncoding(d, 0, max_len).P[0]


@pytest.mark.parametrize("d", [2, 8, 32, 512])
@pytest.mark.parametrize("max_len", [7, 1000])
def test_table_and_output_are_those_of_d2l_for_even_widths(d2l_1_0_3, d, max_len):
    options = {} if max_len == 1000 else {"max_len": max_len}  # 1000 is the default
    theirs = d2l_1_0_3.PositionalEncoding(d, 0.5, **options).eval()
    ours = d2l.PositionalEncoding(d, 0.5, **options).eval()
    assert ours.P.shape == theirs.P.shape and ours.P.dtype == theirs.P.dtype
    # Their angles are rounded to single precision before the sine, and ours are not.
    angles = torch.arange(1.0 * max_len).reshape(1, -1, 1)
    assert ((ours.P - theirs.P).abs() <= 2e-7 + 2e-7 * angles).all()
    X = random(3, 7, d)
    torch.testing.assert_close(ours(X), theirs(X), atol=2e-5, rtol=0)


@given(st.integers(1, 40), st.integers(0, 4999))
def test_every_row_follows_the_formula_odd_widths_included(d, i):
    expected = torch.tensor(expected_row(i, d))
    torch.testing.assert_close(table(d, 5000)[i], expected, atol=2**-24, rtol=0)


@given(st.lists(st.integers(0, 12), max_size=5), st.integers(0, 12))
def test_pieces_with_their_starts_equal_the_whole(pieces, start):
    n = sum(pieces)
    encoding, X = d2l.PositionalEncoding(6, 0, start + n + 1), random(2, n, 6)
    outputs, position = [], start
    for piece in X.split(pieces, dim=1):
        outputs.append(encoding(piece, start=position))
        position += piece.shape[1]
    whole = torch.cat([X[:, :0], *outputs], dim=1)
    assert torch.equal(whole, encoding(X, start))
    assert torch.equal(whole, X + encoding.P[:, start : start + n])


def test_the_product_of_two_rows_depends_on_their_distance_only():
    P = table(16, 50)
    products = P @ P.T
    for delta in range(50):
        diagonal = products.diagonal(delta)
        torch.testing.assert_close(diagonal, diagonal[:1].expand(50 - delta))
    assert (products.argmax(dim=-1) == torch.arange(50)).all()


def test_dropout_acts_on_the_sum_and_in_training_only():
    encoding, X = d2l.PositionalEncoding(8, 0.5), random(2, 50, 8)
    before, total = X.clone(), X + encoding.P[:, :50]
    assert torch.equal(encoding.eval()(X), total) and torch.equal(X, before)
    output = encoding.train()(X)
    kept = output != 0
    assert 0.3 < kept.float().mean() < 0.7
    torch.testing.assert_close(output[kept], 2 * total[kept])


# --- rotary --------------------------------------------------------------------------


def by_complex_numbers(X, start=0, base=10000):
    """The reference formula: pairs of columns times exp(1j * position * frequency)."""
    *_, n, width = X.shape
    frequencies = 1.0 / base ** (torch.arange(0, width, 2).double() / width)
    angles = torch.outer(torch.arange(start, start + n).double(), frequencies)
    pairs = torch.view_as_complex(X.double().reshape(*X.shape[:-1], -1, 2))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


@pytest.mark.parametrize("shape", [(7, 2), (3, 7, 8), (2, 4, 7, 64), (2, 1, 8)])
@pytest.mark.parametrize("start", [0, 5, 993])
@pytest.mark.parametrize("options", [{}, {"base": 500}])
def test_rotary_encoding_is_multiplication_by_a_complex_number(shape, start, options):
    X = random(*shape)
    before, output = X.clone(), d2l.RotaryEncoding(shape[-1], **options)(X, start)
    assert torch.equal(X, before) and output.dtype == X.dtype
    expected = by_complex_numbers(X, start, **options).to(X.dtype)
    torch.testing.assert_close(output, expected, atol=1e-6, rtol=1e-6)


@given(st.integers(0, 900), st.integers(0, 900))
def test_rotary_scores_depend_on_tokens_and_offsets_only(start, other):
    rotary = d2l.RotaryEncoding(16).to(torch.float64)
    Q, K = random(6, 16).double(), random(9, 16).double()
    scores = [rotary(Q, s + 4) @ rotary(K, s).T for s in (start, other)]
    torch.testing.assert_close(*scores, atol=1e-5, rtol=0)
    assert (scores[0] - Q @ K.T).abs().max() > 0.1


def test_rotary_encoding_keeps_norms_and_the_first_position():
    X, rotary = random(2, 50, 12), d2l.RotaryEncoding(12)
    torch.testing.assert_close(rotary(X).norm(dim=-1), X.norm(dim=-1))
    assert torch.equal(rotary(X)[:, 0], X[:, 0])


def test_rotated_keys_can_be_kept_while_a_sequence_grows():
    rotary, Q, K = d2l.RotaryEncoding(8), random(2, 3, 6, 8), random(2, 3, 6, 8)
    whole = rotary(Q) @ rotary(K).mT
    cached = torch.cat([rotary(K[..., i : i + 1, :], start=i) for i in range(6)], dim=-2)
    for i in range(6):
        row = rotary(Q[..., i : i + 1, :], start=i) @ cached.mT
        torch.testing.assert_close(row, whole[..., i : i + 1, :])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rotary_encoding_in_half_precision_is_the_rounded_result(dtype):
    X = random(2, 100, 32).to(dtype)
    output = d2l.RotaryEncoding(32)(X, start=900)
    assert output.dtype == dtype
    assert torch.equal(output, d2l.RotaryEncoding(32)(X.float(), start=900).to(dtype))


# --- both ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: d2l.PositionalEncoding(0, 0), "num_hiddens must be an integer >= 1"),
        (lambda: d2l.PositionalEncoding(4, 0, 9.5), "max_len must be .* >= 1, not 9.5"),
        (lambda: d2l.RotaryEncoding(0), "width must be an integer >= 2, not 0"),
        (lambda: d2l.RotaryEncoding(7), "^width must be even, and is 7$"),
        (lambda: d2l.RotaryEncoding(4, 9.5), "max_len must be .* >= 1, not 9.5"),
    ],
)
def test_sizes_of_the_tables_are_integers_and_rotary_widths_even(make, message):
    with pytest.raises(ValueError, match=message):
        make()


both = pytest.mark.parametrize(
    ("encoding", "names"),
    [
        (d2l.PositionalEncoding(4, 0, max_len=5), ["P"]),
        (d2l.RotaryEncoding(4, max_len=5), ["cos", "sin"]),
    ],
    ids=["added", "rotary"],
)


@both
def test_a_table_can_be_used_to_its_last_row_and_not_beyond(encoding, names):
    X = random(1, 5, 4)
    assert torch.equal(encoding(X)[:, 4:], encoding(X[:, 4:], start=4))
    for n, start in [(6, 0), (2, 4), (1, 5), (1, -1)]:
        message = rf"in 0 to 4 \(max_len = 5\), not {start} to {start + n - 1}$"
        with pytest.raises(ValueError, match=message):
            encoding(torch.zeros(1, n, 4), start=start)


@both
def test_tables_are_buffers_that_move_and_are_not_in_the_state(encoding, names):
    assert [name for name, _ in encoding.named_buffers()] == names
    assert list(encoding.parameters()) == list(encoding.state_dict()) == []
