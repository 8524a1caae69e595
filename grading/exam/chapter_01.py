"""Questions on chapter 1, queries, keys, and values."""

from fractions import Fraction

from grading.exam import Question, table, tex


def soft_lookup(random) -> Question:
    """Scores, weights and output of one query, and the query turned up."""
    while True:
        base = random.choice([2, 3])
        keys = tuple((random.randint(0, 2), random.randint(0, 2)) for _ in range(3))
        side = random.randrange(2)  # the entry that the query asks for
        values = tuple(random.randint(-6, 9) for _ in range(3))
        powers = [base ** key[side] for key in keys]
        output = Fraction(sum(p * v for p, v in zip(powers, values)), sum(powers))
        scores = [key[side] for key in keys]
        wrong = Fraction(sum(map(lambda s, v: s * v, scores, values)), sum(scores) or 1)
        squares = [p * p for p in powers]
        sharp = Fraction(sum(p * v for p, v in zip(squares, values)), sum(squares))
        if (
            len(set(scores)) == 3
            and len({key[1 - side] for key in keys}) > 1
            and len({*values}) == 3
            and len({output, wrong, sharp}) == 3
        ):
            break
    weights = tuple(Fraction(p, sum(powers)) for p in powers)
    sharper = tuple(Fraction(p, sum(squares)) for p in squares)
    best = values[scores.index(2)]
    query = (rf"\ln {base}", "0") if side == 0 else ("0", rf"\ln {base}")
    rows = [(i + 1, f"${tex(keys[i])}$", f"${values[i]}$") for i in range(3)]
    listed = ", ".join({0: "0", 1: rf"\ln {base}", 2: rf"2\ln {base}"}[s] for s in scores)
    lines = table(("", "key", "value"), *rows)
    total = " + ".join(rf"{tex(w)} \cdot ({v})" for w, v in zip(weights, values))
    exponentials, squared = (", ".join(map(str, each)) for each in (powers, squares))
    text = f"""A database has three keys and values:

{lines}

The query is $\\mathbf{{q}} = {tex(query)}$. Scores are dot products, and the temperature is 1.

a) Compute the scores, the attention weights as fractions, and the output.

b) Now the query is $2\\mathbf{{q}}$. Compute the weights again. To which number does the output
tend if the query grows further, and to which temperature would that correspond?
"""
    answer = f"""a) The scores are ${listed}$. Since $\\exp(c \\ln {base}) = {base}^c$, their
exponentials are ${exponentials}$, with the sum {sum(powers)}. The weights are ${tex(weights)}$. The output is
${total} = {tex(output)}$.

b) All scores are doubled, so that the exponentials are squared: ${squared}$. The weights are
${tex(sharper)}$. As the query grows, the weight of the best key tends to 1 and the output to its value, ${best}$. Multiplying the
query by $c$ divides the temperature by $c$, so this is a temperature that tends to 0.

**Rubric** (10 points)

- 2 points: the three scores.
- 3 points: the weights of a, which sum to 1.
- 2 points: the output of a.
- 2 points: the weights of b.
- 1 point: the limit, and a temperature that tends to 0.
"""
    mistake = f"""Dividing each score by the sum of the scores, without exponentials: the output would be
${tex(wrong)}$. A score of 0 would then have no weight at all, and negative scores would give negative weights."""
    drawn = {"base": base, "keys": keys, "side": side, "values": values}
    result = {"weights": weights, "output": output, "sharper": sharper, "limit": best}
    return Question(
        "A soft lookup by hand", 10, text, answer, mistake, drawn, result, {"output": wrong}
    )


QUESTIONS = (soft_lookup,)
