"""The experiment of scores.py with language models: each part of a GPT, one at a time."""

import math
import sysconfig
from functools import lru_cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

import d2lmini

# The columns of the table, with the digits after the decimal point.
GPT = {"weights": 0, "bits per byte": 3}
SIZES = {"vocab_size": 1024, "num_hiddens": 64, "num_blks": 2, "num_heads": 4}
PARTS = {
    "GPT-2's parts": {},
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"ffn": "swiglu"},
    "rotary positions": {"positions": "rotary"},
    "two key–value heads": {"num_kv_heads": 2},
    "output layer not tied": {"tied": False},
}
LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}


class Tokens(d2lmini.DataModule):
    """Windows of n tokens at random positions, and the tokens after them as labels."""

    def __init__(self, tokens, n=128, batch_size=16, num_batches=150):
        self.save_hyperparameters()

    def get_dataloader(self, train):
        if not train:
            return None
        starts = torch.randint(
            len(self.tokens) - self.n, (self.num_batches, self.batch_size)
        )
        rows = starts.unsqueeze(-1) + torch.arange(self.n + 1)
        return [(self.tokens[i[:, :-1]], self.tokens[i[:, 1:]]) for i in rows]


@lru_cache
def library():
    """Python's library as in chapter 11: tokens for training, held out, bytes held out."""
    paths = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    held_out = texts[9::10]
    train = [text for i, text in enumerate(texts) if i % 10 != 9]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZES["vocab_size"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(train, trainer)
    train, held_out_tokens = (
        torch.tensor([i for text in tokenizer.encode_batch(part) for i in text.ids])
        for part in (train, held_out)
    )
    return train, held_out_tokens, len("".join(held_out).encode())


@torch.inference_mode()
def bits_per_byte(model, tokens, num_bytes, n=128):
    """The negative log-probability of tokens in windows of n, in bits for each byte."""
    rows = tokens[: (len(tokens) - 1) // n * n + 1]
    X, Y = rows[:-1].view(-1, n), rows[1:].view(-1, n)
    nats = sum(
        model.loss(model(x), y).item() * y.numel() for x, y in zip(X.split(64), Y.split(64))
    )
    return nats / Y.numel() / math.log(2) * len(tokens) / num_bytes


def gpt(seed, root, num_batches=150, parts=PARTS):
    """GPT-2 and its variants, with equal batches, updates and schedule."""
    train, held_out, num_bytes = library()
    for title, options in {**parts, "all but the last": LLAMA}.items():
        torch.manual_seed(seed)
        model = d2lmini.GPT(**SIZES, max_len=128, lr=0.006, **options)
        model.board.display = False
        torch.manual_seed(seed)  # the same batches for all
        data = Tokens(train, num_batches=num_batches)
        trainer = d2lmini.Trainer(1, gradient_clip_val=1, warmup=50, precision="bf16-mixed")
        trainer.fit(model, data)
        weights = sum(weights.numel() for weights in model.parameters())
        yield title, (weights, bits_per_byte(model.eval(), held_out, num_bytes))
