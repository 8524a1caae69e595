"""Attention in ten minutes: its frames are short, its numbers those of the package."""

import html
import json
import math
import re

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from built import layout_shift

import d2lmini as d2l
from tools import ROOT
from tools.book import ten_minutes

TEXT = (ROOT / "book" / "ten_minutes.md").read_text(encoding="utf-8")
*FRAMES, FORMULA = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
TOKENS = "the cat slept because it ate".split()
X = torch.tensor([[0.0, 0], [2, 0], [0, 2], [0, 0], [1, 0], [0, 2]])  # of chapter 1
QUERY, W_Q = torch.tensor([2.0, 0]), torch.tensor([[2.0, 0], [2, 0]])
WEIGHTS = torch.softmax(X @ QUERY / math.sqrt(2), dim=0)


@pytest.fixture(scope="module")
def pictures():
    return ten_minutes.frames()


def given(picture):
    """What the script of a picture gets."""
    return json.loads(html.unescape(re.search(r'data-given="([^"]*)"', picture)[1]))


def table(picture):
    rows = re.search(r"<tbody>(.*?)</tbody>", picture, re.DOTALL)[1].split("</tr>")[:-1]
    return [re.findall(r"<td>(.*?)</td>", row) for row in rows]


def numbers(picture):
    return torch.tensor([[float(x) for x in row] for row in table(picture)])


def words(text):
    text = re.sub(r"\{\{ ten\.(\w+) \}\}", r"\1", text)
    return len(re.findall(r"\w[\w’'-]*", text))


# --- the text -----------------------------------------------------------------------------


def test_there_are_nine_frames_with_a_picture_and_at_most_forty_words_each():
    assert len(FRAMES) == 9
    for frame in FRAMES:
        title, text = frame.split("\n", 1)
        *prose, picture = text.strip().split("\n\n")
        assert re.fullmatch(r"\{\{ ten\.\w+ \}\}", picture), title
        assert 15 <= words(" ".join(prose)) <= 40, (title, words(" ".join(prose)))


def test_the_page_takes_ten_minutes():
    assert words(TEXT.partition("# Attention")[2]) < 500 and "```" not in TEXT


def test_all_pictures_and_counts_stand_on_the_page(pictures):
    assert set(re.findall(r"\{\{ ten\.(\w+) \}\}", TEXT)) == pictures.keys()


def test_the_symbols_of_the_formula_lead_to_their_frames(pictures):
    titles = [frame.partition("\n")[0] for frame in FRAMES]
    anchors = [re.sub(r"\W+", "-", title.lower()).strip("-") for title in titles]
    links = re.findall(
        r'<a [^>]*?href="#([^"]+)" aria-label="([^"]*)"', pictures["formula"]
    )
    assert {label.partition(":")[0]: anchors.index(link) + 1 for link, label in links} == {
        "softmax": 5,
        "Q": 4,
        "K transposed": 3,
        "root of d": 5,
        "V": 6,
    }
    for link, label in links:
        assert label.endswith(f"frame {anchors.index(link) + 1}")
        bold = {"V": "value", "K transposed": "key", "softmax": "softmax"}
        name = bold.get(label.partition(":")[0])
        assert not name or any(f"**{name}**" in frame for frame in FRAMES)


# --- the numbers --------------------------------------------------------------------------


def test_one_vector_loses_what_the_marked_words_say(pictures):
    stored = {each["English"]: each for each in d2l.one_vector()["sentences"]}
    guitar, bag = given(pictures["vector"])["sentences"]
    wrong = [
        [word for word, wrong in each["one vector"] if wrong] for each in (guitar, bag)
    ]
    assert wrong == [["sœur", "noire"], ["stylo", "noir"]]
    for each in guitar, bag:
        assert not any(wrong for _, wrong in each["attention"])
        sentence = stored[" ".join([*each["english"], "."])]
        assert sentence["attention"] == sentence["reference"]
        for kind in "one vector", "attention":
            assert " ".join([*(word for word, _ in each[kind]), "."]) == sentence[kind]


def test_the_counts_are_those_of_the_experiments(pictures):
    measured = d2l.one_vector()
    for name, kind in ("one_vector", "one vector"), ("attention", "attention"):
        assert abs(3 * pictures[f"{name}_right"] - sum(measured["right"][kind])) <= 1
    assert pictures["held_out"] == measured["held_out"]
    assert pictures["turned"] < pictures["feminine"]


def test_scores_and_weights_are_those_of_chapter_1(pictures):
    asks = given(pictures["asks"])
    assert asks["tokens"] == TOKENS and asks["keys"] == X.tolist()
    assert asks["scores"] == (X @ QUERY).tolist()
    assert [row[1] for row in table(pictures["asks"])] == list("040020")
    start = torch.tensor(ten_minutes.START)
    expected = torch.stack([X @ start, torch.softmax(X @ start / math.sqrt(2), 0)], 1)
    torch.testing.assert_close(numbers(pictures["drag"]), expected, atol=0.006, rtol=0)
    soft = numbers(pictures["soften"])[:, 0]
    torch.testing.assert_close(soft, WEIGHTS, atol=0.006, rtol=0)


def test_the_sum_is_what_attention_returns(pictures):
    data = given(pictures["sum"])
    torch.testing.assert_close(torch.tensor(data["weights"]), WEIGHTS)
    for i, each in enumerate(data["sentences"]):
        values = torch.zeros(6, 2)
        values[1, i] = 1
        assert each["values"] == values.tolist() and each["tokens"][1] == ["cat", "dog"][i]
        output = d2l.attention_pooling(WEIGHTS[None], values)[0]
        torch.testing.assert_close(torch.tensor(each["output"]), output)


def test_the_tables_of_all_words_are_those_of_chapter_3(pictures):
    own = torch.softmax(X @ X.T / math.sqrt(2), dim=-1)
    torch.testing.assert_close(numbers(pictures["six"]), own, atol=0.006, rtol=0)
    asked = torch.softmax(X @ W_Q @ X.T / math.sqrt(2), dim=-1)
    torch.testing.assert_close(numbers(pictures["mask"]), asked, atol=0.006, rtol=0)


def test_the_alignment_is_what_the_text_says_and_what_chapter_4_shows(pictures):
    data = given(pictures["alignment"])
    (french,), (english,) = data["rows"], data["columns"]
    stored = ten_minutes.stored(*ten_minutes.ALIGNMENT)
    assert data["weights"] == stored["weights"] and data["query"] == "rouge"
    for word, most in ("rouge", "red"), ("sa", "jacket"):
        row = data["weights"][0][0][0][french.index(word)]
        assert english[row.index(max(row))] == most


# --- in a browser -------------------------------------------------------------------------


def status(page, name):
    return page.locator(f'[data-ten="{name}"] > p').inner_text().replace("\u00a0", " ")


@pytest.mark.slow
def test_the_pictures_answer_by_touch_and_ask_nothing_of_the_network(visit):
    page = visit("ten_minutes", 390, has_touch=True)
    page.get_by_role("button", name="Cut the thread of it").tap()
    assert page.locator(".first-screen del").inner_text() == "elle"
    assert "an old black guitar" in status(page, "vector")
    assert page.locator(".wrong").all_text_contents() == ["sœur", "noire"]
    page.get_by_role("button", name="attention", exact=True).tap()
    assert page.locator(".wrong").count() == 0
    assert page.locator('[data-ten="vector"] svg rect').count() == 7
    page.get_by_role("button", name="the bag").tap()
    assert page.locator('[data-ten="vector"] svg text').last.text_content() == "nice"
    for word, score in ("it", 2), ("cat", 4), ("ate", 0):
        card = page.locator(".card", has_text=re.compile(rf"^{word} "))
        card.tap()
        assert card.locator(".score").inner_text() == f"score {score}"
        assert f"= {score}, its score" in status(page, "asks")
    assert page.locator(".card.best").count() == 1
    page.get_by_role("button", name="a dog").press("Enter")
    assert status(page, "sum") == "0.68 × (0, 1) + … = (0.00, 0.68): it has become a dog."
    page.get_by_role("button", name="Mask causal").tap()
    assert "ate" not in page.locator("#no-looking-ahead [data-kind] > p").inner_text()
    page.locator(".query-token", has_text=re.compile("^sa$")).tap()
    assert "sa attends to jacket" in page.locator("[data-kind=attention] > p").inner_text()
    page.get_by_role("link", name="K transposed").tap()
    assert page.url.endswith("#the-word-that-asks")
    assert page.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 390, 1400])
def test_frames_are_nearly_a_screen_high_and_fit(visit, width):
    page = visit("ten_minutes", width, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    frames = page.locator("#attention-in-ten-minutes > section")
    assert frames.count() == 10
    heights = [frames.nth(i).bounding_box()["height"] for i in range(1, 9)]
    assert 700 <= min(heights) and max(heights) <= (1300 if width < 390 else 1100)
    top = page.get_by_role("button", name="Cut the thread of it").bounding_box()
    assert top["y"] + top["height"] < 844  # without scrolling


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_moves_while_the_page_loads(open_page, width):
    page = open_page("book/ten_minutes.html", width)
    assert layout_shift(page) < 0.01


@pytest.mark.slow
def test_without_scripts_each_picture_is_a_table(visit):
    page = visit("ten_minutes", java_script_enabled=False)
    tables = page.locator("#attention-in-ten-minutes table")
    assert tables.count() == 8 and all(each.is_visible() for each in tables.all())
    assert "fatiguée" in page.locator(".first-screen .french").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_stays_accessible_when_it_is_touched(visit, scheme):
    page = visit("ten_minutes", scheme=scheme)
    page.locator(".card").first.click()
    page.get_by_role("button", name="a dog").click()
    page.get_by_role("button", name="Mask causal").click()
    found = Axe().run(page, context="#attention-in-ten-minutes").response["violations"]
    assert [each["id"] for each in found] == []
