"""Some of the small language models with higher learning rates."""

from tools.measure.experiments import gpt

RATES = (0.012, 0.02)
COLUMNS = {"weights": 0} | {f"rate {rate}": 3 for rate in RATES}
MODELS = {"GPT-2": [], "with rotary": ["rotary"], "with every part": [*gpt.PARTS]}


def rows(seed, root, num_batches=150, models=MODELS, rates=RATES):
    """Three models, each with small and with larger first weights, at each rate."""
    for name, parts in models.items():
        for weights, std in zip(("small", "larger"), gpt.STDS):
            runs = [gpt.trained(parts, std, lr, seed, num_batches) for lr in rates]
            bits = [score for _, score in runs]
            yield f"{name}, {weights} first weights", (runs[0][0], *bits)
