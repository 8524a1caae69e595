"""Whether post-norm or pre-norm blocks learn better, with and without warm-up."""

import itertools

import torch
from torch import nn

import d2lmini
from experiments.transformer_parts import WithoutNorm

RATES = 0.01, 0.02, 0.04
COLUMNS = {"without warm-up": 2, "with warm-up": 2}
SIZES = {"num_hiddens": 32, "ffn_num_hiddens": 64, "num_heads": 4, "dropout": 0}


class NormFirst(nn.Module):
    """A sublayer of a block, of whose inputs X is normalised."""

    def __init__(self, ln, sublayer):
        super().__init__()
        self.ln, self.sublayer = ln, sublayer

    def forward(self, X, *others):
        Y = self.ln(X)
        return self.sublayer(Y, *(Y if other is X else other for other in others))

    def project(self, keys, values):
        return self.sublayer.project(keys, values)

    def attend(self, X, *others, **options):
        return self.sublayer.attend(self.ln(X), *others, **options)


class SelfAttentionNormFirst(NormFirst):
    """The self-attention of a decoder, whose keys and values are those of X."""

    def project(self, keys, values):
        return self.sublayer.project(self.ln(keys), self.ln(values))


def pre_norm(block):
    """Let a block of chapter 7 normalise what its sublayers read, and not the sums."""
    for i, name in enumerate([n for n, _ in block.named_children() if "addnorm" not in n]):
        addnorm = f"addnorm{i + 1}"
        Wrapped = SelfAttentionNormFirst if name == "attention1" else NormFirst
        setattr(block, name, Wrapped(getattr(block, addnorm).ln, getattr(block, name)))
        setattr(block, addnorm, WithoutNorm(getattr(block, addnorm)))


class PreNormEncoder(d2lmini.TransformerEncoder):
    """An encoder of pre-norm blocks, with a normalisation after the last one."""

    def __init__(self, vocab_size, num_hiddens, *sizes, **options):
        super().__init__(vocab_size, num_hiddens, *sizes, **options)
        for block in self.blks:
            pre_norm(block)
        self.last = nn.LayerNorm(num_hiddens)

    def forward(self, X, valid_lens=None):
        return self.last(super().forward(X, valid_lens))


class PreNormDecoder(d2lmini.TransformerDecoder):
    """A decoder of pre-norm blocks, with a normalisation after the last one."""

    def __init__(self, vocab_size, num_hiddens, *sizes, **options):
        super().__init__(vocab_size, num_hiddens, *sizes, **options)
        for block in self.blks:
            pre_norm(block)
        self.dense = nn.Sequential(nn.LayerNorm(num_hiddens), self.dense)


MODELS = {
    "encoder and decoder post-norm": (
        d2lmini.TransformerEncoder,
        d2lmini.TransformerDecoder,
    ),
    "encoder pre-norm, decoder post-norm": (PreNormEncoder, d2lmini.TransformerDecoder),
    "encoder and decoder pre-norm": (PreNormEncoder, PreNormDecoder),
}


def rows(seed):
    """Deep encoders after one epoch, at two learning rates: the validation loss."""
    options = {"num_steps": 11, "num_train": 1600, "num_val": 200, "min_freq": 20}
    data = d2lmini.MTFraEng(32, seed=1, **options)
    for (title, parts), rate in itertools.product(MODELS.items(), RATES):
        losses = []
        for warmup in (1, 20):
            model = deep_translator(data, *parts, seed, rate)
            trainer = d2lmini.Trainer(1, gradient_clip_val=1, warmup=warmup)
            trainer.fit(model, data)
            losses.append(trainer.history["val_loss"].item())
        yield f"{title}, rate {rate}", losses


def deep_translator(data, Encoder, Decoder, seed, lr):
    """A Transformer with four encoder blocks and one decoder block, not yet trained."""
    torch.manual_seed(seed)
    encoder = Encoder(len(data.src_vocab), num_blks=4, **SIZES)
    decoder = Decoder(len(data.tgt_vocab), num_blks=1, **SIZES)
    pad = data.tgt_vocab["<pad>"]
    model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=pad, lr=lr)
    model.board.display = False
    return model
