"""Runs that end and go on. This file is also the script that is killed and resumed."""

import json
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import torch
import torch.distributed as dist
from test_distributed import torchrun, whole_state

import d2lmini as d2l

TEXT = torch.randint(40, (600,), generator=torch.Generator().manual_seed(0))
SIZES = {"vocab_size": 40, "num_hiddens": 24, "n": 8, "batch_size": 6}


def train(folder=None, num_updates=12, **options):
    """The losses and the weights after training a small GPT, whose run is in a folder."""
    model = d2l.train_gpt(TEXT, num_updates, **SIZES, resume=folder, **options)
    state = whole_state(model)
    return [loss for _, loss in model.board.data.get("train_loss", ())], state


class WithDropout(d2l.Classifier):
    """A model whose training draws random numbers, as does the order of its batches."""

    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)
        )
        self.lr = 0.1

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Data(d2l.DataModule):
    batch_size = 4

    def get_dataloader(self, train):
        X = torch.randn(20, 4, generator=torch.Generator().manual_seed(0))
        return self.get_tensorloader((X, (X.sum(dim=1) > 0).long()), train)


def train_dropout(folder, seed=0):
    torch.manual_seed(seed)
    model, trainer = WithDropout(), d2l.Trainer(3, resume=folder, save_every=2, warmup=2)
    model.plot_train_per_epoch = 5
    trainer.fit(model, Data())
    return model.board.data, trainer.history, whole_state(model)


class Stopped(Exception):
    pass


def stop_after(monkeypatch, number):
    """Let training end with an exception after so many updates."""

    def update(self):
        full(self)
        if self.train_batch_idx == number:
            raise Stopped

    full = d2l.Trainer.update
    monkeypatch.setattr(d2l.Trainer, "update", update)


@pytest.mark.parametrize("number", [1, 4, 5, 7, 10, 14])
def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(number, tmp_path, monkeypatch):
    curves, history, state = train_dropout(None)
    with monkeypatch.context() as patch:
        stop_after(patch, number)
        with pytest.raises(Stopped):
            train_dropout(tmp_path / "run")
    curves_again, history_again, state_again = train_dropout(tmp_path / "run", seed=1)
    if number == 1:  # nothing was stored yet: another seed is another run
        assert curves_again != curves
        return
    assert curves_again == curves
    assert history_again.equals(history)
    torch.testing.assert_close(state_again, state, rtol=0, atol=0)


def test_a_run_that_has_ended_trains_no_more(tmp_path):
    losses, _ = train(tmp_path, save_every=4)
    assert train(tmp_path, save_every=4)[0] == losses
    assert [path.name for path in tmp_path.iterdir()] == ["step-12"]


def test_a_run_of_something_else_is_refused_and_stays(tmp_path):
    train(tmp_path, save_every=6)
    with pytest.raises(ValueError, match="num_train_batches is 12, and here 13"):
        train(tmp_path, num_updates=13)
    with pytest.raises(ValueError, match=r"digest of the data is .*: take another folder"):
        d2l.train_gpt(TEXT.flip(0), 12, **SIZES, resume=tmp_path)
    with pytest.raises(ValueError, match=r"lr is 0\.006, and here 0\.1"):
        train(tmp_path, lr=0.1)
    with pytest.raises(ValueError, match="num_heads is 4, and here 2"):  # of equal shapes
        train(tmp_path, num_heads=2)
    with pytest.raises(ValueError, match="num_blks is 2, and here 1"):
        d2l.train_gpt(TEXT, 12, **SIZES, num_blks=1, resume=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["step-12"]


def test_what_a_full_disk_leaves_is_the_state_before(tmp_path, monkeypatch):
    import torch.distributed.checkpoint as dcp

    def fails(state, checkpoint_id):
        if checkpoint_id.name == ".step-8":
            checkpoint_id.mkdir()
            (checkpoint_id / "half").write_bytes(b"0")
            raise OSError(28, "No space left on device")
        save(state, checkpoint_id=checkpoint_id)

    save = dcp.save
    with monkeypatch.context() as patch:
        patch.setattr(dcp, "save", fails)
        with pytest.raises(OSError, match="The state before it is whole: make room"):
            train(tmp_path, save_every=4)
    assert (tmp_path / "step-4").exists()
    torch.testing.assert_close(train(tmp_path, save_every=4), train(), rtol=0, atol=0)


@pytest.mark.parametrize(
    "name, value", [("accumulate", 0), ("save_every", 0), ("sharding", "half")]
)
def test_options_that_there_are_not_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        d2l.Trainer(1, **{name: value})


def kept_bytes(monkeypatch, **options):
    """The most that a training step keeps for its backward pass."""
    kept = []

    def step(self, batch):
        kept.append(0)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            return full(self, batch)

    def keep(tensor):
        kept[-1] += tensor.nbytes
        return tensor

    full = d2l.Module.training_step
    with monkeypatch.context() as patch:
        patch.setattr(d2l.GPT, "training_step", step)
        train(num_updates=1, num_blks=6, **options)
    return max(kept)


@pytest.mark.parametrize(
    "options, share",
    [
        ({"accumulate": 3}, 0.5),
        ({"gradient_checkpointing": True}, 0.5),
        ({"precision": "bf16-mixed"}, 0.9),
    ],
)
def test_less_is_kept_for_the_backward_pass(options, share, monkeypatch):
    assert kept_bytes(monkeypatch, **options) < share * kept_bytes(monkeypatch)


@pytest.mark.parametrize("options", [{"accumulate": 3}, {"gradient_checkpointing": True}])
def test_what_saves_memory_changes_no_result(options):
    torch.testing.assert_close(train(**options), train(), rtol=1e-3, atol=1e-4)


def command(folder, num_processes=1, **options):
    """The command that trains in a folder as `main` does, in so many processes."""
    launcher = torchrun(num_processes) if num_processes > 1 else ()
    return [sys.executable, *launcher, __file__, str(folder), json.dumps(options)]


def resumed(folder, num_processes, **options):
    """What `main` trains in so many processes; with stop, nothing."""
    result = folder.with_suffix(".pt")
    result.unlink(missing_ok=True)
    output = {"capture_output": True, "encoding": "utf-8", "timeout": 300}
    done = subprocess.run(command(folder, num_processes, **options), **output)
    assert result.exists() != ("stop" in options), done.stderr
    return torch.load(result) if result.exists() else None


def killed(folder, moment, num_processes=1, **options):
    """Kill a training, with all its processes, so many seconds after its first state."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = psutil.Popen(command(folder, num_processes, **options), **silent)
    until = time.monotonic() + 120
    while not [*folder.glob("*step-*")] and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(moment)
    for member in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


KILLS = [pytest.param(i, marks=[pytest.mark.weekly] if i else []) for i in range(20)]


@pytest.mark.slow
@pytest.mark.parametrize("i", KILLS)
def test_a_run_that_is_killed_at_any_moment_goes_on(i, tmp_path):
    folder = tmp_path / "run"
    moment = random.Random(i).uniform(0, 2)
    killed(folder, moment, num_updates=40, save_every=1)
    torch.testing.assert_close(train(folder, 40, save_every=1), train(None, 40))


@pytest.mark.weekly
@pytest.mark.parametrize("i", range(4))
def test_a_run_of_two_processes_that_are_killed_goes_on(i, tmp_path):
    folder = tmp_path / "run"
    options = {"num_updates": 40, "save_every": 1, "sharding": (None, "full")[i % 2]}
    killed(folder, random.Random(i).uniform(0, 2), 2, **options)
    losses_and_state = resumed(folder, 2, **options)
    torch.testing.assert_close(losses_and_state, train(None, 40), rtol=1e-3, atol=1e-4)


CHANGES = [  # the processes one after another, and what of the model each has
    [(2, "full"), (1, None)],
    pytest.param([(2, "full"), (3, None), (2, "full")], marks=pytest.mark.weekly),
]


@pytest.mark.parametrize("changes", CHANGES)
def test_a_run_goes_on_with_another_number_of_processes(changes, tmp_path):
    folder = tmp_path / "run"
    *begun, (last, sharding) = changes
    for i, (number, part) in enumerate(begun):
        resumed(folder, number, sharding=part, save_every=2, stop=3 + 4 * i)
        assert [path.name for path in folder.iterdir()] == [f"step-{2 + 4 * i}"]
    if last == 1:
        losses_and_state = train(folder, save_every=2)
    else:
        losses_and_state = resumed(folder, last, sharding=sharding, save_every=2)
    torch.testing.assert_close(losses_and_state, train(), rtol=1e-3, atol=1e-4)


def main(folder, stop=None, **options):
    """Train, and save what is left of it beside the folder."""
    if dist.is_torchelastic_launched():
        dist.init_process_group("gloo")
    if stop is not None:
        stop_after(pytest.MonkeyPatch(), stop)
    losses_and_state = train(folder, **options)
    if not dist.is_initialized() or dist.get_rank() == 0:
        torch.save(losses_and_state, folder.with_suffix(".pt"))
    else:
        assert not losses_and_state[0]  # process 0 alone has the curves


if __name__ == "__main__":
    main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
