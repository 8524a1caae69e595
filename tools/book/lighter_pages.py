"""Take from the book's pages what they load and do not need, and let them appear early.

The theme draws its icons with a script of 1.5 MB, although its style sheets draw them
with a font as well. Of this font, only the icons stay that occur, and of the style
sheets only rules for classes that a page or a script names. No page has the tabs that
one script is for. Sphinx's index of the search goes: book/_static/search.js reads
another one. The theme would measure all that could be scrolled when a page is loaded,
which takes long on a phone: book/_static/course.js measures each box when it is laid
out. All other scripts wait until the page stands, in their order; their options, which
scripts in the page change, stand in the page itself. What several cells write alike, as
the script of the figures, stands in a page once, and a figure with very many numbers
gets them from a file, which book/_static/course.js loads when the figure is near. The
theme of a page is chosen before the page is drawn, and the page waits a moment for its
letters, so that no line moves when they come.
"""

import hashlib
import html
import json
import re
from collections import Counter
from functools import partial
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

ICONS = "_static/styles/pydata-sphinx-theme.css"
FONT = "_static/vendor/fontawesome/webfonts/fa-solid-900.ttf"
SUBSET = "_static/icons.woff"  # course.css names it
SHEETS = [
    *("basic.css", "mystnb.*.css", "sphinx-design.min.css"),
    *("styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css"),
]
IN_PAGE = re.compile(r"<(script|style)(?: scoped)?>.*?</\1>", re.DOTALL)
GIVEN = re.compile(r'(<div class="d2l-figure"[^>]*) data-given="([^"]*)"')
MANY = 100_000  # characters of what a figure gets
RULE = re.compile(r"([^{}]*)\{[^{}]*\}")
THEME = "_static/scripts/pydata-sphinx-theme.js"
MEASURED = re.compile(r'\["pre",[^\]]*\]\.join\(", "\)')
OPTIONS = "_static/documentation_options.js"
UNUSED = re.compile(
    r"\s*<(?:script|link)[^>]*(?:fontawesome|design-tabs)\.js[^>]*>(?:</script>)?"
    r'|\s*<link rel="preload" as="script"[^>]*>'
)
INDEX = re.compile(r'\s*<script (?:defer )?src="[^"]*searchindex\.js"></script>')
OPTIONS_SCRIPT = re.compile(r'<script src="[^"]*documentation_options\.js[^"]*"></script>')
START_FACES = {  # what a page shows at first, as CSS calls it, and its file
    "1em Book Display": "display",
    "italic 1em Book Display": "display-italic",
    "1em Book Sans": "sans",
}
ITALIC_TITLE = re.compile(r"<h1[^>]*>[^\n]*<(?:em|i)>")
FACES = START_FACES | {"1em Book Serif": "text", "italic 1em Book Serif": "text-italic"}
LETTERS = """{preloads}
<script>(({{ classList }}) => {{ // wait for the letters, but not long
  const show = () => classList.remove("lettering");
  classList.add("lettering");
  Promise.all({faces}.map(face => document.fonts.load(face))).then(show, show);
  setTimeout(show, 2000);
}})(document.documentElement)</script>
</head>"""
# Without a stored theme: that of the system, for the first paint already.
NO_THEME = (
    'localStorage.getItem("theme") || "auto"',
    'localStorage.getItem("theme") || '
    '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")',
)


def lighten(folder: Path):
    """Change the pages in this folder, and write the font."""
    options = (folder / OPTIONS).read_text(encoding="utf-8")
    used, classes = set(), words_of_scripts(folder)
    for path in pages_in(folder):
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bfa-[\w-]+", text))
        classes |= set(" ".join(re.findall(r'class="([^"]*)"', text)).split())
        lighter = UNUSED.sub("", text)
        lighter = INDEX.sub("", lighter)
        lighter = OPTIONS_SCRIPT.sub(f"<script>{options}</script>", lighter)
        lighter = once(lighter.replace("<script src=", "<script defer src="))
        lighter = lighter.replace(*NO_THEME)
        lighter = GIVEN.sub(partial(later, path, folder), lighter)
        if 'as="font"' not in lighter:
            lighter = lighter.replace("</head>", letters(path, folder, text), 1)
        if lighter != text:
            path.write_text(lighter, encoding="utf-8", newline="\n")
    script = folder / THEME
    text = script.read_text(encoding="utf-8")
    script.write_text(MEASURED.sub('"none"', text), encoding="utf-8", newline="\n")
    write_font(folder, used)
    for sheet in (path for name in SHEETS for path in (folder / "_static").glob(name)):
        text = without_dead_rules(sheet.read_text(encoding="utf-8"), classes)
        sheet.write_text(text, encoding="utf-8", newline="\n")


def once(text):
    """A page with each script that stands in it once, at its last place, and each style.

    A script of figures finds all that stand before it; a style is for all that follow.
    """
    counts, seen = Counter(found[0] for found in IN_PAGE.finditer(text)), set()

    def kept(found):
        counts[found[0]] -= 1
        repeated = counts[found[0]] if found[1] == "script" else found[0] in seen
        seen.add(found[0])
        return "" if repeated else found[0]

    return IN_PAGE.sub(kept, text)


def later(path, folder, found):
    """The beginning of a figure; very many numbers of it go to a file."""
    if len(found[2]) < MANY:
        return found[0]
    given = html.unescape(found[2])
    name = f"{hashlib.sha256(given.encode()).hexdigest()[:12]}.js"
    file = folder / "_static" / "figures" / name
    file.parent.mkdir(exist_ok=True)
    text = f'(window.figures ??= {{}})["{name}"] = {json.dumps(given)};\n'
    file.write_text(text, encoding="utf-8", newline="\n")
    up = "../" * (len(path.relative_to(folder).parts) - 1)
    return f'{found[1]} data-ready data-later="{up}_static/figures/{name}"'


def words_of_scripts(folder):
    """All words of the scripts: classes that they may give to something are among them."""
    scripts = (folder / "_static").rglob("*.js")
    texts = (path.read_text(encoding="utf-8") for path in scripts)
    return {word for text in texts for word in re.findall(r"[\w-]+", text)}


def without_dead_rules(sheet, classes):
    """A style sheet without rules of which every selector has a class that nothing has."""

    def is_dead(selector):
        return bool(set(re.findall(r"\.([A-Za-z_][\w-]*)", selector)) - classes)

    def kept(rule):
        selectors = re.sub(r"/\*.*?\*/", "", rule[1], flags=re.DOTALL)
        nested = "(" in selectors or "@" in selectors  # :not(.class), for example
        return rule[0] if nested or not all(map(is_dead, selectors.split(","))) else ""

    return RULE.sub(kept, sheet)


def letters(path, folder, text):
    """The end of a page's head, which loads the letters that the page shows at first."""
    up = "../" * (len(path.relative_to(folder).parts) - 1)
    if 'id="first-screen"' in text:
        faces = START_FACES
    elif ITALIC_TITLE.search(text):
        faces = FACES
    else:
        faces = {face: file for face, file in FACES.items() if file != "display-italic"}
    preloads = "".join(
        f'<link rel="preload" href="{up}_static/fonts/{file}.woff2" as="font" '
        'type="font/woff2" crossorigin>'
        for file in faces.values()
    )
    return LETTERS.format(preloads=preloads, faces=json.dumps([*faces]))


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
