"""What pytest prepares for all tests: d2l 1.0.3 as the oracle, and hypothesis."""

import sys

import pytest
from hypothesis import settings

# The same examples on every run: a regression test must not fail by luck. Once a week CI
# looks further, with many new examples (--hypothesis-profile long).
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("long", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("quick")


@pytest.fixture(scope="session")
def d2l_1_0_3():
    """d2l 1.0.3, whose attention code is the oracle."""
    from tools.d2l_reference import load_d2l

    return load_d2l()


@pytest.fixture(autouse=True)
def close_figures():
    """No test leaves a figure behind."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
