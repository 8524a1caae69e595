"""Questions on chapter 9, masks and notations in practice."""

from itertools import accumulate

from grading.exam import Question, fractions, mean, question


def inverted_mask(random) -> Question:
    """A boolean mask in a function that reads it the other way, and an additive mask."""
    while True:
        base, length = random.choice([2, 3]), random.choice([2, 3])
        scores = tuple(random.randint(0, 2) for _ in range(5))
        values = tuple(random.sample(range(-3, 10), 5))
        penalty = random.randint(1, 4 - base)
        parts = [base**score for score in scores]
        seen = [p if i < length else 0 for i, p in enumerate(parts)]
        unseen = [0 if i < length else p for i, p in enumerate(parts)]
        # In c everything is multiplied by base ** penalty, so that numbers stay integers.
        additive = [p * base**penalty if i < length else p for i, p in enumerate(parts)]
        right, inverted, soft = (mean(each, values) for each in (seen, unseen, additive))
        groups = scores[:length], scores[length:]
        if (
            all(len(set(group)) > 1 for group in groups)
            and len({right, inverted, soft, mean(parts, values)}) == 4
        ):
            break
    after = tuple(w if i < length else 0 for i, w in enumerate(fractions(parts)))
    marks = tuple(str(i >= length) for i in range(5))
    drawn = {
        "base": base,
        "length": length,
        "scores": scores,
        "values": values,
        "penalty": penalty,
    }
    result = {
        "weights": fractions(seen),
        "output": right,
        "inverted": inverted,
        "additive": fractions(additive),
    }
    return question("09_inverted_mask", locals(), drawn, result, {"weights": after})


def packed_sentences(random) -> Question:
    """A packed sequence under a causal mask, and what packing saves."""
    while True:
        lens = tuple(random.sample(range(1, 6), 3))
        place = random.randrange(lens[0] + 1, sum(lens))  # not a first sentence's
        ends = tuple(accumulate(lens, initial=0))
        start = max(end for end in ends if end <= place)
        values = tuple(random.randint(-3, 9) for _ in range(sum(lens)))
        own = values[start : place + 1]
        output, leaky = (
            mean([1] * len(own), own),
            mean([1] * (place + 1), values[: place + 1]),
        )
        if (
            len(set(own)) > 1
            and output != leaky
            and sum(lens) <= 10
            and lens[0] < max(lens)
        ):
            break
    total = sum(lens)
    allowed = [n * (n + 1) // 2 for n in lens]
    pairs = sum(allowed)
    causal = total * (total + 1) // 2
    padded = 3 * max(lens) ** 2
    skipped = sum(n * n for n in lens)
    compared = "more" if total**2 > padded else "less" if total**2 < padded else "as many"
    drawn = {"lens": lens, "place": place, "values": values}
    result = {
        "cu_seqlens": ends,
        "output": output,
        "pairs": pairs,
        "more": causal - pairs,
        "padded": padded,
        "packed": total * total,
        "skipped": skipped,
    }
    return question("09_packed_sentences", locals(), drawn, result, {"output": leaky})


QUESTIONS = inverted_mask, packed_sentences
