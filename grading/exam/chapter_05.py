"""Questions on chapter 5, multi-head attention."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, question


def two_heads(random) -> Question:
    """Two heads of width 1, their contributions to the output, and one head instead."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(tuple(random.sample(range(3), 3)) for _ in range(2))
        values = tuple(tuple(random.randint(-4, 8) for _ in range(3)) for _ in range(2))
        W_o = tuple(tuple(random.randint(-2, 3) for _ in range(2)) for _ in range(2))
        parts = [[base**k for k in row] for row in keys]
        outputs = tuple(mean(part, row) for part, row in zip(parts, values))
        weights = tuple(map(fractions, parts))
        average = tuple(sum(pair) / 2 for pair in zip(*weights))
        mixed = tuple(mean(average, row) for row in values)
        determinant = W_o[0][0] * W_o[1][1] - W_o[0][1] * W_o[1][0]
        if (
            keys[0].index(2) != keys[1].index(2)
            and all(len(set(row)) == 3 for row in values)
            and determinant
            and all(a != b for a, b in zip(outputs, mixed))
        ):
            break
    parts_of_y = tuple(
        tuple(o * w for w in row) for o, row in zip(outputs, W_o)
    )  # the contributions of the heads
    y, y_mixed = (
        tuple(sum(o * row[j] for o, row in zip(each, W_o)) for j in range(2))
        for each in (outputs, mixed)
    )
    drawn = {"base": base, "keys": keys, "values": values, "W_o": W_o}
    result = {
        "weights 1": weights[0],
        "weights 2": weights[1],
        "output 1": outputs[0],
        "output 2": outputs[1],
        "y": y,
        "mixed 1": mixed[0],
        "mixed 2": mixed[1],
    }
    return question("05_two_heads", locals(), drawn, result, {"y": y_mixed})


def narrow_head(random) -> Question:
    """Which key a head of width 1 cannot choose, and how one of width 2 does."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.sample(range(-4, 5), 3))
        low, middle, high = sorted(keys)
        wanted = keys.index(middle)
        exponents = tuple(2 * middle * k - k * k for k in keys)
        halved = tuple(middle * k - k * k for k in keys)
        if middle and max(high - middle, middle - low) <= 2 and len(set(halved)) == 3:
            break
    parts, forgotten = (
        tuple(Fraction(base) ** (e - max(each)) for e in each)
        for each in (exponents, halved)
    )
    weights, wrong = fractions(parts), fractions(forgotten)
    weight = weights[wanted]
    nearest = Fraction(middle, 2)  # to the query without the factor 2
    gaps = tuple(-((k - middle) ** 2) for k in keys)
    drawn = {"base": base, "keys": keys, "middle": middle}
    result = {"scores": exponents, "weights": weights}
    return question("05_narrow_head", locals(), drawn, result, {"weights": wrong})


QUESTIONS = two_heads, narrow_head
