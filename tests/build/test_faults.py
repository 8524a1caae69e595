"""What breaks off from outside: a dying kernel, an interrupted training.

Downloads that break off are in test_toolkit.py.
"""

import nbformat
import pytest
import torch

import d2lmini as d2l
from tools.build import execute


def test_a_kernel_that_dies_leaves_the_notebook_as_it_is(tmp_path, capsys):
    path = tmp_path / "00_one.ipynb"
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    cells = [nbformat.v4.new_code_cell(source)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    before = path.read_bytes()
    assert execute.main([str(path)]) == 1
    assert f"{path}, code cell [1]: Kernel died" in capsys.readouterr().err
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
