"""Fixtures: the tools as modules, and d2l 1.0.3 as the oracle."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

# The same examples on every run: a regression test must not fail by luck.
settings.register_profile("course", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("course")


@pytest.fixture(scope="session")
def d2l_1_0_3():
    """d2l 1.0.3, whose attention code is the oracle."""
    from oracle import load_d2l

    return load_d2l()


@pytest.fixture(autouse=True)
def close_figures():
    """No test leaves a figure behind."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
