"""The run on a machine with a GPU: what it ends, and what its summary says."""

import time
from pathlib import Path

import pytest

from tests import on_cuda
from tools.notebooks import workers

OUTPUT = """F.F  [100%]
=================================== FAILURES ===================================
____________________ notebooks/04_bahdanau.ipynb::Cell 3 ____________________
\x1b[91mNotebook cell execution failed\x1b[0m
Cell 3: Cell outputs differ
\x1b[94m mismatch 'stdout'\x1b[91m
  '0.4995' == '0.4996'
____________________ notebooks/04_bahdanau.ipynb::Cell 12 ____________________
RuntimeError: Expected all tensors to be on the same device
=========================== short test summary info ============================
"""
RUN = {"path": Path("04_bahdanau.ipynb"), "stderr": "", "seconds": 5, "left": 0}


def test_what_runs_at_the_deadline_is_ended_and_nothing_else_is_started(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import time; time.sleep(600)", encoding="utf-8")
    start = time.monotonic()
    runs = [*workers.run_each([program] * 9, deadline=start + 1)]
    assert [run.status for run in runs] == [None] * 9
    assert time.monotonic() - start < 60


@pytest.mark.parametrize(
    "status, stdout, said",
    [
        (0, "...", ""),
        (None, "", "not done when the time was over"),
        (1, OUTPUT, "Cell 3, Cell 12\n mismatch 'stdout'\n  '0.4995' == '0.4996'"),
        (1, OUTPUT.replace(" mismatch ", " "), "Cell 3, Cell 12\n  '0.4995' == '0.4996'"),
        (2, "no such file", "exit status 2 no such file"),
        (-9, "", "exit status -9 "),
    ],
)
def test_the_summary_names_the_cells_that_differ_and_the_first_difference(
    status, stdout, said
):
    each = workers.Run(status=status, stdout=stdout, **RUN)
    assert on_cuda.outcome(each, stand_in=False) == said


def test_with_the_stand_in_a_notebook_passes_if_no_cell_mixes_devices():
    stdout = "passed over, f0: IndexError()\n"
    each = workers.Run(status=0, stdout=stdout, **RUN)
    assert on_cuda.outcome(each, stand_in=True) == ""
    each = workers.Run(status=0, stdout=f"{stdout}a1: DeviceError()\n", **RUN)
    assert on_cuda.outcome(each, stand_in=True) == "a1: DeviceError()"
    each = workers.Run(status=-9, stdout="", **RUN)
    assert on_cuda.outcome(each, stand_in=True).startswith("exit status -9")
