"""d2l and this library: every difference on the page, no other in names and calls, and
d2l's own code, which runs on both.
"""

import ast
import contextlib
import copy
import inspect
import io
import math
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import torch
from torch import nn

import d2lmini
from tools import ROOT, d2l_reference
from tools.book import names_and_d2l

PROOFS = (ROOT / "book" / "differences.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.filterwarnings("ignore:Lazy modules are")


@pytest.fixture(scope="module")
def book(d2l_1_0_3):
    """d2l's library with the models that only its chapters define, outside notebooks."""
    library = d2l_reference.load_book()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(d2l_1_0_3, "use_svg_display", lambda: None)
        yield library


# --- the page ------------------------------------------------------------------------

SECTION = re.compile(
    r"### (?P<title>.+)\n\n"
    r"```python\n(?P<proof>[^`]+)```\n\n"
    r"- \*\*(?:d2l:\*\* `(?P<theirs>[^`]+)`|[\w ]+:\*\* )(?:.|\n )*\n"
    r"- \*\*Here:\*\* `(?P<ours>[^`]+)`(?:.|\n )*"
)
LINE = re.compile(
    r"- `(?P<title>(?P<proof>[^`]+))`\n"
    r"  - \*\*d2l:\*\* `(?P<theirs>[^`]+)`(?:.|\n  )*\n"
    r"  - \*\*Here:\*\* `(?P<ours>[^`]+)`(?:.|\n  )*"
)


def entries(pattern, blocks):
    """The differences on the page, by their titles or, in small print, their proofs."""
    found = {}
    for block in blocks:
        match = pattern.fullmatch(block.strip())
        assert match, f"cannot be read:\n{block}"
        assert match["title"] not in found
        found[match["title"]] = match.groupdict()
    return found


PROOFS = PROOFS.partition("\n## The names")[0]
BLOCKS = re.split(r"\n(?=##|- `)", PROOFS)
ENTRIES = {
    **entries(SECTION, [block for block in BLOCKS if block.startswith("### ")]),
    **entries(LINE, [block for block in BLOCKS if block.startswith("- `")]),
}


def slug(title):
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:50]


def test_every_result_on_the_page_belongs_to_a_proof():
    results = re.findall(r"^ *- \*\*[\w ]+:\*\*", PROOFS, re.MULTILINE)
    assert len(results) == 2 * len(ENTRIES) > 80


def test_the_effects_of_the_first_ones_are_those_of_the_page_of_results():
    tables = (ROOT / "book" / "_generated").glob("*.md")
    results = "\n".join(path.read_text(encoding="utf-8") for path in tables)
    first = PROOFS.split("\n## ")[2]
    rows = re.findall(r"^\| \[(.+)\]\(.+ \| ([\d.]+) \| ([\d.]+) \|$", first, re.MULTILINE)
    assert [title for title, *_ in rows] == re.findall(r"^### (.+)$", first, re.MULTILINE)
    measured = {*re.findall(r"\| ([\d.]+)(?= ± [\d.]+ \|)", results)}
    assert {number for _, *numbers in rows for number in numbers} <= measured


@pytest.fixture(scope="module")
def missing():
    """The address of a file; the server answers with a page about an error."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/words.txt"
        server.shutdown()
        thread.join()


@pytest.fixture
def run(monkeypatch, missing, tmp_path):
    """A function that runs a proof with a library, and returns what may stand for it."""
    known = {"copy": copy, "math": math, "torch": torch, "nn": nn, "Path": Path}
    known |= {"missing": missing, "folder": str(tmp_path)}
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)

    def outcome(proof, library):
        torch.manual_seed(0)
        tree, names = ast.parse(proof), {**known, "d2l": library}
        value = ast.Expression(tree.body.pop().value)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(tree, "proof", "exec"), names)
                return [repr(eval(compile(value, "proof", "eval"), names))]
        except Exception as error:
            return [type(error).__name__, f"{type(error).__name__}: {error}"]

    return outcome


@pytest.mark.parametrize("title", ENTRIES, ids=slug)
def test_proof(run, book, title):
    entry = ENTRIES[title]
    assert entry["ours"] in run(entry["proof"], d2lmini)
    if entry["theirs"] is not None:
        assert entry["theirs"] in run(entry["proof"], book)
        assert entry["theirs"] != entry["ours"]


# --- the names -----------------------------------------------------------------------


def test_the_list_of_names_is_up_to_date():
    stored = names_and_d2l.LIST.read_text(encoding="utf-8")
    assert stored == names_and_d2l.names_text(), "run `make differences`"


def test_what_d2l_saves_in_these_sections_is_here_or_said_to_be_missing(d2l_1_0_3):
    saved, used = names_and_d2l.d2l_names(d2l_1_0_3)
    assert {"masked_softmax", "TransformerEncoder", "bleu", "MTFraEng"} <= saved
    assert {"GRU", "DATA_URL", "argmax"} <= used
    missing = (saved | used) - {*d2lmini.__all__}
    own = {n for n in missing if names_and_d2l.is_torch_s_own(getattr(d2l_1_0_3, n))}
    assert missing - own == {*names_and_d2l.INSTEAD}
    assert not {name for name in names_and_d2l.IN_THE_BOOK if hasattr(d2l_1_0_3, name)}
    assert {*names_and_d2l.IN_THE_BOOK} <= {*d2lmini.__all__}


# --- the calls -----------------------------------------------------------------------

INTERNAL = ["_build_arrays"]  # which MTFraEng calls with text in d2l, and with tokens here


@pytest.fixture(scope="module")
def shared(d2l_1_0_3):
    """What both libraries have: name -> theirs, ours, and so for the methods of classes."""
    pairs = {}
    for name in d2lmini.__all__:
        theirs = getattr(d2l_1_0_3, name, None)
        if inspect.isfunction(theirs) or inspect.isclass(theirs):
            pairs[name] = theirs, getattr(d2lmini, name)
    for name, (theirs, ours) in [*pairs.items()]:
        if inspect.isclass(theirs):
            for method, function in vars(theirs).items():
                if inspect.isfunction(function) and method not in INTERNAL:
                    pairs[f"{name}.{method}"] = function, getattr(ours, method, None)
    return pairs


LOOK = {"fmts", "cmap"}  # the colours and lines of our figures are our own


def accepts(theirs, ours):
    """Whether each call of theirs means the same to ours: same names, order, defaults."""
    if ours is None:
        return False
    theirs, ours = (inspect.signature(side).parameters.values() for side in (theirs, ours))
    variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    if variable[0] in {p.kind for p in theirs} - {p.kind for p in ours}:
        return False
    theirs, ours = ([p for p in side if p.kind not in variable] for side in (theirs, ours))
    shared, others = ours[: len(theirs)], ours[len(theirs) :]
    same = [(p.name, p.kind) for p in theirs] == [(p.name, p.kind) for p in shared]
    return same and all(
        [
            p.default is p.empty or plain(p.default) == plain(q.default)
            for p, q in zip(theirs, ours)
            if p.name not in LOOK
        ]
        + [p.default is not p.empty for p in others]
    )


def plain(default):
    """A default, with a tuple for a list, which can change."""
    return tuple(default) if isinstance(default, list) else default


def test_every_call_of_d2l_is_accepted_and_means_the_same(shared):
    assert len(shared) > 80
    wrong = [name for name, pair in shared.items() if not accepts(*pair)]
    assert wrong == []


# --- the attributes ------------------------------------------------------------------

X, LENS = torch.zeros(2, 3, 8), torch.tensor([2, 3])
WORDS = torch.ones(2, 3, dtype=torch.long)


def trainer_of(d2l):
    """A trainer that has trained a classifier."""
    model = type("Net", (d2l.Classifier,), {"lr": 0.1})()
    model.net, model.board.display = nn.Linear(8, 3), False
    batches = [(torch.ones(4, 8), torch.ones(4, dtype=torch.long))] * 2
    data = type("Data", (d2l.DataModule,), {"get_dataloader": lambda self, train: batches})
    trainer = d2l.Trainer(max_epochs=1)
    trainer.fit(model, data())
    return trainer


def board_of(d2l):
    board = d2l.ProgressBoard("x", display=False)
    board.draw(0, 1, "loss")
    return board


def data_of(d2l):
    text = "\n".join(f"{i % 3} {i}\t{i}" for i in range(9))
    return type("Few", (d2l.MTFraEng,), {"_download": lambda self: text})(2, 9, 4, 2)


def called(layer, *inputs):
    layer(*inputs)
    return layer


ATTENTION = X, X, X, LENS
MADE = {
    "ProgressBoard": board_of,
    "Trainer": trainer_of,
    "Classifier": lambda d2l: trainer_of(d2l).model,
    "Module": lambda d2l: d2l.Module(),
    "DataModule": lambda d2l: d2l.DataModule(),
    "Vocab": lambda d2l: d2l.Vocab(["a"]),
    "MTFraEng": data_of,
    "Encoder": lambda d2l: d2l.Encoder(),
    "Decoder": lambda d2l: d2l.Decoder(),
    "AttentionDecoder": lambda d2l: d2l.AttentionDecoder(),
    "EncoderDecoder": lambda d2l: d2l.EncoderDecoder(d2l.Encoder(), d2l.Decoder()),
    "Seq2Seq": lambda d2l: d2l.Seq2Seq(d2l.Encoder(), d2l.Decoder(), 0, 0.1),
    "Seq2SeqEncoder": lambda d2l: called(d2l.Seq2SeqEncoder(10, 4, 8, 1), WORDS, LENS),
    "DotProductAttention": lambda d2l: called(d2l.DotProductAttention(0), *ATTENTION),
    "AdditiveAttention": lambda d2l: called(d2l.AdditiveAttention(8, 0), *ATTENTION),
    "MultiHeadAttention": lambda d2l: called(d2l.MultiHeadAttention(8, 2, 0), *ATTENTION),
    "PositionalEncoding": lambda d2l: called(d2l.PositionalEncoding(8, 0), X),
    "PositionWiseFFN": lambda d2l: called(d2l.PositionWiseFFN(4, 8), X),
    "AddNorm": lambda d2l: called(d2l.AddNorm(8, 0), X, X),
    "TransformerEncoderBlock": lambda d2l: called(
        d2l.TransformerEncoderBlock(8, 16, 2, 0), X, LENS
    ),
    "TransformerEncoder": lambda d2l: called(
        d2l.TransformerEncoder(10, 8, 16, 2, 1, 0.0), WORDS, LENS
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_attributes_and_weights_of_d2l_s_instances_exist_here(d2l_1_0_3, name):
    theirs, ours = (MADE[name](library) for library in (d2l_1_0_3, d2lmini))
    public = {attribute for attribute in dir(theirs) if not attribute.startswith("_")}
    assert public - {*dir(ours)} == set()
    if isinstance(theirs, nn.Module):
        weights = [key.replace("rnn.rnn", "rnn") for key in theirs.state_dict()]
        assert sorted(ours.state_dict()) == sorted(weights)


# --- d2l's code ----------------------------------------------------------------------
# Each function is code as in d2l's chapters, with the library as its argument. It returns
# what must be the same under both libraries.


def training(d2l):
    """A line through points."""

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
    sizes = model.lr, data.noise, trainer.max_epochs, trainer.num_val_batches
    curves = {name: len(points) for name, points in model.board.data.items()}
    d2l.set_figsize((4, 3))
    x = torch.linspace(0, 3, 20)
    d2l.plot(x, [torch.sin(x), torch.cos(x)], "x", "f(x)", legend=["sin", "cos"])
    return round(model.slope()), sizes, curves, d2l.plt.gca().get_xlabel()


def attention(d2l):
    """Masks, two scoring functions, heads and positions."""
    X, lens = torch.randn(2, 3, 4), torch.tensor([2, 3])
    rows = d2l.masked_softmax(X.clone(), torch.tensor([[1, 2, 3], [4, 3, 2]]))
    found = [d2l.masked_softmax(X.clone(), lens).gt(0).tolist()]
    found += rows.gt(0).sum(dim=-1).tolist()

    queries, keys, values = torch.randn(2, 1, 6), torch.randn(2, 5, 6), torch.randn(2, 5, 7)
    for layer, q in [
        (d2l.DotProductAttention(dropout=0.5), queries),
        (d2l.AdditiveAttention(num_hiddens=8, dropout=0.1), torch.randn(2, 1, 9)),
    ]:
        layer.eval()
        d2l.check_shape(layer(q, keys, values, lens), (2, 1, 7))
        shown = layer.attention_weights.reshape((1, 1, 2, 5))
        d2l.show_heatmaps(shown, xlabel="Keys", ylabel="Queries", titles=["weights"])
        found += shown.gt(0).sum(dim=-1).flatten().tolist()

    layer = d2l.MultiHeadAttention(24, 4, 0.5, bias=True)
    tokens, others = torch.ones((2, 4, 24)), torch.ones((2, 6, 24))
    d2l.check_shape(layer(tokens, others, others, lens), (2, 4, 24))
    split = layer.transpose_qkv(tokens)
    found.append(torch.equal(layer.transpose_output(split), tokens))

    encoding = d2l.PositionalEncoding(24, 0)
    encoded = encoding(torch.zeros((1, 50, 24)))
    P = encoding.P[:, : encoded.shape[1], :]
    d2l.plot(torch.arange(50), P[0, :, 4:7].T, xlabel="Row (position)", figsize=(6, 2.5))
    d2l.show_heatmaps(P.unsqueeze(0), xlabel="Column", ylabel="Row", cmap="Blues")
    return found + [round(p, 4) for p in P[0, 10, :6].tolist()]


ENGLISH = ["one", "two", "three", "four", "five"]
FRENCH = ["un", "deux", "trois", "quatre", "cinq"]
ENGS = ["two .", "one four .", "five two three ."]
FRAS = ["deux .", "un quatre .", "cinq deux trois ."]
LABELS = {"xlabel": "Key positions", "ylabel": "Query positions"}


def numbers(d2l):
    """Numbers, said digit by digit in two languages."""

    class Numbers(d2l.MTFraEng):
        def _download(self):
            numbers = [n for size in (1, 2, 3) for n in product(range(5), repeat=size)]
            order = torch.randperm(len(numbers), generator=torch.Generator().manual_seed(0))
            lines = []
            for digits in (numbers[i] for i in order):
                english = " ".join(ENGLISH[i] for i in digits)
                french = " ".join(FRENCH[i] for i in digits)
                lines.append(f"{english}.\t{french}.")
            return "\n".join(lines)

    return Numbers(batch_size=32, num_steps=5, num_train=120, num_val=30)


def translation_data(d2l):
    data = numbers(d2l)
    shapes = [part.shape for part in next(iter(data.train_dataloader()))]
    new = [part.tolist() for part in data.build(ENGS, FRAS)]
    return shapes, data.tgt_vocab.idx_to_token, new


def trained(d2l, data, encoder, decoder, lr):
    """Train for eight epochs and translate; return the model and attention weights."""
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)
    trainer = d2l.Trainer(max_epochs=8, gradient_clip_val=1, num_gpus=1)
    trainer.fit(model, data)
    losses = [point.y for point in model.board.data["train_loss"]]
    assert losses[-1] < 0.7 * losses[0]
    preds, _ = model.predict_step(data.build(ENGS, FRAS), d2l.try_gpu(), data.num_steps)
    for fra, p in zip(FRAS, preds):
        translation = []
        for token in data.tgt_vocab.to_tokens(p):
            if token == "<eos>":
                break
            translation.append(token)
        assert 0 <= d2l.bleu(" ".join(translation), fra, k=2) <= 1
    one = data.build(ENGS[-1:], FRAS[-1:])
    _, weights = model.predict_step(one, d2l.try_gpu(), data.num_steps, True)
    return model, weights


def recurrent(d2l):
    """The recurrent model with attention, and its weights."""
    torch.manual_seed(2)
    data = numbers(d2l)
    sizes = {"embed_size": 16, "num_hiddens": 32, "num_layers": 1}
    encoder = d2l.Seq2SeqEncoder(len(data.src_vocab), **sizes)
    decoder = d2l.Seq2SeqAttentionDecoder(len(data.tgt_vocab), **sizes)
    model, dec_attention_weights = trained(d2l, data, encoder, decoder, lr=0.02)
    attention_weights = torch.cat([step[0][0][0] for step in dec_attention_weights], 0)
    attention_weights = attention_weights.reshape((1, 1, -1, data.num_steps))
    d2l.check_shape(attention_weights, (1, 1, data.num_steps, data.num_steps))
    num_keys = len(ENGS[-1].split()) + 1
    d2l.show_heatmaps(attention_weights[:, :, :, :num_keys].cpu(), **LABELS)
    return len(model.board.data["train_loss"])


def transformer(d2l):
    """The Transformer, and the weights of its encoder and decoder."""
    torch.manual_seed(3)
    data, (num_blks, num_heads) = numbers(d2l), (2, 2)
    sizes = 32, 64, num_heads, num_blks, 0.0
    encoder = d2l.TransformerEncoder(len(data.src_vocab), *sizes)
    decoder = d2l.TransformerDecoder(len(data.tgt_vocab), *sizes)
    model, dec_attention_weights = trained(d2l, data, encoder, decoder, lr=0.005)
    shape = num_blks, num_heads, -1, data.num_steps
    enc_attention_weights = torch.cat(model.encoder.attention_weights, 0).reshape(shape)
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
    found = [self_attention_weights.triu(diagonal=1).eq(0).all().item()]
    titles = [f"Head {i}" for i in range(1, num_heads + 1)]
    for weights in enc_attention_weights, self_attention_weights, cross_attention_weights:
        d2l.check_shape(weights, (num_blks, num_heads, data.num_steps, data.num_steps))
        d2l.show_heatmaps(weights.cpu(), **LABELS, titles=titles)
        found.append(weights.sum(dim=-1).flatten().round(decimals=4).tolist())
    return found


@pytest.mark.filterwarnings("ignore:Constructing a DataFrame from a list of sequences")
@pytest.mark.parametrize(
    "script", [training, attention, translation_data, recurrent, transformer]
)
def test_d2l_s_code_runs_here_with_its_own_decoders_and_with_ours(script, book):
    expected = script(book)
    assert script(d2lmini) == expected
    theirs = {
        "Seq2SeqAttentionDecoder": d2l_reference.d2l_attention_decoder(d2lmini),
        "TransformerDecoder": d2l_reference.d2l_transformer_decoder(d2lmini),
    }
    assert script(SimpleNamespace(**{**vars(d2lmini), **theirs})) == expected
