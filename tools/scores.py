"""Measure how well the models do, from several random beginnings.

    .venv/bin/python tools/scores.py [--root data] [--only ...] [--seeds 5] [--first 0]

phrasebook  the recurrent model with attention and the Transformer, as chapters 4 and 7
            train them: held-out corpus BLEU, and how many of d2l's four sentences are
            exactly right
small       d2l's own experiments on Tatoeba (512 pairs, its sizes), side by side with
            d2l 1.0.3, with d2l and the loss of its chapter (its library's trains on
            padding, too), and with this course: the mean BLEU of the four sentences, and
            the corpus BLEU of the held-out pairs
large       the first 21,000 English sentences of Tatoeba with a translation such that
            both have at most ten tokens, shuffled: 20,000 to train on for so many
            seconds, and the corpus BLEU of the other 1,000
vision      d2l's own experiment on FashionMNIST (its sizes, images of 96 x 96 pixels,
            ten epochs): the held-out accuracy; for a GPU, and only with --only vision

Tatoeba and FashionMNIST are downloaded into the root folder unless they are there.
"""

import argparse
import itertools
import random
import statistics
import time

import torch
from oracle import d2l_transformer_decoder, load_d2l
from rivals import d2l_seq2seq
from torch import nn
from torch.nn.parameter import is_lazy

import d2lmini

FOUR = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}


def main():
    """Run the experiments that are asked for and print what each model reached."""
    summary, _, rest = __doc__.partition("\n")
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=style
    )
    parser.add_argument("--root", default="data", help="the folder of what is downloaded")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", choices=["phrasebook", "small", "large", "vision"])
    arguments = parser.parse_args()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    if arguments.only == "vision":
        data = d2lmini.FashionMNIST(128, resize=(96, 96), root=arguments.root)
        for seed in seeds:
            accuracy = vision(data, seed)["val_acc"].iloc[-1]
            print(f"seed {seed}: held-out accuracy {accuracy:.4f}", flush=True)
    source = {"source": "tatoeba", "root": arguments.root}
    for name, experiment in [
        ("phrasebook", lambda seed: phrasebook(seed)),
        ("small", lambda seed: small(source, seed)),
        ("large", lambda seed: large(source, seed, arguments.seconds)),
    ]:
        if arguments.only in (None, name):
            print(name)
            rows = [experiment(seed) for seed in seeds]
            for model, grades in zip(rows[0], zip(*(row.values() for row in rows))):
                report(model, grades)


def report(model, grades):
    """Print what a model reached with each seed, the mean and the spread."""
    four, held_out = zip(*grades)
    means = [statistics.mean(scores) for scores in four]
    exact = sum(mean == 1 for mean in means)
    values = " ".join(f"{value:.1f}" for value in held_out)
    sentences = " ".join(f"{statistics.mean(scores):.2f}" for scores in zip(*four))
    print(f"  {model:27} held out {spread(held_out, 1)} ({values})")
    print(f"  {'':27} the four {spread(means, 2)} (one by one {sentences}),")
    print(f"  {'':27} all exact with {exact} of {len(four)} seeds", flush=True)


def spread(values, digits):
    """The mean of the values and, if there are two at least, how far they scatter."""
    mean = f"{statistics.mean(values):.{digits}f}"
    if len(values) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values):.{digits}f}"


def phrasebook(seed):
    """The models of chapters 4 and 7, trained as there."""
    grades = {}
    sizes = {"num_steps": 11, "num_train": 7000, "num_val": 1000, "seed": 1}
    for name, batch_size, lr, options, build in [
        ("recurrent", 128, 0.01, {}, lambda data: recurrent(data, 64, 128)),
        ("Transformer", 64, 0.003, {"warmup": 50}, lambda data: transformer(data, 256, 2)),
    ]:
        data = d2lmini.MTFraEng(batch_size, **sizes)
        torch.manual_seed(seed)
        model = seq2seq(d2lmini.Seq2Seq, *build(data), data, lr)
        d2lmini.Trainer(max_epochs=5, gradient_clip_val=1, **options).fit(model, data)
        grades[name] = grade(model, data)
    return grades


def small(source, seed):
    """d2l's two experiments, with the classes of d2l and of this course."""
    d2l, grades = load_d2l(), {}
    data = d2lmini.MTFraEng(128, **source)
    theirs = d2l_decoder(d2l), d2l_transformer_decoder(d2l)
    ours = d2lmini.Seq2SeqAttentionDecoder, d2lmini.TransformerDecoder
    # Less than half of all steps are words. So the gradient of a mean over words is twice
    # as long as that of d2l's mean over all steps, and clipped alike at twice the norm.
    for name, library, Model, (Recurrent, Transformer), clip in [
        ("d2l", d2l, d2l.Seq2Seq, theirs, 1),
        ("d2l's chapter", d2l, d2l_seq2seq(d2l), theirs, 1),
        ("d2lmini", d2lmini, d2lmini.Seq2Seq, ours, 2),
    ]:
        for kind, encoder, decoder, sizes, lr, epochs in [
            ("recurrent", library.Seq2SeqEncoder, Recurrent, (256, 256, 2, 0.4), 0.005, 15),
            (
                "Transformer",
                library.TransformerEncoder,
                Transformer,
                (256, 64, 4, 2, 0.2),
                0.0015,
                30,
            ),
        ]:
            torch.manual_seed(seed)
            halves = (
                encoder(len(data.src_vocab), *sizes),
                decoder(len(data.tgt_vocab), *sizes),
            )
            model = seq2seq(Model, *halves, data, lr)
            if kind == "Transformer":  # d2l leaves its initial weights to PyTorch
                model.apply(reset)
            library.Trainer(epochs, gradient_clip_val=clip).fit(model, data)
            grades[f"{kind}, {name}"] = grade(model, data)
    return grades


def reset(module):
    """Give a module PyTorch's own initial weights, if it has some already."""
    if hasattr(module, "reset_parameters") and not is_lazy(next(module.parameters())):
        module.reset_parameters()


def large(source, seed, seconds):
    """Both models on 20,000 pairs, for a fixed time."""
    sizes = {"num_steps": 11, "num_train": 20_000, "num_val": 1_000, "seed": 0}
    grades = {}
    for name, batch_size, lr, warmup, build in [
        ("recurrent", 32, 0.003, 0, lambda data: recurrent(data, 128, 256)),
        ("Transformer", 64, 0.004, 100, lambda data: transformer(data, 512, 1)),
    ]:
        data = DistinctPairs(batch_size, **sizes, **source)
        torch.manual_seed(seed)
        model = seq2seq(d2lmini.Seq2Seq, *build(data), data, lr)
        trainer = TimedTrainer(seconds, warmup)
        trainer.fit(model, data)
        epochs = trainer.train_batch_idx / trainer.num_train_batches
        grades[name] = grade(model, data)
        print(f"  ({name}, seed {seed}: {epochs:.1f} epochs)", flush=True)
    return grades


def vision(data, seed, max_epochs=10):
    """The history of d2l's vision Transformer, trained on images of 96 x 96 pixels."""
    torch.manual_seed(seed)
    model = d2lmini.ViT(
        img_size=96,
        patch_size=16,
        num_hiddens=512,
        mlp_num_hiddens=2048,
        num_heads=8,
        num_blks=2,
        emb_dropout=0.1,
        blk_dropout=0.1,
        lr=0.1,
    )
    model.board.display = False
    trainer = d2lmini.Trainer(max_epochs, num_gpus=1)
    trainer.fit(model, data)
    return trainer.history


def recurrent(data, embed_size, num_hiddens):
    """An encoder and a decoder with attention, of one layer each."""
    sizes = embed_size, num_hiddens, 1
    encoder = d2lmini.Seq2SeqEncoder(len(data.src_vocab), *sizes)
    return encoder, d2lmini.Seq2SeqAttentionDecoder(len(data.tgt_vocab), *sizes)


def transformer(data, ffn_num_hiddens, num_blks):
    """Both halves of a Transformer, 128 wide, with four heads."""
    sizes = 128, ffn_num_hiddens, 4, num_blks, 0
    encoder = d2lmini.TransformerEncoder(len(data.src_vocab), *sizes)
    return encoder, d2lmini.TransformerDecoder(len(data.tgt_vocab), *sizes)


def seq2seq(Model, encoder, decoder, data, lr):
    """A model of either library, without a board."""
    model = Model(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)
    model.board.display = False
    return model


def grade(model, data):
    """The BLEU of each of the four sentences, and the corpus BLEU of the held-out ones."""
    preds = translate(model, data, list(FOUR))
    four = [d2lmini.bleu(*pair, k=2) for pair in zip(preds, FOUR.values())]
    preds = translate(model, data, data.sentences(train=False)[0])
    return four, d2lmini.held_out_bleu(data, preds)


def translate(model, data, sentences):
    """Greedy translations by a model of either library, which only share `predict_step`."""
    batch = data.build(sentences)
    with torch.no_grad():
        tokens, _ = model.predict_step(batch, torch.device("cpu"), data.num_steps)
    words = data.tgt_vocab.to_tokens(tokens)
    return [" ".join(itertools.takewhile(lambda w: w != "<eos>", row)) for row in words]


class DistinctPairs(d2lmini.MTFraEng):
    """The first pairs that fit, one for each English sentence, shuffled with the seed."""

    def _choose(self, src, tgt):
        pairs = {}
        for pair in zip(src, tgt):
            if max(map(len, pair)) <= self.num_steps:
                pairs.setdefault(" ".join(pair[0]), pair)
        pairs = list(pairs.values())[: self.num_train + self.num_val]
        random.Random(self.seed).shuffle(pairs)
        return map(list, zip(*pairs))


class TimedTrainer(d2lmini.Trainer):
    """A trainer that stops after so many seconds, where the rate, if warmed up, is 0."""

    def __init__(self, seconds, warmup):
        super().__init__(max_epochs=1000, gradient_clip_val=1, warmup=warmup)
        self.seconds, self.start = seconds, time.monotonic()

    def rate(self, step):
        left = 1 - (time.monotonic() - self.start) / self.seconds
        return min((step + 1) / self.warmup, max(0, left))

    def fit(self, model, data):
        try:
            super().fit(model, data)
        except TimeoutError:
            model.eval()

    def prepare_batch(self, batch):
        if time.monotonic() > self.start + self.seconds:
            raise TimeoutError
        return super().prepare_batch(batch)


def d2l_decoder(d2l):
    """An attention decoder from d2l's parts, as its chapter describes it."""

    class Decoder(d2l.AttentionDecoder):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout):
            super().__init__()
            self.attention = d2l.AdditiveAttention(num_hiddens, dropout)
            self.embedding = nn.Embedding(vocab_size, embed_size)
            width = embed_size + num_hiddens
            self.rnn = nn.GRU(width, num_hiddens, num_layers, dropout=dropout)
            self.dense = nn.LazyLinear(vocab_size)
            self.apply(d2l.init_seq2seq)

        def init_state(self, enc_outputs, enc_valid_lens):
            outputs, hidden_state = enc_outputs
            return outputs.transpose(0, 1), hidden_state, enc_valid_lens

        def forward(self, X, state):
            memory, hidden, valid_lens = state
            steps = []
            for x in self.embedding(X).split(1, dim=1):
                query = hidden[-1][:, None]
                context = self.attention(query, memory, memory, valid_lens)
                step, hidden = self.rnn(torch.cat((context, x), -1).transpose(0, 1), hidden)
                steps.append(step)
            scores = self.dense(torch.cat(steps)).transpose(0, 1)
            return scores, (memory, hidden, valid_lens)

    return Decoder


if __name__ == "__main__":
    main()
