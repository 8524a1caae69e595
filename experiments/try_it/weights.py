"""The files of the page Try it: scripts with the weights of models, in 8 bits."""

import base64
import json

import numpy as np
import torch


def script(name, content):
    """The text of a file, which sets `d2lModels.NAME`."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return f"(globalThis.d2lModels ??= {{}}).{name} = {text};"


def read(path):
    """The content of a file."""
    text = path.read_text(encoding="utf-8").partition(" = ")[2]
    return json.loads(text.strip().removesuffix(";"))


def encoded(state, leave_out):
    """Weights for forward.js: int8 matrices with a scale a row, and float32 vectors."""

    def encode(array):
        return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()

    weights = {}
    for name, W in state.items():
        if name == leave_out:  # the table of the embedding, once more
            continue
        W = W.detach().cpu()
        if W.ndim == 1:
            weights[name] = {"float32": encode(W.numpy().astype("<f4"))}
            continue
        scales = W.abs().amax(dim=1).clamp(min=1e-8) / 127
        whole = (W / scales[:, None]).round().to(torch.int8).numpy()
        scales = scales.numpy().astype("<f4")
        weights[name] = {
            "shape": [*W.shape],
            "int8": encode(whole),
            "scales": encode(scales),
        }
    return weights


def decoded(weights):
    """The weights of `encoded`, as PyTorch's tensors."""

    def decode(text, kind):
        return torch.from_numpy(np.frombuffer(base64.b64decode(text), kind).copy())

    state = {}
    for name, stored in weights.items():
        if "float32" in stored:
            state[name] = decode(stored["float32"], "<f4")
        else:
            whole = decode(stored["int8"], "i1").view(stored["shape"])
            state[name] = whole * decode(stored["scales"], "<f4")[:, None]
    return state
