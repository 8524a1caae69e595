"""One Transformer three times, from d2lmini, d2l 1.0.3 and torch.nn, for the benchmark."""

import copy

import torch
from oracle import d2l_transformer_decoder, load_d2l
from torch import nn

import d2lmini

SIZES = 256, 64, 4, 2  # hidden units, those of the feed-forward network, heads, blocks


def make_models(data, max_len=1000, sizes=SIZES):
    """A model of each library, without dropout, all with the weights of ours."""
    torch.manual_seed(0)
    d2l, pad = load_d2l(), data.tgt_vocab["<pad>"]
    src, tgt = len(data.src_vocab), len(data.tgt_vocab)
    encoder = d2lmini.TransformerEncoder(src, *sizes, 0.0, max_len=max_len)
    decoder = d2lmini.TransformerDecoder(tgt, *sizes, 0.0, max_len=max_len)
    # No token is number -1: decoding looks for the end, and never finds it.
    ours = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=pad, lr=0.001, tgt_eos=-1)
    encoder = d2l.TransformerEncoder(src, *sizes, 0.0)
    decoder = d2l_transformer_decoder(d2l)(tgt, *sizes, 0.0)
    for part in encoder, decoder:
        part.pos_encoding = d2l.PositionalEncoding(sizes[0], 0.0, max_len)
    theirs = d2l_seq2seq(d2l)(encoder, decoder, tgt_pad=pad, lr=0.001)
    theirs.load_state_dict(ours.state_dict())
    torch_nn = copy.deepcopy(ours)
    for part in torch_nn.encoder, torch_nn.decoder:
        part.blks = nn.Sequential(*map(TorchBlock, part.blks))
    return {"ours": ours, "d2l": theirs, "torch.nn": torch_nn}


def d2l_seq2seq(d2l):
    """d2l's model with the loss of its chapter; its library's trains on padding."""

    class Seq2Seq(d2l.Seq2Seq):
        def loss(self, Y_hat, Y):
            losses = super().loss(Y_hat, Y, averaged=False)
            mask = (Y.reshape(-1) != self.tgt_pad).type(torch.float32)
            return (losses * mask).sum() / mask.sum()

    return Seq2Seq


class TorchBlock(nn.Module):
    """A block of torch.nn with the weights of one of ours, to take its place."""

    def __init__(self, blk):
        super().__init__()
        ours = [part for part in blk.children() if hasattr(part, "W_q")]
        d, h = blk.ffn.dense2.weight.shape
        Layer = [nn.TransformerEncoderLayer, nn.TransformerDecoderLayer][len(ours) - 1]
        self.layer = Layer(d, ours[0].num_heads, h, dropout=0.0, batch_first=True)
        self.layer.dropout = nn.Identity()  # in the network, where ours has none
        self.layer.linear1, self.layer.linear2 = blk.ffn.dense1, blk.ffn.dense2
        for i in range(1, len(ours) + 2):
            setattr(self.layer, f"norm{i}", getattr(blk, f"addnorm{i}").ln)
        for name, attention in zip(["self_attn", "multihead_attn"], ours):
            layers = attention.W_q, attention.W_k, attention.W_v
            weights = torch.cat([layer.weight.detach() for layer in layers])
            getattr(self.layer, name).in_proj_weight = nn.Parameter(weights)
            getattr(self.layer, name).out_proj.weight = attention.W_o.weight

    def forward(self, X, state):
        if isinstance(self.layer, nn.TransformerEncoderLayer):
            return self.layer(X, src_key_padding_mask=padding_mask(X, state))
        memory, causal = state[0], ~d2lmini.causal_mask(X.shape[1])
        padding = {"memory_key_padding_mask": padding_mask(*state[:2])}
        return self.layer(X, memory, causal, tgt_is_causal=True, **padding), state

    def attention(self, X, _keys, _values, valid_lens):
        padding = padding_mask(X, valid_lens)
        return self.layer.self_attn(X, X, X, padding, need_weights=False)[0]


def padding_mask(X, valid_lens):
    """The mask of torch.nn, where True is what may not be attended to."""
    return ~d2lmini.length_mask(valid_lens, X.shape[1]).view(len(X), -1)


def set_dropout(model, p):
    """The model, with this rate in all its dropout."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = p
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = p
    return model
