"""How well digits are classified after few images, when each seed has others."""

from experiments import vision

IMAGES = 40, 160
COLUMNS = {f"{num} images": 3 for num in IMAGES}


def rows(seed):
    """The rows of vision without the numbers of weights; no two draws share an image."""
    for title, (_, *reached) in vision.rows(seed, IMAGES, draw=seed):
        yield title, reached
