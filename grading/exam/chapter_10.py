"""Questions on chapter 10, pretraining."""

from fractions import Fraction

from grading.exam import Question, table, tex


def three_masks(random) -> Question:
    """How many tokens each position sees under three masks, and a mask with a leak."""
    while True:
        n, m = random.randint(6, 12), random.randint(3, 8)
        if m < n - 1:
            break
    prefix, leaking = (tuple(max(length, i + 1) for i in range(n)) for length in (m, m + 1))
    both, causal, number = n * n, n * (n + 1) // 2, sum(prefix)
    position = random.randrange(1, m - 1)
    text = rf"""A sequence has $n = {n}$ tokens. Positions are counted from 0. The first $m = {m}$ tokens, the prefix, are a question, and the
others are its answer, which the model learns to write.

a) For the bidirectional, the causal and the prefix mask, how many pairs of a query and a key are allowed in all? For the prefix
mask, give also the number for each position.

b) Under each of the three masks, does the output at position {position} of the last block change if the token at position {position + 1} is replaced? If
the last token is replaced?

c) A programmer uses $\max(m + 1,\, i + 1)$ for the prefix mask. How many more pairs are allowed, and which prediction is spoilt? Does the
training loss rise or fall, and how does the model do when it has to write?
"""
    answer = rf"""a) Bidirectional: $n^2 = {both}$. Causal: $1 + \cdots + {n} = {causal}$. Prefix: position $i$ sees $\max({m},\, i + 1)$ tokens, which is
${tex(prefix)}$, together ${number}$.

b) Position {position} sees position {position + 1} under the bidirectional mask and, since both are in the prefix, under the prefix
mask, not under the causal one. The last token is seen under the bidirectional mask only. Several blocks do not
change this, because no token that is seen sees more.

c) The numbers become ${tex(leaking)}$: one more for each of the first $m$ positions, so ${m}$ more pairs. The last token of the prefix,
position {m - 1}, has to predict the token at position {m}, which it can now see. So this prediction is
copied, and the training loss falls. When the model writes, this token is not there yet: the first token that it writes is bad. No other prediction is spoilt, because the
earlier positions of the prefix predict nothing.

**Rubric** (10 points)

- 3 points: the three numbers.
- 1 point: the numbers for the positions.
- 2 points: all answers of b.
- 1 point: the additional pairs.
- 2 points: the last token of the prefix sees its answer.
- 1 point: the loss falls, and writing fails at the first token.
"""
    wrong = m * m + (n - m) * n
    mistake = rf"""The positions after the prefix are given all {n} tokens, as if only the prefix had to be kept from what follows. The prefix mask
would allow ${m} \cdot {m} + {n - m} \cdot {n} = {wrong}$ pairs. What is written must not see what comes after it."""
    result = {
        "bidirectional": both,
        "causal": causal,
        "visible": prefix,
        "prefix": number,
        "leaking": leaking,
        "more": m,
    }
    drawn = {"n": n, "m": m}
    return Question(
        "Three masks counted",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"prefix": wrong},
    )


def two_vocabularies(random) -> Question:
    """The perplexity of a sentence in words and in pieces of words."""
    while True:
        words = tuple(random.randint(1, 8) for _ in range(4))
        pieces = tuple(random.randint(1, 4) for _ in range(random.choice([6, 8])))
        if sum(words) % 4 or sum(pieces) % len(pieces) or len(set(words)) < 3:
            continue
        if len(set(pieces)) > 1 and 0 < abs(sum(words) - sum(pieces)) < 9:
            break
    n = len(pieces)
    exponents = sum(words), sum(pieces)
    perplexity, other = 2 ** (exponents[0] // 4), 2 ** (exponents[1] // n)
    better = "the first" if exponents[0] < exponents[1] else "the second"
    per_word = tex(Fraction(exponents[1], 4))
    naive = Fraction(sum(2**e for e in words), 4)
    shown = [
        tuple(Fraction(1, 2**exponent) for exponent in each) for each in (words, pieces)
    ]
    rows = [
        (name, ", ".join(f"${tex(p)}$" for p in each))
        for name, each in zip(("first, 4 words", f"second, {n} pieces"), shown)
    ]
    text = rf"""Two language models read the same sentence of four words. The first has words as tokens, the second pieces of words. They give the right tokens, one
after the other, the probabilities $P(x_t \mid x_1, \ldots, x_{{t-1}})$:

{table(("model", "probabilities"), *rows)}

a) For each model, compute the probability of the sentence, as a power of 2, and the perplexity per token.

b) Which of the two predicts the sentence better? Compute the perplexity of the second model per *word*, as a power of 2.

c) A third model gives each of the $k$ words of its vocabulary the same probability. What is its perplexity? How large may $k$ be, so that it is not worse than
the first model on this sentence, and why does a perplexity mean nothing without its unit?
"""
    answer = rf"""a) The probabilities are multiplied, so the exponents are added: $2^{{-{exponents[0]}}}$ for the first model and
$2^{{-{exponents[1]}}}$ for the second. The perplexity is the exponential of the mean of $-\ln P$, here $2^{{{exponents[0]} / 4}} = {perplexity}$ and
$2^{{{exponents[1]} / {n}}} = {other}$.

b) A better prediction is a larger probability for the same sentence, so {better} model is better. The pieces of the second belong to four
words, so it has per word the perplexity $2^{{{exponents[1]} / 4}}$, with the exponent ${per_word}$. That of the first has the exponent ${tex(Fraction(exponents[0], 4))}$.

c) Its perplexity is $k$, so $k \le {perplexity}$. Perplexity counts equally likely choices for one token. If a word is cut into more
pieces, each piece is easier, and there are more of them. Only per word, per byte or for the whole text are different vocabularies compared.

**Rubric** (10 points)

- 2 points: the probabilities of the sentence.
- 3 points: both perplexities.
- 2 points: the better model, by the probability of the sentence.
- 1 point: the perplexity per word.
- 1 point: the third model's perplexity and the largest vocabulary.
- 1 point: more pieces are more, and easier, choices.
"""
    mistake = rf"""The numbers $1/P$ are averaged, instead of their logarithms. The first perplexity would be ${tex(naive)}$. Probabilities
multiply, so the mean is the geometric one."""
    drawn = dict(zip(("words", "pieces"), shown))
    result = {
        "perplexity": perplexity,
        "per piece": other,
        "exponent": Fraction(exponents[1], 4),
        "better": better,
    }
    return Question(
        "Words and pieces of words",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"perplexity": naive},
    )


QUESTIONS = three_masks, two_vocabularies
