"""Questions on chapter 8, Transformers for vision."""

from grading.exam import Question, fractions, mean, table, tex, weighted_sum


def patches_and_weights(random) -> Question:
    """The patch of a pixel, and what patches cost."""
    s, C = random.choice([2, 4]), random.choice([1, 3])
    rows, columns = random.sample([2, 3, 4, 5], 2)
    H, W, d = s * rows, s * columns, random.choice([10, 20, 30])
    row, column = random.randrange(s, H), random.randrange(s, W)
    m, width = rows * columns, C * s * s
    patch = row // s * columns + column // s + 1
    parameters = width * d + d + d + (m + 1) * d
    weights = (m + 1) ** 2
    finer = (4 * m + 1) ** 2
    text = rf"""A vision Transformer reads images with $C = {C}$ channel{"s" if C > 1 else ""}, $H = {H}$ rows and $W = {W}$ columns of pixels, in patches of
${s} \times {s}$. The tokens have the dimension $d = {d}$. The first block receives
$$\mathbf{{Z}} = [\mathbf{{x}}_\mathrm{{cls}};\ \mathbf{{x}}_1 \mathbf{{E}} + \mathbf{{b}};\ \ldots;\ \mathbf{{x}}_m \mathbf{{E}} + \mathbf{{b}}] + \mathbf{{P}} .$$

a) How many patches are there, and how many numbers has $\mathbf{{x}}_i$? Patches are counted row by row from 1. In which patch is the pixel
in row ${row}$ and column ${column}$, both counted from 0?

b) How many parameters have $\mathbf{{E}}$, $\mathbf{{b}}$, $\mathbf{{x}}_\mathrm{{cls}}$ and $\mathbf{{P}}$ together? How many attention weights does one head compute for one
image?

c) The side of a patch is halved. How many attention weights are there now? Which of the four in b need new shapes, and why
can the blocks keep all their weights?
"""
    answer = rf"""a) There are $m = {rows} \cdot {columns} = {m}$ patches, each of $C s^2 = {C} \cdot {s}^2 = {width}$ numbers. The pixel lies below
${row // s}$ whole row{"s" if row // s > 1 else ""} of ${columns}$ patches, and ${column // s}$ patch{"es" if column // s != 1 else ""} to its left belong to its own row. So it is in patch
${row // s} \cdot {columns} + {column // s} + 1 = {patch}$.

b) $\mathbf{{E}}$ has ${width} \cdot {d} = {width * d}$, $\mathbf{{b}}$ and $\mathbf{{x}}_\mathrm{{cls}}$ have ${d}$ each, and $\mathbf{{P}}$ has $(m + 1)\,d = {(m + 1) * d}$, together
${parameters}$. The token `<cls>` is a query and a key as well, so a head computes $(m + 1)^2 = {weights}$ weights.

c) There are four times as many patches, ${4 * m}$, and so ${4 * m + 1}^2 = {finer}$ weights. $\mathbf{{E}}$ gets fewer rows, since a
patch has fewer pixels, and $\mathbf{{P}}$ gets more. The blocks keep theirs: projections and MLP are applied to each token, and attention takes any number of
tokens.

**Rubric** (10 points)

- 2 points: the number of patches and their size.
- 1 point: the patch of the pixel.
- 2 points: the parameters, with all four parts.
- 2 points: the weights of a head.
- 1 point: the weights with smaller patches.
- 2 points: new shapes for the embedding and the positions only, with the reason.
"""
    mistake = rf"""The token `<cls>` is forgotten: a head would compute $m^2 = {m * m}$ weights. But `<cls>` attends to all patches, from which
it collects what the label needs, and they attend to it."""
    drawn = {"C": C, "H": H, "W": W, "s": s, "d": d, "row": row, "column": column}
    result = {
        "patches": m,
        "width": width,
        "patch": patch,
        "parameters": parameters,
        "weights": weights,
        "finer": finer,
    }
    return Question(
        "Patches and what they cost",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"weights": m * m},
    )


def exchanged_patches(random) -> Question:
    """What the token of the class collects if two patches change places."""
    while True:
        base = random.choice([2, 3])
        places = tuple(random.sample(range(3), 3))
        contents = tuple(random.sample(range(-3, 12), 3))
        i, j = sorted(random.sample(range(3), 2))
        parts = [base**place for place in places]
        moved = list(contents)
        moved[i], moved[j] = moved[j], moved[i]
        output, after = mean(parts, contents), mean(parts, moved)
        plain = mean((1, 1, 1), contents)
        if len({output, after, plain}) == 3:
            break
    weights = fractions(parts)
    head = ("place", "$c_i$", r"$\mathbf{p}_i$")
    rows = [(k + 1, f"${contents[k]}$", f"$(0, {places[k]})$") for k in range(3)]
    text = rf"""An image is cut into three patches. Patch $i$ becomes the token $(c_i, 0) + \mathbf{{p}}_i$, where $c_i$ depends on its pixels and
$\mathbf{{p}}_i$ is the position vector:

{table(head, *rows)}

The query of `<cls>` is $(0, \ln {base})$. Keys are the tokens themselves, the score is the dot product (not divided), and the value of a token is its
first number. A mask hides `<cls>` from itself.

a) Compute the weights and the output of `<cls>`.

b) The contents of the patches {i + 1} and {j + 1} of the image change places. Compute the output.

c) Now the position vectors are left out. Compute the output before and after the exchange. What can such a model never
tell about an image, however many blocks it has?
"""
    answer = rf"""a) The scores are $\ln {base}$ times ${", ".join(map(str, places))}$, because the query reads only the second number, and that comes from the
position. The exponentials are ${", ".join(map(str, parts))}$, the weights ${tex(weights)}$, and the output is
$${weighted_sum(weights, contents)} = {tex(output)} .$$

b) Position vectors belong to places, not to contents. So the weights of the three places stay, and the contents are now
${", ".join(map(str, moved))}$. The output is ${tex(after)}$.

c) Without position vectors all scores are 0 and the output is the mean, ${tex(plain)}$, before and after. Equal numbers are summed,
only in another order. In any number of blocks, an exchange of patches exchanges their outputs and leaves that of `<cls>` as it is. The model cannot
tell where anything is in the image, only which patches there are.

**Rubric** (10 points)

- 2 points: the weights.
- 1 point: the output of a.
- 3 points: weights stay with the places, and the output of b.
- 2 points: the mean in c, twice.
- 2 points: without positions, the arrangement of the patches has no influence.
"""
    mistake = rf"""The weights are moved along with the patches, so that the output of b would be the old one, ${tex(output)}$. This is so only
if position vectors moved, too, or if scores depended on contents alone."""
    drawn = {
        "base": base,
        "places": places,
        "contents": contents,
        "exchanged": (i, j),
    }
    result = {"weights": weights, "output": output, "exchanged": after, "plain": plain}
    return Question(
        "Two patches change places",
        10,
        text,
        answer,
        mistake,
        drawn,
        result,
        {"exchanged": output},
    )


QUESTIONS = patches_and_weights, exchanged_patches
