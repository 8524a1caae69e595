"""d2l and this library: every difference on the page, and no other in names and calls."""

import ast
import contextlib
import copy
import inspect
import io
import math
import re
import runpy
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import d2l_reference
import differences
import nbformat
import pytest
import torch
from torch import nn

import d2lmini

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / differences.PAGE).read_text(encoding="utf-8")
pytestmark = pytest.mark.filterwarnings("ignore:Lazy modules are")


@pytest.fixture(scope="module")
def book(d2l_1_0_3):
    """d2l's library with the models that only its chapters define, outside notebooks."""
    library = d2l_reference.load_book()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(d2l_1_0_3, "use_svg_display", lambda: None)
        yield library


# --- the page ------------------------------------------------------------------------

SECTION = re.compile(
    r"### (?P<title>.+)\n\n"
    r"```python\n(?P<proof>[^`]+)```\n\n"
    r"- \*\*(?:d2l:\*\* `(?P<theirs>[^`]+)`|A source:\*\* )(?:.|\n )*\n"
    r"- \*\*Here:\*\* `(?P<ours>[^`]+)`(?:.|\n )*"
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
ENTRIES = {
    **entries(SECTION, [block for block in BLOCKS if block.startswith("### ")]),
    **entries(LINE, [block for block in BLOCKS if block.startswith("- `")]),
}


def slug(title):
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:50]


def test_every_result_on_the_page_belongs_to_a_proof():
    results = re.findall(r"\*\*(?:d2l|A source|Here):\*\*", PROOFS)
    assert len(results) == 2 * len(ENTRIES) > 80


def test_every_note_in_a_chapter_has_its_section():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        notes = sum(cell.source.count("**Mind the difference.**") for cell in cells)
        assert PROOFS.count(f"(../notebooks/{path.name})") >= notes, path.name


@pytest.fixture(scope="module")
def missing():
    """The address of a file; the server answers with a page about an error."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/words.txt"
        server.shutdown()
        thread.join()


@pytest.fixture
def run(monkeypatch, missing, tmp_path):
    """A function that runs a proof with a library, and returns what may stand for it."""
    known = {"copy": copy, "math": math, "torch": torch, "nn": nn, "Path": Path}
    known |= {"missing": missing, "folder": str(tmp_path)}
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)

    def outcome(proof, library):
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


@pytest.mark.parametrize("title", ENTRIES, ids=slug)
def test_proof(run, book, title):
    entry = ENTRIES[title]
    assert entry["ours"] in run(entry["proof"], d2lmini)
    if entry["theirs"] is not None:
        assert entry["theirs"] in run(entry["proof"], book)
        assert entry["theirs"] != entry["ours"]


def test_a_wrong_statement_is_noticed(run):
    assert run("d2l.bleu('va !', 'va !', k=2)", d2lmini) == ["1.0"]
    kind, whole = run("d2l.bleu('va !', 'va !', k=0)", d2lmini)
    assert kind == "ValueError" and whole.startswith("ValueError: k must be")


# --- the names -----------------------------------------------------------------------


def test_the_list_of_names_is_up_to_date(capsys):
    assert differences.main(["--check"]) == 0, capsys.readouterr().err


def test_every_public_name_is_listed_once():
    listed = NAMES.split("### What is not here")[0]
    names = re.findall(r"`(\w+)`", listed)
    assert sorted([*names, "__version__"]) == sorted(d2lmini.__all__)


def test_a_stale_list_is_noticed_and_replaced(monkeypatch, tmp_path, capsys):
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


def test_what_d2l_saves_in_these_sections_is_here_or_said_to_be_missing(d2l_1_0_3):
    saved, used = differences.d2l_names(d2l_1_0_3)
    assert {"masked_softmax", "TransformerEncoder", "bleu", "MTFraEng"} <= saved
    assert {"GRU", "DATA_URL", "argmax"} <= used
    missing = (saved | used) - {*d2lmini.__all__}
    own = {n for n in missing if differences.is_torch_s_own(getattr(d2l_1_0_3, n))}
    assert missing - own == {*differences.INSTEAD}
    assert not {name for name in differences.IN_THE_BOOK if hasattr(d2l_1_0_3, name)}
    assert {*differences.IN_THE_BOOK} <= {*d2lmini.__all__}


# --- the calls -----------------------------------------------------------------------

INTERNAL = ["_build_arrays"]  # which MTFraEng calls with text in d2l, and with tokens here


@pytest.fixture(scope="module")
def shared(d2l_1_0_3):
    """What both libraries have: name -> theirs, ours, and so for the methods of classes."""
    pairs = {}
    for name in d2lmini.__all__:
        theirs = getattr(d2l_1_0_3, name, None)
        if inspect.isfunction(theirs) or inspect.isclass(theirs):
            pairs[name] = theirs, getattr(d2lmini, name)
    for name, (theirs, ours) in [*pairs.items()]:
        if inspect.isclass(theirs):
            for method, function in vars(theirs).items():
                if inspect.isfunction(function) and method not in INTERNAL:
                    pairs[f"{name}.{method}"] = function, getattr(ours, method, None)
    return pairs


def accepts(theirs, ours):
    """Whether each call of theirs means the same to ours: same names, order, defaults."""
    if ours is None:
        return False
    theirs, ours = (inspect.signature(side).parameters.values() for side in (theirs, ours))
    variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    if variable[0] in {p.kind for p in theirs} - {p.kind for p in ours}:
        return False
    theirs, ours = ([p for p in side if p.kind not in variable] for side in (theirs, ours))
    shared, others = ours[: len(theirs)], ours[len(theirs) :]
    same = [(p.name, p.kind) for p in theirs] == [(p.name, p.kind) for p in shared]
    return same and all(
        [
            p.default is p.empty or plain(p.default) == plain(q.default)
            for p, q in zip(theirs, ours)
        ]
        + [p.default is not p.empty for p in others]
    )


def plain(default):
    """A default, with a tuple for a list, which can change."""
    return tuple(default) if isinstance(default, list) else default


def test_every_call_of_d2l_is_accepted_and_means_the_same(shared):
    assert len(shared) > 80
    wrong = [name for name, pair in shared.items() if not accepts(*pair)]
    assert wrong == []


@pytest.mark.parametrize(
    "ours",
    [
        lambda X, lens=None: 0,  # another name
        lambda lengths, X=None: 0,  # another order
        lambda X: 0,  # one too few
        lambda X, lengths=None, *, mask: 0,  # one too many
        lambda X, *, lengths=None: 0,  # not by position
        lambda X, lengths=3: 0,  # another default
    ],
)
def test_a_signature_that_does_not_fit_is_noticed(ours):
    assert not accepts(lambda X, lengths=None: 0, ours)
    assert accepts(lambda X, lengths=None: 0, lambda X, lengths=None, *args, mask=None: 0)


# --- the attributes ------------------------------------------------------------------

X, LENS = torch.zeros(2, 3, 8), torch.tensor([2, 3])
WORDS = torch.ones(2, 3, dtype=torch.long)


def trainer_of(d2l):
    """A trainer that has trained a classifier."""
    model = type("Net", (d2l.Classifier,), {"lr": 0.1})()
    model.net, model.board.display = nn.Linear(8, 3), False
    batches = [(torch.ones(4, 8), torch.ones(4, dtype=torch.long))] * 2
    data = type("Data", (d2l.DataModule,), {"get_dataloader": lambda self, train: batches})
    trainer = d2l.Trainer(max_epochs=1)
    trainer.fit(model, data())
    return trainer


def board_of(d2l):
    board = d2l.ProgressBoard("x", display=False)
    board.draw(0, 1, "loss")
    return board


def data_of(d2l):
    text = "\n".join(f"{i % 3} {i}\t{i}" for i in range(9))
    return type("Few", (d2l.MTFraEng,), {"_download": lambda self: text})(2, 9, 4, 2)


def called(layer, *inputs):
    layer(*inputs)
    return layer


ATTENTION = X, X, X, LENS
MADE = {
    "ProgressBoard": board_of,
    "Trainer": trainer_of,
    "Classifier": lambda d2l: trainer_of(d2l).model,
    "Module": lambda d2l: d2l.Module(),
    "DataModule": lambda d2l: d2l.DataModule(),
    "Vocab": lambda d2l: d2l.Vocab(["a"]),
    "MTFraEng": data_of,
    "Encoder": lambda d2l: d2l.Encoder(),
    "Decoder": lambda d2l: d2l.Decoder(),
    "AttentionDecoder": lambda d2l: d2l.AttentionDecoder(),
    "EncoderDecoder": lambda d2l: d2l.EncoderDecoder(d2l.Encoder(), d2l.Decoder()),
    "Seq2Seq": lambda d2l: d2l.Seq2Seq(d2l.Encoder(), d2l.Decoder(), 0, 0.1),
    "Seq2SeqEncoder": lambda d2l: called(d2l.Seq2SeqEncoder(10, 4, 8, 1), WORDS, LENS),
    "DotProductAttention": lambda d2l: called(d2l.DotProductAttention(0), *ATTENTION),
    "AdditiveAttention": lambda d2l: called(d2l.AdditiveAttention(8, 0), *ATTENTION),
    "MultiHeadAttention": lambda d2l: called(d2l.MultiHeadAttention(8, 2, 0), *ATTENTION),
    "PositionalEncoding": lambda d2l: called(d2l.PositionalEncoding(8, 0), X),
    "PositionWiseFFN": lambda d2l: called(d2l.PositionWiseFFN(4, 8), X),
    "AddNorm": lambda d2l: called(d2l.AddNorm(8, 0), X, X),
    "TransformerEncoderBlock": lambda d2l: called(
        d2l.TransformerEncoderBlock(8, 16, 2, 0), X, LENS
    ),
    "TransformerEncoder": lambda d2l: called(
        d2l.TransformerEncoder(10, 8, 16, 2, 1, 0.0), WORDS, LENS
    ),
}


def test_instances_of_all_shared_classes_are_compared(shared):
    classes = {name for name, (theirs, _) in shared.items() if inspect.isclass(theirs)}
    # The first has no attributes of its own, and d2l's second needs torchvision.
    assert classes == {*MADE, "HyperParameters", "FashionMNIST"}


@pytest.mark.parametrize("name", MADE)
def test_attributes_and_weights_of_d2l_s_instances_exist_here(d2l_1_0_3, name):
    theirs, ours = (MADE[name](library) for library in (d2l_1_0_3, d2lmini))
    public = {attribute for attribute in dir(theirs) if not attribute.startswith("_")}
    assert public - {*dir(ours)} == set()
    if isinstance(theirs, nn.Module):
        weights = [key.replace("rnn.rnn", "rnn") for key in theirs.state_dict()]
        assert sorted(ours.state_dict()) == sorted(weights)


# --- a script in d2l's style ---------------------------------------------------------

SCRIPT = Path(__file__).with_name("drop_in_script.py")


def found_by_the_script(library, AttentionDecoder, TransformerDecoder):
    names = {
        "d2l": library,
        "Seq2SeqAttentionDecoder": AttentionDecoder,
        "TransformerDecoder": TransformerDecoder,
    }
    with contextlib.redirect_stdout(io.StringIO()):
        found = runpy.run_path(str(SCRIPT), names)["found"]
    d2lmini.plt.close("all")
    return found


@pytest.mark.filterwarnings("ignore:Constructing a DataFrame from a list of sequences")
def test_d2l_s_code_runs_here_with_the_decoders_of_its_chapters_and_with_ours(book):
    theirs = found_by_the_script(
        book, book.Seq2SeqAttentionDecoder, book.TransformerDecoder
    )
    assert theirs["recurrent"][1] and theirs["Transformer"][1]  # both learn
    decoders = (
        d2l_reference.d2l_attention_decoder(d2lmini),
        d2l_reference.d2l_transformer_decoder(d2lmini),
    )
    assert found_by_the_script(d2lmini, *decoders) == theirs
    decoders = d2lmini.Seq2SeqAttentionDecoder, d2lmini.TransformerDecoder
    assert found_by_the_script(d2lmini, *decoders) == theirs


def test_the_code_uses_what_d2l_saves_in_these_sections(d2l_1_0_3):
    code = SCRIPT.read_text(encoding="utf-8") + inspect.getsource(d2l_reference)
    used = set(re.findall(r"\bd2l\.(\w+)", code))
    bases = {"Encoder", "Decoder", "EncoderDecoder", "TransformerEncoderBlock"}
    missing = differences.d2l_names(d2l_1_0_3)[0] - {*differences.INSTEAD}
    assert missing - used == bases  # of what it uses
    assert used <= {*d2lmini.__all__} and used <= {*vars(d2l_1_0_3)}
