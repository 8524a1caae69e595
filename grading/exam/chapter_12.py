"""Questions on chapter 12, a model that answers."""

from fractions import Fraction
from math import isqrt

from grading.exam import Question, tex


def implied_reward(random) -> Question:
    """The margin of a comparison under DPO, and what it does not see."""
    while True:
        beta = random.choice([1, 2])
        exponents = tuple(tuple(random.randint(1, 5) for _ in range(2)) for _ in range(4))
        chosen, reference, rejected, other = map(sum, exponents)
        gains = reference - chosen, other - rejected  # of log P, in units of ln 2
        power, wrong = beta * (gains[0] - gains[1]), beta * (rejected - chosen)
        if (
            0 < abs(power) <= 4
            and power != wrong
            and gains[0]
            and gains[1]
            and abs(wrong) < 7
        ):
            break
    new, old, new_other, old_other = (
        tuple(Fraction(1, 2**e) for e in each) for each in exponents
    )
    odds, naive = Fraction(2) ** power, Fraction(2) ** wrong
    probability = odds / (1 + odds)

    def product(factors):
        return r" \cdot ".join(map(tex, factors))

    text = rf"""For one question, an answer $\mathbf{{y}}$ is preferred to $\mathbf{{y}}'$. Both have two tokens. The probabilities of the tokens are

- of $\mathbf{{y}}$: ${tex(new)}$ in the model, and ${tex(old)}$ in the reference,
- of $\mathbf{{y}}'$: ${tex(new_other)}$ in the model, and ${tex(old_other)}$ in the reference.

Use $\beta = {beta}$, and logarithms as multiples of $\ln 2$.

a) Compute the implied rewards of both answers, up to the common term $\beta \ln Z(\mathbf{{x}})$, and their difference, the *margin*.

b) Compute the probability $\mathrm{{sigmoid}}(R(\mathbf{{x}}, \mathbf{{y}}) - R(\mathbf{{x}}, \mathbf{{y}}'))$ of this preference as a fraction. What are the margin and
this probability before the first step, when the model is the reference?

c) In training, the probabilities of $\mathbf{{y}}$ and of $\mathbf{{y}}'$ in the model both fall to a quarter. How does the loss change? What does this say about the goal
of DPO?
"""
    answer = rf"""a) The probability of $\mathbf{{y}}$ is ${product(new)} = 2^{{-{chosen}}}$ in the model and $2^{{-{reference}}}$ in the reference, so its
reward is $\beta \ln (2^{{-{chosen}}} / 2^{{-{reference}}}) = {beta * gains[0]} \ln 2$. That of $\mathbf{{y}}'$ is $2^{{-{rejected}}}$ and $2^{{-{other}}}$, and its reward is $\beta \ln (2^{{-{rejected}}} / 2^{{-{other}}}) = {beta * gains[1]} \ln 2$. In units
of $\ln 2$ the rewards are ${tex((beta * gains[0], beta * gains[1]))}$, and their difference is ${power}$.

b) The exponential of the difference is $2^{{{power}}} = {tex(odds)}$. With $\mathrm{{sigmoid}}(z) = e^z / (1 + e^z)$ the probability is ${tex(probability)}$. Before the
first step all rewards are 0, so the margin is 0 and the probability $\tfrac{{1}}{{2}}$.

c) Both rewards fall by ${beta} \cdot 2 \ln 2$, and their difference stays. So the loss stays the same, although the preferred answer has become less
probable. DPO trains the difference only. The probability of the good answer may fall, if that of the bad one falls as much or more.

**Rubric** (10 points)

- 2 points: the probabilities of the answers as products.
- 3 points: the two rewards and the difference.
- 2 points: the probability of the preference.
- 1 point: margin 0 and one half at first.
- 2 points: the loss stays, because only the difference counts.
"""
    mistake = rf"""The reference is left out and $\beta \ln (P(\mathbf{{y}}) / P(\mathbf{{y}}'))$ taken for the difference. In units of $\ln 2$ it would be ${wrong}$, and
the probability ${tex(naive / (1 + naive))}$. Then an answer has a high reward because the reference already found it probable, for example because it is short."""
    drawn = {
        "beta": beta,
        "chosen": (new, old),
        "rejected": (new_other, old_other),
    }
    result = {
        "rewards": (beta * gains[0], beta * gains[1]),
        "difference": power,
        "probability": probability,
    }
    return Question(
        "The reward in a comparison",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"difference": wrong, "probability": naive / (1 + naive)},
    )


def group_of_answers(random) -> Question:
    """The advantages in a group of answers, and a ratio that is clipped."""
    while True:
        rewards = tuple(random.randint(0, 9) for _ in range(random.choice([3, 4])))
        G, total = len(rewards), sum(rewards)
        variance = sum((reward - Fraction(total, G)) ** 2 for reward in rewards) / (G - 1)
        root = isqrt(variance.numerator), isqrt(variance.denominator)
        square = tuple(n * n for n in root) == variance.as_integer_ratio()
        if total % G == 0 and square and variance and len(set(rewards)) > 2:
            break
    center, deviation = total // G, Fraction(*root)
    advantages = tuple((reward - center) / deviation for reward in rewards)
    best, worst = (advantages.index(pick(advantages)) for pick in (max, min))
    ratio, clip = random.choice(["1.4", "1.5", "2"]), Fraction(1, 5)
    rho, bound = Fraction(ratio), 1 + clip
    good, bad = min(rho, bound) * advantages[best], rho * advantages[worst]
    clipped = bound * advantages[worst]
    text = rf"""A model draws {G} answers to a question. They get the rewards ${", ".join(map(str, rewards))}$.

a) Compute the advantages $\hat{{R}}_i$ of all answers as GRPO was published: divide the differences from the mean by the standard deviation of the sample, with $G - 1$.

b) The same answers are used for a second step. The ratio of a token is now $\rho = {ratio}$, once in the best answer and once in the worst one. With $\varepsilon = 0.2$
on both sides, compute $\min\big(\rho \hat{{R}},\, \mathrm{{clip}}(\rho, 1 - \varepsilon, 1 + \varepsilon)\, \hat{{R}}\big)$ for both. For which of the two tokens does this term have
a gradient, and why is that sensible?

c) Somebody adds 10 to all rewards, and somebody else multiplies them by 2. How do the advantages change? In another group all answers have the reward 1.
What does the model learn from these rewards?
"""
    answer = rf"""a) The mean is ${center}$. The sum of the squared deviations is ${tex(variance * (G - 1))}$. Divided by ${G - 1}$ it is ${tex(variance)}$, so
the standard deviation is ${tex(deviation)}$. The advantages are ${tex(advantages)}$.

b) The clipped ratio is $1.2$. In the best answer $\hat{{R}} = {tex(advantages[best])}$ is positive, and the smaller product is that with $1.2$: ${tex(good)}$. In the
worst one $\hat{{R}} = {tex(advantages[worst])}$ is negative, and the smaller product is that with ${ratio}$: ${tex(bad)}$. The first does not depend on
$\rho$ any more and has no gradient: the token has already become more probable by enough. The second has one, since the token of a bad answer has become more
probable, which has to be undone.

c) They stay as they are in both cases. The mean is subtracted, and the factor is divided out. In a group of equal rewards all advantages are 0, and the
model learns nothing from them.

**Rubric** (10 points)

- 2 points: mean and standard deviation.
- 2 points: the advantages.
- 3 points: both minima.
- 1 point: a gradient for the bad answer only, with the reason.
- 1 point: no change by a shift or a factor.
- 1 point: equal rewards teach nothing.
"""
    mistake = rf"""The ratio is always clipped. The term of the worst answer would be ${tex(clipped)}$, without a gradient, and the token of a bad answer
would stay as probable as it has become. The minimum takes the clipped product only where it is the smaller one."""
    drawn = {"rewards": rewards, "ratio": ratio}
    result = {
        "deviation": deviation,
        "advantages": advantages,
        "best": good,
        "worst": bad,
    }
    return Question(
        "A group of answers",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"worst": clipped},
    )


QUESTIONS = implied_reward, group_of_answers
