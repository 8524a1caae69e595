"""The list of chapters beside a page: one line a chapter, with two marks.

The theme folds a chapter's further pages and its exercises below it. Here each of them is a
mark beside the chapter, named by its title. Only the chapter that is open lists them.
"""

import re

from tools.book.lighter_pages import pages_in

CHAPTER = re.compile(
    r'(?P<item><li class="toctree-l1[^"]*?) has-children">(?P<link><a [^>]*>[^<]*</a>)'
    r"<details[^>]*><summary>.*?</summary><ul[^>]*>\s*(?P<pages>.*?)</ul>\s*</details></li>",
    re.DOTALL,
)
PAGE = re.compile(
    r'<li class="[^"]*"><a class="[^"]*" href="(?P<url>[^"]*)">'
    r"(?P<title>[^<]*)</a></li>"
)
MARKS = {"Going further": "fa-angles-right", "Exercises": "fa-pencil"}


def shorten(folder):
    """Mark the further pages and the exercises of each chapter, on all pages."""
    for path in pages_in(folder):
        text = path.read_text(encoding="utf-8")
        shorter = CHAPTER.sub(with_marks, text)
        if shorter != text:
            path.write_text(shorter, encoding="utf-8", newline="\n")


def with_marks(chapter):
    """The item of a chapter, or as it was if it has other pages below it."""
    marks = [mark(page) for page in PAGE.finditer(chapter["pages"])]
    if not all(marks):
        return chapter[0]
    if "current" in chapter["item"]:
        return (
            f'{chapter["item"]} chapter">{chapter["link"]}<ul>{chapter["pages"]}</ul></li>'
        )
    return f'{chapter["item"]} chapter">{chapter["link"]}{"".join(marks)}</li>'


def mark(page):
    icons = [icon for start, icon in MARKS.items() if page["title"].startswith(start)]
    if not icons:
        return ""
    return (
        f'<a class="beside" href="{page["url"]}" title="{page["title"]}" '
        f'aria-label="{page["title"]}"><i class="fa-solid {icons[0]}"></i></a>'
    )
