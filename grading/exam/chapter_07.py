"""Questions on chapter 7, the Transformer architecture."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, table, tex, weighted_sum

BALANCED = ((1, 1, -1, -1), (1, -1, 1, -1), (1, -1, -1, 1))  # orthogonal to each other


def two_norms(random) -> Question:
    """A feed-forward network with one hidden unit, in post-norm and in pre-norm."""
    while True:
        first, second = random.sample(BALANCED, 2)
        spread, change, deviation = random.choice([(3, 4, 5), (4, 3, 5), (6, 8, 10)])
        mu, w = random.randint(-3, 5), tuple(random.randint(-1, 2) for _ in range(4))
        b, factor = random.randint(-3, 3), random.choice([1, 2])
        x = tuple(mu + spread * sign for sign in first)
        hidden, inside = (sum(a * c for a, c in zip(w, row)) + b for row in (x, first))
        # A positive unit in both forms, and two different ones
        if hidden == change // factor and change % factor == 0 and 0 < inside != hidden:
            break
    u = tuple(factor * sign for sign in second)
    total, pre = (tuple(a + h * c for a, c in zip(x, u)) for h in (hidden, inside))
    post = tuple(Fraction(a - mu, deviation) for a in total)
    text = rf"""A token is $\mathbf{{x}} = {tex(x)}$. The sublayer $f$ is a feed-forward network with one hidden unit,
$$f(\mathbf{{x}}) = \max(0,\, \mathbf{{x}}\mathbf{{w}}^\top + b)\,\mathbf{{u}}$$
with $\mathbf{{w}} = {tex(w)}$, $b = {b}$ and $\mathbf{{u}} = {tex(u)}$. Layer normalisation has the gain 1, the bias 0 and $\epsilon = 0$.

a) Compute $f(\mathbf{{x}})$, and the output of the sublayer in *post-norm*, $\mathrm{{LayerNorm}}(\mathbf{{x}} + f(\mathbf{{x}}))$.

b) Compute $\mathrm{{LayerNorm}}(\mathbf{{x}})$, and the output in *pre-norm*, $\mathbf{{x}} + f(\mathrm{{LayerNorm}}(\mathbf{{x}}))$.

c) Now $\mathbf{{x}}$ is multiplied by 10. What is added to it in pre-norm, and why is the influence of the sublayer smaller
than before? What does this say about the later blocks of a deep stack with pre-norm?
"""
    answer = rf"""a) The hidden unit is $\mathbf{{x}}\mathbf{{w}}^\top + b = {hidden}$, so $f(\mathbf{{x}}) = {hidden}\,\mathbf{{u}} = {tex(tuple(hidden * c for c in u))}$. The sum is
$\mathbf{{x}} + f(\mathbf{{x}}) = {tex(total)}$, with the mean ${mu}$ and the variance ${spread}^2 + {change}^2 = {deviation**2}$. The mean is subtracted, and the
rest divided by ${deviation}$: the output is ${tex(post)}$.

b) The mean of $\mathbf{{x}}$ is ${mu}$ and its standard deviation ${spread}$, so $\mathrm{{LayerNorm}}(\mathbf{{x}}) = {tex(first)}$. The hidden unit is
now ${inside}$, and the output is $\mathbf{{x}} + {inside}\,\mathbf{{u}} = {tex(pre)}$.

c) The layer normalisation of $10\,\mathbf{{x}}$ is that of $\mathbf{{x}}$, so the same ${tex(tuple(inside * c for c in u))}$ is added as before. It is added to
numbers that are ten times as large. In pre-norm nothing normalises the sum, so it grows with the blocks, while each block adds
something of the same size. Later blocks change the sum relatively less.

**Rubric** (10 points)

- 2 points: the hidden unit and the sum in a.
- 2 points: mean, deviation and output in a.
- 2 points: the normalised token in b.
- 2 points: the output in b.
- 2 points: the same is added to a larger sum, so later blocks weigh less.
"""
    mistake = rf"""The sublayer of b is given $\mathbf{{x}}$ instead of the normalised token. The output would be ${tex(total)}$. This is a residual
connection without any normalisation."""
    drawn = {"x": x, "w": w, "b": b, "u": u}
    result = {"post-norm": post, "normalised": first, "pre-norm": pre}
    return Question(
        "Where to normalise",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"pre-norm": total},
    )


def decoding_step(random) -> Question:
    """One step with a key–value cache, and what the cache saves."""
    while True:
        base = random.choice([2, 3])
        keys = tuple(random.randint(0, 2) for _ in range(4))
        values = tuple(random.sample(range(-4, 10), 4))
        parts = [base**key for key in keys]
        output, old = mean(parts, values), mean(parts[:3], values[:3])
        if len(set(keys)) == 3 and output != old:
            break
    blocks, n = random.choice([2, 3, 4]), random.choice([5, 6, 8, 10])
    cached, again = blocks * n, blocks * n * (n + 1) // 2
    weights = fractions(parts)
    rows = [(j + 1, f"${keys[j]}$", f"${values[j]}$") for j in range(3)]
    text = rf"""A decoder writes its fourth token. For one head of width 1, the key–value cache of the self-attention of a block holds

{table(("token", "key", "value"), *rows)}

The new token has the query $\ln {base}$, the key ${keys[3]}$ and the value ${values[3]}$. The score is the product of query and key.

a) What does the cache hold after this step? Compute the attention weights and the output of the head for the new token.

b) The decoder has ${blocks}$ blocks and reads ${n}$ tokens, one in each step. For how many tokens, counted in all steps and
blocks, are a key and a value of self-attention computed with a cache? For how many without one, if each step reads the
whole text so far again?

c) Why are queries not kept? And why would a cache give wrong results if the self-attention of the decoder had no causal mask?
"""
    answer = rf"""a) The new key and value are appended first, so the cache holds four of each. The exponentials of the scores are
${", ".join(map(str, parts))}$, the weights ${tex(weights)}$, and the output is
$${weighted_sum(weights, values)} = {tex(output)} .$$

b) With a cache each token is projected once in each block: ${blocks} \cdot {n} = {cached}$. Without one step $t$ projects $t$
tokens, so there are $1 + 2 + \cdots + {n} = {n * (n + 1) // 2}$ in each block, and ${again}$ in all.

c) The query of an earlier position is needed only for the output of this position, which is computed already. Without the mask
the outputs of earlier positions would change with each new token. From the second block on their keys and values would
change, too, and those in the cache would be out of date.

**Rubric** (10 points)

- 2 points: the new key and value are in the cache, and take part.
- 2 points: weights and output.
- 3 points: both numbers of b.
- 1 point: an earlier query is not used again.
- 2 points: without the mask, earlier outputs and so later blocks' keys and values change.
"""
    mistake = rf"""The new token attends only to what was in the cache before, and not to itself. The output would be ${tex(old)}$. The causal
mask hides later tokens, and the token itself is none."""
    drawn = {"base": base, "keys": keys, "values": values, "blocks": blocks, "n": n}
    result = {"weights": weights, "output": output, "cached": cached, "again": again}
    return Question(
        "One step of decoding",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"output": old},
    )


QUESTIONS = two_norms, decoding_step
