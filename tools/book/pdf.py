"""Print the built book into two PDF files, which lie beside its start page.

    python -m tools.book.pdf [FOLDER]

`d2lmini.pdf` is the book on paper: a title page, a table of contents with page numbers, and
the pages in the order of _toc.yml with open folds. Its exercises are statements only, so
that it can be given to students; `d2lmini-solutions.pdf` has the same exercises with tests
and solutions, of those sheets whose solutions the book shows (solutions.py). Chromium
prints each page by itself. Then pypdf joins them, and makes links between pages, which lead
to files, lead to places in the PDF; links to what is not in it become text. Bookmarks lead
to pages and their sections.
"""

import argparse
import json
import shutil
import sys
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urldefrag

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, Fit, FloatObject, NameObject, NullObject

from tools import ROOT, beside, filled
from tools.book.address import project_version
from tools.book.downloads import SOLUTIONS
from tools.book.solutions import are_shown, released

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
EXERCISES = "notebooks/exercises/"
PAPER = {"width": 658, "height": 971}  # A4 without its margins, in CSS pixels
SCRIPT = beside(__file__, "pdf.js")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "html")
    folder = parser.parse_args().folder.resolve()
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = list(pages_of(toc))
    chosen = released(ROOT)
    sheets = [
        page
        for page in pages
        if page.name.startswith(EXERCISES) and are_shown(Path(page.name).name, chosen)
    ]
    with sync_playwright() as playwright:
        browser = open_browser(playwright)
        write(
            browser,
            folder,
            pages,
            folder / "d2lmini.pdf",
            "An executable course in PyTorch",
        )
        target = folder / SOLUTIONS
        target.unlink(missing_ok=True)
        if sheets:
            title = "Exercises with solutions"
            write(browser, folder, sheets, target, title, solutions=True)
        browser.close()


def open_browser(playwright):
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit(f"there is no browser, none of {BROWSERS}")
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


def pages_of(toc):
    """The pages of a table of contents in their order: name, part if one begins, depth."""
    yield SimpleNamespace(name=toc["root"], part=None, depth=0)
    for part in toc["parts"]:
        caption = part["caption"]
        for chapter in part["chapters"]:
            yield SimpleNamespace(name=chapter["file"], part=caption, depth=0)
            caption = None
            for page in chapter.get("sections", []):
                yield SimpleNamespace(name=page["file"], part=None, depth=1)


def write(browser, folder, pages, target, subtitle, solutions=False):
    """Print these pages of the book in this folder into one PDF."""
    number = 1
    for page in pages:
        statements = page.name.startswith(EXERCISES) and not solutions
        print_page(browser, folder, page, number, statements)
        number += len(page.pdf.pages)
    front = print_html(browser, front_html(folder, pages, subtitle))
    join(front, pages).write(target)
    size = target.stat().st_size / 1e6
    print(f"{target.name}: {len(front.pages) + number - 1} pages, {size:.1f} MB")


def print_page(browser, folder, page, number, statements):
    """Print a page of the book, whose first page has this number."""
    page.url, page.number = (folder / f"{page.name}.html").as_uri(), number
    tab = browser.new_page(viewport=PAPER)
    tab.emulate_media(media="print")
    tab.goto(page.url)
    tab.add_script_tag(content=SCRIPT)
    page.title, headings = tab.evaluate("d2lPdf.headings()")
    title = json.dumps(page.title, ensure_ascii=False)
    tab.add_style_tag(content=filled(__file__, "pdf.css", title=title, number=number))
    tab.evaluate("d2lPdf.markPlaces()")
    if statements:
        tab.evaluate("d2lPdf.keepStatements()")
    tab.evaluate("d2lPdf.fit()")
    page.pdf = to_pdf(tab)
    places = page.pdf.named_destinations
    page.sections = [
        (anchor, text, number + page.pdf.get_destination_page_number(places[f"/{anchor}"]))
        for anchor, text in headings
    ]


def print_html(browser, text):
    tab = browser.new_page()
    tab.set_content(text)
    return to_pdf(tab)


def to_pdf(tab):
    """What a tab of the browser prints; the tab is closed."""
    printed = tab.pdf(prefer_css_page_size=True, print_background=True)
    tab.close()
    return PdfReader(BytesIO(printed))


def front_html(folder, pages, subtitle):
    """The title page, and the contents with links to pages that have been printed."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    logo, picture = (
        (folder / "_static" / name).read_text(encoding="utf-8")
        for name in ("logo.svg", "attention.svg")
    )
    return filled(
        __file__,
        "pdf_front.html",
        title=config["title"],
        subtitle=subtitle,
        author=config["author"],
        copyright=config["copyright"],
        version=project_version(),
        logo=logo,
        picture=picture,
        pages=pages,
    )


def join(front, pages):
    """One PDF of all of these, with links between them, bookmarks and page numbers."""
    writer, places = PdfWriter(), {}
    for sheet in front.pages:
        writer.add_page(sheet)
    for page in pages:
        first = len(writer.pages)
        for sheet in page.pdf.pages:
            writer.add_page(sheet)
        places[page.url] = (first, None)
        for name, place in page.pdf.named_destinations.items():
            found = first + page.pdf.get_destination_page_number(place)
            places[f"{page.url}#{name[1:]}"] = (found, place.top)
    urls = [""] * len(front.pages)
    urls += [page.url for page in pages for _ in page.pdf.pages]
    for url, sheet in zip(urls, writer.pages):
        lead_links(writer, sheet, url, places)
    add_bookmarks(writer, pages, places)
    writer.set_page_label(0, len(front.pages) - 1, style="/r")
    writer.set_page_label(len(front.pages), len(writer.pages) - 1, style="/D")
    writer.add_metadata({"/Title": front.metadata.title})
    writer.compress_identical_objects()
    return writer


def lead_links(writer, sheet, url, places):
    """Let the links of a sheet, a part of the page at `url`, lead to these places."""
    kept = ArrayObject()
    for reference in sheet.get("/Annots", []):
        link = reference.get_object()
        target = link.get("/A", {}).get("/URI") or f"{url}#{link['/Dest'][1:]}"
        address, _ = urldefrag(target)
        place = places.get(unquote(target)) or places.get(unquote(address))
        if place:
            number, top = place
            link.pop("/A", None)
            link[NameObject("/Dest")] = destination(writer.pages[number], top)
        if place or not target.startswith("file:"):
            kept.append(reference)
    sheet[NameObject("/Annots")] = kept


def destination(sheet, top):
    """A place in a PDF: a sheet, and how high, or else its upper end."""
    height = NullObject() if top is None else FloatObject(top)
    parts = [NameObject("/XYZ"), NullObject(), height, NullObject()]
    return ArrayObject([sheet.indirect_reference, *parts])


def add_bookmarks(writer, pages, places):
    part = chapter = None
    for page in pages:
        number, _ = places[page.url]
        if page.part:
            part = writer.add_outline_item(title=page.part, page_number=number)
        above = chapter if page.depth else part
        item = writer.add_outline_item(
            title=page.title, page_number=number, parent=above, is_open=False
        )
        chapter = chapter if page.depth else item
        for anchor, text, _ in page.sections:
            number, top = places[f"{page.url}#{anchor}"]
            writer.add_outline_item(
                title=text, page_number=number, parent=item, fit=Fit.xyz(top=top)
            )


if __name__ == "__main__":
    sys.exit(main())
