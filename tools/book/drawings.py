"""Draw the figures of the book's pages in the page itself, in its letters and colours.

A notebook keeps each figure as a picture of its own, which looks the same everywhere. On a
page it becomes a part of the HTML: the four colours of the course are the page's variables,
greys lie between its paper and its ink, and every other colour has a counterpart for the
dark theme, of the same hue and the opposite lightness. Photographs stay pictures, and get
their size, so that nothing moves when they come. On a phone panels stand one below the
other (tools/book/panels.py).
"""

import html
import re

from tools.book import panels
from tools.book.lighter_pages import pages_in

IMAGE = re.compile(
    r'<img (?P<attributes>[^>]*?src="[./]*/_images/(?P<file>\w+)\.svg"[^>]*?)/?>'
)
ALT = re.compile(r'alt="([^"]*)"')
BEFORE = re.compile(r"^.*?(?=<svg)|\s*<metadata>.*?</metadata>", re.DOTALL)
SIZE = re.compile(r' width="([\d.]+)pt" height="([\d.]+)pt"')
GROUP = re.compile(r"^(<svg[^>]*>)(.*)</svg>$", re.DOTALL)
STYLE = re.compile(r"\s*<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>")
NAMED = re.compile(r'(?<= id=")|(?<=url\(#)|(?<=href="#)')
UNUSED = re.compile(
    r' id="(?:\w+?_\d+|matplotlib\.axis_\d+)"|(?<=[ "])rotate\(-0 [\d. ]+\)'
)
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
TEXT = re.compile(r"<(?:text|tspan) [^>]*>")
FAMILY = re.compile(r"font-family: [^;\"]*")
LETTERS = re.compile(r"font-size: ([\d.]+)px")
ROLES = {"#e8750a": "query", "#3b82f6": "key", "#1f8a4c": "value", "#7f45f0": "weight"}
NARROWER = 0.94  # the page's letters are wider than those that the figure was set in


def draw(folder):
    """Put the figures of all pages in this folder into the pages."""
    for path in pages_in(folder):
        text = path.read_text(encoding="utf-8")
        drawn = IMAGE.sub(lambda image: drawing(image, folder), text)
        if drawn != text:
            path.write_text(drawn, encoding="utf-8", newline="\n")


def drawing(image, folder):
    """The SVG element in place of an image, or the image if it is a photograph.

    An image without a description is the second view of a figure that has one.
    """
    svg = (folder / "_images" / f"{image['file']}.svg").read_text(encoding="utf-8")
    if 'class="photograph"' in image["attributes"]:
        width, height = (round(float(size) * 4 / 3) for size in SIZE.search(svg).groups())
        return image[0].replace("<img", f'<img width="{width}" height="{height}"', 1)
    alt, name = ALT.search(image["attributes"]), f"f{image['file'][:8]}"
    if alt and alt[1]:
        return inline(svg, html.unescape(alt[1]), name) + panels.stacked(svg, name)
    box = re.search(r'viewBox="[^"]*"', svg)[0]
    return f'<svg class="drawing" aria-hidden="true" {box}><use href="#{name}"/></svg>'


def inline(svg, alt, name):
    """An SVG file as an element of a page, with a name that also begins its own names.

    What is drawn has the name, without the element around it, and a class of its own, by
    which styles find it where it is seen a second time.
    """
    svg = STYLE.sub("", BEFORE.sub("", svg)).strip()
    svg = TEXT.sub(letters, UNUSED.sub("", svg))
    svg = COLOUR.sub(lambda colour: themed(colour[0]), svg)
    svg = NAMED.sub(f"{name}-", svg.replace("xlink:href", "href"))
    width = float(SIZE.search(svg)[1]) * 4 / 3
    label = f'role="img" aria-label="{html.escape(alt)}"'
    opened = f' class="drawing" {label} style="width: {width:.0f}px"'
    group = rf'\1<g id="{name}" class="drawn">\2</g></svg>'
    svg = GROUP.sub(group, SIZE.sub(opened, svg, count=1))
    return re.sub(r"\s*\n\s*", "\n", svg)


def letters(text):
    """The beginning of a text element, in the page's letters and the inks of its roles."""
    style = FAMILY.sub("", text[0]).replace("; ;", ";")
    style = LETTERS.sub(lambda size: f"font-size: {float(size[1]) * NARROWER:.2f}px", style)
    for colour, role in ROLES.items():
        style = style.replace(colour, f"var(--d2l-{role}-text)")
    return style


def themed(colour):
    """A colour as the page's variable, or with its counterpart in the dark."""
    if colour in ROLES:
        return f"var(--d2l-{ROLES[colour]})"
    r, g, b = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if max(r, g, b) - min(r, g, b) < 12:  # a grey
        share = round(100 * (1 - (r + g + b) / 765))
        return f"color-mix(in srgb, var(--ink) {share}%, var(--paper))"
    return f"light-dark({colour}, {counterpart(r, g, b)})"


def counterpart(r, g, b):
    """The colour of the opposite lightness and the same hue, as CSS filters make it."""
    r, g, b = 255 - r, 255 - g, 255 - b
    turned = (  # by half a turn of the hue
        -0.574 * r + 1.43 * g + 0.144 * b,
        0.426 * r + 0.43 * g + 0.144 * b,
        0.426 * r + 1.43 * g - 0.856 * b,
    )
    return "#" + "".join(f"{min(255, max(0, round(part))):02x}" for part in turned)
