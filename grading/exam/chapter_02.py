"""Questions on chapter 2, attention pooling by similarity."""

from fractions import Fraction

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


def kernel_width(random) -> Question:
    """An estimate with a kernel at two widths, and its limits."""
    x = random.randint(1, 5)
    while True:
        offsets = random.sample([-4, -2, 0, 2, 4], 3)
        values = tuple(random.sample(range(1, 13), 3))
        if 0 in offsets and 3 * values[offsets.index(0)] != sum(values):
            break
    keys = tuple(x + offset for offset in offsets)
    distances = [abs(offset) for offset in offsets]
    wide, narrow = (
        [Fraction(1, 2 ** (distance // width)) for distance in distances]
        for width in (2, 1)
    )
    estimate, sharp = mean(wide, values), mean(narrow, values)
    plain, closest = mean((1, 1, 1), values), values[distances.index(0)]
    unnormalised = sum(k * v for k, v in zip(wide, values))
    rows = (("$x_i$", *(f"${key}$" for key in keys)), ("$y_i$", *map(str, values)))
    text = rf"""Three measurements are given. The kernel is $\kappa(u) = 2^{{-\lvert u \rvert}}$ at
$u = (x - x_i) / \sigma$.

{table(("", "1", "2", "3"), *rows)}

a) Compute the weights and the Nadaraya–Watson estimate at $x = {x}$ with $\sigma = 2$.

b) Compute both with $\sigma = 1$.

c) To which number does the estimate tend for $\sigma \to \infty$, and to which for $\sigma \to 0$? Say in one
sentence what is wrong with each of these two as a prediction from noisy measurements.
"""
    answer = rf"""a) The distances are ${", ".join(map(str, distances))}$. Divided by 2, they give the kernel
${", ".join(map(tex, wide))}$, with the sum ${tex(sum(wide))}$. The weights are ${tex(fractions(wide))}$, and the estimate is

$${weighted_sum(fractions(wide), values)} = {tex(estimate)} .$$

b) The kernel is ${", ".join(map(tex, narrow))}$, with the sum ${tex(sum(narrow))}$. The weights are ${tex(fractions(narrow))}$, and the
estimate is ${tex(sharp)}$.

c) For a large width all kernels tend to 1, and the estimate to the plain mean, ${tex(plain)}$. It is the same for all
$x$, so that the shape of the curve is lost. For a small width the nearest measurement gets all the weight, and the
estimate tends to ${closest}$. It repeats the noise of this one measurement.

**Rubric** (10 points)

- 3 points: kernel and weights of a.
- 2 points: the estimate of a.
- 2 points: weights and estimate of b.
- 2 points: the two limits.
- 1 point: no shape with a large width, and all the noise with a small one.
"""
    mistake = f"""The kernel's numbers are used as weights without dividing by their sum. The estimate in a
would be ${tex(unnormalised)}$. Such numbers do not sum to 1, so the result depends on how many measurements are near."""
    drawn = {"x": x, "keys": keys, "values": values}
    result = {
        "weights": fractions(wide),
        "estimate": estimate,
        "narrow weights": fractions(narrow),
        "narrow estimate": sharp,
        "mean": plain,
        "nearest": closest,
    }
    return Question(
        "Two widths of a kernel",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"estimate": unnormalised},
    )


def leave_one_out(random) -> Question:
    """Two widths of a boxcar kernel, compared by errors on what was left out."""
    while True:
        values = a, b, c, d = tuple(random.randint(0, 12) for _ in range(4))
        halves, thirds = (a + c, b + d, b + c), (a + c + d, a + b + d)
        if any(n % 2 for n in halves) or any(n % 3 for n in thirds):
            continue
        predicted = {reach: predictions(values, reach) for reach in (1, 2)}
        errors = {
            reach: sum((p - y) ** 2 for p, y in zip(predicted[reach], values))
            for reach in predicted
        }
        own = sum((p - y) ** 2 for p, y in zip(predictions(values, 1, True), values))
        if len(set(values)) > 2 and len({*errors.values(), own, 0}) == 4:
            break
    better = {1: "1.5", 2: "2.5"}[min(errors, key=errors.get)]
    rows = (("$x_i$", "0", "1", "2", "3"), ("$y_i$", *map(str, values)))
    text = rf"""Four measurements are given. The kernel is the boxcar, $\kappa(u) = 1$ for $\lvert u \rvert < 1$ and
otherwise 0, at $u = (x - x_i) / \sigma$.

{table(("", "1", "2", "3", "4"), *rows)}

a) Each measurement is to be predicted from the *other three*. Compute the four predictions, and the sum of
their squared errors, for $\sigma = 1.5$ and for $\sigma = 2.5$. Which width is better?

b) Somebody predicts each measurement from *all four* and finds that $\sigma = 0.5$ is best. What is the sum of
squared errors of this width, and why does it say nothing about predictions at new positions?
"""
    answer = rf"""a) With $\sigma = 1.5$ the measurements at distance 1 count, with equal weights. The predictions are
${tex(predicted[1])}$, and the sum of the squared errors is ${tex(errors[1])}$.

With $\sigma = 2.5$ those at distances 1 and 2 count. The predictions are ${tex(predicted[2])}$, and the sum is ${tex(errors[2])}$.
So $\sigma = {better}$ is better.

b) With $\sigma = 0.5$ only the measurement itself counts, which lies at the distance 0. It predicts itself, so the
sum is 0 for any values, also for pure noise. At a new position there is no such measurement, and between the
given ones no key at all may be near enough.

**Rubric** (10 points)

- 2 points: which measurements count at each width.
- 2 points: the predictions for the first width.
- 2 points: the predictions for the second width.
- 2 points: both sums and the better width.
- 2 points: 0 in b, because each measurement predicts itself.
"""
    mistake = rf"""Each measurement takes part in its own prediction. With $\sigma = 1.5$ the sum of squared errors would be
${tex(own)}$. It is no measure of how well other positions are predicted, and it always prefers the smallest width."""
    result = {
        "predictions 1.5": predicted[1],
        "predictions 2.5": predicted[2],
        "error 1.5": errors[1],
        "error 2.5": errors[2],
        "better": better,
    }
    return Question(
        "Choosing a width",
        10,
        text,
        answer,
        mistake,
        {"values": values},
        result,
        {"error 1.5": own},
    )


def predictions(values, reach, itself=False) -> tuple:
    """The mean of the values at most `reach` places away, for each place."""
    return tuple(
        mean([1] * len(near), near)
        for i in range(len(values))
        if (
            near := [
                value
                for j, value in enumerate(values)
                if abs(i - j) <= reach and (itself or i != j)
            ]
        )
    )


QUESTIONS = kernel_width, leave_one_out
