"""What breaks off from outside: a dying kernel, an interrupted training.

Downloads that break off are in test_download.py.
"""

import nbformat
import pytest
import torch
from helpers import posix

import d2lmini as d2l
from tools.notebooks import execute


@posix
def test_a_kernel_that_dies_leaves_the_notebook_as_it_is(tmp_path, capsys):
    path = tmp_path / "00_one.ipynb"
    source = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    cells = [nbformat.v4.new_code_cell(source)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    before = path.read_bytes()
    assert execute.main([str(path)]) == 1
    assert f"{path}, code cell [1]: Kernel died" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_an_interrupted_fit_keeps_history_and_weights_and_another_fit_begins_anew():
    model, data, trainer = d2l.Classifier(), d2l.DataModule(), d2l.Trainer(max_epochs=3)
    model.net, model.lr, model.board.display = torch.nn.Linear(2, 2), 0.1, False
    batch = torch.ones(4, 2), torch.tensor([0, 0, 0, 1])
    data.get_dataloader = lambda train: [batch] * 3

    def stopped_in_the_second_epoch(batch):
        if trainer.train_batch_idx == 4:
            raise KeyboardInterrupt
        return d2l.Classifier.training_step(model, batch)

    start = model.net.weight.clone()
    model.training_step = stopped_in_the_second_epoch
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(model, data)
    assert trainer.history.index.tolist() == [1, 2]
    assert trainer.history.loc[1].notna().all()
    assert not torch.equal(model.net.weight, start)
    del model.training_step
    trainer.fit(model, data)
    assert trainer.history.index.tolist() == [1, 2, 3]
    assert trainer.history.notna().all(axis=None)
