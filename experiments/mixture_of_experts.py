"""What a mixture of experts reaches beside dense models of as many weights.

These use as many for a token, or store as many. They are small language models of Python's
library, trained alike on windows of 128 tokens.
"""

import torch

import d2lmini
from experiments.gpt_parts import SIZES, tokens_of_python, train
from experiments.models import num_weights

RATES = 0.006, 0.012
COLUMNS = {
    "weights": 0,
    "for a token": 0,
    **{f"rate {rate}": 3 for rate in RATES},
    "busiest expert": 2,  # its load in the block where it is largest, at the last rate
}
WIDTH = 64  # of the model, and of an expert
OPTIONS = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
EXPERTS = {"num_experts": 8, "top_k": 2}
MODELS = {  # the class, the width of a network, and options
    "dense, 128 hidden units": (d2lmini.GPT, 2 * WIDTH, {}),
    "dense, 512 hidden units": (d2lmini.GPT, 8 * WIDTH, {}),
    "2 of 8 experts, not balanced": (d2lmini.ExpertGPT, WIDTH, EXPERTS),
    "2 of 8 experts, balanced": (
        d2lmini.ExpertGPT,
        WIDTH,
        {**EXPERTS, "balance_rate": 0.01},
    ),
}


def rows(seed):
    """The weights, the bits per byte at each rate, and the busiest expert's load."""
    for name, (Model, width, options) in MODELS.items():
        sizes = {"num_hiddens": WIDTH, "ffn_num_hiddens": width}
        config = d2lmini.GPTConfig(**SIZES, **OPTIONS, **sizes)
        bits = []
        for rate in RATES:
            torch.manual_seed(seed)
            model = Model(config, **options, lr=rate, ffn_std=WIDTH**-0.5)
            torch.manual_seed(seed)  # the same batches for all
            bits.append(train(model, 400, batch_size=8))
        sizes = num_weights(model), used_weights(model)
        yield name, (*sizes, *bits, busiest(model))


def mixtures(model):
    return [blk.ffn for blk in model.blks if isinstance(blk.ffn, d2lmini.MixtureOfExperts)]


def used_weights(model):
    """How many weights take part in the computation of a token."""
    unused = [expert for ffn in mixtures(model) for expert in ffn.experts[ffn.top_k :]]
    return num_weights(model) - sum(map(num_weights, unused))


@torch.no_grad()
def busiest(model):
    """The largest load of an expert on held-out text; None for a dense model."""
    _, held_out, _ = tokens_of_python()
    model(held_out[: 256 * 128].view(256, 128))
    return max((ffn.load.max().item() for ffn in mixtures(model)), default=None)
