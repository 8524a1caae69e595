"""Questions on chapter 5, multi-head attention."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


def two_heads(random) -> Question:
    """Two heads of width 1, their contributions to the output, and one head instead."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(tuple(random.sample(range(3), 3)) for _ in range(2))
        values = tuple(tuple(random.randint(-4, 8) for _ in range(3)) for _ in range(2))
        W_o = tuple(tuple(random.randint(-2, 3) for _ in range(2)) for _ in range(2))
        parts = [[base**k for k in row] for row in keys]
        outputs = tuple(mean(part, row) for part, row in zip(parts, values))
        weights = tuple(map(fractions, parts))
        average = [sum(pair) / 2 for pair in zip(*weights)]
        mixed = tuple(mean(average, row) for row in values)
        determinant = W_o[0][0] * W_o[1][1] - W_o[0][1] * W_o[1][0]
        if (
            keys[0].index(2) != keys[1].index(2)
            and all(len(set(row)) == 3 for row in values)
            and determinant
            and all(a != b for a, b in zip(outputs, mixed))
        ):
            break
    parts_of_y = tuple(
        tuple(o * w for w in row) for o, row in zip(outputs, W_o)
    )  # the contributions of the heads
    y, y_mixed = (
        tuple(sum(o * row[j] for o, row in zip(each, W_o)) for j in range(2))
        for each in (outputs, mixed)
    )
    rows = [
        (i + 1, *(f"${each[i]}$" for h in range(2) for each in (keys[h], values[h])))
        for i in range(3)
    ]
    head = ("token", "key 1", "value 1", "key 2", "value 2")
    text = rf"""A layer has two heads of width $p = 1$. For one query the projections give the number $\ln {base}$ in both heads. The keys and values of the three tokens are, in each head,

{table(head, *rows)}

The output projection is $\mathbf{{W}}_o = {tex(W_o)}$.

a) Compute the weights and the output of each head.

b) Compute the contribution of each head to the output $\mathbf{{y}}$ of the layer, and $\mathbf{{y}}$.

c) Instead of two sets of weights, somebody uses their average in both heads, to save a softmax. Compute the two outputs of
the heads. What can the layer no longer do?
"""
    answer = rf"""a) Since $p = 1$, scores need no division. The exponentials of the scores are ${", ".join(map(str, parts[0]))}$ in head 1 and
${", ".join(map(str, parts[1]))}$ in head 2. The weights are ${tex(weights[0])}$ and ${tex(weights[1])}$. The outputs are
${weighted_sum(weights[0], values[0])} = {tex(outputs[0])}$ and ${weighted_sum(weights[1], values[1])} = {tex(outputs[1])}$.

b) Each output multiplies the row of $\mathbf{{W}}_o$ that belongs to its head: ${tex(parts_of_y[0])}$ and ${tex(parts_of_y[1])}$.
Their sum is $\mathbf{{y}} = {tex(y)}$.

c) The average weights are ${tex(tuple(average))}$, and the outputs ${tex(mixed[0])}$ and ${tex(mixed[1])}$. It can no longer look at one token
in head 1 and at another one in head 2. What one of the two tokens gets, the other one lacks, so both answers are mixtures.

**Rubric** (10 points)

- 3 points: both sets of weights.
- 1 point: both outputs.
- 3 points: the two contributions and their sum.
- 2 points: the two outputs in c.
- 1 point: one set of weights has to serve two questions.
"""
    mistake = rf"""The weights of the two heads are averaged, as in c, because “attention weights sum to 1”. Then
$\mathbf{{y}}$ would be ${tex(y_mixed)}$. They sum to 1 in each head."""
    drawn = {"base": base, "keys": keys, "values": values, "W_o": W_o}
    result = {
        "weights 1": weights[0],
        "weights 2": weights[1],
        "output 1": outputs[0],
        "output 2": outputs[1],
        "y": y,
        "mixed 1": mixed[0],
        "mixed 2": mixed[1],
    }
    return Question(
        "Two heads by hand", 10, text, answer, mistake, drawn, result, {"y": y_mixed}
    )


def narrow_head(random) -> Question:
    """Which key a head of width 1 cannot choose, and how one of width 2 does."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.sample(range(-4, 5), 3))
        low, middle, high = sorted(keys)
        wanted = keys.index(middle)
        exponents = tuple(2 * middle * k - k * k for k in keys)
        halved = tuple(middle * k - k * k for k in keys)
        if middle and max(high - middle, middle - low) <= 2 and len(set(halved)) == 3:
            break
    parts, forgotten = (
        tuple(Fraction(base) ** (e - max(each)) for e in each)
        for each in (exponents, halved)
    )
    weights, wrong = fractions(parts), fractions(forgotten)
    weight = weights[wanted]
    gaps = tuple(-((k - middle) ** 2) for k in keys)
    text = rf"""A head compares a query with three keys by their dot product, here without a division by $\sqrt{{p}}$. With width
$p = 1$ a query is a number $q$, and the keys are the numbers ${", ".join(map(str, keys))}$.

a) For each of the three keys, say for which $q$ it gets the largest weight. Which key is never chosen, and why not?

b) With width $p = 2$ the same tokens have the keys $(k, k^2)$. The query is $\mathbf{{q}} = \ln {base} \cdot ({2 * middle}, -1)$. Compute
the scores in units of $\ln {base}$, and the attention weights.

c) Write the score of b as a constant minus $\ln {base}$ times a square. What does the head of width 2 compare, and what would the
query be that chooses a key $k = 7$?
"""
    answer = rf"""a) The scores are $q\,k$. For $q > 0$ the largest key ${high}$ has the largest score, for $q < 0$ the smallest, ${low}$, and for $q = 0$ all are
equal. The key ${middle}$ lies between them, so its score is never the largest: as $q$ changes sign, the order of the
scores is turned around, and the middle stays in the middle.

b) The scores are $2 \cdot ({middle})\,k - k^2$, in units of $\ln {base}$: ${tex(exponents)}$. They differ from the largest one by
${tex(gaps)}$, so that the exponentials have the proportions ${tex(tuple(parts))}$. The weights are ${tex(weights)}$. The key
${middle}$ has the weight ${tex(weight)}$.

c) With $m = {middle}$, the score is $\ln {base}\,(2mk - k^2) = \ln {base}\,(m^2 - (k - m)^2)$. The head compares distances: the constant
cancels in the softmax, and the key nearest to $m$ wins. For $k = 7$ the query is $\ln {base} \cdot (14, -1)$.

**Rubric** (10 points)

- 3 points: positive and negative queries, and the key in the middle with the reason.
- 2 points: the scores.
- 2 points: the weights.
- 2 points: the square of a distance, with the constant that cancels.
- 1 point: the query for 7.
"""
    mistake = rf"""The factor 2 is forgotten, as if $\ln {base} \cdot ({middle}, -1)$ were the query that asks for ${middle}$. The weights would be
${tex(wrong)}$: this query asks for the key nearest to ${tex(Fraction(middle, 2))}$."""
    drawn = {"base": base, "keys": keys, "middle": middle}
    result = {"scores": exponents, "weights": weights}
    return Question(
        "How narrow a head may be",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"weights": wrong},
    )


QUESTIONS = two_heads, narrow_head
