"""The picture of the book that the README and previews of links show."""

import re

import pytest
from built import BOOK
from PIL import Image

from tools import ROOT
from tools.book import address, picture

WIDTH, HEIGHT = 2400, 1260


def test_the_picture_has_the_size_of_previews_and_loads_fast():
    with Image.open(picture.PICTURE) as image:
        assert image.format == "PNG" and image.size == (WIDTH, HEIGHT)
    assert picture.PICTURE.stat().st_size < 300_000


def test_the_readme_describes_the_picture_as_previews_do():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (alt,) = re.findall(r"!\[([^]]*)\]\(\.github/book\.png\)", text)
    assert alt == address.PICTURE


START = """<article><h1>Title<a class="headerlink" href="#title">#</a></h1><p>Below it.</p>
<section class="first-screen">le chat</section><p>Prose.</p></article>"""


@pytest.fixture
def start(tmp_path):
    """The start page of a book with all that a picture of it is made from."""
    page = tmp_path / picture.PAGE
    for name in (*picture.FILES, picture.PAGE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(START if name == picture.PAGE else "", "utf-8")
    return page


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("Prose", "Other prose", False),
        ('"#title">#</a>', '"#title">#</a><a class="report" href="issues">!</a>', False),
        ("Title", "Another title", True),
        ("le chat", "le chien", True),
    ],
)
def test_the_picture_is_out_of_date_when_a_part_that_it_shows_changes(
    start, tmp_path, old, new, changes
):
    before = picture.digest(tmp_path)
    start.write_text(START.replace(old, new), encoding="utf-8")
    assert (picture.digest(tmp_path) != before) == changes


@pytest.mark.parametrize("name", picture.FILES)
def test_the_picture_is_out_of_date_when_a_file_behind_it_changes(start, tmp_path, name):
    before = picture.digest(tmp_path)
    (tmp_path / name).write_text("changed", encoding="utf-8")
    assert picture.digest(tmp_path) != before


def test_without_a_built_book_there_is_no_picture(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["picture", str(tmp_path)])
    with pytest.raises(SystemExit, match="no built book"):
        picture.main()


@pytest.fixture
def built():
    if not (BOOK / picture.PAGE).is_file():
        pytest.skip("there is no built book: run `make book` first")


@pytest.mark.slow
def test_the_picture_shows_the_start_page_of_today(built):
    with Image.open(picture.PICTURE) as image:
        told = image.text[picture.MADE_FROM]
    assert told == picture.digest(BOOK), "the start page has changed: run `make picture`"


@pytest.mark.slow
def test_a_part_that_does_not_fit_into_the_picture_is_reported(built, browser, monkeypatch):
    wide = "article .first-screen { width: 90rem; max-width: none !important; }"
    monkeypatch.setattr(picture, "STYLE", picture.STYLE + wide)
    with pytest.raises(SystemExit, match=r"do not fit.*\['section'\]"):
        picture.take(browser, BOOK)


@pytest.mark.slow
def test_two_pictures_of_one_book_are_the_same(built, browser):
    first, second = (picture.take(browser, BOOK) for _ in range(2))
    assert first.size == (WIDTH, HEIGHT) and first.tobytes() == second.tobytes()
