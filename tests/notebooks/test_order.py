"""The pages in their reading order: nothing is used before the page that brings it."""

import re

import pytest
import yaml

from tools import ROOT
from tools.book import pages
from tools.notebooks import save

CHAPTERS = save.chapter_paths(ROOT)
# Names of models, which the search must find. An earlier page may cite one with its paper.
MODELS = {"bert", "gpt", "gpt-2", "llama", "t5"}
# What a page borrows from a later one, or from its own further page, which its text names.
GLIMPSES = {
    "00_training": {"Classifier", "DataModule"},
    "10_pretraining": {"load_smollm2", "complete"},
    "12_post_training": {"as_dialogue", "fine_tune", "ordinary_dialogues", "own_answers"},
    "14_serving": {"Engine"},
}
TERMS = yaml.safe_load((ROOT / "book" / "terms.yml").read_text(encoding="utf-8"))
chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def with_further(path):
    """A page and the further pages of the chapter of which it is the first one."""
    return [path, *save.further_paths(path, ROOT)]


def before(path):
    return CHAPTERS[: CHAPTERS.index(path)]


def code(path):
    return "\n".join(
        cell.source for cell in pages.read(path).cells if cell.cell_type == "code"
    )


@pytest.fixture(scope="module")
def chapter_of():
    """The first page of the chapter that saves each name."""
    return {
        name: path
        for path in dict.fromkeys(map(save.chapter_of, CHAPTERS))
        for module in save.read_page(path, ROOT)
        for name, _ in module.saved
    }


@chapter
def test_no_page_uses_a_saved_name_of_a_later_one(path, chapter_of):
    for page in with_further(path):
        used = set(re.findall(r"\bd2l\.(\w+)", code(page))) - GLIMPSES.get(path.stem, set())
        for name in used & chapter_of.keys():
            earlier = chapter_of[name] in [*before(path), path]  # or below, on its own page
            assert earlier, f"{page.name} uses d2l.{name}"


@chapter
def test_no_page_uses_a_saved_name_before_the_cell_that_brings_it(path, chapter_of):
    """What the core page takes from the package is not of its own further page."""
    taken = set(re.findall(r"\bd2l\.(\w+)", code(path)))
    own = {n for n, chapter in chapter_of.items() if chapter == save.chapter_of(path)}
    read = "\n".join(code(page) for page in [*before(path), path])
    saved = {name for name in own if re.search(rf"(?<!d2l\.)\b{name}\b", read)}
    assert taken & own <= saved | GLIMPSES.get(path.stem, set())


def paragraphs(path):
    return re.split(r"\n\s*\n", pages.prose(pages.read(path)))


def links(paragraph):
    return set(re.findall(r"\]\((?:\.\./)?(\w+)\.ipynb", paragraph))


def listed(path):
    """The terms of a page in terms.yml."""
    sections = TERMS.get(f"notebooks/{path.stem}", {}).values()
    return {term.lower() for terms in sections for term in terms} - MODELS


def introduced(path):
    """The terms that a page explains: listed, or in italics where they stand."""
    return listed(path) | italic(pages.prose(pages.read(path)))


def italic(text):
    """What stands in italics, also without the s of a plural."""
    found = {term.lower() for term in re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", text)}
    return found | {term.removesuffix("s") for term in found}


@chapter
def test_a_term_is_introduced_where_it_stands_first_or_linked_to_its_page(path):
    start = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    known = italic(start).union(*map(introduced, [*before(path), path]))
    later = CHAPTERS[len(before(path)) + 1 :]
    unknown = set().union(*map(listed, later)) - known
    for paragraph in paragraphs(path):
        words = paragraph.lower()
        used = {term for term in unknown if re.search(rf"\b{re.escape(term)}\b", words)}
        assert not used or {page.stem for page in later} & links(paragraph), (
            used,
            paragraph,
        )


# How a text refers to something that its reader should have read.
BACK = re.compile(
    r"(?:as in|as we saw in|we saw in|known from|since|taken from) \[?[Cc]hapter (\d+)"
    r"|[Cc]hapter (\d+)(?:\]\([^)]*\))? (?:showed|has shown|defined|introduced|explained)"
)


@chapter
def test_no_page_builds_on_a_later_chapter(path):
    read = {int(p.stem[:2]) for p in [*before(path), path]}
    for numbers in BACK.findall(pages.prose(pages.read(path))):
        assert {int(number) for number in numbers if number} <= read


def reading_order():
    """The pages that are read one after the other, without suffixes and further pages."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [page["file"] for part in toc["parts"] for page in part["chapters"]]
    last = files.index(f"notebooks/{CHAPTERS[-1].stem}")
    return [ROOT / file for file in files[: last + 1]]


ORDER = reading_order()


@pytest.mark.parametrize("path", ORDER, ids=lambda path: path.stem)
def test_the_last_line_leads_to_the_next_page(path):
    following = [page.stem for page in ORDER[ORDER.index(path) + 1 :][:1]]
    if path.parent.name == "book":
        text = path.with_suffix(".md").read_text(encoding="utf-8")
    else:
        text = pages.prose(pages.read(path.with_suffix(".ipynb")))
    last = text.rstrip().rpartition("\n")[2]
    link = r"^Next: \[[^]]*\]\((?:\.\./)?(?:\w+/)?(\w+)\.(?:ipynb|md)\)"
    assert re.findall(link, last) == following
