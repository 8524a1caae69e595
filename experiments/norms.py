"""Whether post-norm or pre-norm blocks learn better, with and without warm-up."""

import itertools

import torch
from torch import nn

import d2lmini

RATES = 0.01, 0.02
COLUMNS = {"without warm-up": 2, "with warm-up": 2}
SIZES = {"num_hiddens": 32, "ffn_num_hiddens": 64, "num_heads": 4, "dropout": 0}


class PreNormEncoderBlock(nn.Module):
    """The sublayers of an encoder's block, each of which reads normalised inputs."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, X, valid_lens=None):
        block = self.block
        Y = block.addnorm1.ln(X)
        X = X + block.attention(Y, Y, Y, valid_lens)
        return X + block.ffn(block.addnorm2.ln(X))


class PreNormDecoderBlock(nn.Module):
    """The same for a decoder, which gets whole targets."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, X, state):
        encoded, valid_lens, _ = state
        block, mask = self.block, d2lmini.causal_mask(X.shape[1])
        Y = block.addnorm1.ln(X)
        X = X + block.attention1(Y, Y, Y, mask=mask)
        X = X + block.attention2(block.addnorm2.ln(X), encoded, encoded, valid_lens)
        return X + block.ffn(block.addnorm3.ln(X)), state


class PreNormEncoder(d2lmini.TransformerEncoder):
    """An encoder of pre-norm blocks, with a normalisation after the last one."""

    def __init__(self, vocab_size, num_hiddens, **options):
        super().__init__(vocab_size, num_hiddens, **options)
        self.blks = nn.Sequential(*map(PreNormEncoderBlock, self.blks))
        self.last = nn.LayerNorm(num_hiddens)

    def forward(self, X, valid_lens=None):
        return self.last(super().forward(X, valid_lens))


class PreNormDecoder(d2lmini.TransformerDecoder):
    """A decoder of pre-norm blocks, with a normalisation after the last one."""

    def __init__(self, vocab_size, num_hiddens, **options):
        super().__init__(vocab_size, num_hiddens, **options)
        self.blks = nn.Sequential(*map(PreNormDecoderBlock, self.blks))
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
