"""Measure this course's Transformer against d2l 1.0.3 and torch.nn.

    .venv/bin/python tools/bench.py [--threads 2] [--repeats 9] [--only train] [--quick]

All have the same weights, batches and sizes, those of d2l's chapter. They take turns in
one process, and the table shows our median, and the medians of the ratios to ours.

- decode: greedily, 64 sentences of the phrasebook, without gradients. No model stops
  early. torch.nn has no counterpart. Below is d2l's ratio to a bare loop over PyTorch's
  operations, which writes the same tokens and does as little else as it can, and the
  time beyond it that a step of ours takes for modules, checks and the state.
- train: one step of each library's `Trainer.fit_epoch` without the board; torch.nn's
  blocks stand in our model. First all must give the same loss without dropout. Below is
  the share of the peak of a 1,024^3 product that a step reaches.
- profile: where our time goes. "At most" is what d2l's ratio would be, did ours hold
  nothing but matrix products, fused attention and the random numbers of dropout, as
  fast as PyTorch has them.
- memory: what a forward and backward pass of two sentences, 1,024 and 512 tokens, adds
  to the resident memory (VmHWM on Linux) of a fresh process, after a small pass.
- fit: 30 epochs of 4 batches, with the figure, rendered as a notebook does: d2l's each
  time it calls `display` and when the cell ends, ours when the cell ends.
- import: after torch, in fresh processes. A stub takes the place of d2l's torchvision.
"""

import argparse
import contextlib
import io
import json
import math
import multiprocessing
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import torch
from oracle import load_d2l
from rivals import SIZES, BareLoop, make_models, padding_mask, set_dropout
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

import d2lmini

NEEDED = {  # what no implementation can do without, by the names of PyTorch on a CPU
    "products": {
        *(f"aten::{name}" for name in ("mm", "addmm", "bmm", "baddbmm")),
        *("aten::mkldnn_convolution", "aten::convolution_backward"),  # of linear layers
        "mkldnn::_linear_pointwise",
        "aten::_scaled_dot_product_flash_attention_for_cpu",
    },
    "random numbers": {"aten::random_"},  # of dropout, drawn one after another
}
SIDE = 1024  # of the square matrices whose product gives the peak
OUT = Path(__file__).resolve().parent.parent / "_build" / "bench.json"


def main():
    """Run the benchmarks, print a table, and write the numbers to a file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=9, help="turns of each row")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--only", choices=BENCHMARKS, help="one group of rows")
    parser.add_argument("--quick", action="store_true", help="few turns and epochs")
    options = parser.parse_args()
    options.repeats = 2 if options.quick else options.repeats
    torch.set_num_threads(options.threads)
    matplotlib.use("Agg")
    machine, rows = describe_machine(options.threads), []
    print(", ".join(f"{name} {value}" for name, value in machine.items()))
    print(f"\n{'':46}{'ours':>9}{'d2l':>8}{'torch.nn':>10}   bar")
    for name in [options.only] if options.only else BENCHMARKS:
        for row in BENCHMARKS[name](options):
            rows.append(row)
            ratios = [f"{row[n]:.2f}x" if row[n] else "-" for n in ("d2l", "torch.nn")]
            print(
                f"{row['what']:46}{row['ours']:9.1f}{ratios[0]:>8}{ratios[1]:>10}", end=""
            )
            met = "" if row["met"] else "NOT "
            print(f"   >= {row['bar']}x {met}met" if row["bar"] else "", flush=True)
            for remark in row["remarks"]:
                print(f"    {remark}")
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"machine": machine, "rows": rows}, indent=2) + "\n")
    print(f"\nThe numbers are in {OUT.relative_to(OUT.parent.parent)}.")


def describe_machine(threads):
    """What the numbers depend on, with the peak of single-precision products."""
    cpuinfo = Path("/proc/cpuinfo")
    name = re.search(
        "model name\\s*: (.*)", cpuinfo.read_text() if cpuinfo.exists() else ""
    )
    peak = 2 * SIDE**3 / min(take_turns({"peak": product()}, 20)["peak"]) / 1e9
    return {
        "threads": threads,
        "torch": torch.__version__,
        "CPU": name[1] if name else platform.machine(),
        "load": round(os.getloadavg()[0], 1),
        "peak GFLOP/s": round(peak, 1),
    }


def product():
    """A function that takes one product of square matrices."""
    a, b, c = (torch.ones(SIDE, SIDE) for _ in range(3))
    return lambda: torch.mm(a, b, out=c)


def timed(function, least=0.2):
    """The seconds that a call takes, the mean of as many as fill the least seconds.

    So what the party before has left in the caches does not count.
    """
    calls, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < least or not calls:
        function()
        calls += 1
    return seconds / calls


def take_turns(parties, repeats, measure=timed):
    """What is measured of each named party, turn by turn, after a first for nothing."""
    turns = [
        {name: measure(party) for name, party in parties.items()}
        for _ in range(repeats + 1)
    ]
    return {name: [turn[name] for turn in turns[1:]] for name in parties}


def median_ratio(tops, bottoms):
    """The median of the ratios of values that were measured in the same turn."""
    return statistics.median(
        top / bottom for top, bottom in zip(tops, bottoms, strict=True)
    )


def growth(sizes, values):
    """The exponent p of the power size^p that the values follow best."""
    xs, ys = ([math.log(value) for value in side] for side in (sizes, values))
    return statistics.linear_regression(xs, ys).slope


def make_row(what, measured, bar=None, scale=1e3):
    """A row of the table: our median times the scale, and the ratios of others to us."""
    row = {"what": what, "ours": scale * statistics.median(measured["ours"])}
    for name in ("d2l", "torch.nn"):
        values = measured.get(name)
        row[name] = median_ratio(values, measured["ours"]) if values else None
    met = bar and row["d2l"] >= bar
    return {**row, "bar": bar, "met": met, "measured": measured, "remarks": []}


def add_profile(row, function):
    """Add to a row how much of our time goes where, and what that allows at most."""
    with profile(activities=[ProfilerActivity.CPU], acc_events=True) as record:
        function()
    times = {event.key: event.self_cpu_time_total for event in record.key_averages()}
    row["profile"] = {
        name: sum(times.get(key, 0) for key in keys) / sum(times.values())
        for name, keys in NEEDED.items()
    }
    row["at_most"] = row["d2l"] / sum(row["profile"].values())
    shares = ", ".join(f"{name} {share:.0%}" for name, share in row["profile"].items())
    row["remarks"].append(f"profile: {shares}; at most {row['at_most']:.1f}x")


def check_losses(models, batch, tolerance=1e-4):
    """Raise ValueError unless the models, without dropout, have one loss on the batch."""
    losses = {}
    for name, model in models.items():
        model.train().plot = lambda *args, **kwargs: None  # there is no trainer yet
        losses[name] = model.training_step(batch).item()
    if max(losses.values()) - min(losses.values()) > tolerance:
        raise ValueError(f"the models must have the same training loss, not {losses}")


def measure_decoding(options):
    """Greedy decoding, and how its time grows with the number of tokens."""
    data = d2lmini.MTFraEng(128)
    batch, models = [part[:64] for part in data.arrays], make_models(data)
    check_losses(models, batch)
    lengths, medians = [9, 32, 128], {"ours": [], "d2l": []}

    @torch.no_grad()
    def decode(model):
        tokens, _ = model.predict_step(batch, torch.device("cpu"), n)
        assert tokens.shape == (64, n), "a model must write all its tokens"

    parties = {name: models[name].eval() for name in medians}
    parties["bare"] = BareLoop(models["ours"], len(batch[0]))
    for n, bar in zip(lengths, [2.3, 4.5, 8]):
        repeats = options.repeats if n < 100 else math.ceil(options.repeats / 3)
        measured = take_turns(parties, repeats, lambda model: timed(lambda: decode(model)))
        row = make_row(f"greedy decoding, 64 x {n} tokens, ms", measured, bar)
        for name, values in medians.items():
            values.append(statistics.median(measured[name]))
        if n == lengths[-1]:
            row["growth"] = {name: growth(lengths, medians[name]) for name in medians}
            met = "met" if row["growth"]["ours"] <= 1.2 else "NOT met"
            powers = "ours n^{ours:.2f}, d2l n^{d2l:.2f}".format(**row["growth"])
            row["remarks"].append(f"growth with the tokens: {powers}; bar n^1.2 {met}")
        row["bare"] = median_ratio(measured["d2l"], measured["bare"])
        gaps = [a - b for a, b in zip(measured["ours"], measured["bare"], strict=True)]
        row["over bare"] = 1e6 * statistics.median(gaps) / n
        over = f"over it ours has {row['over bare']:.0f} µs a step"
        row["remarks"].append(f"a bare loop: {row['bare']:.2f}x; {over}")
        add_profile(row, lambda: decode(models["ours"]))
        yield row


def measure_training(options):
    """A training step, and how far it is from the peak of the machine."""
    data = d2lmini.MTFraEng(128)
    for what, batch, bar in [
        ("128 x 9 tokens", [part[:128] for part in data.arrays], 1.4),
        ("16 x 128 tokens", random_batch(data, 64), 1.8),
        ("16 x 128, no padding", random_batch(data, 128), None),
    ]:
        models, parties = make_models(data), {"peak": product()}
        check_losses(models, batch)
        for name, model in models.items():
            parties[name] = training_step(set_dropout(model, options.dropout), batch)
        measured = take_turns(parties, options.repeats)
        row = make_row(f"training step, {what}, ms", measured, bar)
        row["flops"] = {name: count_flops(parties[name]) for name in models}
        row["share"] = {  # of the peak, as it was in the same turn
            name: flops / 2 / SIDE**3 * median_ratio(measured["peak"], measured[name])
            for name, flops in row["flops"].items()
        }
        shares = ", ".join(f"{name} {share:.0%}" for name, share in row["share"].items())
        row["remarks"].append(f"share of the peak: {shares}")
        add_profile(row, parties["ours"])
        yield row


def training_step(model, batch):
    """A function that trains once on the batch, as `fit` would, without the board."""
    library = d2lmini if isinstance(model, d2lmini.Module) else load_d2l()
    trainer = library.Trainer(max_epochs=1, gradient_clip_val=1)
    trainer.prepare_model(model)
    trainer.optim = model.configure_optimizers()
    trainer.train_dataloader, trainer.val_dataloader = [batch], None
    trainer.train_batch_idx = 0
    return trainer.fit_epoch


def random_batch(data, least, b=16, n=128):
    """A batch for the data's vocabularies: sentences of `least` to n random tokens."""
    generator = torch.Generator().manual_seed(0)
    size, pad = min(len(data.src_vocab), len(data.tgt_vocab)), data.tgt_vocab["<pad>"]
    src, tgt, labels = torch.randint(pad + 1, size, (3, b, n), generator=generator)
    lengths = torch.randint(least, n + 1, (2, b), generator=generator, dtype=torch.int32)
    lengths[:, 0] = n
    labels[padding_mask(labels, lengths[1])] = pad
    return src, tgt, lengths[0], labels


def count_flops(step):
    """The floating-point operations in the matrix products of a step."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        step()  # not fused, which the counter only knows on GPUs
    return counter.get_total_flops()


def measure_memory(options):
    """The memory of a forward and backward pass at 1,024 tokens."""
    for what, dropout, bar in [
        ("encoder", options.dropout, 2),
        ("encoder", 0.0, None),
        ("self-attention", options.dropout, 2),
        ("self-attention", 0.0, None),
    ]:
        measured = {"ours": [], "d2l": [], "torch.nn": []}
        for name in 3 * [*measured]:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                arguments = name, what, dropout, options.threads
                measured[name].append(pool.apply(peak_memory, arguments))
        yield make_row(f"memory, {what}, dropout {dropout}, MB", measured, bar, scale=1)


def peak_memory(name, what, dropout, threads):
    """The megabytes that a forward and backward pass adds to this process."""
    torch.set_num_threads(threads)
    models = make_models(d2lmini.MTFraEng(128), max_len=1024)
    encoder = set_dropout(models[name], dropout).train().encoder

    def run(n):
        lengths = torch.tensor([n, n // 2])
        X = torch.ones(2, n, SIZES[0], requires_grad=True)
        if what == "encoder":
            output = encoder(X[..., 0].long(), lengths)
        else:
            output = encoder.blks[0].attention(X, X, X, lengths)
        output.sum().backward()
        encoder.zero_grad()

    run(16)  # what the first pass of a process loads does not count
    one = torch.ones(1, requires_grad=True)
    checkpoint(torch.sin, one, use_reentrant=False).backward()  # nor what this loads
    Path("/proc/self/clear_refs").write_text("5")  # sets VmHWM back
    before = resident("VmRSS")
    run(1024)
    return resident("VmHWM") - before


def resident(key):
    """The resident megabytes of this process, now (VmRSS) or at most (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{key}:\s*(\d+)", status)[1]) / 1024


def measure_fit(options):
    """Training as a reader runs it, with the figure below the cell."""
    data, d2l, epochs = d2lmini.MTFraEng(128), load_d2l(), 3 if options.quick else 30
    d2l.display = SimpleNamespace(display=render, clear_output=lambda wait: None)
    d2l.use_svg_display = lambda: None  # it would look for a notebook
    theirs = d2l.DataModule()  # the same sentences, with the loaders of d2l
    theirs.batch_size = data.batch_size
    theirs.get_dataloader = lambda train: theirs.get_tensorloader(
        data.get_dataloader(train).dataset.tensors, train
    )

    def fit(library):
        name = "d2l" if library is d2l else "ours"
        model = set_dropout(make_models(data)[name], options.dropout)
        trainer = library.Trainer(max_epochs=epochs, gradient_clip_val=1)
        d2lmini.plt.close("all")
        start = time.perf_counter()
        with contextlib.redirect_stderr(io.StringIO()):  # ours has a bar
            trainer.fit(model, theirs if library is d2l else data)
        render(model.board.fig)
        return time.perf_counter() - start

    parties, repeats = {"ours": d2lmini, "d2l": d2l}, math.ceil(options.repeats / 3)
    yield make_row(f"fit, {epochs} epochs, ms", take_turns(parties, repeats, fit), 2)


def render(figure):
    """Draw the figure as a notebook does."""
    from IPython.core.pylabtools import print_figure

    print_figure(figure, fmt="svg", bbox_inches="tight")


def measure_import(options):
    """The time that importing takes once torch is there."""

    def import_afresh(statement):
        code = "import sys, time, torch; sys.path.insert(0, sys.argv[1]); import oracle\n"
        code += f"start = time.perf_counter(); {statement}; end = time.perf_counter()\n"
        command = [
            sys.executable,
            "-c",
            f"{code}print(end - start)",
            OUT.parents[1] / "tools",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout)

    parties = {"ours": "import d2lmini", "d2l": "oracle.load_d2l()"}
    measured = take_turns(parties, options.repeats, import_afresh)
    yield make_row("import, after torch, ms", measured, 2)


BENCHMARKS = {
    "decode": measure_decoding,
    "train": measure_training,
    "memory": measure_memory,
    "fit": measure_fit,
    "import": measure_import,
}


if __name__ == "__main__":
    main()
