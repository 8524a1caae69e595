"""Questions on chapter 3, attention scoring functions."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, question


def two_masks(random) -> Question:
    """Weights of one query with a causal mask and padding, and a detour that is right."""
    while True:
        base = random.choice([2, 3])
        powers = tuple(random.randint(0, 2) for _ in range(6))
        values = tuple(random.randint(-6, 9) for _ in range(6))
        length, query = random.choice([(4, 2), (3, 4), (5, 3), (4, 5), (5, 2), (3, 5)])
        parts = [base**power for power in powers]
        allowed = min(length, query + 1)
        kept, other = parts[:allowed], parts[: max(length, query + 1)]
        output, wrong = mean(kept, values), mean(other, values)
        unnormalised = mean(parts, [*values[:allowed], *[0] * (6 - allowed)])
        if (
            len(set(powers[:allowed])) == 3
            and len(set(values[:allowed])) == allowed
            and len({output, wrong, unnormalised}) == 3
        ):
            break
    weights = fractions(kept) + (0,) * (6 - allowed)
    lost = Fraction(sum(kept), sum(parts))
    products = [("0", rf"2\ln {base}", rf"4\ln {base}")[power] for power in powers]
    scores = [("0", rf"\ln {base}", rf"2\ln {base}")[power] for power in powers]
    drawn = {
        "base": base,
        "powers": powers,
        "values": values,
        "length": length,
        "query": query,
    }
    result = {"weights": weights, "output": output, "sum": lost}
    return question("03_two_masks", locals(), drawn, result, {"output": wrong})


def size_of_scores(random) -> Question:
    """The variance of dot products of large entries, and of one that is larger still."""
    while True:
        d = random.choice([16, 25, 36, 64, 100])
        s, t, c = random.choice([1, 2, 3]), random.choice([2, 3, 4]), random.randint(3, 6)
        root = int(d**0.5)
        if s != t and s * t not in (1, root):
            break
    variance, deviation, scaled = d * s * s * t * t, root * s * t, s * t
    too_small, larger = Fraction(s * t, root), (d - 1 + c * c) * s * s * t * t
    result = {
        "variance": variance,
        "deviation": deviation,
        "scaled": scaled,
        "larger": larger,
    }
    return question(
        "03_size_of_scores",
        locals(),
        {"d": d, "s": s, "t": t, "c": c},
        result,
        {"scaled": too_small},
    )


QUESTIONS = two_masks, size_of_scores
