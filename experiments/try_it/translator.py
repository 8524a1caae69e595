"""The translator of the page Try it: how well it translates, in 32 and in 8 bits.

It has chapter 7's classes, with a recipe of its own, and is trained on the phrasebook and
on the pairs of everyday.py.
"""

import csv
import json
import random
import re
from pathlib import Path

import torch

import d2lmini as d2l
from experiments import results
from experiments.try_it import everyday, weights
from tools import ROOT
from tools.book.translation import WEIGHTS as FILE
from tools.book.translation import Page

VISITORS = Path(__file__).with_name("visitors.tsv")
SIZES = {"num_hiddens": 48, "ffn_num_hiddens": 192, "num_heads": 4, "num_blks": 2}
NUM_STEPS, HELD_OUT, SEED = 15, 500, 0
COLUMNS = "float32", "8 bits"


def tables():
    """The file of the page, and the table of what it knows."""
    data = Everyday()
    print(data.num_train, len(data.src_vocab), len(data.tgt_vocab), flush=True)
    model = train(data)
    text = export(model, data.src_vocab, data.tgt_vocab)
    path = ROOT / "_build" / FILE.name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    rows = [[name, *values] for name, values in measured(data, model, path).items()]
    yield FILE, text
    yield "translator", results.table(["", *COLUMNS], rows)


# --- data ----------------------------------------------------------------------------


def visitors():
    """The thirty sentences: pairs of an English sentence and all right translations."""
    with VISITORS.open(encoding="utf-8") as file:
        return [(en, right) for en, *right in csv.reader(file, delimiter="\t")]


def tokens_of(sentence):
    """A sentence as MTFraEng and forward.js tokenise it, as one string."""
    text = sentence.lower().strip()
    text += "" if text[-1] in ".!?" else "."
    return re.sub(r"(?<=[^ ])(?=[,.!?])", " ", text)


def pairs():
    """Pairs for training, and two lists that are held out: phrasebook and everyday.

    A sentence with contractions is for training with and without them. The thirty
    sentences are not among the pairs for training, but for those of one or two words.
    """
    path = ROOT / "d2lmini" / "data" / "phrasebook.tsv"
    phrasebook = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    by_hand, generated = everyday.pairs()
    rng, train, held_out = random.Random(SEED), [], []
    tests = {tokens_of(en)[:-2] for en, _ in visitors()}
    for source, times in ((phrasebook, 2), (generated, 1)):
        source = [tuple(pair) for pair in source]
        rng.shuffle(source)
        source.sort(key=lambda pair: len(pair[0].split()) < 4)  # short ones come last
        held_out.append(source[:HELD_OUT])
        train += times * source[HELD_OUT:]
    train += 4 * by_hand
    longer = [(everyday.expand(en), fr) for en, fr in train]
    known = set(train)
    train += [pair for pair in longer if pair not in known]
    new = tests | {everyday.expand(en)[:-2] for half in held_out for en, _ in half}
    new |= {en[:-2] for half in held_out for en, _ in half}
    new = {en for en in new if len(en.split()) > 2}
    return [pair for pair in train if pair[0][:-2] not in new], held_out


class Everyday(d2l.MTFraEng):
    """Batches of the pairs; the held-out ones are for validation."""

    def __init__(self, batch_size=128):
        train, held_out = pairs()
        self.lines = [*train, *held_out[0], *held_out[1]]
        options = {"num_train": len(train), "num_val": 2 * HELD_OUT}
        super().__init__(batch_size, NUM_STEPS, **options)

    def _download(self):
        return "\n".join("\t".join(pair) for pair in self.lines)

    def get_dataloader(self, train):
        """Batches of sentences of like lengths, which have little padding."""
        if not train:
            return super().get_dataloader(train)
        return ByLength([part[: self.num_train] for part in self.arrays], self.batch_size)


class ByLength:
    """Batches in random order, drawn from pools of 20 batches that are sorted by length."""

    def __init__(self, arrays, batch_size):
        self.arrays, self.batch_size = arrays, batch_size

    def __len__(self):
        return -(-len(self.arrays[0]) // self.batch_size)

    def __iter__(self):
        lengths, rows = self.arrays[2], torch.randperm(len(self.arrays[0]))
        pools = [pool[lengths[pool].argsort()] for pool in rows.split(20 * self.batch_size)]
        batches = [batch for pool in pools for batch in pool.split(self.batch_size)]
        random.Random(int(rows[0])).shuffle(batches)
        return ([part[batch] for part in self.arrays] for batch in batches)


# --- the model -----------------------------------------------------------------------


def translator(num_source, num_target, sizes, dropout=0.0, special=None):
    """Chapter 7's model, whose decoder has one table for its embedding and its output."""
    encoder = d2l.TransformerEncoder(num_source, **sizes, dropout=dropout)
    decoder = d2l.TransformerDecoder(num_target, **sizes, dropout=dropout)
    decoder.dense.weight = decoder.embedding.weight
    pad, eos = special or (None, None)
    return d2l.Seq2Seq(encoder, decoder, tgt_pad=pad, lr=0.004, tgt_eos=eos)


def train(data):
    torch.manual_seed(SEED)
    special = data.tgt_vocab["<pad>"], data.tgt_vocab["<eos>"]
    sizes = len(data.src_vocab), len(data.tgt_vocab)
    model = translator(*sizes, SIZES, special=special)
    model.board.display = False
    trainer = d2l.Trainer(max_epochs=5, gradient_clip_val=1, warmup=400)
    trainer.fit(model, data)
    print(trainer.history.tail(3))
    return model.eval()


def export(model, src_vocab, tgt_vocab):
    """The text of the file."""
    content = {
        "config": SIZES,
        "source": " ".join(src_vocab.idx_to_token),
        "target": " ".join(tgt_vocab.idx_to_token),
        "weights": weights.encoded(model.state_dict(), "decoder.dense.weight"),
    }
    return weights.script("translator", content)


def read(path=FILE):
    """The model with the 8-bit weights of a file, and its two vocabularies."""
    content = weights.read(path)
    src_vocab, tgt_vocab = (
        d2l.Vocab(content[side].split(" ")) for side in ("source", "target")
    )
    state = weights.decoded(content["weights"])
    state["decoder.dense.weight"] = state["decoder.embedding.weight"]
    special = tgt_vocab["<pad>"], tgt_vocab["<eos>"]
    sizes = len(src_vocab), len(tgt_vocab)
    model = translator(*sizes, content["config"], special=special)
    model.load_state_dict(state)
    return model.eval(), src_vocab, tgt_vocab


# --- measurements --------------------------------------------------------------------


class Browser(Page):
    """The page's translator, asked for a sentence at a time."""

    def tokenize(self, sentence):
        return self.call(f"d2lForward.tokenize(model, {json.dumps(sentence)})")

    def translation(self, sentence):
        ids = f"d2lForward.tokenize(model, {json.dumps(sentence)}).ids"
        words = self.call(f"d2lForward.translate(model, {ids}, {{}}, {NUM_STEPS}).target")
        return " ".join(word for word in words if word != "<eos>")


def measured(data, model, path):
    """The rows of the table, for the trained model and for the file's."""
    rounded = read(path)[0]
    english, french = data.sentences(train=False)
    preds = [d2l.translate(each, data, english) for each in (model, rounded)]
    halves = slice(0, HELD_OUT), slice(HELD_OUT, None)
    names = "phrasebook, held-out BLEU", "everyday, held-out BLEU"
    rows = {
        name: [f"{d2l.corpus_bleu(pred[half], french[half]):.1f}" for pred in preds]
        for name, half in zip(names, halves)
    }
    same = sum(a == b for a, b in zip(*preds))
    rows["held-out translations that are the same"] = ["", f"{same} of {len(english)}"]
    page, sentences = Browser(path), visitors()
    known = right = 0
    for sentence, accepted in sentences:
        unknown = page.tokenize(sentence)["unknown"]
        translation = page.translation(sentence)
        known, right = known + (not unknown), right + (translation in accepted)
        mark = "" if translation in accepted else "  WRONG"
        print(f"{sentence} -> {translation}{mark} {unknown or ''}")
    rows["visitors' sentences whose words are known"] = ["", f"{known} of {len(sentences)}"]
    rows["visitors' sentences translated right"] = ["", f"{right} of {len(sentences)}"]
    words = len(data.src_vocab), len(data.tgt_vocab)
    rows["English and French tokens"] = ["", f"{words[0]:,} and {words[1]:,}"]
    rows["size of the file, kB"] = ["", f"{path.stat().st_size / 1000:.0f}"]
    return rows
