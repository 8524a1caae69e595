"""What tests of all rooms use: the root, random data, comparisons, small data sets."""

import dataclasses
import gzip
import os
import struct

import nbformat
import pytest
import torch

import d2lmini as d2l
from tools.book import downloads

posix = pytest.mark.skipif(os.name == "nt", reason="needs signals, links or a shell")


def random(*shape, seed=0):
    """Normally distributed numbers, the same on every run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def make_gpt(*sizes, Class=d2l.GPT, **options):
    """A GPT with these sizes, and options of its configuration or its own."""
    fields = {field.name for field in dataclasses.fields(d2l.GPTConfig)}
    config = {name: options.pop(name) for name in fields & options.keys()}
    return Class(d2l.GPTConfig(*sizes, **config), **options)


def assert_close(ours, expected, tolerance=1e-5):
    torch.testing.assert_close(ours, expected, atol=tolerance, rtol=tolerance)


def gradients(output, parts):
    """The gradients of a random sum of the outputs, for all parts."""
    direction = random(*output.shape).to(output.dtype)
    return torch.autograd.grad(output, parts, direction, retain_graph=True)


def drawn(axes):
    """The points of each curve."""
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines]


def idx_file(array):
    """A tensor of bytes as a compressed IDX file."""
    lengths = struct.pack(f">{array.ndim}I", *array.shape)
    content = bytes([0, 0, 8, array.ndim]) + lengths + array.numpy().tobytes()
    return gzip.compress(content, mtime=0)


def fashion_files(num_train=6, num_val=4):
    """The four files of a FashionMNIST of noise, by their names."""
    files, generator = {}, torch.Generator().manual_seed(0)
    for part, n in [("train", num_train), ("t10k", num_val)]:
        for kind, high, shape in [
            ("images-idx3", 256, (n, 28, 28)),
            ("labels-idx1", 10, (n,)),
        ]:
            array = torch.randint(high, shape, generator=generator, dtype=torch.uint8)
            files[f"{part}-{kind}-ubyte.gz"] = idx_file(array)
    return files


def served(path):
    """A notebook as the book serves it, an exercise with the solutions as answers."""
    notebook = downloads.served(path)
    stored = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id in stored:
            for part in ("source", "outputs", "execution_count"):
                cell[part] = stored[cell.id][part]
            cell.metadata.tags = stored[cell.id].metadata.get("tags", [])
    return notebook


def larger(model):
    """Random weights that make differences visible."""
    torch.manual_seed(0)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return model.eval()


def some_tokens(b=2, n=10):
    """Token numbers below 40, the same on every run."""
    return torch.randint(40, (b, n), generator=torch.Generator().manual_seed(1))


def run_here(main, options, capsys):
    """A command in this process: its exit status, and its output, or its errors."""
    try:
        main([*map(str, options)])
        ending = 0
    except SystemExit as error:
        ending = error.code
    shown = capsys.readouterr()
    return ending, shown.out if ending == 0 else shown.err
