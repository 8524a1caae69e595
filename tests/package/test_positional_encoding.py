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


def test_an_odd_rotary_width_is_refused():
    with pytest.raises(ValueError, match="width must be even, and is 7"):
        d2l.RotaryEncoding(7)


# --- both ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    "encoding",
    [d2l.PositionalEncoding(32, 0), d2l.RotaryEncoding(32)],
    ids=["added", "rotary"],
)
def test_the_result_in_half_precision_is_the_rounded_one(encoding, dtype):
    X = random(2, 100, 32).to(dtype)
    output = encoding(X, start=900)
    assert output.dtype == dtype
    assert torch.equal(output, encoding(X.float(), start=900).to(dtype))


@pytest.mark.parametrize(
    "encoding",
    [d2l.PositionalEncoding(4, 0, max_len=5), d2l.RotaryEncoding(4, max_len=5)],
    ids=["added", "rotary"],
)
def test_a_table_can_be_used_to_its_last_row_and_not_beyond(encoding):
    X = random(1, 5, 4)
    assert torch.equal(encoding(X)[:, 4:], encoding(X[:, 4:], start=4))
    for n, start in [(6, 0), (2, 4)]:
        message = rf"in 0 to 4 \(max_len = 5\), not {start} to {start + n - 1}$"
        with pytest.raises(ValueError, match=message):
            encoding(torch.zeros(1, n, 4), start=start)


@pytest.mark.parametrize("position", [-1, 5])
def test_positions_outside_the_table_are_refused(position):
    encoding, X = d2l.RotaryEncoding(4, max_len=5), random(1, 2, 4)
    assert torch.equal(encoding(X, positions=[3, 4]), encoding(X, start=3))
    with pytest.raises(ValueError, match="positions must be in 0 to 4"):
        encoding(X, positions=[3, position])
