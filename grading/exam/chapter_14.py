"""Questions on chapter 14, one model and many readers."""

from fractions import Fraction

from grading.exam import Question, tex


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
    text = rf"""Six requests wait for an answer. Their answers have ${", ".join(map(str, lengths))}$ tokens, which nobody knows before. A batch has two rows, and in each step every row in use gets one token.

a) A *static* batch takes two requests, in the order of the list, and runs until both answers are complete. After how many steps are all six answers complete, and how many times does a row compute nothing of use?

b) With *continuous batching* the next request of the list enters as soon as a row is free. After how many steps is each of the six answers complete?

c) Could another order of the requests need less than ${tex(bound)}$ steps? How long does one answer take on average until it is complete, in a and in b?
"""
    pairs = " + ".join(str(max(lengths[i : i + 2])) for i in (0, 2, 4))
    answer = rf"""a) Each batch takes as many steps as its longer answer: ${pairs} = {max(static)}$. The two rows have ${2 * max(static)}$ places for {sum(lengths)} tokens, so ${idle}$ are idle.

b) The answers are complete after ${tex(continuous)}$ steps, all of them after ${max(continuous)}$.

c) No: {sum(lengths)} tokens need at least ${tex(bound)}$ steps of two rows. On average an answer is complete after ${tex(means[0])}$ steps in a and ${tex(means[1])}$ steps in b. In a it counts that a batch begins only when the one before
has ended; the answers are complete after ${tex(static)}$ steps.

**Rubric** (10 points)

- 3 points: the steps of the static batches, and the idle places.
- 4 points: the step at which each answer is complete.
- 1 point: the bound, from the number of tokens.
- 2 points: both averages.
"""
    mistake = rf"""The number of tokens is divided by the number of rows: ${tex(bound)}$ steps for the continuous batch. At its end one row has nothing to do, since nobody waits any more."""
    drawn = {"lengths": lengths}
    result = {
        "static": max(static),
        "idle": idle,
        "ends": continuous,
        "continuous": max(continuous),
        "means": means[0],
        "mean": means[1],
    }
    return Question(
        "Six answers in two rows",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"continuous": bound},
    )


def four_bits(random) -> Question:
    """A row of weights in 4 bits, and what an outlier does to it."""
    while True:
        unit = random.choice([Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)])
        tenths = [random.choice([-2, 0, 2, 3]) for _ in range(3)]
        codes = [random.choice([-1, 1]) * random.randint(1, 5) for _ in range(3)]
        exact = [c + Fraction(t, 10) for c, t in zip(codes, tenths)]
        codes.append(random.choice([-7, 7]))
        row = tuple(unit * x for x in [*exact, codes[-1]])
        times = random.choice([4, 5])
        far = tuple(round(float(x / times)) for x in [*exact, codes[-1]])
        halves = [abs(abs(x / times) % 1 - Fraction(1, 2)) for x in [*exact, codes[-1]]]
        if len(set(map(abs, codes))) == 4 and any(tenths) and min(halves) > Fraction(1, 50):
            break
    error = max(abs(w - unit * c) for w, c in zip(row, codes))
    outlier, scale = 7 * times * unit, times * unit
    wrong = max(map(abs, row)) / 8
    shown = ", ".join(str(float(w)) for w in row)
    text = rf"""Four weights, ${shown}$, are stored in 4 bits, as integers from $-7$ to 7 times one scale. The weight with the largest absolute value gets the integer 7 or $-7$.

a) Compute the scale, the four integers, and the largest error of the four weights.

b) A fifth weight, ${float(outlier)}$, joins the group. Compute the new scale, and the new integers of the four old weights.

c) How large can an error be, as a multiple of the scale? A scale has 16 bits. How many bits does a weight take in groups of 32, and why are groups not made much smaller?
"""
    answer = rf"""a) The scale is ${float(max(map(abs, row)))} / 7 = {tex(unit)}$. The weights divided by it are ${", ".join(str(float(x)) for x in [*exact, codes[-1]])}$, so the integers are ${tex(tuple(codes))}$. The largest error is ${tex(error)}$.

b) The scale becomes ${float(outlier)} / 7 = {tex(scale)}$, {times} times as large. The integers of the old weights are ${tex(far)}$.

c) Half of the scale, since an integer is at most one half away. A weight takes $4 + 16 / 32 = 4.5$ bits. Smaller groups have smaller errors, since an outlier spoils fewer neighbours, but more scales have to be stored.

**Rubric** (10 points)

- 4 points: the scale, the integers and the largest error.
- 3 points: the scale and the integers with the outlier.
- 1 point: half of the scale.
- 2 points: 4.5 bits, and what speaks against smaller groups.
"""
    mistake = rf"""Four bits have 16 values, so the largest weight is divided by 8: the scale would be ${tex(wrong)}$. Then the largest weight needs the integer 8 on one side, which 4 bits do not have."""
    drawn = {"row": tuple(map(float, row)), "outlier": float(outlier)}
    result = {
        "scale": unit,
        "integers": tuple(codes),
        "error": error,
        "new scale": scale,
        "new integers": far,
    }
    return Question(
        "Four weights in 4 bits", 10, text, answer, mistake, drawn, result, {"scale": wrong}
    )


QUESTIONS = two_rows, four_bits
