"""Fixtures: the tools as modules, and d2l 1.0.3 as the oracle."""

import importlib.machinery
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture(scope="session")
def d2l():
    """The library d2l 1.0.3, with torchvision, which its attention code never calls, stubbed."""
    for name in ("torchvision", "torchvision.transforms"):
        stub = types.ModuleType(name)
        stub.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules.setdefault(name, stub)
    sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
    from d2l import torch as library

    return library
