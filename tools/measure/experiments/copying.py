"""The fraction of symbols that recurrent models copy without and with attention, trained
as in the chapter on translation.
"""

import torch

import d2lmini

LENGTHS = 4, 8, 16, 32  # of the sequences to copy
COLUMNS = {f"{length} symbols": 2 for length in LENGTHS}
DECODERS = {
    "without attention": d2lmini.Seq2SeqDecoder,
    "with attention": d2lmini.Seq2SeqAttentionDecoder,
}


def rows(seed, root, num_batches=600, widths=(32, 64, 128)):
    """The models that learn to copy in the chapter on translation, and attention's."""
    runs = [(name, width, num_batches) for name in DECODERS for width in widths]
    runs.insert(len(widths), ("without attention", 64, 4 * num_batches))
    for name, width, num in runs:
        data = d2lmini.Copying(num, seed=seed)
        sizes = data.num_symbols + 1, 32, width, 1
        torch.manual_seed(seed)
        encoder, decoder = d2lmini.Seq2SeqEncoder(*sizes), DECODERS[name](*sizes)
        model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=0, lr=0.01)
        model.board.display = False
        d2lmini.Trainer(1, gradient_clip_val=1, warmup=20).fit(model, data)
        longer = ", four times the training" if num > num_batches else ""
        copied = [data.accuracy(model, length) for length in LENGTHS]
        yield f"{name}, {width} hidden units{longer}", copied
    yield "symbols drawn at random", [1 / data.num_symbols] * len(LENGTHS)
