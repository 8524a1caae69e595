"""Questions on chapter 2, attention pooling by similarity."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, question


def kernel_width(random) -> Question:
    """An estimate with a kernel at two widths, and its limits."""
    x = random.randint(1, 5)
    while True:
        offsets = random.sample([-4, -2, 0, 2, 4], 3)
        values = tuple(random.sample(range(1, 13), 3))
        if 0 in offsets and 3 * values[offsets.index(0)] != sum(values):
            break
    keys = tuple(x + offset for offset in offsets)
    distances = [abs(offset) for offset in offsets]
    wide, narrow = (
        [Fraction(1, 2 ** (distance // width)) for distance in distances]
        for width in (2, 1)
    )
    estimate, sharp = mean(wide, values), mean(narrow, values)
    plain, closest = mean((1, 1, 1), values), values[distances.index(0)]
    unnormalised = sum(k * v for k, v in zip(wide, values))
    drawn = {"x": x, "keys": keys, "values": values}
    result = {
        "weights": fractions(wide),
        "estimate": estimate,
        "narrow weights": fractions(narrow),
        "narrow estimate": sharp,
        "mean": plain,
        "nearest": closest,
    }
    return question("02_kernel_width", locals(), drawn, result, {"estimate": unnormalised})


def leave_one_out(random) -> Question:
    """Two widths of a boxcar kernel, compared by errors on what was left out."""
    while True:
        values = a, b, c, d = tuple(random.randint(0, 12) for _ in range(4))
        halves, thirds = (a + c, b + d, b + c), (a + c + d, a + b + d)
        if any(n % 2 for n in halves) or any(n % 3 for n in thirds):
            continue
        predicted = {reach: predictions(values, reach) for reach in (1, 2)}
        errors = {
            reach: sum((p - y) ** 2 for p, y in zip(predicted[reach], values))
            for reach in predicted
        }
        own = sum((p - y) ** 2 for p, y in zip(predictions(values, 1, True), values))
        if len(set(values)) > 2 and len({*errors.values(), own, 0}) == 4:
            break
    better = {1: "1.5", 2: "2.5"}[min(errors, key=errors.get)]
    result = {
        "predictions 1.5": predicted[1],
        "predictions 2.5": predicted[2],
        "error 1.5": errors[1],
        "error 2.5": errors[2],
        "better": better,
    }
    return question(
        "02_leave_one_out", locals(), {"values": values}, result, {"error 1.5": own}
    )


def predictions(values, reach, itself=False) -> tuple:
    """The mean of the values at most `reach` places away, for each place."""
    return tuple(
        mean([1] * len(near), near)
        for i in range(len(values))
        if (
            near := [
                value
                for j, value in enumerate(values)
                if abs(i - j) <= reach and (itself or i != j)
            ]
        )
    )


QUESTIONS = kernel_width, leave_one_out
