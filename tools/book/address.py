"""What a page has because its book is published from a repository on GitHub.

The variable REPO=owner/name names the repository. Each notebook's page then has links that
open it in Colab, Kaggle and Codespaces, every section one that opens an issue, the start
page a badge and how to install the package, and each page a preview with a picture for
those who show links. Without REPO, as on your own machine, there are none of these, and
each notebook's page says how to run its download.

Colab and Kaggle open the notebooks that the workflow publish.yml puts into the branch
`gh-pages`: what the page lets you download, so exercises are without solutions. Codespaces
opens the repository, which has solutions, and is not offered on pages of exercises.

A site that does not show all solutions (solutions.py) must not lead to them. Its REPO is a
repository that holds what was built in the branch `gh-pages`, and nothing else: pages have
the links to Colab and Kaggle and those that open an issue, and none to its source.
"""

import html
import os
import re
import textwrap
import tomllib
from pathlib import Path
from urllib.parse import quote, urlencode

from docutils import nodes
from sphinx.errors import ExtensionError

from tools import ROOT

BADGE = "actions/workflows/colab.yml"
# What tools/book/picture.py shows.
PICTURE = (
    "The start page of the book: the mouse slept because it was tired, with a thread from "
    "it to mouse that has been cut, and its French, in which elle is corrected to il"
)
# The link to itself that stands at the end of each heading.
HEADING_LINK = re.compile(
    r'<a class="headerlink" href="#(?P<anchor>[^"]+)"[^>]*>[^<]*</a>(?=</h\d>)'
)


def setup(app):
    app.connect("config-inited", add_address)
    app.connect("html-page-context", add_preview)
    app.connect("html-page-context", add_report_links)
    app.connect("html-page-context", add_launch_buttons, priority=502)  # after the theme's
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def repository_name():
    return os.environ.get("REPO", "")


def has_source():
    """Whether the pages may lead to a repository with their source, and so to solutions."""
    return bool(repository_name()) and not os.environ.get("SOLUTIONS", "").strip()


def add_address(app, config):
    """Set the theme's buttons, and what the start page substitutes and shows.

    It has the tag `address` in a published book, and `source` if that leads to its source.
    """
    name = repository_name()
    names = "repository", "contributing", "pip_install", "badge"
    config.myst_substitutions |= dict.fromkeys(names, "")
    if not name:
        return
    if not re.fullmatch(r"[\w-]+/[\w.-]+", name):
        raise ExtensionError(f"REPO must be owner/name on GitHub, not {name!r}")
    url = repository(name)
    app.tags.add("address")
    config.html_baseurl = website(name)
    config.html_extra_path = [*config.html_extra_path, ".github/book.png"]  # for previews
    if not has_source():
        return
    app.tags.add("source")
    config.myst_substitutions |= {
        "repository": f"[the repository]({url})",
        "contributing": f"[how to contribute]({url}/blob/HEAD/.github/CONTRIBUTING.md)",
        "pip_install": f'```python\n%pip install "d2lmini[all] @ git+{url}"\n```',
        "badge": badge(name),
    }
    config.html_theme_options |= {
        "repository_url": url,
        "repository_branch": "gh-pages",
        "path_to_docs": "_sources",
        "use_repository_button": True,
    }


def repository(name):
    return f"https://github.com/{name}"


def website(name):
    """Where GitHub Pages shows the book."""
    owner, project = name.split("/")
    root = f"https://{owner.lower()}.github.io/"
    return root if f"https://{project.lower()}/" == root else f"{root}{project}/"


def badge(name):
    """In Markdown: whether all notebooks ran with what Colab has, in the last week."""
    address = f"{repository(name)}/{BADGE}"
    return f"[![Do the notebooks run in Colab?]({address}/badge.svg)]({address})"


def launchers(name, page):
    """Where a page's notebook opens by one click: what it is called, address, icon."""
    file = f"{name}/blob/gh-pages/_sources/{page}.ipynb"
    colab = f"https://colab.research.google.com/github/{file}"
    kaggle = f"https://kaggle.com/kernels/welcome?src=https://github.com/{file}"
    found = [
        ("Colab", colab, "_static/images/logo_colab.png"),
        ("Kaggle", kaggle, "fas fa-k"),
    ]
    if has_source() and not page.startswith("notebooks/exercises/"):
        codespaces = f"https://codespaces.new/{name}?quickstart=1"
        found.append(("Codespaces", codespaces, "fas fa-terminal"))
    return found


def issue(name, page, section, place, version):
    """Where a reader reports what is wrong in a section, at the address `place`."""
    title = page if section == page else f"{page}: {section}"
    body = (
        f"{place}\nVersion {version}\n\n"
        "**What is wrong, or hard to understand?** Please quote the sentence or cell.\n\n\n"
        "**What did you expect?**\n"
    )
    query = urlencode({"title": title, "body": body}, quote_via=quote)
    return f"{repository(name)}/issues/new?{query}"


def how_to_run(docname):
    """In HTML: where a notebook opens by one click, or what to do with its download."""
    name = repository_name()
    if name:
        found = [f'<a href="{url}">{what}</a>' for what, url, _ in launchers(name, docname)]
        return f"Open in {', '.join(found[:-1])} or {found[-1]}"
    return (
        'In <a href="https://colab.research.google.com">Colab</a>: <em>File</em>, '
        "<em>Upload notebook</em>.<br>On your own computer: "
        f"<code>jupyter lab {Path(docname).name}.ipynb</code>"
    )


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
            "og:image:alt": PICTURE,
            "twitter:card": "summary_large_image",
        }
    found = [f'<meta name="description" content="{html.escape(text)}">']
    found += [f'<meta property="{key}" content="{html.escape(tags[key])}">' for key in tags]
    context["metatags"] += "\n".join(found)


def project_version():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
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
        url = issue(name, page, title, place, version)
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
            for what, url, icon in launchers(name, pagename)
        ]
        menu = {"type": "group", "tooltip": "Run this notebook", "icon": "fas fa-rocket"}
        context["header_buttons"].insert(
            0, menu | {"buttons": buttons, "label": "launch-buttons"}
        )
