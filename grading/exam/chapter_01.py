"""Questions on chapter 1, queries, keys, and values."""

from grading.exam import Question, fractions, mean, question


def soft_lookup(random) -> Question:
    """Scores, weights and output of one query, and the query turned up."""
    while True:
        base = random.choice([2, 3])
        keys = tuple((random.randint(0, 2), random.randint(0, 2)) for _ in range(3))
        side = random.randrange(2)  # the entry that the query asks for
        values = tuple(random.randint(-6, 9) for _ in range(3))
        scores = [key[side] for key in keys]  # times the logarithm of the base
        if len(set(scores)) < 3 or len(set(values)) < 3:
            continue
        powers = [base**score for score in scores]
        squares = [power**2 for power in powers]
        output, wrong = mean(powers, values), mean(scores, values)
        if keys[0][1 - side] != keys[1][1 - side] and output != wrong:
            break
    weights, sharper = fractions(powers), fractions(squares)
    best = values[scores.index(2)]
    query = (rf"\ln {base}", "0") if side == 0 else ("0", rf"\ln {base}")
    shown = [("0", rf"\ln {base}", rf"2\ln {base}")[score] for score in scores]
    drawn = {"base": base, "keys": keys, "side": side, "values": values}
    result = {"weights": weights, "output": output, "sharper": sharper, "limit": best}
    return question("01_soft_lookup", locals(), drawn, result, {"output": wrong})


def wanted_weights(random) -> Question:
    """A query for given weights, and an output that no query can give."""
    while True:
        lengths = tuple(random.randint(1, 2) for _ in range(2))
        bases = tuple(random.sample([2, 3, 5], 2))
        parts = (bases[0] ** lengths[0], bases[1] ** lengths[1], 1)
        values = tuple(random.sample(range(-8, 10), 3))
        if parts[0] != parts[1] and max(parts) < 10:
            break
    total = sum(parts)
    weights, forgotten = fractions(parts), fractions((*parts[:2], total))
    output, limit = mean(parts, values), max(values)
    query = tuple(rf"\ln {base}" for base in bases)
    keys = ((lengths[0], 0), (0, lengths[1]), (0, 0))
    drawn = {"lengths": lengths, "bases": bases, "values": values, "keys": keys}
    result = {"weights": weights, "query": query, "output": output, "limit": limit}
    return question("01_wanted_weights", locals(), drawn, result, {"weights": forgotten})


QUESTIONS = soft_lookup, wanted_weights
