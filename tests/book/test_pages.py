"""The rendered pages in a browser: script errors, widths, themes, accessibility.

Slow, and needs a built book (`make book`) and Chromium or Chrome.
"""

import io
import re

import pytest
from built import NAMES, answer_guesses, lay_out, violations
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.slow
# Pages of all kinds, which stand for the others on a phone in every run.
OFTEN = re.compile(r"book/(index|ten_minutes|try)|notebooks/(04|exercises/05)_")
# All chapters and pages of the book, and a few of the exercises and of Going further.
ON_A_PHONE = [
    pytest.param(name, marks=[] if OFTEN.match(f"{name}_") else pytest.mark.weekly)
    for name in NAMES
    if re.match(r"book/|notebooks/(\d|\w+/(05|11_))", name)
]
# Pages that stand for the others on a wide screen, in both themes: plain text, models
# that run, the longest chapter, wide tables.
FEW = [
    *("book/index", "book/ten_minutes", "book/try"),
    *("notebooks/07_transformer", "book/results"),
]

# What axe-core finds in what others make, and we cannot mend.
THEIRS = {
    "empty-table-header",  # a formula counts as nothing; a test below finds others
    "aria-deprecated-role",  # docutils' lists of references
    "aria-allowed-role",
    "aria-required-children",
}


WIDE = """[...document.querySelectorAll('body *')].filter(e =>
  e.getBoundingClientRect().right > innerWidth + 1 &&
  ![...function* () { for (let p = e.parentElement; p; p = p.parentElement) yield p }()]
    .some(p => getComputedStyle(p).overflowX != 'visible')
).map(e => e.outerHTML.slice(0, 120)).slice(0, 3)"""

# Whether formulas need scrolling, of those that the tab key stops at, and of the others.
SCROLLING = """stops => [...document.querySelectorAll("div.math, mjx-container")]
  .filter(e => !e.closest("details:not([open])")) // measured when they are opened
  .filter(e => getComputedStyle(e).overflowX !== "visible" && (e.tabIndex === 0) === stops)
  .map(e => e.scrollWidth > e.clientWidth)"""

# Folds whose content would be printed before it has become visible.
FADING = """[...document.querySelectorAll('details.hide > :not(summary)')]
  .filter(e => getComputedStyle(e).animationName != 'none').length"""

# Formulas whose punctuation stands below them.
LONELY = """[...document.querySelectorAll("article .math")].filter(e => {
  if (!/^[.,;:!?)]/.test(e.nextSibling?.data ?? "")) return false;
  const sign = document.createRange();
  sign.setStart(e.nextSibling, 0);
  sign.setEnd(e.nextSibling, 1);
  return sign.getBoundingClientRect().top > e.getBoundingClientRect().bottom - 2;
}).map(e => e.dataset.tex)"""

# What cells have printed and the edge of the column cuts.
CUT_OUTPUTS = """[...document.querySelectorAll("article .cell_output pre")]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 200))"""

# The number of characters in the longest line of each text without formulas.
LINES = """[...document.querySelectorAll("article :is(p, li)")]
  .filter(e => e.getClientRects().length && !e.querySelector(".math, ul, p, code"))
  .map(e => {
    const texts = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
    const at = document.createRange();
    const lines = new Map();
    while (texts.nextNode()) {
      for (let i = 0; i < texts.currentNode.length; i++) {
        at.setStart(texts.currentNode, i);
        at.setEnd(texts.currentNode, i + 1);
        const y = Math.round(at.getBoundingClientRect().bottom / 10);
        lines.set(y, (lines.get(y) ?? 0) + 1);
      }
    }
    return Math.max(0, ...lines.values());
  })"""

SMALLEST_CODE = """Math.min(Infinity, ...[...document.querySelectorAll('article pre')]
  .map(e => parseFloat(getComputedStyle(e).fontSize)))"""

# What scrolls sideways, each with the attachments of its backgrounds.
SCROLLED = """[...document.querySelectorAll(
    'article :is(pre, .pst-scrollable-table-container, div.output.text_html)')]
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => getComputedStyle(e).backgroundAttachment)"""

# Code that would lose its right end on paper.
CUT_OFF = """[...document.querySelectorAll('pre')]
  .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 200))"""


def assert_complete_and_fits(page):
    assert page.faults == []
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, page.evaluate(WIDE)


@pytest.mark.parametrize("name", ON_A_PHONE)
def test_a_page_fits_a_phone_is_accessible_and_prints_whole(open_page, name):
    page = open_page(f"{name}.html", 390)
    answer_guesses(page)
    lay_out(page)
    assert_complete_and_fits(page)
    found = violations(page, leave_out=["pre"])  # code, which is alike on all pages
    assert found.keys() <= THEIRS, found
    assert page.evaluate(LONELY) == []
    assert page.evaluate(SMALLEST_CODE) >= 12
    assert all(page.evaluate(SCROLLING, True)) and not any(page.evaluate(SCROLLING, False))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": 720, "height": 1000})  # A4 without its margins
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(FADING) == 0


@pytest.mark.parametrize(
    "scheme", [pytest.param("light", marks=pytest.mark.weekly), "dark"]
)
@pytest.mark.parametrize("name", FEW)
def test_a_page_fits_a_screen_in_both_themes_and_prints_in_light(open_page, name, scheme):
    page = open_page(f"{name}.html", 1400, scheme)
    lay_out(page)
    assert_complete_and_fits(page)
    assert violations(page) == {}
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    closed = page.locator("article details:not([open])")
    assert closed.count() == 0  # folds are open on paper, and closed again afterwards
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert closed.count() == page.locator("article details").count()


def test_what_scrolls_sideways_on_a_phone_has_a_shadow_at_its_edge(open_page):
    page = open_page("notebooks/07_transformer.html", 390)
    lay_out(page)
    found = page.evaluate(SCROLLED)
    assert len(found) > 5  # outputs, formulas and tables; code wraps
    assert set(found) == {"local, local, scroll, scroll, scroll"}


def colour(page, place, x, y):
    """The colour of the pixel at (x, y) of an element."""
    picture = Image.open(io.BytesIO(place.screenshot())).convert("RGB")
    return picture.getpixel((x, y))


def test_a_figure_on_a_phone_has_the_colour_of_the_page_in_the_dark(open_page):
    page = open_page("book/index.html", 390, "dark")
    text = colour(page, page.locator("article p").first, 0, 0)
    assert colour(page, page.locator("article .cell_output .drawing"), 2, 2) == text


def test_figures_have_no_face_in_the_dark_but_photographs_have(open_page):
    page = open_page("notebooks/08_vision_transformer.html", scheme="dark")
    text = colour(page, page.locator("article p").first, 0, 0)
    figure = page.locator("article .cell_output .drawing").first
    assert colour(page, figure, 3, 3) == text
    digits = page.locator("article .cell_output img.photograph").nth(1)  # after a flower
    assert min(colour(page, digits, 12, 12)) > 200


def test_the_picture_that_opens_a_chapter_is_whole_before_its_guess(open_page):
    page = open_page("notebooks/12_post_training.html")
    picture = page.locator(".opener .drawing")
    box = page.locator(".guessed .drawing path").nth(1)
    assert box.evaluate("e => getComputedStyle(e).visibility") == "hidden"
    before = picture.screenshot()
    answer_guesses(page)
    page.evaluate("scrollTo(0, 0)")
    assert picture.screenshot() == before


@pytest.mark.parametrize("name", FEW)
def test_buttons_and_folds_are_named_after_what_they_hold(open_page, name):
    page = open_page(f"{name}.html")
    names = page.evaluate(
        "[...document.querySelectorAll('article :is(button.copybtn, summary)')]"
        ".map(e => e.ariaLabel ?? e.textContent.trim())"
    )
    assert "" not in names and len(set(names)) >= 0.95 * len(names)


@pytest.mark.parametrize("width", [1400, 390])
def test_the_page_has_its_entry_in_view_in_the_table_of_contents(open_page, address, width):
    page = open_page("notebooks/01_queries_keys_values.html", width)
    page.set_viewport_size({"width": width, "height": 500})
    page.goto(f"{address}/book/results.html")
    if width < 600:
        page.locator("button.primary-toggle").first.click()
    entry = page.locator(".bd-links a.current").first
    page.wait_for_timeout(1000)
    box = entry.bounding_box()
    assert 0 <= box["y"] and box["y"] + box["height"] <= 500


def test_a_page_without_an_entry_shows_the_table_of_contents_from_its_top(
    open_page, address
):
    page = open_page("book/results.html")
    page.wait_for_load_state("load")
    scrolled = "document.querySelector('.bd-sidebar-primary').scrollTop"
    assert page.evaluate(scrolled) > 0  # which the theme remembers for the next page
    page.goto(f"{address}/book/index.html")
    page.wait_for_timeout(1000)
    assert page.evaluate(scrolled) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mark_of_a_heading_fades_and_goes_at_once_for_who_wants_no_motion(
    open_page, scheme
):
    page = open_page("notebooks/03_scoring_functions.html#the-causal-mask", 1400, scheme)
    heading = page.locator(":target > h3, :target > h2")
    colour = "e => getComputedStyle(e).backgroundColor"
    duration = "e => e.getAnimations()[0].effect.getTiming().duration"
    # From its beginning, however long the page took to load.
    heading.evaluate("e => { e.getAnimations()[0].pause(); }")
    heading.evaluate("e => { e.getAnimations()[0].currentTime = 0; }")
    assert heading.evaluate(colour) != "rgba(0, 0, 0, 0)"
    assert heading.evaluate(duration) == 1000
    heading.evaluate("e => e.getAnimations()[0].finish()")
    assert heading.evaluate(colour) == "rgba(0, 0, 0, 0)"
    page.emulate_media(reduced_motion="reduce")
    assert heading.evaluate(duration) <= 1


def test_without_the_sidebar_a_line_has_at_most_85_characters(open_page):
    page = open_page("notebooks/07_transformer.html", 1920)
    page.locator("button.primary-toggle:visible").click()
    page.wait_for_timeout(500)
    lines = page.evaluate(LINES)
    assert 70 < max(lines) <= 85


@pytest.mark.parametrize("name", ["notebooks/05_multi_head", "notebooks/11_gpt"])
def test_what_is_printed_is_not_cut_at_the_edge(open_page, name):
    assert open_page(f"{name}.html").evaluate(CUT_OUTPUTS) == []


def test_a_phone_lays_out_what_is_near_the_screen_and_measures_it_then(open_page):
    page = open_page("notebooks/07_transformer_parts.html", 390)
    section = page.locator("section#post-norm-and-pre-norm")
    shown = "e => e.lastElementChild.checkVisibility({contentVisibilityAuto: true})"
    stops = """e => [...e.querySelectorAll("pre, div.math")]
      .filter(box => box.scrollWidth > box.clientWidth && !box.closest("details"))
      .map(box => box.tabIndex)"""
    page.wait_for_timeout(1000)
    assert not section.evaluate(shown)
    assert set(section.evaluate(stops)) == {-1}  # not even the theme has measured them
    section.evaluate("e => e.scrollIntoView()")
    page.wait_for_timeout(500)
    assert section.evaluate(shown)
    assert set(section.evaluate(stops)) == {0}


@pytest.mark.parametrize(
    "scheme", ["light", pytest.param("dark", marks=pytest.mark.weekly)]
)
def test_a_figure_is_enlarged_by_touch_and_keyboard(open_page, scheme):
    page = open_page("notebooks/07_transformer.html", 390, scheme)
    answer_guesses(page)
    figure, dialog = page.locator("#figure-7-3"), page.locator("dialog.enlarged")
    figure.locator(".drawing").click()
    image = dialog.locator(".drawing")
    assert image.bounding_box()["width"] > 500 > figure.bounding_box()["width"]
    scroll = "e => { e.scrollLeft = 100; return e.scrollLeft; }"
    assert dialog.locator("figure").evaluate(scroll) == 100
    assert violations(page) == {}
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    button = figure.get_by_role("button", name="Enlarge: Figure 7.3")
    button.press("Enter")
    assert dialog.get_attribute("aria-label") == "Figure 7.3"
    image.click()
    expect(dialog).to_have_count(0)
    assert button.evaluate("e => e === document.activeElement")


def test_a_figure_with_many_numbers_gets_them_when_it_is_near(open_page):
    page = open_page("notebooks/08_vision_transformer.html")
    answer_guesses(page)
    waiting = page.locator(".d2l-figure[data-later]")
    figure = page.locator("figure:has(.d2l-figure[data-later])")
    number = figure.get_attribute("id")
    assert not waiting.locator("table").is_visible()
    figure.scroll_into_view_if_needed()
    expect(waiting).to_have_count(0)
    drawn = page.locator(f"#{number}")
    drawn.get_by_role("button", name="Head 6", exact=True).click()
    expect(drawn.locator("p[aria-live]")).to_contain_text("Head 6")
    assert page.faults == []


def test_a_formula_is_copied_as_its_source(open_page):
    page = open_page("notebooks/01_queries_keys_values.html")
    copied = page.evaluate("""() => {
      const text = document.querySelector("p:has(.math)"), data = new DataTransfer();
      getSelection().selectAllChildren(text);
      text.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, bubbles: true}));
      return [data.getData("text/plain"), text.querySelector(".math").dataset.tex];
    }""")
    assert copied[1].startswith(r"\(") and copied[1] in copied[0]
