"""Recurrent models without and with attention and the Transformer, on the pairs of
chapters 4 and 7, trained as in chapter 7, for twelve epochs.
"""

import d2lmini
from tools.measure.experiments.training import (
    BIDIRECTIONAL,
    LUONG,
    MODELS,
    TRANSLATION,
    VARIANTS,
    control,
    most_similar,
    phrasebook_pairs,
    train,
    translator,
)

COLUMNS = TRANSLATION
LARGER_STEP = {  # their embeddings take the steps of the Transformer's
    "recurrent, with attention, embeddings' rate × 8": MODELS["recurrent, with attention"],
    "recurrent, bidirectional, embeddings' rate × 8": (BIDIRECTIONAL, (64, 128, 1), 0.01),
    "recurrent, attention after the step, embeddings' rate × 8": (
        LUONG,
        (64, 128, 1),
        0.01,
    ),
}


def rows(seed, root, max_epochs=12, num_train=2200):
    """The models of chapters 4 and 7, with equal batches, updates and schedule.

    Chapter 7 trains them for eight epochs, to save time.
    """
    data = phrasebook_pairs(num_train)
    for title, (parts, sizes, lr) in {**MODELS, **LARGER_STEP}.items():
        model = translator(VARIANTS, data, parts, sizes, lr, seed)
        model.factor = 8 if title in LARGER_STEP else 1
        trainer = d2lmini.Trainer(max_epochs, gradient_clip_val=1, warmup=50)
        yield title, train(model, trainer, data)
    yield most_similar(data)
    yield control(data, seed)
