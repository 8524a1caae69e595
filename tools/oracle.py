"""d2l 1.0.3 as something to compare with: the tests' oracle, the benchmarks' rival."""

import importlib.machinery
import math
import sys
import types

import torch
from torch import nn


def load_d2l():
    """d2l's PyTorch library, with a stub for torchvision, which attention never calls."""
    for name in ("torchvision", "torchvision.transforms"):
        stub = types.ModuleType(name)
        stub.__spec__ = importlib.machinery.ModuleSpec(name, None)
        sys.modules.setdefault(name, stub)
    sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
    from d2l import torch as library

    return library


def d2l_transformer_decoder(d2l):
    """A Transformer decoder from d2l's parts, as its chapter describes it.

    Its library has none. As there, the mask is causal in training mode only, and every
    call begins at position 0.
    """

    class DecoderBlock(nn.Module):
        def __init__(self, num_hiddens, ffn_num_hiddens, num_heads, dropout, i):
            super().__init__()
            self.i = i
            self.attention1 = d2l.MultiHeadAttention(num_hiddens, num_heads, dropout)
            self.addnorm1 = d2l.AddNorm(num_hiddens, dropout)
            self.attention2 = d2l.MultiHeadAttention(num_hiddens, num_heads, dropout)
            self.addnorm2 = d2l.AddNorm(num_hiddens, dropout)
            self.ffn = d2l.PositionWiseFFN(ffn_num_hiddens, num_hiddens)
            self.addnorm3 = d2l.AddNorm(num_hiddens, dropout)

        def forward(self, X, state):
            memory, memory_lens, written = state
            past = written[self.i]
            seen = X if past is None else torch.cat((past, X), dim=1)
            written[self.i] = seen
            lens = None
            if self.training:  # query t may see t + 1 keys
                steps = torch.arange(1, X.shape[1] + 1, device=X.device)
                lens = steps.repeat(X.shape[0], 1)
            Y = self.addnorm1(X, self.attention1(X, seen, seen, lens))
            Z = self.addnorm2(Y, self.attention2(Y, memory, memory, memory_lens))
            return self.addnorm3(Z, self.ffn(Z)), state

    class Decoder(d2l.AttentionDecoder):
        def __init__(
            self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout
        ):
            super().__init__()
            self.num_hiddens, self.num_blks = num_hiddens, num_blks
            self.embedding = nn.Embedding(vocab_size, num_hiddens)
            self.pos_encoding = d2l.PositionalEncoding(num_hiddens, dropout)
            self.blks = nn.Sequential()
            for i in range(num_blks):
                sizes = num_hiddens, ffn_num_hiddens, num_heads, dropout
                self.blks.add_module(f"block{i}", DecoderBlock(*sizes, i))
            self.dense = nn.LazyLinear(vocab_size)

        def init_state(self, enc_outputs, enc_valid_lens):
            return [enc_outputs, enc_valid_lens, [None] * self.num_blks]

        def forward(self, X, state):
            X = self.pos_encoding(self.embedding(X) * math.sqrt(self.num_hiddens))
            weights = [[], []]  # to the target and to the source, of each block
            for block in self.blks:
                X, state = block(X, state)
                weights[0].append(block.attention1.attention.attention_weights)
                weights[1].append(block.attention2.attention.attention_weights)
            self._attention_weights = weights
            return self.dense(X), state

        @property
        def attention_weights(self):
            return self._attention_weights

    return Decoder
