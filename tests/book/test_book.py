"""The book's own files: the table of contents, pictures, no outside host."""

import itertools
import math
import re
from collections import Counter

import pytest
import torch

from tools import ROOT, every_notebook

BOOK = ROOT / "book"
PAGES = sorted([*BOOK.glob("*.md"), *(BOOK / "results").glob("*.md")])


def test_every_page_of_the_table_of_contents_exists_and_every_notebook_is_in_it():
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    names = re.findall(r"\b(?:root|file): (\S+)", toc)
    assert "book/references" in names and len(names) == len(set(names))
    paths = every_notebook()
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


def cosine(query, key):
    """The score of chapter 1: the cosine of the counts of neighbouring letters."""
    q, k = (Counter(itertools.pairwise(f"^{name.lower()}")) for name in (query, key))
    norms = math.prod(math.hypot(*counts.values()) for counts in (q, k))
    return sum(q[pair] * k[pair] for pair in q) / norms


def test_the_picture_of_attention_shows_numbers_that_are_true():
    picture = (ROOT / "book/_static/attention.svg").read_text(encoding="utf-8")
    texts = re.findall(r"<text[^>]*>(.*?)</text>", picture)
    columns = {}  # title -> labels
    titles = "query", "keys", "scores", "÷ 0.3", "weights", "values", "weighted sum"
    for title in titles:
        end = texts.index(title)
        columns[title], texts = texts[:end], texts[end + 1 :]
    (query,), keys, scores, divided, (_, *weights), values, output = columns.values()
    assert len(keys) == len(values) == 6
    expected = torch.tensor([cosine(query, key) for key in keys])
    assert scores == [f"{score:.2f}" for score in expected]
    assert divided == [f"{score:.2f}" for score in expected / 0.3]
    softmax = torch.softmax(expected / 0.3, dim=0)
    assert weights == [f"{weight:.2f}" for weight in softmax]
    first, second = sorted(zip(weights, values), reverse=True)[:2]
    assert output == [" ".join(first) + " +", " ".join(second), "+ …"]


# --- no outside host -----------------------------------------------------------------

OUTSIDE = re.compile(
    r"(?<![\w+/])(?:"  # no slashes within base64
    r"//[^\s\"'()<>]+\.(?:m?js|css|woff2?|[ot]tf)\b"  # a script, a style, a font
    r"|//[\w.-]*(?:cdn|jsdelivr|unpkg|googleapis|gstatic)[\w.-]*)"
    r"|<script[^>]*\ssrc\s*=\s*[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


def test_the_book_loads_nothing_from_outside():
    paths = [path for path in (ROOT / "book").rglob("*") if path.is_file()]
    for path in [ROOT / "_config.yml", *paths]:
        found = OUTSIDE.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, (path, found)
