"""The figures that answer, in a browser: what they compute, keyboard, touch, dark mode.

Slow, and needs Chromium or Chrome. The figures come from the package, not from the book.
"""

import io
import json
import math
import re
from importlib import resources

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from helpers import random
from PIL import Image
from torch.testing import assert_close

import d2lmini as d2l

pytestmark = pytest.mark.slow
TOKENS = "the cat slept because it ate".split()
KEYS = ["Zhang", "Lipton", "<b>&"]


class Tokenizer:
    def decode(self, ids):
        return f" {ids[0]}"


def truth(x):
    return 2 * torch.sin(x) + x


SCORES, LOGITS = random(2, 3), 3 * random(3000)
WORDS = 2 * random(6, 6, seed=1)
X = torch.sort(5 * torch.rand(20, generator=torch.Generator().manual_seed(0))).values
Y, GRID = truth(X) + random(20, seed=2), torch.arange(0, 5.01, 0.1)
ANGLES, VALUES = torch.arange(6) / 2, random(6, 2, seed=8)
MEMORY, PAIRS = random(3, 2, seed=12), [(0, 0), (2, 1), (0, 1)]
QUERY, KEY = random(8, seed=3), random(8, seed=4)
WEIGHTS = torch.softmax(3 * random(2, 2, 3, 4, seed=5), dim=-1)
TILES = torch.rand(2, 1, 4, 6, generator=torch.Generator().manual_seed(7))
ASKED = torch.softmax(3 * random(2, 2, 7, 7, seed=8), dim=-1)  # (blocks, images, n, n)
PLACES = ["<cls>", *(f"place {i}" for i in range(6))]
PHOTO = torch.rand(1, 3, 6, 4, generator=torch.Generator().manual_seed(9))
GIVEN = torch.softmax(3 * random(2, 1, 7, 7, seed=10), dim=-1)  # of a photograph's patches
ATTENDED, STAGES = torch.softmax(WORDS, dim=-1), 2 * random(5, 6, 4, seed=6)
LENGTHS = [3, 9, 4, 2, 6, 1, 8, 2, 5]  # tokens that requests write
PLANE = torch.tensor([[0.0, 0], [2, 0], [0, 2], [0, 0], [1, 0], [0, 2]])
HANDLES = {"the query": (1.5, 0.5)}
ROWS = {"row 1": (1.0, 0.5), "row 2": (2.0, 0.0)}


def show_stage():
    """A query that can learn to find the cat, or a dog in its place."""
    preset = {"nothing": [(0.0, 0.0)]}
    d2l.show_stage(TOKENS, PLANE, HANDLES, preset, target=1, swap=(1, ["cat", "dog"]))


def show_rows():
    """The queries of all tokens, from the rows of a matrix."""
    preset = {"as they are": [(1.0, 0.0), (0.0, 1.0)]}
    d2l.show_stage(TOKENS, PLANE, ROWS, preset, rows=PLANE, token=4)


def show_sentences(texts):
    """Two heads, named x and y, of which it shows y, and at first the query it."""
    weights = [ATTEND[:, : len(tokens), : len(tokens)] for tokens in texts]
    d2l.show_attention(weights, texts, texts, heads=["x", "y"], head=2, query="it")


RACE = resources.files("d2lmini") / "data" / "race.json"
RACE = json.loads(RACE.read_text(encoding="utf-8"))["sentences"]


def show_race():
    steps = [step for family in RACE for step in family["steps"]]
    mistakes = [[step[kind]["mistakes"] for kind in RACERS] for step in steps]
    rows = [" ".join(step["source"]) for step in steps]
    d2l.show_interactive("race.js", "Race", {"sentences": RACE}, mistakes, rows, RACERS)


RACERS = ["one vector", "attention"]
HEADS = d2l.smollm2_heads()
NUMBERS = [f"{head['layer']}.{head['head']}" for head in HEADS["heads"]]
NAMES = [f"{head['rule']} ({n})" for head, n in zip(HEADS["heads"], NUMBERS)]


def without_heads(text):
    """What the table of a beginning has: five words, and the first one's control."""
    (_, p), *_ = text["next"]
    rows = [
        [p, *(head["without"][i] for head in text["heads"])]
        for i, (_, p) in enumerate(text["next"])
    ]
    return [*rows, [p, *(head["others"][0] for head in text["heads"])]]


def show_mute():
    data = {"beginnings": HEADS["beginnings"], "heads": NUMBERS, "names": NAMES}
    numbers = without_heads(HEADS["beginnings"][0])
    d2l.show_interactive("mute.js", "Mute", data, numbers, list("abcdef"), ["all", *NAMES])


DOCUMENTS = [{"first": 2, **document} for document in d2l.smollm2_reading()["documents"]]


def expected(document, k):
    """What the table of a token has: the five likeliest at its place, and itself."""
    p, likeliest = document["next"][k - 1]
    return [*([prob] for _, prob in likeliest), [p]]


def show_reading():
    data, rows = {"documents": DOCUMENTS}, list("abcdef")
    numbers = expected(DOCUMENTS[0], 2)
    d2l.show_interactive("reading.js", "Reading", data, numbers, rows, ["probability"])


ATTEND = torch.softmax(3 * random(2, 7, 7, seed=11), dim=-1)
SIGHT = d2l.masked_softmax(4 * random(20, 6, 6, seed=13), mask=d2l.causal_mask(6)).view(
    5, 4, 6, 6
)
FIGURES = {
    "softmax": lambda: d2l.show_softmax(SCORES, ["one", "two"], KEYS, temperature=0.3),
    "sampling": lambda: d2l.show_sampling(LOGITS, Tokenizer()),
    "kernel": lambda: d2l.show_kernel_width(X, Y, GRID, truth(GRID)),
    "mask": lambda: d2l.show_masks(WORDS, TOKENS),
    "pretraining": lambda: d2l.show_pretraining_masks(TOKENS, 3, prefix=2, token=1),
    "order": lambda: d2l.show_order(
        TOKENS, WORDS, VALUES, token=4, second=[4, 2, 3, 0, 1, 5], angles=ANGLES
    ),
    "clocks": lambda: d2l.show_clocks(32, pairs=[0, 2, 4, 6], i=7),
    "memory": lambda: d2l.show_memory(KEYS, MEMORY, ["yes", "no"], PAIRS),
    "rotary": lambda: d2l.show_rotary(QUERY, KEY, i=7, j=3),
    "block": lambda: d2l.show_block(TOKENS, list("wxyz"), ATTENDED, [*STAGES], token=1),
    "patches": lambda: d2l.show_patches(TILES, ASKED, PLACES, patch_size=2, token=3),
    "photo": lambda: d2l.show_patches(
        PHOTO, GIVEN[:1, :, 1:, 1:], PLACES[1:], patch_size=2, token=3
    ),
    "heads of a photo": lambda: d2l.show_patches(
        PHOTO, GIVEN, PLACES, patch_size=2, token=4, block=2, choice="head"
    ),
    "batching": lambda: d2l.show_batching(LENGTHS, 3, step=4),
    "attention": lambda: d2l.show_attention(WEIGHTS, list("abc"), TOKENS[:4]),
    "stage": show_stage,
    "rows": show_rows,
    "race": show_race,
    "sentences": lambda: show_sentences([TOKENS, PLACES, TOKENS[:3]]),
    "mute": show_mute,
    "reading": show_reading,
    "wall": lambda: d2l.show_wall(SIGHT, TOKENS, "it", "cat", layer=2, head=3),
}
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A figure</title>
<meta name="viewport" content="width=device-width"></head>
<body style="background: {}; color: {}"><main><h1>A figure</h1>{}</main></body></html>"""


def html(name, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    FIGURES[name]()
    return shown[0]["text/html"]


@pytest.fixture
def figure(browser, monkeypatch):
    """A function that shows a figure on a page of its own, with or without its script."""
    contexts = []

    def figure(name, colors=("#fff", "#000"), **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("request", lambda request: page.faults.append(request.url))
        page.set_content(PAGE.format(*colors, html(name, monkeypatch)))
        return page

    yield figure
    for context in contexts:
        context.close()


def table(page):
    """The numbers of the figure's table, a list for each row."""
    rows = page.locator("tbody tr").all()
    return [[float(text) for text in row.locator("td").all_text_contents()] for row in rows]


def move(page, label, value):
    """Move a slider with the arrow keys until it says this value."""
    slider = page.get_by_label(label, exact=True)
    slider.focus()
    slider.press("Home")
    while slider.get_attribute("aria-valuetext") != value:
        before = slider.get_attribute("aria-valuetext")
        slider.press("ArrowRight")
        assert slider.get_attribute("aria-valuetext") != before, f"there is no {value}"


def choose(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def status(page):
    return page.locator("p[aria-live]").text_content()


@pytest.mark.parametrize("name", FIGURES)
def test_the_script_computes_the_numbers_that_torch_computed(figure, name):
    still, page = figure(name, java_script_enabled=False), figure(name)
    assert page.faults == []
    assert_close(torch.tensor(table(page)), torch.tensor(table(still)), atol=0.011, rtol=0)
    assert len(table(page)) > 2


def asked(query):
    """Score and weight of each token of the plane for a query, as a table."""
    scores = PLANE @ torch.tensor(query)
    return torch.stack([scores, torch.softmax(scores / 2**0.5, dim=0)], dim=1)


def test_a_query_is_dragged_moved_by_keys_and_set_by_a_button(figure):
    page = figure("stage", reduced_motion="reduce")
    box = page.locator(".grip").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 42, y - 84, steps=3)  # 42 pixels are one
    page.mouse.up()
    assert_close(torch.tensor(table(page)), asked([0.5, 2.5]), atol=0.011, rtol=0)
    page.locator(".grip").press("ArrowRight")
    page.locator(".grip").press("Shift+ArrowDown")
    assert_close(torch.tensor(table(page)), asked([0.6, 1.5]), atol=0.011, rtol=0)
    assert "The query is (0.60, 1.50)" in status(page)
    choose(page, "nothing")
    assert_close(torch.tensor(table(page)), asked([0.0, 0.0]), atol=0.011, rtol=0)
    assert page.faults == []


def test_a_query_learns_as_gradient_descent_does(figure):
    page = figure("stage", reduced_motion="reduce")
    choose(page, "nothing")
    page.get_by_role("button", name="Learn to find ate").click()
    choose(page, "Learn")
    q = torch.zeros(2, requires_grad=True)
    for _ in range(40):
        loss = -torch.log_softmax(PLANE @ q / 2**0.5, dim=0)[5]
        (gradient,) = torch.autograd.grad(loss, q)
        q = (q - 0.5 * gradient).detach().requires_grad_()
    expected = asked(q.tolist())
    assert_close(torch.tensor(table(page)), expected, atol=0.011, rtol=0)
    assert table(page)[5][1] < 0.5  # *slept* has the same key


def test_learning_can_be_watched_and_stopped(figure):
    page = figure("stage")
    choose(page, "nothing")
    page.wait_for_function("document.querySelector('p').textContent.includes('(0, 0)')")
    learn = page.get_by_role("button", name="Learn", exact=True)
    learn.click()
    assert learn.get_attribute("aria-pressed") == "true"
    learn.click()
    assert learn.get_attribute("aria-pressed") == "false"
    before = table(page)
    page.wait_for_timeout(300)
    assert table(page) == before and before[1][1] > 0.17


def test_the_same_weight_hands_over_a_cat_or_a_dog(figure):
    page = figure("stage", has_touch=True, viewport={"width": 390, "height": 844})
    weight = f"{table(page)[1][1]:.2f}"
    assert f"cat {weight}, dog 0.00" in status(page)
    page.get_by_role("button", name="In the sentence is a dog").tap()
    assert f"cat 0.00, dog {weight}" in status(page)
    assert table(page)[1][1] == float(weight)


def test_rows_of_a_matrix_make_the_queries_of_all_tokens(figure):
    page = figure("rows", reduced_motion="reduce")
    page.locator(".grip").nth(1).press("Shift+ArrowUp")
    W = torch.tensor([[1.0, 0.5], [2.0, 1.0]])
    expected = torch.softmax(PLANE @ W @ PLANE.T / 2**0.5, dim=-1)
    assert_close(torch.tensor(table(page)), expected, atol=0.011, rtol=0)
    page.get_by_role("button", name="Who asks slept").click()
    assert status(page).startswith("slept asks 0 × (1, 0.50) + 2 × (2, 1) = (4, 2)")


def test_the_temperature_is_that_of_a_softmax(figure):
    page = figure("softmax")
    move(page, "Temperature τ", "2")
    expected = torch.softmax(SCORES / 2, dim=-1).T
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    choose(page, "Query two")
    best = expected[:, 1].argmax().item()
    assert status(page).startswith(f"two at τ = 2: {expected[best, 1]:.2f} {KEYS[best]} +")


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [("0.7", "50", "0.9"), ("2", "3,000", "0.95"), ("1.5", "5", "1"), ("1", "200", "0.3")],
)
def test_tokens_are_those_of_next_token_probs(figure, temperature, top_k, top_p):
    page = figure("sampling")
    move(page, "Temperature τ", temperature)
    move(page, "top-k", top_k)
    move(page, "top-p", top_p)
    options = {"top_k": int(top_k.replace(",", "")), "top_p": float(top_p)}
    probs = d2l.next_token_probs(LOGITS, float(temperature), **options)
    expected = probs.sort(descending=True).values
    expected = [*expected[:12].tolist(), expected[12:].sum().item()]
    found = torch.tensor(table(page)).flatten()
    assert_close(found, torch.tensor(expected), atol=0.011, rtol=0)
    count = int(status(page).split()[0].replace(",", ""))
    # Beyond the 200 largest, logits are rounded.
    assert math.isclose(count, (probs > 0).sum().item(), rel_tol=0.03 * (count > 200))


def test_only_tokens_that_can_be_drawn_are_drawn(figure):
    page = figure("sampling")
    move(page, "top-k", "3")
    allowed = {str(token) for token in LOGITS.argsort(descending=True)[:3].tolist()}
    for _ in range(5):
        choose(page, "Draw ten tokens")
        drawn = status(page).removeprefix("Drawn: ").removesuffix(".").split(", ")
        assert len(drawn) == 10 and set(drawn) <= allowed


@pytest.mark.parametrize(
    ("kernel", "name"), [(d2l.gaussian, "Gaussian"), (d2l.boxcar, "boxcar")]
)
def test_the_estimate_is_that_of_nadaraya_and_watson(figure, kernel, name):
    page = figure("kernel")
    choose(page, f"Kernel {name}")
    move(page, "Width σ", "0.7")
    move(page, "Query x", "3.2")
    x = torch.tensor([*range(6), 3.2])
    estimates, _ = d2l.nadaraya_watson(X, Y, x, lambda u: kernel(u / 0.7))
    found = torch.tensor(table(page))
    assert_close(found[:, 1], estimates[:6], atol=0.006, rtol=0)
    assert f"the estimate is {estimates[6]:.2f}" in status(page)


@pytest.mark.parametrize("length", [0, 3, 6])
def test_masks_are_those_of_masked_softmax(figure, length):
    page = figure("mask")
    choose(page, "Mask causal")
    move(page, "Valid length", str(length))
    expected = d2l.masked_softmax(WORDS[None], [length], mask=d2l.causal_mask(6))[0]
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    choose(page, "Query it")
    assert ("may attend to no token" in status(page)) == (length == 0)
    choose(page, "Show scores")
    assert page.locator("svg text", has_text="−∞").count() == (expected == 0).sum()


PREDICTED = {  # under each mask, with a prefix of four tokens, of which because is hidden
    "bidirectional": [None, None, None, "because", None, None],
    "causal": [*TOKENS[1:], None],
    "prefix": [None, None, None, *TOKENS[4:], None],
}


@pytest.mark.parametrize("mask", PREDICTED)
def test_masks_of_pretraining_are_those_of_chapter_10(figure, mask):
    page = figure("pretraining")
    choose(page, "Mask prefix")
    move(page, "Prefix length", "4")
    choose(page, f"Mask {mask}")
    lens = d2l.valid_lens_for(mask, [6], 6, [4] if mask == "prefix" else None)
    assert table(page) == d2l.length_mask(lens, 6)[0].int().tolist()
    for row, (name, target) in enumerate(zip(TOKENS, PREDICTED[mask])):
        if row % 2:
            page.locator(f"[data-row='{row}']").click()
        else:
            choose(page, f"Token {name}")
        seen = "all tokens" if lens[0, row] == 6 else ", ".join(TOKENS[: lens[0, row]])
        text = status(page).replace("<mask>", TOKENS[3])
        assert text.startswith(
            f"{name} may attend to {seen}, and has to predict {target or 'nothing'}."
        )


def in_order(order, turn=0.0):
    """The weights of *it* and the outputs of all tokens, whose queries are turned back."""
    order = torch.tensor(order)
    positions = 2 * (ANGLES[:, None] - turn - ANGLES).cos()
    weights = (WORDS[order][:, order] + positions).softmax(dim=-1)
    numbers = torch.empty(6, 3)
    numbers[order, 0] = weights[order == 4][0]
    numbers[order, 1:] = weights @ VALUES[order]
    return numbers


def test_the_outputs_of_tokens_in_any_order_are_those_of_attention(figure):
    page = figure("order", has_touch=True)
    for name in ("ate", "it", "cat"):
        page.get_by_role("button", name=f"Move {name} to the front").tap()
    expected = in_order([1, 4, 5, 0, 2, 3])  # cat it ate the slept because
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    assert status(page).startswith("cat it ate the slept because: it gives ")
    assert page.locator("svg text", has_text="changed").count() == 6
    choose(page, "Second order")
    assert status(page).startswith("it slept because the cat ate: it gives ")
    choose(page, "First order")
    assert page.locator("svg text", has_text="changed").count() == 0


def hand(page, kind):
    """From where to where the hand with this class of color points, in the picture."""
    points = page.locator(f"svg path.{kind}:not(.dashed)").first.get_attribute("d")
    return torch.tensor([float(x) for x in re.findall(r"-?[\d.]+", points)]).view(2, 2)


def test_a_query_is_turned_back_on_the_clock_of_its_positions(figure):
    page = figure("order")
    move(page, "Turn back by", "90°")
    expected = in_order(range(6), math.pi / 2)
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    assert status(page).startswith("the cat slept because it ate, query turned back by 90°")
    (start, end), angle = hand(page, "query"), 4 / 2 - math.pi / 2
    x, y = (end - start).tolist()
    assert math.isclose(math.atan2(x, -y), angle, abs_tol=0.01)  # clockwise from the top


def test_the_hands_of_the_clocks_are_the_columns_of_the_encoding(figure):
    page = figure("clocks")
    move(page, "Position", "44")
    row = d2l.PositionalEncoding(32, 0).P[0, 44].view(-1, 2)[[0, 2, 4, 6]]
    assert_close(torch.tensor(table(page)), row, atol=0.006, rtol=0)
    assert status(page).startswith("Position 44: the hands have made 7.00, 2.21,")


def test_clocks_turn_clockwise_from_the_top_and_rotary_hands_turn_back(figure, monkeypatch):
    ones = torch.tensor([1.0, 0] * 4)  # point to the right
    monkeypatch.setitem(FIGURES, "rotary", lambda: d2l.show_rotary(ones, ones, 7, 3))
    turns = {}
    for name, kind in ("clocks", "plain"), ("rotary", "query"):
        start, end = hand(figure(name), kind)
        x, y = (end - start).tolist()
        turns[name] = math.atan2(x, -y) if name == "clocks" else math.atan2(-y, x)
    for name, turn in turns.items():
        assert math.isclose(turn, 7 - 2 * math.pi, abs_tol=0.01), name


@pytest.mark.parametrize("rule", ["by addition", "by the delta rule"])
def test_a_memory_answers_what_memory_attention_reads(figure, rule):
    page = figure("memory")
    choose(page, f"Write {rule}")
    choose(page, "Write Lipton yes")
    pairs = [*PAIRS, (1, 0)]
    K, V = (
        torch.stack(X)[None, None]
        for X in zip(*((MEMORY[i], torch.eye(2)[j]) for i, j in pairs))
    )
    beta = None if rule == "by addition" else torch.ones(1, 1, len(pairs))
    _, S = d2l.memory_attention(K, K, V, beta=beta)
    expected = MEMORY @ S[0, 0]
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    choose(page, "Ask for Lipton")
    answer = ", ".join(f"{x:.2f}".replace("-", "−") for x in table(page)[1])
    assert status(page).endswith(f"Asked for Lipton, the memory answers ({answer}).")
    assert ("difference" in status(page)) == (rule == "by the delta rule")
    for _ in pairs:
        choose(page, "Take back")
    assert table(page) == [[0, 0]] * 3 and "Nothing is written" in status(page)


def test_a_score_changes_with_the_offset_and_not_if_both_move(figure):
    page = figure("rotary")
    move(page, "Base", "1,000")
    move(page, "Query at", "9")
    rotary = d2l.RotaryEncoding(8, base=1000)
    parts = rotary(QUERY[None], 9) * rotary(KEY[None], 3)
    expected = [*parts.unflatten(1, (4, 2)).sum(-1)[0].tolist(), parts.sum().item()]
    before = table(page)
    assert_close(torch.tensor(before).flatten(), torch.tensor(expected), atol=0.006, rtol=0)
    choose(page, "Move both by +1")
    assert "Query (orange) at 10, key (blue) at 4" in status(page)
    assert table(page) == before
    for _ in range(9):
        choose(page, "Move both by −1")
    assert "Query (orange) at 6, key (blue) at 0" in status(page)  # and no further


def test_a_block_is_read_step_by_step_with_the_keyboard(figure):
    page = figure("block")
    choose(page, "Token it")
    expected = STAGES[:, TOKENS.index("it")]
    assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
    numbers = page.locator("svg text", has_text=re.compile(r"^−?\d+\.\d\d$"))
    button = page.get_by_role("button", name="Next")
    button.focus()
    for step, strips in enumerate([4, 8 + 6, 12 + 6, 16 + 6, 20 + 6], 1):
        assert status(page).startswith(f"Step {step} of 5.")
        assert numbers.count() == strips
        if step == 2:
            best = ATTENDED[4].argmax().item()
            assert f"it attends to {TOKENS[best]} {ATTENDED[4, best]:.2f}" in status(page)
        page.keyboard.press("Enter")
    assert button.is_disabled()
    choose(page, "Back")
    assert status(page).startswith("Step 4 of 5.")


def served(size, continuous):
    """The starts and ends of requests, from a simulation step by step."""
    waiting, left, runs, now = list(range(len(LENGTHS))), {}, [None] * len(LENGTHS), 0
    barred = False
    while waiting or left:
        while waiting and len(left) < size and (continuous or not barred):
            left[waiting[0]], runs[waiting[0]] = LENGTHS[waiting[0]], [now, None]
            waiting.pop(0)
        now += 1
        left = {request: tokens - 1 for request, tokens in left.items()}
        for request in [request for request, tokens in left.items() if not tokens]:
            runs[request][1] = now
            del left[request]
        barred = bool(left)
    return runs, now


def test_requests_enter_a_batch_step_by_step(figure):
    page = figure("batching")
    for size in (1, 3, 5, 8):
        move(page, "Batch size", str(size))
        (static, most), (continuous, least) = served(size, False), served(size, True)
        rows = [[n, *one, *two] for n, one, two in zip(LENGTHS, static, continuous)]
        numbers = torch.tensor(rows, dtype=torch.float64)
        expected = torch.cat([numbers, numbers.mean(dim=0, keepdim=True)])
        found = torch.tensor(table(page), dtype=torch.float64)
        assert_close(found, expected, atol=0.006, rtol=0)
        while page.get_by_role("button", name="Next").is_enabled():
            choose(page, "Next")
        assert status(page).startswith(f"Step {most}. Static batch: {most} steps, slots")
        share = 100 * sum(LENGTHS) / (size * least)
        assert f"Continuous batch: {least} steps, slots busy {share:.0f} %" in status(page)
    choose(page, "Back")
    busy = sum(end >= most for _, end in static)
    assert f"Static batch: {busy} of 8 slots busy, 0 requests waiting." in status(page)


def test_a_batch_plays_until_all_requests_have_ended(figure):
    page = figure("batching")
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on it only moves when it is told
    for _ in range(2):  # the second time it begins anew
        choose(page, "Play")
        page.clock.run_for(1600)
        choose(page, "Pause")
        now = int(re.match(r"Step (\d+)", status(page))[1])
        page.clock.run_for(5000)
        assert status(page).startswith(f"Step {now}.")
        choose(page, "Play")
        page.clock.run_for(30_000)
        assert page.get_by_role("button", name="Play").is_visible()
        assert page.get_by_role("button", name="Next").is_disabled()
    assert now == 3 and page.faults == []


def test_the_attention_of_a_token_is_read_by_mouse_keyboard_and_touch(figure):
    weights = (100 * WEIGHTS + 0.5).int() / 100
    best = {index: row.argmax() for index, row in enumerate(weights[1, 1])}
    page = figure("attention", has_touch=True)
    choose(page, "Block 2")
    choose(page, "Head 2")
    assert_close(torch.tensor(table(page)), weights[1, 1], atol=1e-6, rtol=0)
    query = page.locator(".query-token")
    for index, reach in [
        (0, lambda: query.nth(0).tap()),
        (1, lambda: query.nth(0).focus() or page.keyboard.press("ArrowDown")),
        (2, lambda: [query.nth(2).hover(position={"x": x, "y": 9}) for x in (20, 24)]),
    ]:
        reach()
        expected = f"{'abc'[index]} attends to {TOKENS[best[index]]}"
        assert status(page).startswith(expected), index


def test_sentences_of_several_lengths_share_a_figure(figure):
    page, weights = figure("sentences"), (100 * ATTEND + 0.5).int() / 100
    assert status(page).startswith("it attends to ")
    for sentence, head, tokens in (2, "x", PLACES), (3, "y", TOKENS[:3]), (1, "y", TOKENS):
        choose(page, f"Sentence {sentence}")
        choose(page, f"Head {head}")
        n = len(tokens)
        shown = weights["xy".index(head), :n, :n]
        assert_close(torch.tensor(table(page)), shown, atol=1e-6, rtol=0)
        assert page.locator("thead th").all_text_contents() == tokens
        assert page.locator("tbody th").all_text_contents() == tokens
        assert page.locator("summary").text_content().endswith(f"head {head}: table")
        page.locator(".query-token").nth(n - 1).focus()
        page.keyboard.press("Enter")
        best = tokens[shown[-1].argmax()]
        assert status(page).startswith(f"{tokens[-1]} attends to {best}")
        height = float(page.locator("svg").get_attribute("height"))
        last = page.locator(".key-token").last.bounding_box()
        top = page.locator("svg").bounding_box()["y"]
        assert top < last["y"] < last["y"] + last["height"] < top + height
    assert page.faults == []


@pytest.mark.parametrize("width", [390, 900])
def test_a_head_of_a_wall_is_opened_by_touch_keyboard_and_buttons(figure, width):
    page = figure("wall", has_touch=True, viewport={"width": width, "height": 800})
    parts = (255 * SIGHT).round() / 255
    cells = page.locator("[role=gridcell]")
    assert cells.count() == 20
    for layer, head, reach in [
        (2, 3, lambda: None),
        (4, 2, lambda: page.locator("[aria-label='layer 4, head 2']").tap()),
        (5, 2, lambda: choose(page, "Next layer")),
        (5, 1, lambda: choose(page, "Previous head")),
        (4, 1, lambda: cells.and_(page.locator("[tabindex='0']")).press("ArrowLeft")),
        (4, 2, lambda: page.keyboard.press("ArrowDown")),
        (1, 2, lambda: page.keyboard.press("Home")),
        (1, 2, lambda: page.keyboard.press("ArrowLeft")),  # and no further
    ]:
        reach()
        row = parts[layer - 1, head - 1, 4, :5]
        assert_close(torch.tensor(table(page)[0]), row, atol=0.006, rtol=0)
        best = row.argmax().item()
        name, look = [*TOKENS[:4], "itself"][best], "at" if row[best] > 0.5 else "most at"
        expected = f"Layer {layer}, head {head} ({layer}.{head}): “it” looks {look} {name}"
        told = page.locator("p[aria-live]").last.text_content()
        assert told == f"{expected} with {row[best]:.2f}."
        bars = page.locator("svg").last.locator("text", has_text=re.compile(r"^\d\.\d\d$"))
        numbers = torch.tensor([float(bar) for bar in bars.all_text_contents()])
        assert_close(numbers, row, atol=0.006, rtol=0)
        (chosen,) = page.locator("[aria-selected=true]").all()
        assert chosen.get_attribute("aria-label") == f"layer {layer}, head {head}"
    assert page.faults == []


def test_heads_in_which_a_query_looks_at_a_token_are_left_and_counted(figure):
    page = figure("wall")
    more = SIGHT[:, :, 4, :5] > 0.5
    for j, token in enumerate(TOKENS[:5]):
        choose(page, f"Only heads in which “it” gives more than 0.5 to {token}")
        counts = more.sum(dim=(0, 1)).tolist()
        told = page.locator("p[aria-live]").first.text_content()
        assert told.startswith(
            f"In {counts[j]} of 20 heads “it” gives {token} more than 0.5."
        )
        others = [f"{each} {n}" for each, n in zip(TOKENS, counts) if each != token]
        assert told.endswith(f"Compare: {', '.join(others)}.")
        places = [
            f"layer {a + 1}, head {b + 1}" for a, b in more[..., j].nonzero().tolist()
        ]
        left = page.locator("[role=gridcell]:not(.dim)")
        labels = left.evaluate_all("all => all.map(cell => cell.ariaLabel)")
        assert sorted(labels) == sorted(places)
        button = page.get_by_role("button", name="Open the next of these heads")
        if len(places) > 1:
            opened = set()
            for _ in places:
                button.click()
                opened.add(page.locator("[aria-selected=true]").get_attribute("aria-label"))
            assert opened == {*places}
    assert max(counts) > 1
    choose(page, "All heads")
    assert page.locator(".dim").count() == 0 and button.is_disabled()


@pytest.mark.parametrize("width", [390, 900])
def test_the_next_word_changes_when_a_head_is_switched_off(figure, width):
    page = figure("mute", has_touch=True, viewport={"width": width, "height": 800})
    words = page.locator("svg text", has_text=re.compile(r"^\D+$"))
    for k, text in enumerate(HEADS["beginnings"]):
        page.get_by_role("button", name=f"Beginning {k + 1}").tap()
        choose(page, "Without head none")
        (first, p), *_ = text["next"]
        assert status(page) == f"With all heads, “{first}” has {p:.2f}. Switch a head off."
        before = ["all heads", *(word for word, _ in text["next"])]
        assert words.all_text_contents() == before
        expected = torch.tensor(without_heads(text))
        assert_close(torch.tensor(table(page)), expected, atol=0.006, rtol=0)
        for name, number, head in zip(NAMES, NUMBERS, text["heads"]):
            page.get_by_role("button", name=f"Without head {name}").focus()
            page.keyboard.press("Enter")
            value = head["without"][0]
            told = f"Without head {number}, “{first}” has {value:.2f} instead of {p:.2f}."
            assert status(page).startswith(told)
            now = [word for word, _ in head["next"]]
            found = words.all_text_contents()
            assert found[:6] == before and found[-5:] == now
    assert page.faults == []


def spoken(p):
    return "less than 0.01" if p < 0.005 else f"{p:.2f}"


@pytest.mark.parametrize("width", [390, 900])
def test_a_token_says_what_was_expected_by_touch_keyboard_and_buttons(figure, width):
    page = figure("reading", has_touch=True, viewport={"width": width, "height": 900})
    tokens = page.get_by_role("group", name="Tokens of the text").locator("[role=button]")
    for document in DOCUMENTS:
        page.get_by_role("button", name=f"Text {document['title']}").tap()
        words = [token.strip() for token in document["tokens"][1:]]
        assert tokens.all_text_contents() == words

        def check(k, document=document, words=words):
            numbers = torch.tensor(expected(document, k))
            assert_close(torch.tensor(table(page)), numbers, atol=0.0051, rtol=0)
            (p, likeliest), came = document["next"][k - 1], document["tokens"][k]
            text = status(page)
            assert f"read “{words[k - 1]}”" in text.replace("…", "")
            assert text.endswith(f" {spoken(p)}.")
            assert (likeliest[0][0] == came) == (" had " not in text)
            shown = page.locator("svg g").count()
            assert shown == 5 + (came not in [token for token, _ in likeliest])
            assert page.locator("svg g[font-weight]").count() == 1
            pressed = page.locator("[role=button][aria-pressed=true]")
            assert pressed.text_content() == words[k - 1]

        check(2)
        tokens.nth(20).tap()
        check(21)
        page.keyboard.press("ArrowRight")
        check(22)
        page.keyboard.press("End")
        check(len(words))
        assert page.get_by_role("button", name="Next token").is_disabled()
        page.get_by_role("button", name="Token before").tap()
        check(len(words) - 1)
        page.locator("[role=button][aria-pressed=true]").focus()
        page.keyboard.press("Home")
        check(1)
    assert page.faults == []


def test_a_token_under_the_mouse_is_told_until_it_leaves(figure):
    page = figure("reading")
    before = status(page)
    page.locator("[role=button]").nth(9).hover()
    assert f"“{DOCUMENTS[0]['tokens'][10].strip()}”" in status(page) != before
    page.mouse.move(1, 1)
    assert status(page) == before


def test_the_more_probable_a_token_the_darker_it_is(figure):
    page = figure("reading")
    shade = r"each => +getComputedStyle(each).backgroundColor.match(/[\d.]+(?=\)$)/)[0]"
    tokens = page.get_by_role("group", name="Tokens of the text").locator("[role=button]")
    shades = [token.evaluate(shade) for token in tokens.all()]
    probs = [p for p, _ in DOCUMENTS[0]["next"]]
    assert_close(torch.tensor(shades), 0.45 * torch.tensor(probs), atol=0.006, rtol=0)


def stored(weights):
    """Weights of patches as the figure keeps them, close to what they are."""
    roots = (255 * weights.sqrt()).round() / 255
    assert_close(roots.square(), weights, atol=0.004, rtol=0)
    return roots.square()


def test_a_patch_says_whom_it_attends_to_by_mouse_keyboard_and_touch(figure):
    page = figure("patches", has_touch=True)
    choose(page, "Image 2")
    choose(page, "Block 2")
    weights = stored(ASKED[1, 1])
    assert_close(torch.tensor(table(page)), weights, atol=0.0051, rtol=0)
    tiles = page.locator("svg g[role]")
    for index, reach in [
        (1, lambda: tiles.nth(1).tap()),
        (4, lambda: tiles.nth(1).focus() or page.keyboard.press("ArrowDown")),
        (5, lambda: page.keyboard.press("ArrowRight")),
        (0, lambda: page.keyboard.press("Home")),
        (6, lambda: [tiles.nth(6).hover(position={"x": x, "y": 40}) for x in (20, 24)]),
    ]:
        reach()
        best = weights[index].argmax()
        found = f"{PLACES[index]} attends to {PLACES[best]} {weights[index, best]:.2f}"
        assert status(page).startswith(f"Block 2: {found}"), index
        for place, weight in enumerate(weights[index]):
            assert tiles.nth(place).locator("text").text_content().endswith(f"{weight:.2f}")
    shades = tiles.nth(2).locator("path").all()  # top right, of 2 x 2 pixels
    assert len(shades) == (TILES[1, 0, :2, 2:4] * 9).round().count_nonzero()


@pytest.mark.parametrize("first", [0, 1])
def test_the_weights_of_a_photograph_stand_where_its_patches_are(figure, first):
    """Without <cls> in one block, and with it in the second of two heads."""
    page = figure(["photo", "heads of a photo"][first], has_touch=True)
    weights, places = GIVEN[first, 0], PLACES
    if not first:
        weights, places = weights[1:, 1:], places[1:]
    weights = stored(weights)
    tiles = page.locator("svg g[role]")
    for index, reach in [
        (3, lambda: None),
        (2, lambda: tiles.nth(first + 2).tap()),
        (4, lambda: tiles.nth(first + 2).focus() or page.keyboard.press("ArrowDown")),
        (1, lambda: page.keyboard.press("ArrowUp") or page.keyboard.press("ArrowLeft")),
        (-first, lambda: page.keyboard.press("Home")),
    ]:
        reach()
        row = weights[first + index]
        best, patches = row.argmax(), row[first:]
        expected = f"{places[first + index]} attends to {places[best]} {row[best]:.2f}"
        assert status(page).startswith(first * "Head 2: " + expected), index
        found = torch.tensor(table(page))
        assert_close(found, patches.reshape(3, 2), atol=0.0051, rtol=0)
        shades = [
            float(r.get_attribute("fill-opacity"))
            for r in tiles.locator("rect").all()[first:]
        ]
        assert_close(torch.tensor(shades), 0.75 * (1 - patches / patches.max()))
    if first:
        assert tiles.nth(0).text_content() == f"<cls> {weights[0, 0]:.2f}"
        choose(page, "Head 1")
        row = stored(GIVEN[0, 0, 0])
        assert tiles.nth(0).text_content() == f"<cls> {row[0]:.2f}"
    size = "image => createImageBitmap(image).then(bitmap => [bitmap.width, bitmap.height])"
    assert page.locator("svg image").evaluate(size) == [4, 6]


DAILY = {"attention", "mask", "stage", "wall"}  # of one style each; the others once a week


def daily(names):
    """Parameters of a test, most of which are for the weekly run."""
    marks = {name: [] if name in DAILY else [pytest.mark.weekly] for name in names}
    return [pytest.param(name, marks=found) for name, found in marks.items()]


@pytest.mark.parametrize("name", daily(FIGURES))
def test_a_figure_is_accessible_and_fits_a_phone(figure, name):
    page = figure(name, viewport={"width": 390, "height": 800}, has_touch=True)
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", daily(name for name in FIGURES if "photo" not in name))
def test_a_figure_has_no_dark_areas_on_a_dark_page(figure, name):
    page = figure(name, colors=("#14181e", "#ced6dd"))
    image = Image.open(io.BytesIO(page.screenshot())).convert("L")
    assert image.getextrema()[0] >= 20  # the page itself has 23


# --- two translators race -----------------------------------------------------------

TOLD = [["One vector", "keeps the last state"], ["Attention", "keeps all states"]]


def written(step, kind):
    return [token for token in step[kind]["target"] if token != "<eos>"]


@pytest.mark.parametrize("family", range(len(RACE)))
def test_the_race_shows_what_both_models_wrote(figure, family):
    page = figure("race", reduced_motion="reduce")
    choose(page, f"Sentence {RACE[family]['name']}")
    for i, step in enumerate(RACE[family]["steps"]):
        if i:
            choose(page, "Longer")  # without motion it is at its end
        elif family == 0:
            choose(page, "Next word")  # a page begins with the last word but one
        expected = [*step["source"]]
        for told, kind in zip(TOLD, RACERS):
            expected += told + written(step, kind)
        assert page.locator("svg text").all_text_contents() == expected
        assert page.locator("svg image").count() == 1 + len(step["source"])
        right = step["reference"].split()
        found = [words.text_content() for words in page.locator("svg .wrong").all()]
        clean = all(written(step, kind) == right for kind in RACERS)
        assert bool(found) == (not clean)
        told = "Both are right." if clean else f"Right is: {step['reference']} What"
        assert status(page).startswith(told)
    assert page.get_by_role("button", name="Longer", exact=True).is_disabled()


def test_lines_of_the_race_are_the_weights_of_the_word_that_is_written(figure):
    page, step = figure("race", reduced_motion="reduce"), RACE[0]["steps"][1]
    choose(page, "Longer")
    words, weights = written(step, "attention"), step["attention"]["weights"]
    for word, row in reversed([*zip(words, weights)][:-1]):
        choose(page, "Back")
        assert f"writes {word}." in status(page)
        name, most = step["source"][row.index(max(row))], f"{max(row) / 100:.2f}"
        assert f"{name} {most}" in status(page).replace("“", "").replace("”", "")
        assert page.locator(".choice").count() == sum(share >= 2 for share in row) + 1
        assert (
            page.locator(".whole").count() == 2
        )  # the last state, and the way to the word


def test_the_race_plays_and_overwrites_the_left_strip(figure):
    page = figure("race")
    assert page.get_by_label("Append a word").count() == 0  # only in the book
    choose(page, "Longer")
    page.locator("p[aria-live]", has_text="Both read black").wait_for()
    assert page.locator(".slide").count() == 1
    assert (
        page.locator("svg image").count() == 1 + 1 + 4
    )  # one leaves, one arrives, four stay
    page.locator("p[aria-live]", has_text="Both are right.").wait_for()
    assert page.locator("svg .wrong").count() == 0
    assert page.faults == []
