"""Take the picture of the book, for the README and for previews of links to its pages.

    python -m tools.book.picture [FOLDER]

The picture, .github/book.png, shows parts of the built start page (SHOWN) in the light
theme, the moment after the first thread is cut: previews are a few hundred pixels wide,
where a whole page could not be read.
Chromium draws it, and Pillow stores it with few colours.

The picture carries a digest of what it was made from, so that a test can say when it is out
of date: the HTML of the parts as it is in the built book, with data, script and style of
the first screen, the logo, the book's style sheet, and the style of the picture. A change
elsewhere on the page asks for no new picture, but one of a style sheet does, also where it
changes nothing that is seen.
"""

import argparse
import json
import sys
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from bs4 import BeautifulSoup
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import sync_playwright

from tools import ROOT, beside
from tools.book.pdf import open_browser

PICTURE = ROOT / ".github" / "book.png"
PAGE = "book/index.html"
FILES = ["_static/logo.svg", "_static/course.css"]
SIZE = {"width": 1200, "height": 630}  # what previews ask for
SCALE = 2
COLOURS = 128
MADE_FROM = "made-from"  # the key of the digest in the file
SHOWN = "article h1, article .first-screen"
CUT = ".first-screen button.cut.first"
LINKS = "a.headerlink, a.report, .first-screen :is(.controls, .go, .limits)"
STYLE, SCRIPT = beside(__file__, "picture.css"), beside(__file__, "picture.js")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "html")
    folder = parser.parse_args().folder.resolve()
    if not (folder / PAGE).is_file():
        sys.exit(f"picture: there is no built book in {folder}: run `make book` first")
    info = PngInfo()
    info.add_text(MADE_FROM, digest(folder))
    with sync_playwright() as playwright:
        browser = open_browser(playwright)
        image = take(browser, folder).quantize(COLOURS, dither=Image.Dither.NONE)
        browser.close()
    image.save(PICTURE, optimize=True, pnginfo=info)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size / 1000:.0f} kB")


def digest(folder):
    """The SHA-256 of all that the picture of the book in this folder is made from."""
    page = BeautifulSoup((folder / PAGE).read_text(encoding="utf-8"), "lxml")
    for link in page.select(LINKS):  # those of an address come and go with it
        link.decompose()
    found = [STYLE, *map(str, page.select(SHOWN))]
    found += [sha256((folder / name).read_bytes()).hexdigest() for name in FILES]
    return sha256(json.dumps(found).encode()).hexdigest()


def take(browser, folder):
    """The picture of the start page of the book in this folder.

    Raises SystemExit if one of the parts does not fit into it.
    """
    options = {"color_scheme": "light", "reduced_motion": "reduce"}
    tab = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, **options)
    tab.goto((folder / PAGE).as_uri())
    tab.click(CUT)
    tab.add_script_tag(content=SCRIPT)
    tab.evaluate("([shown, links]) => d2lPicture.keep(shown, links)", [SHOWN, LINKS])
    tab.add_style_tag(content=STYLE)
    tab.evaluate("document.fonts.ready.then(() => {})")
    if found := tab.evaluate("shown => d2lPicture.cutOff(shown)", SHOWN):
        sys.exit(f"picture: these parts of {PAGE} do not fit into {SIZE}: {found}")
    shot = tab.screenshot(animations="disabled")
    tab.close()
    return Image.open(BytesIO(shot)).convert("RGB")


if __name__ == "__main__":
    sys.exit(main())
