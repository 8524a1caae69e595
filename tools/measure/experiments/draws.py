"""The classifiers of digits again, where each seed trains them on other images."""

from tools.measure.experiments import vision

COLUMNS = {"40 images": 3, "160 images": 3}


def rows(seed, root, steps=252, images=(40, 160)):
    """The rows of vision without the numbers of weights; no two draws share an image."""
    for title, (_, *reached) in vision.rows(seed, root, steps, images, draw=seed):
        yield title, reached
