"""d2l 1.0.3 as something to compare with: the tests' oracle, the benchmarks' rival."""

import importlib.machinery
import sys
import types


def load_d2l():
    """d2l's PyTorch library, with a stub for torchvision, which attention never calls."""
    for name in ("torchvision", "torchvision.transforms"):
        stub = types.ModuleType(name)
        stub.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules.setdefault(name, stub)
    sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
    from d2l import torch as library

    return library
