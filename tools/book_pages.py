"""The book's Sphinx extension: links to its repository, and what the theme leaves to mend.

The variable REPO=owner/name names the repository on GitHub from which the book is
published. Each notebook's page then has a button that opens in Colab what the page lets you
download, every page has one that opens an issue, and the start page says how to install the
package. What Colab opens lies in the branch `gh-pages`, where the workflow publish.yml puts
the book. Without REPO, as on your own machine, there are none of these.
"""

import os
import re

from sphinx.errors import ExtensionError

COLAB = "https://colab.research.google.com"
# In the HTML of a page, what a screen reader should not read, and what instead.
MENDS = {
    ' aria-label="Toggle hidden content"': "",  # it hides what the fold's summary says
    "<th></th>": "<td></td>",  # an empty corner of a table is no heading
}


def setup(app):
    app.connect("config-inited", add_address)
    app.connect("html-page-context", mend)
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


def mend(app, pagename, templatename, context, doctree):
    """Replace in the page what MENDS names."""
    for wrong, right in MENDS.items():
        context["body"] = context.get("body", "").replace(wrong, right)
