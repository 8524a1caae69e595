"""Questions on chapter 11, a GPT of today."""

from fractions import Fraction

from grading.exam import Question, fractions, table, tex

TOKENS = ("cat", "dog", "bird", "fish", "horse")


def next_token(random) -> Question:
    """A distribution at two temperatures, and cut by top-k and top-p."""
    while True:
        base = random.choice([2, 3])
        logits = tuple(random.randint(0, 5 - base) for _ in range(5))
        percent = random.choice([50, 60, 70, 80, 90])
        parts = [base**logit for logit in logits]
        order = sorted(range(5), key=lambda i: -parts[i])
        kept = next(
            k for k in range(1, 6) if sum(sorted(parts)[-k:]) * 100 >= percent * sum(parts)
        )
        ranked = sorted(parts, reverse=True)
        exact = sum(ranked[:kept]) * 100 == percent * sum(parts)
        ties = ranked[0] == ranked[1] or ranked[1] == ranked[2]
        if 3 <= kept <= 4 and not exact and not ties and ranked[kept - 1] > ranked[kept]:
            break
    probabilities = fractions(parts)
    sharper = fractions([part**2 for part in parts])
    nucleus, short, top = (
        fractions([part if i in order[:k] else 0 for i, part in enumerate(parts)])
        for k in (kept, kept - 1, 2)
    )
    rows = (("logit", *(rf"${logit} \ln {base}$" for logit in logits)),)
    p = tex(Fraction(percent, 100))
    text = rf"""A model gives five tokens the logits

{table(("token", *(f"*{name}*" for name in TOKENS)), *rows)}

a) Compute the probabilities at the temperature 1 and at the temperature $\tfrac{{1}}{{2}}$.

b) At the temperature 1, compute the probabilities that remain with top-$k$, $k = 2$, and with top-$p$, $p = {p}$.

c) A second model has the logits of the first plus 5, for all tokens. What changes? To which probabilities does the temperature 0 lead, and what
is lost by it in a text of many sentences?
"""
    answer = rf"""a) The exponentials of the logits are ${", ".join(map(str, parts))}$, with the sum ${sum(parts)}$, and the probabilities
${tex(probabilities)}$. The temperature $\tfrac{{1}}{{2}}$ doubles the logits, so the exponentials are squared. The
probabilities are ${tex(sharper)}$.

b) The two most probable tokens have the proportion ${parts[order[0]]} : {parts[order[1]]}$, so top-$k$ gives ${tex(top)}$. For top-$p$, the most
probable {kept} tokens together have ${tex(sum(probabilities[i] for i in order[:kept]))} \ge {p}$, and the first {kept - 1} only
${tex(sum(probabilities[i] for i in order[: kept - 1]))}$. Divided by their sum, the {kept} have ${tex(nucleus)}$.

c) Nothing changes: all exponentials get the same factor, which cancels. At the temperature 0 *{TOKENS[order[0]]}* has the probability 1. Every
run then writes the same text, and a model easily falls into repetitions.

**Rubric** (10 points)

- 2 points: the probabilities at the temperature 1.
- 2 points: those at one half.
- 1 point: top-k.
- 3 points: the tokens that top-p keeps, and their probabilities.
- 1 point: the shift cancels.
- 1 point: the largest logit alone, and no variety.
"""
    mistake = rf"""Top-$p$ stops before the token with which the sum reaches ${p}$. The probabilities would be ${tex(short)}$. The set must have
*at least* the probability ${p}$."""
    drawn = {"base": base, "logits": logits, "p": Fraction(percent, 100)}
    result = {
        "probabilities": probabilities,
        "sharper": sharper,
        "top-k": top,
        "top-p": nucleus,
    }
    return Question(
        "Drawing the next token",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"top-p": short},
    )


def size_of_a_block(random) -> Question:
    """The weights of a block of a Llama, and the numbers in its cache."""
    p, (h, g) = random.choice([4, 5, 10]), random.choice([(4, 2), (6, 2), (6, 3), (8, 2)])
    d, blocks, n = p * h, random.choice([2, 3, 5, 10]), random.choice([20, 50, 100])
    ffn = d * random.choice([2, 3])
    attention, network = 2 * d * d + 2 * d * g * p, 3 * d * ffn
    total = attention + network + 2 * d
    cache = 2 * g * p * blocks * n
    usual = Fraction(3 * ffn, 2)
    text = rf"""A block has the parts of Llama: RMSNorm, attention with grouped queries, SwiGLU, and no biases. The width is $d = {d}$, there are $h = {h}$ heads for queries and
$g = {g}$ for keys and values, and the hidden layer of SwiGLU has $d_{{\mathrm{{ff}}}} = {ffn}$ units.

a) How wide is a head? Give the shapes of $\mathbf{{W}}_q, \mathbf{{W}}_k, \mathbf{{W}}_v, \mathbf{{W}}_o$ and the number of weights of attention.

b) How many weights has SwiGLU, and how many the whole block? How many hidden units may a usual network with two matrices have for as
many weights as SwiGLU?

c) The model has {blocks} such blocks. How many numbers are in its key–value cache after {n} tokens? How many times as many without grouped
queries? Which of these numbers of a, b and c would change if the heads stayed as they are and positions were learned vectors instead of rotations?
"""
    answer = rf"""a) A head is $p = d / h = {p}$ wide. $\mathbf{{W}}_q$ and $\mathbf{{W}}_o$ are ${d} \times {d}$, $\mathbf{{W}}_k$ and $\mathbf{{W}}_v$ are
${d} \times {g * p}$. Attention has $2 \cdot {d * d} + 2 \cdot {d * g * p} = {attention}$ weights.

b) SwiGLU has three matrices, gate, up and down: $3 \cdot {d} \cdot {ffn} = {network}$. The two normalisations have a gain of ${d}$ numbers each. The
block has ${attention} + {network} + {2 * d} = {total}$ weights. Two matrices with $2 \cdot {d} \cdot x$ weights
are as many for $x = \tfrac{{3}}{{2}} \cdot {ffn} = {tex(usual)}$.

c) For each token and block the cache keeps a key and a value for each of ${g}$ groups: $2 \cdot {g} \cdot {p} \cdot {blocks} \cdot {n} = {cache}$ numbers. Without
grouped queries it would be ${h // g}$ times as many, since there would be {h} instead of {g} of each. No number changes: rotations have no weights, and rotated keys are as
wide as others. A table of learned positions is added to the embedding, before the first block.

**Rubric** (10 points)

- 1 point: the width of a head.
- 2 points: shapes and weights of attention.
- 2 points: SwiGLU and the whole block.
- 1 point: the hidden units of the usual network.
- 2 points: the cache.
- 1 point: the factor without grouped queries.
- 1 point: rotations have no weights and keep the width.
"""
    mistake = rf"""The cache is counted with ${h}$ heads, like the queries: ${2 * d * blocks * n}$ numbers. But a group of heads shares its keys and values, and queries
are not kept."""
    drawn = {"d": d, "h": h, "g": g, "ffn": ffn, "blocks": blocks, "n": n}
    result = {
        "p": p,
        "attention": attention,
        "network": network,
        "block": total,
        "usual": usual,
        "cache": cache,
        "factor": h // g,
    }
    return Question(
        "The size of a block and of its cache",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"cache": 2 * d * blocks * n},
    )


QUESTIONS = next_token, size_of_a_block
