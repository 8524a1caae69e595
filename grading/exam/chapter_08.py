"""Questions on chapter 8, Transformers for vision."""

from grading.exam import Question, fractions, mean, question


def patches_and_weights(random) -> Question:
    """The patch of a pixel, and what patches cost."""
    s, C = random.choice([2, 4]), random.choice([1, 3])
    rows, columns = random.sample([2, 3, 4, 5], 2)
    H, W, d = s * rows, s * columns, random.choice([10, 20, 30])
    row, column = random.randrange(s, H), random.randrange(s, W)
    m, width = rows * columns, C * s * s
    patch = row // s * columns + column // s + 1
    parameters = width * d + d + d + (m + 1) * d
    weights = (m + 1) ** 2
    finer = (4 * m + 1) ** 2
    drawn = {"C": C, "H": H, "W": W, "s": s, "d": d, "row": row, "column": column}
    result = {
        "patches": m,
        "width": width,
        "patch": patch,
        "parameters": parameters,
        "weights": weights,
        "finer": finer,
    }
    return question("08_patches_and_weights", locals(), drawn, result, {"weights": m * m})


def exchanged_patches(random) -> Question:
    """What the token of the class collects if two patches change places."""
    while True:
        base = random.choice([2, 3])
        places = tuple(random.sample(range(3), 3))
        contents = tuple(random.sample(range(-3, 12), 3))
        i, j = sorted(random.sample(range(3), 2))
        parts = [base**place for place in places]
        moved = list(contents)
        moved[i], moved[j] = moved[j], moved[i]
        output, after = mean(parts, contents), mean(parts, moved)
        plain = mean((1, 1, 1), contents)
        if len({output, after, plain}) == 3:
            break
    weights = fractions(parts)
    drawn = {
        "base": base,
        "places": places,
        "contents": contents,
        "exchanged": (i, j),
    }
    result = {"weights": weights, "output": output, "exchanged": after, "plain": plain}
    return question("08_exchanged_patches", locals(), drawn, result, {"exchanged": output})


QUESTIONS = patches_and_weights, exchanged_patches
