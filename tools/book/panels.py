"""Panels of a figure one below the other, for a phone.

A figure with several axes side by side is as small on a phone as its width demands. There
each column of axes is shown by itself, as a part of the same drawing, with the labels of
the first column if it has none of its own.
"""

import re
import xml.etree.ElementTree as ET
from typing import NamedTuple

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = r"(-?[\d.]+)"
POINT = re.compile(rf"[ML] {NUMBER} {NUMBER}")
NARROWEST = 60  # points: what is narrower is the scale of colours of what stands before it
WIDEST = 330  # a figure that is not wider fits a phone
OWN_LABELS = 16  # points between two columns in which the labels of the second have room
LARGER = 1.15  # than on a wide screen


class Column(NamedTuple):
    """Where a column of axes begins and ends, in points."""

    left: float
    right: float

    @property
    def width(self):
        return self.right - self.left


def columns(svg):
    """The columns of axes of equal width that stand side by side, or an empty list."""
    root = ET.fromstring(svg)
    figure = root.find(f".//{SVG}g[@id='figure_1']")
    if figure is None or float(root.get("viewBox").split()[2]) <= WIDEST:
        return []
    names = [part.get("id", "") for part in figure]
    extents = [axes(part) for part in figure if part.get("id", "").startswith("axes_")]
    if not all(name.startswith(("axes_", "patch_")) for name in names) or None in extents:
        return []  # a legend or a title of the whole figure, or axes without a background
    found = []
    for column in sorted(extents):
        if found and (column.left < found[-1].right or column.width < NARROWEST):
            found[-1] = Column(found[-1].left, max(found[-1].right, column.right))
        else:
            found.append(column)
    widths = [column.width for column in found]
    return found if len(found) > 1 and NARROWEST <= max(widths) < 1.25 * min(widths) else []


def axes(part):
    """The extent of axes, which is that of their background, or None if they have none."""
    path = part.find(f"{SVG}g/{SVG}path")
    if path is None:
        return None
    places = [float(x) for x, _ in POINT.findall(path.get("d"))]
    return Column(min(places), max(places))


def stacked(svg, name):
    """The panels of an SVG file, as parts of the element with this name, or nothing."""
    found = columns(svg)
    if not found:
        return ""
    width, height = re.search(rf'viewBox="0 0 {NUMBER} {NUMBER}"', svg).groups()
    parts, start, strip = [], 0.0, 0.0
    for column, after in zip(found, [*found[1:], None]):
        gap = after.left - column.right if after else 0
        end = column.right + (3 if gap > OWN_LABELS else gap / 2) if after else float(width)
        parts.append(part(name, start, end, height, strip))
        start, strip = end, 0 if gap > OWN_LABELS else found[0].left - 2
    return f'<div class="panels" aria-hidden="true">{"".join(parts)}</div>'


def part(name, start, end, height, labels):
    """What stands between two places of a drawing, with labels from its left edge."""

    def view(x, start, width):
        box = f'x="{x:.1f}" width="{width:.1f}" height="{height}"'
        return (
            f'<svg {box} viewBox="{start:.1f} 0 {width:.1f} {height}">'
            f'<use href="#{name}"/></svg>'
        )

    width = labels + end - start
    strip = view(0, 0, labels) if labels else ""
    return (
        f'<svg class="drawing" viewBox="0 0 {width:.1f} {height}"'
        f' style="width: {width * 4 / 3 * LARGER:.0f}px">'
        f"{strip}{view(labels, start, end - start)}</svg>"
    )
