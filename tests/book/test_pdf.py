"""The book as a PDF: page numbers, contents, bookmarks, links, exercises.

Slow, and needs a built book (`make book`) and Chromium or Chrome.
"""

import shutil
import unicodedata
from types import SimpleNamespace

import pytest
from built import BOOK
from playwright.sync_api import sync_playwright
from pypdf import PdfReader

from tools.book import pdf

pytestmark = pytest.mark.slow
CHAPTER, SHEET = (
    "notebooks/01_queries_keys_values",
    "notebooks/exercises/01_queries_keys_values",
)
NOTATION = "book/notation"


def page(name, part=None, depth=0):
    return SimpleNamespace(name=name, part=part, depth=depth)


@pytest.fixture(scope="module")
def to_pdf(tmp_path_factory):
    """A function that prints pages of the built book."""
    if not (BOOK / "index.html").exists() or not any(map(shutil.which, pdf.BROWSERS)):
        pytest.skip("there is no built book, or no browser that prints it")

    def to_pdf(*pages, **options):
        target = tmp_path_factory.mktemp("pdf") / "some.pdf"
        with sync_playwright() as playwright:
            browser = pdf.open_browser(playwright)
            pdf.write(browser, BOOK, pages, target, "Some pages", **options)
            browser.close()
        return PdfReader(target)

    return to_pdf


@pytest.fixture(scope="module")
def printed(to_pdf):
    """A chapter, its exercises and a page of reference, as one PDF."""
    return to_pdf(
        page(CHAPTER, "Attention"), page(SHEET, depth=1), page(NOTATION, "Reference")
    )


def flat(outline):
    for item in outline:
        yield from flat(item) if isinstance(item, list) else [item]


def test_bookmarks_lead_to_their_headings_in_the_order_of_the_book(printed):
    part, (chapter, sections), reference, _ = printed.outline
    assert [part.title, chapter.title[0], reference.title] == [
        "Attention",
        "1",
        "Reference",
    ]
    titles = [item.title for item in flat(sections)]
    assert titles.index("Summary") < titles.index("Exercises 1 · Queries, keys, and values")
    numbers = []
    for item in flat(printed.outline):
        numbers.append(printed.get_destination_page_number(item))
        text = " ".join(printed.pages[numbers[-1]].extract_text().split())
        text = unicodedata.normalize("NFKC", text)  # "ﬀ" is one letter there
        assert item.title in text or item in (part, reference)
    assert numbers == sorted(numbers)


def test_the_contents_give_the_number_that_is_printed_on_the_page(printed):
    front = printed.page_labels.index("1")
    assert printed.page_labels[:front] == ["i", "ii"]
    links = [link.get_object() for link in printed.pages[1]["/Annots"]]
    numbers = [printed.pages.index(link["/Dest"][0].get_object()) for link in links]
    assert numbers[0] == front and len(numbers) > 10
    text = printed.pages[1].extract_text().split()
    for number in numbers:
        label = printed.page_labels[number]
        assert label in text
        assert label in printed.pages[number].extract_text().split()


def test_links_between_pages_lead_to_places_in_the_pdf_and_none_to_a_file(printed):
    urls, reached = [], set()
    chapter, sheet = (
        next(
            printed.get_destination_page_number(i)
            for i in flat(printed.outline)
            if i.title == t
        )
        for t in (
            "1 · Queries, keys, and values",
            "Exercises 1 · Queries, keys, and values",
        )
    )
    for number in range(chapter, sheet):
        for link in printed.pages[number].get("/Annots", []):
            link = link.get_object()
            if "/Dest" in link:
                reached.add(printed.pages.index(link["/Dest"][0].get_object()))
            else:
                urls.append(link["/A"]["/URI"])
    assert sheet in reached
    assert urls and all(url.startswith("https://") for url in urls)


@pytest.mark.weekly
def test_the_book_has_statements_and_the_other_file_their_solutions(printed, to_pdf):
    def words(reader):
        return {word for sheet in reader.pages for word in sheet.extract_text().split()}

    assert "Solution" not in words(printed)
    solved = words(to_pdf(page(SHEET), solutions=True))
    assert "Solution" in solved and "assert" in solved
