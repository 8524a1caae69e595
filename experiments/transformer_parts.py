"""What the Transformer of chapter 7 translates without one of its parts."""

from fnmatch import fnmatch

import torch
from torch import nn

from experiments.models import (
    MODELS,
    RECURRENT,
    TRANSFORMER,
    VARIANTS,
    UnvalidatedTrainer,
    phrasebook_pairs,
    train,
    translator,
)

COLUMNS = {"weights": 0, "BLEU": 1, "sentences": 1}


class WithoutResidual(nn.Module):
    """The normalisation of an `AddNorm`, which forgets what the sublayer has read."""

    def __init__(self, addnorm):
        super().__init__()
        self.ln = addnorm.ln

    def forward(self, X, Y):
        return self.ln(Y)


class WithoutNorm(nn.Module):
    """The residual connection of an `AddNorm`."""

    def __init__(self, addnorm):
        super().__init__()

    def forward(self, X, Y):
        return X + Y


class WithoutPositions(nn.Module):
    """The tokens as they are, in place of an encoding."""

    def __init__(self, encoding):
        super().__init__()

    def forward(self, X, start=0):
        return X


class Zeros(nn.Module):
    """Zeros, in place of what a sublayer computes from X."""

    def __init__(self, sublayer):
        super().__init__()

    def forward(self, X, *others):
        return torch.zeros_like(X)


class ZerosWithCache(nn.Module):
    """Zeros, in place of a decoder's self-attention, whose keys count the tokens so far."""

    def __init__(self, attention):
        super().__init__()
        self.project = attention.project

    def attend(self, X, keys, values, *, causal):
        return torch.zeros_like(X)


def unscaled(stack):
    """An encoder or decoder with the same initial embeddings, but without the factor."""
    with torch.no_grad():
        stack.embedding.weight.mul_(stack.num_hiddens**0.5)
    stack.num_hiddens = 1  # its root is the factor
    return stack


PARTS = {  # each removed in turn: its modules' names, and what takes their place
    "residual connections": ("*.addnorm?", WithoutResidual),
    "residual connections around the feed-forward networks": (
        "encoder.*.addnorm2 decoder.*.addnorm3",
        WithoutResidual,
    ),
    "residual connections around self-attention": ("*.addnorm1", WithoutResidual),
    "residual connections around cross-attention": ("decoder.*.addnorm2", WithoutResidual),
    "layer normalisations": ("*.addnorm?", WithoutNorm),
    "positions": ("*.pos_encoding", WithoutPositions),
    "feed-forward networks": ("*.ffn", Zeros),
    "self-attention of the encoder": ("encoder.blks.*.attention", Zeros),
    "self-attention of the decoder": ("decoder.blks.*.attention1", ZerosWithCache),
    "factor √d of the embeddings": ("??coder", unscaled),
}
ONE_HEAD = TRANSFORMER, (64, 128, 1, 2, 0), 0.005
RESIDUAL = "residual connections"
BOTH = "feed-forward networks", "self-attention of the encoder"


def rows(seed):
    """The models of chapter 7: whole, each without one part, with one head, and recurrent.

    One has neither self-attention nor feed-forward networks, but cross-attention alone.
    Without the residual connections a lower rate is tried as well. The last models are
    recurrent, and their embeddings take the step that the factor gives a Transformer's.
    """
    data = phrasebook_pairs()
    recurrent = "recurrent, with attention"
    variants = {  # the model, what is removed, what multiplies its rate, its embeddings'
        f"without the {' and the '.join(removed)}": ("Transformer", removed, 1, 1)
        for removed in [*zip(PARTS), BOTH]
    }
    variants = {"Transformer": ("Transformer", (), 1, 1), **variants}
    all_three = *BOTH, "self-attention of the decoder"
    variants["with cross-attention alone"] = "Transformer", all_three, 1, 1
    lower = f"without the {RESIDUAL}, 0.4 times the rate"
    variants[lower] = "Transformer", [RESIDUAL], 0.4, 1
    variants["with one head"] = "with one head", (), 1, 1
    variants[recurrent] = recurrent, (), 1, 1
    for name in (recurrent, "output from the state alone", "attention after the step"):
        variants[f"{name}, embeddings' rate × 8"] = name, (), 1, 8
    for title, (name, removed, slower, factor) in variants.items():
        names, sizes, lr = {**MODELS, **RECURRENT, "with one head": ONE_HEAD}[name]
        model = translator(VARIANTS, data, names, sizes, slower * lr, seed)
        model.factor = factor
        for part in removed:
            remove(part, model)
        trainer = UnvalidatedTrainer(8, gradient_clip_val=1, warmup=50)
        bleu, sentences = train(model, trainer, data)[2:4]
        learned = sum(p.numel() for p in model.parameters() if p.grad is not None)
        yield title, (learned, bleu, sentences)


def remove(part, model):
    """Leave out one part of a Transformer, everywhere in the model."""
    patterns, replacement = PARTS[part]
    for name, module in list(model.named_modules()):
        if any(fnmatch(name, pattern) for pattern in patterns.split()):
            model.set_submodule(name, replacement(module))
