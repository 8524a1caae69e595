# ruff: noqa: F821 (test_differences.py defines d2l and the two decoders)
"""Code in d2l's style, from the toolkit to the Transformer; test_differences.py runs it.

`Seq2SeqAttentionDecoder` and `TransformerDecoder` are names of their own, as in d2l's
chapters, which define them. The sentences are numbers, said digit by digit in English and
in French. What must be the same under both libraries is in `found`.
"""

import itertools

import pandas as pd
import torch
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
found["slope"] = round(model.slope())
found["sizes"] = model.lr, data.noise, trainer.max_epochs, trainer.num_val_batches
found["curves"] = {name: len(points) for name, points in model.board.data.items()}

d2l.set_figsize((4, 3))
x = torch.linspace(0, 3, 20)
d2l.plot(x, [torch.sin(x), torch.cos(x)], "x", "f(x)", legend=["sin", "cos"])
found["axis label"] = d2l.plt.gca().get_xlabel()

# --- attention: masks, two scoring functions, heads, positions ---

X, lens = torch.randn(2, 3, 4), torch.tensor([2, 3])
found["masked"] = d2l.masked_softmax(X.clone(), lens).gt(0).tolist()
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
encoded = encoding(torch.zeros((1, 50, 24)))
P = encoding.P[:, : encoded.shape[1], :]
found["positions"] = [round(p, 4) for p in P[0, 10, :6].tolist()]
d2l.plot(torch.arange(50), P[0, :, 4:7].T, xlabel="Row (position)", figsize=(6, 2.5))
d2l.show_heatmaps(P.unsqueeze(0), xlabel="Column", ylabel="Row", cmap="Blues")

# --- data: numbers in two languages ---

ENGLISH = ["one", "two", "three", "four", "five"]
FRENCH = ["un", "deux", "trois", "quatre", "cinq"]


class Numbers(d2l.MTFraEng):
    def _download(self):
        numbers = [
            n for size in (1, 2, 3) for n in itertools.product(range(5), repeat=size)
        ]
        order = torch.randperm(len(numbers), generator=torch.Generator().manual_seed(0))
        lines = []
        for digits in (numbers[i] for i in order):
            english = " ".join(ENGLISH[i] for i in digits)
            french = " ".join(FRENCH[i] for i in digits)
            lines.append(f"{english}.\t{french}.")
        return "\n".join(lines)


data = Numbers(batch_size=32, num_steps=5, num_train=120, num_val=30)
found["batch"] = [tuple(part.shape) for part in next(iter(data.train_dataloader()))]
found["vocabulary"] = data.tgt_vocab.idx_to_token
engs = ["two .", "one four .", "five two three ."]
fras = ["deux .", "un quatre .", "cinq deux trois ."]
found["new"] = [part.tolist() for part in data.build(engs, fras)]


def fit(encoder, decoder, lr):
    """Train for eight epochs, translate, and return the model and how it went."""
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)
    trainer = d2l.Trainer(max_epochs=8, gradient_clip_val=1, num_gpus=1)
    trainer.fit(model, data)
    losses = [point.y for point in model.board.data["train_loss"]]
    preds, _ = model.predict_step(data.build(engs, fras), d2l.try_gpu(), data.num_steps)
    scores = []
    for fra, p in zip(fras, preds):
        translation = []
        for token in data.tgt_vocab.to_tokens(p):
            if token == "<eos>":
                break
            translation.append(token)
        scores.append(d2l.bleu(" ".join(translation), fra, k=2))
    learns = bool(losses[-1] < 0.7 * losses[0])
    return model, (len(losses), learns, all(0 <= score <= 1 for score in scores))


# --- the recurrent model with attention, and its weights ---

torch.manual_seed(2)
sizes = {"embed_size": 16, "num_hiddens": 32, "num_layers": 1}
encoder = d2l.Seq2SeqEncoder(len(data.src_vocab), **sizes)
decoder = Seq2SeqAttentionDecoder(len(data.tgt_vocab), **sizes)
model, found["recurrent"] = fit(encoder, decoder, lr=0.02)

one = data.build(engs[-1:], fras[-1:])
_, dec_attention_weights = model.predict_step(one, d2l.try_gpu(), data.num_steps, True)
attention_weights = torch.cat([step[0][0][0] for step in dec_attention_weights], 0)
attention_weights = attention_weights.reshape((1, 1, -1, data.num_steps))
d2l.check_shape(attention_weights, (1, 1, data.num_steps, data.num_steps))
labels = {"xlabel": "Key positions", "ylabel": "Query positions"}
d2l.show_heatmaps(attention_weights[:, :, :, : len(engs[-1].split()) + 1].cpu(), **labels)

# --- the Transformer, and the weights of its encoder and decoder ---

torch.manual_seed(3)
num_blks, num_heads = 2, 2
sizes = 32, 64, num_heads, num_blks, 0.0
encoder = d2l.TransformerEncoder(len(data.src_vocab), *sizes)
decoder = TransformerDecoder(len(data.tgt_vocab), *sizes)
model, found["Transformer"] = fit(encoder, decoder, lr=0.005)

_, dec_attention_weights = model.predict_step(one, d2l.try_gpu(), data.num_steps, True)
shape = num_blks, num_heads, -1, data.num_steps
enc_attention_weights = torch.cat(model.encoder.attention_weights, 0).reshape(shape)
titles = [f"Head {i}" for i in range(1, num_heads + 1)]
rows = [
    head[0].tolist()
    for step in dec_attention_weights
    for attn in step
    for blk in attn
    for head in blk
]
filled = torch.tensor(pd.DataFrame(rows).fillna(0.0).values)
filled = filled.reshape((-1, 2, num_blks, num_heads, data.num_steps))
self_attention_weights, cross_attention_weights = filled.permute(1, 2, 3, 0, 4)
square = num_blks, num_heads, data.num_steps, data.num_steps
for name, weights in [
    ("encoder", enc_attention_weights),
    ("decoder, self-attention", self_attention_weights),
    ("decoder, cross-attention", cross_attention_weights),
]:
    d2l.check_shape(weights, square)
    d2l.show_heatmaps(weights.cpu(), **labels, titles=titles)
    found[name] = weights.sum(dim=-1).flatten().round(decimals=4).tolist()
found["causal"] = self_attention_weights.triu(diagonal=1).eq(0).all().item()
