"""A device that stands in for CUDA, and a program that runs a notebook on it.

    python tests/package/stand_in.py notebooks/05_multi_head.ipynb

Tensors that are moved to CUDA keep their numbers on the CPU, in `inner`, but an operation
that mixes them with other tensors fails as it does on CUDA. The program prints each cell
that does this. Loops and training are shortened, so that a few cells fail for other
reasons, which it prints as "passed over": they are tested on the CPU.
"""

import ast
import contextlib
import io
import itertools
import json
import os
import sys
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

DEVICE = torch.device("meta", 1)  # for autograd, which knows of no CUDA here


class DeviceError(Exception):
    """What CUDA refuses."""


def is_stand_in(device):
    device = torch.device(device)
    return device == DEVICE or device.type == "cuda"


def unwrap(x):
    return x.inner if isinstance(x, StandIn) else x


class StandIn(torch.Tensor):
    """A tensor on the device that stands in for CUDA."""

    @staticmethod
    def __new__(cls, inner):
        options = {"dtype": inner.dtype, "device": DEVICE}
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, inner.stride(), inner.storage_offset(), **options
        )

    def __init__(self, inner):
        self.inner = inner

    def __repr__(self, **options):
        return repr(self.inner)

    def __format__(self, spec):
        return format(self.inner, spec)

    def __tensor_flatten__(self):  # says that a module can be moved
        return ["inner"], None

    def __deepcopy__(self, memo):
        twin = StandIn(self.inner.detach().clone()).requires_grad_(self.requires_grad)
        if isinstance(self, torch.nn.Parameter):
            twin = torch.nn.Parameter(twin, self.requires_grad)
        return memo.setdefault(id(self), twin)

    def new_tensor(self, data, **options):
        return StandIn(self.inner.new_tensor(data, **options))

    def tolist(self):
        return self.inner.tolist()

    def numpy(self, *args, **options):
        raise DeviceError("a tensor must be on the CPU to become an array")

    __array__ = numpy

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return dispatch(operation, args, kwargs or {})


def dispatch(operation, args, kwargs):
    """The result of an operation, on the device of its inputs or on the one asked for."""
    name, device = operation._schema.name, kwargs.get("device")
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    ours = [x for x in tensors if isinstance(x, StandIn)]
    if device is None:
        wrap = bool(ours) and name != "aten::_local_scalar_dense"
    else:
        wrap = is_stand_in(device)
        if wrap or ours:
            kwargs = {**kwargs, "device": torch.device("cpu")}
    packs = "_pack_padded_" in name or "_pad_packed_" in name  # lengths are on the CPU
    picks = name == "aten::index" and isinstance(args[0], StandIn)
    mixes = any(x.ndim for x in tensors if not isinstance(x, StandIn))  # not with numbers
    if ours and mixes and not (packs or picks or name in ("aten::_to_copy", "aten::copy_")):
        raise DeviceError(f"{name} takes tensors on CUDA and on the CPU")
    results = operation(*tree_map(unwrap, args), **tree_map(unwrap, kwargs))
    if name == "aten::copy_":
        return args[0]
    if not wrap:
        return results
    if packs and isinstance(results, tuple):
        return StandIn(results[0]), results[1]
    known = {id(x.inner): x for x in ours}  # of an operation in place

    def wrapped(x):
        if not isinstance(x, torch.Tensor):
            return x
        return known[id(x)] if id(x) in known else StandIn(x)

    return tree_map(wrapped, results)


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        return dispatch(operation, args, kwargs or {})


def on_any_device(make):
    """A function that makes tensors of numbers, and asks no dispatcher for the device."""

    def made(data, *args, device=None, **options):
        if device is None or not is_stand_in(device):
            return make(data, *args, device=device, **options)
        return make(data, *args, **options).to(DEVICE)

    return made


def install():
    """Let PyTorch report a CUDA device; the stand-in takes its place."""
    torch.cuda.device_count, torch.cuda._lazy_init = lambda: 1, lambda: None
    torch.inference_mode = torch.no_grad  # of which wrapped tensors know
    torch.tensor, torch.as_tensor = map(on_any_device, (torch.tensor, torch.as_tensor))

    def one_by_one(Optimizer):
        class OneByOne(Optimizer):
            def __init__(self, parameters, *args, fused=None, **options):
                super().__init__(parameters, *args, foreach=False, **options)

        return OneByOne

    class Generator(torch.Generator):
        def __new__(cls, device=None):
            return super().__new__(cls)

    torch.Generator = Generator
    torch.optim.Adam = one_by_one(torch.optim.Adam)
    torch.optim.AdamW = one_by_one(torch.optim.AdamW)
    Mode().__enter__()


class ShortLoops(ast.NodeTransformer):
    """Lets a loop over a range of more than 60 numbers take three turns."""

    def visit_For(self, loop):
        self.generic_visit(loop)
        loop.iter = ast.Call(ast.Name("shortened", ast.Load()), [loop.iter], [])
        return ast.fix_missing_locations(loop)


def shortened(turns):
    return turns[:3] if isinstance(turns, range) and len(turns) > 60 else turns


def shorten_training(Trainer):
    """Train on two batches of an epoch, and call lazy models once before they move."""
    prepare, move = Trainer.prepare_data, Trainer.prepare_model

    def prepare_data(self, data):
        prepare(self, data)
        self.train_dataloader = [*itertools.islice(self.train_dataloader, 2)]
        self.val_dataloader = [*itertools.islice(self.val_dataloader or (), 2)]
        self.num_train_batches = len(self.train_dataloader)
        self.num_val_batches = len(self.val_dataloader)

    def prepare_model(self, model):
        if any(map(torch.nn.parameter.is_lazy, model.parameters())):
            model(*self.train_dataloader[0][:-1])
        move(self, model)

    Trainer.prepare_data, Trainer.prepare_model = prepare_data, prepare_model


def main(path):
    import matplotlib
    from IPython.core.interactiveshell import InteractiveShell

    import d2lmini

    matplotlib.use("Agg")
    shell = InteractiveShell.instance()
    shell.showtraceback = lambda *args, **options: None
    shell.ast_transformers.append(ShortLoops())
    shell.user_ns["shortened"] = shortened
    shorten_training(d2lmini.Trainer)
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    os.chdir(Path(path).parent)
    install()
    for cell in cells:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                error = shell.run_cell("".join(cell["source"])).error_in_exec
            if error:
                reason = "" if isinstance(error, DeviceError) else "passed over, "
                print(f"{reason}{cell['id']}: {error!r}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
