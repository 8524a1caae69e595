"""PositionalEncoding: equal to d2l's table and to the formula, wherever it starts."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import d2lmini as d2l


def random(*shape, seed=0, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), **options)


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


widths, lengths = st.integers(1, 40), st.integers(0, 12)


# --- oracles -------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 4, 8, 20, 32, 100, 512])
def test_table_and_output_are_those_of_d2l_for_even_widths(d2l_1_0_3, d):
    theirs = d2l_1_0_3.PositionalEncoding(d, 0.5).eval()
    ours = d2l.PositionalEncoding(d, 0.5).eval()
    assert ours.P.shape == theirs.P.shape == (1, 1000, d)
    assert ours.P.dtype == theirs.P.dtype
    # Their angles are rounded to single precision before the sine, and ours are not.
    angles = torch.arange(1000.0).reshape(1, -1, 1)
    assert ((ours.P - theirs.P).abs() <= 2e-7 + 2e-7 * angles).all()
    X = random(3, 60, d)
    torch.testing.assert_close(ours(X), theirs(X), atol=2e-5, rtol=0)


@pytest.mark.parametrize("max_len", [1, 7, 60])
def test_a_shorter_table_is_that_of_d2l_too(d2l_1_0_3, max_len):
    theirs = d2l_1_0_3.PositionalEncoding(16, 0, max_len).P
    torch.testing.assert_close(
        d2l.PositionalEncoding(16, 0, max_len).P, theirs, atol=2e-5, rtol=0
    )


@given(widths, st.integers(0, 4999))
def test_every_row_follows_the_formula_odd_widths_included(d, i):
    expected = torch.tensor(expected_row(i, d))
    torch.testing.assert_close(table(d, 5000)[i], expected, atol=2e-7, rtol=0)


@given(st.integers(1, 40))
def test_the_table_is_no_worse_than_single_precision_can_be(d):
    exact = np.array([expected_row(i, d) for i in range(0, 1000, 37)])
    error = np.abs(table(d).numpy()[::37].astype(np.float64) - exact)
    assert error.max() <= 2**-24


def test_under_another_default_dtype_the_table_has_it_and_its_precision():
    torch.set_default_dtype(torch.float64)
    try:
        P = table(9)
    finally:
        torch.set_default_dtype(torch.float32)
    assert P.dtype == torch.float64
    expected = torch.tensor(expected_row(999, 9), dtype=torch.float64)
    torch.testing.assert_close(P[999], expected, atol=1e-12, rtol=0)


# --- what d2l's class does otherwise -------------------------------------------------


def test_d2l_refuses_odd_widths(d2l_1_0_3):
    with pytest.raises(RuntimeError):
        d2l_1_0_3.PositionalEncoding(7, 0)
    assert d2l.PositionalEncoding(7, 0)(torch.zeros(1, 3, 7)).shape == (1, 3, 7)


def test_d2l_leaves_its_table_behind_and_returns_single_precision(d2l_1_0_3):
    theirs = d2l_1_0_3.PositionalEncoding(8, 0)
    assert theirs.to("meta").P.device.type == "cpu"
    assert theirs(torch.zeros(1, 2, 8).half()).dtype == torch.float32


def test_d2l_names_no_argument_beyond_the_table_and_knows_no_start(d2l_1_0_3):
    theirs = d2l_1_0_3.PositionalEncoding(8, 0, max_len=6)
    with pytest.raises(RuntimeError, match=r"size of tensor a \(7\)"):
        theirs(torch.zeros(1, 7, 8))
    X = torch.zeros(1, 1, 8)
    assert torch.equal(theirs(X), theirs(X))  # the second token is the first one, too
    with pytest.raises(TypeError):
        theirs(X, start=1)


# --- where a sequence starts ---------------------------------------------------------


@given(st.lists(lengths, max_size=5), widths, lengths)
def test_pieces_with_their_starts_equal_the_whole(pieces, d, start):
    encoding, n = d2l.PositionalEncoding(d, 0, start + sum(pieces) + 1), sum(pieces)
    X, outputs, at = random(2, n, d), [], start
    for piece in X.split(pieces, dim=1):
        outputs.append(encoding(piece, start=at))
        at += piece.shape[1]
    whole = encoding(X, start)
    assert torch.equal(torch.cat([X[:, :0], *outputs], dim=1), whole)


@given(st.integers(0, 40), st.integers(0, 20))
def test_the_first_token_gets_the_row_of_its_start(start, n):
    encoding = d2l.PositionalEncoding(6, 0, 60)
    output = encoding(torch.zeros(2, n, 6), start=start)
    assert torch.equal(output, encoding.P[:, start : start + n].expand(2, n, 6))


def test_without_a_start_a_sequence_begins_at_zero():
    encoding, X = d2l.PositionalEncoding(6, 0), random(2, 4, 6)
    assert torch.equal(encoding(X), encoding(X, 0))
    assert torch.equal(encoding(torch.zeros(1, 1, 6))[0, 0], torch.tensor([0.0, 1] * 3))


def test_the_table_can_be_used_to_its_last_row_and_not_beyond():
    encoding = d2l.PositionalEncoding(4, 0, max_len=5)
    assert encoding(torch.zeros(1, 5, 4)).shape == (1, 5, 4)
    assert torch.equal(encoding(torch.zeros(1, 1, 4), start=4)[0, 0], encoding.P[0, 4])
    assert encoding(torch.zeros(1, 0, 4), start=5).shape == (1, 0, 4)
    for n, start in [(6, 0), (2, 4), (1, 5), (0, 6), (5, 1)]:
        message = f"start .* max_len = 5, not start = {start} and n = {n}$"
        with pytest.raises(ValueError, match=message):
            encoding(torch.zeros(1, n, 4), start=start)


# --- relative positions --------------------------------------------------------------


@given(st.integers(1, 20), st.integers(-50, 50), st.integers(50, 900))
def test_a_shift_is_a_rotation_that_does_not_know_the_position(half, delta, i):
    d = 2 * half
    pairs = table(d).double().unflatten(-1, (-1, 2))
    for j in range(half):
        angle = delta / 10000 ** (2 * j / d)
        sine, cosine = pairs[i, j].tolist()
        turned = [
            math.cos(angle) * sine + math.sin(angle) * cosine,
            math.cos(angle) * cosine - math.sin(angle) * sine,
        ]
        assert pairs[i + delta, j].tolist() == pytest.approx(turned, abs=1e-6)


def test_the_product_of_two_rows_depends_on_their_distance_only():
    P = table(16, 50)
    products = P @ P.T
    for delta in range(50):
        diagonal = products.diagonal(delta)
        torch.testing.assert_close(diagonal, diagonal[:1].expand(50 - delta))
    assert (products.argmax(dim=-1) == torch.arange(50)).all()


def test_no_two_positions_are_alike():
    P = table(8)
    distances = torch.cdist(P, P) + torch.eye(1000)
    assert distances.min() > 1e-3


# --- a table that is a buffer --------------------------------------------------------


def test_the_table_moves_with_its_module():
    encoding = torch.nn.Sequential(d2l.PositionalEncoding(6, 0))
    assert encoding.to("meta")[0].P.device.type == "meta"
    encoding = torch.nn.Sequential(d2l.PositionalEncoding(6, 0))
    assert encoding.to(torch.float64)[0].P.dtype == torch.float64
    if torch.cuda.is_available():
        X = random(2, 3, 6)
        output = encoding.cuda()(X.double().cuda())
        assert output.device.type == "cuda"
        torch.testing.assert_close(output.cpu(), encoding.cpu()(X.double()))


def test_the_table_is_no_parameter_and_not_in_the_state(d2l_1_0_3):
    encoding = d2l.PositionalEncoding(6, 0.1)
    assert [name for name, _ in encoding.named_buffers()] == ["P"]
    assert list(encoding.parameters()) == []
    theirs = d2l_1_0_3.PositionalEncoding(6, 0.1)
    assert list(encoding.state_dict()) == list(theirs.state_dict()) == []
    encoding.load_state_dict(theirs.state_dict())
    theirs.load_state_dict(encoding.state_dict())


def test_the_state_of_a_d2l_encoder_loads_into_one_with_our_table(d2l_1_0_3):
    X, sizes = torch.arange(12).reshape(2, 6), (20, 8, 16, 2, 1, 0.1)
    theirs, ours = (d2l_1_0_3.TransformerEncoder(*sizes).eval() for _ in range(2))
    ours.pos_encoding = d2l.PositionalEncoding(8, 0.1).eval()
    for encoder in (theirs, ours):
        encoder(X, None)  # lazy layers learn their widths
    ours.load_state_dict(theirs.state_dict(), strict=True)
    torch.testing.assert_close(ours(X, None), theirs(X, None), atol=1e-5, rtol=1e-5)


def test_a_copy_has_a_table_of_its_own():
    encoding = d2l.PositionalEncoding(6, 0)
    other = copy.deepcopy(encoding)
    assert torch.equal(other.P, encoding.P)
    assert other.P.data_ptr() != encoding.P.data_ptr()


# --- the dtype of the output ---------------------------------------------------------

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("of_module", FLOATS)
@pytest.mark.parametrize("of_X", FLOATS)
def test_the_output_has_the_dtype_of_X_and_the_values_to_its_precision(of_module, of_X):
    encoding = d2l.PositionalEncoding(8, 0).to(of_module)
    X = random(2, 30, 8).to(of_X)
    output = encoding(X, start=970)
    assert output.dtype == of_X
    expected = X.double() + table(8)[970:].double()
    eps = max(torch.finfo(of_X).eps, torch.finfo(of_module).eps, 2**-23)
    torch.testing.assert_close(output.double(), expected, atol=3 * eps, rtol=eps)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_sum_in_half_precision_is_rounded_once(dtype):
    encoding, X = d2l.PositionalEncoding(32, 0), random(4, 100, 32).to(dtype)
    assert torch.equal(encoding(X), (X.float() + encoding.P[:, :100]).to(dtype))


# --- dropout, gradients, arguments ---------------------------------------------------


def test_dropout_acts_on_the_sum_and_in_training_only():
    encoding, X = d2l.PositionalEncoding(8, 0.5), random(2, 50, 8)
    total = X + encoding.P[:, :50]
    assert torch.equal(encoding.eval()(X), total)
    output = encoding.train()(X)
    kept = output != 0
    assert 0.3 < kept.float().mean() < 0.7
    torch.testing.assert_close(output[kept], 2 * total[kept])


def test_gradients_pass_to_X_as_they_are():
    X = random(2, 4, 6).requires_grad_()
    weights = random(2, 4, 6, seed=1)
    (d2l.PositionalEncoding(6, 0)(X, start=3) * weights).sum().backward()
    assert torch.equal(X.grad, weights)


def test_neither_X_nor_the_table_is_changed():
    encoding, X = d2l.PositionalEncoding(6, 0.5), random(2, 4, 6)
    X_before, P_before = X.clone(), encoding.P.clone()
    output = encoding(X)
    output.zero_()
    encoding.eval()(X, start=1).zero_()
    assert torch.equal(X, X_before)
    assert torch.equal(encoding.P, P_before)


def test_every_example_gets_the_same_positions():
    encoding, X = d2l.PositionalEncoding(6, 0), random(3, 4, 6)
    for i in range(3):
        assert torch.equal(encoding(X)[i : i + 1], encoding(X[i : i + 1]))
    assert encoding(X[:0]).shape == (0, 4, 6)


@pytest.mark.parametrize(
    ("X", "start", "message"),
    [
        (torch.zeros(2, 3, 7), 0, r"X must be .* \(b, n, 6\), not .* \(2, 3, 7\)"),
        (torch.zeros(2, 3, 1), 0, r"X must be .* \(b, n, 6\), not .* \(2, 3, 1\)"),
        (torch.zeros(3, 6), 0, r"X must be .* \(b, n, 6\), not .* \(3, 6\)"),
        (torch.zeros(1, 2, 3, 6), 0, r"X must be .* \(b, n, 6\), not"),
        (torch.zeros(2, 3, 6, dtype=torch.long), 0, r"X must be float.*, not torch.int64"),
        (torch.zeros(2, 3, 6), -1, r"start must not be negative, and is -1$"),
        (torch.zeros(2, 0, 6), -3, r"start must not be negative, and is -3$"),
        (torch.zeros(2, 3, 6), 8, r"start \+ n must be at most max_len = 10, not .* 8 "),
        (torch.zeros(2, 11, 6), 0, r"at most max_len = 10, not start = 0 and n = 11$"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(X, start, message):
    with pytest.raises(ValueError, match=message):
        d2l.PositionalEncoding(6, 0, max_len=10)(X, start=start)


@pytest.mark.parametrize("name", ["num_hiddens", "max_len"])
@pytest.mark.parametrize("value", [0, -2])
def test_a_table_without_rows_or_columns_is_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not {value}$"):
        d2l.PositionalEncoding(
            **{"num_hiddens": 6, "dropout": 0, "max_len": 9, name: value}
        )


def test_max_len_is_1000_unless_given():
    assert d2l.PositionalEncoding(4, 0).P.shape == (1, 1000, 4)
    assert d2l.PositionalEncoding(4, 0, 7).P.shape == (1, 7, 4)
