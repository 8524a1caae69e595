"""The page of names: it has an entry for every public name."""

import yaml
from sphinx.application import Sphinx

import d2lmini
from tools import ROOT
from tools.book import extension


def test_every_public_name_has_an_entry(tmp_path):
    """In the index that Sphinx makes of the page, with the settings of the book."""
    page = (ROOT / "book" / "names.md").read_text(encoding="utf-8")
    (tmp_path / "index.md").write_text(page, encoding="utf-8")
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    options = {k: v for k, v in config["sphinx"]["config"].items() if "autodoc" in k}
    options["autodoc_preserve_defaults"] = False  # it would rewrite signatures in memory
    options["extensions"] = ["myst_parser", "sphinx.ext.autodoc"]
    options["suppress_warnings"] = ["myst.xref_missing"]  # the other pages
    folders = tmp_path, None, tmp_path / "out", tmp_path / "doctrees"
    app = Sphinx(*folders, "dummy", options, status=None, warningiserror=True)
    app.connect("autodoc-process-docstring", extension.rewrite_docstring)
    app.build()
    assert app.statuscode == 0
    entries = app.env.get_domain("py").get_objects()
    public = {name: getattr(d2lmini, name) for name in d2lmini.__all__}
    expected = {f"{v.__module__}.{name}" for name, v in public.items() if callable(v)}
    found = {name for name, _, kind, *_ in entries if kind in ("function", "class")}
    assert found == expected
