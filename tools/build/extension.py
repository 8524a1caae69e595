"""The book's Sphinx extension: addresses, index, docstrings, and mends of its pages.

The variable REPO=owner/name names the repository on GitHub from which the book is
published. Each notebook's page then has a button that opens in Colab what the page lets you
download, every page has one that opens an issue, and the start page says how to install the
package. What Colab opens lies in the branch `gh-pages`, where the workflow publish.yml puts
the book. Without REPO, as on your own machine, there are none of these.

Below the title of a notebook's page stands how long it takes to read and to run, and the
start page gets the table of chapters for its `{{ chapters }}` (tools/build/pages.py). A
page of exercises has a link there to what students get, and folds below each statement
(tools/build/exercises.py).

The formulas are set by MathJax while the book is built (tools/build/formulas.py), and pages
lose what they load without need (tools/build/light.py).

The terms of book/terms.yml go into the index, which the search looks through first.

Our docstrings are plain text with code in `backticks`; for the page of names, where autodoc
expects reStructuredText, they are rewritten.

Defects of the theme are mended here, in the HTML (MENDS), or in the browser, by
book/_static/course.js: there pages are printed in the light theme, the arrows of the table
of contents have names, and a formula wider than the page can be scrolled by keyboard.
"""

import os
import re
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError

from tools.build import exercises, formulas, light, pages

COLAB = "https://colab.research.google.com"
# In the HTML of a page, what a reader or a screen reader should not see, and what instead.
MENDS = {
    ' aria-label="Toggle hidden content"': "",  # it hides what the fold's summary says
    "Show code cell content": "Check",  # code and output that compare a claim
    "Hide code cell content": "Check",
    "<th></th>": "<td></td>",  # an empty corner of a table is no heading
    '<th class="head"><p></p></th>': "<td></td>",
}


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("tools.build.formulas")
    app.connect("config-inited", add_address)
    app.connect("config-inited", add_chapters)
    app.connect("source-read", fold_exercises)
    app.connect("doctree-read", add_times)
    app.connect("doctree-read", add_terms)
    app.connect("autodoc-process-docstring", rewrite_docstring)
    app.connect("html-page-context", mend)
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_address(app, config):
    """Set the theme's buttons, the tag `address` and what the start page substitutes."""
    name = os.environ.get("REPO", "")
    config.myst_substitutions |= {"repository": "", "pip_install": ""}
    if not name:
        return
    if not re.fullmatch(r"[\w-]+/[\w.-]+", name):
        raise ExtensionError(f"REPO must be owner/name on GitHub, not {name!r}")
    address = f"https://github.com/{name}"
    app.tags.add("address")
    config.myst_substitutions |= {
        "repository": f"[the repository]({address})",
        "pip_install": f"```python\n%pip install git+{address}\n```",
    }
    config.html_theme_options |= {
        "repository_url": address,
        "repository_branch": "gh-pages",
        "path_to_docs": "_sources",
        "launch_buttons": {"colab_url": COLAB},
        "use_issues_button": True,
        "use_repository_button": True,
    }


def add_chapters(app, config):
    """Set the table of chapters, which the start page substitutes."""
    config.myst_substitutions |= {"chapters": pages.table(Path(app.srcdir))}


def fold_exercises(app, docname, source):
    """Put the tests and the solution of each exercise into folds."""
    if docname.startswith("notebooks/exercises/"):
        notebook = nbformat.reads(source[0], as_version=4)
        source[0] = nbformat.writes(exercises.folded(notebook))


def add_times(app, doctree):
    """Say below the title of a notebook's page how long it takes to read and to run.

    For a page of exercises: how long they take, and where they are without solutions.
    """
    docname = app.env.docname
    path = Path(app.srcdir) / f"{docname}.ipynb"
    if not path.is_file():
        return
    line = nodes.paragraph(classes=["times"])
    if docname.startswith("notebooks/exercises/"):
        file = f"../../_sources/{docname}.ipynb"
        text = f'<a href="{file}" download>Download to solve</a>: no solutions inside'
        line += nodes.raw("", f"{text} · {pages.work(pages.read(path))}", format="html")
    else:
        line += nodes.Text(pages.times(pages.read(path)))
    section = next(iter(doctree.findall(nodes.section)))
    section.insert(section.first_child_matching_class(nodes.title) + 1, line)


def add_terms(app, doctree):
    """Put the terms of a page into the index; a section that does not exist is an error."""
    page, entries = app.env.docname, []
    with open(os.path.join(app.srcdir, "book", "terms.yml"), encoding="utf-8") as file:
        sections = yaml.safe_load(file).get(page, {})
    for anchor, terms in sections.items():
        if anchor not in doctree.ids:
            raise ExtensionError(f"book/terms.yml: {page} has no section {anchor!r}")
        entries += [("single", term, anchor, "main", None) for term in terms]
    doctree.append(addnodes.index(entries=entries))  # for the search
    app.env.get_domain("index").entries[page] += entries


def rewrite_docstring(app, what, name, obj, options, lines):
    """Turn the lines of a docstring into reStructuredText; a module's lose their title."""
    parts = re.split(r"`([^`]+)`", "\n".join(lines[1:] if what == "module" else lines))
    parts[::2] = [re.sub(r"[\\*|_]", r"\\\g<0>", text) for text in parts[::2]]
    parts[1::2] = [f"``{code}``" for code in parts[1::2]]
    lines[:] = "".join(parts).splitlines()


def mend(app, pagename, templatename, context, doctree):
    """Replace in the page what MENDS names."""
    for wrong, right in MENDS.items():
        context["body"] = context.get("body", "").replace(wrong, right)


def lighten(app, exception):
    """Set the formulas of the finished pages, and take away what pages do not need."""
    if exception is None and app.builder.name == "html":
        formulas.render(Path(app.outdir))
        light.lighten(Path(app.outdir))
