"""Models that several experiments train: translators of the phrasebook and of Tatoeba, and
classifiers of digits.

The scores of a translator are the corpus BLEU of its held-out pairs (0 to 100), how far
other pairs could move it, and the mean BLEU of d2l's four sentences (0 to 1), those of a
classifier its held-out accuracy.
"""

import json
import random
import statistics
from types import SimpleNamespace

import torch
from sacrebleu.metrics import BLEU
from torch import nn
from torch.nn.parameter import is_lazy

import d2lmini

TRANSLATION = {
    "weights": 0,
    "epochs": 1,
    "held-out BLEU": 1,
    "sentences": 1,
    "four sentences": 2,
}
PLAIN = "Seq2SeqEncoder", "Seq2SeqDecoder"
ATTENTIVE = "Seq2SeqEncoder", "Seq2SeqAttentionDecoder"
BIDIRECTIONAL = "BidirectionalEncoder", "Seq2SeqAttentionDecoder"
LUONG = "Seq2SeqEncoder", "LuongDecoder"
LUONG_DOT = "Seq2SeqEncoder", "LuongDotDecoder"
STATE_ALONE = "Seq2SeqEncoder", "StateAloneDecoder"
TRANSFORMER = "TransformerEncoder", "TransformerDecoder"
MODELS = {  # of the phrasebook: the parts, sizes and highest learning rate
    "recurrent, without attention": (PLAIN, (64, 128, 1), 0.01),
    "recurrent, with attention": (ATTENTIVE, (64, 128, 1), 0.01),
    "Transformer": (TRANSFORMER, (64, 128, 4, 2, 0), 0.005),
}
RECURRENT = {  # other models with attention
    "output from the state alone": (STATE_ALONE, (64, 128, 1), 0.01),
    "bidirectional": (BIDIRECTIONAL, (64, 128, 1), 0.01),
    "attention after the step": (LUONG, (64, 128, 1), 0.01),
    "dot product after the step": (LUONG_DOT, (64, 128, 1), 0.01),
}
FOUR = {
    "go .": "va !",
    "i lost .": "j'ai perdu .",
    "he's calm .": "il est calme .",
    "i'm home .": "je suis chez moi .",
}


def num_weights(model):
    """The number of weights that a model learns."""
    return sum(weights.numel() for weights in model.parameters())


# --- translators ---------------------------------------------------------------------


def phrasebook_pairs(num_train=2200):
    """Random pairs of the phrasebook, the same for all experiments."""
    options = {"num_steps": 11, "num_train": num_train, "num_val": 500, "min_freq": 20}
    return d2lmini.MTFraEng(64, seed=1, **options)


def translator(library, data, parts, sizes, lr, seed):
    """A model of the encoder and the decoder that have these names in the library.

    The sizes of a recurrent part are embed_size, num_hiddens, num_layers and dropout,
    those of a Transformer num_hiddens, ffn_num_hiddens, num_heads, num_blks and dropout.
    """
    torch.manual_seed(seed)
    Encoder, Decoder = (getattr(library, part) for part in parts)
    encoder = Encoder(len(data.src_vocab), *sizes)
    decoder = Decoder(len(data.tgt_vocab), *sizes)
    return library.Seq2Seq(encoder, decoder, tgt_pad=data.tgt_vocab["<pad>"], lr=lr)


class BidirectionalEncoder(d2lmini.Seq2SeqEncoder):
    """A GRU for each direction, with half of the hidden units each."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        options = {"dropout": self.rnn.dropout, "bidirectional": True}
        self.rnn = nn.GRU(embed_size, num_hiddens // 2, num_layers, **options)
        self.apply(d2lmini.init_seq2seq)

    def forward(self, X, valid_lens=None, *args):
        outputs, state = super().forward(X, valid_lens)
        return outputs, torch.cat((state[::2], state[1::2]), dim=-1)


class LuongDecoder(d2lmini.Seq2SeqAttentionDecoder):
    """A GRU whose new states attend to the source (Luong et al., 2015).

    Attention comes after the step of the GRU, which reads the previous token only.
    Shapes are those of `Seq2SeqAttentionDecoder`, but the weights (b, n, m) of all steps
    are one tensor.
    """

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        options = {"dropout": self.rnn.dropout}
        self.rnn = nn.GRU(embed_size, num_hiddens, num_layers, **options)
        self.rnn.apply(d2lmini.init_seq2seq)

    def forward(self, X, state):
        values, hidden_state, valid_lens = state
        keys = self.attention.W_k(values)
        outputs, hidden_state = self.rnn(self.embedding(X).transpose(0, 1), hidden_state)
        outputs = outputs.transpose(0, 1)  # (n, b, p) -> (b, n, p)
        context = self.attention.attend(outputs, keys, values, valid_lens)
        self._attention_weights = [self.attention.attention_weights]
        logits = self.dense(outputs) + self.dense_context(context)
        return logits, (values, hidden_state, valid_lens)


class DotProduct(d2lmini.DotProductAttention):
    """Scaled dot products of queries (b, n, p) with keys (b, m, p) that W_k makes."""

    def __init__(self, num_hiddens):
        super().__init__(dropout=0)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)

    attend = d2lmini.DotProductAttention.forward


class LuongDotDecoder(LuongDecoder):
    """The same with the score that Luong et al. (2015) call general, divided by √p."""

    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.attention = DotProduct(num_hiddens)
        self.attention.apply(d2lmini.init_seq2seq)


class Nothing(nn.Module):
    """In place of a matrix for the context: the output layer reads the state alone."""

    def forward(self, context):
        return 0


def state_alone(Decoder):
    """Such a recurrent decoder, but with d2l's output layer, which reads no context."""

    class StateAloneDecoder(Decoder):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.dense_context = Nothing()

    return StateAloneDecoder


class EmbeddingRate(d2lmini.Seq2Seq):
    """A translator whose embeddings learn at `factor` times the rate of all others."""

    factor = 1

    def configure_optimizers(self):
        embeddings = [m.weight for m in self.modules() if isinstance(m, nn.Embedding)]
        others = [w for w in self.parameters() if not any(w is e for e in embeddings)]
        groups = [{"params": embeddings, "lr": self.factor * self.lr}, {"params": others}]
        return torch.optim.Adam(groups, lr=self.lr, fused=True)


VARIANTS = SimpleNamespace(  # the library, with these
    **{
        **vars(d2lmini),
        "BidirectionalEncoder": BidirectionalEncoder,
        "LuongDecoder": LuongDecoder,
        "LuongDotDecoder": LuongDotDecoder,
        "StateAloneDecoder": state_alone(d2lmini.Seq2SeqAttentionDecoder),
        "Seq2Seq": EmbeddingRate,
    }
)


def reset(module):
    """Give a module PyTorch's own initial weights, if it has some already."""
    if hasattr(module, "reset_parameters") and not is_lazy(next(module.parameters())):
        module.reset_parameters()


def train(model, trainer, data):
    """Train a translator; its row of the table."""
    model.board.display = False
    trainer.fit(model, data)
    preds = d2lmini.translate(model.eval(), data, data.sentences(train=False)[0])
    pairs = zip(d2lmini.translate(model, data, list(FOUR)), FOUR.values())
    four = statistics.mean(d2lmini.bleu(*pair, k=2) for pair in pairs)
    epochs = trainer.train_batch_idx / trainer.num_train_batches
    return num_weights(model), epochs, *scores(data, preds), four


def scores(data, preds):
    """The corpus BLEU of the held-out sentences, and how far other sentences could move it.

    That is half the width of the interval that has 95 % of the scores of 1,000 samples of
    as many sentences, drawn from them with replacement.
    """
    metric = BLEU(tokenize="none", force=True)
    french = data.sentences(train=False)[1]
    found = metric.corpus_score(preds, [french], n_bootstrap=1000)
    told = found.format(signature=str(metric.get_signature()), is_json=True)
    return found.score, json.loads(told)["confidence_var"]


def control(data, seed):
    """A row with the BLEU of the references when each belongs to another sentence."""
    french = data.sentences(train=False)[1]
    shuffled = random.Random(seed).sample(french, len(french))
    return "references in random order", (None, None, *scores(data, shuffled), None)


# --- classifiers ---------------------------------------------------------------------

VIT_SIZES = {"num_hiddens": 32, "mlp_num_hiddens": 64, "num_heads": 4, "num_blks": 2}
VIT_SIZES |= {"emb_dropout": 0, "blk_dropout": 0}


class WithAdam(d2lmini.Classifier):
    """A classifier that is trained with Adam."""

    rate = 0.005

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.rate)


class ViT(WithAdam, d2lmini.ViT):
    """A small vision Transformer."""

    def __init__(self, img_size, patch_size, pos_std=0.02):
        super().__init__(img_size, patch_size, **VIT_SIZES, pos_std=pos_std)


class Net(WithAdam):
    """Any layers as a classifier."""

    def __init__(self, *layers):
        super().__init__()
        self.net = nn.Sequential(*layers)


class UnvalidatedTrainer(d2lmini.Trainer):
    """A trainer for models that are validated once, at the end."""

    def prepare_data(self, data):
        super().prepare_data(data)
        self.val_dataloader = None


def classifier(build, data, steps, seed, lr=0.005):
    """A model for digits, trained for as many whole epochs as fit into the steps."""
    torch.manual_seed(seed)
    model = build()
    model.board.display = False
    model.rate = lr
    epochs = steps // len(data.train_dataloader())
    UnvalidatedTrainer(epochs, gradient_clip_val=1, warmup=50).fit(model, data)
    return model.eval()


@torch.inference_mode()
def accuracies(models, X, y):
    """The accuracy of each classifier on images X with the labels y."""
    return [model.accuracy(model(X), y).item() for model in models]
