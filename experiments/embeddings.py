"""How much of the Transformer's gain is due to larger steps of its embeddings.

Recurrent models and the Transformer are trained as in chapter 7, at several learning
rates, with small and large steps of the embeddings. The Transformer multiplies its
embeddings by 8, the root of their width. Adam's step does not depend on their scale, so it
is 8 times as large in what the model reads. An eighth of the learning rate for the
embeddings undoes this.
"""

from experiments.models import (
    ATTENTIVE,
    BIDIRECTIONAL,
    LUONG,
    LUONG_DOT,
    STATE_ALONE,
    TRANSFORMER,
    VARIANTS,
    UnvalidatedTrainer,
    phrasebook_pairs,
    train,
    translator,
)

MODELS = {  # the parts, the sizes, and what multiplies the embeddings
    "recurrent": (ATTENTIVE, (64, 128, 1), 1),
    "recurrent, output from the state alone": (STATE_ALONE, (64, 128, 1), 1),
    "recurrent, bidirectional": (BIDIRECTIONAL, (64, 128, 1), 1),
    "recurrent, attention after the step": (LUONG, (64, 128, 1), 1),
    "recurrent, dot product after the step": (LUONG_DOT, (64, 128, 1), 1),
    "recurrent, dot product after the step, 96 hidden units": (LUONG_DOT, (64, 96, 1), 1),
    "Transformer": (TRANSFORMER, (64, 128, 4, 2, 0), 8),
}
RATES = 0.005, 0.01, 0.02
STEPS = 1, 8  # of the embeddings, as multiples of the learning rate
COLUMNS = {"weights": 0}
for step in STEPS:
    COLUMNS |= {f"step × {step}": 1, f"sentences, × {step}": 1}


def rows(seed):
    """Each model at each of the highest learning rates: its BLEU with each step."""
    data = phrasebook_pairs()
    for name, (parts, sizes, scale) in MODELS.items():
        for rate in RATES:
            found = []
            for step in STEPS:
                model = translator(VARIANTS, data, parts, sizes, rate, seed)
                model.factor = step / scale
                trainer = UnvalidatedTrainer(8, gradient_clip_val=1, warmup=50)
                num_weights, _, *scores, _ = train(model, trainer, data)
                found += scores
            yield f"{name}, rate {rate}", (num_weights, *found)
