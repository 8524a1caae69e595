"""The book's own files: the table of contents, pictures, no outside host."""

import re

import pytest
import yaml
from helpers import ROOT

PAGES = sorted((ROOT / "book").glob("*.md"))


def test_every_page_of_the_table_of_contents_exists_and_every_notebook_is_in_it():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    names = re.findall(r"\b(?:root|file): (\S+)", toc)
    assert "book/references" in names and len(names) == len(set(names))
    paths = (ROOT / "notebooks").rglob("*.ipynb")
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in paths} <= set(names)
    for name in names:
        assert any((ROOT / f"{name}{end}").is_file() for end in (".md", ".ipynb")), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_image_has_alternative_text(page):
    text = page.read_text(encoding="utf-8")
    assert "<img" not in text, "write an image as Markdown or as a figure"
    assert all(alt.strip() for alt in re.findall(r"!\[(.*?)\]\(", text))
    directive = r"^([`:]{3,})\{(?:image|figure)\}(.*?)^\1"
    for _, options in re.findall(directive, text, re.MULTILINE | re.DOTALL):
        assert re.search(r"^:alt: +\S", options, re.MULTILINE), options


# --- no outside host -----------------------------------------------------------------

OUTSIDE = re.compile(
    r"//[^\s\"'()<>]+\.(?:m?js|css|woff2?|[ot]tf)\b"  # a script, a style, a font
    r"|//[\w.-]*(?:cdn|jsdelivr|unpkg|googleapis|gstatic)[\w.-]*"
    r"|<script[^>]*\ssrc\s*=\s*[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


def test_mathjax_comes_from_the_environment_and_not_from_a_cdn():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]
    package = "sphinx-mathjax-offline"
    assert package in config["config"]["extensions"]
    assert "mathjax_path" not in config["config"]


def test_the_book_loads_nothing_from_outside():
    paths = [path for path in (ROOT / "book").rglob("*") if path.is_file()]
    for path in [ROOT / "_config.yml", *paths]:
        found = OUTSIDE.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, (path, found)
