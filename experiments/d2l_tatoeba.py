"""What d2l's two experiments on Tatoeba (512 pairs) score with d2l 1.0.3 and with ours.

The pairs are downloaded into the folder ROOT unless they are there.
"""

import d2lmini
from experiments.models import (
    ATTENTIVE,
    TRANSFORMER,
    TRANSLATION,
    control,
    reset,
    train,
    translator,
)
from tools.d2l_reference import load_book

COLUMNS = TRANSLATION


def rows(seed, root="data"):
    """d2l's experiments, with the models of d2l and with ours.

    Less than half of all steps are tokens, so the gradient of our loss, a mean over
    tokens, is twice as long as that of d2l's mean over all steps, and is clipped at
    twice the norm. As d2l's, our Transformer starts with PyTorch's initial weights.
    """
    data = d2lmini.MTFraEng(128, source="tatoeba", root=root)
    for title, parts, sizes, lr, max_epochs in [
        ("recurrent, with attention", ATTENTIVE, (256, 256, 2, 0.4), 0.005, 15),
        ("Transformer", TRANSFORMER, (256, 64, 4, 2, 0.2), 0.0015, 30),
    ]:
        for name, library, clip in [
            ("d2l 1.0.3", load_book(), 1),
            ("this course", d2lmini, 2),
        ]:
            model = translator(library, data, parts, sizes, lr, seed)
            if parts is TRANSFORMER:
                model.apply(reset)
            trainer = library.Trainer(max_epochs, gradient_clip_val=clip)
            yield f"{title}, {name}", train(model, trainer, data)
    yield control(data, seed)
