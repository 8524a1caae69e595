"""Training with several processes. This file is also the script that torchrun starts."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_state_dict,
    set_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)
from torch.utils.data import BatchSampler
from torch.utils.data.distributed import DistributedSampler

import d2lmini as d2l


class Data(d2l.DataModule):
    def __init__(self, num_train, num_val=6, batch_size=12):
        super().__init__()
        self.save_hyperparameters()
        generator = torch.Generator().manual_seed(0)
        self.X = torch.randn(num_train + num_val, 4, generator=generator)
        self.y = (self.X.sum(dim=1) > 0).long()

    def rows(self, train):
        return range(self.num_train) if train else range(self.num_train, len(self.X))

    def get_dataloader(self, train):
        return self.get_tensorloader((self.X, self.y), train, self.rows(train))


class Expected(Data):
    """The same batches for one process: shuffled by epoch, and filled by repetition."""

    def __init__(self, num_processes, *sizes):
        super().__init__(*sizes)
        self.num_processes = num_processes

    def get_dataloader(self, train):
        return self if train else self.batches(self.rows(False))

    def __len__(self):
        return len(self.batches(self.rows(True)))

    def __iter__(self):  # once in an epoch
        self.epoch = getattr(self, "epoch", -1) + 1
        generator = torch.Generator().manual_seed(self.epoch)
        yield from self.batches(torch.randperm(self.num_train, generator=generator))

    def batches(self, rows):
        rows = [*rows, *rows[: -len(rows) % self.num_processes]]
        parts = torch.tensor(rows).split(self.batch_size)
        return [(self.X[part], self.y[part]) for part in parts]


CASES = {  # of the data, of the trainer
    "one step": ((12,), {"max_epochs": 1}),
    "odd training and validation": ((29, 5), {"max_epochs": 3}),
    "clipping": ((28,), {"max_epochs": 3, "gradient_clip_val": 0.1}),
    "warm-up": ((28,), {"max_epochs": 3, "warmup": 4}),
    "bfloat16": ((28,), {"max_epochs": 3, "precision": "bf16-mixed"}),
}


def train(seed, data, **options):
    """What a training leaves behind: parameters, gradients, history, and more."""
    torch.manual_seed(seed)
    model = d2l.Classifier()
    model.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    model.lr, model.board.display = 0.5, False
    inputs, trainer = [], d2l.Trainer(**options)
    model.register_forward_pre_hook(lambda model, args: inputs.append(args[0]))
    trainer.fit(model, data)
    return {
        "parameters": [p.detach().cpu() for p in model.parameters()],
        "gradients": [p.grad.cpu() for p in model.parameters()],
        "history": trainer.history.to_dict("list"),
        "points": sum(map(len, model.board.data.values())),
        "inputs": torch.cat(inputs).cpu(),
        "device": inputs[0].device.type,
    }


def copying():
    """A model that copies, and batches as a list."""
    sizes = 19, 8, 16, 2, 1, 0
    encoder, decoder = d2l.TransformerEncoder(*sizes), d2l.TransformerDecoder(*sizes)
    data = d2l.Copying(num_batches=4, batch_size=12, max_len=6)
    inputs = data.train_dataloader()[0][:-1]
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=-1, lr=0.01)
    model(*inputs)  # lazy layers are drawn before the order of the data could matter
    # Adam makes steps of rounding errors, where a gradient is 0 but for them.
    return model.double(), data


def experts():
    """A GPT whose experts are balanced, and windows of a text."""
    config = d2l.GPTConfig(42, 24, 2, 4, max_len=8, ffn_num_hiddens=12)
    options = {"num_experts": 6, "top_k": 2, "balance_rate": 0.01}
    model = d2l.ExpertGPT(config, **options)
    text = torch.randint(42, (400,), generator=torch.Generator().manual_seed(0))
    return model, d2l.TokenWindows(text, 3, n=8, batch_size=6)


def digits():
    """A model with lazy layers, and images, in the same order with and without a group."""
    data = d2l.Digits(48, num_train=96)
    if not dist.is_initialized():
        data.batch_sampler = lambda images, train: BatchSampler(
            DistributedSampler(images, 1, 0, shuffle=train), 48, drop_last=False
        )
    return d2l.ViT(8, 2, 8, 16, 2, 1, 0, 0), data


def look_up():
    """A model, and images that are drawn when their turn comes."""
    model, data = d2l.ViT(24, 8, 8, 16, 2, 1, 0, 0), d2l.LookUp(12, num_batches=3)
    model(data.val[0][:2])  # lazy layers are drawn before the images
    return model, data


def train_own(make, seed=0, **options):
    """The weights and buffers after training a model of the course on its own data."""
    torch.manual_seed(seed)
    model, data = make()
    if make in (experts, look_up):
        torch.manual_seed(1)  # the same windows and images in all processes
    model.board.display = False
    d2l.Trainer(max_epochs=1, **options).fit(model, data)
    return whole_state(model)


def whole_state(model):
    """The whole weights and buffers of a model of which each process may have a part."""
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    return {name: W.to("cpu", copy=True) for name, W in state.items()}


OWN = copying, experts, digits, look_up


def held(**options):
    """How many numbers a process holds of a sharded model, and how many there are."""
    torch.manual_seed(0)
    model, data = experts()
    d2l.Trainer(max_epochs=1, sharding="full", **options).fit(model, data)
    weights = [*model.parameters()]
    return sum(W.to_local().numel() for W in weights), sum(W.numel() for W in weights)


def divided(seed, device):
    """A GPT and its optimizer; a group divides its heads and hidden units."""
    torch.manual_seed(seed)
    sizes = {"max_len": 8, "num_kv_heads": 6, "ffn_num_hiddens": 48}
    parts = {"norm": "rms", "ffn": "swiglu", "positions": "rotary"}
    model = d2l.GPT(d2l.GPTConfig(40, 24, 2, 6, **sizes, **parts)).to(device)
    if dist.is_initialized():
        mesh = init_device_mesh(device.type, (dist.get_world_size(),))
        columns, rows = ("W_q", "W_k", "W_v", "ffn.gate", "ffn.up"), ("W_o", "ffn.down")
        plan = {name: ColwiseParallel() for name in columns}
        plan |= {name: RowwiseParallel() for name in rows}
        for blk in model.blks:
            parallelize_module(blk, mesh, plan)
    # With foreach a step would take whole and divided weights together, and cannot.
    options = {"lr": 0.5, "momentum": 0.9, "foreach": False}
    return model, torch.optim.SGD(model.parameters(), **options)


def train_divided(num_gpus=0, folder=None):
    """The losses and the weights of that GPT, stored and read in between in a folder."""
    device = d2l.Trainer(1, num_gpus).device
    model, optimizer = divided(0, device)
    tokens = torch.randint(40, (6, 9), generator=torch.Generator().manual_seed(0))
    losses = []
    for i, batch in enumerate([tokens.to(device)] * 4):
        if i == 2 and folder is not None:
            state = dict(zip(("model", "optim"), get_state_dict(model, optimizer)))
            dcp.save(state, checkpoint_id=folder)
            model, optimizer = divided(1, device)
            state = dict(zip(state, get_state_dict(model, optimizer)))
            dcp.load(state, checkpoint_id=folder)
            parts = {f"{name}_state_dict": part for name, part in state.items()}
            set_state_dict(model, optimizer, **parts)
        optimizer.zero_grad()
        loss = model.loss(model(batch[:, :-1]), batch[:, 1:])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, whole_state(model)


def missed(folder, rank, num_processes):
    """The message of process 0, which trains while the others do not."""
    store = dist.FileStore(str(folder / "store"), num_processes)
    group = {"rank": rank, "world_size": num_processes, "timeout": timedelta(seconds=3)}
    dist.init_process_group("gloo", store=store, **group)
    message = ""
    if rank == 0:
        try:
            train(0, Data(12), max_epochs=1)
        except RuntimeError as error:
            message = str(error)
        store.set("ended", "")
    store.wait(["ended"], timedelta(seconds=60))
    return message


def main(folder, num_gpus):
    """Train every case and save what is left of it."""
    # A machine with a GPU also has the processes that train on the CPU.
    dist.init_process_group(None if num_gpus else "gloo")
    rank, num_processes = dist.get_rank(), dist.get_world_size()
    options = {"seed": rank, "num_gpus": num_gpus}  # the models start with other weights
    results = {
        name: train(data=Data(*sizes), **options, **case)
        for name, (sizes, case) in CASES.items()
    }
    results["own"] = [train_own(make, **options) for make in OWN]
    results["held"] = held(num_gpus=num_gpus)
    results["sharded"] = [train_own(make, sharding="full", **options) for make in OWN]
    saving = {"precision": "bf16-mixed", "accumulate": 2, "gradient_checkpointing": True}
    results["saving"] = [
        train_own(experts, sharding=sharding, **saving, **options)
        for sharding in (None, "full")
    ]
    divided_folders = None, folder / "divided"
    results["divided"] = [train_divided(num_gpus, path) for path in divided_folders]
    text = torch.arange(200) % 40
    gpt = d2l.train_gpt(text, 2, vocab_size=40, num_hiddens=8, n=8, batch_size=12)
    results["gpt"] = whole_state(gpt)
    if num_processes > 1:
        odd = d2l.Copying(num_batches=1, batch_size=5)
        other = Data(12)
        other.X = other.X + rank
        refused = [Data(12, batch_size=5), Expected(1, 12), odd, other]
        fit = d2l.Trainer(max_epochs=1).fit
        messages = [d2l.error_message(fit, d2l.Classifier(), data) for data in refused]
        results["errors"] = messages
    dist.destroy_process_group()
    if num_processes > 1:
        results["missed"] = missed(folder, rank, num_processes)
    torch.save(results, folder / f"{rank}.pt")


def torchrun(number):
    """The options of Python that start a script in so many processes."""
    options = "--standalone", "--nproc-per-node", str(number)
    return "-m", "torch.distributed.run", *options


GPU = torch.cuda.is_available()  # without one, its case runs on the CPU
SEVERAL = [2, pytest.param(3, marks=pytest.mark.weekly)]
ONE = pytest.param(1, marks=pytest.mark.gpu if GPU else pytest.mark.weekly, id="1 on a GPU")
ALL = [*SEVERAL, ONE]


@pytest.fixture(scope="module", params=ALL)
def results(request, tmp_path_factory):
    """The results of so many processes that torchrun started; of one, on a GPU."""
    number, folder = request.param, tmp_path_factory.mktemp("processes")
    num_gpus = int(number == 1)
    command = [sys.executable, *torchrun(number), __file__, str(folder), str(num_gpus)]
    env = os.environ if num_gpus else os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    options = {"capture_output": True, "encoding": "utf-8", "timeout": 600}
    done = subprocess.run(command, env=env, **options)
    assert done.returncode == 0, done.stderr
    return [torch.load(folder / f"{rank}.pt") for rank in range(number)]


def alone(results, call, *args, **options):
    """What a call gives in this process, on the device of the processes."""
    return call(*args, num_gpus=int(len(results) == 1), **options)


@pytest.mark.parametrize("name", CASES)
def test_processes_train_as_one_does_on_the_same_batches(results, name):
    first, *others = (result[name] for result in results)
    sizes, options = CASES[name]
    expected = alone(results, train, 0, Expected(len(results), *sizes), **options)
    tolerance = 1e-2 if name == "bfloat16" else 1e-5
    for key in ("parameters", "gradients", "history"):
        for other in others:
            torch.testing.assert_close(first[key], other[key], rtol=0, atol=0)
        close = {"rtol": tolerance, "atol": tolerance}
        torch.testing.assert_close(first[key], expected[key], **close)
    points = [other["points"] for other in others]
    assert (first["points"], points) == (expected["points"], [0] * len(others))
    assert first["device"] == ("cuda" if GPU and not others else "cpu")


def test_each_process_reads_its_own_part_of_the_examples(results):
    parts = [result["one step"]["inputs"] for result in results]
    parts = [{*map(tuple, part.tolist())} for part in parts]
    own = 12 // len(results) + 6 // len(results)  # training and validation
    assert [len(part) for part in parts] == [own] * len(results)
    assert set.union(*parts) == {*map(tuple, Data(12).X.tolist())}


@pytest.mark.parametrize("results", SEVERAL, indirect=True)
def test_batches_and_loaders_that_cannot_be_divided_are_refused(results):
    indivisible = f"batch_size must be divisible by {len(results)}, the processes, and is 5"
    for result in results:
        size, sampler, own_size, other = result["errors"]
        assert size == own_size == indivisible
        assert sampler == "the training loader must have a DistributedSampler"
        assert "must be the same in all processes" in other


@pytest.mark.parametrize("make", OWN)
def test_models_and_data_of_the_course_are_trained_by_processes(make, results):
    first, *others = (result["own"][OWN.index(make)] for result in results)
    for other in others:
        torch.testing.assert_close(first, other, rtol=0, atol=0)
    expected = alone(results, train_own, make)
    torch.testing.assert_close(first, expected, rtol=1e-4, atol=1e-5)
    if make is experts:
        assert first["blks.0.ffn.bias"].any()


@pytest.mark.parametrize("make", OWN)
def test_processes_with_parts_of_a_model_train_it_as_those_with_copies(make, results):
    for result in results:
        parts, copies = (result[name][OWN.index(make)] for name in ("sharded", "own"))
        torch.testing.assert_close(parts, copies, rtol=1e-4, atol=1e-5)


def test_all_that_saves_memory_works_together_with_copies_and_with_parts(results):
    for result in results:
        copies, parts = result["saving"]
        torch.testing.assert_close(parts, copies, rtol=1e-2, atol=1e-2)
        torch.testing.assert_close(parts, result["own"][1], rtol=2e-2, atol=2e-2)


def test_processes_with_parts_hold_equal_ones_and_together_the_model(results):
    parts, (whole, *_) = zip(*(result["held"] for result in results))
    assert sum(parts) == whole
    assert max(parts) < 1.1 * whole / len(results)


def test_a_gpt_whose_layers_are_divided_is_trained_and_stored_as_a_whole_one(results):
    losses, state = alone(results, train_divided)
    for result in results:
        for own in result["divided"]:
            torch.testing.assert_close(own, (losses, state), rtol=1e-4, atol=1e-5)
    assert losses[-1] < losses[0]


def test_a_gpt_is_trained_by_processes(results):
    first, *others = (result["gpt"] for result in results)
    assert all(W.isfinite().all() for W in first.values())
    for other in others:
        torch.testing.assert_close(first, other, rtol=0, atol=0)


@pytest.mark.parametrize("results", SEVERAL, indirect=True)
def test_processes_that_do_not_come_to_fit_are_missed(results):
    assert results[0]["missed"] == (
        f"not all of the {len(results)} processes came to the same place of Trainer.fit "
        "within the time-out of the group: start as many as WORLD_SIZE says, on every "
        "machine, and call fit in all of them"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), num_gpus=int(sys.argv[2]))
