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
import html
import json
import shutil
import sys
import tomllib
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote, urldefrag

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, Fit, FloatObject, NameObject, NullObject

from tools import ROOT
from tools.book.downloads import SOLUTIONS
from tools.book.solutions import are_shown, released

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "chrome"]
EXERCISES = "notebooks/exercises/"
PAPER = {"width": 658, "height": 971}  # A4 without its margins, in CSS pixels
# Sections are in the table of contents, and code that stays open needs no button. Long code
# that was folded can be broken over pages; that of the text cannot (course.css).
STYLE = """
@page {
  size: A4;
  margin: 20mm 18mm;
  @top-right { content: TITLE; color: #666; font: 8pt sans-serif; }
  @bottom-center { content: counter(page); font: 9pt sans-serif; }
}
@page :first { counter-set: page NUMBER; @top-right { content: none; } }
#jb-print-toc, p.times, .bd-content .sd-container-fluid,
.tag_hide-input details.hide > summary { display: none !important; }
details > summary { break-after: avoid; }
.bd-main .bd-content, .bd-article-container, .bd-article {
  margin: 0 !important;
  padding: 0 !important;
}
.bd-main .bd-content #jb-print-docs-body h1 {
  margin: 0 0 2rem;
  font-size: 2.5em;
  text-align: start;
}
.bd-content .highlight pre { font-size: 0.8rem !important; }
details.hide, details.hide :is(.cell_input, [class*="highlight"], pre) {
  display: block !important;
  overflow: visible !important;
  break-inside: auto !important;
  container-type: normal !important;
}
"""
FRONT = """<!doctype html><html lang="en"><title>TITLE</title><style>
@page { size: A4; margin: 20mm 18mm; }
body { margin: 0; font: 10pt/1.5 "Segoe UI", "Helvetica Neue", sans-serif; }
header { break-after: page; padding-top: 50mm; text-align: center; }
header svg { width: 30mm; }
header p ~ svg { width: 100%; margin: 20mm 0; }
h1 { font-size: 28pt; line-height: 1.2; }
h2 { font-size: 20pt; }
a { color: inherit; text-decoration: none; }
.line { display: flex; gap: 2mm; break-inside: avoid; }
.line i { flex: 1; margin-bottom: 1.5mm; border-bottom: 1px dotted #888; }
.part { margin: 6mm 0 1mm; font-weight: bold; font-size: 12pt; break-after: avoid; }
.chapter { margin-top: 2mm; font-weight: bold; }
.page { padding-left: 6mm; }
.section { padding-left: 6mm; color: #333; }
</style>"""
# What a page is called, and its sections: identifier and heading of each.
HEADINGS = """() => {
  const text = (heading) => {
    const copy = heading.cloneNode(true);
    for (const link of copy.querySelectorAll("a.headerlink, a.report")) link.remove();
    return copy.textContent.trim();
  };
  const sections = [...document.querySelectorAll("article section[id] > h2")];
  return [
    text(document.querySelector("article h1")),
    sections.map((heading) => [heading.parentElement.id, text(heading)]),
  ];
}"""
# Chromium notes only those places in its PDF to which a link leads.
MARK_PLACES = """() => {
  for (const place of document.querySelectorAll("article [id]")) {
    const link = document.createElement("a");
    link.href = "#" + place.id;
    link.style.display = "none";
    document.body.append(link);
  }
}"""
# Nothing scrolls on paper: formulas and tables that are too wide become smaller.
FIT = """async () => {
  dispatchEvent(new Event("beforeprint"));
  document.body.offsetHeight; // fonts of what folds hide are read when it is laid out
  await document.fonts.ready;
  for (const box of document.querySelectorAll("article :is(div.math, table)")) {
    const frame = box.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(frame);
    const room = frame.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    if (box.scrollWidth > room) box.style.zoom = room / box.scrollWidth;
  }
}"""
STATEMENTS_ONLY = """() => {
  for (const fold of document.querySelectorAll("article details")) fold.remove();
}"""


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
    page.title, page.sections = tab.evaluate(HEADINGS)
    title = json.dumps(page.title, ensure_ascii=False)
    style = STYLE.replace("TITLE", title).replace("NUMBER", str(number))
    tab.add_style_tag(content=style)
    tab.evaluate(MARK_PLACES)
    if statements:
        tab.evaluate(STATEMENTS_ONLY)
    tab.evaluate(FIT)
    page.pdf = to_pdf(tab)


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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = project["project"]["version"]
    title = html.escape(config["title"])
    lines = [FRONT.replace("TITLE", title), "<header>"]
    logo, picture = (
        (folder / "_static" / name).read_text(encoding="utf-8")
        for name in ("logo.svg", "attention.svg")
    )
    lines += [logo, f"<h1>{title}</h1>", f"<p>{subtitle}</p>", picture]
    lines += [f"<p>{config['author']}<br>Version {version}, {config['copyright']}</p>"]
    lines += ["</header>", "<h2>Contents</h2>"]
    for page in pages:
        if page.part:
            lines.append(f'<div class="part">{page.part}</div>')
        kind = "page" if page.depth else "chapter"
        lines.append(line(kind, page.url, page.title, page.number))
        if not page.depth:
            places = page.pdf.named_destinations
            for anchor, text in page.sections:
                found = page.pdf.get_destination_page_number(places[f"/{anchor}"])
                url = f"{page.url}#{anchor}"
                lines.append(line("section", url, text, page.number + found))
    return "\n".join(lines)


def line(kind, url, text, number):
    link = f'<a href="{html.escape(url)}">{html.escape(text)}</a>'
    return f'<div class="line {kind}">{link}<i></i>{number}</div>'


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
        for anchor, text in page.sections:
            number, top = places[f"{page.url}#{anchor}"]
            writer.add_outline_item(
                title=text, page_number=number, parent=item, fit=Fit.xyz(top=top)
            )


if __name__ == "__main__":
    sys.exit(main())
