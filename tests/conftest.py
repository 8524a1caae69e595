"""Fixtures: the tools as modules, and d2l 1.0.3 as the oracle."""

import importlib.machinery
import sys
import types
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
    """d2l 1.0.3, with a stub for torchvision, which its attention code never calls."""
    for name in ("torchvision", "torchvision.transforms"):
        stub = types.ModuleType(name)
        stub.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules.setdefault(name, stub)
    sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
    from d2l import torch as library

    return library


@pytest.fixture(autouse=True)
def close_figures():
    """No test leaves a figure behind."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
