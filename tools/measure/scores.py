"""Train models with several seeds: a table of the mean and the spread of their scores.

    .venv/bin/python -m tools.measure.scores
        [--only small] [--seeds 3] [--root data] [--write]

copying     the fraction of symbols that recurrent models copy without and with
            attention, trained as in the chapter on translation
phrasebook  recurrent models without and with attention and the Transformer, on the
            pairs of chapters 4 and 7, trained as in chapter 7, for twelve epochs
parts       the Transformer of chapter 7, as it is and with one of its parts removed
norms       small Transformers with post-norm and with pre-norm blocks
differences models of the phrasebook, each with one thing as in d2l
small       d2l's two experiments on Tatoeba (512 pairs), with d2l 1.0.3 and with ours
large       20,000 random pairs of Tatoeba of at most ten tokens, 60 seconds of training
vision      classifiers of digits with few and with many training images, trained as in
            chapter 8
look_up     networks that read the digit which another digit points to, as in chapter 8
gpt         small language models of Python's library, each with one part of today's

The scores of a translator are the corpus BLEU of its held-out pairs (0 to 100) and the
mean BLEU of d2l's four sentences (0 to 1), those of a classifier its held-out accuracy.
Tatoeba is downloaded into the root folder unless it is there; if that fails, its tables
are skipped. With --write, tables go to book/_generated/.
"""

import argparse
import importlib
import random
import statistics
import sys
import time
from functools import lru_cache, partial
from unittest.mock import patch

import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.nn.parameter import is_lazy

import d2lmini
from tools.measure import results
from tools.measure.d2l_reference import load_book

LENGTHS = 4, 8, 16, 32  # of the sequences to copy
# The columns of each table, with the digits after the decimal point.
COPYING = {f"{length} symbols": 2 for length in LENGTHS}
PLAIN = "Seq2SeqEncoder", "Seq2SeqDecoder"
ATTENTIVE = "Seq2SeqEncoder", "Seq2SeqAttentionDecoder"
TRANSFORMER = "TransformerEncoder", "TransformerDecoder"
TRANSLATION = {"weights": 0, "epochs": 1, "held-out BLEU": 1, "four sentences": 2}
IMAGES = 40, 160, 640, 1297  # for training
VISION = {"weights": 0, **{f"{num:,} images": 3 for num in IMAGES}}
LOOK_UP = {"weights": 0, "600 updates": 2, "1,200 updates": 2}
GPT = {"weights": 0, "bits per byte": 3, "with larger first weights": 3}
PHRASEBOOK = {  # the parts, sizes and highest learning rate of each model
    "recurrent, without attention": (PLAIN, (64, 128, 1), 0.01),
    "recurrent, with attention": (ATTENTIVE, (64, 128, 1), 0.01),
    "Transformer": (TRANSFORMER, (64, 128, 4, 2, 0), 0.005),
}
PARTS = [  # of a Transformer, each removed in turn
    "residual connections",
    "layer normalisations",
    "positions",
    "feed-forward networks",
    "self-attention of the encoder",
    "self-attention of the decoder",
]
FOUR = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}

# Sizes of the language models, and the options of `GPT` for their parts.
GPT_SIZES = {"vocab_size": 1024, "num_blks": 2, "num_heads": 4, "max_len": 128}
GPT_PARTS = {
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"ffn": "swiglu"},
    "rotary": {"positions": "rotary"},
    "two key–value heads": {"num_kv_heads": 2},
    "own output layer": {"tied": False},
}
GPT_MODELS = [  # the parts that differ from GPT-2's
    [],
    *([part] for part in GPT_PARTS),
    ["SwiGLU", "rotary"],
    ["RMSNorm", "rotary", "two key–value heads"],
    ["RMSNorm", "SwiGLU", "rotary", "two key–value heads"],
    [*GPT_PARTS],
]


def copying(seed, root, num_batches=600, widths=(32, 64, 128)):
    """The models that learn to copy in the chapter on translation, and attention's."""
    decoders = {
        "without attention": d2lmini.Seq2SeqDecoder,
        "with attention": d2lmini.Seq2SeqAttentionDecoder,
    }
    runs = [(name, width, num_batches) for name in decoders for width in widths]
    runs.insert(len(widths), ("without attention", 64, 4 * num_batches))
    for name, width, num in runs:
        data = d2lmini.Copying(num, seed=seed)
        sizes = data.num_symbols + 1, 32, width, 1
        torch.manual_seed(seed)
        encoder, decoder = d2lmini.Seq2SeqEncoder(*sizes), decoders[name](*sizes)
        model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=0, lr=0.01)
        model.board.display = False
        d2lmini.Trainer(1, gradient_clip_val=1, warmup=20).fit(model, data)
        longer = ", four times the training" if num > num_batches else ""
        copied = [data.accuracy(model, length) for length in LENGTHS]
        yield f"{name}, {width} hidden units{longer}", copied
    yield "symbols drawn at random", [1 / data.num_symbols] * len(LENGTHS)


def phrasebook(seed, root, max_epochs=12, num_train=2200):
    """The models of chapters 4 and 7, with equal batches, updates and schedule.

    Chapter 7 trains them for eight epochs, to save time.
    """
    data = phrasebook_pairs(num_train)
    for title, (parts, sizes, lr) in PHRASEBOOK.items():
        model = translator(d2lmini, data, parts, sizes, lr, seed)
        trainer = d2lmini.Trainer(max_epochs, gradient_clip_val=1, warmup=50)
        yield title, train(model, trainer, data)
    yield control(data, seed)


def phrasebook_pairs(num_train):
    """Random pairs of the phrasebook, the same for all experiments."""
    options = {"num_steps": 11, "num_train": num_train, "num_val": 500, "min_freq": 20}
    return d2lmini.MTFraEng(64, seed=1, **options)


def parts(seed, root, max_epochs=8, num_train=2200):
    """The models of chapter 7: whole, each without one part, and recurrent.

    Each is trained with its highest learning rate, and again with 0.4 of it.
    """
    data = phrasebook_pairs(num_train)
    both = "feed-forward networks", "self-attention of the encoder"
    variants = [("Transformer", removed) for removed in [(), *zip(PARTS), both]]
    for name, removed in [*variants, ("recurrent, with attention", ())]:
        names, sizes, lr = PHRASEBOOK[name]
        scores = []
        for rate in (lr, 0.4 * lr):
            model = translator(d2lmini, data, names, sizes, rate, seed)
            for part in removed:
                remove(part, model)
            trainer = d2lmini.Trainer(max_epochs, gradient_clip_val=1, warmup=50)
            scores.append(train(model, trainer, data)[2])
        learned = sum(p.numel() for p in model.parameters() if p.grad is not None)
        title = f"without the {' and the '.join(removed)}" if removed else name
        yield title, (learned, *scores)


def remove(part, model):
    """Leave out one part of a Transformer, everywhere in the model."""
    for module in model.modules():
        match part, module:
            case "residual connections", d2lmini.AddNorm():
                module.forward = lambda X, Y, ln=module.ln: ln(Y)
            case "layer normalisations", d2lmini.AddNorm():
                module.forward = torch.add
            case "positions", d2lmini.PositionalEncoding():
                module.forward = lambda X, start=0: X
            case "feed-forward networks", d2lmini.PositionWiseFFN():
                module.forward = torch.zeros_like
            case "self-attention of the encoder", d2lmini.TransformerEncoderBlock():
                module.attention.forward = lambda X, *args: torch.zeros_like(X)
            case "self-attention of the decoder", d2lmini.TransformerDecoderBlock():
                module.attention1.attend = lambda X, *a, **b: torch.zeros_like(X)


class PreNormEncoderBlock(d2lmini.TransformerEncoderBlock):
    """A block that normalises the inputs of its sublayers."""

    def forward(self, X, valid_lens=None):
        Y = self.addnorm1.ln(X)
        X = X + self.attention(Y, Y, Y, valid_lens)
        return X + self.ffn(self.addnorm2.ln(X))


class PreNormDecoderBlock(d2lmini.TransformerDecoderBlock):
    """The same for a decoder, which gets whole targets."""

    def forward(self, X, state):
        encoded, valid_lens, _ = state
        mask, Y = d2lmini.causal_mask(X.shape[1]), self.addnorm1.ln(X)
        X = X + self.attention1(Y, Y, Y, mask=mask)
        X = X + self.attention2(self.addnorm2.ln(X), encoded, encoded, valid_lens)
        return X + self.ffn(self.addnorm3.ln(X)), state


def norms(seed, root, num_train=1600):
    """Deep encoders after one epoch, at a high learning rate: the validation loss."""
    options = {"num_steps": 11, "num_train": num_train, "num_val": 200, "min_freq": 20}
    data = d2lmini.MTFraEng(32, seed=1, **options)
    for title, sides in {
        "encoder and decoder post-norm": (),
        "encoder pre-norm, decoder post-norm": ("encoder",),
        "encoder and decoder pre-norm": ("encoder", "decoder"),
    }.items():
        losses = []
        for warmup in (1, 20):
            model = deep_translator(data, sides, seed)
            trainer = d2lmini.Trainer(1, gradient_clip_val=1, warmup=warmup)
            trainer.fit(model, data)
            losses.append(trainer.history["val_loss"].item())
        yield title, losses


def deep_translator(data, pre_norm, seed):
    """A Transformer with four encoder blocks and one decoder block, not yet trained.

    The sides in pre_norm get pre-norm blocks, and a normalisation after the last one.
    """
    sizes = {"num_hiddens": 32, "ffn_num_hiddens": 64, "num_heads": 4, "dropout": 0}
    torch.manual_seed(seed)
    encoder = d2lmini.TransformerEncoder(len(data.src_vocab), num_blks=4, **sizes)
    decoder = d2lmini.TransformerDecoder(len(data.tgt_vocab), num_blks=1, **sizes)
    if "encoder" in pre_norm:
        for blk in encoder.blks:
            blk.__class__ = PreNormEncoderBlock
        encoder.last = nn.LayerNorm(32)
        encoder.register_forward_hook(lambda module, _, output: module.last(output))
    if "decoder" in pre_norm:
        for blk in decoder.blks:
            blk.__class__ = PreNormDecoderBlock
        decoder.dense = nn.Sequential(nn.LayerNorm(32), decoder.dense)
    pad = data.tgt_vocab["<pad>"]
    model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=pad, lr=0.02)
    model.board.display = False
    return model


def differences(seed, root, max_epochs=12, num_train=2200):
    """Models of the phrasebook, each with one thing as in d2l."""
    data, library = phrasebook_pairs(num_train), d2lmini

    def evaluated(model):
        preds = library.translate(model, data, data.sentences(train=False)[0])
        with torch.inference_mode():  # the loss of the tokens, without padding
            losses = [
                library.Seq2Seq.loss(model, model(*inputs), labels).item()
                for *inputs, labels in data.val_dataloader()
            ]
        return statistics.mean(losses), library.held_out_bleu(data, preds)

    def fit(name, change=lambda model: None):
        model = translator(library, data, *PHRASEBOOK[name], seed)
        change(model)
        model.board.display = False
        trainer = library.Trainer(max_epochs, gradient_clip_val=1, warmup=50)
        trainer.fit(model, data)
        return model.eval()

    def count_padding(model):
        model._trim_padding = lambda batch: batch
        model.loss = lambda Y_hat, Y: nn.functional.cross_entropy(
            Y_hat.flatten(0, 1), Y.flatten()
        )

    def read_padding(model):
        model._trim_padding = lambda batch: batch
        encode = model.encoder.forward
        model.encoder.forward = lambda X, lengths: encode(X)

    model = fit("Transformer")
    yield "Transformer, this course", evaluated(model)
    position, add = library.PositionalEncoding, library.PositionalEncoding.forward
    with patch.object(position, "forward", lambda self, X, start=0: add(self, X)):
        yield "each decoded token encoded as position 0", (None, evaluated(model)[1])
    transformer = importlib.import_module("d2lmini.transformer")
    with patch.object(transformer, "causal_mask", lambda *args, **options: None):
        yield "the future visible in validation", (evaluated(model)[0], None)
    model = fit("Transformer", count_padding)
    yield "padding counted in the training loss", evaluated(model)
    model = fit("Transformer", lambda model: model.apply(reset))
    yield "initial weights of d2l", evaluated(model)
    name = "recurrent, with attention"
    yield f"{name}, this course", evaluated(fit(name))
    yield "padding read by the encoder", evaluated(fit(name, read_padding))


def small(seed, root):
    """d2l's experiments, with the models of d2l and with ours.

    Less than half of all steps are tokens, so the gradient of our loss, a mean over
    tokens, is twice as long as that of d2l's mean over all steps, and is clipped at
    twice the norm. As d2l's, our Transformer starts with PyTorch's initial weights.
    """
    data = d2lmini.MTFraEng(128, source="tatoeba", root=root)
    for title, parts, sizes, lr, max_epochs in [
        ("recurrent, with attention", ATTENTIVE, (256, 256, 2, 0.4), 0.005, 15),
        ("Transformer", TRANSFORMER, (256, 64, 4, 2, 0.2), 0.0015, 30),
    ]:
        for name, library, clip in [
            ("d2l 1.0.3", load_book(), 1),
            ("this course", d2lmini, 2),
        ]:
            model = translator(library, data, parts, sizes, lr, seed)
            if parts is TRANSFORMER:
                model.apply(reset)
            trainer = library.Trainer(max_epochs, gradient_clip_val=clip)
            yield f"{title}, {name}", train(model, trainer, data)
    yield control(data, seed)


def large(seed, root, seconds=60):
    """Our models on 20,000 pairs, trained for the same time."""
    options = {"num_steps": 11, "num_train": 20_000, "num_val": 1_000, "seed": 0}
    for title, parts, sizes, lr, batch_size, warmup in [
        ("recurrent, with attention", ATTENTIVE, (128, 256, 1), 0.003, 32, 0),
        ("Transformer", TRANSFORMER, (128, 512, 4, 1, 0), 0.004, 64, 100),
    ]:
        data = d2lmini.MTFraEng(batch_size, source="tatoeba", root=root, **options)
        model = translator(d2lmini, data, parts, sizes, lr, seed)
        yield title, train(model, TimedTrainer(seconds, warmup), data)
    yield control(data, seed)


def translator(library, data, parts, sizes, lr, seed):
    """A model of the encoder and the decoder with these names and sizes.

    The sizes of a recurrent part are embed_size, num_hiddens, num_layers and dropout,
    those of a Transformer num_hiddens, ffn_num_hiddens, num_heads, num_blks and dropout.
    """
    torch.manual_seed(seed)
    Encoder, Decoder = (getattr(library, part) for part in parts)
    encoder = Encoder(len(data.src_vocab), *sizes)
    decoder = Decoder(len(data.tgt_vocab), *sizes)
    return library.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)


def reset(module):
    """Give a module PyTorch's own initial weights, if it has some already."""
    if hasattr(module, "reset_parameters") and not is_lazy(next(module.parameters())):
        module.reset_parameters()


def train(model, trainer, data):
    """Train a model; its row of the table."""
    model.board.display = False
    trainer.fit(model, data)
    preds = d2lmini.translate(model.eval(), data, data.sentences(train=False)[0])
    pairs = zip(d2lmini.translate(model, data, list(FOUR)), FOUR.values())
    four = statistics.mean(d2lmini.bleu(*pair, k=2) for pair in pairs)
    epochs = trainer.train_batch_idx / trainer.num_train_batches
    return num_weights(model), epochs, d2lmini.held_out_bleu(data, preds), four


def control(data, seed):
    """A row with the BLEU of the references when each belongs to another sentence."""
    french = data.sentences(train=False)[1]
    shuffled = random.Random(seed).sample(french, len(french))
    bleu = d2lmini.held_out_bleu(data, shuffled)
    return "references in random order", (None, None, bleu, None)


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


SIZES = {"num_hiddens": 32, "mlp_num_hiddens": 64, "num_heads": 4, "num_blks": 2}
SIZES |= {"emb_dropout": 0, "blk_dropout": 0}


def vision(seed, root, steps=252):
    """The classifiers of chapter 8: the same number of steps for all, with Adam."""

    def convolutions():
        return layers(
            *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(512, 10)),
        )

    builds = {
        "dense layers": lambda: layers(
            *(nn.Flatten(), nn.Linear(64, 128), nn.ReLU()),
            *(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)),
        ),
        "convolutions": convolutions,
        "convolutions, pixels in a random order": convolutions,
        "vision Transformer": partial(d2lmini.ViT, 8, 2, **SIZES),
        "vision Transformer, initial positions of d2l": partial(far_positions, 8, 2),
    }
    datasets = [d2lmini.Digits(num_train=num) for num in IMAGES]
    yield "nearest neighbour", (None, *map(neighbour, datasets))
    for title, build in builds.items():
        datasets = [d2lmini.Digits(num_train=num) for num in IMAGES]
        if "order" in title:
            datasets = [*map(reordered, datasets)]
        models = [classifier(build, data, steps, seed) for data in datasets]
        X, y = datasets[0].val[:]
        with torch.inference_mode():
            accuracies = [model.accuracy(model(X), y).item() for model in models]
        yield title, (num_weights(models[0]), *accuracies)
    yield "digits guessed at random", (None, *[1 / 10] * len(IMAGES))


def reordered(data):
    """The data with the pixels of all images in one random order, as in chapter 8."""
    order = torch.randperm(64, generator=torch.Generator().manual_seed(0))
    for part in data.train, data.val:
        part.images = part.images.flatten(1)[:, order].unflatten(1, (8, 8))
    return data


def look_up(seed, root, steps=(600, 1200)):
    """The networks of chapter 8 that look up a digit, and more convolutional ones."""
    patches, pixels = (8, 8), (3, 2, 1)  # the kernel size, the stride, the padding
    one, three = (1,), (3, 1, 1)
    nets = {  # the channels and shapes of the convolutions, the units of the dense layer
        "one window of 3 × 3 patches": ([(24, patches), (40, three), (24, one)], 32),
        "two windows of 3 × 3 patches": ([(24, patches), (24, three), (24, three)], 32),
        "no window of several patches": ([(32, patches), (32, one)], 48),
        "windows of 3 × 3 pixels": (
            [(16, pixels), (24, three), (24, pixels), (24, pixels)],
            30,
        ),
    }
    vit = "vision Transformer, initial positions of d2l"
    builds = {
        vit: (partial(far_positions, 24, 8), 0.005),
        f"{vit}, uniform weights": (uniform_attention, 0.005),
        "vision Transformer": (partial(d2lmini.ViT, 24, 8, **SIZES), 0.005),
    }
    for title, net in nets.items():
        for lr in (0.01, 0.02):
            builds[f"convolutions, {title}, rate {lr}"] = partial(convolutional, *net), lr
    for title, (build, lr) in builds.items():
        models = [
            classifier(build, d2lmini.LookUp(num_batches=number), number, seed, lr)
            for number in steps
        ]
        X, y = d2lmini.LookUp().val
        with torch.inference_mode():
            accuracies = [model.accuracy(model(X), y).item() for model in models]
        yield title, (num_weights(models[0]), *accuracies)
    yield "digits guessed at random", (None, *[1 / 10] * len(steps))


def far_positions(img_size, patch_size):
    """A vision Transformer whose position vectors have variance 1, as d2l's."""
    model = d2lmini.ViT(img_size, patch_size, **SIZES)
    nn.init.normal_(model.pos_embedding)
    return model


def uniform_attention():
    """A vision Transformer for look-up in which all queries are and stay zero."""
    model = far_positions(24, 8)
    for block in model.blks:
        nn.init.zeros_(block.attention.W_q.weight.requires_grad_(False))
    return model


def convolutional(convolutions, hidden):
    """Convolutions with batch normalisation, then two dense layers."""
    parts, channels = [], 1
    for outputs, shape in convolutions:
        parts += [nn.Conv2d(channels, outputs, *shape), nn.BatchNorm2d(outputs), nn.ReLU()]
        channels = outputs
    dense = nn.LazyLinear(hidden), nn.ReLU(), nn.Linear(hidden, 10)
    model = layers(*parts, nn.Flatten(), *dense)
    model(torch.zeros(2, 1, 24, 24))  # the first call fixes the lazy size
    return model


def layers(*parts):
    """Layers as a classifier."""
    model = d2lmini.Classifier()
    model.net = nn.Sequential(*parts)
    return model


def classifier(build, data, steps, seed, lr=0.005):
    """A model for digits, trained for as many whole epochs as fit into the steps."""
    torch.manual_seed(seed)
    model = build()
    model.board.display = False
    model.configure_optimizers = lambda: torch.optim.Adam(model.parameters(), lr=lr)
    data.val_dataloader = lambda: None  # validated once, at the end
    epochs = steps // len(data.train_dataloader())
    d2lmini.Trainer(epochs, gradient_clip_val=1, warmup=50).fit(model, data)
    return model.eval()


def neighbour(data):
    """The accuracy of predicting the label of the nearest training image."""
    (images, labels), (X, y) = data.train[:], data.val[:]
    nearest = KNeighborsClassifier(1).fit(images.flatten(1), labels)
    return nearest.score(X.flatten(1), y)


def gpt(seed, root, num_batches=150, models=GPT_MODELS):
    """GPT-2 and its variants, trained alike, with small and with larger first weights."""
    for parts in models:
        options = {name: value for part in parts for name, value in GPT_PARTS[part].items()}
        bits = []
        for std in (0.02, 64**-0.5):
            torch.manual_seed(seed)
            model = d2lmini.GPT(
                **GPT_SIZES, num_hiddens=64, lr=0.006, ffn_std=std, **options
            )
            torch.manual_seed(seed)  # the same batches for all
            bits.append(train_gpt(model, num_batches))
        marks = ("✓" if part in parts else "" for part in GPT_PARTS)
        yield tuple(marks), (num_weights(model), *bits)


def train_gpt(model, num_batches):
    """The bits per byte of a language model after training on Python's library."""
    training, held_out, num_bytes = tokens_of_python()
    model.board.display = False
    options = {"gradient_clip_val": 1, "warmup": 50, "precision": "bf16-mixed"}
    trainer = d2lmini.Trainer(1, num_gpus=1, **options)
    trainer.fit(model, d2lmini.TokenWindows(training, num_batches))
    return d2lmini.bits_per_byte(model.eval(), held_out, num_bytes)


@lru_cache
def tokens_of_python():
    """Python's library: tokens for training, and held out, and the bytes of these."""
    texts = d2lmini.standard_library()
    tokenizer = d2lmini.train_bpe(texts[0], GPT_SIZES["vocab_size"])
    training, held_out = (
        torch.tensor([i for code in tokenizer.encode_batch(part) for i in code.ids])
        for part in texts
    )
    return training, held_out, len("".join(texts[1]).encode())


def num_weights(model):
    """The number of weights that a model learns."""
    return sum(weights.numel() for weights in model.parameters())


def spread(values, digits):
    """The mean, and the standard deviation of fractions that are not all the same."""
    if None in values:
        return ""
    mean = f"{statistics.mean(values):,.{digits}f}"
    if digits == 0 or len({*values}) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values):.{digits}f}"


EXPERIMENTS = {
    "copying": (copying, COPYING),
    "phrasebook": (phrasebook, TRANSLATION),
    "parts": (parts, {"weights": 0, "BLEU": 1, "BLEU at 0.4 times the rate": 1}),
    "norms": (norms, {"without warm-up": 2, "with warm-up": 2}),
    "differences": (differences, {"validation loss": 2, "held-out BLEU": 1}),
    "small": (small, TRANSLATION),
    "large": (large, TRANSLATION),
    "vision": (vision, VISION),
    "look_up": (look_up, LOOK_UP),
    "gpt": (gpt, GPT),
}


def tabulate(name, seeds, root):
    """The table of an experiment: the mean of the seeds, and the spread."""
    experiment, columns = EXPERIMENTS[name]
    rows = {}
    for seed in seeds:
        for title, values in experiment(seed, root):
            rounded = [value and round(value, 4) for value in values]
            print(f"seed {seed}, {title}:", *rounded, file=sys.stderr, flush=True)
            rows.setdefault(title, []).append(values)
    names = GPT_PARTS if name == "gpt" else ["model"]
    cells = [
        [
            *(title if isinstance(title, tuple) else [title]),
            *map(spread, zip(*runs), columns.values()),
        ]
        for title, runs in rows.items()
    ]
    return f"{results.head([*names, *columns])}\n{results.lines(*cells)}"


def main():
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=style)
    parser.add_argument("--only", choices=EXPERIMENTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--root", default="data", help="the folder of what is downloaded")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args()
    names = [options.only] if options.only else [*EXPERIMENTS]
    for name in names:
        try:
            table = tabulate(name, range(options.seeds), options.root)
        except ConnectionError as error:
            reason = f"its data could not be downloaded: {error}"
            print(f"{name}: skipped, because {reason}", file=sys.stderr)
            continue
        print(f"{name}\n\n{table}\n", flush=True)
        if options.write:
            results.write(name, table)


if __name__ == "__main__":
    main()
