"""How well the translators of chapters 4 and 7 translate, trained alike for twelve epochs.

Chapter 7 trains them for eight, to save time.
"""

from collections import Counter

import d2lmini
from experiments.models import (
    MODELS,
    RECURRENT,
    TRANSLATION,
    VARIANTS,
    control,
    phrasebook_pairs,
    scores,
    train,
    translator,
)

COLUMNS = TRANSLATION
STEP = "embeddings' rate × 8"
LARGER_STEP = {  # their embeddings take the steps of the Transformer's
    f"recurrent, with attention, {STEP}": MODELS["recurrent, with attention"],
    f"the same, output from the state alone, {STEP}": RECURRENT[
        "output from the state alone"
    ],
    f"recurrent, bidirectional, {STEP}": RECURRENT["bidirectional"],
    f"recurrent, attention after the step, {STEP}": RECURRENT["attention after the step"],
    f"recurrent, dot product after the step, {STEP}": RECURRENT[
        "dot product after the step"
    ],
}


def rows(seed):
    """All models with equal batches, updates and schedule, and two controls."""
    data = phrasebook_pairs()
    for title, (parts, sizes, lr) in {**MODELS, **LARGER_STEP}.items():
        model = translator(VARIANTS, data, parts, sizes, lr, seed)
        model.factor = 8 if title in LARGER_STEP else 1
        trainer = d2lmini.Trainer(12, gradient_clip_val=1, warmup=50)
        yield title, train(model, trainer, data)
    yield most_similar(data)
    yield control(data, seed)


def most_similar(data):
    """A row with the BLEU of a translator that knows the training pairs by heart.

    Its translation is that of the training sentence with the most tokens in common,
    relative to the lengths of both.
    """
    pairs = [*zip(*data.sentences(train=True))]
    counts = [Counter(sentence.split()) for sentence, _ in pairs]

    def translation(sentence):
        tokens = Counter(sentence.split())
        overlaps = [
            (tokens & count).total() / (tokens.total() + count.total()) for count in counts
        ]
        return pairs[overlaps.index(max(overlaps))][1]

    preds = [translation(sentence) for sentence in data.sentences(train=False)[0]]
    title = "translations of the most similar training sentence"
    return title, (None, None, *scores(data, preds), None)
