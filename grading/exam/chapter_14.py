"""Questions on chapter 14, one model and many readers."""

from fractions import Fraction

from grading.exam import Question, question


def _steps(lengths, rows, continuous):
    """The step after which each answer is complete, in a batch of so many rows."""
    ends, free = [], [0] * rows
    for i, length in enumerate(lengths):
        if not continuous and i % rows == 0:
            free = [max(free)] * rows
        row = free.index(min(free))
        free[row] += length
        ends.append(free[row])
    return tuple(ends)


def two_rows(random) -> Question:
    """Static and continuous batching of six answers in two rows."""
    while True:
        lengths = tuple(random.randint(1, 9) for _ in range(6))
        static, continuous = (_steps(lengths, 2, each) for each in (False, True))
        saved = max(static) - max(continuous)
        if saved > 1 and len(set(lengths)) > 3 and max(continuous) * 2 > sum(lengths):
            break
    means = tuple(Fraction(sum(ends), 6) for ends in (static, continuous))
    idle = 2 * max(static) - sum(lengths)
    bound = Fraction(sum(lengths), 2)
    pairs = " + ".join(str(max(lengths[i : i + 2])) for i in (0, 2, 4))
    drawn = {"lengths": lengths}
    result = {
        "static": max(static),
        "idle": idle,
        "ends": continuous,
        "continuous": max(continuous),
        "means": means[0],
        "mean": means[1],
    }
    return question("14_two_rows", locals(), drawn, result, {"continuous": bound})


def four_bits(random) -> Question:
    """A row of weights in 4 bits, and what an outlier does to it."""
    while True:
        unit = random.choice([Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)])
        tenths = [random.choice([-2, 0, 2, 3]) for _ in range(3)]
        codes = [random.choice([-1, 1]) * random.randint(1, 5) for _ in range(3)]
        quotients = [c + Fraction(t, 10) for c, t in zip(codes, tenths)]
        codes.append(random.choice([-7, 7]))
        quotients.append(codes[-1])
        row = [unit * x for x in quotients]
        times = random.choice([4, 5])
        far = tuple(round(float(x / times)) for x in quotients)
        halves = [abs(abs(x / times) % 1 - Fraction(1, 2)) for x in quotients]
        if len(set(map(abs, codes))) == 4 and any(tenths) and min(halves) > Fraction(1, 50):
            break
    error = max(abs(w - unit * c) for w, c in zip(row, codes))
    outlier, scale = 7 * times * unit, times * unit
    wrong = max(map(abs, row)) / 8
    row, quotients = (tuple(map(float, each)) for each in (row, quotients))
    largest, outlier, codes = max(map(abs, row)), float(outlier), tuple(codes)
    drawn = {"row": row, "outlier": outlier}
    result = {
        "scale": unit,
        "integers": codes,
        "error": error,
        "new scale": scale,
        "new integers": far,
    }
    return question("14_four_bits", locals(), drawn, result, {"scale": wrong})


QUESTIONS = two_rows, four_bits
