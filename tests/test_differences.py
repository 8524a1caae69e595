"""The page of differences from d2l: every proof on it, under both libraries."""

import ast
import contextlib
import copy
import io
import math
import re
import threading
import types
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import differences
import nbformat
import pytest
import torch
from torch import nn

import d2lmini

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / differences.PAGE).read_text(encoding="utf-8")

# --- the page ------------------------------------------------------------------------

SECTION = re.compile(
    r"### (?P<title>.+)\n\n"
    r"```python\n(?P<proof>[^`]+)```\n\n"
    r"- \*\*(?:d2l:\*\* `(?P<theirs>[^`]+)`|A source:\*\* )(?:.|\n )*\n"
    r"- \*\*Here:\*\* `(?P<ours>[^`]+)`(?:.|\n )*\n\n"
    r"\[[\w ]+\]\(\.\./(?P<chapter>\S+)\) ·\s"
    r"tested\sin\s`(?P<file>\S+)`:\s\*(?P<test>[^*]+)\*"
)
LINE = re.compile(
    r"- `(?P<title>(?P<proof>[^`]+))`\n"
    r"  - \*\*d2l:\*\* `(?P<theirs>[^`]+)`(?:.|\n  )*\n"
    r"  - \*\*Here:\*\* `(?P<ours>[^`]+)`(?:.|\n  )*"
)


def entries(pattern, blocks):
    """The differences on the page, by their titles or, in small print, their proofs."""
    found = {}
    for block in blocks:
        match = pattern.fullmatch(block.strip())
        assert match, f"cannot be read:\n{block}"
        assert match["title"] not in found
        found[match["title"]] = match.groupdict()
    return found


PROOFS, NAMES = PAGE.split("\n## The names")
BLOCKS = re.split(r"\n(?=##|- `)", PROOFS)
SECTIONS = entries(SECTION, [block for block in BLOCKS if block.startswith("### ")])
LINES = entries(LINE, [block for block in BLOCKS if block.startswith("- `")])


def slug(title):
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:50]


def test_the_page_holds_what_it_should():
    assert len(SECTIONS) > 30 and len(LINES) > 10
    assert len({slug(title) for title in SECTIONS | LINES}) == len(SECTIONS | LINES)
    results = re.findall(r"\*\*(?:d2l|A source|Here):\*\*", PROOFS)
    assert len(results) == 2 * len(SECTIONS | LINES)


@cache
def names_in(file):
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("title", SECTIONS, ids=slug)
def test_the_chapter_and_the_test_of_a_section_exist(title):
    assert (ROOT / SECTIONS[title]["chapter"]).is_file()
    name = "_".join(["test", *re.findall(r"\w+", SECTIONS[title]["test"])])
    assert name in names_in(SECTIONS[title]["file"])


# --- the proofs ----------------------------------------------------------------------


class NotFound(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(404)
        self.end_headers()
        self.wfile.write(b"<h1>Not found</h1>")

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def missing():
    """The address of a file that there is not."""
    with HTTPServer(("127.0.0.1", 0), NotFound) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/words.txt"
        server.shutdown()
        thread.join()


class OnGPU(torch.Tensor):
    """A tensor on the CPU that gives as little to NumPy as one on a GPU."""

    def numpy(self):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def cpu(self):
        return self.as_subclass(torch.Tensor)


def on_gpu(tensor):
    """The tensor on a GPU, or one that behaves so."""
    if torch.cuda.is_available():
        return tensor.cuda()
    return tensor.as_subclass(OnGPU)


@pytest.fixture(scope="module")
def with_the_book_s_models(d2l_1_0_3):
    """d2l's library, and of its book the models that the proofs use."""
    from d2l_reference import d2l_transformer_decoder, d2l_vit
    from test_translation import their_decoder

    models = {
        "Seq2SeqAttentionDecoder": their_decoder(
            d2l_1_0_3, d2lmini.Seq2SeqAttentionDecoder
        ),
        "TransformerDecoder": d2l_transformer_decoder(d2l_1_0_3),
        "ViT": d2l_vit(d2l_1_0_3),
    }
    return types.SimpleNamespace(**{**vars(d2l_1_0_3), **models})


@pytest.fixture
def run(monkeypatch, d2l_1_0_3, missing, tmp_path):
    """A function that runs a proof with a library, and says what comes out."""
    monkeypatch.setattr(d2l_1_0_3, "use_svg_display", lambda: None)  # is for notebooks
    known = {"copy": copy, "math": math, "torch": torch, "nn": nn, "Path": Path}
    known |= {"missing": missing, "folder": str(tmp_path), "on_gpu": on_gpu}

    def outcome(proof, library):
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
        torch.manual_seed(0)
        tree, names = ast.parse(proof), {**known, "d2l": library}
        value = ast.Expression(tree.body.pop().value)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(tree, "proof", "exec"), names)
                return [repr(eval(compile(value, "proof", "eval"), names))]
        except Exception as error:
            return [type(error).__name__, f"{type(error).__name__}: {error}"]

    return outcome


@pytest.mark.filterwarnings("ignore:Lazy modules are")
@pytest.mark.parametrize("title", SECTIONS | LINES, ids=slug)
def test_proof(run, with_the_book_s_models, title):
    entry = (SECTIONS | LINES)[title]
    assert entry["ours"] in run(entry["proof"], d2lmini)
    if entry["theirs"] is not None:
        assert entry["theirs"] in run(entry["proof"], with_the_book_s_models)
        assert entry["theirs"] != entry["ours"]


def test_a_wrong_statement_is_noticed(run):
    assert run("d2l.bleu('va !', 'va !', k=2)", d2lmini) == ["1.0"]
    kind, whole = run("d2l.bleu('va !', 'va !', k=0)", d2lmini)
    assert kind == "ValueError" and whole == "ValueError: k must be at least 1, not 0"


# --- the names -----------------------------------------------------------------------


def test_the_list_of_names_is_up_to_date(capsys):
    assert differences.main(["--check"]) == 0, capsys.readouterr().err


def test_every_public_name_is_listed_once():
    listed = NAMES.split("### What is not here")[0]
    names = re.findall(r"`(\w+)`", listed)
    assert sorted([*names, "__version__"]) == sorted(d2lmini.__all__)


def test_a_stale_list_is_noticed_and_mended(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(differences, "names_text", lambda root: "- new\n")
    page, root = tmp_path / differences.PAGE, ["--root", str(tmp_path)]
    page.parent.mkdir()
    page.write_text(f"kept\n{differences.BEGIN}- old\n", encoding="utf-8")
    assert differences.main(["--check", *root]) == 1
    assert "is out of date" in capsys.readouterr().err
    assert "- old" in page.read_text(encoding="utf-8")
    assert differences.main(root) == differences.main(["--check", *root]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"kept\n{differences.BEGIN}") and text.endswith("\n- new\n")
    page.write_text("no list", encoding="utf-8")
    assert differences.main(root) == 1
    assert page.read_text(encoding="utf-8") == "no list"


def test_every_note_in_a_chapter_has_its_section():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        notes = sum(cell.source.count("**Mind the difference.**") for cell in cells)
        assert PROOFS.count(f"(../notebooks/{path.name})") >= notes, path.name
