"""Questions on chapter 11, a GPT of today."""

from fractions import Fraction

from grading.exam import Question, fractions, question

TOKENS = ("cat", "dog", "bird", "fish", "horse")


def next_token(random) -> Question:
    """A distribution at two temperatures, and cut by top-k and top-p."""
    while True:
        base = random.choice([2, 3])
        logits = tuple(random.randint(0, 5 - base) for _ in range(5))
        percent = random.choice([50, 60, 70, 80, 90])
        parts = [base**logit for logit in logits]
        order = sorted(range(5), key=lambda i: -parts[i])
        kept = next(
            k for k in range(1, 6) if sum(sorted(parts)[-k:]) * 100 >= percent * sum(parts)
        )
        ranked = sorted(parts, reverse=True)
        exact = sum(ranked[:kept]) * 100 == percent * sum(parts)
        ties = ranked[0] == ranked[1] or ranked[1] == ranked[2]
        if 3 <= kept <= 4 and not exact and not ties and ranked[kept - 1] > ranked[kept]:
            break
    probabilities = fractions(parts)
    sharper = fractions([part**2 for part in parts])
    nucleus, short, top = (
        fractions([part if i in order[:k] else 0 for i, part in enumerate(parts)])
        for k in (kept, kept - 1, 2)
    )
    reached, before = (sum(probabilities[i] for i in order[:k]) for k in (kept, kept - 1))
    best, p = TOKENS[order[0]], Fraction(percent, 100)
    drawn = {"base": base, "logits": logits, "p": p}
    result = {
        "probabilities": probabilities,
        "sharper": sharper,
        "top-k": top,
        "top-p": nucleus,
    }
    return question("11_next_token", locals(), drawn, result, {"top-p": short})


def size_of_a_block(random) -> Question:
    """The weights of a block of a Llama, and the numbers in its cache."""
    p, (h, g) = random.choice([4, 5, 10]), random.choice([(4, 2), (6, 2), (6, 3), (8, 2)])
    d, blocks, n = p * h, random.choice([2, 3, 5, 10]), random.choice([20, 50, 100])
    ffn = d * random.choice([2, 3])
    attention, network = 2 * d * d + 2 * d * g * p, 3 * d * ffn
    total = attention + network + 2 * d
    cache = 2 * g * p * blocks * n
    usual = Fraction(3 * ffn, 2)
    drawn = {"d": d, "h": h, "g": g, "ffn": ffn, "blocks": blocks, "n": n}
    result = {
        "p": p,
        "attention": attention,
        "network": network,
        "block": total,
        "usual": usual,
        "cache": cache,
        "factor": h // g,
    }
    return question(
        "11_size_of_a_block", locals(), drawn, result, {"cache": 2 * d * blocks * n}
    )


QUESTIONS = next_token, size_of_a_block
