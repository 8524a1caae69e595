"""What the tests share: the tools as modules, d2l 1.0.3 as the oracle, random data."""

import gzip
import struct
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

# The same examples on every run: a regression test must not fail by luck. Once a week CI
# looks further, with many new examples (--hypothesis-profile long).
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("long", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("quick")


def random(*shape, seed=0):
    """Normally distributed numbers, the same on every run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def assert_close(ours, expected, tolerance=1e-5):
    torch.testing.assert_close(ours, expected, atol=tolerance, rtol=tolerance)


def gradients(output, parts):
    """The gradients of a random sum of the outputs, for all parts."""
    direction = random(*output.shape).to(output.dtype)
    return torch.autograd.grad(output, parts, direction, retain_graph=True)


def idx_file(array):
    """A tensor of bytes as a compressed IDX file."""
    lengths = struct.pack(f">{array.ndim}I", *array.shape)
    content = bytes([0, 0, 8, array.ndim]) + lengths + array.numpy().tobytes()
    return gzip.compress(content, mtime=0)


def fashion_files(num_train=6, num_val=4):
    """The four files of a FashionMNIST of noise, by their names."""
    files, generator = {}, torch.Generator().manual_seed(0)
    for part, n in [("train", num_train), ("t10k", num_val)]:
        for kind, high, shape in [
            ("images-idx3", 256, (n, 28, 28)),
            ("labels-idx1", 10, (n,)),
        ]:
            array = torch.randint(high, shape, generator=generator, dtype=torch.uint8)
            files[f"{part}-{kind}-ubyte.gz"] = idx_file(array)
    return files


@pytest.fixture(scope="session")
def d2l_1_0_3():
    """d2l 1.0.3, whose attention code is the oracle."""
    from d2l_reference import load_d2l

    return load_d2l()


@pytest.fixture(autouse=True)
def close_figures():
    """No test leaves a figure behind."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
