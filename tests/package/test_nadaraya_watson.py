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
    ("kernel", "formula"),
    [
        (d2l.gaussian, lambda x: math.exp(-(x**2) / 2)),
        (d2l.boxcar, lambda x: float(abs(x) < 1)),
        (d2l.constant, lambda x: 1.0),
        (d2l.triangular, lambda x: max(0, 1 - abs(x))),
        (d2l.epanechnikov, lambda x: max(0, 0.75 * (1 - x**2))),
    ],
)
def test_a_kernel_has_the_values_of_its_formula(kernel, formula):
    x = torch.tensor([-2.0, -1.0, -0.999, -0.5, 0.0, 0.25, 0.999, 1.0, 12.0])
    expected = torch.tensor([formula(distance) for distance in x.tolist()])
    torch.testing.assert_close(kernel(x), expected)
    assert kernel(x.double()).dtype == torch.float64


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
        (random(4), random(2, 2), "x_val must have the width 1 of x_train, not 2"),
    ],
)
def test_sizes_that_differ_are_refused(y_train, x_val, message):
    with pytest.raises(ValueError, match=message):
        d2l.nadaraya_watson(random(4), y_train, x_val, d2l.gaussian)
