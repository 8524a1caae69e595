"""The two recurrent translators that race on the page about translation, in 8 bits.

The models are those of the notebooks on translation and of chapter 4, of seed 0: one hands
its decoder only the last state, the other one looks at all states. Their weights are stored
in 8 bits for the page, which reads them when somebody appends a word. What these models
write for the sentences of `GROWING`, with the states and the weights on the way, is stored
for the figure. The sentences were written before they were translated, and none is left out
for its translation.
"""

import base64
import json

import torch

import d2lmini as d2l
from experiments import chapter, results
from experiments.one_vector import NOTEBOOKS, mistakes
from experiments.try_it import weights
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "race.json"
WEIGHTS = ROOT / "book" / "_static" / "recurrent.js"
KINDS = {"one vector": d2l.Seq2SeqDecoder, "attention": d2l.Seq2SeqAttentionDecoder}
SIZES = {"embed_size": 64, "num_hiddens": 128, "num_layers": 1}
MAX_TOKENS = 20
# Sentences that grow, of words that both models know, with a right translation of each.
GROWING = {
    "he has …": [
        ("he has a cat .", "il a un chat ."),
        ("he has a black cat .", "il a un chat noir ."),
        ("he has a black cat and a dog .", "il a un chat noir et un chien ."),
        ("he has a black cat and a white dog .", "il a un chat noir et un chien blanc ."),
        (
            "he has a black cat and a small white dog .",
            "il a un chat noir et un petit chien blanc .",
        ),
    ],
    "my sister …": [
        ("my sister found a key .", "ma sœur a trouvé une clé ."),
        (
            "my sister found a key in the garden .",
            "ma sœur a trouvé une clé dans le jardin .",
        ),
        (
            "my sister found a small key in the garden .",
            "ma sœur a trouvé une petite clé dans le jardin .",
        ),
        (
            "my little sister found a small key in the garden .",
            "ma petite sœur a trouvé une petite clé dans le jardin .",
        ),
    ],
    "alice …": [
        ("alice bought a hat .", "alice a acheté un chapeau ."),
        ("alice bought a red hat .", "alice a acheté un chapeau rouge ."),
        ("alice bought a red hat in paris .", "alice a acheté un chapeau rouge à paris ."),
        (
            "alice bought a red hat and gloves in paris .",
            "alice a acheté un chapeau rouge et des gants à paris .",
        ),
    ],
    "the dog …": [
        ("the dog sleeps .", "le chien dort ."),
        ("the old dog sleeps .", "le vieux chien dort ."),
        ("the old black dog sleeps .", "le vieux chien noir dort ."),
        (
            "the old black dog sleeps under the table .",
            "le vieux chien noir dort sous la table .",
        ),
        (
            "the old black dog sleeps under the big table .",
            "le vieux chien noir dort sous la grande table .",
        ),
    ],
}


def tables():
    """The weights of both models, and the file of the figure."""
    origin = results.origin().strip("*")
    models = {kind: trained(kind) for kind in KINDS}
    yield WEIGHTS, weights.script("recurrent", models)
    race = {"sentences": measured(models), "origin": origin}
    yield FILE, json.dumps(race, ensure_ascii=False, indent=1)


def trained(kind):
    """A model of seed 0, after its notebook has defined what is needed, for forward.js."""
    name, last = NOTEBOOKS[kind]
    return chapter.run(ROOT / "notebooks" / f"{name}.ipynb", encoded, kind, last=last)


def encoded(names, kind):
    """The 8-bit weights and the vocabularies of a model, given what a notebook defines."""
    if kind == "attention":
        model = names["train"](names["Seq2SeqAttentionDecoder"], seed=0)
    else:
        model = names["models"][0]
    data = names["data"]
    return {
        "config": SIZES,
        "source": " ".join(data.src_vocab.idx_to_token),
        "target": " ".join(data.tgt_vocab.idx_to_token),
        "weights": weights.encoded(model.state_dict(), leave_out=None),
    }


def read(content):
    """For each kind the model with the 8-bit weights, and its two vocabularies."""
    models = {}
    for kind, stored in content.items():
        vocabs = [d2l.Vocab(stored[side].split(" ")) for side in ("source", "target")]
        src_vocab, tgt_vocab = vocabs
        encoder = d2l.Seq2SeqEncoder(len(src_vocab), **SIZES)
        decoder = KINDS[kind](len(tgt_vocab), **SIZES)
        special = {"tgt_pad": tgt_vocab["<pad>"], "tgt_eos": tgt_vocab["<eos>"]}
        model = d2l.Seq2Seq(encoder, decoder, **special, lr=0.01)
        model.load_state_dict(weights.decoded(stored["weights"]))
        models[kind] = model.eval(), *vocabs
    return models


@torch.no_grad()
def trace(model, src_vocab, tgt_vocab, sentence):
    """The greedy translation of a sentence, and what it is made of.

    Gives the states (m, p) of the encoder, the tokens with "<eos>" if they end, and the
    weights (n, m) of a decoder that has attention, otherwise None.
    """
    source = torch.tensor([src_vocab[[*sentence.split(), "<eos>"]]])
    states, final = model.encoder(source)
    state = model.decoder.init_state((states, final))
    tokens, rows = [tgt_vocab["<bos>"]], []
    while tokens[-1] != model.tgt_eos and len(tokens) <= MAX_TOKENS:
        logits, state = model.decoder(torch.tensor([tokens[-1:]]), state)
        tokens.append(logits.argmax().item())
        if isinstance(model.decoder, d2l.Seq2SeqAttentionDecoder):
            rows.append(model.decoder.attention_weights[0][0, 0])
    return (
        states[:, 0],
        tgt_vocab.to_tokens(tokens[1:]),
        torch.stack(rows) if rows else None,
    )


def measured(content):
    """All sentences with a trace of each model, for the figure.

    A state is 128 whole numbers from −127 to 127, in base64, and weights are in percent.
    """
    models, found = read(content), []
    for name, steps in GROWING.items():
        rows = []
        for english, reference in steps:
            row = {"source": [*english.split(), "<eos>"], "reference": reference}
            for kind, model in models.items():
                states, target, attended = trace(*model, english)
                whole = (127 * states).round().to(torch.int8).numpy()
                row[kind] = {
                    "states": base64.b64encode(whole.tobytes()).decode(),
                    "target": target,
                    "mistakes": mistakes(reference, without_end(target)),
                }
                if attended is not None:
                    row[kind]["weights"] = (100 * attended).round().int().tolist()
            rows.append(row)
        found.append({"name": name, "steps": rows})
    return found


def without_end(tokens):
    """A translation as a string."""
    return " ".join(token for token in tokens if token != "<eos>")
