"""Questions on chapter 1, queries, keys, and values."""

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


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
    shown = ", ".join({0: "0", 1: rf"\ln {base}", 2: rf"2\ln {base}"}[s] for s in scores)
    rows = [(i + 1, f"${tex(keys[i])}$", f"${values[i]}$") for i in range(3)]
    text = rf"""A database has three keys and values:

{table(("", "key", "value"), *rows)}

The query is $\mathbf{{q}} = {tex(query)}$. Scores are dot products, and the temperature is 1.

a) Compute the scores, the attention weights as fractions, and the output.

b) Now the query is $2\mathbf{{q}}$. Compute the weights again. To which number does the output
tend if the query grows further, and to which temperature would that correspond?
"""
    answer = rf"""a) The scores are ${shown}$. Since $\exp(c \ln {base}) = {base}^c$, their
exponentials are ${", ".join(map(str, powers))}$, with the sum {sum(powers)}. The weights are
${tex(weights)}$, and the output is

$${weighted_sum(weights, values)} = {tex(output)} .$$

b) All scores are doubled, so that the exponentials are squared: ${", ".join(map(str, squares))}$.
The weights are ${tex(sharper)}$. As the query grows, the weight of the best key tends to 1, and
the output to its value, ${best}$. To multiply the query by $c$ is to divide the temperature by
$c$, so this is a temperature that tends to 0.

**Rubric** (10 points)

- 2 points: the three scores.
- 3 points: the weights of a, which sum to 1.
- 2 points: the output of a.
- 2 points: the weights of b.
- 1 point: the limit, and a temperature that tends to 0.
"""
    mistake = f"""Each score is divided by the sum of the scores, without exponentials. The output
would be ${tex(wrong)}$. A key with the score 0 would have no weight at all, and a negative score
would give a negative weight."""
    drawn = {"base": base, "keys": keys, "side": side, "values": values}
    result = {"weights": weights, "output": output, "sharper": sharper, "limit": best}
    wrong = {"output": wrong}
    return Question(
        "A soft lookup by hand", 10, text, answer, mistake, drawn, result, wrong
    )


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
    rows = [
        (i + 1, f"${tex(keys[i])}$", f"${values[i]}$", f"${tex(weights[i])}$")
        for i in range(3)
    ]
    listed = ", ".join(rf"\ln {part}" for part in parts[:2])
    text = rf"""Three keys and their values are given. Scores are dot products, and the temperature is 1. The last
column has the weights that we want.

{table(("", "key", "value", "wanted weight"), *rows)}

a) Find a query $\mathbf{{q}} \in \mathbb{{R}}^2$ with these weights, and compute the output.

b) Is there another query with the same weights? Why, or why not?

c) Can any query give the output ${limit + 1}$? How large can the output become?
"""
    answer = rf"""a) The score of key 3 is 0 for every query, so that its exponential is 1. The weight of key 1 must be
{parts[0]} times as large as that of key 3, and the weight of key 2 {parts[1]} times, so the scores are ${listed}$
and 0. Key 1 is {lengths[0]} times the first unit vector and key 2 {lengths[1]} times the second, so we divide by
these numbers: $\mathbf{{q}} = {tex(query)}$. The output is

$${weighted_sum(weights, values)} = {tex(output)} .$$

b) No. The weights ${tex(weights)}$ fix the differences of the scores. Here the third score is always 0, so they fix the
scores, and each score fixes one entry of the query.

c) No. The weights are positive and sum to 1, so the output lies between the smallest and the largest value. It
stays below ${limit}$, and comes as close to it as one likes when the weight of this value tends to 1.

**Rubric** (10 points)

- 2 points: ratios of weights are exponentials of differences of scores, and the third score is 0.
- 2 points: the query.
- 2 points: the output.
- 2 points: no other query, with the reason.
- 2 points: no, because the output is a weighted mean; all numbers below the largest value.
"""
    mistake = rf"""The logarithms of the wanted weights are taken as the scores of keys 1 and 2. That would be right if
the third score were $\ln {tex(weights[2])}$, and it is 0. The exponentials are then ${tex(weights[0])}$, ${tex(weights[1])}$
and 1, and the weights ${tex(forgotten)}$."""
    drawn = {"lengths": lengths, "bases": bases, "values": values, "keys": keys}
    result = {"weights": weights, "query": query, "output": output, "limit": limit}
    return Question(
        "A query for given weights",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"weights": forgotten},
    )


QUESTIONS = soft_lookup, wanted_weights
