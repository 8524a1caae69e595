"""Which heads of a trained language model follow a rule, and what it writes without them.

The model is SmolLM2 with 135 million parameters, 30 layers of nine heads. For each rule,
the program takes the head that gives most weight to the tokens which the rule names, in
the mean over all cases in five sentences. It measures this head, and the mean of all
heads, in other sentences as well. In ten pairs of sentences the head from a pronoun to its
noun has two nouns to choose from.

Then each of these heads is muted: its output is set to zero before the output matrix. The
program compares the probability of the next word with all heads, without this one, and, as
a control, without one of the other heads of its layer. It also measures where heads that
find what followed the same word look without the head that looks at the token before.
Chapter 5 draws from the file.
"""

import contextlib
import itertools
import json
import math
import re

import torch

import d2lmini as d2l
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "heads.json"
NOT_CROSS = "The animal did not cross the street because it was too"
# A sentence with its pronoun and the noun that it stands for.
SENTENCES = [
    ("The cat slept because it ate.", "it", "cat"),
    (f"{NOT_CROSS} tired.", "it", "animal"),
    (f"{NOT_CROSS} wide.", "it", "street"),
    ("Anna gave Paul a red apple, and Paul gave Anna a red flower.",),
    ("Mary lost her silver ring. Last night her brother found the silver ring.",),
]
# In the first eight the noun is the subject, in the others it is not.
OTHERS = [
    ("The dog ran because it was hungry.", "it", "dog"),
    ("The child cried because she fell.", "she", "child"),
    ("The bird sang while it built a nest.", "it", "bird"),
    ("The car stopped because it had no fuel.", "it", "car"),
    ("The teacher smiled when he read the letter.", "he", "teacher"),
    ("The tree fell after it was hit by lightning.", "it", "tree"),
    ("The king left the city because he was afraid.", "he", "king"),
    ("The girl closed the window because she was cold.", "she", "girl"),
    ("The man fed the horse because it was hungry.", "it", "horse"),
    ("The woman helped her father because he was old.", "he", "father"),
    ("The boy dropped the cup and it broke.", "it", "cup"),
    ("My mother sold the house because it was small.", "it", "house"),
    ("The king loved the queen because she was wise.", "she", "queen"),
    ("The girl thanked the man because he had helped.", "he", "man"),
    ("Our teacher opened the book and it was empty.", "it", "book"),
    ("The farmer pulled the cart until it moved.", "it", "cart"),
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


# Texts whose last word stands in them once before. It comes next where they are cut.
COPIES = """
Our neighbour planted a tall tree. Birds sat in the tall tree
Maria baked a sweet cake. Her friends ate the sweet cake
They found an old map in a box. Nobody could read the old map
My uncle bought a yellow car. Yesterday he washed the yellow car
A wolf saw a sheep. The wolf followed the sheep
Lisa drew a round table. Then she coloured the round table
John lost his leather bag. A girl found the leather bag
We heard a strange noise. Soon everybody heard the strange noise
Grandmother knitted a warm coat. In winter I wear the warm coat
A farmer sold a white cow. His son missed the white cow
Emma wrote a long letter. Her father read the long letter
He crossed a narrow bridge. We crossed the narrow bridge
Some children built a wooden boat. On Sunday they painted the wooden boat
Sarah likes dark bread. Her brother bakes dark bread
A lion met a bear. The lion greeted the bear
Tom and Julia live here. On Monday Tom wrote a letter to Julia
Our school has a small garden. The pupils water the small garden
Peter broke an expensive glass. His mother picked up the expensive glass
An artist painted a huge horse. People admired the huge horse
You need a sharp knife. Please give me the sharp knife
""".strip().splitlines()
# What the model is to continue, and chapter 5 shows.
BEGINNINGS = [
    "Mary lost her silver ring. Last night her brother found the silver",
    "Anna gave Paul a red apple, and Paul gave Anna a red",
    "A fox met a goat. The fox greeted the",
    "The king loved the queen because she was wise. The wise",
    NOT_CROSS,
]
MUTED = ["next word", "without others of the layer", "lower than these"]
PARTNERS = ["weight", "without 17.1", "without others of layer 17", "lower than these"]
NOUNS = ["weight on it", "on the other", "larger"]


def pairs(tokens, pronoun=None, noun=None):
    """For each rule the pairs (query, key) of positions at which it can be seen.

    The first token counts for the first rule only: most heads look at it anyway.
    """
    earlier = [  # the last earlier token that is the same word
        (i, max(j for j in range(1, i) if tokens[j] == word))
        for i, word in enumerate(tokens)
        if word.isalpha() and word in tokens[1:i]
    ]
    return {
        "the first token": [(i, 0) for i in range(2, len(tokens))],
        "the token before": [(i, i - 1) for i in range(2, len(tokens))],
        "the same word, earlier": earlier,
        "what followed the same word": [(i, j + 1) for i, j in earlier if j + 1 < i],
        "from a pronoun to its noun": (
            [(tokens.index(pronoun), tokens.index(noun))] if pronoun else []
        ),
    }


@contextlib.contextmanager
def muting(model, muted):
    """Within it, row i of a batch is computed without the heads of muted[i].

    These are (layer, head), counted from 0. Their output is zero before the output matrix.
    """
    hooks = []
    for layer, block in enumerate(model.blks):

        def mute(W_o, inputs, layer=layer, p=block.p):
            X = inputs[0].clone()  # (b, n, h p)
            for row, places in zip(X, muted, strict=True):
                for head in [head for where, head in places if where == layer]:
                    row[:, head * p : (head + 1) * p] = 0
            return (X,)

        hooks.append(block.W_o.register_forward_pre_hook(mute))
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@torch.no_grad()
def attend(model, tokenizer, text, muted=()):
    """The tokens of a text and the weights (layers, heads, n, n) of all heads.

    All but those of `muted`, see `muting`, do their work.
    """
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
    with muting(model, [muted]):
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


@torch.no_grad()
def next_token(model, ids, muted=((),)):
    """The probabilities (len(muted), v) of the next token, each without some heads.

    `muted` has the heads for each row, see `muting`.
    """
    X = model.embedding(torch.tensor([ids])).expand(len(muted), -1, -1)
    with muting(model, muted):
        for block in model.blks:
            X = block(X)
    return model.output(model.norm(X[:, -1])).softmax(dim=-1)


def number_of_heads(model):
    """How many heads a layer has."""
    return model.blks[0].W_o.in_features // model.blks[0].p


def others_of(place, number):
    """The other heads of a layer with this many, each alone."""
    layer, head = place
    return [[(layer, other)] for other in range(number) if other != head]


def drawn_others(places, number, draws=8):
    """As many other heads of the same layers as these, drawn several times."""
    found = []
    for seed in range(draws):
        generator, group = torch.Generator().manual_seed(seed), []
        for layer, these in itertools.groupby(places, key=lambda place: place[0]):
            taken = [head for _, head in these]
            order = torch.randperm(number, generator=generator).tolist()
            rest = [head for head in order if head not in taken]
            group += [(layer, head) for head in rest[: len(taken)]]
        found.append(group)
    return found


def likeliest(probs, tokenizer):
    """The five likeliest tokens, each with its probability."""
    best = probs.topk(5)
    words = [tokenizer.decode([token]).strip() for token in best.indices.tolist()]
    return [[word, round(p, 3)] for word, p in zip(words, best.values.tolist())]


def beginning(model, tokenizer, text, places):
    """What comes next after a text, with all heads, and without each of these places.

    With it the weights of each head for the last token, in percent, and how many of all
    heads, each muted alone, move the likeliest token by more than 0.1.
    """
    ids, number = tokenizer.encode(text).ids, number_of_heads(model)
    (whole,) = next_token(model, ids)
    best = whole.topk(5).indices
    alone = torch.stack(  # (layers, heads, v)
        [
            next_token(model, ids, [[(layer, head)] for head in range(number)])
            for layer in range(len(model.blks))
        ]
    )
    tokens, weights = attend(model, tokenizer, text)
    moved = (alone[:, :, best[0]] - whole[best[0]]).abs() > 0.1
    found = {
        "tokens": tokens,
        "next": likeliest(whole, tokenizer),
        "moved": [moved.sum().item(), moved.numel()],
        "heads": [],
    }
    for layer, head in places:
        rest = [other for other in range(number) if other != head]
        means = alone[layer, rest][:, best].mean(dim=0)
        found["heads"].append(
            {
                "percent": [round(100 * a) for a in weights[layer, head, -1].tolist()],
                "next": likeliest(alone[layer, head], tokenizer),
                "without": [round(p, 3) for p in alone[layer, head, best].tolist()],
                "others": [round(p, 3) for p in means.tolist()],
            }
        )
    return found


def copies(model, tokenizer, groups):
    """What the next word, which has been there before, loses without each group of heads.

    The mean probability with all heads, without the group, without as many others of its
    layers, and in how many texts of how many it is lower than these.
    """
    number = number_of_heads(model)
    controls = [
        others_of(*group, number) if len(group) == 1 else drawn_others(group, number)
        for group in groups
    ]
    whole, without = [], [[] for _ in groups]
    for text in COPIES:
        cut, word = text.rsplit(" ", 1)
        ids, token = tokenizer.encode(cut).ids, tokenizer.encode(f" {word}").ids[0]
        whole.append(next_token(model, ids)[0, token].item())
        for found, group, control in zip(without, groups, controls, strict=True):
            own, *others = next_token(model, ids, [group, *control])[:, token].tolist()
            found.append([own, sum(others) / len(others)])
    rows = []
    for group, found in zip(groups, without, strict=True):
        own, others = torch.tensor(found).T
        rows.append(
            {
                "heads": [f"{layer + 1}.{head + 1}" for layer, head in group],
                "without": round(own.mean().item(), 2),
                "others": round(others.mean().item(), 2),
                "lower": [(own < others).sum().item(), len(own)],
            }
        )
    return {"all heads": round(sum(whole) / len(whole), 2), "rows": rows}


def partners(model, tokenizer, before, followed):
    """How heads find what followed the same word, with and without one of an earlier layer.

    For each head of `followed` its weight from the end of a text to the word after the
    earlier occurrence, in the mean over the texts with one: with all heads, without the
    head `before`, without another head of that layer, and in how many of how many texts
    it is lower than without these.
    """
    cases = []
    for text in COPIES:
        cut = text.rsplit(" ", 1)[0]
        tokens, whole = attend(model, tokenizer, cut)
        last = len(tokens) - 1
        keys = [j for i, j in pairs(tokens)["what followed the same word"] if i == last]
        if not keys:
            continue
        controls = others_of(before, number_of_heads(model))
        runs = [attend(model, tokenizer, cut, each)[1] for each in ([before], *controls)]
        looks = torch.stack([run[:, :, last, keys[0]] for run in (whole, *runs)])
        cases.append(looks)  # (runs, layers, heads)
    cases, found = torch.stack(cases), []
    for layer, head in followed:
        own, without, *others = cases[:, :, layer, head].T
        others = torch.stack(others).mean(dim=0)
        found.append(
            {
                "head": f"{layer + 1}.{head + 1}",
                "muted": f"{before[0] + 1}.{before[1] + 1}",
                "weight": round(own.mean().item(), 2),
                "without": round(without.mean().item(), 2),
                "others": round(others.mean().item(), 2),
                "lower": [(without < others).sum().item(), len(own)],
            }
        )
    return found


def tables():
    """The file, in which each head and each sentence has a line, and two tables."""
    found = {"origin": results.origin().strip("*")} | measure()
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    yield FILE, re.sub(r'(?={"(?:tokens|rule|percent)")', "\n", text)
    rules = {f"{each['layer']}.{each['head']}": each["rule"] for each in found["heads"]}
    rows = [["nothing", f"{found['copies']['all heads']:.2f}", "", ""]]
    for each in found["copies"]["rows"]:
        name = ", ".join(each["heads"])
        rows.append(
            [
                f"{name} ({rules[name]})" if name in rules else name,
                *(f"{each[column]:.2f}" for column in ("without", "others")),
                "{} of {}".format(*each["lower"]),
            ]
        )
    yield "muted", results.table(["without", *MUTED], rows)
    rows = [
        [
            each["head"],
            *(f"{each[column]:.2f}" for column in ("weight", "without", "others")),
            "{} of {}".format(*each["lower"]),
        ]
        for each in found["partners"]
    ]
    yield "partners", results.table(["head", *PARTNERS], rows)
    rows = [
        [
            each["its noun comes"],
            *(f"{each[column]:.2f}" for column in ("weight", "weight of the other")),
            "{} of {}".format(*each["larger"]),
        ]
        for each in found["two nouns"]
    ]
    yield "two_nouns", results.table(["the noun that is meant comes", *NOUNS], rows)


def measure():
    """What the file holds."""
    model, tokenizer = d2l.load_smollm2()
    model.eval()
    elsewhere = [*OTHERS, *([f"{text}."] for text in COPIES)]
    texts, others = (
        [attend(model, tokenizer, text) for text, *_ in sentences]
        for sentences in (SENTENCES, elsewhere)
    )
    here, there, heads = scores(texts, SENTENCES), scores(others, elsewhere), []
    for rule, weight in here.items():
        layer, head = divmod(weight.argmax().item(), weight.shape[1])
        heads.append(
            {
                "rule": rule,
                "layer": layer + 1,
                "head": head + 1,
                "here": round(weight[layer, head].item(), 2),
                "elsewhere": round(there[rule][layer, head].item(), 2),
                "all heads": round(there[rule].mean().item(), 2),
            }
        )
    places = [(one["layer"] - 1, one["head"] - 1) for one in heads]
    followed = here["what followed the same word"]
    most = followed.flatten().topk(3).indices.tolist()  # these look at the same place
    together = sorted(divmod(k, followed.shape[1]) for k in most)
    groups = [[place] for place in dict.fromkeys([*places, *together])]
    groups += [[*pair] for pair in itertools.combinations(together, 2)]
    first = here["the first token"]
    (before,) = [
        place
        for place, one in zip(places, heads, strict=True)
        if one["rule"] == "the token before"
    ]
    return {
        "heads": heads,
        "two nouns": two_nouns(model, tokenizer, heads),
        "copies": copies(model, tokenizer, [*groups, together]),
        "partners": partners(model, tokenizer, before, together),
        "mostly first": [(first > 0.5).sum().item(), first.numel()],
        "beginnings": [beginning(model, tokenizer, text, places) for text in BEGINNINGS],
        "sentences": [
            {
                "tokens": tokens,
                "percent": [  # of each head, each query to the keys up to itself
                    [
                        [round(100 * a) for a in row[: i + 1].tolist()]
                        for i, row in enumerate(weights[place])
                    ]
                    for place in places
                ],
            }
            for tokens, weights in texts
        ],
    }
