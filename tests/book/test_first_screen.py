"""The first screen: what it stores is what the model answers, and what a visitor can do."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from built import layout_shift

from experiments.try_it import threads
from tools.book import first_screen

STORED = first_screen.stored()
FEW = ["mouse", "cow", "cat"]
NOUNS = [each["noun"] for each in STORED["nouns"]]
weekly = pytest.mark.weekly


@pytest.fixture(scope="module")
def model():
    return threads.Translator()


@pytest.mark.parametrize(
    "noun", [pytest.param(n, marks=() if n in FEW else weekly) for n in NOUNS]
)
def test_what_is_stored_for_a_noun_is_what_the_model_answers(model, noun):
    (stored,) = (each for each in STORED["nouns"] if each["noun"] == noun)
    assert threads.trace(model, noun) == stored


def test_the_nouns_are_those_of_the_rule(model):
    assert threads.chosen(model) == NOUNS


def test_the_counts_say_that_one_head_decides_the_pronoun():
    counts = STORED["counts"]
    assert counts["turned"] >= 60 and counts["masculine turned"] == 0
    assert counts["feminine"] <= 80 and counts["others"] <= 6
    turned = {*enumerate(counts["heads"])}
    assert max(turned, key=lambda pair: pair[1])[0] == threads.HEADS.index(threads.THREAD)
    assert sorted(counts["heads"])[-2] <= 6 < 60 <= max(counts["heads"])


@weekly
def test_the_counts_are_those_of_the_model(model):
    counts = {
        (form, feminine): threads.measured(model, form, word, feminine)
        for form, word in threads.FORMS.items()
        for feminine in (True, False)
    }
    found = {"heads": threads.switched_off(model), **threads.told(counts)}
    assert found == STORED["counts"]


def test_without_scripts_the_page_has_both_sentences_and_what_the_cut_does():
    text = re.sub("<[^>]+>", "", first_screen.view().split("<link")[0])
    for sentence in (
        "The mouse slept because it was tired.",
        "La souris a dormi parce qu’elle était fatiguée.",
        "La souris a dormi parce qu’il était fatiguée.",
    ):
        assert sentence in text
    numbers = STORED["counts"]
    assert f"{numbers['turned']} of the {numbers['feminine']} feminine" in text


# --- in a browser --------------------------------------------------------------------


def rgb(place, name):
    """A colour of an element, from 0 to 255; Chromium tells a mixed one from 0 to 1."""
    text = place.evaluate(f"e => getComputedStyle(e).{name}")
    numbers = [float(number) for number in re.findall(r"[\d.]+", text)][:3]
    return [255 * number for number in numbers] if "srgb" in text else numbers


def french(page):
    return page.locator(".first-screen .french").inner_text()


@pytest.mark.slow
def test_a_cut_corrects_the_french_and_is_mended(visit):
    page = visit("index")
    page.get_by_role("button", name="it becomes il").click()
    page.get_by_role("button", name="Cut the thread of it").click()
    assert page.locator(".first-screen del").all_inner_texts() == ["elle"]
    assert "il" in page.locator(".first-screen ins").inner_text()
    said = page.locator(".first-screen .said")
    assert (
        "elle has become il" in said.inner_text() and "As you guessed" in said.inner_text()
    )
    page.get_by_role("button", name="Cut the thread of tired").click()
    assert page.locator(".first-screen del").all_inner_texts() == ["elle", "e"]
    page.get_by_role("button", name="Mend the thread of it").press("Enter")
    assert page.locator(".first-screen del").all_inner_texts() == ["e"]
    page.get_by_label("cow").check()
    page.get_by_role("button", name="Cut the thread of it").click()
    assert "survives" in said.inner_text()
    page.get_by_label("cat").check()
    page.get_by_role("button", name="Cut the thread of it").click()
    assert "Nothing changes" in said.inner_text() and "guess" not in said.inner_text()
    assert page.faults == []


@pytest.mark.slow
def test_of_all_heads_one_turns_the_pronoun(visit):
    page = visit("index")
    tiles = page.locator(".first-screen .groups button")
    assert tiles.count() == 24
    for i in (0, 5, 23):
        tiles.nth(i).click()
    assert page.locator(".first-screen .groups .turns").count() == 1
    assert "3 of 24 heads" in page.locator(".first-screen .heads p[role]").inner_text()
    tiles.nth(23).press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "Switch off head 1 of block 1, reading"
    )
    assert page.faults == []


@pytest.mark.slow
def test_the_scissors_come_within_four_seconds_and_nothing_is_asked_of_the_network(visit):
    page = visit("index", reduced_motion="no-preference")
    button = page.get_by_role("button", name="Cut the thread of it")
    page.wait_for_function(
        "() => !document.querySelector('.first-screen').classList.contains('playing')"
        " && document.querySelector('.first-screen').classList.contains('ready')",
        timeout=4000,
    )
    button.click()
    page.wait_for_function("() => !document.querySelector('.rope')")
    assert page.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [pytest.param(390, marks=weekly), 1400])
def test_nothing_moves_while_the_page_loads(visit, width):
    page = visit("index", width)
    assert layout_shift(page) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "width",
    [320, 390, *(pytest.param(width, marks=weekly) for width in (768, 1100)), 1400],
)
def test_it_fits_and_on_a_phone_the_button_is_in_view(visit, width):
    page = visit("index", width, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    top = page.locator(".first-screen .go").bounding_box()["y"]
    assert width != 390 or top < 700


@pytest.mark.slow
def test_it_is_readable_without_scripts_and_for_a_screen_reader(visit):
    page = visit("index", java_script_enabled=False)
    assert "fatiguée" in french(page) and page.locator(".said").is_visible()
    noun = page.locator(".first-screen .noun")
    assert rgb(noun, "color") == [29, 95, 208]  # that of keys, as no script has set a theme
    face = page.locator("article .drawing path").first
    assert min(rgb(face, "fill")) > 240  # paper
    for scheme in ("light", "dark"):
        page = visit("index", scheme=scheme)
        page.get_by_role("button", name="Cut the thread of it").click()
        found = Axe().run(page, context="#first-screen").response["violations"]
        assert [json.dumps(each["id"]) for each in found] == []
