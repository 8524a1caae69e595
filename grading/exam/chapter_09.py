"""Questions on chapter 9, masks and notations in practice."""

from itertools import accumulate

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


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
    rows = (
        ("score", *(rf"${score} \ln {base}$" for score in scores)),
        ("value", *(f"${value}$" for value in values)),
        ("mask", *marks),
    )
    text = rf"""A sentence of {length} tokens is padded to 5. For one query the scores, the values, and a mask are

{table(("key", *range(1, 6)), *rows)}

The mask is written for `nn.MultiheadAttention`, where True means *may not attend*.

a) Compute the weights and the output under this mask.

b) Somebody passes it to `scaled_dot_product_attention`, where True means *may attend*. Compute the output. Why is there no error,
and how can you find out from outside, without reading the code, that something is wrong?

c) Instead of the boolean mask, $\mathbf{{B}}$ is added to the scores, with 0 for the tokens and $-{"" if penalty == 1 else f"{penalty} "}\ln {base}$ for the padding. Compute the
weights. What would have to be added for the weights of a?
"""
    answer = rf"""a) The first {length} keys remain. The exponentials of the scores are ${", ".join(map(str, parts))}$, and those of the padding count
as 0. The weights are ${tex(fractions(seen))}$, and the output is ${weighted_sum(fractions(seen)[:length], values[:length])} = {tex(right)}$.

b) Now only the padding remains, with the weights ${tex(fractions(unseen))}$ and the output ${tex(inverted)}$. A boolean matrix of the right shape
is valid in both conventions, and the weights sum to 1. One changes one token at a time, as a key and a value, and looks whether the
output moves. Here it moves with the padding and with none of the tokens of the sentence.

c) The exponentials of the padding are divided by ${base**penalty}$. The weights are ${tex(fractions(additive))}$. A finite number makes the padding less
likely and does not hide it. For the weights of a, $-\infty$ would have to be added.

**Rubric** (10 points)

- 2 points: the weights of a.
- 1 point: the output of a.
- 2 points: the output of b.
- 2 points: valid in both conventions, and the test by changing a token.
- 2 points: the weights of c.
- 1 point: minus infinity.
"""
    mistake = rf"""The softmax is taken over all five keys and the hidden weights are set to 0 afterwards. The weights of a would be
${tex(after)}$. They do not sum to 1: a mask belongs before the softmax."""
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
    return Question(
        "A mask read the other way",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"weights": after},
    )


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
    pairs = sum(n * (n + 1) // 2 for n in lens)
    causal = total * (total + 1) // 2
    padded = 3 * max(lens) ** 2
    skipped = sum(n * n for n in lens)
    compared = "more" if total**2 > padded else "less" if total**2 < padded else "as many"
    rows = (("value", *(f"${value}$" for value in values)),)
    text = rf"""Three sentences of ${", ".join(map(str, lens[:2]))}$ and ${lens[2]}$ tokens are packed into a single sequence. Their values are

{table(("position", *range(total)), *rows)}

No token may attend to another sentence or to a later token. All allowed keys have the same score.

a) Give `cu_seqlens`, the cumulative sums of the lengths, from 0. Compute the output at position {place}.

b) How many pairs of a query and a key does the mask allow? How many more would a causal mask alone allow?

c) In a padded batch of the three sentences, how many scores does one head compute, before any mask? How many in the packed sequence, if it
computes them all? How many if it skips those between two sentences? What does packing save in the feed-forward network?
"""
    answer = rf"""a) `cu_seqlens` is ${tex(ends)}$. Position {place} is in the sentence that begins at {start}, so it attends to the positions from {start}
to {place}, with equal weights. The output is the mean of ${", ".join(map(str, own))}$, which is ${tex(output)}$.

b) A sentence of $n$ tokens allows $n(n + 1)/2$ pairs, together ${" + ".join(str(n * (n + 1) // 2) for n in lens)} = {pairs}$. A causal mask
alone allows ${total} \cdot {total + 1} / 2 = {causal}$, which are ${causal - pairs}$ more. In these a token sees an earlier sentence.

c) The padded batch has three matrices of ${max(lens)} \times {max(lens)}$, so ${padded}$ scores. The packed sequence has ${total}^2 = {total * total}$ if all are computed, which
is {compared}. Kernels that read `cu_seqlens` skip the scores between two sentences and compute ${" + ".join(f"{n}^2" for n in lens)} = {skipped}$. The
feed-forward network works on each position alone: {total} positions instead of {3 * max(lens)}.

**Rubric** (10 points)

- 1 point: the cumulative sums.
- 3 points: the output, from the sentence's own tokens only.
- 2 points: the allowed pairs.
- 1 point: the additional ones.
- 2 points: the three numbers of scores.
- 1 point: no padding in the feed-forward network.
"""
    mistake = rf"""A causal mask alone is used. The output at position {place} would be the mean of the first {place + 1} values, ${tex(leaky)}$, in which
other sentences take part."""
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
    return Question(
        "Three sentences in one sequence",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"output": leaky},
    )


QUESTIONS = inverted_mask, packed_sentences
