"""How much time and memory this course's Transformer needs, beside d2l 1.0.3 and torch.nn.

The candidates have the same weights, batches and sizes, those of d2l's chapter. A ratio
is what a baseline needs divided by what ours needs. With ONLY, one group of rows is
measured and printed, and no table written:

decoding  greedy, 64 sentences of the phrasebook, all steps
training  a step of `Trainer.fit_epoch` with dropout; for torch.nn, PyTorch's layers are
          the blocks of our model; "bf16" is ours with precision="bf16-mixed", where the
          CPU has instructions for it, against d2l in single precision
memory    what a forward and backward pass of self-attention over 1,024 tokens adds to
          the peak memory of a fresh process (on Linux)
fit       20 epochs of 4 batches with the figure, which d2l renders at every point
import    the import of the library after that of torch, in fresh processes
compile   a forward and backward pass of a GPT by torch.compile, where there is a C++
          compiler, against the same model as it is; compiling itself does not count
"""

import contextlib
import io
import multiprocessing
import re
import shutil
import subprocess
import sys
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import NamedTuple

import matplotlib
import torch
from IPython.core.pylabtools import print_figure
from torch.utils.benchmark import Timer

import d2lmini
from experiments import results
from tools import ROOT
from tools import d2l_reference as reference

SIZES = 256, 64, 4, 2  # num_hiddens, ffn_num_hiddens, num_heads, num_blks
BOOK = reference.load_book()  # d2l, with the models of its chapters
COLUMNS = "measurement", "this course", "baseline", "its value", "ratio"


class Row(NamedTuple):
    """What is compared: a function for each candidate, of which "ours" is the first."""

    title: str
    candidates: dict[str, Callable]
    measure: Callable | None = None  # by default, the time of a call in milliseconds


def make_models(data, dropout, sizes=SIZES):
    """The same Transformer with the same weights, as a model of each candidate."""
    torch.manual_seed(0)
    src, tgt = len(data.src_vocab), len(data.tgt_vocab)
    models = {}
    for name, library, Seq2Seq in [
        ("ours", d2lmini, d2lmini.Seq2Seq),
        ("d2l", BOOK, reference.d2l_seq2seq(BOOK)),
    ]:
        encoder = library.TransformerEncoder(src, *sizes, dropout)
        decoder = library.TransformerDecoder(tgt, *sizes, dropout)
        models[name] = Seq2Seq(encoder, decoder, data.tgt_vocab["<pad>"], lr=0.001)
    models["d2l"].load_state_dict(models["ours"].state_dict())
    return models | {"torch.nn": reference.with_torch_layers(models["ours"])}


def check_losses(models, batch, tolerance=1e-4):
    """Raise ValueError unless models without dropout have the same training loss."""
    *inputs, labels = batch
    losses = [model.train().loss(model(*inputs), labels) for model in models.values()]
    if max(losses) - min(losses) > tolerance:
        raise ValueError(f"the models must have the same training loss, not {losses}")


# --- the rows ------------------------------------------------------------------------


def decoding_rows():
    data = d2lmini.MTFraEng(128)
    batch = [part[:64] for part in data.arrays]
    models = make_models(data, dropout=0)
    check_losses(models, batch)
    for num_steps in (9, 32, 128):
        title = f"decoding 64 sentences, {num_steps} tokens each, ms"
        ours, theirs = (
            partial(decode, models[k], batch, num_steps) for k in ("ours", "d2l")
        )
        yield Row(title, {"ours": ours, "d2l": theirs})


@torch.no_grad()
def decode(model, batch, num_steps):
    """Translate a batch greedily."""
    tokens, _ = model.eval().predict_step(batch, torch.device("cpu"), num_steps)
    assert tokens.shape == (len(batch[0]), num_steps), "all steps must be taken"


def training_rows():
    data, cpuinfo = d2lmini.MTFraEng(128), Path("/proc/cpuinfo")
    short = [part[:128] for part in data.arrays]
    has_bf16 = cpuinfo.exists() and "bf16" in cpuinfo.read_text(encoding="utf-8")
    for title, batch in [
        ("a training step, 128 sentences of 9 tokens", short),
        ("a training step, 16 sentences of 128 tokens", random_batch(data)),
    ]:
        check_losses(make_models(data, dropout=0), batch)
        models = make_models(data, dropout=0.2)
        steps = {name: training_step(model, batch) for name, model in models.items()}
        yield Row(f"{title}, ms", steps)
        if has_bf16:
            half = training_step(models["ours"], batch, precision="bf16-mixed")
            candidates = {"ours": half, "d2l": steps["d2l"]}
            yield Row(f"{title}, ours in bfloat16, ms", candidates)


def random_batch(data, batch_size=16, num_steps=128):
    """Sentences of random tokens, half to all of num_steps long."""
    torch.manual_seed(0)
    size, pad = min(len(data.src_vocab), len(data.tgt_vocab)), data.tgt_vocab["<pad>"]
    src, tgt, labels = torch.randint(pad + 1, size, (3, batch_size, num_steps))
    lengths = torch.randint(num_steps // 2, num_steps + 1, (2, batch_size))
    lengths[:, 0] = num_steps
    labels[reference.padding_mask(labels, lengths[1])] = pad
    return src, tgt, lengths[0], labels


def training_step(model, batch, **options):
    """A function that trains once on the batch, as `fit` does, without the board."""
    library = d2lmini if isinstance(model, d2lmini.Module) else BOOK
    trainer = library.Trainer(max_epochs=1, gradient_clip_val=1, **options)
    trainer.train_dataloader, trainer.val_dataloader = [batch], None
    trainer.num_train_batches, trainer.random_states = 1, {}
    trainer.prepare_model(model)
    trainer.optim = model.configure_optimizers()
    model.plot = lambda key, value, train: None

    def step():
        trainer.epoch = trainer.train_batch_idx = 0
        trainer.fit_epoch()

    return step


def memory_rows():
    candidates = {"ours": partial(attend, "ours"), "d2l": partial(attend, "d2l")}
    if Path("/proc/self/clear_refs").exists():
        title = "memory of self-attention, 1,024 tokens, MB"
        yield Row(title, candidates, peak_memory)


def attend(name, num_tokens=1024, num_hiddens=256, num_heads=4):
    """Self-attention without dropout, forward and backward; one text is half padding."""
    library = {"ours": d2lmini, "d2l": BOOK}[name]
    attention = library.MultiHeadAttention(num_hiddens, num_heads, 0)
    X = torch.ones(2, num_tokens, num_hiddens, requires_grad=True)
    attention(X, X, X, torch.tensor([num_tokens, num_tokens // 2])).sum().backward()


def peak_memory(function):
    """The MB that the function adds to the peak memory of a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(added_memory, (function,))


def added_memory(function):
    def resident(key):
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(re.search(rf"{key}:\s+(\d+)", status)[1]) / 1024

    function(16)  # what the first call in a process loads does not count
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # sets the peak back
    before = resident("VmRSS")
    function()
    return resident("VmHWM") - before


def fit_rows(max_epochs=20):
    data, d2l = d2lmini.MTFraEng(128), reference.load_d2l()
    models = make_models(data, dropout=0.2)
    d2l.use_svg_display = lambda: None  # it looks for a notebook
    d2l.display = SimpleNamespace(display=render, clear_output=lambda wait: None)
    candidates = {
        "ours": partial(fit, d2lmini, models["ours"], data.arrays, max_epochs),
        "d2l": partial(fit, d2l, models["d2l"], data.arrays, max_epochs),
    }
    title = f"training for {max_epochs} epochs with its figure, ms"
    yield Row(title, candidates, time_once)


def fit(library, model, arrays, max_epochs):
    """Train with the loaders, the trainer and the board of the library."""
    data = library.DataModule()
    data.batch_size = 128
    data.get_dataloader = lambda train: data.get_tensorloader(
        arrays, train, slice(0, 512) if train else slice(512, None)
    )
    d2lmini.plt.close("all")
    model.board = library.ProgressBoard()
    trainer = library.Trainer(max_epochs=max_epochs, gradient_clip_val=1)
    with contextlib.redirect_stderr(io.StringIO()):  # ours has a progress bar
        trainer.fit(model, data)
    render(d2lmini.plt.gcf())


def render(figure):
    """Draw the figure as a notebook does."""
    print_figure(figure, fmt="svg", bbox_inches="tight")


def import_rows():
    candidates = {"ours": "import d2lmini", "d2l": "d2l_reference.load_d2l()"}
    yield Row("importing the library, ms", candidates, import_time)


def import_time(statement):
    """The milliseconds that the statement takes in a fresh process."""
    setup = f"import sys, torch; sys.path.insert(0, {str(ROOT)!r})"
    setup += "; from tools import d2l_reference"
    options = ["-m", "timeit", "-n", "1", "-r", "1", "-u", "msec", "-s", setup]
    printed = subprocess.check_output(
        [sys.executable, *options, statement], encoding="utf-8"
    )
    return float(re.search(r"([\d.e+]+) msec", printed)[1])


def compile_rows():
    if shutil.which("c++") is None:
        return
    torch.manual_seed(0)
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "max_len": 512}
    model = d2lmini.GPT(d2lmini.GPTConfig(1024, 128, 2, 4, **options))
    tokens = torch.randint(1024, (4, 512))
    forwards = {"ours": torch.compile(model), "uncompiled": model}
    steps = {name: partial(passes, model, f, tokens) for name, f in forwards.items()}
    steps["ours"]()  # compiles
    title = "forward and backward pass of a GPT, compiled, ms"
    yield Row(title, steps)


def passes(model, forward, tokens):
    """A forward and a backward pass, the targets being the inputs."""
    model.zero_grad()
    model.loss(forward(tokens), tokens).backward()


# --- measuring -----------------------------------------------------------------------


def run_time(function, num_threads, min_run_time=0.5):
    """The milliseconds of a call, the median of as many as fill min_run_time seconds."""
    timer = Timer("function()", globals={"function": function}, num_threads=num_threads)
    return 1e3 * timer.blocked_autorange(min_run_time=min_run_time).median


def time_once(function):
    """The milliseconds of one call, of a function that takes seconds."""
    return 1e3 * timeit.timeit(function, number=1)


def compare(row, repeats, num_threads):
    """The rows of the table, one for each baseline, with medians over the repeats.

    The candidates alternate, so that a slow phase of the machine slows all of them.
    """
    measure = row.measure or partial(run_time, num_threads=num_threads)
    measured = [
        {name: measure(candidate) for name, candidate in row.candidates.items()}
        for _ in range(repeats)
    ]
    rows = []
    _, *baselines = row.candidates
    for name in baselines:
        ours, theirs = (median(each[key] for each in measured) for key in ("ours", name))
        ratio = median(values[name] / values["ours"] for values in measured)
        numbers = f"{ours:,.1f}", name, f"{theirs:,.1f}", f"{ratio:.2f}"
        rows.append((row.title, *numbers))
    return rows


GROUPS = {
    "decoding": decoding_rows,
    "training": training_rows,
    "memory": memory_rows,
    "fit": fit_rows,
    "import": import_rows,
    "compile": compile_rows,
}


def tables(threads=2, repeats=3, only=None):
    """The table of all groups."""
    matplotlib.use("Agg")
    torch.set_num_threads(threads)
    origin, rows = results.origin(), []
    for name in [only] if only else GROUPS:
        for row in GROUPS[name]():
            found = compare(row, repeats, threads)
            print(*found, sep="\n", file=sys.stderr, flush=True)
            rows += found
    if not only:
        yield "benchmark", results.table(COLUMNS, rows), origin
