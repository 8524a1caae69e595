"""How much each difference from d2l changes a score: models with one thing as in d2l."""

import copy
from types import SimpleNamespace

import torch
from torch import nn

import d2lmini
from experiments.models import (
    MODELS,
    phrasebook_pairs,
    reset,
    scores,
    state_alone,
    translator,
)

COLUMNS = {"validation loss": 2, "held-out BLEU": 1, "sentences": 1}


class UntrimmedSeq2Seq(d2lmini.Seq2Seq):
    """A model whose batches keep all of their padding."""

    def _trim_padding(self, batch):
        return batch


class PaddingInLoss(UntrimmedSeq2Seq):
    """A model whose training loss counts padding."""

    def loss(self, Y_hat, Y):
        return nn.functional.cross_entropy(Y_hat.flatten(0, 1), Y.flatten())


class PaddingReader(d2lmini.Seq2SeqEncoder):
    """A recurrent encoder that does not stop before the padding."""

    def forward(self, X, valid_lens=None):
        return super().forward(X)


class AlwaysPositionZero(nn.Module):
    """An encoding that takes the first token that it gets for the first of the text."""

    def __init__(self, encoding):
        super().__init__()
        self.encoding = encoding

    def forward(self, X, start=0):
        return self.encoding(X)


class WithoutMask(nn.Module):
    """A self-attention of the decoder that sees the future."""

    def __init__(self, attention):
        super().__init__()
        self.attention, self.project = attention, attention.project

    def attend(self, X, keys, values, *, causal):
        return self.attention.attend(X, keys, values)


def rows(seed):
    """Whole models, and each with one change, in training or only when evaluated."""
    data = phrasebook_pairs()

    def fit(name, change=lambda model: None, **changed_parts):
        library = SimpleNamespace(**{**vars(d2lmini), **changed_parts})
        model = translator(library, data, *MODELS[name], seed)
        change(model)
        model.board.display = False
        trainer = d2lmini.Trainer(12, gradient_clip_val=1, warmup=50)
        trainer.fit(model, data)
        return model.eval()

    transformer, recurrent = "Transformer", "recurrent, with attention"
    model = fit(transformer)
    yield f"{transformer}, this course", evaluated(model, data)
    changed = copy.deepcopy(model)
    changed.decoder.pos_encoding = AlwaysPositionZero(changed.decoder.pos_encoding)
    _, *bleu = evaluated(changed, data)
    yield "each decoded token encoded as position 0", (None, *bleu)
    for block in model.decoder.blks:
        block.attention1 = WithoutMask(block.attention1)
    loss, *_ = evaluated(model, data)
    yield "the future visible in validation", (loss, None, None)
    model = fit(transformer, Seq2Seq=PaddingInLoss)
    yield "padding counted in the training loss", evaluated(model, data)
    model = fit(transformer, lambda model: model.apply(reset))
    yield "initial weights of d2l", evaluated(model, data)
    yield f"{recurrent}, this course", evaluated(fit(recurrent), data)
    Decoder = state_alone(d2lmini.Seq2SeqAttentionDecoder)
    model = fit(recurrent, Seq2SeqAttentionDecoder=Decoder)
    yield "output from the state alone", evaluated(model, data)
    model = fit(recurrent, Seq2Seq=UntrimmedSeq2Seq, Seq2SeqEncoder=PaddingReader)
    yield "padding read by the encoder", evaluated(model, data)


def evaluated(model, data):
    """The mean loss of the held-out tokens, without padding, and the scores."""
    preds = d2lmini.translate(model, data, data.sentences(train=False)[0])
    with torch.inference_mode():
        losses = [
            d2lmini.Seq2Seq.loss(model, model(*inputs), labels, averaged=False)[
                labels.flatten() != model.tgt_pad
            ]
            for *inputs, labels in data.val_dataloader()
        ]
    return torch.cat(losses).mean().item(), *scores(data, preds)
