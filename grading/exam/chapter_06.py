"""Questions on chapter 6, self-attention and positional encoding."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, question, weighted_sum

COSINES = {60: Fraction(1, 2), 90: Fraction(0), 120: Fraction(-1, 2), 180: Fraction(-1)}


def rotary_score(random) -> Question:
    """The rotary score of two pairs of entries, and where else it is the same."""
    while True:
        offset = random.choice([2, 3, 4, 6])
        j = random.randint(0, 4)
        i = j + offset
        query, key = (
            (random.randint(-3, 3), random.randint(-3, 3), random.randint(1, 4), 0)
            for _ in range(2)
        )
        turns = offset % 4  # right angles of the first pair
        first = turned(query, key, turns)
        cosine = COSINES[30 * offset]
        second = query[2] * key[2] * cosine
        score = first + second
        unmoved = sum(q * k for q, k in zip(query, key))
        if 0 not in (*query[:2], *key[:2]) and unmoved != score:
            break
    after = rotate(query[:2], turns)
    period, later = 12, (i + 5, j + 5)
    angle = f"${90 * offset}°$" + (f", as by ${90 * turns}°$," if offset > 3 else "")
    result = {"score": score, "offset": offset + period}
    return question(
        "06_rotary_score",
        locals(),
        {"i": i, "j": j, "query": query, "key": key},
        result,
        {"score": unmoved},
    )


def rotate(pair, turns) -> tuple:
    """The pair turned by this many right angles."""
    x, y = pair
    for _ in range(turns % 4):
        x, y = -y, x
    return x, y


def turned(query, key, turns) -> int:
    """The product of the first pairs, with the query turned."""
    return sum(q * k for q, k in zip(rotate(query[:2], turns), key))


def order_of_tokens(random) -> Question:
    """One token's output in two orders, without a mask and with a causal one."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.sample(range(3), 3))
        values = tuple(random.sample(range(-6, 10), 3))
        orders = [tuple(random.sample(range(3), 3)) for _ in range(2)]
        parts = [base**key for key in keys]
        seen = [order[: order.index(0) + 1] for order in orders]
        output = mean(parts, values)
        masked = [
            mean([parts[t] for t in each], [values[t] for t in each]) for each in seen
        ]
        lengths = sorted(map(len, seen))
        short = mean(*([row[t] for t in min(seen, key=len)] for row in (parts, values)))
        wrong = sum(fractions(parts)[t] * values[t] for t in min(seen, key=len))
        if (
            short != wrong
            and lengths[0] < lengths[1]
            and len({output, *masked}) == 2 + (lengths[1] < 3)
        ):
            break
    weights = fractions(parts)
    names = "ABC"
    first, second = (" ".join(names[t] for t in order) for order in orders)
    scores = [("0", rf"\ln {base}", rf"2\ln {base}")[key] for key in keys]
    which = [", ".join(names[t] for t in sorted(each)) for each in seen]
    order = "first" if short == masked[0] else "second"
    sums = [
        weighted_sum(
            fractions([parts[t] for t in sorted(each)]), [values[t] for t in sorted(each)]
        )
        for each in seen
    ]
    drawn = {"base": base, "keys": keys, "values": values, "orders": tuple(orders)}
    result = {"weights": weights, "output": output, "masked": short}
    result |= {"masked 1": masked[0], "masked 2": masked[1]}
    return question("06_order_of_tokens", locals(), drawn, result, {"masked": wrong})


QUESTIONS = rotary_score, order_of_tokens
