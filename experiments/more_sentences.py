"""What more sentences bring to translators through one vector and with attention.

The models are those of the pages on translation and of chapter 4, trained as there for six
epochs: on the 2,200 pairs of the pages, or on these and all other pairs of the phrasebook.
All are scored on the same 500 sentences, which none of them has seen.
"""

import functools

import torch

import d2lmini
from experiments.models import scores

COLUMNS = {"pairs": 0, "updates": 0, "held-out BLEU": 1, "sentences": 1}
ONE_VECTOR, ATTENTION = d2lmini.Seq2SeqDecoder, d2lmini.Seq2SeqAttentionDecoder
RUNS = {  # the decoder, its hidden units, the rate, and whether there are more pairs
    "no attention": (ONE_VECTOR, 128, 0.01, False),
    "no attention, more pairs": (ONE_VECTOR, 128, 0.01, True),
    "no attention, more pairs, half the rate": (ONE_VECTOR, 128, 0.005, True),
    "no attention, more pairs, 256 hidden units, half the rate": (
        *(ONE_VECTOR, 256, 0.005, True),
    ),
    "attention": (ATTENTION, 128, 0.01, False),
    "attention, more pairs": (ATTENTION, 128, 0.01, True),
}


class Phrasebook(d2lmini.MTFraEng):
    """The pages' pairs; with `more`, training takes all others of the phrasebook, too."""

    def __init__(self, more):
        self.more = more
        super().__init__(64, 11, num_train=2200, num_val=500, seed=1, min_freq=20)

    def _select_pairs(self, src, tgt):
        usual = list(zip(*super()._select_pairs(src, tgt)))
        train, held_out = usual[: self.num_train], usual[self.num_train :]
        if self.more:
            used = {tuple(english) for english, _ in usual}
            fit = (p for p in zip(src, tgt) if max(map(len, p)) <= self.num_steps)
            train += [pair for pair in fit if tuple(pair[0]) not in used]
            self.num_train = len(train)
        return map(list, zip(*train, *held_out))


@functools.cache
def phrasebook(more):
    return Phrasebook(more)


def rows(seed):
    """The models without attention and with it, trained on few pairs and on more."""
    for title, options in RUNS.items():
        yield title, scored(seed, *options)


def scored(seed, Decoder, width, lr, more):
    """The row of a model."""
    data = phrasebook(more)
    torch.manual_seed(seed)
    encoder = d2lmini.Seq2SeqEncoder(len(data.src_vocab), 64, width, 1)
    decoder = Decoder(len(data.tgt_vocab), 64, width, 1)
    pad, eos = data.tgt_vocab[["<pad>", "<eos>"]]
    model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=pad, tgt_eos=eos, lr=lr)
    model.board.display = False
    trainer = d2lmini.Trainer(max_epochs=6, gradient_clip_val=1)
    trainer.fit(model, data)
    preds = d2lmini.translate(model.eval(), data, data.sentences(train=False)[0])
    return data.num_train, trainer.train_batch_idx, *scores(data, preds)
