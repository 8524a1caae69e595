"""The book's Sphinx extension: addresses, index, names, and mends of its pages.

What a page has because its book is published from a repository is in
tools/book/address.py.

Below the title of a notebook's page stands how long it takes to read and to run. A chapter
opens with its question and a picture (tools/book/openers.py), and the list of chapters has
a line for each (tools/book/sidebar.py). The start
page gets its first screen for `{{ first_screen }}` (tools/book/first_screen.py) and the
table of chapters for `{{ chapters }}` (tools/book/pages.py), and *Try it* its translator
for `{{ translation }}` (tools/book/translation.py) and its adder for `{{ adder }}`
(tools/book/addition.py). *Attention in ten minutes* gets its pictures
as `{{ ten.… }}` (tools/book/ten_minutes.py). A page of exercises has a link there to what
students get, and folds below each statement (tools/notebooks/exercises.py), without
solutions if SOLUTIONS says so (tools/book/solutions.py). Before the exercises of a chapter
stand questions that the page checks (tools/book/questions.py), and a guess is tapped before
its result is shown (tools/book/guesses.py). Figures have captions with
numbers (tools/book/figures.py), and are drawn in the page (tools/book/drawings.py).

The formulas are set by MathJax while the book is built (tools/book/formulas.py), and pages
lose what they load without need (tools/book/lighter_pages.py).

When the book is finished, its downloads (tools/book/downloads.py) and the slides of its
chapters (tools/book/slides.py) are written. So they are at the end of every build, whoever
starts it and however.

The terms of book/terms.yml go into the index, and into what the search looks through
(tools/book/search.py).

The names of the package have their entries, and links to them, by tools/book/names.py.

Defects of the theme are mended here, in the HTML (MENDS), or in the browser, by
book/_static/course.js: there pages are printed in the light theme, the arrows of the table
of contents have names, and what is wider than the page can be scrolled by keyboard.
"""

import os
import re
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError

from tools.book import (
    addition,
    address,
    downloads,
    drawings,
    first_screen,
    fold_names,
    formulas,
    guesses,
    lighter_pages,
    openers,
    pages,
    questions,
    search,
    sidebar,
    slides,
    solutions,
    tables,
    ten_minutes,
    translation,
)
from tools.notebooks import exercises

# In the HTML of a page, what a reader or a screen reader should not see, and what instead.
MENDS = {
    ' aria-label="Toggle hidden content"': "",  # it hides what the fold's summary says
    "<th></th>": "<td></td>",  # an empty corner of a table is no heading
    '<th class="head"><p></p></th>': "<td></td>",
}
PATTERNS = {
    # The head of a table by pandas, with the name of its index in a second row: into the
    # empty corner of the first.
    r"<td></td>((?:\s*<th>[^<]*</th>)+\s*</tr>)\s*"
    r"<tr>\s*(<th>[^<]+</th>)(?:\s*<td></td>)+\s*</tr>(?=\s*</thead>)": r"\2\1",
    r"(?<=\d)\s±\s(?=\d)": "\u00a0±\u00a0",  # 0.89 ± 0.03 stays on one line
}
MAX_LINE = 88  # what fits into the column


def setup(app):
    app.setup_extension("tools.book.address")
    app.setup_extension("tools.book.figures")
    app.setup_extension("tools.book.formulas")
    app.setup_extension("tools.book.names")
    app.setup_extension("tools.book.questions")
    app.add_config_value("released", None, "env", (list, type(None)))
    app.connect("config-inited", choose_solutions)
    app.connect("config-inited", add_chapters)
    app.connect("config-inited", translation.add_views)
    app.connect("config-inited", first_screen.add_view)
    app.connect("config-inited", addition.add_view)
    app.connect("config-inited", ten_minutes.add_frames)
    app.connect("source-read", fold_exercises)
    app.connect("doctree-read", add_times)
    app.connect("doctree-read", guesses.mark)
    app.connect("doctree-read", add_terms)
    app.connect("doctree-read", mark_long_lines)
    app.connect("html-page-context", mend)
    app.connect("html-page-context", ten_minutes.add_style)
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def choose_solutions(app, config):
    """Set whose solutions are shown, as SOLUTIONS says, and the tag `solutions` if any."""
    try:
        config.released = solutions.released(Path(app.srcdir))
    except ValueError as error:
        raise ExtensionError(str(error)) from None
    tests = "tests"
    if config.released != []:
        app.tags.add("solutions")
        tests += " and solutions"
    config.myst_substitutions |= {"tests": tests}


def add_chapters(app, config):
    """Set what pages substitute: the table of chapters, and the questions for the class."""
    root = Path(app.srcdir)
    config.myst_substitutions |= {
        "chapters": pages.table(root),
        "class_questions": questions.folded(root),
    }


def fold_exercises(app, docname, source):
    """Put the tests and the solution of each exercise into folds."""
    if docname.startswith("notebooks/exercises/"):
        notebook = nbformat.reads(source[0], as_version=4)
        shown = solutions.are_shown(Path(docname).name, app.config.released)
        source[0] = nbformat.writes(exercises.folded(notebook, shown))


def add_times(app, doctree):
    """Say below the title of a notebook's page how long it takes, and how to run it.

    For a page of exercises: how long they take, and where they are without solutions.
    """
    docname = app.env.docname
    path = Path(app.srcdir) / f"{docname}.ipynb"
    if not path.is_file():
        return
    file = f"{'../' * docname.count('/')}_sources/{docname}.ipynb"
    if docname.startswith("notebooks/exercises/"):
        text = f'<a href="{file}" download>Download to solve</a>: no solutions inside'
        text += f" · {pages.work(pages.read(path))}"
    else:
        text = pages.times(pages.read(path))
        if not address.repository_name():
            text += f' · <a href="{file}" download>Download the notebook</a>'
    section = next(iter(doctree.findall(nodes.section)))
    place = section.first_child_matching_class(nodes.title) + 1
    for part in (address.how_to_run(docname), text):
        line = nodes.paragraph(
            "", "", nodes.raw("", part, format="html"), classes=["times"]
        )
        section.insert(place, line)


def add_terms(app, doctree):
    """Put the terms of a page into the index; a section that does not exist is an error."""
    page, entries = app.env.docname, []
    app.env.note_dependency("book/terms.yml")  # a page is read again when it changes
    with open(os.path.join(app.srcdir, "book", "terms.yml"), encoding="utf-8") as file:
        sections = yaml.safe_load(file).get(page, {})
    for anchor, terms in sections.items():
        if anchor not in doctree.ids:
            raise ExtensionError(f"book/terms.yml: {page} has no section {anchor!r}")
        entries += [("single", term, anchor, "main", None) for term in terms]
    doctree.append(addnodes.index(entries=entries))  # for the search
    app.env.get_domain("index").entries[page] += entries


def mark_long_lines(app, doctree):
    """Let what a cell has printed be wrapped, if a line is longer than those of code."""
    for block in doctree.findall(nodes.literal_block):
        lines = block.astext().splitlines() if search.is_output(block.parent) else []
        if any(len(line) > MAX_LINE for line in lines):
            block["classes"].append("long-lines")


def mend(app, pagename, templatename, context, doctree):
    """Replace what MENDS and PATTERNS name, align tables, and name folds."""
    body = context.get("body", "")
    for wrong, right in MENDS.items():
        body = body.replace(wrong, right)
    for pattern, right in PATTERNS.items():
        body = re.sub(pattern, right, body)
    body = fold_names.name_folds(tables.align(body))
    context["body"] = openers.open_page(body, Path(app.srcdir) / f"{pagename}.ipynb")


def finish(app, exception):
    """Work over the finished pages, and write what they load or link besides each other."""
    if exception or app.builder.name != "html":
        return
    source, folder = Path(app.srcdir), Path(app.outdir)
    formulas.render(folder)
    drawings.draw(folder)
    sidebar.shorten(folder)
    lighter_pages.lighten(folder)
    search.write_sections(app)
    downloads.write(source, folder, app.config.released)
    slides.write(source, folder / "slides")
