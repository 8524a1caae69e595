"""Which fraction of a sequence recurrent models copy, without attention and with it.

They are trained as in the chapter on translation.
"""

import torch

import d2lmini

NUM_BATCHES = 600
WIDTHS = 32, 64, 128
LENGTHS = 4, 8, 16, 32  # of the sequences to copy
COLUMNS = {f"{length} symbols": 2 for length in LENGTHS}
DECODERS = {
    "without attention": d2lmini.Seq2SeqDecoder,
    "with attention": d2lmini.Seq2SeqAttentionDecoder,
}
MORE = {  # of those without attention: the hidden units, the batches and the rate
    "64 hidden units, four times the training": (64, 4 * NUM_BATCHES, 0.01),
    "128 hidden units, half the rate": (128, NUM_BATCHES, 0.005),
    "128 hidden units, twice the rate": (128, NUM_BATCHES, 0.02),
}


def rows(seed):
    """Models of several widths, and others without attention, trained in other ways."""
    without, attention = (
        {
            f"{name}, {width} hidden units": (Decoder, width, NUM_BATCHES, 0.01)
            for width in WIDTHS
        }
        for name, Decoder in DECODERS.items()
    )
    for title, options in MORE.items():
        without[f"without attention, {title}"] = d2lmini.Seq2SeqDecoder, *options
    for title, options in (without | attention).items():
        yield title, copied(seed, *options)
    yield "symbols drawn at random", [1 / d2lmini.Copying().num_symbols] * len(LENGTHS)


def copied(seed, Decoder, width, num_batches, lr):
    """The fractions that a model copies of sequences of each length."""
    data = d2lmini.Copying(num_batches, seed=seed)
    sizes = data.num_symbols + 1, 32, width, 1
    torch.manual_seed(seed)
    encoder, decoder = d2lmini.Seq2SeqEncoder(*sizes), Decoder(*sizes)
    model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=0, lr=lr)
    model.board.display = False
    d2lmini.Trainer(1, gradient_clip_val=1, warmup=20).fit(model, data)
    return [data.accuracy(model, length) for length in LENGTHS]
