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


def d2l_vit(d2l):
    """A vision Transformer from d2l's parts, as its chapter describes it.

    Its library has none. As there, patches that do not fit are cut off.
    """

    class Patches(nn.Module):
        def __init__(self, img_size, patch_size, num_hiddens):
            super().__init__()
            sides = zip(pair(img_size), pair(patch_size))
            self.num_patches = math.prod(side // patch for side, patch in sides)
            self.conv = nn.LazyConv2d(num_hiddens, pair(patch_size), pair(patch_size))

        def forward(self, X):
            maps = self.conv(X)
            return maps.reshape(*maps.shape[:2], self.num_patches).permute(0, 2, 1)

    class MLP(nn.Module):
        def __init__(self, num_hiddens, num_outputs, dropout):
            super().__init__()
            self.dense1 = nn.LazyLinear(num_hiddens)
            self.dense2 = nn.LazyLinear(num_outputs)
            self.dropout = nn.Dropout(dropout)

        def forward(self, X):
            hidden = self.dropout(nn.functional.gelu(self.dense1(X)))
            return self.dropout(self.dense2(hidden))

    class Block(nn.Module):
        def __init__(self, width, mlp_num_hiddens, num_heads, dropout, use_bias):
            super().__init__()
            self.ln1 = nn.LayerNorm(width)
            self.attention = d2l.MultiHeadAttention(width, num_heads, dropout, use_bias)
            self.ln2 = nn.LayerNorm(width)
            self.mlp = MLP(mlp_num_hiddens, width, dropout)

        def forward(self, X):
            normed = self.ln1(X)
            X = self.attention(normed, normed, normed, None) + X
            return self.mlp(self.ln2(X)) + X

    class ViT(d2l.Classifier):
        def __init__(
            self,
            img_size,
            patch_size,
            num_hiddens,
            mlp_num_hiddens,
            num_heads,
            num_blks,
            emb_dropout,
            blk_dropout,
            lr=0.1,
            use_bias=False,
            num_classes=10,
        ):
            super().__init__()
            self.save_hyperparameters()
            self.cls_token = nn.Parameter(torch.zeros(1, 1, num_hiddens))
            patches = Patches(img_size, patch_size, num_hiddens)
            places = torch.randn(1, patches.num_patches + 1, num_hiddens)
            self.pos_embedding = nn.Parameter(places)
            self.patch_embedding = patches
            self.dropout = nn.Dropout(emb_dropout)
            sizes = num_hiddens, mlp_num_hiddens, num_heads, blk_dropout, use_bias
            self.blks = nn.Sequential(*(Block(*sizes) for _ in range(num_blks)))
            last = nn.LayerNorm(num_hiddens), nn.Linear(num_hiddens, num_classes)
            self.head = nn.Sequential(*last)

        def forward(self, X):
            X = self.patch_embedding(X)
            X = torch.cat([self.cls_token.repeat(X.shape[0], 1, 1), X], dim=1)
            return self.head(self.blks(self.dropout(X + self.pos_embedding))[:, 0])

    def pair(size):
        return (size, size) if isinstance(size, int) else tuple(size)

    return ViT
