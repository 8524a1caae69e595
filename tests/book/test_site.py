"""The built book as its visitor gets it: links, addresses, descriptions, kilobytes.

Slow, and needs a built book (`make book`) and, for what is loaded, Chromium or Chrome.
"""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urldefrag, urljoin, urlsplit

import nbformat.v4
import pytest
from built import BOOK, CHAPTERS, NAMES, soup
from sphinx.errors import ExtensionError

import d2lmini
from tools import ROOT
from tools.book import figures
from tools.book.address import add_address
from tools.notebooks import execute

pytestmark = pytest.mark.slow
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")


@pytest.mark.parametrize(
    "name", ["book/index", "notebooks/01_queries_keys_values", "search"]
)
def test_a_first_visit_leaves_no_message_in_the_console(browser, address, name):
    page, told = browser.new_page(color_scheme="dark"), []
    page.on("console", lambda m: told.append(m.text) if m.type != "log" else 0)
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    assert told == []
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.close()


# Kilobytes that a page may load, if the server compresses them, before somebody touches it.
WEIGHTS = {"book/index": 250, "book/try": 500, "book/adders": 500}
WEIGHTS |= dict.fromkeys(["book/ten_minutes", *CHAPTERS], 380)


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_page_loads_little(browser, address, name):
    page, loaded = browser.new_page(), []
    page.on("response", lambda response: loaded.append(response))
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    total = 0
    for response in loaded:
        packed = response.url.partition("?")[0].endswith((".woff", ".woff2", ".png"))
        body = response.body()
        total += len(body if packed else gzip.compress(body))
    assert total < 1000 * WEIGHTS[name]
    page.close()


@pytest.mark.parametrize("name", CHAPTERS)
def test_figures_are_numbered_on_the_page_and_their_slides_lead_to_them(address, name):
    page, deck = (
        soup(BOOK / f"{name}.html"),
        soup(BOOK / "slides" / Path(f"{name}.html").name),
    )
    numbers = [tag.text for tag in page.select("figcaption .caption-number")]
    first = figures.before(ROOT / f"{name}.ipynb") + 1  # a second part counts on
    start = numbers[0].removesuffix(f"{first}. ")
    assert numbers == [f"{start}{first + i}. " for i in range(len(numbers))]
    places = {figure["id"] for figure in page.select("figure[id]")}
    assert len(places) == len(numbers)
    links = [link["href"].partition("#")[2] for link in deck.select("a.figure")]
    assert links and set(links) <= places


@pytest.mark.parametrize("name", NAMES)
def test_no_fold_is_unnamed_and_no_table_has_an_empty_heading(address, name):
    page = soup(BOOK / f"{name}.html")
    assert not [tag for tag in page.find_all("th") if not tag.text.strip()]
    assert not page.find_all("summary", attrs={"aria-label": "Toggle hidden content"})
    assert all(tag.text.strip() for tag in page.select(".bd-article summary"))


@pytest.mark.parametrize("name", NAMES)
def test_every_formula_is_set_and_no_page_loads_mathjax(address, name):
    page = soup(BOOK / f"{name}.html")
    linked = 'a[href^="#mjx-eqn"]'  # a reference to a formula is a link to its number
    assert all(tag.select_one(f"mjx-container, {linked}") for tag in page.select(".math"))
    assert "mathjax" not in " ".join(map(str, page.find_all("script"))).lower()


def test_every_link_within_the_book_leads_somewhere(address):
    pages = {
        path: soup(path) for path in BOOK.rglob("*.html") if "_static" not in path.parts
    }
    anchors = {
        path: {
            tag[key] for key in ("id", "name") for tag in page.find_all(attrs={key: True})
        }
        for path, page in pages.items()
    }
    broken = []
    for path, page in pages.items():
        for tag in page.find_all(href=True):
            url, anchor = urldefrag(urljoin(path.as_uri(), tag["href"]))
            if urlsplit(url).scheme != "file":
                continue
            target = Path(unquote(urlsplit(url).path))
            if not target.is_file():
                broken.append((path.name, tag["href"]))
            elif anchor and target in anchors and unquote(anchor) not in anchors[target]:
                broken.append((path.name, tag["href"]))
    assert broken == []


def links(page):
    return [tag["href"] for tag in page.find_all(href=True)]


def test_without_an_address_no_page_leads_to_a_repository(address):
    for path in BOOK.rglob("*.html"):
        found = links(soup(path))
        assert "" not in found, path
        assert not [url for url in found if re.search("google.com/github|/issues", url)]
    start = (BOOK / "book" / "index.html").read_text("utf-8")
    assert "Upload notebook" in start and ".github/CONTRIBUTING.md" in start


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("notebooks")])
def test_without_an_address_a_page_says_how_to_run_its_notebook(address, name):
    first, second = soup(BOOK / f"{name}.html").select("article p.times")
    file = first.find("a", download=True)["href"]
    assert (BOOK / f"{name}.html").parent.joinpath(file).is_file()
    assert "Upload notebook" in second.text
    assert second.find("code").text == f"jupyter lab {Path(file).name}"


ONE, SHEET = "notebooks/01_one", "notebooks/exercises/01_one"


@pytest.fixture(scope="module")
def addressed(tmp_path_factory):
    """A book of three pages, built with the course's settings and an address."""
    folder = tmp_path_factory.mktemp("book")
    theirs = "_config.yml", "book/_static", "book/references.bib", "tools"
    for name in (*theirs, ".github/book.png"):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(ROOT / name)
    for name in (ONE, SHEET):
        text = "# One\n\n*What is one?*\n\nIt is a number.\n\n## Two & `more`\n\nOthers."
        cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell("1 + 1")]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=execute.METADATA)
        (folder / name).parent.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    toc = "format: jb-book\nroot: book/index\nchapters:\n"
    toc += f"  - file: {ONE}\n  - file: {SHEET}\n"
    (folder / "_toc.yml").write_text(toc, encoding="utf-8")
    (folder / "book" / "terms.yml").write_text("{}\n", encoding="utf-8")
    start = "# Start\n\n```{only} not address\nUpload it.\n```\n\n{{ badge }}\n\n"
    start += "{{ pip_install }}\n\n{{ contributing }}\n"
    (folder / "book" / "index.md").write_text(start, encoding="utf-8")
    command = [JUPYTER_BOOK, "build", folder, "-W", "-n", "-q"]
    environment = {**os.environ, "REPO": "someone/some.where"}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "_build" / "html"


@pytest.mark.parametrize("name", ["book/index", ONE, SHEET])
def test_with_an_address_a_notebook_opens_where_it_runs_and_an_exercise_without_solutions(
    addressed, name
):
    page = soup(addressed / f"{name}.html")
    file = f"github.com/someone/some.where/blob/gh-pages/_sources/{name}.ipynb"
    expected = {
        f"https://colab.research.google.com/{file.replace('.com', '', 1)}",
        f"https://kaggle.com/kernels/welcome?src=https://{file}",
        "https://codespaces.new/someone/some.where?quickstart=1",
    }
    expected = {"book/index": set(), ONE: expected, SHEET: set(sorted(expected)[1:])}[name]
    assert {tag["href"] for tag in page.select("p.times a:not([download])")} == expected
    assert {tag["href"] for tag in page.select(".dropdown-launch-buttons a")} == expected
    assert "Upload" not in page.text and "" not in links(page)


def test_with_an_address_the_start_page_has_a_badge_and_says_how_to_install(addressed):
    start = soup(addressed / "book" / "index.html")
    repository = "https://github.com/someone/some.where"
    assert f"git+{repository}" in start.text
    (badge,) = start.select("article img")
    workflow = badge["src"].removeprefix(f"{repository}/actions/workflows/")
    name, _, kind = workflow.partition("/")
    assert (ROOT / ".github" / "workflows" / name).is_file() and kind == "badge.svg"


def test_with_an_address_the_start_page_leads_to_how_to_contribute(addressed):
    start = soup(addressed / "book" / "index.html")
    (guide,) = start.find_all("a", string="how to contribute")
    file = guide["href"].removeprefix("https://github.com/someone/some.where/blob/HEAD/")
    assert (ROOT / file).is_file()


def test_with_an_address_a_reader_reports_a_section(addressed):
    page = soup(addressed / f"{ONE}.html")
    one, two = page.select("article a.report")
    assert two.parent.name == "h2" and two["aria-label"].endswith("section: Two & more")
    query = parse_qs(urlsplit(two["href"]).query)
    assert two["href"].startswith("https://github.com/someone/some.where/issues/new?")
    assert query["title"] == ["One: Two & more"]
    place = f"https://someone.github.io/some.where/{ONE}.html#two-more"
    assert query["body"][0].startswith(f"{place}\nVersion {d2lmini.__version__}\n")
    assert parse_qs(urlsplit(one["href"]).query)["title"] == ["One"]
    assert [url for url in links(page) if "/issues" in url] == [one["href"], two["href"]]


def described(page):
    """What a page tells search engines and previews of links."""
    tags = page.find_all("meta", content=True)
    return {tag.get("property") or tag.get("name"): tag["content"] for tag in tags}


def test_with_an_address_a_link_is_shown_with_question_and_picture(addressed):
    found = described(soup(addressed / f"{ONE}.html"))
    assert found["og:title"] == "One"
    assert found["og:description"] == "What is one? It is a number." == found["description"]
    website = "https://someone.github.io/some.where/"
    assert found["og:url"] == f"{website}{ONE}.html"
    assert found["og:image"].startswith(website)
    assert (addressed / found["og:image"].removeprefix(website)).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_each_page_describes_itself_without_formulas(address, name):
    found = described(soup(BOOK / f"{name}.html"))
    assert 40 < len(found["description"]) <= 200
    assert "\\" not in found["description"] and "og:image" not in found


@pytest.mark.parametrize("name", ["someone", "https://github.com/a/b", "a/b c"])
def test_an_address_of_another_form_is_refused(monkeypatch, name):
    monkeypatch.setenv("REPO", name)
    app = SimpleNamespace(tags=set())
    with pytest.raises(ExtensionError, match=f"owner/name on GitHub, not '{name}'"):
        add_address(app, SimpleNamespace(myst_substitutions={}))
