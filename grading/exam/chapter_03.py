"""Questions on chapter 3, attention scoring functions."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


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
    products = {0: "0", 1: rf"2\ln {base}", 2: rf"4\ln {base}"}
    rows = (
        (r"$\mathbf{q}\mathbf{k}_j^\top$", *(f"${products[power]}$" for power in powers)),
        ("value", *(f"${value}$" for value in values)),
    )
    head = (r"position $j$", *map(str, range(6)))
    scores = {0: "0", 1: rf"\ln {base}", 2: rf"2\ln {base}"}
    text = rf"""A batch has sentences of six positions, counted from 0. In one of them the valid length is {length}, and the
rest is padding. For the query at position {query} the table has the dot products with all keys. Queries and keys have
$d = 4$ entries. The layer is scaled dot-product attention with the causal mask *and* the valid length.

{table(head, *rows)}

a) Which positions may the query attend to? Compute the six weights and the output.

b) A program takes the softmax of all six scaled scores first and then sets the weights that are not allowed to 0.
What do its weights sum to?

c) It now divides the weights of b by this sum. Are the weights then those of a? Name a case in which this way
fails in a computer although the mask allows a key.
"""
    listed = ", ".join(str(position) for position in range(allowed))
    answer = rf"""a) The causal mask allows the positions 0 to {query}, the length the positions 0 to {length - 1}. Both must allow
a key, so {listed} are left. The scores are divided by $\sqrt{{4}} = 2$: ${", ".join(scores[power] for power in powers[:allowed])}$. Their exponentials are
${", ".join(map(str, kept))}$, with the sum {sum(kept)}. The weights are ${tex(weights)}$, and the output is

$${weighted_sum(weights[:allowed], values)} = {tex(output)} .$$

b) The exponentials of all six scores sum to {sum(parts)}, so that the weights which stay sum to ${tex(lost)}$.

c) Yes: the common denominator {sum(parts)} cancels, and the sum of the allowed exponentials takes its place. It fails when
a masked score is much larger than all allowed ones. Then the weights of all allowed keys are rounded to 0, and
0 is divided by 0. With $-\infty$ before the softmax this cannot happen.

**Rubric** (10 points)

- 2 points: the allowed positions.
- 1 point: the division by $\sqrt{{d}}$.
- 3 points: weights and output.
- 2 points: the sum in b.
- 2 points: yes in c, and the case of a large masked score.
"""
    mistake = f"""A key is used if *one* of the masks allows it. The output would be ${tex(wrong)}$: the query would read
padding or later tokens."""
    drawn = {
        "base": base,
        "powers": powers,
        "values": values,
        "length": length,
        "query": query,
    }
    result = {"weights": weights, "output": output, "sum": lost}
    return Question(
        "Two masks at once", 10, text, answer, mistake, drawn, result, {"output": wrong}
    )


def size_of_scores(random) -> Question:
    """The variance of dot products of entries that are larger, and one that is larger still."""
    while True:
        d = random.choice([16, 25, 36, 64, 100])
        s, t, c = random.choice([1, 2, 3]), random.choice([2, 3, 4]), random.randint(3, 6)
        root = int(d**0.5)
        if s != t and s * t not in (1, root):
            break
    variance, deviation, scaled = d * s * s * t * t, root * s * t, s * t
    too_small, larger = Fraction(s * t, root), (d - 1 + c * c) * s * s * t * t
    text = rf"""The entries of a query $\mathbf{{q}}$ and of a key $\mathbf{{k}}$ are independent and have the mean 0. Those of the query have
the standard deviation {s}, those of the key {t}. Both have $d = {d}$ entries.

a) Derive the variance of $\mathbf{{q}}\mathbf{{k}}^\top$, and give its number and the standard deviation.

b) What is the standard deviation after the division by $\sqrt{{d}}$? By which number would one have to divide to get 1?

c) Now the first entry of every key is multiplied by {c}. What is the variance of $\mathbf{{q}}\mathbf{{k}}^\top$?

d) The scores of b are those of a layer before training. What do its weights look like if the standard deviation of the
scores is much larger than 1, and why is that a bad start?
"""
    answer = rf"""a) The dot product is a sum of $d$ products $q_j k_j$, each with the mean 0. The variance of one is
$\mathbb{{E}}[q_j^2]\,\mathbb{{E}}[k_j^2] = {s * s} \cdot {t * t} = {s * s * t * t}$, since means of independent numbers multiply. The products are
independent, so the variances add up to ${d} \cdot {s * s * t * t} = {variance}$. The standard deviation is ${root} \cdot {s * t} = {deviation}$.

b) It is ${deviation} / {root} = {scaled}$. One would have to divide by {deviation}.

c) One of the {d} products now has the variance ${c * c} \cdot {s * s * t * t}$, so the sum is
$({d} - 1 + {c * c}) \cdot {s * s * t * t} = {larger}$.

d) One key, which has the largest score by chance, gets nearly all the weight. A weight $\alpha$ changes with its own score
at the rate $\alpha(1 - \alpha)$, which is then nearly 0 for all keys: the softmax is saturated, and gradients hardly reach
queries and keys.

**Rubric** (10 points)

- 3 points: the derivation in a, with independence used for the products and for the sum.
- 1 point: both numbers of a.
- 2 points: both numbers of b.
- 2 points: the variance in c.
- 2 points: one large weight, and gradients near 0.
"""
    mistake = rf"""The scores are divided by $d$ instead of $\sqrt{{d}}$. The standard deviation in b would be ${tex(too_small)}$, because
it grows with the root of $d$ only. It is the variance that grows with $d$."""
    result = {
        "variance": variance,
        "deviation": deviation,
        "scaled": scaled,
        "larger": larger,
    }
    return Question(
        "How large scores are",
        10,
        text,
        answer,
        mistake,
        {"d": d, "s": s, "t": t, "c": c},
        result,
        {"scaled": too_small},
    )


QUESTIONS = two_masks, size_of_scores
