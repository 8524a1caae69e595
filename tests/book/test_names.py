"""The reference: an entry for every public name, and links to it and from it."""

import functools
import importlib
import posixpath

import pytest
import yaml
from built import BOOK, CHAPTERS, soup
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.inventory import InventoryFile

import d2lmini
from tools import ROOT
from tools.book import address as published
from tools.book import names, search

PAGES = sorted((ROOT / "book" / "names").glob("*.md"))
PUBLIC = {name: getattr(d2lmini, name) for name in d2lmini.__all__ if name != "__version__"}
CALLABLE = {name: value for name, value in PUBLIC.items() if callable(value)}
CHAPTER = """# A `ViT`

One `GPT` and `masked_softmax`, [see `LoRA`](https://example.com), `plot` and `X`.

## Patterns

Another `GPT`, `d2l.plot()` and `LookUp`.

```python
class LookUp(Data):  # @save
    pass
```

## Later

```python
@d2l.add_to_class(LookUp)  # @save
def draw(self):
    pass
```
"""
INDEX = """# The book

```{toctree}
:glob:

**
```
"""


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The pages of names and a small chapter, as Sphinx reads them for the book."""
    folder = tmp_path_factory.mktemp("book")
    for path in (ROOT / "_toc.yml", ROOT / "book" / "names.md", *PAGES):
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "notebooks").mkdir()
    (folder / "notebooks" / "chapter.md").write_text(CHAPTER, encoding="utf-8")
    (folder / "index.md").write_text(INDEX, encoding="utf-8")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    settings = config["sphinx"]["config"]
    options = {k: v for k, v in settings.items() if "autodoc" in k or "nitpick" in k}
    options |= config["parse"] | {
        "autodoc_preserve_defaults": False,  # it would rewrite signatures in memory
        "extensions": ["myst_parser", "tools.book.names"],
        "nitpicky": True,
        "suppress_warnings": ["myst.xref_missing"],  # the other pages
    }
    folders = folder, None, folder / "out", folder / "doctrees"
    app = Sphinx(*folders, "dummy", options, status=None, warningiserror=True)
    app.build()
    assert app.statuscode == 0
    return app


def resolved(app, page):
    return app.env.get_and_resolve_doctree(page, app.builder)


def test_every_module_has_a_page_in_the_table_of_contents_with_its_title():
    modules = {value.__module__.partition(".")[2] for value in CALLABLE.values()}
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert sorted(names.MODULE.findall(toc)) == sorted(modules)
    assert {page.stem for page in PAGES} == modules
    for page in PAGES:
        heading = page.read_text(encoding="utf-8").partition("\n")[0]
        title = importlib.import_module(f"d2lmini.{page.stem}").__doc__.partition("\n")[0]
        assert heading in (f"# Names {title}", f"# Names · {title}")


def test_every_public_name_has_an_entry(app):
    entries = app.env.get_domain("py").get_objects()
    found = {name: kind for name, _, kind, _, _, priority in entries if priority >= 0}
    kinds = {"class", "function", "data"}
    top = {name for name, kind in found.items() if kind in kinds}
    assert top == {f"d2lmini.{name}" for name in PUBLIC}
    assert found["d2lmini.GPT.without_weights"] == "method"


def test_the_page_of_names_links_each_of_them(app):
    links = resolved(app, "book/names").findall(nodes.reference)
    found = {link["refuri"].partition("#")[2] for link in links if "refuri" in link}
    assert {f"d2lmini.{name}" for name in PUBLIC} <= found


def test_an_entry_links_the_section_that_saves_it_and_a_method_another(app):
    found = {}
    page = resolved(app, "book/names/vision_transformer")
    for signature, content in page.findall(addnodes.desc):
        for line in content.children:
            if search.has_class(line, "defined"):
                found[signature["ids"][0]] = line.astext(), line[1]["refuri"]
    assert found == {
        "d2lmini.LookUp": ("Defined in: A ViT, Patterns", "#patterns"),
        "d2lmini.LookUp.draw": ("Defined in: A ViT, Later", "#later"),
    }


def test_the_first_use_of_a_name_in_prose_links_to_its_entry_but_not_where_it_is_defined(
    app,
):
    page = resolved(app, "notebooks/chapter")
    links = [link for link in page.findall(nodes.reference) if link.get("internal")]
    assert [link.astext() for link in links] == ["GPT", "masked_softmax", "d2l.plot()"]
    first, *_ = page.findall(lambda node: node.astext() == "GPT")
    assert links[0] is first and isinstance(first.children[0], nodes.literal)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("GPT", "GPT"),
        ("masked_softmax", "masked_softmax"),
        ("d2l.plot", "plot"),
        ("d2lmini.plot()", "plot"),
        ("plot", None),
        ("nn.Module", None),
        ("GPT(8, 2)", None),
    ],
)
def test_a_word_is_a_name_only_behind_its_package(code, name):
    assert names.public_name(code) == name


def test_a_method_is_defined_in_its_class():
    code = "def f(x):\n    pass\n\n@add_to_class(C)  # @save\n@property\ndef g(self):\n"
    assert search.defined(code) == ["f", "C.g"]


# --- the built book --------------------------------------------------------------------


@functools.cache
def anchors(path):
    """The anchors of a page of the built book."""
    return {tag["id"] for tag in soup(path).find_all(id=True)}


def target(path, link):
    """The page and the anchor to which a link of a page leads."""
    page, _, anchor = link["href"].partition("#")
    return (path.parent / page).resolve(), anchor


@pytest.mark.slow
def test_another_project_finds_the_names_and_the_version(address):
    with (BOOK / "objects.inv").open("rb") as file:
        inventory = InventoryFile.load(file, "", posixpath.join)
    for name, value in CALLABLE.items():
        kind = "py:class" if isinstance(value, type) else "py:function"
        project, version, url, _ = inventory[kind][f"d2lmini.{name}"]
        page, _, anchor = url.partition("#")
        assert (project, version) == ("d2lmini", published.project_version())
        assert anchor == f"d2lmini.{name}" and anchor in anchors(BOOK / page)
    classes = inventory["py:class"]
    assert classes["d2lmini.gpt.GPT"][2] == classes["d2lmini.GPT"][2]


@pytest.mark.slow
def test_where_all_entries_once_stood_their_anchors_lead_to_them(address):
    old = {f"{value.__module__}.{name}" for name, value in CALLABLE.items()}
    assert old <= anchors(BOOK / "book" / "names.html")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_of_names_is_small_and_leads_to_the_sections(address, page):
    path = BOOK / "book" / "names" / f"{page.stem}.html"
    assert len(str(soup(path).article)) < 60_000  # without the list of all pages
    for entry in soup(path).select("article section > dl.py:not(.data)"):
        section, anchor = target(path, entry.select_one(":scope > dd > p.defined > a"))
        assert anchor in anchors(section), entry.dt["id"]


@pytest.mark.slow
def test_chapters_lead_to_the_names_that_they_use(address):
    leading = set()
    for chapter in CHAPTERS:
        path = BOOK / f"{chapter}.html"
        for link in soup(path).select('article a[href*="book/names/"]'):
            page, anchor = target(path, link)
            assert link.code and anchor in anchors(page), link
            leading.add(chapter)
    assert len(leading) >= 3
