"""The book's Sphinx extension: addresses, index, docstrings, and mends of its pages.

The variable REPO=owner/name names the repository on GitHub from which the book is
published. Each notebook's page then has links that open it in Colab, Kaggle and Codespaces,
every section one that opens an issue, and the start page a badge and how to install the
package (tools/build/address.py). Without REPO, as on your own machine, there are none of
these, and each notebook's page says how to run its download.

Below the title of a notebook's page stands how long it takes to read and to run, and the
start page gets the table of chapters for its `{{ chapters }}` (tools/build/pages.py). A
page of exercises has a link there to what students get, and folds below each statement
(tools/build/exercises.py). Each page describes itself to search engines and to those who
show a preview of a link.

The formulas are set by MathJax while the book is built (tools/build/formulas.py), and pages
lose what they load without need (tools/build/light.py).

The terms of book/terms.yml go into the index, and into what the search looks through
(tools/build/search.py).

Our docstrings are plain text with code in `backticks`; for the page of names, where autodoc
expects reStructuredText, they are rewritten.

Defects of the theme are mended here, in the HTML (MENDS), or in the browser, by
book/_static/course.js: there pages are printed in the light theme, the arrows of the table
of contents have names, and a formula wider than the page can be scrolled by keyboard.
"""

import html
import os
import re
import textwrap
import tomllib
from pathlib import Path

import nbformat
import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.errors import ExtensionError

from tools.build import (
    address,
    exercises,
    folds,
    formulas,
    light,
    pages,
    search,
    slides,
)

# In the HTML of a page, what a reader or a screen reader should not see, and what instead.
MENDS = {
    ' aria-label="Toggle hidden content"': "",  # it hides what the fold's summary says
    "<th></th>": "<td></td>",  # an empty corner of a table is no heading
    '<th class="head"><p></p></th>': "<td></td>",
}
# The link to itself that stands at the end of each heading.
HEADING_LINK = re.compile(
    r'<a class="headerlink" href="#(?P<anchor>[^"]+)"[^>]*>[^<]*</a>(?=</h\d>)'
)
PATTERNS = {
    # The head of a table by pandas, with the name of its index in a second row: into the
    # empty corner of the first.
    r"<td></td>((?:\s*<th>[^<]*</th>)+\s*</tr>)\s*"
    r"<tr>\s*(<th>[^<]+</th>)(?:\s*<td></td>)+\s*</tr>(?=\s*</thead>)": r"\2\1",
    r"(?<=\d)\s±\s(?=\d)": "\u00a0±\u00a0",  # 0.89 ± 0.03 stays on one line
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
    app.connect("html-page-context", add_preview)
    app.connect("html-page-context", add_report_links)
    app.connect("html-page-context", add_launch_buttons, priority=502)  # after the theme's
    app.connect("build-finished", lighten)
    app.connect("build-finished", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_address(app, config):
    """Set the theme's buttons, the tag `address` and what the start page substitutes."""
    name = repository_name()
    config.myst_substitutions |= {"repository": "", "pip_install": "", "badge": ""}
    if not name:
        return
    if not re.fullmatch(r"[\w-]+/[\w.-]+", name):
        raise ExtensionError(f"REPO must be owner/name on GitHub, not {name!r}")
    repository = address.repository(name)
    app.tags.add("address")
    config.myst_substitutions |= {
        "repository": f"[the repository]({repository})",
        "pip_install": f"```python\n%pip install git+{repository}\n```",
        "badge": address.badge(name),
    }
    config.html_baseurl = address.website(name)
    config.html_extra_path = [*config.html_extra_path, ".github/book.png"]  # for previews
    config.html_theme_options |= {
        "repository_url": repository,
        "repository_branch": "gh-pages",
        "path_to_docs": "_sources",
        "use_issues_button": True,
        "use_repository_button": True,
    }


def repository_name():
    return os.environ.get("REPO", "")


def add_chapters(app, config):
    """Set the table of chapters, which the start page substitutes, and links to slides."""
    root = Path(app.srcdir)
    config.myst_substitutions |= {
        "chapters": pages.table(root),
        "slides": slides.links(root),
    }


def fold_exercises(app, docname, source):
    """Put the tests and the solution of each exercise into folds."""
    if docname.startswith("notebooks/exercises/"):
        notebook = nbformat.reads(source[0], as_version=4)
        source[0] = nbformat.writes(exercises.folded(notebook))


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
        if not repository_name():
            text += f' · <a href="{file}" download>Download the notebook</a>'
    section = next(iter(doctree.findall(nodes.section)))
    place = section.first_child_matching_class(nodes.title) + 1
    for part in (how_to_run(docname), text):
        line = nodes.paragraph(
            "", "", nodes.raw("", part, format="html"), classes=["times"]
        )
        section.insert(place, line)


def how_to_run(docname):
    """In HTML: where a notebook opens by one click, or what to do with its download."""
    name = repository_name()
    if name:
        found = [
            f'<a href="{url}">{what}</a>'
            for what, url, _ in address.launchers(name, docname)
        ]
        return f"Open in {', '.join(found[:-1])} or {found[-1]}"
    return (
        'In <a href="https://colab.research.google.com">Colab</a>: <em>File</em>, '
        "<em>Upload notebook</em>.<br>On your own computer: "
        f"<code>jupyter lab {Path(docname).name}.ipynb</code>"
    )


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
    """Replace in the page what MENDS and PATTERNS name, and name its folds (folds.py)."""
    body = context.get("body", "")
    for wrong, right in MENDS.items():
        body = body.replace(wrong, right)
    for pattern, right in PATTERNS.items():
        body = re.sub(pattern, right, body)
    context["body"] = folds.name_folds(body)


def add_preview(app, pagename, templatename, context, doctree):
    """Describe the page in its head by its title and its first lines, and by a picture."""
    if doctree is None:
        return
    lines = [
        paragraph.astext()
        for paragraph in doctree.findall(nodes.paragraph)
        if isinstance(paragraph.parent, nodes.section)
        and "times" not in paragraph["classes"]
        and "\\" not in paragraph.astext()  # a formula
    ]
    text = textwrap.shorten(" ".join(lines[:2]), 200, placeholder=" …")
    tags = {
        "og:title": doctree.next_node(nodes.title).astext(),
        "og:description": text,
        "og:type": "website" if pagename == app.config.root_doc else "article",
        "og:site_name": app.config.html_title,
    }
    if repository_name():  # pictures of previews must have a whole address
        tags |= {
            "og:url": context["pageurl"],
            "og:image": f"{app.config.html_baseurl}book.png",
            "og:image:alt": "A page of the book, with a heatmap of attention weights",
            "twitter:card": "summary_large_image",
        }
    found = [f'<meta name="description" content="{html.escape(text)}">']
    found += [f'<meta property="{key}" content="{html.escape(tags[key])}">' for key in tags]
    context["metatags"] += "\n".join(found)


def project_version():
    text = (exercises.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["version"]


def add_report_links(app, pagename, templatename, context, doctree):
    """Put a link into each heading that opens an issue about this section."""
    name = repository_name()
    if not name or doctree is None:
        return
    version = project_version()
    titles = {
        anchor: section.next_node(nodes.title).astext()
        for section in doctree.findall(nodes.section)
        for anchor in section["ids"]
    }
    page = doctree.next_node(nodes.title).astext()

    def with_report(found):
        title = titles[found["anchor"]]
        place = f"{context['pageurl']}#{found['anchor']}"
        url = address.issue(name, page, title, place, version)
        label = f"Report a problem with this section: {title}"
        return (
            f'{found[0]}<a class="report" href="{html.escape(url)}" '
            f'aria-label="{html.escape(label)}" title="Report a problem with this section">'
            '<i class="fa-solid fa-flag"></i></a>'
        )

    context["body"] = HEADING_LINK.sub(with_report, context["body"])


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Put a menu at the top of a notebook's page from which it opens by one click."""
    name = repository_name()
    if name and (Path(app.srcdir) / f"{pagename}.ipynb").is_file():
        buttons = [
            {
                "type": "link",
                "text": what,
                "tooltip": f"Open in {what}",
                "url": url,
                "icon": icon,
            }
            for what, url, icon in address.launchers(name, pagename)
        ]
        menu = {"type": "group", "tooltip": "Run this notebook", "icon": "fas fa-rocket"}
        context["header_buttons"].insert(
            0, menu | {"buttons": buttons, "label": "launch-buttons"}
        )


def lighten(app, exception):
    """Set the formulas of the finished pages, and take away what pages do not need."""
    if exception is None and app.builder.name == "html":
        formulas.render(Path(app.outdir))
        light.lighten(Path(app.outdir))


def write_sections(app, exception):
    """Write what the search looks through (tools/build/search.py)."""
    if exception is None and app.builder.name == "html":
        search.write_sections(app)
