"""Questions on chapter 10, pretraining."""

from fractions import Fraction

from grading.exam import Question, question


def three_masks(random) -> Question:
    """How many tokens each position sees under three masks, and a mask with a leak."""
    while True:
        n, m = random.randint(6, 12), random.randint(3, 8)
        if m < n - 1:
            break
    prefix, leaking = (tuple(max(length, i + 1) for i in range(n)) for length in (m, m + 1))
    both, causal, number = n * n, n * (n + 1) // 2, sum(prefix)
    position = random.randrange(1, m - 1)
    wrong = m * m + (n - m) * n
    result = {
        "bidirectional": both,
        "causal": causal,
        "visible": prefix,
        "prefix": number,
        "leaking": leaking,
        "more": m,
    }
    drawn = {"n": n, "m": m}
    return question("10_three_masks", locals(), drawn, result, {"prefix": wrong})


def two_vocabularies(random) -> Question:
    """The perplexity of a sentence in words and in pieces of words."""
    while True:
        words = tuple(random.randint(1, 8) for _ in range(4))
        pieces = tuple(random.randint(1, 4) for _ in range(random.choice([6, 8])))
        if sum(words) % 4 or sum(pieces) % len(pieces) or len(set(words)) < 3:
            continue
        if len(set(pieces)) > 1 and 0 < abs(sum(words) - sum(pieces)) < 9:
            break
    n = len(pieces)
    exponents = sum(words), sum(pieces)
    perplexity, other = 2 ** (exponents[0] // 4), 2 ** (exponents[1] // n)
    better = "the first" if exponents[0] < exponents[1] else "the second"
    per_word = tuple(Fraction(exponent, 4) for exponent in exponents)
    naive = Fraction(sum(2**e for e in words), 4)
    shown = [
        tuple(Fraction(1, 2**exponent) for exponent in each) for each in (words, pieces)
    ]
    drawn = dict(zip(("words", "pieces"), shown))
    result = {
        "perplexity": perplexity,
        "per piece": other,
        "exponent": per_word[1],
        "better": better,
    }
    return question("10_two_vocabularies", locals(), drawn, result, {"perplexity": naive})


QUESTIONS = three_masks, two_vocabularies
