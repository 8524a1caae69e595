"""Measure the translation models on real sentences, the pairs of Tatoeba.

    .venv/bin/python tools/tatoeba.py [--root data] [--seeds 3] [--seconds 60]

First d2l's own experiment (512 pairs, 15 epochs, its sizes), with d2l 1.0.3 and with this
course side by side: the mean BLEU of its four sentences, and the corpus BLEU of its
held-out pairs. Then the first 21,000 English sentences with a translation such that both
have at most ten tokens, shuffled: 20,000 pairs to train on for so many seconds, and the
corpus BLEU of the other 1,000. The data are downloaded into the root folder unless they
are there.
"""

import argparse
import itertools
import random
import time

import torch
from oracle import load_d2l
from torch import nn

import d2lmini

ENGS = ["go .", "i lost .", "he's calm .", "i'm home ."]
FRAS = ["va !", "j'ai perdu .", "il est calme .", "je suis chez moi ."]


def main():
    """Run both experiments and print a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", default="data", help="the folder of fra-eng.zip")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    source = {"source": "tatoeba", "root": arguments.root}
    print("512 pairs, 15 epochs: mean BLEU of the four sentences, held-out corpus BLEU")
    data, d2l = d2lmini.MTFraEng(128, **source), load_d2l()
    for seed in range(arguments.seeds):
        for library, Decoder in [
            (d2l, d2l_decoder(d2l)),
            (d2lmini, d2lmini.Seq2SeqAttentionDecoder),
        ]:
            small_experiment(library, Decoder, data, seed)
    print(f"20,000 pairs, {arguments.seconds:.0f} s of training: held-out corpus BLEU")
    sizes = {"num_steps": 11, "num_train": 20_000, "num_val": 1_000}
    data = DistinctPairs(32, **sizes, **source, seed=0)
    for seed in range(arguments.seeds):
        large_experiment(data, seed, arguments.seconds)


def small_experiment(library, Decoder, data, seed):
    """d2l's experiment, with the classes of a library."""
    torch.manual_seed(seed)
    sizes = 256, 256, 2, 0.4  # embedding, hidden units, layers, dropout
    encoder = library.Seq2SeqEncoder(len(data.src_vocab), *sizes)
    decoder = Decoder(len(data.tgt_vocab), *sizes)
    model = library.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=0.005)
    model.board.display = False
    library.Trainer(max_epochs=15, gradient_clip_val=1).fit(model, data)
    scores = [
        library.bleu(pred, fra, k=2) if pred else 0.0
        for pred, fra in zip(translate(model, data, ENGS), FRAS)
    ]
    preds = translate(model, data, data.sentences(train=False)[0])
    held_out = d2lmini.held_out_bleu(data, preds)
    name = library.__name__.partition(".")[0]
    print(f"  {name:8} seed {seed}: {sum(scores) / 4:.2f}  {held_out:4.1f}", flush=True)


def large_experiment(data, seed, seconds):
    """Attention on 20,000 pairs, for a fixed time."""
    torch.manual_seed(seed)
    encoder = d2lmini.Seq2SeqEncoder(len(data.src_vocab), 128, 256, 1)
    decoder = d2lmini.Seq2SeqAttentionDecoder(len(data.tgt_vocab), 128, 256, 1)
    pad, eos = data.tgt_vocab[["<pad>", "<eos>"]]
    model = d2lmini.Seq2Seq(encoder, decoder, tgt_pad=pad, tgt_eos=eos, lr=0.003)
    model.board.display = False
    trainer = TimedTrainer(seconds)
    trainer.fit(model, data)
    preds = d2lmini.translate(model, data, data.sentences(train=False)[0])
    score = d2lmini.held_out_bleu(data, preds)
    epochs = trainer.train_batch_idx / trainer.num_train_batches
    print(f"  seed {seed}: {score:.1f} after {epochs:.1f} epochs", flush=True)


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
    """A trainer that stops after so many seconds."""

    def __init__(self, seconds):
        super().__init__(max_epochs=1000, gradient_clip_val=1)
        self.end = time.monotonic() + seconds

    def fit(self, model, data):
        try:
            super().fit(model, data)
        except TimeoutError:
            model.eval()

    def prepare_batch(self, batch):
        if time.monotonic() > self.end:
            raise TimeoutError
        return super().prepare_batch(batch)


def translate(model, data, sentences):
    """Greedy translations by a model of either library, which only share `predict_step`."""
    batch = data.build(sentences)
    with torch.no_grad():
        tokens, _ = model.predict_step(batch, torch.device("cpu"), data.num_steps)
    words = data.tgt_vocab.to_tokens(tokens)
    return [" ".join(itertools.takewhile(lambda w: w != "<eos>", row)) for row in words]


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
