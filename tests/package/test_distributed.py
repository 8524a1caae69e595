"""Training with several processes. This file is also the script that torchrun starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn

import d2lmini as d2l


class Data(d2l.DataModule):
    def __init__(self, num_train, num_val=5, batch_size=8):
        super().__init__()
        self.save_hyperparameters()
        generator = torch.Generator().manual_seed(0)
        self.X = torch.randn(num_train + num_val, 4, generator=generator)
        self.y = (self.X.sum(dim=1) > 0).long()

    def get_dataloader(self, train):
        rows = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, rows)


CASES = {
    "one step": (8, {"max_epochs": 1}),
    "one step with an odd batch": (7, {"max_epochs": 1}),
    "even batches": (32, {"max_epochs": 2}),
    "an odd last batch": (29, {"max_epochs": 3}),
    "a last batch of one example": (17, {"max_epochs": 3}),
    "clipping": (29, {"max_epochs": 3, "gradient_clip_val": 0.1}),
    "warm-up": (29, {"max_epochs": 3, "warmup": 4}),
    "bfloat16": (29, {"max_epochs": 3, "precision": "bf16-mixed"}),
}


def train(seed, num_train, options, model=None):
    """What a training leaves behind: parameters, gradients, history, and more."""
    torch.manual_seed(seed)
    if model is None:
        model = d2l.Classifier()
        model.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
        model.lr, model.board.display = 0.5, False
    trainer = d2l.Trainer(num_gpus=0, **options)
    trainer.fit(model, Data(num_train))
    return {
        "parameters": [p.detach() for p in model.parameters()],
        "gradients": [p.grad for p in model.parameters()],
        "history": trainer.history.to_dict("list"),
        "points": sum(map(len, model.board.data.values())),
    }


class Dying(d2l.Classifier):
    """A model whose second step never returns in process 1."""

    def __init__(self):
        super().__init__()
        self.net, self.lr = nn.Linear(4, 2), 0.1

    def training_step(self, batch):
        if self.trainer.train_batch_idx == 1 and dist.get_rank() == 1:
            os._exit(3)
        return super().training_step(batch)


def main(folder):
    """Train every case, save what is left of it, then lose process 1."""
    dist.init_process_group()
    rank = dist.get_rank()  # also the seed: the processes start with other models
    results = {name: train(rank, *case) for name, case in CASES.items()}
    torch.save(results, folder / f"{rank}.pt")
    train(rank, 32, {"max_epochs": 1}, Dying())
    (folder / f"process {rank} survived").touch()


@pytest.fixture(scope="module")
def launched(tmp_path_factory):
    """The folder with the results of two processes, and how torchrun ended."""
    folder = tmp_path_factory.mktemp("processes")
    torchrun = "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"
    command = [sys.executable, *torchrun, __file__, str(folder)]
    return folder, subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("name", CASES)
def test_two_processes_train_as_one_process_does(launched, name):
    folder, done = launched
    assert (folder / "1.pt").exists(), done.stderr
    first, second = (torch.load(folder / f"{rank}.pt")[name] for rank in (0, 1))
    alone = train(0, *CASES[name])
    tolerance = 1e-2 if name == "bfloat16" else 1e-5
    for key in ("parameters", "gradients", "history"):
        torch.testing.assert_close(first[key], second[key], rtol=0, atol=0)
        torch.testing.assert_close(first[key], alone[key], rtol=tolerance, atol=tolerance)
    assert (first["points"], second["points"]) == (alone["points"], 0)


def test_a_process_that_dies_ends_the_others_with_an_error(launched):
    folder, done = launched
    assert done.returncode != 0
    assert "exitcode  : 3" in done.stderr
    assert not [*folder.glob("*survived")]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
