"""Training with several processes. This file is also the script that torchrun starts."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn

import d2lmini as d2l


class Data(d2l.DataModule):
    def __init__(self, num_train, num_val=6, batch_size=8):
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
    """The same batches for one process: shuffled by epoch, and even by repetition."""

    def get_dataloader(self, train):
        return self if train else self.batches(self.rows(False))

    def __len__(self):
        return len(self.batches(self.rows(True)))

    def __iter__(self):  # once in an epoch
        self.epoch = getattr(self, "epoch", -1) + 1
        generator = torch.Generator().manual_seed(self.epoch)
        yield from self.batches(torch.randperm(self.num_train, generator=generator))

    def batches(self, rows):
        rows = [*rows, *rows[: len(rows) % 2]]
        parts = torch.tensor(rows).split(self.batch_size)
        return [(self.X[part], self.y[part]) for part in parts]


CASES = {  # of the data, of the trainer
    "one step": ((8,), {"max_epochs": 1}),
    "odd training and validation": ((29, 5), {"max_epochs": 3}),
    "clipping": ((28,), {"max_epochs": 3, "gradient_clip_val": 0.1}),
    "warm-up": ((28,), {"max_epochs": 3, "warmup": 4}),
    "bfloat16": ((28,), {"max_epochs": 3, "precision": "bf16-mixed"}),
}


def train(seed, data, options):
    """What a training leaves behind: parameters, gradients, history, and more."""
    torch.manual_seed(seed)
    model = d2l.Classifier()
    model.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    model.lr, model.board.display = 0.5, False
    inputs, trainer = [], d2l.Trainer(num_gpus=0, **options)
    model.register_forward_pre_hook(lambda model, args: inputs.append(args[0]))
    trainer.fit(model, data)
    return {
        "parameters": [p.detach() for p in model.parameters()],
        "gradients": [p.grad for p in model.parameters()],
        "history": trainer.history.to_dict("list"),
        "points": sum(map(len, model.board.data.values())),
        "inputs": torch.cat(inputs),
    }


def copying():
    """A model that copies, and batches as a list."""
    sizes = 19, 8, 16, 2, 1, 0
    encoder, decoder = d2l.TransformerEncoder(*sizes), d2l.TransformerDecoder(*sizes)
    data = d2l.Copying(num_batches=4, batch_size=8, max_len=6)
    inputs = data.train_dataloader()[0][:-1]
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=-1, lr=0.01)
    model(*inputs)  # lazy layers are drawn before the order of the data could matter
    # Adam makes steps of rounding errors, where a gradient is 0 but for them.
    return model.double(), data


def experts():
    """A GPT whose experts are balanced, and windows of a text."""
    config = d2l.GPTConfig(40, 24, 2, 4, max_len=8, ffn_num_hiddens=8)
    options = {"num_experts": 4, "top_k": 2, "balance_rate": 0.01}
    model = d2l.ExpertGPT(config, **options)
    text = torch.randint(40, (400,), generator=torch.Generator().manual_seed(0))
    return model, d2l.TokenWindows(text, 3, n=8, batch_size=4)


def digits():
    """A model with lazy layers, and images."""
    return d2l.ViT(8, 2, 8, 16, 2, 1, 0, 0), d2l.Digits(64, num_train=128)


def train_own(make, seed=0):
    """The weights and buffers after training a model of the course on its own data."""
    torch.manual_seed(seed)
    model, data = make()
    if make is experts:
        torch.manual_seed(1)  # the same windows in all processes
    model.board.display = False
    d2l.Trainer(max_epochs=1).fit(model, data)
    return {name: W.detach().clone() for name, W in model.state_dict().items()}


OWN = copying, experts, digits


def main(folder):
    """Train every case and save what is left of it."""
    dist.init_process_group()
    rank = dist.get_rank()  # also the seed: the processes start with other models
    results = {
        name: train(rank, Data(*sizes), options) for name, (sizes, options) in CASES.items()
    }
    results["own"] = [train_own(make, seed=rank) for make in OWN]
    text = torch.arange(200) % 40
    results["gpt"] = d2l.train_gpt(text, 2, vocab_size=40, num_hiddens=8, n=8).state_dict()
    odd = d2l.Copying(num_batches=1, batch_size=3)
    refused = [Data(8, batch_size=5), Expected(8), odd]
    fit = d2l.Trainer(max_epochs=1).fit
    results["errors"] = [d2l.error_message(fit, d2l.Classifier(), data) for data in refused]
    torch.save(results, folder / f"{rank}.pt")
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The results of two processes that torchrun started."""
    folder = tmp_path_factory.mktemp("processes")
    torchrun = "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"
    command = [sys.executable, *torchrun, __file__, str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stderr
    return [torch.load(folder / f"{rank}.pt") for rank in (0, 1)]


@pytest.mark.parametrize("name", CASES)
def test_two_processes_train_as_one_process_does_on_the_same_batches(both, name):
    first, second = (results[name] for results in both)
    sizes, options = CASES[name]
    alone = train(0, Expected(*sizes), options)
    tolerance = 1e-2 if name == "bfloat16" else 1e-5
    for key in ("parameters", "gradients", "history"):
        torch.testing.assert_close(first[key], second[key], rtol=0, atol=0)
        torch.testing.assert_close(first[key], alone[key], rtol=tolerance, atol=tolerance)
    assert (first["points"], second["points"]) == (alone["points"], 0)


def test_each_process_reads_its_own_half_of_the_examples(both):
    halves = [results["one step"]["inputs"] for results in both]
    halves = [{*map(tuple, half.tolist())} for half in halves]
    assert [len(half) for half in halves] == [4 + 3, 4 + 3]  # training and validation
    assert halves[0] | halves[1] == {*map(tuple, Data(8).X.tolist())}


def test_batches_and_loaders_that_cannot_be_divided_are_refused(both):
    for results in both:
        size, sampler, own_size = results["errors"]
        assert size == "batch_size must be divisible by 2, the processes, and is 5"
        assert sampler == "the training loader must have a DistributedSampler"
        assert own_size == "batch_size must be divisible by 2, the processes, and is 3"


@pytest.mark.parametrize("make", OWN)
def test_models_and_data_of_the_course_are_trained_by_several_processes(make, both):
    first, second = (results["own"][OWN.index(make)] for results in both)
    torch.testing.assert_close(first, second, rtol=0, atol=0)
    if make is not digits:  # where the sampler's order is another one
        torch.testing.assert_close(first, train_own(make), rtol=1e-4, atol=1e-5)
    if make is experts:
        assert first["blks.0.ffn.bias"].any()


def test_a_gpt_is_trained_by_several_processes(both):
    first, second = (results["gpt"] for results in both)
    torch.testing.assert_close(first, second, rtol=0, atol=0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
