"""Questions on chapter 13, attention without the square."""

from fractions import Fraction

from grading.exam import Question, mean, table, tex


def two_blocks(random) -> Question:
    """Attention over two blocks of keys, with a running maximum and two sums."""
    while True:
        scores = tuple(random.randint(0, 4) for _ in range(4))  # times ln 2
        values = tuple(random.randint(-5, 9) for _ in range(4))
        powers = [2**score for score in scores]
        first, largest = max(scores[:2]), max(scores)
        if not first < largest or len(set(values)) < 4:
            continue
        sums = [Fraction(power, 2**first) for power in powers[:2]]
        old = sum(sums), sum(a * v for a, v in zip(sums, values))
        new = [Fraction(power, 2**largest) for power in powers[2:]]
        factor = Fraction(2**first, 2**largest)
        added = sum(new), sum(a * v for a, v in zip(new, values[2:]))
        total = factor * old[0] + added[0]
        weighted = factor * old[1] + added[1]
        output = mean(powers, values)
        wrong = (old[1] + added[1]) / (old[0] + added[0])
        if output != wrong and len({output, wrong, weighted, total}) == 4:
            break
    rows = [
        (i + 1, rf"${score} \ln 2$", f"${value}$")
        for i, (score, value) in enumerate(zip(scores, values))
    ]
    text = rf"""A query has four keys. They are read in two blocks, 1 and 2, then 3 and 4, and each block is forgotten before the next one comes.

{table(("key", "score", "value"), *rows)}

a) After the first block, compute the largest score $\mu$, the sum $z$ of $e^{{a_j - \mu}}$, and the sum $u$ of $e^{{a_j - \mu}}\, v_j$.

b) Now the second block comes. By which factor do the old sums change? Compute $z$ and $u$ after both blocks, and the output.

c) Which of the number of operations and the memory for a text of $n$ tokens does this method change, and how?
"""
    answer = rf"""a) The largest score is $\mu = {first} \ln 2$. The exponentials are ${tex(sums[0])}$ and ${tex(sums[1])}$. So $z = {tex(old[0])}$ and $u = {tex(old[1])}$.

b) The largest score is now ${largest} \ln 2$, so the old sums are multiplied by $2^{{{first - largest}}} = {tex(factor)}$. The exponentials of the new keys are
${tex(new[0])}$ and ${tex(new[1])}$. Then $z = {tex(factor)} \cdot {tex(old[0])} + {tex(added[0])} = {tex(total)}$, and $u = {tex(weighted)}$. The output is $u / z = {tex(output)}$.

c) Every query still meets every key, so the number of operations stays in $n^2$. The matrix of weights is never held: each query keeps its maximum and its sums, and the
memory grows with $n$.

**Rubric** (10 points)

- 3 points: the maximum and both sums of the first block.
- 2 points: the factor, from the difference of the two maxima.
- 3 points: both sums, and the output.
- 2 points: operations stay in $n^2$, memory grows with $n$.
"""
    mistake = rf"""The old sums are added as they are, without the factor. The output would be ${tex(wrong)}$. The keys of the first block then count too much, as if their scores
were measured from the same maximum."""
    drawn = {"scores": scores, "values": values}
    result = {
        "first sum": old[0],
        "first weighted sum": old[1],
        "factor": factor,
        "sum": total,
        "weighted sum": weighted,
        "output": output,
    }
    return Question(
        "Two blocks of keys",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"output": wrong},
    )


def written_twice(random) -> Question:
    """A memory with three writings, by addition and by the delta rule."""
    while True:
        key = random.choice([(3, 4), (4, 3)])
        k = tuple(Fraction(x, 5) for x in key)
        a, b, c = (random.choice([-10, -5, 5, 10, 15, 20]) for _ in range(3))
        difference = b - k[0] * a
        delta = a + k[0] * difference, k[1] * difference
        add = a + k[0] * b, k[1] * b
        final = c, delta[1]
        added = add[0] + c, add[1]
        read = k[0] * final[0] + k[1] * final[1]
        wrong = k[0] * c + k[1] * k[1] * b  # without looking up
        if len({a, b, c}) == 3 and difference and read not in (b, wrong):
            break
    text = rf"""A memory $\mathbf{{S}}$ with two rows and one column is 0 at first. Keys and queries are rows, and the answer to $\mathbf{{q}}$ is $\mathbf{{q}} \mathbf{{S}}$. Three pairs are written, in this order:

{table(("", "key", "value"), (1, "$(1, 0)$", f"${a}$"), (2, f"${tex(k)}$", f"${b}$"), (3, "$(1, 0)$", f"${c}$"))}

a) Write them by addition, $\mathbf{{S}} + \mathbf{{k}}^\top v$. Compute $\mathbf{{S}}$ after all three, and the answer to $(1, 0)$.

b) Write them by the delta rule with $\beta = 1$, $\mathbf{{S}} + \mathbf{{k}}^\top (v - \mathbf{{k}} \mathbf{{S}})$. Compute $\mathbf{{S}}$ after two and after three writings, and the answer to the second key at the end.

c) Why is the answer to the second key not ${b}$? How many pairs can this memory hold exactly, and with which keys?
"""
    answer = rf"""a) The third writing adds to the first one: $\mathbf{{S}} = {tex(added)}^\top$. The answer to $(1, 0)$ is its first entry, ${tex(added[0])}$.

b) After the first writing $\mathbf{{S}} = ({a}, 0)^\top$, which answers the second key with ${tex(k[0] * a)}$. The difference is ${tex(difference)}$, so $\mathbf{{S}} = {tex(delta)}^\top$ after two
writings. The third one replaces the first entry: $\mathbf{{S}} = {tex(final)}^\top$. The answer to the second key is ${tex(read)}$.

c) It was ${b}$ after the second writing. The third key is not perpendicular to the second one, so its writing has changed this answer. With two rows the memory holds two pairs exactly, if their keys are
perpendicular.

**Rubric** (10 points)

- 2 points: the memory by addition, and its answer.
- 3 points: the memory by the delta rule after two writings.
- 2 points: the memory after three, and the answer to the second key.
- 3 points: keys that are not perpendicular; two pairs, with perpendicular keys.
"""
    mistake = rf"""The second writing does not look up what the memory answers before, and the third one only replaces the entry. The answer to the second key would be
${tex(wrong)}$."""
    drawn = {"key": k, "values": (a, b, c)}
    result = {
        "added": added,
        "after two": delta,
        "after three": final,
        "answer": read,
    }
    return Question(
        "A memory that is written three times",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"answer": wrong},
    )


QUESTIONS = two_blocks, written_twice
