"""What is left of the differences between chapter 7's translators after 24 epochs.

The chapter trains for eight. The rates are those of the chapters, with the same warm-up
of 50 updates and a fall to zero at the end of training; six models have another one
besides, and four a longer warm-up. The embeddings of the recurrent models take the step
that the factor gives a Transformer's. With pre-norm, blocks normalise the input of each
sublayer.
"""

from types import SimpleNamespace

from experiments.models import (
    MODELS,
    RECURRENT,
    VARIANTS,
    UnvalidatedTrainer,
    phrasebook_pairs,
    train,
    translator,
)
from experiments.norms import PreNormDecoder, PreNormEncoder
from experiments.transformer_parts import BOTH, remove

EPOCHS = 8, 24
LIBRARY = SimpleNamespace(
    **vars(VARIANTS), PreNormEncoder=PreNormEncoder, PreNormDecoder=PreNormDecoder
)
PRE_NORM = "PreNormEncoder", "PreNormDecoder"
FACTOR = "factor √d of the embeddings"
DOT = "dot product after the step"
WARM_UP = "150 updates of warm-up"
WHOLE, GRU = MODELS["Transformer"], MODELS["recurrent, with attention"]
ROWS = {  # a model, and what multiplies its rate and, besides, that of its embeddings
    "Transformer": (WHOLE, 1, 1),
    f"without the {FACTOR}": (WHOLE, 1, 1),
    "with pre-norm": ((PRE_NORM, *WHOLE[1:]), 1, 1),
    "recurrent, with attention": (GRU, 1, 8),
    **{name: (model, 1, 8) for name, model in RECURRENT.items()},
    "Transformer, twice the rate": (WHOLE, 2, 1),
    "with pre-norm, twice the rate": ((PRE_NORM, *WHOLE[1:]), 2, 1),
    "recurrent, with attention, half the rate": (GRU, 1 / 2, 8),
    "bidirectional, half the rate": (RECURRENT["bidirectional"], 1 / 2, 8),
    f"{DOT}, half the rate": (RECURRENT[DOT], 1 / 2, 8),
    f"without the {' and the '.join(BOTH)}": (WHOLE, 1, 1),
    f"without the {' and the '.join(BOTH)}, twice the rate": (WHOLE, 2, 1),
    f"Transformer, twice the rate, {WARM_UP}": (WHOLE, 2, 1),
    f"without the {' and the '.join(BOTH)}, twice the rate, {WARM_UP}": (WHOLE, 2, 1),
    f"with pre-norm, twice the rate, {WARM_UP}": ((PRE_NORM, *WHOLE[1:]), 2, 1),
    f"{DOT}, {WARM_UP}": (RECURRENT[DOT], 1, 8),
}
COLUMNS = {}
for number in EPOCHS:
    COLUMNS |= {f"BLEU, {number} epochs": 1, f"sentences, {number} epochs": 1}


def rows(seed):
    """Each model after both trainings: its BLEU, and how far other sentences move it."""
    data = phrasebook_pairs()
    for title, ((parts, sizes, lr), faster, step) in ROWS.items():
        found = []
        for number in EPOCHS:
            model = translator(LIBRARY, data, parts, sizes, faster * lr, seed)
            model.factor = step
            for part in (FACTOR, *BOTH):
                if part in title:
                    remove(part, model)
            warmup = 150 if WARM_UP in title else 50
            trainer = UnvalidatedTrainer(number, gradient_clip_val=1, warmup=warmup)
            found += train(model, trainer, data)[2:4]
        yield title, found
