"""d2l 1.0.3 as a reference: the oracle of the tests and the baseline of the benchmark.

Its library lacks the models that only its chapters define. They are built here from its
parts, with the chapters' names and behaviour. The functions take the library as an
argument, so the same models can be built from the parts of d2lmini, too.
"""

import copy
import importlib.machinery
import math
import sys
import types

import torch
from torch import nn

NOT_NEEDED = {"torchvision", "torchvision.transforms"}


def load_d2l():
    """d2l's PyTorch library, with a stub for torchvision, which attention never calls."""
    stubs = {name: types.ModuleType(name) for name in NOT_NEEDED - sys.modules.keys()}
    for name, stub in stubs.items():
        stub.__spec__ = importlib.machinery.ModuleSpec(name, None)
    sys.modules.update(stubs)
    sys.modules["torchvision"].transforms = sys.modules["torchvision.transforms"]
    from d2l import torch as library

    for name in stubs:  # other libraries ask whether torchvision is there
        del sys.modules[name]
    return library


def load_book():
    """d2l's library, and beside its names the models that only its chapters define."""
    d2l = load_d2l()
    return types.SimpleNamespace(
        **vars(d2l),
        Seq2SeqAttentionDecoder=d2l_attention_decoder(d2l),
        TransformerDecoder=d2l_transformer_decoder(d2l),
        ViT=d2l_vit(d2l),
    )


def d2l_seq2seq(d2l):
    """The chapter's Seq2Seq, whose loss ignores padding; that of d2l's library does not."""

    class Seq2Seq(d2l.Seq2Seq):
        def loss(self, Y_hat, Y):
            losses = super().loss(Y_hat, Y, averaged=False)
            mask = (Y.reshape(-1) != self.tgt_pad).type(torch.float32)
            return (losses * mask).sum() / mask.sum()

    return Seq2Seq


def d2l_attention_decoder(d2l):
    """The recurrent decoder with additive attention."""

    class Seq2SeqAttentionDecoder(d2l.AttentionDecoder):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
            super().__init__()
            self.attention = d2l.AdditiveAttention(num_hiddens, dropout)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            inputs = embed_size + num_hiddens
            self.rnn = nn.GRU(inputs, num_hiddens, num_layers, dropout=dropout)
            self.dense = nn.LazyLinear(vocab_size)
            self.apply(d2l.init_seq2seq)

        def init_state(self, enc_outputs, enc_valid_lens):
            outputs, hidden_state = enc_outputs
            return outputs.permute(1, 0, 2), hidden_state, enc_valid_lens

        def forward(self, X, state):
            enc_outputs, hidden_state, enc_valid_lens = state
            outputs, self._attention_weights = [], []
            for x in self.embedding(X).permute(1, 0, 2):
                query = hidden_state[-1].unsqueeze(1)
                context = self.attention(query, enc_outputs, enc_outputs, enc_valid_lens)
                x = torch.cat((context, x.unsqueeze(1)), dim=-1)
                output, hidden_state = self.rnn(x.permute(1, 0, 2), hidden_state)
                outputs.append(output)
                self._attention_weights.append(self.attention.attention_weights)
            logits = self.dense(torch.cat(outputs, dim=0)).permute(1, 0, 2)
            return logits, [enc_outputs, hidden_state, enc_valid_lens]

        @property
        def attention_weights(self):
            return self._attention_weights

    return Seq2SeqAttentionDecoder


def d2l_transformer_decoder(d2l):
    """The Transformer's decoder.

    As in the chapter, the mask is causal in training mode only, and the first token of
    every call is encoded as position 0.
    """

    class TransformerDecoderBlock(nn.Module):
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
            enc_outputs, enc_valid_lens, inputs = state
            past = inputs[self.i]
            inputs[self.i] = X if past is None else torch.cat((past, X), dim=1)
            dec_valid_lens = None
            if self.training:  # query t may attend to t + 1 keys
                steps = torch.arange(1, X.shape[1] + 1, device=X.device)
                dec_valid_lens = steps.repeat(X.shape[0], 1)
            key_values = inputs[self.i]
            X2 = self.attention1(X, key_values, key_values, dec_valid_lens)
            Y = self.addnorm1(X, X2)
            Y2 = self.attention2(Y, enc_outputs, enc_outputs, enc_valid_lens)
            Z = self.addnorm2(Y, Y2)
            return self.addnorm3(Z, self.ffn(Z)), state

    class TransformerDecoder(d2l.AttentionDecoder):
        def __init__(
            self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout
        ):
            super().__init__()
            self.num_hiddens, self.num_blks = num_hiddens, num_blks
            self.embedding = nn.Embedding(vocab_size, num_hiddens)
            self.pos_encoding = d2l.PositionalEncoding(num_hiddens, dropout)
            self.blks = nn.Sequential()
            for i in range(num_blks):
                block = TransformerDecoderBlock(
                    num_hiddens, ffn_num_hiddens, num_heads, dropout, i
                )
                self.blks.add_module(f"block{i}", block)
            self.dense = nn.LazyLinear(vocab_size)

        def init_state(self, enc_outputs, enc_valid_lens):
            return [enc_outputs, enc_valid_lens, [None] * self.num_blks]

        def forward(self, X, state):
            X = self.pos_encoding(self.embedding(X) * math.sqrt(self.num_hiddens))
            self._attention_weights = [[], []]  # self-attention and cross-attention
            for blk in self.blks:
                X, state = blk(X, state)
                for i, layer in enumerate([blk.attention1, blk.attention2]):
                    self._attention_weights[i].append(layer.attention.attention_weights)
            return self.dense(X), state

        @property
        def attention_weights(self):
            return self._attention_weights

    return TransformerDecoder


def d2l_vit(d2l):
    """The vision Transformer. As in the chapter, patches that do not fit are cut off."""

    def pair(size):
        return (size, size) if isinstance(size, int) else tuple(size)

    class PatchEmbedding(nn.Module):
        def __init__(self, img_size, patch_size, num_hiddens):
            super().__init__()
            sides = zip(pair(img_size), pair(patch_size))
            self.num_patches = math.prod(side // patch for side, patch in sides)
            self.conv = nn.LazyConv2d(num_hiddens, pair(patch_size), pair(patch_size))

        def forward(self, X):
            return self.conv(X).flatten(2).transpose(1, 2)

    class ViTMLP(nn.Module):
        def __init__(self, mlp_num_hiddens, mlp_num_outputs, dropout):
            super().__init__()
            self.dense1 = nn.LazyLinear(mlp_num_hiddens)
            self.dense2 = nn.LazyLinear(mlp_num_outputs)
            self.dropout = nn.Dropout(dropout)

        def forward(self, X):
            hidden = self.dropout(nn.functional.gelu(self.dense1(X)))
            return self.dropout(self.dense2(hidden))

    class ViTBlock(nn.Module):
        def __init__(self, num_hiddens, mlp_num_hiddens, num_heads, dropout, use_bias):
            super().__init__()
            self.ln1 = nn.LayerNorm(num_hiddens)
            self.attention = d2l.MultiHeadAttention(
                num_hiddens, num_heads, dropout, use_bias
            )
            self.ln2 = nn.LayerNorm(num_hiddens)
            self.mlp = ViTMLP(mlp_num_hiddens, num_hiddens, dropout)

        def forward(self, X):
            normed = self.ln1(X)
            X = X + self.attention(normed, normed, normed, None)
            return X + self.mlp(self.ln2(X))

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
            self.patch_embedding = PatchEmbedding(img_size, patch_size, num_hiddens)
            num_steps = self.patch_embedding.num_patches + 1
            self.pos_embedding = nn.Parameter(torch.randn(1, num_steps, num_hiddens))
            self.dropout = nn.Dropout(emb_dropout)
            self.blks = nn.Sequential()
            for i in range(num_blks):
                block = ViTBlock(
                    num_hiddens, mlp_num_hiddens, num_heads, blk_dropout, use_bias
                )
                self.blks.add_module(f"{i}", block)
            self.head = nn.Sequential(
                nn.LayerNorm(num_hiddens), nn.Linear(num_hiddens, num_classes)
            )

        def forward(self, X):
            X = self.patch_embedding(X)
            X = torch.cat((self.cls_token.expand(X.shape[0], -1, -1), X), dim=1)
            return self.head(self.blks(self.dropout(X + self.pos_embedding))[:, 0])

    return ViT


def with_torch_layers(model):
    """A copy of our Transformer in which torch.nn's layers are the blocks."""
    model = copy.deepcopy(model)
    for stack in (model.encoder, model.decoder):
        stack.blks = nn.Sequential(*[TorchBlock(blk) for blk in stack.blks])
    return model


class TorchBlock(nn.Module):
    """One of torch.nn's Transformer layers, with the weights of a block of ours."""

    def __init__(self, blk):
        super().__init__()
        self.is_decoder = hasattr(blk, "attention1")
        if self.is_decoder:
            Layer = nn.TransformerDecoderLayer
            attentions = {"self_attn": blk.attention1, "multihead_attn": blk.attention2}
        else:
            Layer, attentions = nn.TransformerEncoderLayer, {"self_attn": blk.attention}
        num_hiddens, ffn_num_hiddens = blk.ffn.dense2.weight.shape
        num_heads, dropout = attentions["self_attn"].num_heads, blk.addnorm1.dropout.p
        self.layer = Layer(
            num_hiddens, num_heads, ffn_num_hiddens, dropout, batch_first=True
        )
        self.layer.dropout = nn.Identity()  # inside the network, where ours has none
        self.layer.linear1, self.layer.linear2 = blk.ffn.dense1, blk.ffn.dense2
        for i in range(1, len(attentions) + 2):
            setattr(self.layer, f"norm{i}", getattr(blk, f"addnorm{i}").ln)
        for name, ours in attentions.items():
            theirs = getattr(self.layer, name)
            weights = [layer.weight.detach() for layer in (ours.W_q, ours.W_k, ours.W_v)]
            theirs.in_proj_weight = nn.Parameter(torch.cat(weights))
            theirs.out_proj.weight = ours.W_o.weight

    def forward(self, X, state):
        if not self.is_decoder:
            return self.layer(X, src_key_padding_mask=padding_mask(X, state))
        enc_outputs, enc_valid_lens, _ = state
        X = self.layer(
            X,
            enc_outputs,
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(X.shape[1]),
            tgt_is_causal=True,
            memory_key_padding_mask=padding_mask(enc_outputs, enc_valid_lens),
        )
        return X, state


def padding_mask(X, valid_lens):
    """The mask (b, n) of torch.nn, where True is a token that may not be attended to."""
    return torch.arange(X.shape[1]) >= valid_lens.unsqueeze(1)
