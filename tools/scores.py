"""Train models with several seeds, and print the mean and the spread of their scores.

    .venv/bin/python tools/scores.py [--only small] [--seeds 3] [--first 0] [--root data]

phrasebook  recurrent models without and with attention and the Transformer, with the
            sizes and learning rates of chapters 4 and 7, on 7,000 pairs
small       d2l's two experiments on Tatoeba (512 pairs), with d2l 1.0.3 and with ours
large       20,000 pairs of Tatoeba of at most ten tokens, so many seconds of training
vision      d2l's experiment on FashionMNIST (96 x 96 pixels, ten epochs): the held-out
            accuracy; for a GPU, and only with --only vision

The scores of a translator are the corpus BLEU of its held-out pairs (0 to 100) and the
mean BLEU of d2l's four sentences (0 to 1). Tatoeba and FashionMNIST are downloaded into
the root folder unless they are there.
"""

import argparse
import statistics
import time

import torch
from d2l_reference import load_book
from torch.nn.parameter import is_lazy

import d2lmini

FOUR = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}


def phrasebook(seed, num_train=7000, num_val=1000, max_epochs=5):
    """The recurrent models of chapter 4 and the Transformer of chapter 7."""
    options = {"num_steps": 11, "num_train": num_train, "num_val": num_val, "seed": 1}
    data = d2lmini.MTFraEng(128, **options)
    for name, Decoder in [
        ("recurrent, without attention", d2lmini.Seq2SeqDecoder),
        ("recurrent, with attention", d2lmini.Seq2SeqAttentionDecoder),
    ]:
        torch.manual_seed(seed)
        model = recurrent(d2lmini, data, 0.01, Decoder, (64, 128, 1))
        trainer = d2lmini.Trainer(max_epochs, gradient_clip_val=1)
        yield name, train(model, trainer, data)
    data = d2lmini.MTFraEng(64, **options)
    torch.manual_seed(seed)
    model = transformer(d2lmini, data, 0.003, (128, 256, 4, 2, 0))
    trainer = d2lmini.Trainer(max_epochs, gradient_clip_val=1, warmup=50)
    yield "Transformer", train(model, trainer, data)


def small(seed, root, epochs=(15, 30)):
    """d2l's experiments, with the models of d2l and with ours.

    Less than half of all steps are tokens, so the gradient of our loss, a mean over
    tokens, is twice as long as that of d2l's mean over all steps, and is clipped at
    twice the norm. As d2l's, our Transformer starts with PyTorch's initial weights.
    """
    data = d2lmini.MTFraEng(128, source="tatoeba", root=root)
    for name, library, clip in [("d2l", load_book(), 1), ("ours", d2lmini, 2)]:
        torch.manual_seed(seed)
        Decoder = library.Seq2SeqAttentionDecoder
        model = recurrent(library, data, 0.005, Decoder, (256, 256, 2, 0.4))
        trainer = library.Trainer(epochs[0], gradient_clip_val=clip)
        yield f"recurrent, {name}", train(model, trainer, data)
        torch.manual_seed(seed)
        model = transformer(library, data, 0.0015, (256, 64, 4, 2, 0.2)).apply(reset)
        trainer = library.Trainer(epochs[1], gradient_clip_val=clip)
        yield f"Transformer, {name}", train(model, trainer, data)


def large(seed, root, seconds=60, num_train=20_000, num_val=1_000):
    """Our models on 20,000 pairs, trained for the same time."""
    options = {"num_steps": 11, "num_train": num_train, "num_val": num_val, "seed": 0}
    options |= {"source": "tatoeba", "root": root}
    data = ShortPairs(32, **options)
    torch.manual_seed(seed)
    Decoder = d2lmini.Seq2SeqAttentionDecoder
    model = recurrent(d2lmini, data, 0.003, Decoder, (128, 256, 1))
    yield "recurrent", train(model, TimedTrainer(seconds), data)
    data = ShortPairs(64, **options)
    torch.manual_seed(seed)
    model = transformer(d2lmini, data, 0.004, (128, 512, 4, 1, 0))
    yield "Transformer", train(model, TimedTrainer(seconds, warmup=100), data)


def recurrent(library, data, lr, Decoder, sizes):
    """A translator with sizes embed_size, num_hiddens, num_layers and dropout."""
    encoder = library.Seq2SeqEncoder(len(data.src_vocab), *sizes)
    decoder = Decoder(len(data.tgt_vocab), *sizes)
    return library.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)


def transformer(library, data, lr, sizes):
    """With sizes num_hiddens, ffn_num_hiddens, num_heads, num_blks and dropout."""
    encoder = library.TransformerEncoder(len(data.src_vocab), *sizes)
    decoder = library.TransformerDecoder(len(data.tgt_vocab), *sizes)
    return library.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)


def reset(module):
    """Give a module PyTorch's own initial weights, if it has some already."""
    if hasattr(module, "reset_parameters") and not is_lazy(next(module.parameters())):
        module.reset_parameters()


def train(model, trainer, data):
    """The held-out BLEU of a model after training, and the mean of the four sentences."""
    model.board.display = False
    trainer.fit(model, data)
    preds = d2lmini.translate(model.eval(), data, data.sentences(train=False)[0])
    pairs = zip(d2lmini.translate(model, data, list(FOUR)), FOUR.values())
    four = statistics.mean(d2lmini.bleu(*pair, k=2) for pair in pairs)
    return d2lmini.held_out_bleu(data, preds), four


class ShortPairs(d2lmini.MTFraEng):
    """The first pairs that fit into num_steps, one for each English sentence."""

    def _download(self):
        pairs = {}
        for line in super()._download().splitlines():
            english, french = self._preprocess(line).split("\t")
            if max(len(english.split()), len(french.split())) < self.num_steps:
                pairs.setdefault(english, line)
        return "\n".join([*pairs.values()][: self.num_train + self.num_val])


class TimedTrainer(d2lmini.Trainer):
    """A trainer that stops after so many seconds.

    With warmup the learning rate rises for so many steps, then falls to 0 at the end.
    """

    def __init__(self, seconds, warmup=0):
        super().__init__(max_epochs=1000, gradient_clip_val=1)
        self.seconds, self.warmup_steps = seconds, warmup

    def fit(self, model, data):
        self.start = time.monotonic()
        try:
            super().fit(model, data)
        except TimeoutError:
            pass

    def prepare_batch(self, batch):
        left = 1 - (time.monotonic() - self.start) / self.seconds
        if left <= 0:
            raise TimeoutError
        if self.warmup_steps:
            factor = min((self.train_batch_idx + 1) / self.warmup_steps, left)
            for group in self.optim.param_groups:
                group["lr"] = self.model.lr * factor
        return super().prepare_batch(batch)


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


def spread(values, digits):
    """The mean of the values, their standard deviation, and the values themselves."""
    single = " ".join(f"{value:.{digits}f}" for value in values)
    if len(values) == 1:
        return single
    mean, deviation = statistics.mean(values), statistics.stdev(values)
    return f"{mean:.{digits}f} ± {deviation:.{digits}f} ({single})"


def main():
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    choices = ["phrasebook", "small", "large", "vision"]
    parser.add_argument("--only", choices=choices)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--seconds", type=float, default=60, help="of training, in large")
    parser.add_argument("--root", default="data", help="the folder of what is downloaded")
    options = parser.parse_args()
    seeds, root = range(options.first, options.first + options.seeds), options.root
    if options.only == "vision":
        data = d2lmini.FashionMNIST(128, resize=(96, 96), root=root)
        for seed in seeds:
            accuracy = vision(data, seed)["val_acc"].iloc[-1]
            print(f"seed {seed}: held-out accuracy {accuracy:.4f}", flush=True)
    for name, experiment in [
        ("phrasebook", phrasebook),
        ("small", lambda seed: small(seed, root)),
        ("large", lambda seed: large(seed, root, options.seconds)),
    ]:
        if options.only in (None, name):
            results = [dict(experiment(seed)) for seed in seeds]
            for model in results[0]:
                held_out, four = zip(*(result[model] for result in results))
                print(f"{name}, {model}: held out {spread(held_out, 1)}")
                print(f"    the four sentences {spread(four, 2)}", flush=True)


if __name__ == "__main__":
    main()
