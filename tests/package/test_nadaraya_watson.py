"""Kernels and the Nadaraya–Watson estimate (chapter 2)."""

import math

import numpy as np
import pytest
import torch
from helpers import random
from hypothesis import given
from hypothesis import strategies as st

import d2lmini as d2l

KERNELS = (d2l.gaussian, d2l.boxcar, d2l.constant, d2l.triangular, d2l.epanechnikov)


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
    assert k.dtype == x.dtype and (k >= 0).all()
    torch.testing.assert_close(k, kernel(-x))
    assert torch.trapezoid(k, x).item() == pytest.approx(area, abs=2e-3)


def test_the_epanechnikov_kernel_is_a_parabola():
    x = torch.linspace(-1, 1, 21)
    second = d2l.epanechnikov(x).diff(n=2)
    torch.testing.assert_close(second, second[:1].expand_as(second), atol=1e-5, rtol=0)
    assert d2l.epanechnikov(torch.tensor(0.5)).item() == pytest.approx(0.5625)


def test_the_boxcar_kernel_ends_before_a_distance_of_one():
    distances = torch.tensor([-1.0, -0.999, 0.0, 0.999, 1.0])
    assert d2l.boxcar(distances).tolist() == [0, 1, 1, 1, 0]


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 3), st.integers(0, 999))
def test_estimates_are_weighted_averages(m, n, d, seed):
    x_train, x_val = random(m, d, seed=seed), random(n, d, seed=seed + 1)
    y_train = random(m)
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


def test_shifting_or_rotating_keys_and_queries_together_changes_no_weight():
    queries, keys = random(5, 2), random(9, 2, seed=1)
    turn = torch.tensor([[0.6, -0.8], [0.8, 0.6]])
    for kernel in KERNELS:
        _, weights = d2l.nadaraya_watson(keys, keys, queries, kernel)
        for q, k in ((queries + 3, keys + 3), (queries @ turn, keys @ turn)):
            torch.testing.assert_close(d2l.nadaraya_watson(k, k, q, kernel)[1], weights)


def test_one_hot_values_give_probabilities():
    votes = torch.nn.functional.one_hot(torch.arange(12) % 3, 3).float()
    y_hat, _ = d2l.nadaraya_watson(random(12, 2), votes, random(5, 2, seed=1), d2l.gaussian)
    assert y_hat.shape == (5, 3)
    torch.testing.assert_close(y_hat.sum(-1), torch.ones(5))


def test_a_query_out_of_reach_gets_zero_and_a_finite_gradient():
    x_val = torch.tensor([0.5, 99.0], requires_grad=True)
    for kernel in (d2l.gaussian, d2l.triangular, d2l.epanechnikov):
        y_hat, weights = d2l.nadaraya_watson(random(9), random(9), x_val, kernel)
        assert y_hat[1] == 0 and (weights[1] == 0).all()
        (gradient,) = torch.autograd.grad(y_hat.sum(), x_val)
        assert gradient.isfinite().all()


def test_a_distant_query_with_tiny_kernel_values_still_gets_a_mean():
    x_train, x_val = torch.tensor([0.0, 0.5]), torch.tensor([9.0])
    y_hat, weights = d2l.nadaraya_watson(x_train, torch.ones(2), x_val, d2l.gaussian)
    assert weights.sum().item() == y_hat.item() == pytest.approx(1)


@pytest.mark.parametrize(
    ("y_train", "x_val", "message"),
    [
        (random(5), random(2), "y_train must hold 4 values, not 5"),
        (random(3), random(2), "y_train must hold 4 values, not 3"),
        (random(4), random(2, 2), "x_val must have the width 1 of x_train, not 2"),
    ],
)
def test_sizes_that_differ_are_refused(y_train, x_val, message):
    with pytest.raises(ValueError, match=message):
        d2l.nadaraya_watson(random(4), y_train, x_val, d2l.gaussian)
