"""Checks of arguments, and of what answers to exercises give."""

import pytest
import torch

import d2lmini as d2l


def test_checks_name_what_was_expected_and_what_came():
    d2l.check_shape(torch.ones(2, 3), [2, 3])
    with pytest.raises(ValueError, match=r"shape \(3, 2\), not \(2, 3\)"):
        d2l.check_shape(torch.ones(2, 3), (3, 2))
    d2l.check_len([1, 2], 2)
    with pytest.raises(ValueError, match="length 3, not 2"):
        d2l.check_len([1, 2], 3)
    d2l.check_int("n", 2, least=2)
    for value in (1, 2.0):
        with pytest.raises(ValueError, match=f"n must be an integer >= 2, not {value!r}"):
            d2l.check_int("n", value, least=2)


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([[1.0, 2.0]], "a tensor is expected, not list"),
        (torch.ones(2), r"the shape must be (1, 2), not (2,)"),
        (torch.tensor([[1.0, 2.5]]), "entry [0, 1] must be 2, not 2.5"),
        (torch.tensor([[float("nan"), 2]]), "entry [0, 0] must be 1, not nan"),
        (torch.tensor([[1, 2]]), ""),
        (torch.tensor([[1 + 1e-6, 2]], requires_grad=True), ""),
    ],
)
def test_a_mismatch_says_where_a_tensor_differs(found, message):
    assert d2l.mismatch(found, torch.tensor([[1.0, 2.0]])) == message


def test_an_error_message_is_that_of_a_value_error():
    assert "'seven'" in d2l.error_message(int, "seven")
    assert d2l.error_message(int, "11", base=2) == ""
    with pytest.raises(TypeError):
        d2l.error_message(int, None)


def test_fixed_random_numbers_leave_the_global_generator_alone():
    torch.manual_seed(0)
    first, expected = d2l.fixed_randn(2, 3), torch.Generator().manual_seed(0)
    assert torch.equal(first, torch.randn(2, 3, generator=expected))
    assert not torch.equal(first, d2l.fixed_randn(2, 3, seed=1))
    assert torch.equal(torch.randn(2, 3), first)  # the first draw of seed 0
