"""Whether models that fail at the mirror task are only slow: four times the updates.

The scale and the rate are those at which the whole block was best after 1,000 updates.
"""

from experiments.mirror import MODELS, Sequences, accuracy, learned, trained

UPDATES, SETTING = 4000, ("with √d", 0.01)
SLOW = [*MODELS][:3]  # or unable
COLUMNS = {"weights": 0, f"{UPDATES:,} updates": 2}


def rows(seed):
    """The whole block, the one without its network, and two attentions."""
    for title in SLOW:
        data = Sequences(seed, UPDATES)
        model = trained(title, *SETTING, data, seed)
        yield title, (learned(model), accuracy(model, data))
