"""How every pytest run here behaves, nbval's included: quiet, and one thread a kernel.

Kernels inherit these variables: two of them run side by side, so one thread each; nobody
watches, so no progress bars, which would stand on stderr. On CUDA single precision stays
single precision: TensorFloat-32, which PyTorch allows in convolutions and GRUs, keeps 10
of its 23 bits, fewer than outputs rounded to four decimals need. With this, nbval compares
the same rounded outputs on CUDA as on the CPU (`make test DEVICE=cuda`), and as exactly.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TQDM_DISABLE", "1")
os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
# Files that are read without an encoding are reported (pyproject.toml) in the tests' own
# process, but not in kernels and other programs, where libraries do so.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("PYTHONWARNDEFAULTENCODING", None)


def pytest_collectstart(collector):
    """Leave pictures out of nbval's comparison: the numbers beside them are compared."""
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("image/svg+xml",)
