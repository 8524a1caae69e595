"""Some of the small language models with higher learning rates."""

from tools.measure.experiments import gpt

COLUMNS = {"weights": 0, "rate 0.012": 3, "rate 0.02": 3}
MODELS = {"GPT-2": [], "with rotary": ["rotary"], "with every part": [*gpt.PARTS]}


def rows(seed, root, num_batches=150, models=MODELS):
    """Models with small and with larger first weights, at twice the rate of `gpt`.

    Models that improve on GPT-2 with the larger weights are trained at 0.02 as well.
    """
    for name, parts in models.items():
        for weights, std in zip(("small", "larger"), gpt.STDS):
            rates = (0.012, 0.02) if parts and weights == "larger" else (0.012,)
            runs = [gpt.trained(parts, std, lr, seed, num_batches) for lr in rates]
            bits = [score for _, score in runs] + [None] * (2 - len(rates))
            yield f"{name}, {weights} first weights", (runs[0][0], *bits)
