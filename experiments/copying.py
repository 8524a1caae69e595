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


def rows(seed):
    """The models of several widths, and one without attention that trains for longer."""
    runs = [(name, width, NUM_BATCHES) for name in DECODERS for width in WIDTHS]
    runs.insert(len(WIDTHS), ("without attention", 64, 4 * NUM_BATCHES))
    for name, width, num in runs:
        data = d2lmini.Copying(num, seed=seed)
        sizes = data.num_symbols + 1, 32, width, 1
        torch.manual_seed(seed)
        encoder, decoder = d2lmini.Seq2SeqEncoder(*sizes), DECODERS[name](*sizes)
        model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=0, lr=0.01)
        model.board.display = False
        d2lmini.Trainer(1, gradient_clip_val=1, warmup=20).fit(model, data)
        longer = ", four times the training" if num > NUM_BATCHES else ""
        copied = [data.accuracy(model, length) for length in LENGTHS]
        yield f"{name}, {width} hidden units{longer}", copied
    yield "symbols drawn at random", [1 / data.num_symbols] * len(LENGTHS)
