"""The links that a page has because its book is published from a repository on GitHub.

`name` is owner/name of the repository. Colab and Kaggle open the notebooks that the
workflow publish.yml puts into the branch `gh-pages`: what the page lets you download, so
exercises are without solutions. Codespaces opens the repository, which has solutions, and
is therefore not offered on pages of exercises.
"""

from urllib.parse import quote, urlencode

BADGE = "actions/workflows/colab.yml"


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
    if not page.startswith("notebooks/exercises/"):
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
