"""A mixture of experts beside dense models: as many weights used for a token, or stored.

Small language models of Python's library, trained alike on windows of 128 tokens.
"""

import torch

import d2lmini
from tools.measure.experiments.gpt import SIZES, num_weights, tokens_of_python

RATES = 0.006, 0.012
COLUMNS = {
    "weights": 0,
    "for a token": 0,
    **{f"rate {rate}": 3 for rate in RATES},
    "busiest expert": 2,  # its load in the block where it is largest, at the last rate
}
WIDTH = 64  # of the model, and of an expert
OPTIONS = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
OPTIONS |= {"num_hiddens": WIDTH, "ffn_std": WIDTH**-0.5}
EXPERTS = {"num_experts": 8, "top_k": 2, "ffn_num_hiddens": WIDTH}
MODELS = {
    "dense, 128 hidden units": (d2lmini.GPT, {"ffn_num_hiddens": 2 * WIDTH}),
    "dense, 512 hidden units": (d2lmini.GPT, {"ffn_num_hiddens": 8 * WIDTH}),
    "2 of 8 experts, not balanced": (d2lmini.ExpertGPT, EXPERTS),
    "2 of 8 experts, balanced": (d2lmini.ExpertGPT, {**EXPERTS, "balance_rate": 0.01}),
}


def rows(seed, root, num_batches=400):
    """The weights, the bits per byte at each rate, and the busiest expert's load."""
    for name, (Model, options) in MODELS.items():
        bits = []
        for rate in RATES:
            torch.manual_seed(seed)
            model = Model(**SIZES, **OPTIONS, **options, lr=rate)
            torch.manual_seed(seed)  # the same batches for all
            bits.append(train(model, num_batches))
        sizes = num_weights(model), used_weights(model)
        yield name, (*sizes, *bits, busiest(model))


def train(model, num_batches):
    """The bits per byte of a model after training."""
    training, held_out, num_bytes = tokens_of_python()
    model.board.display = False
    trainer = d2lmini.Trainer(1, num_gpus=1, gradient_clip_val=1, warmup=50)
    trainer.fit(model, d2lmini.TokenWindows(training, num_batches, batch_size=8))
    return d2lmini.bits_per_byte(model.eval(), held_out, num_bytes)


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
