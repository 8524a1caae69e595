"""Set the formulas of the book's pages while it is built, so that no page loads MathJax.

MathJax runs in V8 (the package mini-racer) and makes of each formula what it would make in
a browser: HTML for the eye and MathML for screen readers. One style sheet and parts of
MathJax's fonts, with the characters that occur, serve the whole book. The source of a
formula stays in its element as data-tex: course.js copies it, and the next build takes it
from there on pages that Sphinx does not write again.
"""

import html
import json
import re
import shutil
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont
from myst_parser.sphinx_ext.mathjax import html_visit_displaymath
from py_mini_racer import MiniRacer
from sphinx.errors import ExtensionError
from sphinx.ext.mathjax import html_visit_math

from tools import beside
from tools.book.lighter_pages import pages_in, subset

MATHJAX = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
SCRIPTS = [
    *("startup", "core", "adaptors/liteDOM", "input/tex-full", "output/chtml"),
    *("output/chtml/fonts/tex", "a11y/assistive-mml"),
]
FONTS = MATHJAX / "output" / "chtml" / "fonts" / "woff-v2"
STYLE, FOLDER = "_static/formulas.css", "_static/formulas"
# A formula as Sphinx writes it, and as it stands here after the first build, with the
# punctuation behind it. Browsers could begin a line between the two, so they are wrapped.
FORMULA = re.compile(
    r'<(div|span)( class="math [^"]*"[^>]*?)(?: data-tex="([^"]*)")?>(.*?)</\1>'
    r"([-.,;:!?)’”]*)",
    re.DOTALL,
)
UNBROKEN = '<span class="unbroken">'
# A reference to a formula, and nothing else: MathJax hides its link from screen readers.
REFERENCE = re.compile(
    r'<mjx-container[^>]*><mjx-math[^>]*>(<a href="[^"]*">)<mjx-mrow class=" MathJax_ref">'
    r"(?:(?!</a>).)*</a></mjx-math>.*<mtext>(.*)</mtext>.*"
)
FACE = re.compile(
    r'(@font-face[^{]*\{\s*font-family: ([\w-]+);\s*src: url\("(.+?)"[^}]*\})'
)
LINK = re.compile(r" *<link [^>]*formulas\.css[^>]*>\n")
HEAD = re.compile(r"(?= *<link [^>]*course\.css)")


def setup(app):
    """Let Sphinx write formulas as for MathJax, but no script that loads it."""
    app.add_html_math_renderer(
        "formulas",
        (html_visit_math, None),
        (html_visit_displaymath, None),
    )


def render(folder: Path):
    """Set the formulas of all pages in this folder, and write their style and fonts.

    Raises ExtensionError, with the page and the formula, for what is no correct TeX.
    """
    texts = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in pages_in(folder)
    }
    texts = {name: text for name, text in texts.items() if FORMULA.search(text)}
    if not texts:
        return
    found = run_mathjax({name: sources(name, text) for name, text in texts.items()})
    style = write_style(folder, found["css"])
    for name, text in texts.items():
        text = put(found["pages"][name], text)
        root = "../" * name.count("/")
        link = f'    <link rel="stylesheet" type="text/css" href="{root}{style}" />\n'
        text = HEAD.sub(link, LINK.sub("", text), count=1)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def sources(name, text):
    """The formulas of this page in TeX."""
    for match in FORMULA.finditer(text):
        if match[3] is None and "<" in match[4]:
            raise ExtensionError(rf"{name}: a number from Sphinx, not \tag: {match[4]}")
    return [source(match) for match in FORMULA.finditer(text)]


def source(match):
    return html.unescape(match[4] if match[3] is None else match[3]).strip()


def put(formulas, text):
    """The page's text with its formulas set, and their sources."""
    formulas = iter(formulas)

    def element(match):
        tex, end = html.escape(source(match)), match[5]
        formula = REFERENCE.sub(r"\1\2</a>", next(formulas))
        text = f'<{match[1]}{match[2]} data-tex="{tex}">{formula}</{match[1]}>{end}'
        wrapped = match.string.startswith(UNBROKEN, match.start() - len(UNBROKEN))
        return f"{UNBROKEN}{text}</span>" if end and not wrapped else text

    return FORMULA.sub(element, text)


def run_mathjax(pages):
    """For lists of formulas by page: their HTML as `pages`, and the `css` of all."""
    with MiniRacer() as v8:
        v8.eval(
            "var MathJax = { loader: { load: [], ready() {} }, startup: { ready() {} } }; 0"
        )
        for name in SCRIPTS:
            v8.eval((MATHJAX / f"{name}.js").read_text(encoding="utf-8") + "\n;0")
        v8.eval(beside(__file__, "formulas.js"))
        found = json.loads(v8.eval(f"setAll({json.dumps(pages)})"))
    if "error" in found:
        raise ExtensionError(found["error"])
    return found


def write_style(folder, css):
    """Write the style sheet and the fonts it names, and return the style's address."""
    drawn, stretched = characters(css)
    (folder / FOLDER).mkdir(exist_ok=True)
    for rule, family, name in FACE.findall(css):
        font, target = FONTS / Path(name).name, folder / "_static" / name
        points = drawn.get(family, set()) | stretched
        if family == "MJXZERO":  # it draws nothing, and gives lines their height
            shutil.copyfile(font, target)
        elif points & TTFont(font).getBestCmap().keys():
            subset(font, target, points)
        else:
            css = css.replace(rule, "")
    (folder / STYLE).write_text(css, encoding="utf-8", newline="\n")
    return f"{STYLE}?v={sha256(css.encode()).hexdigest()[:8]}"


def characters(css):
    """The code points that each family of fonts draws, and those of what stretches."""
    drawn, stretched = {}, set()
    for selector, content in re.findall(r'([^{}]*)\{[^{}]*content: "(.+?)"', css):
        variant = re.search(r"mjx-c\.mjx-c\w+(?:\.TEX(-\w+))?::before", selector)
        family = f"MJXTEX{variant[1] or ''}" if variant else None
        points = drawn.setdefault(family, set()) if variant else stretched
        for code, letter in re.findall(r"\\([0-9A-F]+) ?|(.)", content):
            points.add(int(code, 16) if code else ord(letter))
    return drawn, stretched
