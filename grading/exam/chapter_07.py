"""Questions on chapter 7, the Transformer."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, question

BALANCED = ((1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))  # orthogonal to each other


def two_norms(random) -> Question:
    """A feed-forward network with one hidden unit, in post-norm and in pre-norm."""
    while True:
        first, second = random.sample(BALANCED, 2)
        spread, change, deviation = random.choice([(3, 4, 5), (4, 3, 5), (6, 8, 10)])
        mu, w = random.randint(-3, 5), tuple(random.randint(-1, 2) for _ in range(4))
        b, factor = random.randint(-3, 3), random.choice([1, 2])
        x = tuple(mu + spread * sign for sign in first)
        hidden, inside = (sum(a * c for a, c in zip(w, row)) + b for row in (x, first))
        # A positive unit in both forms, and two different ones
        if hidden == change // factor and change % factor == 0 and 0 < inside != hidden:
            break
    u = tuple(factor * sign for sign in second)
    post_added, pre_added = (tuple(h * c for c in u) for h in (hidden, inside))
    total, pre = (tuple(map(sum, zip(x, added))) for added in (post_added, pre_added))
    post = tuple(Fraction(a - mu, deviation) for a in total)
    drawn = {"x": x, "w": w, "b": b, "u": u}
    result = {"post-norm": post, "normalised": first, "pre-norm": pre}
    return question("07_two_norms", locals(), drawn, result, {"pre-norm": total})


def decoding_step(random) -> Question:
    """One step with a key–value cache, and what the cache saves."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.randint(0, 2) for _ in range(4))
        values = tuple(random.sample(range(-4, 10), 4))
        parts = [base**key for key in keys]
        output, old = mean(parts, values), mean(parts[:3], values[:3])
        if len(set(keys)) == 3 and output != old:
            break
    blocks, n = random.choice([2, 3, 4]), random.choice([5, 6, 8, 10])
    cached, again = blocks * n, blocks * n * (n + 1) // 2
    weights = fractions(parts)
    drawn = {"base": base, "keys": keys, "values": values, "blocks": blocks, "n": n}
    result = {"weights": weights, "output": output, "cached": cached, "again": again}
    return question("07_decoding_step", locals(), drawn, result, {"output": old})


QUESTIONS = two_norms, decoding_step
