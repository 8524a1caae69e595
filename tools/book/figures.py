"""Number the figures of a page, so that they can be cited and linked: Figure 7.3.

A figure is a code cell with a caption in its metadata, a line of Markdown:

    "mystnb": {"figure": {"caption": "One block in numbers."}, "image": {"alt": "…"}}

Only the book shows it, below what the cell displays. The number has that of the page, with
F on a page called *Going further*, and the place of the figure on the page. Pages of one
chapter are counted through. The slides (tools/book/slides.py) have the same numbers.
"""

import re
from pathlib import Path

import nbformat
from docutils import nodes

from tools.notebooks import save

CHAPTER = re.compile(r"(Going further )?(\d+) · ")


def setup(app):
    app.connect("config-inited", leave_numbers, priority=900)  # after Jupyter Book
    app.connect("doctree-read", number)


def leave_numbers(app, config):
    """Let Sphinx not count the figures of the whole book."""
    config.numfig = False


def caption(cell) -> str:
    """The caption of a cell, or nothing."""
    return cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")


def before(path: Path) -> int:
    """How many figures the earlier pages of a page's chapter have."""
    if path.parent.name != "notebooks" or save.chapter_of(path) == path:
        return 0
    pages = save.pages_of(save.chapter_of(path), path.parent.parent)
    earlier = [nbformat.read(p, as_version=4) for p in pages[: pages.index(path)]]
    return sum(bool(caption(cell)) for page in earlier for cell in page.cells)


def name(title: str, place: int) -> str:
    """The name of a figure, from the title of its page and its place there."""
    chapter = CHAPTER.match(title)
    start = f"{'F' if chapter[1] else ''}{chapter[2]}." if chapter else ""
    return f"Figure {start}{place}"


def anchor(name: str) -> str:
    """The address of a figure on its page."""
    return re.sub(r"\W", "-", name.lower())


def number(app, doctree):
    """Put their names before the captions of a page, and addresses on its figures."""
    captions = [node for node in doctree.findall(nodes.caption) if is_of_cell(node)]
    path = Path(app.srcdir) / f"{app.env.docname}.ipynb"
    for place, node in enumerate(captions, start=1 + before(path)):
        text = name(doctree.next_node(nodes.title).astext(), place)
        node.insert(0, nodes.inline("", f"{text}. ", classes=["caption-number"]))
        node.parent["ids"] = [anchor(text)]


def is_of_cell(caption):
    return caption.parent.parent.get("nb_element") == "cell_code_output"
