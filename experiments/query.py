"""What the decoder's state is worth as a query: before or after the step, by both scores.

Chapter 4's decoder asks with the state before the step of the GRU, and compares query and
keys by an additive score. Here it also asks after the step, as Luong et al. (2015) do, and
by scaled dot products. Each of the four is trained once more with a learned query for each
step number instead of the state, as in the chapter's third control. The code is that of the
notebook's cells, in whose kernel `measure` runs.
"""

from torch import nn

import d2lmini
from experiments import chapter, results
from experiments.attention import NOTEBOOK
from experiments.models import DotProduct, LuongDecoder, LuongDotDecoder

LAST = "def train("  # in the last cell that is needed
COLUMNS = ["the state", "a learned query for each step"]


class DotDecoder(d2lmini.Seq2SeqAttentionDecoder):
    """Chapter 4's decoder with scaled dot products instead of the additive score."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.attention = DotProduct(num_hiddens)
        self.attention.apply(d2lmini.init_seq2seq)


class Asking(nn.Module):
    """An attention with a learned query for each step, whatever the decoder's state is."""

    def __init__(self, attention, num_steps, num_hiddens):
        super().__init__()
        self.attention, self.step = attention, 0
        self.queries = nn.Embedding(num_steps, num_hiddens)

    def W_k(self, values):
        return self.attention.W_k(values)

    @property
    def attention_weights(self):
        return self.attention.attention_weights

    def attend(self, query, *others):
        first, self.step = self.step, self.step + query.shape[1]
        learned = self.queries.weight[first : self.step].expand_as(query)
        return self.attention.attend(learned, *others)


def by_number(Decoder, num_steps=11):
    """Such a decoder whose query depends on the number of the step alone."""

    class NumberDecoder(Decoder):
        def __init__(self, vocab_size, embed_size, num_hiddens, *args, **kwargs):
            super().__init__(vocab_size, embed_size, num_hiddens, *args, **kwargs)
            self.attention = Asking(self.attention, num_steps, num_hiddens)

        def init_state(self, *args):
            self.attention.step = 0
            return super().init_state(*args)

    return NumberDecoder


DECODERS = {
    "additive score, before the step": d2lmini.Seq2SeqAttentionDecoder,
    "additive score, after the step": LuongDecoder,
    "dot product, before the step": DotDecoder,
    "dot product, after the step": LuongDotDecoder,
}


def tables(seeds=5):
    """The table of the held-out BLEU, by decoder and query."""
    yield from chapter.run(NOTEBOOK, measure, seeds, last=LAST).items()


def measure(names, seeds):
    """The table, given the names that the notebook's cells define."""
    data, rows = names["data"], []
    english, _ = data.sentences(train=False)
    for name, Decoder in DECODERS.items():
        cells = []
        for kind in (Decoder, by_number(Decoder)):
            models = [names["train"](kind, seed) for seed in range(seeds)]
            translated = (d2lmini.translate(model, data, english) for model in models)
            found = [d2lmini.held_out_bleu(data, one) for one in translated]
            cells.append(results.spread(found, 1))
        rows.append([name, *cells])
    return {"query": results.table(["", *COLUMNS], rows)}
