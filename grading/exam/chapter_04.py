"""Questions on chapter 4, the Bahdanau attention mechanism."""

from grading.exam import Question, fractions, mean, question


def additive_context(random) -> Question:
    """Additive scores of one decoding step, and the hyperbolic tangent left out."""
    while True:
        state = tuple(random.choice([-1, 0, 1]) for _ in range(2))
        keys = tuple(tuple(random.choice([-1, 0, 1]) for _ in range(2)) for _ in range(3))
        w_v = tuple(random.choice([-2, -1, 1, 2]) for _ in range(2))
        hidden = [tuple(map(sign, map(sum, zip(state, key)))) for key in keys]
        exponents, alone = (
            [row[0] * w_v[0] + row[1] * w_v[1] for row in rows] for rows in (hidden, keys)
        )
        parts, forgotten = ([2 ** (e - min(es)) for e in es] for es in (exponents, alone))
        weights, wrong = fractions(parts), fractions(forgotten)
        if len(set(keys)) == 3 and 1 < max(parts) < 50 and weights != wrong:
            break
    state, keys = tuple(10 * x for x in state), tuple((10 * x, 10 * y) for x, y in keys)
    first, second = zip(*keys)
    context = mean(parts, first), mean(parts, second)
    sums = [tuple(map(sum, zip(state, key))) for key in keys]
    scores, w = (tuple(map(logarithm, each)) for each in (exponents, w_v))
    drawn = {"state": state, "keys": keys, "w_v": w_v}
    result = {"weights": weights, "context": context}
    return question("04_additive_context", locals(), drawn, result, {"weights": wrong})


def keys_once(random) -> Question:
    """The weights and multiplications of additive attention, with keys projected once."""
    p = random.choice([4, 5, 6, 8, 10, 20])
    m, n = random.randint(4, 12), random.randint(3, 9)
    parameters, extra = 2 * p * p + p, 3 * p * p
    once, again = (n + m) * p * p + 2 * n * m * p, (n + n * m) * p * p + 2 * n * m * p
    result = {
        "parameters": parameters,
        "extra": extra,
        "multiplications": once,
        "again": again,
    }
    return question(
        "04_keys_once",
        locals(),
        {"p": p, "m": m, "n": n},
        result,
        {"multiplications": again},
    )


def sign(x) -> int:
    """What the hyperbolic tangent makes of large numbers."""
    return (x > 0) - (x < 0)


def logarithm(factor) -> str:
    r"""This many times \ln 2, in TeX."""
    signs = {0: "0", 1: r"\ln 2", -1: r"-\ln 2"}
    return signs.get(factor, rf"{factor}\ln 2")


QUESTIONS = additive_context, keys_once
