"""Questions on chapter 13, attention without the square."""

from fractions import Fraction

from grading.exam import Question, mean, question


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
    drawn = {"scores": scores, "values": values}
    result = {
        "first sum": old[0],
        "first weighted sum": old[1],
        "factor": factor,
        "sum": total,
        "weighted sum": weighted,
        "output": output,
    }
    return question("13_two_blocks", locals(), drawn, result, {"output": wrong})


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
    drawn = {"key": k, "values": (a, b, c)}
    result = {
        "added": added,
        "after two": delta,
        "after three": final,
        "answer": read,
    }
    return question("13_written_twice", locals(), drawn, result, {"answer": wrong})


QUESTIONS = two_blocks, written_twice
