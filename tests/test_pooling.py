"""Attention pooling, its kernels and its pictures (chapters 1 and 2)."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import d2lmini as d2l

KERNELS = (d2l.gaussian, d2l.boxcar, d2l.constant, d2l.triangular, d2l.epanechnikov)


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


# --- attention_pooling ---------------------------------------------------------------


@given(*[st.integers(1, 5)] * 4)
def test_pooling_is_a_weighted_sum_of_values(b, n, m, v):
    weights, values = random(b, n, m), random(b, m, v, seed=1)
    expected = torch.zeros(b, n, v)
    for i in range(m):
        expected += weights[:, :, i, None] * values[:, None, i]
    torch.testing.assert_close(d2l.attention_pooling(weights, values), expected)
    torch.testing.assert_close(d2l.attention_pooling(weights[0], values[0]), expected[0])
    torch.testing.assert_close(
        d2l.attention_pooling(weights[0, 0], values[0]), expected[0, 0]
    )
    torch.testing.assert_close(
        d2l.attention_pooling(weights[0], values[0, :, 0]), expected[0, :, 0]
    )


@pytest.mark.parametrize("values", [random(4), random(4, 2), random(3, 4, 2)])
def test_pooling_refuses_another_number_of_weights(values):
    with pytest.raises(ValueError, match="weights must hold 4 weights a query, not 5"):
        d2l.attention_pooling(random(5, 5), values)


# --- kernels -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "area"),
    [
        (d2l.gaussian, math.sqrt(2 * math.pi)),
        (d2l.boxcar, 2),
        (d2l.triangular, 1),
        (d2l.epanechnikov, 1),
    ],
)
def test_a_kernel_is_even_nonnegative_and_has_the_known_area(kernel, area):
    x = torch.linspace(-12, 12, 24_001, dtype=torch.float64)
    k = kernel(x)
    assert (k >= 0).all()
    torch.testing.assert_close(k, kernel(-x))
    assert torch.trapezoid(k, x).item() == pytest.approx(area, abs=2e-3)


def test_the_epanechnikov_kernel_is_the_parabola_and_not_the_tent():
    x = torch.linspace(-1, 1, 21)
    second = d2l.epanechnikov(x).diff(n=2)
    torch.testing.assert_close(second, second[:1].expand_as(second), atol=1e-5, rtol=0)
    assert second[0] < -0.01
    assert d2l.epanechnikov(torch.tensor(0.5)).item() == pytest.approx(0.5625)


def test_kernels_keep_shape_and_precision():
    for kernel in KERNELS:
        for dtype in (torch.float32, torch.float64):
            k = kernel(torch.zeros(2, 3, dtype=dtype))
            assert k.shape == (2, 3)
            assert k.dtype == dtype


# --- nadaraya_watson -----------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 3), st.integers(0, 999))
def test_forecasts_are_numpys_weighted_averages(m, n, d, seed):
    x_train, y_train, x_val = (
        random(m, d, seed=seed),
        random(m),
        random(n, d, seed=seed + 1),
    )
    for kernel in KERNELS:
        y_hat, weights = d2l.nadaraya_watson(x_train, y_train, x_val, kernel)
        assert weights.shape == (n, m)
        for i in range(n):
            k = np.array([kernel((x_val[i] - x).norm()).item() for x in x_train])
            if k.sum() > 0:
                average = np.average(y_train.numpy(), weights=k)
                assert y_hat[i].item() == pytest.approx(average, abs=1e-4)
            else:
                assert y_hat[i] == 0 and (weights[i] == 0).all()


def test_gaussian_weights_are_a_softmax_of_negative_squared_distances():
    x_train, x_val = random(9), random(4, seed=1)
    _, weights = d2l.nadaraya_watson(x_train, x_train, x_val, d2l.gaussian)
    scores = -((x_val[:, None] - x_train) ** 2) / 2
    torch.testing.assert_close(weights, torch.softmax(scores, dim=-1))


def test_one_hot_values_give_probabilities():
    votes = torch.nn.functional.one_hot(torch.arange(12) % 3, 3).float()
    y_hat, _ = d2l.nadaraya_watson(random(12, 2), votes, random(5, 2, seed=1), d2l.gaussian)
    assert y_hat.shape == (5, 3)
    torch.testing.assert_close(y_hat.sum(-1), torch.ones(5))
    assert (y_hat >= 0).all()


def test_a_query_out_of_reach_gets_zero_and_a_finite_gradient():
    x_val = torch.tensor([0.5, 99.0], requires_grad=True)
    for kernel in (d2l.gaussian, d2l.triangular, d2l.epanechnikov):
        y_hat, weights = d2l.nadaraya_watson(random(9), random(9), x_val, kernel)
        assert y_hat[1] == 0 and (weights[1] == 0).all()
        (gradient,) = torch.autograd.grad(y_hat.sum(), x_val)
        assert gradient.isfinite().all()


def test_a_query_far_off_but_in_reach_still_gets_a_mean():
    x_train, x_val = torch.tensor([0.0, 0.5]), torch.tensor([9.0])
    y_hat, weights = d2l.nadaraya_watson(x_train, torch.ones(2), x_val, d2l.gaussian)
    assert weights.sum().item() == pytest.approx(1)
    assert y_hat.item() == pytest.approx(1)


def test_there_may_be_no_query():
    y_hat, weights = d2l.nadaraya_watson(random(4), random(4), random(0), d2l.gaussian)
    assert y_hat.shape == (0,)
    assert weights.shape == (0, 4)


def test_forecasts_refuse_sizes_that_differ():
    with pytest.raises(ValueError, match="y_train must hold 4 values, not 5"):
        d2l.nadaraya_watson(random(4), random(5), random(2), d2l.gaussian)
    with pytest.raises(ValueError, match="y_train must hold 4 values, not 3"):
        d2l.nadaraya_watson(random(4), random(3), random(2), d2l.gaussian)
    with pytest.raises(ValueError, match="x_val must have the width 1, as x_train, not 2"):
        d2l.nadaraya_watson(random(4), random(4), random(2, 2), d2l.gaussian)
