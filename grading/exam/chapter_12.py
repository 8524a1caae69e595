"""Questions on chapter 12, a model that answers."""

from fractions import Fraction
from math import isqrt

from grading.exam import Question, question


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
    rewards = beta * gains[0], beta * gains[1]
    drawn = {
        "beta": beta,
        "chosen": (new, old),
        "rejected": (new_other, old_other),
    }
    result = {
        "rewards": rewards,
        "difference": power,
        "probability": probability,
    }
    return question(
        "12_implied_reward",
        locals(),
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
    drawn = {"rewards": rewards, "ratio": ratio}
    result = {
        "deviation": deviation,
        "advantages": advantages,
        "best": good,
        "worst": bad,
    }
    return question("12_group_of_answers", locals(), drawn, result, {"worst": clipped})


QUESTIONS = implied_reward, group_of_answers
