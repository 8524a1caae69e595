"""Questions on chapter 6, self-attention and positional encoding."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, table, tex, weighted_sum

COSINES = {60: Fraction(1, 2), 90: Fraction(0), 120: Fraction(-1, 2), 180: Fraction(-1)}


def rotary_score(random) -> Question:
    """The rotary score of two pairs of entries, and where else it is the same."""
    while True:
        offset = random.choice([2, 3, 4, 6])
        j = random.randint(0, 4)
        i = j + offset
        query, key = (
            (random.randint(-3, 3), random.randint(-3, 3), random.randint(1, 4), 0)
            for _ in range(2)
        )
        turns = offset % 4  # right angles of the first pair
        first = turned(query, key, turns)
        cosine = COSINES[30 * offset]
        second = query[2] * key[2] * cosine
        score = first + second
        unmoved = sum(q * k for q, k in zip(query, key))
        if 0 not in (*query[:2], *key[:2]) and unmoved != score:
            break
    period, later = 12, (i + 5, j + 5)
    angle = f"${90 * offset}°$" + (f", as by ${90 * turns}°$," if offset > 3 else "")
    text = rf"""A head of width $p = 4$ uses rotary encoding. Its first pair of entries turns by 90 degrees a position, the second one by 30 degrees: a pair $(x, y)$ becomes
$(x \cos \varphi - y \sin \varphi,\; x \sin \varphi + y \cos \varphi)$ for the angle $\varphi$. The query at position {i} is, before it is turned, ${tex(query)}$, and the key
at position {j} is ${tex(key)}$. Scores are dot products, here without a division. You may need $\cos 60° = \tfrac{{1}}{{2}}$ and
$\cos 120° = -\tfrac{{1}}{{2}}$.

a) Compute the score. You need not turn both.

b) The same query stands at position {later[0]} and the same key at {later[1]}. What is the score now, and why?

c) Which is the next larger offset with the same score for *every* query and key? Why does a model
with learned positions that are added have no such rule?
"""
    answer = rf"""a) Only the offset {i} − {j} = {offset} counts, so we turn the query by {offset} steps and leave the key. The first pair turns by
{angle} and becomes ${tex(rotate(query[:2], turns))}$. Its product with $({key[0]}, {key[1]})$ is ${first}$. The second pair turns
by ${30 * offset}°$. Both vectors lie on the first axis before, so their product is ${query[2]} \cdot {key[2]} \cdot \cos {30 * offset}° = {tex(second)}$. The score is ${tex(score)}$.

b) It is ${tex(score)}$ again. Both are turned by 5 steps more, and a rotation of both changes no dot product.

c) The first pair has come round after 4 positions, the second one after 12. Both together need {period} more, so the offset is ${offset + period}$. A learned position
is a vector of its own for each place. The score then contains products of positions with tokens, which depend on both places
and not on their offset alone.

**Rubric** (10 points)

- 3 points: only the offset counts, and the first pair.
- 2 points: the second pair.
- 1 point: the score.
- 2 points: the same score in b, with the reason.
- 2 points: the offset in c, and the difference to added positions.
"""
    mistake = f"""The positions are forgotten: the dot product of the vectors as they are is ${unmoved}$. It would be
the same at all offsets."""
    result = {"score": score, "offset": offset + period}
    return Question(
        "Turning queries and keys",
        10,
        text,
        answer,
        mistake,
        {"i": i, "j": j, "query": query, "key": key},
        result,
        {"score": unmoved},
    )


def rotate(pair, turns) -> tuple:
    """The pair turned by this many right angles."""
    x, y = pair
    for _ in range(turns % 4):
        x, y = -y, x
    return x, y


def turned(query, key, turns) -> int:
    """The product of the first pairs, with the query turned."""
    return sum(q * k for q, k in zip(rotate(query[:2], turns), key))


def order_of_tokens(random) -> Question:
    """One token's output in two orders, without a mask and with a causal one."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.sample(range(3), 3))
        values = tuple(random.sample(range(-6, 10), 3))
        orders = [tuple(random.sample(range(3), 3)) for _ in range(2)]
        parts = [base**key for key in keys]
        seen = [order[: order.index(0) + 1] for order in orders]
        output = mean(parts, values)
        masked = [
            mean([parts[t] for t in each], [values[t] for t in each]) for each in seen
        ]
        lengths = sorted(map(len, seen))
        short = mean(*([row[t] for t in min(seen, key=len)] for row in (parts, values)))
        wrong = sum(fractions(parts)[t] * values[t] for t in min(seen, key=len))
        if (
            short != wrong
            and lengths[0] < lengths[1]
            and len({output, *masked}) == 2 + (lengths[1] < 3)
        ):
            break
    weights = fractions(parts)
    names = "ABC"
    first, second = (" ".join(names[t] for t in order) for order in orders)
    rows = [(names[t], f"${keys[t]}$", f"${values[t]}$") for t in range(3)]
    shown = {0: "0", 1: rf"\ln {base}", 2: rf"2\ln {base}"}
    which = [", ".join(names[t] for t in sorted(each)) for each in seen]
    order = "first" if short == masked[0] else "second"
    sums = [
        weighted_sum(
            fractions([parts[t] for t in sorted(each)]), [values[t] for t in sorted(each)]
        )
        for each in seen
    ]
    text = rf"""Self-attention of width $d = p = 1$ without positions. Each kind of token has one key and one value; the query of A is $\ln {base}$.

{table(("token", "key", "value"), *rows)}

a) Compute the output of A, without a mask, in the sequences {first} and {second}.

b) Now there is a causal mask. Compute the output of A in both sequences.

c) What does it mean for the *outputs of all tokens* if the sequence is reordered, without a mask? Why does a causal mask change this, and
what can one layer find out about positions from the mask alone?
"""
    answer = rf"""a) The scores of A for A, B and C are ${", ".join(shown[key] for key in keys)}$. The exponentials are ${", ".join(map(str, parts))}$, and the weights
${tex(weights)}$. In both sequences A sees the same three tokens, so the output is twice

$${weighted_sum(weights, values)} = {tex(output)} .$$

b) In {first}, A sees {which[0]}. The output is ${sums[0]} = {tex(masked[0])}$. In {second}, A sees {which[1]}. The output is ${sums[1]} = {tex(masked[1])}$.

c) Without a mask the outputs are reordered in the same way, and nothing else happens, because each output is a sum over the same set. A
causal mask depends on the place in the sequence, so another order gives other sets. A token can find out from it which tokens stand before
it, and roughly how many, but not in which order they stand there.

**Rubric** (10 points)

- 2 points: the weights of a.
- 2 points: one output for both sequences.
- 3 points: the two outputs of b.
- 2 points: outputs are reordered like the tokens, and the mask depends on places.
- 1 point: the set of earlier tokens, without their order.
"""
    mistake = f"""The weights of a are kept, and those of masked tokens are set to 0. In the {order} sequence the
output in b would be ${tex(wrong)}$, with weights that do not sum to 1. The mask acts before the softmax."""
    drawn = {"base": base, "keys": keys, "values": values, "orders": tuple(orders)}
    result = {"weights": weights, "output": output, "masked": short}
    result |= {"masked 1": masked[0], "masked 2": masked[1]}
    return Question(
        "The order of tokens",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"masked": wrong},
    )


QUESTIONS = rotary_score, order_of_tokens
