"""The book's own files: MathJax, the table of contents, pictures, no outside host."""

import base64
import hashlib
import io
import re
import tarfile
from pathlib import Path

import pytest
import vendor_mathjax
import yaml

ROOT = Path(__file__).resolve().parent.parent
VENDORED = ROOT / "book" / "_static" / "mathjax"


# --- MathJax -------------------------------------------------------------------------

FONT = vendor_mathjax.FONTS + "MathJax_Zero.woff"
PACKED = {
    "package/LICENSE": b"free",
    "package/es5/tex-chtml-full.js": b"script",
    "package/es5/tex-chtml.js": b"another script",
    f"package/es5/{FONT}": b"font",
    f"package/es5/{vendor_mathjax.FONTS}notes.txt": b"not a font",
    f"elsewhere/es5/{FONT}": b"not in the package",
}
WANTED = {"LICENSE": b"free", "tex-chtml-full.js": b"script", FONT: b"font"}


def pack(files: dict[str, bytes]) -> tuple[bytes, str]:
    """A tarball of these files, and its checksum as npm writes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    digest = hashlib.sha512(buffer.getvalue()).digest()
    return buffer.getvalue(), f"sha512-{base64.b64encode(digest).decode()}"


def test_the_vendored_files_are_those_of_the_pinned_package():
    files = vendor_mathjax.read_tree(VENDORED)
    assert vendor_mathjax.tree_digest(files) == vendor_mathjax.TREE


def test_vendoring_takes_the_wanted_files_only_and_twice_changes_nothing(tmp_path):
    target = tmp_path / "static" / "mathjax"
    tarball, integrity = pack(PACKED)
    assert vendor_mathjax.vendor(tarball, target, integrity)
    assert vendor_mathjax.read_tree(target) == WANTED
    assert not vendor_mathjax.vendor(tarball, target, integrity)
    assert list(target.parent.iterdir()) == [target]


def test_vendoring_removes_what_is_no_longer_wanted(tmp_path):
    (tmp_path / "mathjax" / "old").mkdir(parents=True)
    (tmp_path / "mathjax" / "old" / "font.woff").write_bytes(b"old")
    assert vendor_mathjax.vendor(*arguments(tmp_path, PACKED))
    assert vendor_mathjax.read_tree(tmp_path / "mathjax") == WANTED


def arguments(folder: Path, files: dict[str, bytes]) -> tuple[bytes, Path, str]:
    tarball, integrity = pack(files)
    return tarball, folder / "mathjax", integrity


def test_a_wrong_tarball_is_refused_and_changes_nothing(tmp_path):
    tarball, target, integrity = arguments(tmp_path, PACKED)
    vendor_mathjax.vendor(tarball, target, integrity)
    other, got = pack(PACKED | {"package/LICENSE": b"changed"})
    with pytest.raises(vendor_mathjax.VendorError) as refused:
        vendor_mathjax.vendor(other, target, integrity)
    assert f"expected {integrity}" in str(refused.value)
    assert re.search(rf"got +{re.escape(got)}", str(refused.value))
    assert vendor_mathjax.read_tree(target) == WANTED


@pytest.mark.parametrize("missing", sorted(WANTED))
def test_a_package_without_a_wanted_file_is_refused(tmp_path, missing):
    files = {name: text for name, text in PACKED.items() if not name.endswith(missing)}
    with pytest.raises(vendor_mathjax.VendorError, match="the package holds no"):
        vendor_mathjax.vendor(*arguments(tmp_path, files))
    assert not list(tmp_path.iterdir())


def test_the_command_refuses_a_wrong_tarball_plainly(tmp_path, capsys):
    before = vendor_mathjax.read_tree(VENDORED)
    (tmp_path / "wrong.tgz").write_bytes(pack(PACKED)[0])
    assert vendor_mathjax.main([str(tmp_path / "wrong.tgz")]) == 1
    assert "wrong checksum" in capsys.readouterr().err
    assert vendor_mathjax.main([str(tmp_path / "none.tgz")]) == 1
    assert "none.tgz" in capsys.readouterr().err
    assert vendor_mathjax.read_tree(VENDORED) == before


def test_a_missing_npm_is_named(monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert vendor_mathjax.main([]) == 1
    assert "npm was not found" in capsys.readouterr().err


# --- pages ---------------------------------------------------------------------------


def toc_files(node) -> list[str]:
    """Every page that _toc.yml names."""
    if isinstance(node, list):
        return [name for item in node for name in toc_files(item)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("root", "file") if key in node]
    return own + [name for value in node.values() for name in toc_files(value)]


def test_every_page_of_the_table_of_contents_exists():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = toc_files(toc)
    assert "book/references" in names and len(names) == len(set(names))
    ends = ("", ".md", ".ipynb")
    assert [n for n in names if not any((ROOT / f"{n}{e}").is_file() for e in ends)] == []


IMAGE = re.compile(
    r"!\[(?P<markdown>[^\]]*)\]\("
    r"|<img\b(?P<html>[^>]*)>"
    r"|^(?P<fence>[`:]{3,})\{(?:image|figure)\}(?P<directive>.*?)^(?P=fence)",
    re.MULTILINE | re.DOTALL,
)


def images_without_alt(text: str) -> list[str]:
    """The images of a Markdown page, in any of its three notations, that say nothing."""
    bare = []
    for found in IMAGE.finditer(text):
        if (alt := found["markdown"]) is None:
            alt = re.search(r"""\balt=["']([^"']*)|^:alt:(.*)$""", found[0], re.MULTILINE)
            alt = alt and (alt[1] or alt[2])
        if not (alt or "").strip():
            bare.append(found[0])
    return bare


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("![A heatmap](a.svg)", 0),
        ("![](a.svg) and ![ ](b.svg)", 2),
        ('<img src="a.svg" alt="A heatmap">', 0),
        ('<img src="a.svg">\n<img alt="" src="b.svg">', 2),
        ("```{figure} a.svg\n:alt: A heatmap\n```", 0),
        ("```{image} a.svg\n:width: 3em\n```\n\n:::{figure} b.svg\nCaption\n:::", 2),
    ],
)
def test_an_image_without_alternative_text_is_found(text, bare):
    assert len(images_without_alt(text)) == bare


@pytest.mark.parametrize("page", sorted((ROOT / "book").glob("*.md")), ids=lambda p: p.name)
def test_every_image_has_alternative_text(page):
    assert images_without_alt(page.read_text(encoding="utf-8")) == []


# --- no outside host -----------------------------------------------------------------

OUTSIDE = re.compile(
    r"//[^\s\"'()<>]+\.(?:m?js|css|woff2?|[ot]tf)\b"  # a script, a style, a font
    r"|//[\w.-]*(?:cdn|jsdelivr|unpkg|googleapis|gstatic)[\w.-]*"
    r"|<script[^>]*\ssrc\s*=\s*[\"']?(?:https?:)?//"
    r"|@import\s+(?:url\()?[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("https://arxiv.org/abs/1706.03762", False),
        ("mathjax_path: mathjax/tex-chtml-full.js", False),
        ("mathjax_path: https://example.org/tex.js", True),
        ("@import url('//example.org/a.css')", True),
        ("@import url(https://fonts.example.org/family=Lato)", True),
        ('<script src="https://example.org/widget"></script>', True),
        ("https://unpkg.com/x", True),
    ],
)
def test_an_outside_script_style_or_font_is_found(text, outside):
    assert bool(OUTSIDE.search(text)) == outside


def test_the_book_loads_nothing_from_outside():
    paths = [path for path in (ROOT / "book").rglob("*") if path.is_file()]
    paths = [path for path in paths if VENDORED not in path.parents]
    texts = {
        path.relative_to(ROOT).as_posix(): path.read_text(
            encoding="utf-8", errors="replace"
        )
        for path in [ROOT / "_config.yml", *paths]
    }
    assert len(texts) > 5
    assert {
        name: found[0] for name in texts if (found := OUTSIDE.search(texts[name]))
    } == {}
