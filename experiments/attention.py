"""What attention brings to chapter 4's translators, and which states their decoders need.

The first table has the BLEU of the model with attention and of its controls, on all
held-out sentences and by their length, that of decoders which read one state a step at a
fixed distance, and those of the models with and without attention at two more learning
rates, with larger steps of their embeddings, and with two more widths. The second has how
many negations are still translated when states of the encoder are changed. The code is
that of the notebook's cells, in whose kernel `measure` runs.
"""

import copy
import statistics

import torch
from torch import nn

import d2lmini
from experiments import chapter, results
from experiments.models import EmbeddingRate, scores, state_alone
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "04_bahdanau.ipynb"
LAST = "def ablate("  # in the last cell that is needed
GROUPS = {"2–4": (2, 4), "5–6": (5, 6), "7–8": (7, 8), "9–10": (9, 10)}  # of tokens
BLEU = [
    "BLEU",
    "lowest",
    "highest",
    "sentences",
    *(f"{group} tokens" for group in GROUPS),
]
RATES = {"half": 0.005, "twice": 0.02}  # the chapter's is 0.01
WIDER = {  # hidden units, of which the chapter's models have 128, and a rate
    "256 hidden units": (256, 0.01),
    "256 hidden units, half the rate": (256, 0.005),
    "512 hidden units": (512, 0.01),
    "512 hidden units, half the rate": (512, 0.005),
    "512 hidden units, a quarter of the rate": (512, 0.0025),
}
SHIFTS = {"the same": 0, "the next": 1, "the next but one": 2}
CHANGES = ["overwritten", "masked"]


def bleu(models, names):
    """A row for each kind of model: its name, the mean and the range of its BLEU, and the
    means of the groups of sentences."""
    data, rows = names["data"], []
    for kind, trained in models.items():
        preds = [d2lmini.translate(model, data, names["english"]) for model in trained]
        found, intervals = zip(*(scores(data, one) for one in preds))
        groups = [
            statistics.mean(d2lmini.held_out_bleu(data, one, *group) for one in preds)
            for group in GROUPS.values()
        ]
        numbers = min(found), max(found), statistics.mean(intervals), *groups
        numbers = [f"{number:.1f}" for number in numbers]
        rows.append([kind, results.spread(found, 1), *numbers])
    return rows


class Pointer(nn.Module):
    """In place of an attention: step t reads the state of the token t + shift alone."""

    def __init__(self, shift):
        super().__init__()
        self.shift, self.step, self.attention_weights = shift, 0, None

    def W_k(self, values):
        return values

    def attend(self, query, keys, values, valid_lens):
        place = (valid_lens - 1).clamp(max=self.step + self.shift)
        self.step += 1
        return values[torch.arange(len(values)), place].unsqueeze(1)  # (b, 1, p)


def pointing(shift):
    """A kind of decoder with a pointer instead of its attention."""

    class PointingDecoder(d2lmini.Seq2SeqAttentionDecoder):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.attention = Pointer(shift)

        def init_state(self, *args):
            self.attention.step = 0
            return super().init_state(*args)

    return PointingDecoder


class Overwriting(d2lmini.Encoder):
    """An encoder that replaces its states at some places (b, m) by the next ones."""

    def __init__(self, encoder, places):
        super().__init__()
        self.encoder, self.places = encoder, places

    def forward(self, X, valid_lens):
        outputs, state = self.encoder(X, valid_lens)  # (m, b, p)
        following = outputs.roll(-1, dims=0)
        return torch.where(self.places.T[..., None], following, outputs), state


def overwrite(model, places):
    model = copy.deepcopy(model)
    model.encoder = Overwriting(model.encoder, places)
    return model


class StartingFrom(d2lmini.Encoder):
    """An encoder with another last state, from which the decoder will start."""

    def __init__(self, encoder, state):
        super().__init__()
        self.encoder, self.state = encoder, state

    def forward(self, X, valid_lens):
        outputs, _ = self.encoder(X, valid_lens)
        return outputs, self.state


@torch.no_grad()
def more_ablations(model, names):
    """Fractions with pas when more is masked, and when all before pas is given."""
    data, negation = names["data"], names["negation"]
    negated, deleted = names["negated"], names["deleted"]
    mask, with_pas = names["mask"], names["with_pas"]
    later = negation.cumsum(dim=1) > 0
    X, _, lengths, _ = (part.to(negation.device) for part in data.build(deleted))
    _, state = model.encoder(X, lengths)
    other = copy.deepcopy(model)
    other.encoder = StartingFrom(model.encoder, state)
    return {
        "all tokens after it": with_pas(mask(model, later & ~negation), negated),
        "negation and all tokens after it": with_pas(mask(model, later), negated),
        "start from the state without the token": with_pas(other, negated),
        "this start, and the negation masked": with_pas(mask(other, negation), negated),
        "this start, and the negation and all after it masked": with_pas(
            mask(other, later), negated
        ),
        "negation, all tokens before pas given": given_prefix(
            model, mask(model, negation), names
        ),
    }


def given_prefix(model, changed, names):
    """How often a changed model continues by pas where the model itself has written it."""
    data, vocab = names["data"], names["data"].tgt_vocab
    written = [line.split() for line in d2lmini.translate(model, data, names["negated"])]
    X, _, lengths, _ = (
        part.to(names["negation"].device) for part in data.build(names["negated"])
    )
    state = changed.decoder.init_state(changed.encoder(X, lengths), lengths)
    n = max(map(len, written))
    rows = [["<bos>", *tokens, *["<pad>"] * (n - len(tokens))] for tokens in written]
    logits, _ = changed.decoder(torch.tensor([vocab[row] for row in rows]).to(X), state)
    found = [
        logits[i, tokens.index("pas")].argmax().item() == vocab["pas"]
        for i, tokens in enumerate(written)
        if "pas" in tokens
    ]
    return statistics.mean(found)


def ablated(models, names):
    """A row for each choice of states: its name, and the fractions after each change."""
    found = []
    for model in models:
        overwritten = names["ablate"](model, overwrite)
        masked = names["ablate"](model) | more_ablations(model, names)
        found.append({name: (overwritten.get(name), masked[name]) for name in masked})
    return [
        [name, *map(results.spread, zip(*(rows[name] for rows in found)))]
        for name in found[0]
    ]


def wider(names, seeds):
    """Models with and without attention, with more hidden units, by name."""
    models, usual = {}, dict(names["sizes"])
    for name, (width, lr) in WIDER.items():
        names["sizes"]["num_hiddens"] = width  # `train` reads it
        for kind in ("no attention", "attention"):
            models[f"{kind}, {name}"] = [
                names["train"](names["kinds"][kind], i, lr) for i in range(seeds)
            ]
    names["sizes"].update(usual)
    return models


class LargerSteps(EmbeddingRate):
    """A translator whose embeddings take the steps of a Transformer's."""

    factor = 8


def with_larger_steps(names, seeds):
    """Models with and without attention whose embeddings learn faster, by name."""
    usual, d2lmini.Seq2Seq = d2lmini.Seq2Seq, LargerSteps  # `train` reads it
    models = {
        f"{kind}, embeddings' rate × 8": [
            names["train"](names["kinds"][kind], i) for i in range(seeds)
        ]
        for kind in ("no attention", "attention")
    }
    d2lmini.Seq2Seq = usual
    return models


def tables():
    """The tables of scores and of ablations."""
    yield from chapter.run(NOTEBOOK, measure, last=LAST).items()


def measure(names, seeds=5):
    """The tables, given the names that the notebook's cells define."""
    models = {}
    for kind, Decoder in names["kinds"].items():
        trained = names["models"][kind]
        more = (names["train"](Decoder, i) for i in range(len(trained), seeds))
        models[kind] = [*trained, *more]
    for name, shift in SHIFTS.items():
        Decoder = pointing(shift)
        models[f"one state, of {name} position"] = [
            names["train"](Decoder, i) for i in range(seeds)
        ]
    for kind in ("no attention", "attention"):
        Decoder = state_alone(names["kinds"][kind])
        models[f"{kind}, output from the state alone"] = [
            names["train"](Decoder, i) for i in range(seeds)
        ]
    for name, lr in RATES.items():
        for kind in ("no attention", "attention"):
            models[f"{kind}, {name} the rate"] = [
                names["train"](names["kinds"][kind], i, lr) for i in range(seeds)
            ]
    models |= with_larger_steps(names, seeds) | wider(names, seeds)
    ablations = ablated(models["attention"], names)
    return {
        "attention": results.table(["", *BLEU], bleu(models, names)),
        "ablation": results.table(["", *CHANGES], ablations),
    }
