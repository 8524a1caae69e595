"""What the benchmark compares: one Transformer three times, and a bare decoding loop.

The Transformer is made of d2lmini, of d2l 1.0.3 and of torch.nn.
"""

import copy
import math

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
        self.layer.linear1.load_state_dict(blk.ffn.dense1.state_dict())
        self.layer.linear2.load_state_dict(blk.ffn.dense2.state_dict())
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


class BareLoop:
    """Greedy decoding with the layers of our model: one loop over PyTorch's operations.

    Matrices with one input are one, all room is there from the start, and nothing is
    checked or kept for a search: what is left below is for faster operations to gain.
    """

    @torch.no_grad()
    def __init__(self, model, b):
        decoder = model.decoder
        self.encoder, self.dense = model.encoder, d2lmini.frozen(b, decoder.dense)
        self.embedding = decoder.embedding.weight * math.sqrt(decoder.num_hiddens)
        self.positions, self.blks = decoder.pos_encoding.P[0], []
        for blk in decoder.blks:
            own, source, ffn = blk.attention1, blk.attention2, blk.ffn
            scale = math.sqrt(decoder.num_hiddens / own.num_heads)
            W = d2lmini.frozen(b, scaled(own.W_q, scale), own.W_k, own.W_v)
            others = own.W_o, scaled(source.W_q, scale), source.W_o, ffn.dense1, ffn.dense2
            layers = W, *(d2lmini.frozen(b, layer) for layer in others)
            self.blks.append((blk, *layers))

    @torch.no_grad()
    def predict_step(self, batch, device, num_steps):
        src, tgt, lengths, _ = (part.to(device) for part in batch)
        src = src[:, : lengths.max()]
        memory, (b, m) = self.encoder(src, lengths), src.shape
        h = self.blks[0][0].attention1.num_heads
        rooms = memory.new_empty(len(self.blks), 2, b, h, num_steps, memory.shape[2] // h)
        mask = padding_mask(src, lengths)[:, None, None]
        bias = memory.new_zeros(b, 1, 1, m).masked_fill(mask, -math.inf)
        sources = []
        for blk, *_ in self.blks:
            keys, values = blk.attention2.project(memory, memory)
            sources.append((keys.mT.contiguous(), values.contiguous()))
        tokens = tgt[:, :1]
        for t in range(num_steps):
            X = self.embedding[tokens[:, -1]] + self.positions[t]
            for (blk, *layers), (keys, values), room in zip(self.blks, sources, rooms):
                W, W_o, S_q, S_o, dense1, dense2 = layers
                q, room[0, :, :, t], room[1, :, :, t] = W(X).view(b, 3, h, -1).unbind(1)
                own = room[:, :, :, : t + 1]
                scores = q[:, :, None] @ own[0].mT
                heads = (scores.softmax(-1) @ own[1]).view(b, -1)
                X = blk.addnorm1.ln(X + W_o(heads))
                q = S_q(X).view(b, h, 1, -1)
                heads = ((q @ keys + bias).softmax(-1) @ values).view(b, -1)
                X = blk.addnorm2.ln(X + S_o(heads))
                X = blk.addnorm3.ln(X + dense2(dense1(X).relu()))
            tokens = torch.cat((tokens, self.dense(X).argmax(-1, keepdim=True)), 1)
        return tokens[:, 1:], None


def scaled(layer, scale):
    """The layer with its weight divided by the scale."""
    layer = copy.deepcopy(layer)
    layer.weight /= scale
    return layer


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
