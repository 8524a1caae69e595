"""Take from the book's pages what they load and do not need, and let them appear early.

The theme draws its icons with a script of 1.5 MB, although its style sheets draw them with
a font as well. Of this font, only the icons stay that occur. No page has the tabs that one
script is for. Sphinx's index of the search goes: book/_static/search.js reads another one.
The theme would measure all that could be scrolled when a page is loaded, which takes long
on a phone: book/_static/course.js measures each box when it is laid out. All other scripts
wait until the page stands, in their order; their options, which scripts in the page change,
stand in the page itself. Its theme is chosen before it is drawn.
"""

import re
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

ICONS = "_static/styles/pydata-sphinx-theme.css"
FONT = "_static/vendor/fontawesome/webfonts/fa-solid-900.ttf"
SUBSET = "_static/icons.woff"  # course.css names it
THEME = "_static/scripts/pydata-sphinx-theme.js"
MEASURED = re.compile(r'\["pre",[^\]]*\]\.join\(", "\)')
OPTIONS = "_static/documentation_options.js"
UNUSED = re.compile(
    r"\s*<(?:script|link)[^>]*(?:fontawesome|design-tabs)\.js[^>]*>(?:</script>)?"
    r'|\s*<link rel="preload" as="script"[^>]*>'
)
INDEX = re.compile(r'\s*<script (?:defer )?src="[^"]*searchindex\.js"></script>')
OPTIONS_SCRIPT = re.compile(r'<script src="[^"]*documentation_options\.js[^"]*"></script>')
# Without a stored theme: that of the system, for the first paint already.
NO_THEME = (
    'localStorage.getItem("theme") || "auto"',
    'localStorage.getItem("theme") || '
    '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
)


def lighten(folder: Path):
    """Change the pages in this folder, and write the font."""
    options = (folder / OPTIONS).read_text(encoding="utf-8")
    used = set()
    for path in pages_in(folder):
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bfa-[\w-]+", text))
        lighter = UNUSED.sub("", text)
        lighter = INDEX.sub("", lighter)
        lighter = OPTIONS_SCRIPT.sub(f"<script>{options}</script>", lighter)
        lighter = lighter.replace("<script src=", "<script defer src=")
        lighter = lighter.replace(*NO_THEME)
        if lighter != text:
            path.write_text(lighter, encoding="utf-8", newline="\n")
    script = folder / THEME
    text = script.read_text(encoding="utf-8")
    script.write_text(MEASURED.sub('"none"', text), encoding="utf-8", newline="\n")
    write_font(folder, used)


def pages_in(folder):
    """The pages of the book, without slides that an earlier build wrote."""
    paths = folder.rglob("*.html")
    return sorted(path for path in paths if path.relative_to(folder).parts[0] != "slides")


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
