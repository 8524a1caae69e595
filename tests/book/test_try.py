"""The views of translations and sums in the book: by keyboard, mouse and touch.

Slow, and needs a built book (`make book`) and Chromium or Chrome.
"""

import re

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

import d2lmini as d2l
from d2lmini.transformer import translation_html
from tools.book import addition

pytestmark = pytest.mark.slow
VIEWS = ".d2l-translation, .d2l-adder"


def translation(page):
    """The French tokens that the page shows, as one sentence."""
    return " ".join(page.locator(".queries .token b").all_text_contents())


def wait_for_another(page, before):
    page.wait_for_function(
        "before => [...document.querySelectorAll('.queries .token b')]"
        ".map(b => b.textContent).join(' ') !== before",
        arg=before,
    )
    assert translation(page).endswith(" <eos>") and page.faults == []


def test_the_weights_are_read_when_somebody_touches_the_field(visit):
    page = visit()
    scripts = page.locator("script[src*='translator.js']")
    assert translation(page).endswith(" <eos>") and scripts.count() == 0
    page.get_by_role("combobox").focus()
    scripts.wait_for(state="attached")


def test_a_sentence_is_translated_by_keyboard_alone(visit):
    page = visit()
    before = translation(page)
    for _ in range(90):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "combobox":
            break
    page.keyboard.type("The cat is bla")  # over the sentence, which is selected
    page.get_by_role("option", name="black").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.get_by_role("combobox").input_value() == "The cat is black "
    page.keyboard.press("Enter")
    wait_for_another(page, before)
    assert "chat" in translation(page) and "noir" in translation(page)


@pytest.mark.parametrize("how", ["click", "tap"])
def test_a_sentence_is_translated_by_mouse_and_by_touch(visit, how):
    page = visit(width=390 if how == "tap" else 1400, has_touch=how == "tap")
    before = translation(page)
    getattr(page.locator(".words button").nth(1), how)()
    wait_for_another(page, before)
    token = page.locator(".queries .token").nth(1)
    getattr(token, how)()
    assert token.get_attribute("aria-pressed") == "true"
    assert page.locator(".status b").text_content() == token.locator("b").text_content()


def test_a_translation_goes_back_and_forward(visit):
    page = visit()
    tokens = page.locator(".queries .token")
    back, forward = (
        page.get_by_role("button", name=f"{way} one token") for way in ("Back", "Forward")
    )
    while back.get_attribute("aria-disabled") == "false":
        back.click()
    assert page.locator(".queries .later").count() == tokens.count() - 1
    for written in range(2, tokens.count() + 1):
        forward.click()
        assert page.locator(".queries .later").count() == tokens.count() - written
        likeliest = page.locator(".likely li span").first.text_content()
        assert likeliest == tokens.nth(written - 1).locator("b").text_content()


def test_tokens_are_reached_by_arrows(visit):
    page = visit()
    page.locator(".queries .chosen").focus()
    for key in ("Home", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    second = page.locator(".keys .token b").nth(1).text_content()
    assert page.locator(".status").text_content().startswith(f"{second} is looked at by")


def test_a_finger_takes_a_known_word(visit):
    page = visit(width=390, has_touch=True)
    page.get_by_role("combobox").fill("The ele")
    page.get_by_role("option", name="elephant", exact=True).tap()
    assert page.get_by_role("combobox").input_value() == "The elephant "


def test_an_unknown_word_is_said_and_known_ones_are_offered(visit):
    page = visit()
    before = translation(page)
    page.get_by_role("combobox").fill("the blakc cat slept")
    page.keyboard.press("Enter")
    message = page.get_by_text("I do not know blakc")
    message.wait_for()
    stale = page.locator(".picture[inert]")  # it shows another sentence, and pales
    assert translation(page) == before and stale.count() == 1
    page.locator(".message button").first.click()
    wait_for_another(page, before)
    assert page.get_by_text("I do not know").count() == 0 == stale.count()


def typed(page, sentence):
    page.get_by_role("combobox").fill(sentence)
    page.keyboard.press("Enter")


def test_what_cannot_be_translated_is_said_and_the_picture_pales(visit):
    page = visit()
    stale = page.locator(".picture[inert]")
    for sentence, told in {
        "The cat is black. The dog is white.": "One sentence at a time",
        "I have 14 cats": "I do not know 14",
        "?!": "Type a few English words",
    }.items():
        typed(page, sentence)
        page.locator(".message", has_text=told).wait_for()
        assert stale.count() == 1
    page.get_by_role("combobox").fill("")
    assert stale.count() == 1
    page.get_by_role("combobox").fill("a " * 50)
    page.locator(".message", has_text="may have 90 characters").wait_for()
    before = translation(page)
    typed(page, "I have 3 cats")
    wait_for_another(page, before)
    assert "trois chats" in translation(page) and stale.count() == 0


def test_a_sentence_is_followed_by_the_other_way_round(visit):
    page = visit()
    before = translation(page)
    page.get_by_role("button", name="The cat sees the dog.").click()
    wait_for_another(page, before)
    before = translation(page)
    page.locator(".message button").click()
    wait_for_another(page, before)
    assert translation(page).startswith("le chien voit le chat")


def test_a_single_weight_is_cut_and_mended_and_a_head_that_is_off_says_so(visit):
    page = visit()
    before = translation(page)
    typed(page, "The mouse slept because it was tired")
    wait_for_another(page, before)
    for name in ("Attention encoder self", "Block 2", "Head 2"):
        page.get_by_role("button", name=name).click()
    page.locator(".queries .token", has_text="it").first.click()
    page.get_by_role("button", name="Cut it → mouse").press("Enter")
    without = page.locator(".parts dd").nth(1)
    assert without.locator("mark").all_inner_texts() == ["qu'il"]
    assert "mouse is cut" in page.locator(".check").inner_text()
    assert page.locator(".lines .gone").count() == 1
    page.get_by_role("button", name="Mend it → mouse").click()
    without.wait_for(state="detached")
    page.locator(".keys .token", has_text="tired").click()  # another key of the same query
    page.get_by_role("button", name="Cut it → tired").click()
    switch = page.get_by_role("switch", name="weight it → tired")
    switch.check()
    head = "head 2 of block 2, encoder self-attention"
    page.get_by_role("switch", name=head, exact=True).uncheck()
    page.get_by_text("This head is switched off: nothing").wait_for()
    assert not page.locator(".cut").is_visible()
    typed(page, "The cow slept because it was tired")  # whose weights are others
    page.locator(".keys .token", has_text="cow").wait_for()
    assert switch.count() == 0 and page.faults == []


SWITCHES = [
    "positional encoding",
    "causal mask",
    pytest.param("division by", marks=pytest.mark.weekly),
    pytest.param("factor", marks=pytest.mark.weekly),
    "head",
    "network",
]


@pytest.mark.parametrize("part", SWITCHES)
def test_a_part_that_is_switched_off_changes_what_is_computed(visit, part):
    page = visit()
    page.locator(".choices button", has_text="encoder self").first.click()
    numbers = page.locator(".opened, .likely")
    switch = page.locator(".switches label", has_text=part).first.get_by_role("switch")
    without = page.locator(".parts dt", has_text="without")
    found = []
    for _ in range(2):  # after the first time, nothing stands there that was rounded before
        switch.uncheck()
        without.wait_for()
        assert page.locator(".parts dd").count() == 2
        off = numbers.all_text_contents()
        switch.check()
        without.wait_for(state="detached")
        found.append((off, numbers.all_text_contents()))
    assert found[0] == found[1] and found[0][0] != found[0][1] and page.faults == []


def number(text):
    return float(text.replace("−", "-").replace(",", ""))


def test_a_weight_can_be_checked_by_hand(visit):
    page = visit()
    page.get_by_role("button", name="Numbers").click()
    rows = page.locator(".opened tbody tr")
    vector = lambda row, kind: torch.tensor(  # noqa: E731
        [number(text) for text in row.locator(f".strip.{kind} i").all_text_contents()]
    )
    q, exps, weights = vector(rows.first, "query"), [], []
    for row in rows.all()[1:-1]:
        dot, score, weight = map(number, row.locator("td").all_text_contents()[1:4])
        assert abs(q @ vector(row, "key") - dot) < 0.01 * q.abs().sum() + 0.1
        assert abs(score - dot / len(q) ** 0.5) < 0.02
        exps.append(score)
        weights.append(weight)
    expected = torch.tensor(exps).softmax(dim=0)
    assert (expected - torch.tensor(weights)).abs().max() < 0.02
    check = page.locator(".check").text_content()
    mass, total, weight = re.search(r"= ([\d.,]+) / ([\d.,]+) = ([\d.]+)", check).groups()
    assert abs(number(mass) / number(total) - number(weight)) < 0.011


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "light"),
        pytest.param(390, "dark", marks=pytest.mark.weekly),
        pytest.param(1400, "light", marks=pytest.mark.weekly),
        (1400, "dark"),
    ],
)
@pytest.mark.parametrize("name", ["try", "adders"])
def test_the_view_is_accessible_and_fits(visit, name, width, scheme):
    page = visit(name, width, scheme)
    if name == "try":
        page.get_by_role("combobox").fill("she sleeps in the blakc")
        page.keyboard.press("Enter")
        page.get_by_text("I do not know").wait_for()
        page.locator(".d2l-translation summary").click()
        page.get_by_role("button", name="Numbers").click()
        page.get_by_role("switch").first.uncheck()
        page.locator(".parts dt", has_text="without").wait_for()
    else:
        page.get_by_role("button", name="Draw 8").click()
        page.get_by_text("Majorities of 8").wait_for()
    found = Axe().run(page, VIEWS).response["violations"]
    told = {each["id"]: [node["html"][:200] for node in each["nodes"]] for each in found}
    assert told == {}
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.evaluate(
        f"[...document.querySelectorAll('{VIEWS}')].flatMap(view => "
        "[...view.querySelectorAll('*')]).filter(e => e.innerText)"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 12


def answers(page):
    """The answers of the four models, and what ends them."""
    rows = page.locator(".answer").all()
    return ["".join(row.locator("b").all_text_contents()) for row in rows]


def test_four_models_add_what_is_typed(visit):
    page = visit("adders")
    before, field = answers(page), page.get_by_role("textbox", name="A number from 10")
    weights = page.locator("script[src*='adder.js']")
    assert len(before) == 4 and weights.count() == 0
    field.fill("38 4")
    field.press("Enter")
    page.get_by_text("Type a number from 10 to 72").wait_for()
    assert answers(page) == before
    field.fill("12 + 3, 4")
    field.press("Enter")
    page.get_by_text("test question:").wait_for()
    written = addition.page().call("d2lAdder.answer(models[1], [12, 3, 4]).target")
    assert (
        answers(page)[1] == "".join(written).replace("<|end|>", "end")
        and field.input_value() == "12 3 4"
    )
    assert weights.count() == 1
    page.locator(".answer").first.locator("button").first.focus()
    for key in ("ArrowRight", "End", "ArrowDown", "Home"):
        page.keyboard.press(key)
    chosen = page.locator(".answer [aria-pressed='true']")
    assert chosen.get_attribute("aria-label").startswith(answers(page)[1][0])
    shown = page.locator(".expected li").first.text_content()
    assert shown.startswith(chosen.locator("b").text_content()) and page.faults == []


def test_eight_answers_are_drawn_and_counted(visit):
    page = visit("adders")
    page.get_by_role("button", name="Draw 8").click()
    page.get_by_text("Majorities of 8").wait_for()
    for text in page.locator(".drawn").all_text_contents():
        counts = {name: int(n) for name, n in re.findall(r"(no end|\d+) × (\d)", text)}
        assert text.startswith("8 drawn") and sum(counts.values()) == 8
        counts.pop("no end", None)  # is no answer, so it has no majority
        majority = re.search(r"majority (\d+)", text)[1]
        assert counts[majority] == max(counts.values())


def test_a_model_of_ones_own_is_shown_without_a_field(browser):
    data = d2l.MTFraEng(8, num_steps=9, num_train=64, num_val=8)
    sizes = {"num_hiddens": 16, "ffn_num_hiddens": 16, "num_heads": 2, "num_blks": 1}
    encoder = d2l.TransformerEncoder(len(data.src_vocab), **sizes, dropout=0)
    decoder = d2l.TransformerDecoder(len(data.tgt_vocab), **sizes, dropout=0)
    options = {"tgt_pad": data.tgt_vocab["<pad>"], "tgt_eos": data.tgt_vocab["<eos>"]}
    model = d2l.Seq2Seq(encoder, decoder, lr=0.005, **options)
    sentence = data.sentences(train=True)[0][0]
    trace = d2l.translation_trace(model, data, sentence)
    page = browser.new_page()
    figure = f'<figure style="text-align: center">{translation_html(trace)}</figure>'
    page.set_content(f"<main>{figure}</main>")  # as a book does with a caption
    assert translation(page).split() == trace["target"]
    assert page.locator(".opened table").count() == 1
    assert page.locator("input").count() == 0
    picture = page.locator(".lines")
    assert picture.locator("svg").bounding_box() == picture.bounding_box()
    page.close()
