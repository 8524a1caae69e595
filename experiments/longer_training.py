"""What is left of the differences between chapter 7's translators after 24 epochs.

The chapter trains for eight. The rates are those of the chapters, with the same warm-up of
50 updates and a fall to zero at the end of training; three models have another one besides.
The embeddings of the recurrent models take the step that the factor gives a Transformer's.
With pre-norm, blocks normalise the input of each sublayer.
"""

from types import SimpleNamespace

from experiments.models import (
    BIDIRECTIONAL,
    LUONG,
    MODELS,
    STATE_ALONE,
    VARIANTS,
    UnvalidatedTrainer,
    phrasebook_pairs,
    train,
    translator,
)
from experiments.norms import PreNormDecoder, PreNormEncoder
from experiments.transformer_parts import remove

EPOCHS = 8, 24
RECURRENT = (64, 128, 1), 0.01
LIBRARY = SimpleNamespace(
    **vars(VARIANTS), PreNormEncoder=PreNormEncoder, PreNormDecoder=PreNormDecoder
)
PRE_NORM = "PreNormEncoder", "PreNormDecoder"
ROWS = {  # the parts, sizes and rate, the part that is removed, the step of the embeddings
    "Transformer": (*MODELS["Transformer"], None, 1),
    "without the factor √d of the embeddings": (
        *MODELS["Transformer"],
        "factor √d of the embeddings",
        1,
    ),
    "with pre-norm": (PRE_NORM, *MODELS["Transformer"][1:], None, 1),
    "recurrent, with attention": (*MODELS["recurrent, with attention"], None, 8),
    "output from the state alone": (STATE_ALONE, *RECURRENT, None, 8),
    "bidirectional": (BIDIRECTIONAL, *RECURRENT, None, 8),
    "attention after the step": (LUONG, *RECURRENT, None, 8),
}
OTHER_RATES = {"Transformer": 2, "with pre-norm": 2, "recurrent, with attention": 1 / 2}
for name, factor in OTHER_RATES.items():
    parts, sizes, lr, *others = ROWS[name]
    rate = {2: "twice the rate", 1 / 2: "half the rate"}[factor]
    ROWS[f"{name}, {rate}"] = parts, sizes, factor * lr, *others
COLUMNS = {}
for number in EPOCHS:
    COLUMNS |= {f"BLEU, {number} epochs": 1, f"sentences, {number} epochs": 1}


def rows(seed):
    """Each model after both trainings: its BLEU, and how far other sentences move it."""
    data = phrasebook_pairs()
    for title, (parts, sizes, lr, removed, factor) in ROWS.items():
        found = []
        for number in EPOCHS:
            model = translator(LIBRARY, data, parts, sizes, lr, seed)
            model.factor = factor
            if removed:
                remove(removed, model)
            trainer = UnvalidatedTrainer(number, gradient_clip_val=1, warmup=50)
            found += train(model, trainer, data)[2:4]
        yield title, found
