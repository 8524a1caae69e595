"""The opening of a chapter: its number, its question, one line, and a picture.

In a notebook a chapter begins with its title and its question. In the book the question
becomes the heading, with the title below it, and beside them stands the figure of the cell
that says so in its metadata: `"opener": true`. The figure leads to its place on the page.
"""

import re
from pathlib import Path

from tools.book import figures, pages

NUMBER = re.compile(r"^(\d+) · ")
OPENING = re.compile(
    r"<h1>(?P<title>[^<]*)(?P<links>(?:<a .*?</a>)*)</h1>\s*"
    r'<p class="times">(?P<times>.*?)</p>\s*<p class="times">(?P<run>.*?)</p>\s*'
    r"<p><em>(?P<question>[^<]*\?)</em></p>",
    re.DOTALL,
)
OPENER = """<header class="opener"><div>{number}
<h1 data-title="{title}">{question}{links}</h1>
<p class="noun">{noun}</p>
<p class="times">{times}</p>
<details class="run"><summary>Run it</summary><p class="times">{run}</p></details></div>
{picture}</header>"""


def open_page(body, path: Path):
    """The body of a chapter's page, with its opening; any other body as it is."""
    found = OPENING.search(body)
    if not found or not path.is_file():
        return body
    number = NUMBER.match(found["title"])
    opener = OPENER.format(
        number=f'<p class="number" aria-hidden="true">{number[1]}</p>' if number else "",
        question=re.sub("“it”", "<i>it</i>", found["question"]),
        title=found["title"],
        links=found["links"],
        noun=NUMBER.sub("", found["title"]),
        times=found["times"].replace("Download the notebook", "Download"),
        run=found["run"],
        picture=picture(body, path),
    )
    return body.replace(found[0], opener, 1)


def picture(body, path):
    """The figure beside the question, as a link to its place, or nothing."""
    notebook = pages.read(path)
    captions = [cell for cell in notebook.cells if figures.caption(cell)]
    for place, cell in enumerate(captions, start=1 + figures.before(path)):
        if cell.metadata.get("opener"):
            name = figures.name(pages.title(notebook), place)
            anchor = figures.anchor(name)
            image = re.search(rf'id="{anchor}">\s*(<img [^>]*>)', body)[1]
            image = re.sub('alt="[^"]*"', 'alt=""', image)
            return f'<a class="picture" href="#{anchor}" aria-label="{name}">{image}</a>'
    return ""
