"""The built book, for the slow tests that read it or open it in a browser."""

import functools
import re

from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from tools import ROOT

BOOK = ROOT / "_build" / "html"
NAMES = re.findall(r"\b(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
CHAPTERS = [name for name in NAMES if re.match(r"notebooks/\d", name)]


@functools.cache
def soup(path):
    """A page of the book, parsed once for all tests, which must not change it."""
    return BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")


def answer_guesses(page):
    """Tap an answer of each guess, so that all results are shown."""
    page.evaluate("""document.querySelectorAll("ul.guess").forEach(
      (list) => list.querySelector("button")?.click())""")


SHIFTS = """
window.shift = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def layout_shift(page):
    """How much of the page has moved while it was loaded."""
    page.wait_for_load_state("networkidle")
    page.evaluate(SHIFTS)
    page.wait_for_timeout(300)  # until the observer has told what was
    return page.evaluate("shift")


def lay_out(page):
    """Lay out the whole page, as for a reader who has been everywhere."""
    page.add_style_tag(content="section { content-visibility: visible !important }")
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(400)


def violations(page, leave_out=()):
    """What axe-core finds in a page, by rule, without the elements of these selectors."""
    context = {"exclude": [[selector] for selector in leave_out]}
    found = Axe().run(page, context, {"resultTypes": ["violations"]}).response["violations"]
    return {each["id"]: [node["html"][:200] for node in each["nodes"]] for each in found}


def note_outside(page, url, address):
    if not url.startswith((address, "data:", "blob:")):
        page.faults.append(f"outside request: {url}")
