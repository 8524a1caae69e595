"""The book's own files: MathJax, the table of contents, pictures, no outside host."""

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent


# --- MathJax -------------------------------------------------------------------------


def test_mathjax_comes_from_the_environment_and_not_from_a_cdn():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]
    package = "sphinx-mathjax-offline"
    assert package in config["config"]["extensions"]
    assert "mathjax_path" not in config["config"]
    folder = Path(importlib.util.find_spec(package).origin).parent / "static" / "mathjax"
    assert '"3.2.2"' in (folder / "tex-chtml.js").read_text(encoding="utf-8")
    assert len([*(folder / "output/chtml/fonts/woff-v2").glob("*.woff")]) == 23


# --- pages ---------------------------------------------------------------------------


def toc_files(node) -> list[str]:
    """Every page that _toc.yml names."""
    if isinstance(node, list):
        return [name for item in node for name in toc_files(item)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("root", "file") if key in node]
    return own + [name for value in node.values() for name in toc_files(value)]


def test_every_page_of_the_table_of_contents_exists():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = toc_files(toc)
    assert "book/references" in names and len(names) == len(set(names))
    ends = ("", ".md", ".ipynb")
    assert [n for n in names if not any((ROOT / f"{n}{e}").is_file() for e in ends)] == []


IMAGE = re.compile(
    r"!\[(?P<markdown>[^\]]*)\]\("
    r"|<img\b(?P<html>[^>]*)>"
    r"|^(?P<fence>[`:]{3,})\{(?:image|figure)\}(?P<directive>.*?)^(?P=fence)",
    re.MULTILINE | re.DOTALL,
)


def images_without_alt(text: str) -> list[str]:
    """The images of a Markdown page, in any of its three notations, that say nothing."""
    bare = []
    for found in IMAGE.finditer(text):
        if (alt := found["markdown"]) is None:
            alt = re.search(r"""\balt=["']([^"']*)|^:alt:(.*)$""", found[0], re.MULTILINE)
            alt = alt and (alt[1] or alt[2])
        if not (alt or "").strip():
            bare.append(found[0])
    return bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("![A heatmap](a.svg)", 0),
        ("![](a.svg) and ![ ](b.svg)", 2),
        ('<img src="a.svg" alt="A heatmap">', 0),
        ('<img src="a.svg">\n<img alt="" src="b.svg">', 2),
        ("```{figure} a.svg\n:alt: A heatmap\n```", 0),
        ("```{image} a.svg\n:width: 3em\n```\n\n:::{figure} b.svg\nCaption\n:::", 2),
    ],
)
def test_an_image_without_alternative_text_is_found(text, bare):
    assert len(images_without_alt(text)) == bare


@pytest.mark.parametrize("page", sorted((ROOT / "book").glob("*.md")), ids=lambda p: p.name)
def test_every_image_has_alternative_text(page):
    assert images_without_alt(page.read_text(encoding="utf-8")) == []


# --- no outside host -----------------------------------------------------------------

OUTSIDE = re.compile(
    r"//[^\s\"'()<>]+\.(?:m?js|css|woff2?|[ot]tf)\b"  # a script, a style, a font
    r"|//[\w.-]*(?:cdn|jsdelivr|unpkg|googleapis|gstatic)[\w.-]*"
    r"|<script[^>]*\ssrc\s*=\s*[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("https://arxiv.org/abs/1706.03762", False),
        ("mathjax_path: mathjax/tex-chtml-full.js", False),
        ("mathjax_path: https://example.org/tex.js", True),
        ("@import url('//example.org/a.css')", True),
        ("@import url(https://fonts.example.org/family=Lato)", True),
        ('<script src="https://example.org/widget"></script>', True),
        ("https://unpkg.com/x", True),
    ],
)
def test_an_outside_script_style_or_font_is_found(text, outside):
    assert bool(OUTSIDE.search(text)) == outside


def test_the_book_loads_nothing_from_outside():
    paths = [path for path in (ROOT / "book").rglob("*") if path.is_file()]
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(
            encoding="utf-8", errors="replace"
        )
        for path in [ROOT / "_config.yml", *paths]
    }
    assert len(texts) > 5
    assert {
        name: found[0] for name in texts if (found := OUTSIDE.search(texts[name]))
    } == {}
