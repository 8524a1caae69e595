"""How well a translator is trained in one minute, with 20,000 pairs of Tatoeba.

These are random ones of at most ten tokens. They are downloaded into the folder ROOT unless
they are there.
"""

import time

import d2lmini
from experiments.models import (
    ATTENTIVE,
    TRANSFORMER,
    TRANSLATION,
    control,
    train,
    translator,
)

COLUMNS = TRANSLATION


def rows(seed, root="data"):
    """Our models on 20,000 pairs, trained for the same time."""
    options = {"num_steps": 11, "num_train": 20_000, "num_val": 1_000, "seed": 0}
    for title, parts, sizes, lr, batch_size, warmup in [
        ("recurrent, with attention", ATTENTIVE, (128, 256, 1), 0.003, 32, 0),
        ("Transformer", TRANSFORMER, (128, 512, 4, 1, 0), 0.004, 64, 100),
    ]:
        data = d2lmini.MTFraEng(batch_size, source="tatoeba", root=root, **options)
        model = translator(d2lmini, data, parts, sizes, lr, seed)
        yield title, train(model, TimedTrainer(60, warmup), data)
    yield control(data, seed)


class TimedTrainer(d2lmini.Trainer):
    """A trainer that stops after so many seconds.

    With warmup the learning rate rises for so many steps, then falls to 0 at the end.
    """

    def __init__(self, seconds, warmup=0):
        super().__init__(max_epochs=1000, gradient_clip_val=1)
        self.seconds, self.warmup_steps = seconds, warmup

    def fit(self, model, data):
        self.start = time.monotonic()
        try:
            super().fit(model, data)
        except TimeoutError:
            pass

    def prepare_batch(self, batch):
        left = 1 - (time.monotonic() - self.start) / self.seconds
        if left <= 0:
            raise TimeoutError
        if self.warmup_steps:
            factor = min((self.train_batch_idx + 1) / self.warmup_steps, left)
            for group in self.optim.param_groups:
                group["lr"] = self.model.lr * factor
        return super().prepare_batch(batch)
