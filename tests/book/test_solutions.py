"""A book without solutions has none in anything that is built."""

import io
import json
import zipfile
from types import SimpleNamespace

import nbformat
import pytest

from tools import ROOT
from tools.book import address, leaks, solutions
from tools.notebooks import standalone

ONE, THREE = "01_queries_keys_values", "03_scoring_functions"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", None),
        ("0", []),
        (f"{THREE} 1", [ONE, THREE]),
        ("3,01_queries_keys_values, 3", [ONE, THREE]),
    ],
)
def test_solutions_are_those_of_the_sheets_that_are_named(monkeypatch, given, expected):
    monkeypatch.setenv("SOLUTIONS", given)
    assert solutions.released(ROOT) == expected


@pytest.mark.parametrize("given", ["0 1", "no", "15", "notebooks/exercises/x.ipynb"])
def test_an_unknown_sheet_is_refused_and_the_known_ones_are_named(monkeypatch, given):
    monkeypatch.setenv("SOLUTIONS", given)
    with pytest.raises(ValueError, match=f"SOLUTIONS must be 0, or .*{ONE}, .*, not '"):
        solutions.released(ROOT)


def test_a_site_without_solutions_leads_to_no_repository_with_its_source(monkeypatch):
    monkeypatch.setenv("REPO", "someone/site")
    monkeypatch.setenv("SOLUTIONS", "0")
    config = SimpleNamespace(
        myst_substitutions={}, html_extra_path=[], html_theme_options={}
    )
    app = SimpleNamespace(tags=set())
    address.add_address(app, config)
    assert app.tags == {"address"} and not config.html_theme_options
    assert not any(config.myst_substitutions.values())
    places = [url for _, url, _ in address.launchers("someone/site", f"notebooks/{ONE}")]
    assert len(places) == 2 and all("/blob/gh-pages/" in url for url in places)


CODE = 'if a < b: print("secret", b"\\n")'
PROSE = "It's the *second* secret -- of `x[0]`, not [a link](b.ipynb)."
HTML = """<b>if</b> a <b>&lt;</b> b: print(<i>&quot;secret&quot;</i>, b"\\n")
<p>It’s the <em>second</em>
secret – of <code>x[0]</code>, not <a href="b.html">a link</a>.</p>"""


def script(text):
    return f"const x = {json.dumps(text, ensure_ascii=False)};".encode()


def wheel(text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("d2lmini/a.py", text)
    return file.getvalue()


def notebook(text, id="cell"):
    cell = nbformat.v4.new_code_cell(text, id=id)
    return nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode()


def setup_cell(text):
    packed = standalone.pack({"d2lmini/a.py": text})
    return notebook(f'packed = """\n{packed}\n"""', "setup")


@pytest.mark.parametrize(
    ("name", "encode", "text"),
    [
        ("page.html", str.encode, HTML),
        ("script.js", script, HTML),
        ("notebook.ipynb", notebook, f"{CODE}\n{PROSE}"),
        ("download.ipynb", setup_cell, f"{CODE}\n{PROSE}"),
        ("package.whl", wheel, f"{CODE}\n{PROSE}"),
    ],
    ids=["page", "script", "notebook", "setup cell", "package"],
)
def test_a_line_is_found_in_each_form_that_a_book_has(tmp_path, name, encode, text):
    (tmp_path / name).write_bytes(encode(text))
    cells = nbformat.v4.new_code_cell(CODE), nbformat.v4.new_markdown_cell(PROSE)
    parts = [part for cell in cells for part in leaks.pieces(cell)]
    wanted = {leaks.plain(p): ("sheet", p) for p in parts if len(leaks.plain(p)) > 14}
    assert len(wanted) == 2
    assert len(leaks.leaks(tmp_path, wanted)[name]) == 2
    (tmp_path / name).write_bytes(encode(text.replace("secret", "word")))
    assert not leaks.leaks(tmp_path, wanted)
