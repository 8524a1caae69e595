"""The face of the book: figures, openings, the list of chapters, style sheets."""

import re

import pytest

from tools import ROOT
from tools.book import drawings, figures, lighter_pages, openers, pages, panels, sidebar
from tools.notebooks import save

CHAPTERS = save.chapter_paths(ROOT)
SVG = """<?xml version="1.0"?>
<svg xmlns:xlink="xlink" width="30pt" height="15pt" viewBox="0 0 30 15">
 <metadata>who made it</metadata>
 <g id="text_1">
 <text style="font-size: 10px; font-family: Arial; fill: #3b82f6">key</text></g>
 <defs><path id="p1" d="M 0 0" style="stroke: #7f45f0; fill: #ffffff"/></defs>
 <use xlink:href="#p1" style="fill: #b5402f" clip-path="url(#p1)"/>
</svg>"""


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ("#e8750a", "var(--d2l-query)"),
        ("#ffffff", "color-mix(in srgb, var(--ink) 0%, var(--paper))"),
        ("#000000", "color-mix(in srgb, var(--ink) 100%, var(--paper))"),
        ("#d6e5fd", "light-dark(#d6e5fd, #0e1d35)"),
    ],
)
def test_a_colour_of_a_figure_follows_the_theme(colour, expected):
    assert drawings.themed(colour) == expected


def test_a_figure_in_the_page_is_named_and_its_names_are_its_own():
    found = drawings.inline(SVG, 'A "key"', "one")
    assert (
        'role="img" aria-label="A &quot;key&quot;"' in found
        and 'id="one" class="drawn"' in found
    )
    assert 'id="one-p1"' in found and 'href="#one-p1"' in found and "url(#one-p1)" in found
    assert "metadata" not in found and "text_1" not in found and "width: 40px" in found
    assert "fill: var(--d2l-key-text)" in found and "font-family" not in found
    assert "stroke: var(--d2l-weight)" in found and not re.search('#[0-9a-f]{6}[;"]', found)


def test_images_become_drawings_but_photographs_and_files_of_others_stay(tmp_path):
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "abcdef0123.svg").write_text(SVG, encoding="utf-8")
    image = '<img alt="{}" src="../_images/abcdef0123.svg"/>'
    photograph = image.format("A").replace("<img", '<img class="photograph"')
    other = '<img alt="A" src="../_images/one.png"/>'
    page = tmp_path / "page.html"
    page.write_text(image.format("") + image.format("A") + photograph + other, "utf-8")
    drawings.draw(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert '<use href="#fabcdef01"/>' in text and text.count('id="fabcdef01"') == 1
    sized = photograph.replace("<img", '<img width="40" height="20"')
    assert sized in text and other in text


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_one_opener_which_is_a_picture(path):
    cells = [cell for cell in pages.read(path).cells if cell.metadata.get("opener")]
    (cell,) = cells
    (data,) = (out.data for out in cell.outputs if out.output_type == "display_data")
    assert figures.caption(cell) and "text/html" not in data and "image/svg+xml" in data


def test_a_chapter_opens_with_its_question_and_its_picture():
    path = CHAPTERS[0]
    notebook = pages.read(path)
    captions = [cell for cell in notebook.cells if figures.caption(cell)]
    place = 1 + [bool(cell.metadata.get("opener")) for cell in captions].index(True)
    body = (
        f'<h1>{pages.title(notebook)}<a class="headerlink" href="#x">#</a></h1>\n'
        '<p class="times">A</p>\n<p class="times">B</p>\n<p><em>What does “it” do?</em></p>'
        f'<figure id="figure-1-{place}">\n<img alt="Words." src="a.svg"></figure>'
    )
    found = openers.open_page(body, path)
    assert "What does <i>it</i> do?<a class=" in found and '<p class="noun">' in found
    assert f'href="#figure-1-{place}"' in found and '<img alt="" src="a.svg">' in found
    assert found.count("<h1") == 1 and "<em>" not in found
    assert openers.open_page("<h1>No question</h1>", path) == "<h1>No question</h1>"


ITEM = """<li class="toctree-l1{0} has-children"><a class="x" href="a.html">1 · A</a>\
<details><summary>more</summary><ul>
<li class="toctree-l2"><a class="internal" href="f/a.html">{1} 1 · B</a></li>
<li class="toctree-l2"><a class="internal" href="e/a.html">Exercises 1 · A</a></li>
</ul>
</details></li>"""


def test_a_chapter_has_marks_for_its_other_pages_and_the_open_one_lists_them(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "\n".join(
            [
                ITEM.format("", "Going further"),
                ITEM.format(" current", "Going further"),
                ITEM.format("", "Names"),
            ]
        ),
        encoding="utf-8",
    )
    sidebar.shorten(tmp_path)
    closed, current, other = page.read_text(encoding="utf-8").split(
        '</li>\n<li class="toctree-l1'
    )
    assert closed.count('class="beside"') == 2 and "<ul>" not in closed
    assert 'title="Going further 1 · B"' in closed
    assert "<ul>" in current and "<details" not in current
    assert "<details>" in other and "beside" not in other


def test_a_rule_is_dead_if_all_its_selectors_name_a_class_that_nothing_has():
    sheet = (
        ".a{x:1}.b{x:2}.a .b,.b{x:3}.a,.b{x:4}@media print{.b{x:5}.a:not(.b){x:6}}"
        "/* one.two */ p{x:7}"
    )
    found = lighter_pages.without_dead_rules(sheet, {"a"})
    assert re.findall(r"x:(\d)", found) == ["1", "4", "6", "7"]


PANELS = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 90"><g id="figure_1">
<g id="patch_1"/>{}</g></svg>"""
AXES = '<g id="axes_{0}"><g><path d="M {0} 80 L {1} 80 L {1} 9 z"/></g></g>'


@pytest.mark.parametrize(
    ("extents", "boxes"),
    [
        ([(40, 190), (200, 350)], ["0.0 0 195.0", "0.0 0 38.0", "195.0 0 205.0"]),
        ([(40, 190), (240, 390)], ["0.0 0 193.0", "193.0 0 207.0"]),  # labels of its own
        (
            [(40, 190), (200, 350), (360, 370)],
            ["0.0 0 195.0", "0.0 0 38.0", "195.0 0 205.0"],
        ),
        ([(40, 390)], []),
        ([(40, 190), (200, 390)], []),  # of different widths
    ],
)
def test_panels_side_by_side_are_parts_of_their_drawing(extents, boxes):
    svg = PANELS.format("".join(AXES.format(*extent) for extent in extents))
    found = re.findall(
        r'viewBox="([\d.]+ 0 [\d.]+) 90"><use href="#f1"', panels.stacked(svg, "f1")
    )
    assert found == boxes


def test_a_figure_with_a_title_for_all_panels_or_a_narrow_one_stays_whole():
    axes = AXES.format(40, 190) + AXES.format(200, 350)
    assert not panels.columns(PANELS.format(axes + '<g id="legend_1"/>'))
    assert not panels.columns(PANELS.format(axes).replace("400 90", "300 90"))
    assert not panels.columns(PANELS.format(axes).replace("<path", "<text"))


def test_what_cells_write_alike_stands_in_a_page_once():
    page = "<style>a</style>1<script>b</script>2<style>a</style>3<script>b</script>"
    found = lighter_pages.once(page + '<script src="b"></script>')
    assert found == '<style>a</style>123<script>b</script><script src="b"></script>'
