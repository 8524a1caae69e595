"""The captions of figures, and their numbers, which the book and the slides share."""

import re

import nbformat.v4
import pytest

from tools import ROOT
from tools.book import figures, pages, slides
from tools.notebooks.save import chapter_paths


@pytest.mark.parametrize(
    ("title", "name", "anchor"),
    [
        ("7 · A Transformer that translates", "Figure 7.2", "figure-7-2"),
        ("Going further 11 · Several devices", "Figure F11.2", "figure-f11-2"),
        ("A training loop", "Figure 2", "figure-2"),
    ],
)
def test_a_figure_is_named_after_its_page_and_its_place_there(title, name, anchor):
    assert figures.name(title, 2) == name
    assert figures.anchor(name) == anchor


@pytest.mark.parametrize("path", chapter_paths(ROOT), ids=lambda path: path.stem)
def test_each_figure_of_a_chapter_has_a_caption_of_one_sentence(path):
    for cell in pages.read(path).cells:
        shown = [output.data for output in cell.get("outputs", []) if "data" in output]
        text = figures.caption(cell)
        if any(re.search(r"svg\+xml|d2l-(figure|translation)", str(d)) for d in shown):
            assert text.endswith(".") and ". " not in text, cell.source
            assert 5 <= len(text.split()) <= 40, text
            assert len(shown) == 1, "a caption would stand below each output"
        else:
            assert not text, text


def test_a_slide_has_the_number_of_its_figure():
    def drawn(**metadata):
        output = nbformat.v4.new_output("display_data", {"image/svg+xml": PICTURE})
        image = {"image": {"alt": "A line."}}
        metadata["mystnb"] = image | {"figure": {"caption": "A line."}}
        return nbformat.v4.new_code_cell("", outputs=[output], metadata=metadata)

    PICTURE = '<svg viewBox="0 0 300 100"></svg>'
    title = nbformat.v4.new_markdown_cell("# 3 · Lines\n\n*Why?*")
    cells = [title, drawn(), drawn(slide=["## Second"])]
    deck = slides.deck(nbformat.v4.new_notebook(cells=cells), "03_lines")
    assert 'href="../notebooks/03_lines.html#figure-3-2">Figure 3.2</a>' in deck
    assert "Figure 3.1" not in deck
