"""The page of names: it has an entry for every public name, under its chapter."""

import re

import pytest
import yaml
from helpers import ROOT
from sphinx.application import Sphinx

import d2lmini
from tools.build import extension, save

PAGE = (ROOT / "book" / "names.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    """What Sphinx puts into its index for the page, with the settings of the book."""
    folder = tmp_path_factory.mktemp("names")
    (folder / "index.md").write_text(PAGE, encoding="utf-8")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    options = {k: v for k, v in config["sphinx"]["config"].items() if "autodoc" in k}
    options["extensions"] = ["myst_parser", "sphinx.ext.autodoc"]
    options["suppress_warnings"] = ["myst.xref_missing"]  # the other pages
    folders = folder, None, folder / "out", folder / "doctrees"
    app = Sphinx(*folders, "dummy", options, status=None, warningiserror=True)
    app.connect("autodoc-process-docstring", extension.rewrite_docstring)
    app.build()
    assert app.statuscode == 0
    return {entry[0]: entry[2] for entry in app.env.get_domain("py").get_objects()}


def test_every_public_name_has_an_entry(documented):
    public = {*d2lmini.__all__} - {"plt", "__version__"}
    expected = {f"{getattr(d2lmini, name).__module__}.{name}" for name in public}
    kinds = "function", "class"
    assert {name for name, kind in documented.items() if kind in kinds} == expected


def test_each_name_stands_under_its_chapter():
    section = (
        r"^## (.+)\n\n\[.+\]\(\.\./(.+)\).*\n\n```{eval-rst}\n.. automodule:: d2lmini\.(.+)"
    )
    chapters = [save.read_chapter(path, ROOT) for path in save.chapter_paths(ROOT)]
    assert re.findall(section, PAGE, re.MULTILINE) == [
        (chapter.title, chapter.path.as_posix(), chapter.module)
        for chapter in chapters
        if chapter.saved
    ]
