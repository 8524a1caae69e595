"""Take from the book's pages what they load and do not need.

The theme draws its icons with a script of 1.5 MB, although its style sheets draw them with
a font as well. Of this font, only the icons stay that occur. The search's index is read by book/_static/course.js when a reader searches.
"""

import re
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

ICONS = "_static/styles/pydata-sphinx-theme.css"
FONT = "_static/vendor/fontawesome/webfonts/fa-solid-900.ttf"
SUBSET = "_static/icons.woff"  # course.css names it
NO_ICON_SCRIPT = re.compile(r"\s*<(?:script|link)[^>]*fontawesome\.js[^>]*>(?:</script>)?")
INDEX = re.compile(r'\s*<script src="[^"]*searchindex\.js"></script>')


def lighten(folder: Path):
    """Change the pages in this folder, and write the font."""
    used = set()
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bfa-[\w-]+", text))
        lighter = NO_ICON_SCRIPT.sub("", text)
        if path.name != "search.html":
            lighter = INDEX.sub("", lighter)
        if lighter != text:
            path.write_text(lighter, encoding="utf-8", newline="\n")
    write_font(folder, used)


def write_font(folder, used):
    """Write the font of the icons with these names, and of those in the style sheets."""
    style = (folder / ICONS).read_text(encoding="utf-8")
    points = {ord(letter) for letter in style if 0xE000 <= ord(letter) <= 0xF8FF}
    for selectors, point in re.findall(r'([^{}]*)\{content:"\\(f[0-9a-f]{3})"', style):
        names = set(re.findall(r"\.(fa-[\w-]+):before", selectors))
        if not names or names & used:
            points.add(int(point, 16))
    subset(folder / FONT, folder / SUBSET, points)


def subset(font, target, points):
    """Write what a font has of these code points as a font for the web."""
    options = Options()
    options.flavor = "woff"
    options.drop_tables += ["FFTM"]  # who made the font when
    font = TTFont(font, recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=points)
    subsetter.subset(font)
    font.flavor = "woff"
    font.save(target)
