"""A script for d2l, from the toolkit to the Transformer; test_drop_in.py runs it twice.

Its sentences are numbers, said digit by digit in English and in French. What it finds out
is in `found`, for the test to compare.
"""

import itertools
import math

import torch
from d2l import torch as d2l
from torch import nn

found = {}

# --- the toolkit: a line through points ---


class Points(d2l.DataModule):
    def __init__(self, slope, noise=0.01, num_train=96, num_val=32, batch_size=16):
        super().__init__()
        self.save_hyperparameters()
        n = num_train + num_val
        self.X = torch.randn(n, 1)
        self.y = slope * self.X + noise * torch.randn(n, 1)

    def get_dataloader(self, train):
        i = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, i)


class Line(d2l.Module):
    def __init__(self, lr):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.LazyLinear(1)

    def loss(self, y_hat, y):
        return nn.functional.mse_loss(y_hat, y)


@d2l.add_to_class(Line)
def slope(self):
    return self.net.weight.item()


torch.manual_seed(1)
model, data = Line(lr=0.1), Points(slope=3.0)
trainer = d2l.Trainer(max_epochs=5)
trainer.fit(model, data)
d2l.check_len(model.board.data, 2)
found["slope"] = round(model.slope())
found["hyperparameters"] = (
    model.lr,
    data.noise,
    trainer.max_epochs,
    trainer.num_val_batches,
)
found["curves"] = sorted(model.board.data)

d2l.set_figsize((4, 3))
x = torch.linspace(0, 3, 20)
d2l.plot(x, [torch.sin(x), torch.cos(x)], "x", "f(x)", legend=["sin", "cos"])
found["axis label"] = d2l.plt.gca().get_xlabel()

# --- attention: masks, two scoring functions, heads, positions ---

X, lens = torch.randn(2, 3, 4), torch.tensor([2, 3])
weights = d2l.masked_softmax(X.clone(), lens)
d2l.check_shape(weights, (2, 3, 4))
found["masked"] = weights[:, :, 2:].eq(0).tolist()
rows = d2l.masked_softmax(X.clone(), torch.tensor([[1, 2, 3], [4, 3, 2]]))
found["masked by query"] = rows.gt(0).sum(dim=-1).tolist()

queries, keys, values = torch.randn(2, 1, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
for name, attention, q in [
    ("dot product", d2l.DotProductAttention(dropout=0.5), queries),
    ("additive", d2l.AdditiveAttention(num_hiddens=8, dropout=0.1), torch.randn(2, 1, 9)),
]:
    attention.eval()
    d2l.check_shape(attention(q, keys, values, lens), (2, 1, 7))
    shown = attention.attention_weights.reshape((1, 1, 2, 5))
    d2l.show_heatmaps(shown, xlabel="Keys", ylabel="Queries", titles=[name])
    found[name] = shown.gt(0).sum(dim=-1).flatten().tolist()

attention = d2l.MultiHeadAttention(24, 4, 0.5, bias=True)
tokens, others = torch.ones((2, 4, 24)), torch.ones((2, 6, 24))
d2l.check_shape(attention(tokens, others, others, lens), (2, 4, 24))
split = attention.transpose_qkv(tokens)
found["heads"] = torch.equal(attention.transpose_output(split), tokens)

encoding = d2l.PositionalEncoding(24, 0)
placed = encoding(torch.zeros((1, 50, 24)))
P = encoding.P[:, : placed.shape[1], :]
found["positions"] = [round(p, 4) for p in P[0, 10, :6].tolist()]
d2l.plot(torch.arange(50), P[0, :, 4:7].T, xlabel="Row (position)", figsize=(6, 2.5))
d2l.show_heatmaps(P.unsqueeze(0), xlabel="Column", ylabel="Row", cmap="Blues")

# --- data: numbers, said in two languages ---

ENGLISH = ["one", "two", "three", "four", "five"]
FRENCH = ["un", "deux", "trois", "quatre", "cinq"]


class Numbers(d2l.MTFraEng):
    def _download(self):
        lines = []
        for size in (1, 2, 3):
            for digits in itertools.product(range(5), repeat=size):
                english = " ".join(ENGLISH[i] for i in digits)
                french = " ".join(FRENCH[i] for i in digits)
                lines.append(f"{english}.\t{french}.")
        generator = torch.Generator().manual_seed(0)
        order = torch.randperm(len(lines), generator=generator)
        return "\n".join(lines[i] for i in order)


data = Numbers(batch_size=32, num_steps=5, num_train=120, num_val=30)
src, tgt, src_len, label = next(iter(data.train_dataloader()))
found["batch"] = [tuple(part.shape) for part in (src, tgt, src_len, label)]
found["vocabulary"] = data.tgt_vocab.idx_to_token
engs = ["two .", "one four .", "five two three ."]
fras = ["deux .", "un quatre .", "cinq deux trois ."]
found["new"] = [part.tolist() for part in data.build(engs, fras)]


def fit(model, max_epochs):
    """Train a model, translate with it, and say how it went."""
    trainer = d2l.Trainer(max_epochs=max_epochs, gradient_clip_val=1, num_gpus=1)
    trainer.fit(model, data)
    losses = [point.y for point in model.board.data["train_loss"]]
    preds, _ = model.predict_step(data.build(engs, fras), d2l.try_gpu(), data.num_steps)
    grades = []
    for fra, pred in zip(fras, preds):
        translation = []
        for token in data.tgt_vocab.to_tokens(pred):
            if token == "<eos>":
                break
            translation.append(token)
        grades.append(d2l.bleu(" ".join(translation), fra, k=2))
    return {
        "points": len(losses),
        "learns": bool(losses[-1] < 0.7 * losses[0]),
        "grades": [0 <= grade <= 1 for grade in grades],
    }


# --- a recurrent decoder that looks back ---


class LookingBack(d2l.AttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        self.attention = d2l.AdditiveAttention(num_hiddens, dropout)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + num_hiddens, num_hiddens, num_layers)
        self.dense = nn.LazyLinear(vocab_size)
        self.apply(d2l.init_seq2seq)

    def init_state(self, enc_all_outputs, enc_valid_lens):
        outputs, hidden = enc_all_outputs
        return outputs.permute(1, 0, 2), hidden, enc_valid_lens

    def forward(self, X, state):
        memory, hidden, memory_lens = state
        outputs, self._weights = [], []
        for word in self.embedding(X).permute(1, 0, 2):
            query = hidden[-1].unsqueeze(1)
            context = self.attention(query, memory, memory, memory_lens)
            step = torch.cat((context, word.unsqueeze(1)), dim=-1)
            output, hidden = self.rnn(step.permute(1, 0, 2), hidden)
            outputs.append(output)
            self._weights.append(self.attention.attention_weights)
        scores = self.dense(torch.cat(outputs, dim=0)).permute(1, 0, 2)
        return scores, [memory, hidden, memory_lens]

    @property
    def attention_weights(self):
        return self._weights


torch.manual_seed(2)
sizes = {"embed_size": 16, "num_hiddens": 32, "num_layers": 1}
encoder = d2l.Seq2SeqEncoder(len(data.src_vocab), **sizes)
decoder = LookingBack(len(data.tgt_vocab), **sizes)
model = d2l.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=0.02)
found["looking back"] = fit(model, max_epochs=8)

one = data.build(engs[-1:], fras[-1:])
_, steps = model.predict_step(one, d2l.try_gpu(), data.num_steps, True)
seen = torch.cat([step[0][0][0] for step in steps], 0).reshape((1, 1, -1, data.num_steps))
words = len(engs[-1].split()) + 1
d2l.show_heatmaps(
    seen[:, :, :, :words].cpu(), xlabel="Key positions", ylabel="Query positions"
)
found["looks"] = tuple(seen[:, :, :words].shape)

# --- the Transformer, with a decoder of our own ---


class WritingBlock(nn.Module):
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
        written[self.i] = X if past is None else torch.cat((past, X), dim=1)
        lens = None
        if self.training:
            lens = torch.arange(1, X.shape[1] + 1, device=X.device).repeat(len(X), 1)
        own = written[self.i]
        Y = self.addnorm1(X, self.attention1(X, own, own, lens))
        Z = self.addnorm2(Y, self.attention2(Y, memory, memory, memory_lens))
        return self.addnorm3(Z, self.ffn(Z)), state


class Writing(d2l.AttentionDecoder):
    def __init__(
        self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout
    ):
        super().__init__()
        self.num_hiddens, self.num_blks = num_hiddens, num_blks
        self.embedding = nn.Embedding(vocab_size, num_hiddens)
        self.pos_encoding = d2l.PositionalEncoding(num_hiddens, dropout)
        self.blks = nn.Sequential()
        for i in range(num_blks):
            block = WritingBlock(num_hiddens, ffn_num_hiddens, num_heads, dropout, i)
            self.blks.add_module(f"block{i}", block)
        self.dense = nn.LazyLinear(vocab_size)

    def init_state(self, enc_all_outputs, enc_valid_lens):
        return [enc_all_outputs, enc_valid_lens, [None] * self.num_blks]

    def forward(self, X, state):
        X = self.pos_encoding(self.embedding(X) * math.sqrt(self.num_hiddens))
        for block in self.blks:
            X, state = block(X, state)
        return self.dense(X), state

    @property
    def attention_weights(self):
        layers = [[b.attention1 for b in self.blks], [b.attention2 for b in self.blks]]
        return [[part.attention.attention_weights for part in kind] for kind in layers]


torch.manual_seed(3)
num_blks, num_heads = 2, 2
sizes = 32, 64, num_heads, num_blks, 0.0
encoder = d2l.TransformerEncoder(len(data.src_vocab), *sizes)
decoder = Writing(len(data.tgt_vocab), *sizes)
model = d2l.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=0.005)
found["writing"] = fit(model, max_epochs=8)

_, steps = model.predict_step(one, d2l.try_gpu(), data.num_steps, True)
found["decoder's heads"] = [[blk.numel() for blk in kind] for kind in steps[0]]
shape = num_blks, num_heads, -1, data.num_steps
heads = torch.cat(model.encoder.attention_weights, 0).reshape(shape)
d2l.check_shape(heads, (num_blks, num_heads, data.num_steps, data.num_steps))
names = [f"Head {i}" for i in range(1, num_heads + 1)]
d2l.show_heatmaps(heads.cpu(), "Key positions", "Query positions", titles=names)
found["encoder's heads"] = heads.sum(dim=-1).flatten().round(decimals=4).tolist()
