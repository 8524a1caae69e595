"""Questions on chapter 4, the Bahdanau attention mechanism."""

from grading.exam import Question, fractions, mean, tex, weighted_sum


def additive_context(random) -> Question:
    """Additive scores of one decoding step, and the hyperbolic tangent left out."""
    while True:
        state = tuple(random.choice([-1, 0, 1]) for _ in range(2))
        keys = tuple(tuple(random.choice([-1, 0, 1]) for _ in range(2)) for _ in range(3))
        w_v = tuple(random.choice([-2, -1, 1, 2]) for _ in range(2))
        hidden = [tuple(map(sign, map(sum, zip(state, key)))) for key in keys]
        exponents, alone = (
            [row[0] * w_v[0] + row[1] * w_v[1] for row in rows] for rows in (hidden, keys)
        )
        parts, forgotten = ([2 ** (e - min(es)) for e in es] for es in (exponents, alone))
        weights, wrong = fractions(parts), fractions(forgotten)
        if len(set(keys)) == 3 and 1 < max(parts) < 50 and weights != wrong:
            break
    state, keys = tuple(10 * x for x in state), tuple((10 * x, 10 * y) for x, y in keys)
    context = tuple(mean(parts, column) for column in zip(*keys))
    sums = [tuple(map(sum, zip(state, key))) for key in keys]
    scores = [logarithm(e) for e in exponents]
    states = ", ".join(rf"\mathbf{{h}}_{i + 1} = {tex(key)}" for i, key in enumerate(keys))
    columns = [weighted_sum(weights, column) for column in zip(*keys)]
    text = rf"""A decoder with additive attention, $a(\mathbf{{s}}, \mathbf{{h}}_t) = \tanh(\mathbf{{s}} \mathbf{{W}}_q + \mathbf{{h}}_t \mathbf{{W}}_k)\, \mathbf{{w}}_v^\top$,
has the state $\mathbf{{s}} = {tex(state)}$. The encoder's states are ${states}$. Both
matrices are the identity, and $\mathbf{{w}}_v = {tex(tuple(map(logarithm, w_v)))}$. Use $\tanh(0) = 0$, and take $\tanh(x)$ as 1 for
$x \geq 10$ and as $-1$ for $x \leq -10$, which is right to eight decimals.

a) Compute the three scores and the attention weights.

b) Compute the context.

c) Somebody leaves out the $\tanh$. Show that then the weights would be the same at every step of the decoder.
"""
    answer = rf"""a) The sums $\mathbf{{s}} + \mathbf{{h}}_t$ are ${", ".join(map(tex, sums))}$, and their hyperbolic tangents
${", ".join(map(tex, hidden))}$. The dot products with $\mathbf{{w}}_v$ are the scores ${", ".join(scores)}$. Their exponentials have
the proportions ${" : ".join(map(str, parts))}$, so the weights are ${tex(weights)}$.

b) The values are the encoder's states, not the hidden units of the score. The first entry is
${columns[0]} = {tex(context[0])}$, and the second one is ${columns[1]} = {tex(context[1])}$. The context is ${tex(context)}$.

c) Without it, the score is $\mathbf{{s}} \mathbf{{W}}_q \mathbf{{w}}_v^\top + \mathbf{{h}}_t \mathbf{{W}}_k \mathbf{{w}}_v^\top$. The first term is the same for all $t$, so that it
cancels in the softmax. What is left does not depend on the decoder's state.

**Rubric** (10 points)

- 2 points: sums and hyperbolic tangents.
- 1 point: the scores.
- 2 points: the weights.
- 2 points: the context, from the encoder's states.
- 3 points: the term of the query is the same for all keys, and cancels.
"""
    mistake = rf"""The state of the decoder is left out of the sum. The weights would be ${tex(wrong)}$, for every state of the
decoder."""
    drawn = {"state": state, "keys": keys, "w_v": w_v}
    result = {"weights": weights, "context": context}
    return Question(
        "One step of the decoder",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"weights": wrong},
    )


def keys_once(random) -> Question:
    """The parameters and multiplications of additive attention, with keys projected once."""
    p = random.choice([4, 5, 6, 8, 10, 20])
    m, n = random.randint(4, 12), random.randint(3, 9)
    parameters, extra = 2 * p * p + p, 3 * p * p
    once, again = (n + m) * p * p + 2 * n * m * p, (n + n * m) * p * p + 2 * n * m * p
    text = rf"""A decoder with additive attention writes $n = {n}$ tokens from a source of $m = {m}$ tokens without padding. All states, queries and
hidden units have $p = {p}$ entries, and there are no biases. The product of an $a \times b$ and a $b \times c$ matrix takes $abc$ multiplications.

a) How many parameters do $\mathbf{{W}}_q$, $\mathbf{{W}}_k$ and $\mathbf{{w}}_v$ have together? The GRU of the decoder now reads the context beside the
embedding. It has three matrices for its input. How many parameters does it get in addition?

b) How many multiplications do the scores and contexts of the whole translation take, if nothing is computed twice?

c) Which of these products serve all steps of the decoder, and why? How many multiplications would b take if they were computed
anew at each step? Which shape has the matrix of all attention weights, and what do its rows sum to?
"""
    answer = rf"""a) The attention has $2p^2 + p = {parameters}$ parameters. The input of the GRU has $p$ more entries, and each of the three matrices $p$ more rows
with $p$ entries: $3p^2 = {extra}$.

b) The queries take $n p^2 = {n * p * p}$ multiplications, the keys $m p^2 = {m * p * p}$. Each pair of a query and a key takes $p$ for the product
with $\mathbf{{w}}_v$, and $p$ for the weighted sum: $2nmp = {2 * n * m * p}$. Together these are ${once}$.

c) The products $\mathbf{{h}}_t \mathbf{{W}}_k$ serve all steps: the states of the encoder do not change while the decoder works. Computed
anew at each step, they would take $nmp^2 = {n * m * p * p}$ instead of $mp^2$, and all together ${again}$. The matrix of weights is ${n} \times {m}$, and each row sums to 1.

**Rubric** (10 points)

- 2 points: the parameters of the attention.
- 1 point: those of the GRU.
- 3 points: the multiplications in b, 1 for each of queries, keys and pairs.
- 2 points: the projected keys, and the number in c.
- 2 points: shape and sums.
"""
    mistake = f"""The keys are projected anew at each step. That gives ${again}$ in b. The keys come from the encoder, which has
finished before the decoder begins."""
    result = {
        "parameters": parameters,
        "extra": extra,
        "multiplications": once,
        "again": again,
    }
    return Question(
        "What one translation costs",
        10,
        text,
        answer,
        mistake,
        {"p": p, "m": m, "n": n},
        result,
        {"multiplications": again},
    )


def sign(x) -> int:
    """What the hyperbolic tangent makes of large numbers."""
    return (x > 0) - (x < 0)


def logarithm(factor) -> str:
    r"""This many times \ln 2, in TeX."""
    signs = {0: "0", 1: r"\ln 2", -1: r"-\ln 2"}
    return signs.get(factor, rf"{factor}\ln 2")


QUESTIONS = additive_context, keys_once
