"""What breaks off from outside: a dying kernel, a full disk, an interrupt.

Nothing half-written may be taken for whole, and no notebook be damaged. Downloads that
break off are in test_toolkit.py.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import nbformat
import pytest
import torch
from helpers import ROOT

import d2lmini as d2l
from tools.build import execute

BIG = "print('many bytes ' * 3000)"


@pytest.fixture
def notebook(tmp_path):
    """Write a notebook of one cell; afterwards it must stand alone in its folder."""
    path = tmp_path / "00_one.ipynb"

    def write(source):
        cells = [nbformat.v4.new_code_cell(source)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        return path

    yield write
    assert [*tmp_path.iterdir()] == [path]


def small_disk():
    """Let no file of a process grow beyond 10 kB, as if the disk were full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def start(path, **options):
    """Start tools/build/execute.py in a process of its own."""
    command = [sys.executable, "-m", "tools.build.execute", path]
    return subprocess.Popen(command, text=True, stderr=subprocess.PIPE, **options)


def test_a_kernel_that_dies_leaves_the_notebook_as_it_is(notebook, capsys):
    path = notebook("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    before = path.read_bytes()
    assert execute.main([str(path)]) == 1
    assert f"{path}, code cell [1]: Kernel died" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_full_disk_leaves_the_notebook_as_it_is(notebook):
    path = notebook(BIG)
    before = path.read_bytes()
    with start(path, preexec_fn=small_disk) as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"execute: {path}: its outputs cannot be stored: " in error
    assert "Traceback" not in error and path.read_bytes() == before


def test_a_full_disk_leaves_the_package_as_it_is(tmp_path):
    for name in ("_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("notebooks", "d2lmini"):
        shutil.copytree(ROOT / name, tmp_path / name)
    module = tmp_path / "d2lmini" / "gpt.py"
    module.write_text(module.read_text("utf-8") + "# stale\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in module.parent.glob("*.*")}
    command = "import pathlib, sys, save; sys.exit(save.main([], pathlib.Path('.')))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    options = {"cwd": tmp_path, "env": environment, "preexec_fn": small_disk, "text": True}
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, **options)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "save: d2lmini/gpt.py: not written: " in done.stderr
    assert before == {path: path.read_bytes() for path in module.parent.glob("*.*")}


def test_an_interrupt_leaves_the_notebook_as_it_is(notebook, tmp_path_factory):
    begun = tmp_path_factory.mktemp("begun") / "yes"
    path = notebook(f"import time\nopen({str(begun)!r}, 'w').close()\ntime.sleep(60)")
    before = path.read_bytes()
    with start(path) as process:
        while not begun.exists() and process.poll() is None:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode != 0 and begun.exists()
    assert path.read_bytes() == before


class Line(d2l.Module):
    """A line whose training is interrupted in the step `stop`, counted from 0."""

    def __init__(self, stop):
        super().__init__()
        self.net, self.lr, self.stop = torch.nn.Linear(1, 1), 0.1, stop
        self.board.display = False

    def loss(self, y_hat, y):
        return ((y_hat - y) ** 2).mean()

    def training_step(self, batch):
        if self.trainer.train_batch_idx == self.stop:
            raise KeyboardInterrupt
        return super().training_step(batch)


class Points(d2l.DataModule):
    """Six points on a line, in three batches."""

    batch_size = 2

    def get_dataloader(self, train):
        x = torch.arange(6.0).unsqueeze(-1) / 6
        return self.get_tensorloader((x, 2 * x), train)


def test_an_interrupted_fit_keeps_history_and_weights_and_another_fit_begins_anew():
    torch.manual_seed(0)
    model, trainer = Line(stop=4), d2l.Trainer(max_epochs=3)
    start = model.net.weight.clone()
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(model, Points())
    assert trainer.history.index.tolist() == [1, 2]
    assert trainer.history.loc[1].notna().all()
    assert not torch.equal(model.net.weight, start)
    model.stop = None
    trainer.fit(model, Points())
    assert trainer.history.index.tolist() == [1, 2, 3]
    assert trainer.history.notna().all(axis=None)
