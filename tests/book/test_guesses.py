"""Guesses: which lists are answers, and what a tap shows."""

import pytest
from docutils.core import publish_doctree
from docutils.nodes import Text, bullet_list, paragraph

from tools import ROOT
from tools.book import guesses

PAGE = """<article class="bd-article"><section><p><strong>Guess.</strong> Which?</p>
<ul class="guess"><li><p>this <em>one</em></p></li><li><p>that one</p></li></ul>
<details><summary>About each answer</summary><ul>
<li><p>Because <em>so</em>.</p></li><li><p>No.</p></li></ul></details>
<div class="cell" id="result">That one.</div><p id="said">Because of that.</p>
<div class="cell" id="rest">And so on.</div></section></article>"""


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("**Guess.** Which?", 2, True),
        ("**Guess.** Which?", 4, True),
        ("**Guess.** Which?", 5, False),
        ("Guess which.", 2, False),
        ("**Try this.**", 2, False),
    ],
)
def test_a_short_list_below_a_guess_has_its_answers(text, number, found):
    answers = "\n".join(f"- answer {i}" for i in range(number))
    doctree = publish_doctree(f"{text}\n\n{answers}\n\nThe result.")
    doctree.next_node(paragraph).insert(0, Text(""))  # as MyST does
    guesses.mark(None, doctree)
    (marked,) = doctree.findall(bullet_list)
    assert ("guess" in marked["classes"]) == found


@pytest.mark.slow
def test_the_result_is_shown_when_an_answer_is_tapped(browser):
    page = browser.new_page()
    page.set_content(PAGE)
    static = ROOT / "book" / "_static"
    assert page.locator("#result, summary").filter(visible=True).count() == 2  # no scripts
    page.add_style_tag(path=static / "course.css")
    page.add_script_tag(path=static / "course.js")
    assert "when you choose" in page.locator(".line").inner_text()
    assert not page.locator("#result, #said").filter(visible=True).count()
    assert page.locator("#rest").is_visible()
    page.emulate_media(media="print")
    assert page.locator("#result").is_visible()
    assert not page.locator(".line").is_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="this one").press("Enter")
    assert page.locator(".line").inner_text() == "Because so."
    assert page.locator("#said").is_visible()
    assert page.locator("#result").is_visible()
    page.get_by_role("button", name="that one").click()
    assert page.locator(".line").inner_text() == "No."
    pressed = page.locator("ul.guess [aria-pressed='true']")
    assert pressed.all_inner_texts() == ["that one"]
