"""The pages in their reading order: nothing is used before the page that brings it."""

import re

import pytest
import yaml
from helpers import ROOT

from tools.build import pages, save

CHAPTERS = pages.chapters(ROOT)
TERMS = yaml.safe_load((ROOT / "book" / "terms.yml").read_text(encoding="utf-8"))
chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def with_further(path):
    """A chapter and its further page, if there is one."""
    further = path.parent / "further" / path.name
    return [path, further] if further.exists() else [path]


def before(path):
    return CHAPTERS[: CHAPTERS.index(path)]


def code(path):
    return "\n".join(
        cell.source for cell in pages.read(path).cells if cell.cell_type == "code"
    )


def owners():
    """The module of each saved name."""
    found = {}
    for path in CHAPTERS:
        save.add_names(save.read_chapter(path, ROOT), found)
    return found


@pytest.fixture(scope="module")
def module_of():
    return owners()


@chapter
def test_no_page_uses_a_saved_name_of_a_later_one(path, module_of):
    modules = {save.module_name(p) for p in [*before(path), path]}
    for page in with_further(path):
        for name in set(re.findall(r"\bd2l\.(\w+)", code(page))) & module_of.keys():
            assert module_of[name] in modules, f"{page.name} uses d2l.{name}"


@chapter
def test_no_page_uses_a_saved_name_before_the_cell_that_brings_it(path, module_of):
    """What the core page takes from the package is not of its own further page."""
    saved = {
        name
        for name, module in module_of.items()
        if module == save.module_name(path) and re.search(rf"\b{name}\b", code(path))
    }
    taken = set(re.findall(r"\bd2l\.(\w+)", code(path)))
    own = {name for name, module in module_of.items() if module == save.module_name(path)}
    assert taken & own <= saved


def paragraphs(path):
    return re.split(r"\n\s*\n", pages.prose(pages.read(path)))


def links(paragraph):
    return set(re.findall(r"\]\((?:\.\./)?(\w+)\.ipynb", paragraph))


@chapter
def test_a_term_stands_first_on_its_own_page_or_beside_a_link_to_it(path):
    later = CHAPTERS[CHAPTERS.index(path) + 1 :]
    for page in later:
        for terms in TERMS.get(f"notebooks/{page.stem}", {}).values():
            for term in terms:
                word = re.compile(rf"\b{re.escape(term)}\b", re.IGNORECASE)
                for paragraph in paragraphs(path):
                    if word.search(paragraph):
                        assert {p.stem for p in later} & links(paragraph), (term, paragraph)


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
