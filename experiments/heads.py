"""Which heads of a trained language model follow a simple rule.

The model is SmolLM2 with 135 million parameters, 30 layers of nine heads. For each rule,
the program takes the head that gives most weight to the tokens which the rule names, in
the mean over all cases in five sentences. It measures this head, and the mean of all
heads, in sixteen other sentences as well. In ten pairs of sentences the head from a pronoun
to its noun has two nouns to choose from. Chapter 5 draws from the file.
"""

import json
import math
import re

import torch

import d2lmini as d2l
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "heads.json"
NOT_CROSS = "The animal did not cross the street because it was too"
# A sentence with its pronoun, the noun that it stands for, and the verb before it.
SENTENCES = [
    ("The cat slept because it ate.", "it", "cat", "slept"),
    (f"{NOT_CROSS} tired.", "it", "animal", "cross"),
    (f"{NOT_CROSS} wide.", "it", "street", "cross"),
    ("Anna gave Paul a red apple, and Paul gave Anna a red flower.",),
    ("The keys that the old man lost are in the kitchen.",),
]
# In the first eight the noun is the subject, in the others it is not.
OTHERS = [
    ("The dog ran because it was hungry.", "it", "dog", "ran"),
    ("The child cried because she fell.", "she", "child", "cried"),
    ("The bird sang while it built a nest.", "it", "bird", "sang"),
    ("The car stopped because it had no fuel.", "it", "car", "stopped"),
    ("The teacher smiled when he read the letter.", "he", "teacher", "smiled"),
    ("The tree fell after it was hit by lightning.", "it", "tree", "fell"),
    ("The king left the city because he was afraid.", "he", "king", "left"),
    ("The girl closed the window because she was cold.", "she", "girl", "closed"),
    ("The man fed the horse because it was hungry.", "it", "horse", "fed"),
    ("The woman helped her father because he was old.", "he", "father", "helped"),
    ("The boy dropped the cup and it broke.", "it", "cup", "dropped"),
    ("My mother sold the house because it was small.", "it", "house", "sold"),
    ("The king loved the queen because she was wise.", "she", "queen", "loved"),
    ("The girl thanked the man because he had helped.", "he", "man", "thanked"),
    ("Our teacher opened the book and it was empty.", "it", "book", "opened"),
    ("The farmer pulled the cart until it moved.", "it", "cart", "pulled"),
]

# In each of these only the pronoun changes, and with it the noun that it stands for: first
# the noun that comes first, which is masculine in half of them, and then the second.
TWO_NOUNS = [
    ("The boy called the girl because {} was late.", {"he": "boy", "she": "girl"}),
    ("The woman wrote to the man when {} was in Paris.", {"she": "woman", "he": "man"}),
    ("The uncle visited the aunt while {} was ill.", {"he": "uncle", "she": "aunt"}),
    ("The princess saw the prince before {} left.", {"she": "princess", "he": "prince"}),
    ("The father met the daughter when {} came home.", {"he": "father", "she": "daughter"}),
    ("The nun helped the monk until {} was tired.", {"she": "nun", "he": "monk"}),
    ("The husband left the wife after {} had lied.", {"he": "husband", "she": "wife"}),
    ("The queen praised the king because {} was brave.", {"she": "queen", "he": "king"}),
    (
        "The brother followed the sister until {} stopped.",
        {"he": "brother", "she": "sister"},
    ),
    ("The mother drove the son home after {} had eaten.", {"she": "mother", "he": "son"}),
]


def pairs(tokens, pronoun=None, noun=None, verb=None):
    """For each rule the pairs (query, key) of positions at which it can be seen."""
    words = [token.lower() for token in tokens]
    earlier = [  # the last earlier token that is the same word
        (i, i - 1 - words[:i][::-1].index(word))
        for i, word in enumerate(words)
        if word in words[:i]
    ]
    found = {
        "the first token": [(i, 0) for i in range(2, len(words))],
        "the token before": [(i, i - 1) for i in range(2, len(words))],
        "the same word, earlier": earlier,
        "what followed the same word": [(i, j + 1) for i, j in earlier if j + 1 < i],
        "from a pronoun to its noun": [],
        "from a pronoun to the verb": [],
    }
    if pronoun:
        query = words.index(pronoun)
        found["from a pronoun to its noun"] = [(query, words.index(noun))]
        found["from a pronoun to the verb"] = [(query, words.index(verb))]
    return found


@torch.no_grad()
def attend(model, tokenizer, text):
    """The tokens of a text and the weights (layers, heads, n, n) of all heads."""
    ids, layers = tokenizer.encode(text).ids, []

    def keep(block, inputs):
        X = block.norm1(inputs[0])
        Q, K = (
            block.rotary(W(X).unflatten(-1, (-1, block.p)).transpose(1, 2), 0)
            for W in (block.W_q, block.W_k)
        )
        K = K.repeat_interleave(Q.shape[1] // K.shape[1], dim=1)  # (1, h, n, p)
        scores = Q @ K.mT / math.sqrt(block.p)
        mask = d2l.causal_mask(len(ids))
        layers.append(d2l.masked_softmax(scores, mask=mask)[0])

    hooks = [block.register_forward_pre_hook(keep) for block in model.blks]
    model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    return [tokenizer.decode([i]).strip() for i in ids], torch.stack(layers)


def scores(texts, sentences):
    """For each rule the weight (layers, heads) that it names, in the mean over cases."""
    cases = {}
    for (tokens, weights), (_, *words) in zip(texts, sentences, strict=True):
        for rule, found in pairs(tokens, *words).items():
            cases.setdefault(rule, []).extend(weights[:, :, i, j] for i, j in found)
    return {rule: torch.stack(found).mean(dim=0) for rule, found in cases.items()}


def two_nouns(model, tokenizer, heads):
    """The weight of the head from a pronoun to its noun on this, and on the other noun.

    For each place of the pronoun's noun: the mean weights, and in how many cases of how
    many its noun has the larger one.
    """
    (place,) = [
        (one["layer"] - 1, one["head"] - 1)
        for one in heads
        if one["rule"] == "from a pronoun to its noun"
    ]
    cases = {"first": [], "second": []}
    for text, nouns in TWO_NOUNS:
        for (pronoun, noun), which in zip(nouns.items(), cases, strict=True):
            tokens, weights = attend(model, tokenizer, text.format(pronoun))
            (other,) = {*nouns.values()} - {noun}
            row = weights[place][tokens.index(pronoun)]
            cases[which].append(row[[tokens.index(noun), tokens.index(other)]])
    found = []
    for which, pairs_of_weights in cases.items():
        own, other = torch.stack(pairs_of_weights).T
        found.append(
            {
                "its noun comes": which,
                "weight": round(own.mean().item(), 2),
                "weight of the other": round(other.mean().item(), 2),
                "larger": [(own > other).sum().item(), len(own)],
            }
        )
    return found


def tables():
    """The file, in which each head and each sentence has a line."""
    found = {"origin": results.origin().strip("*")} | measure()
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    yield FILE, re.sub(r'(?={"(?:tokens|rule)")', "\n", text)


def measure():
    """What the file holds."""
    model, tokenizer = d2l.load_smollm2()
    model.eval()
    texts, others = (
        [attend(model, tokenizer, text) for text, *_ in sentences]
        for sentences in (SENTENCES, OTHERS)
    )
    elsewhere, heads = scores(others, OTHERS), []
    for rule, weight in scores(texts, SENTENCES).items():
        layer, head = divmod(weight.argmax().item(), weight.shape[1])
        heads.append(
            {
                "rule": rule,
                "layer": layer + 1,
                "head": head + 1,
                "here": round(weight[layer, head].item(), 2),
                "elsewhere": round(elsewhere[rule][layer, head].item(), 2),
                "all heads": round(elsewhere[rule].mean().item(), 2),
            }
        )
    first = scores(texts, SENTENCES)["the first token"]
    return {
        "heads": heads,
        "two nouns": two_nouns(model, tokenizer, heads),
        "mostly first": [(first > 0.5).sum().item(), first.numel()],
        "sentences": [
            {
                "tokens": tokens,
                "percent": [  # of each head, each query to the keys up to itself
                    [
                        [round(100 * a) for a in row[: i + 1].tolist()]
                        for i, row in enumerate(weights[one["layer"] - 1, one["head"] - 1])
                    ]
                    for one in heads
                ],
            }
            for tokens, weights in texts
        ],
    }
