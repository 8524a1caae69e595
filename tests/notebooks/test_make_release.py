"""What `make release` refuses, and what a package index gets."""

import re
import shutil
import tomllib

import pytest

from tools import ROOT, release
from tools import __main__ as commands

NAMING = ["pyproject.toml", "CHANGELOG.md", "CITATION.cff", "book/index.md"]
NAMING += ["d2lmini/__init__.py"]
REPOSITORY = "https://github.com/someone/some.where"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """The files that name the version, which a test may change, and no tags."""
    for name in NAMING:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    monkeypatch.setattr(release, "run", lambda *command: "")
    return tmp_path


def rewrite(path, pattern, new):
    text, number = re.subn(pattern, new, path.read_text(encoding="utf-8"), count=1)
    assert number == 1
    path.write_text(text, encoding="utf-8")


def test_the_version_is_the_same_everywhere():
    assert release.disagreements() == ""


@pytest.mark.parametrize(
    "name, pattern",
    [
        ("CHANGELOG.md", r"(?<=## )\S+(?= \()"),
        ("CITATION.cff", r"(?<=^version: )[\d.]+"),
        ("CITATION.cff", r"(?<=date-released: \")[\d-]+"),
        ("book/index.md", r"(?<=d2lmini-)[\w.]+(?=-py3)"),
        ("d2lmini/__init__.py", '(?<=__version__ = ")[^"]+'),
    ],
)
def test_a_place_that_names_another_version_is_named(clone, name, pattern):
    rewrite(clone / name, f"(?m){pattern}", "9.9")
    found = release.disagreements()
    assert found.startswith(f"{name} has ") and "9.9" in found.partition(", not ")[0]


@pytest.mark.parametrize(
    "version, heading, problem",
    [
        ("1.2.0", "1.2.0 (2026-12-24)", None),
        ("1.2.0.dev0", "1.2.0 (unreleased)", "1.2.0.dev0 is not, and the changes stand"),
        ("1.2.0", "1.2.0 (unreleased)", "the changes stand under '1.2.0 (unreleased)'"),
        ("1.2.0", "Unreleased", "the changes stand under 'Unreleased'"),
        ("1.2.0", "1.1.0 (2026-12-24)", "the changes stand under '1.1.0 (2026-12-24)'"),
    ],
)
def test_a_version_is_final_when_it_and_its_changes_are(clone, version, heading, problem):
    rewrite(clone / "CHANGELOG.md", "(?m)(?<=^## ).+$", heading)
    found = release.unfinished(version)
    assert found is None if problem is None else found.startswith(problem)


def test_a_version_that_has_a_tag_is_refused(clone, monkeypatch):
    rewrite(clone / "CHANGELOG.md", "(?m)(?<=^## ).+$", "1.2.0 (2026-12-24)")
    monkeypatch.setattr(release, "run", lambda *command: "v1.2.0\n")
    assert release.unfinished("1.2.0") == "the tag v1.2.0 exists"


def test_on_an_index_every_link_of_the_readme_leads_to_the_repository(tmp_path):
    release.copy(tmp_path / "copy", "1.2.0", "someone/some.where")
    text = (tmp_path / "copy" / "README.md").read_text(encoding="utf-8")
    assert f"]({REPOSITORY}/raw/v1.2.0/.github/book.png)" in text
    assert f"]({REPOSITORY}/blob/v1.2.0/book/results.md)" in text
    badge = f"{REPOSITORY}/actions/workflows/colab.yml"
    assert f"]({badge}/badge.svg)]({badge})" in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert all(link.startswith("https://") for link in links)
    for path in re.findall(rf"{REPOSITORY}/(?:raw|blob)/v1.2.0/([^)]+)", text):
        assert (ROOT / path).is_file(), path
    listed = (tmp_path / "copy" / "pyproject.toml").read_text(encoding="utf-8")
    urls = tomllib.loads(listed)["project"]["urls"]
    assert urls["Source"] == REPOSITORY and len(urls) == 4


def test_without_an_address_what_is_built_is_what_stands_here(tmp_path):
    release.copy(tmp_path / "copy", "1.2.0", "")
    for name in ("README.md", "pyproject.toml"):
        assert (tmp_path / "copy" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_classifiers_are_the_pythons_that_are_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    python = "Programming Language :: Python :: "
    listed = [each for each in project["classifiers"] if each.startswith(python)]
    oldest, newest = commands.OLDEST[1], commands.NEWEST[1]
    assert listed == [f"{python}3.{minor}" for minor in range(oldest, newest + 1)]


def test_the_extra_all_names_the_others():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    del extras["datasets"]  # which no page needs
    assert extras.pop("all") == [f"d2lmini[{','.join(sorted(extras))}]"]
