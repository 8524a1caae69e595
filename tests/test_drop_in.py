"""One import changes: d2l's calls, its attributes, and a script in its style."""

import inspect
import re
from pathlib import Path

import differences
import pytest
import torch

import d2lmini

SCRIPT = Path(__file__).with_name("drop_in_script.py")
D2L, OURS = "from d2l import torch as d2l", "import d2lmini as d2l"

# --- names and calls -----------------------------------------------------------------


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


INTERNAL = ["_build_arrays"]  # which MTFraEng calls with text in d2l, and with tokens here
VARIABLE = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def calls(signature):
    """All ways to call it: so many arguments by position, and some others by name."""
    parameters = [p for p in signature.parameters.values() if p.kind not in VARIABLE]
    kinds = {p.kind for p in signature.parameters.values()}
    for num_positional in range(len(parameters) + 1):
        given = {p.name: object() for p in parameters[:num_positional]}
        needed = [p.name for p in parameters[num_positional:] if p.default is p.empty]
        optional = [p.name for p in parameters[num_positional:] if p.default is not p.empty]
        for chosen in {(), *((name,) for name in optional), tuple(optional)}:
            keywords = {name: object() for name in (*needed, *chosen)}
            yield tuple(given.values()), keywords, given | keywords
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        for more in (1, 2):
            named = {p.name: object() for p in parameters}
            yield (*named.values(), *(object() for _ in range(more))), {}, named


def wrong_calls(theirs, ours):
    """The calls that theirs takes and ours does not, or takes for something else."""
    signatures = inspect.signature(theirs), inspect.signature(ours)
    for arguments, keywords, meant in calls(signatures[0]):
        signatures[0].bind(*arguments, **keywords)
        try:
            bound = signatures[1].bind(*arguments, **keywords).arguments
        except TypeError as error:
            yield f"{len(arguments)} by position, {[*keywords]}: {error}"
            continue
        if any(bound.get(name) is not value for name, value in meant.items()):
            yield f"{len(arguments)} by position, {[*keywords]}: {[*bound]}"


def test_every_call_of_d2l_is_accepted_and_means_the_same(shared):
    assert len(shared) > 80
    wrong = {name: [*wrong_calls(*pair)] for name, pair in shared.items()}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    "ours",
    [
        lambda X, lens: 0,  # another name
        lambda lengths, X: 0,  # another order
        lambda X: 0,  # one too few
        lambda X, lengths, *, mask: 0,  # one too many
        lambda X, *, lengths=None: 0,  # not by position
    ],
)
def test_a_signature_that_does_not_fit_is_noticed(ours):
    assert [*wrong_calls(lambda X, lengths=None: 0, ours)]
    assert not [*wrong_calls(lambda X, lengths=None: 0, lambda X, lengths=3, *args: 0)]


def test_the_defaults_are_those_of_d2l(shared):
    for name, (theirs, ours) in shared.items():
        expected, given = (inspect.signature(side).parameters for side in (theirs, ours))
        for parameter in expected.values():
            if parameter.default is not parameter.empty:
                default = given[parameter.name].default
                if isinstance(default, tuple):  # where d2l has a list, which can change
                    assert default == tuple(parameter.default), name
                else:
                    assert default == parameter.default, name


def test_d2l_refuses_the_keywords_that_only_its_signature_accepts(shared, d2l_1_0_3):
    for name, pair in shared.items():
        kinds = [
            [p.kind for p in inspect.signature(side).parameters.values()] for side in pair
        ]
        if VARIABLE[1] in kinds[0] and VARIABLE[1] not in kinds[1]:
            assert name in ("AdditiveAttention", "AdditiveAttention.__init__")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        d2l_1_0_3.AdditiveAttention(8, 0, colour="red")


def test_what_d2l_saves_in_these_sections_is_here_or_said_to_be_missing(d2l_1_0_3):
    saved, used = differences.d2l_names(d2l_1_0_3)
    assert {"masked_softmax", "TransformerEncoder", "bleu", "MTFraEng"} <= saved
    assert {"GRU", "DATA_URL", "argmax"} <= used
    missing = (saved | used) - {*d2lmini.__all__}
    own = {n for n in missing if differences.is_torch_s_own(getattr(d2l_1_0_3, n))}
    assert missing - own == {*differences.INSTEAD}
    assert not {name for name in differences.IN_THE_BOOK if hasattr(d2l_1_0_3, name)}
    assert {*differences.IN_THE_BOOK} <= {*d2lmini.__all__}


# --- attributes ----------------------------------------------------------------------

X, LENS = torch.zeros(2, 3, 8), torch.tensor([2, 3])
WORDS = torch.ones(2, 3, dtype=torch.long)
SIZES = 10, 8, 16, 2, 1, 0.0


def used(layer, *inputs):
    """The layer after a call."""
    layer(*inputs)
    return layer


def text_of(self):
    return "\n".join(f"{i % 3} {i}\t{i}" for i in range(9))


def fitted(d2l):
    """A trainer that has trained a classifier."""
    net = torch.nn.Linear(8, 3)
    model = type("Net", (d2l.Classifier,), {"lr": 0.1})()
    model.net, model.board.display = net, False
    batches = [(torch.ones(4, 8), torch.ones(4, dtype=torch.long))] * 2
    loader = {"get_dataloader": lambda self, train: batches}
    trainer = d2l.Trainer(max_epochs=1)
    trainer.fit(model, type("Data", (d2l.DataModule,), loader)())
    return trainer


def drawn(d2l):
    board = d2l.ProgressBoard("x", display=False)
    board.draw(0, 1, "loss")
    return board


MADE = {
    "ProgressBoard": drawn,
    "Trainer": fitted,
    "Classifier": lambda d2l: fitted(d2l).model,
    "Module": lambda d2l: d2l.Module(),
    "DataModule": lambda d2l: d2l.DataModule(),
    "Vocab": lambda d2l: d2l.Vocab(["a"]),
    "MTFraEng": lambda d2l: type("Few", (d2l.MTFraEng,), {"_download": text_of})(
        2, 9, 4, 2
    ),
    "Encoder": lambda d2l: d2l.Encoder(),
    "Decoder": lambda d2l: d2l.Decoder(),
    "AttentionDecoder": lambda d2l: d2l.AttentionDecoder(),
    "EncoderDecoder": lambda d2l: d2l.EncoderDecoder(d2l.Encoder(), d2l.Decoder()),
    "Seq2SeqEncoder": lambda d2l: used(d2l.Seq2SeqEncoder(10, 4, 8, 1), WORDS, LENS),
    "Seq2Seq": lambda d2l: d2l.Seq2Seq(d2l.Encoder(), d2l.Decoder(), 0, 0.1),
    "DotProductAttention": lambda d2l: used(d2l.DotProductAttention(0), X, X, X, LENS),
    "AdditiveAttention": lambda d2l: used(d2l.AdditiveAttention(8, 0), X, X, X, LENS),
    "MultiHeadAttention": lambda d2l: used(d2l.MultiHeadAttention(8, 2, 0), X, X, X, LENS),
    "PositionalEncoding": lambda d2l: used(d2l.PositionalEncoding(8, 0), X),
    "PositionWiseFFN": lambda d2l: used(d2l.PositionWiseFFN(4, 8), X),
    "AddNorm": lambda d2l: used(d2l.AddNorm(8, 0), X, X),
    "TransformerEncoderBlock": lambda d2l: used(
        d2l.TransformerEncoderBlock(8, 16, 2, 0), X, LENS
    ),
    "TransformerEncoder": lambda d2l: used(d2l.TransformerEncoder(*SIZES), WORDS, LENS),
}
NOT_MADE = {
    "HyperParameters",  # has no attributes of its own
    "FashionMNIST",  # d2l's wants torchvision: see test_vision_transformer.py
}


def test_instances_of_all_shared_classes_are_compared(shared):
    classes = {name for name, (theirs, _) in shared.items() if inspect.isclass(theirs)}
    assert classes == {*MADE} | NOT_MADE


@pytest.mark.filterwarnings("ignore:Lazy modules are")
@pytest.mark.parametrize("name", MADE)
def test_attributes_of_d2l_s_instances_exist_here(d2l_1_0_3, name):
    theirs, ours = (MADE[name](library) for library in (d2l_1_0_3, d2lmini))
    public = {attribute for attribute in dir(theirs) if not attribute.startswith("_")}
    if isinstance(theirs, torch.nn.Module):
        public |= {*vars(theirs)["_parameters"], *vars(theirs)["_modules"]}
        weights = [key.replace("rnn.rnn", "rnn") for key in theirs.state_dict()]
        assert sorted(ours.state_dict()) == sorted(weights)
    assert public - {*dir(ours)} == set()


# --- a script in d2l's style ---------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Lazy modules are")
def test_a_script_for_d2l_runs_with_the_import_changed(d2l_1_0_3, monkeypatch, capsys):
    monkeypatch.setattr(d2l_1_0_3, "use_svg_display", lambda: None)  # is for notebooks
    script = SCRIPT.read_text(encoding="utf-8")
    assert script.count(D2L) == 1
    found = []
    for statement in (D2L, OURS):
        names = {"__name__": "script"}
        exec(compile(script.replace(D2L, statement), SCRIPT.name, "exec"), names)
        found.append(names["found"])
    theirs, ours = found
    assert ours == theirs
    assert ours["looking back"]["learns"] and ours["writing"]["learns"]


def test_the_script_uses_what_d2l_saves_in_these_sections(d2l_1_0_3):
    used = set(re.findall(r"\bd2l\.(\w+)", SCRIPT.read_text(encoding="utf-8")))
    bases = {"Encoder", "Decoder", "EncoderDecoder", "TransformerEncoderBlock"}
    missing = differences.d2l_names(d2l_1_0_3)[0] - {*differences.INSTEAD}
    assert missing - used == bases  # of what it uses
    assert used <= {*d2lmini.__all__} and used <= {*vars(d2l_1_0_3)}
