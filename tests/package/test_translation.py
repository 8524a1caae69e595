"""Translation: data and models equal to d2l's, and padding that changes nothing."""

import hashlib
import math
import random
import warnings
import zipfile
from types import SimpleNamespace

import pytest
import sacrebleu
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

import d2lmini as d2l
from tools import ROOT
from tools.d2l_reference import d2l_attention_decoder

DATA = ROOT.parent / "shared" / "data"
PAD, EOS, SIZE = 0, 1, 7  # of the small vocabulary of the models below
CPU = torch.device("cpu")
OFFLINE = "http://127.0.0.1:9"  # nobody listens at the port "discard"


def random_tokens(*shape, seed=0):
    """Indices other than those of padding and the end."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(2, SIZE, shape, generator=generator)


def with_text(library, text):
    """The class MTFraEng of either library, reading this text."""
    return type("Fixed", (library.MTFraEng,), {"_download": lambda self: text})


def assert_equal(ours, theirs):
    assert_close([*ours], [*theirs], rtol=0, atol=0)


def assert_same_data(ours, theirs):
    assert_equal(ours.arrays, theirs.arrays)
    assert ours.src_vocab.idx_to_token == theirs.src_vocab.idx_to_token
    assert ours.tgt_vocab.idx_to_token == theirs.tgt_vocab.idx_to_token


@pytest.fixture(scope="module")
def tatoeba_text():
    """The first lines of the file, more than d2l looks at."""
    path = DATA / "fra-eng.zip"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    with zipfile.ZipFile(path) as archive:
        text = archive.read("fra-eng/fra.txt").decode("utf-8")
    return "\n".join(text.split("\n")[:5000])


@pytest.fixture(scope="module")
def tatoeba(tatoeba_text):
    """The data as a user gets them, with d2l's default arguments."""
    return d2l.MTFraEng(128, source="tatoeba", root=str(DATA))


@pytest.fixture(scope="module")
def drawn():
    """Pairs of the phrasebook, drawn at random."""
    return d2l.MTFraEng(32, num_steps=10, num_train=500, num_val=60, seed=1)


# --- the vocabulary ------------------------------------------------------------------

words = st.lists(st.sampled_from(["<unk>", "<pad>", "a", "b", "É"]) | st.text(max_size=3))


@given(words | st.lists(words), st.integers(0, 3), words, words)
def test_vocab_equals_d2l_s(d2l_1_0_3, tokens, min_freq, reserved, asked):
    arguments = tokens, min_freq, reserved
    ours, theirs = d2l.Vocab(*arguments), d2l_1_0_3.Vocab(*arguments)
    for name in ("idx_to_token", "token_to_idx", "token_freqs", "unk"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert len(ours) == len(theirs)
    assert ours[[asked, tuple(asked)]] == theirs[[asked, tuple(asked)]]
    assert ours.to_tokens([*range(len(ours))]) == theirs.idx_to_token


def test_one_index_is_a_token_and_a_list_of_one_is_a_list():
    vocab = d2l.Vocab(["a", "b"])
    assert vocab.to_tokens(torch.tensor(1)) == vocab.to_tokens(1) == "a"
    for one in ([1], (1,), torch.tensor([1])):
        assert vocab.to_tokens(one) == ["a"]
    assert vocab.to_tokens(torch.tensor([[1, 2], [0, 1]])) == [["a", "b"], ["<unk>", "a"]]
    with pytest.raises(ValueError, match="indices must be from 0 to 2, not 3"):
        vocab.to_tokens(torch.tensor([0, 3]))


# --- the same data as d2l's ----------------------------------------------------------

ODD = """Go.\tVa\u202f!
Hi!\tSalut\xa0!
Hi!\tSalut, ça  va?
GO on, a.\tContinue,a.
Wait...\tAttends\u2009!
a a a a a a a\tb b b b b b b
I'm.\tJe suis.
"""


@pytest.mark.parametrize("sizes", [(9, 4, 2), (6, 6, 0), (5, 2, 3)])
def test_the_arrays_of_odd_lines_and_of_new_sentences_equal_d2l_s(d2l_1_0_3, sizes):
    ours = with_text(d2l, ODD)(4, *sizes, source="tatoeba")
    theirs = with_text(d2l_1_0_3, ODD)(4, *sizes)
    assert_same_data(ours, theirs)
    new = ["Hi, zebra!", "a"], ["b!", "ZÈBRE\u202f?"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_equal(ours.build(*new), theirs.build(*new))


def test_the_phrasebook_gives_what_d2l_would_make_of_it(d2l_1_0_3):
    ours = d2l.MTFraEng(128)
    text = ours._download()
    assert d2l_1_0_3.MTFraEng._preprocess(None, text) == text  # nothing is left to do
    assert_same_data(ours, with_text(d2l_1_0_3, text)(128, num_val=127))
    assert [*map(len, ours.arrays)] == [640] * 4
    assert_disjoint(ours)


def test_tatoeba_is_what_d2l_makes_of_it(d2l_1_0_3, tatoeba, tatoeba_text):
    theirs = with_text(d2l_1_0_3, tatoeba_text)(128)
    assert_same_data(tatoeba, theirs)
    engs = ["go .", "i lost .", "he's calm .", "i'm home ."]
    fras = ["va !", "j'ai perdu .", "il est calme .", "je suis chez moi ."]
    assert_equal(tatoeba.build(engs, fras), theirs.build(engs, fras))
    assert_disjoint(tatoeba)  # unlike d2l's, which have a sentence in both parts
    assert sum(len(batch[0]) for batch in tatoeba.val_dataloader()) == 128


# --- training and validation ---------------------------------------------------------


def assert_disjoint(data):
    """No English sentence is used for both training and validation."""
    train, held_out = (set(data.sentences(part)[0]) for part in (True, False))
    assert train and held_out and not train & held_out


def test_validation_takes_what_comes_after_training_and_was_not_in_it():
    data = with_text(d2l, "a\t1\nb\t2\na\t3\nc\t4\nd\t5")(1, num_train=2, num_val=2)
    assert data.sentences(train=True) == (["a", "b"], ["1", "2"])
    assert data.sentences(train=False) == (["c"], ["4"])
    (batch,) = data.val_dataloader()
    assert_equal(batch, [array[3:] for array in data.arrays])


def test_pairs_drawn_with_a_seed_fit_and_fill_both_parts():
    lines = [f"s{i // 2}\t{'t ' * (i % 5)}t{i}" for i in range(60)]  # each source twice
    data = with_text(d2l, "\n".join(lines))(4, 5, num_train=20, num_val=6, seed=0)
    assert_disjoint(data)
    pairs = {*zip(*data.sentences(train=True)), *zip(*data.sentences(train=False))}
    assert len(pairs) == 26
    assert pairs <= {tuple(line.split("\t")) for line in lines if len(line.split()) < 6}


def test_a_seed_draws_the_same_pairs_again_and_another_seed_draws_others(drawn):
    sizes = {"num_steps": 10, "num_train": 500, "num_val": 60}
    torch.manual_seed(7)  # has no part in it
    again = d2l.MTFraEng(32, **sizes, seed=1)
    assert (again.src, again.tgt) == (drawn.src, drawn.tgt)
    for seed in (None, 0):
        assert sorted(d2l.MTFraEng(32, **sizes, seed=seed).src) != sorted(drawn.src)


def test_a_minimum_frequency_leaves_out_pairs_with_rarer_tokens():
    text = "a b\tx\na b\tx x\na c\tx\na a\ty"  # b occurs twice, c and y once
    data = with_text(d2l, text)(4, num_train=2, num_val=0, seed=0, min_freq=2)
    assert sorted(data.sentences(train=True)[1]) == ["x", "x x"]


# --- faults of the source ------------------------------------------------------------


def test_a_zip_file_in_the_folder_is_read_and_a_damaged_one_refused(tmp_path):
    path = tmp_path / "fra-eng.zip"
    with zipfile.ZipFile(path, "w") as archive:
        text = "Go.\tVa !\nHi.\tSalut !\nRun!\tCours\u202f!\n"
        archive.writestr("fra-eng/fra.txt", text.encode())

    class Own(d2l.MTFraEng):
        mirrors = tuple(f"{OFFLINE}/{name}/fra-eng.zip" for name in ("one", "two"))
        sha1 = hashlib.sha1(path.read_bytes()).hexdigest()

    arguments = {"num_train": 2, "num_val": 1, "source": "tatoeba", "root": str(tmp_path)}
    data = Own(2, **arguments)
    assert data.sentences(train=True) == (["go .", "hi ."], ["va !", "salut !"])
    assert data.sentences(train=False) == (["run !"], ["cours !"])
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ConnectionError, match=r"(?s)fra-eng\.zip.*/one/.*/two/"):
        Own(2, **arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_train": 0}, "num_train must be an integer >= 1, not 0"),
        ({"num_val": 2}, r"num_train \+ num_val must be at most 4 .*not 5"),
        ({"num_steps": 2, "seed": 1}, r"num_train \+ num_val must be at most 3 .*not 4"),
        ({"min_freq": 2}, "min_freq = 2 needs a seed"),
        ({"source": "d2l"}, r"source must be .phrasebook. or .*, not 'd2l'"),
    ],
)
def test_what_cannot_be_served_is_refused(options, message):
    text = "a\tb\nc\td\ne\tf\ng g g\th"
    Data = d2l.MTFraEng if "source" in options else with_text(d2l, text)
    with pytest.raises(ValueError, match=message):
        Data(2, **{"num_train": 3, "num_val": 1, **options})


# --- new sentences -------------------------------------------------------------------


def small():
    text = "Go.\tVa !\nGo.\tVa !\nI go.\tJe va !\nI go.\tJe va !"
    return with_text(d2l, text)(2, num_steps=4, num_train=3, num_val=1)


def test_without_targets_the_labels_are_empty():
    data = small()
    src, dec_input, valid_lens, labels = data.build(["go .", "i go ."])
    expected = data.build(["go .", "i go ."], ["va !", "va !"])
    assert_equal((src, valid_lens), expected[::2])
    assert data.tgt_vocab.to_tokens(dec_input[:, 0]) == ["<bos>"] * 2
    assert data.tgt_vocab.to_tokens(labels) == [["<eos>", *["<pad>"] * 3]] * 2


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([["zebra go calm"]], "src_sentences hold unknown tokens: calm, zebra$"),
        ([["go ."], ["zèbre"]], "tgt_sentences hold unknown tokens: zèbre$"),
        ([["i go go ."]], "src_sentences are truncated to 4 tokens"),
        ([["go ."], ["je je va va"]], "tgt_sentences are truncated to 4 tokens"),
    ],
)
def test_unknown_tokens_and_truncation_bring_one_warning_at_the_call(sentences, message):
    with pytest.warns(UserWarning, match=message) as caught:
        small().build(*sentences)
    assert [warning.filename for warning in caught] == [__file__]


def test_its_own_sentences_bring_no_warning(drawn):
    assert any({*tokens} - {*drawn.src_vocab.idx_to_token} for tokens in drawn.src)
    whole = drawn.build(*map(list.__add__, *map(drawn.sentences, (True, False))))
    assert_equal(whole, drawn.arrays)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["go ."], "src_sentences must be a list of sentences, not 'go .'"),
        ([[]], r"src_sentences must be a list of sentences, not \[\]"),
        ([["go ."], ["va", "va"]], "tgt_sentences must be 1 sentences, not 2"),
    ],
)
def test_what_is_no_list_of_sentences_is_refused(sentences, message):
    with pytest.raises(ValueError, match=message):
        small().build(*sentences)


# --- models --------------------------------------------------------------------------

SIZES = 3, 4, 2  # embed_size, num_hiddens, num_layers
DECODERS = [d2l.Seq2SeqDecoder, d2l.Seq2SeqAttentionDecoder]
both = pytest.mark.parametrize("Decoder", DECODERS)
seeds = pytest.mark.parametrize("seed", range(4))


def random_problem(seed, padded=True):
    """Sizes of a model, sources, their lengths, and decoder inputs."""
    draw = random.Random(seed).randint
    b, m, n = draw(1, 3), draw(1, 6), draw(1, 5)
    return SimpleNamespace(
        sizes=(draw(1, 4), draw(1, 5), draw(1, 3)),
        src=random_tokens(b, m, seed=seed),
        valid_lens=torch.tensor([draw(1, m) if padded else m for _ in range(b)]),
        tgt=random_tokens(b, n, seed=seed + 1),
        seed=seed,
    )


def model_of(Decoder, sizes=SIZES):
    """An encoder–decoder of ours with random weights."""
    torch.manual_seed(0)
    encoder, decoder = d2l.Seq2SeqEncoder(SIZE, *sizes), Decoder(SIZE, *sizes)
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=PAD, lr=0.1)
    model.plot = lambda *args, **kwargs: None
    return model


def their_decoder(library, Decoder):
    """The decoder that d2l's chapter has where ours is Decoder; its library has neither."""
    if Decoder is d2l.Seq2SeqAttentionDecoder:
        return d2l_attention_decoder(library)

    class TheirDecoder(library.Decoder):
        def __init__(self, vocab_size, embed_size, num_hiddens, num_layers):
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, embed_size)
            inputs = embed_size + num_hiddens
            self.rnn = library.GRU(inputs, num_hiddens, num_layers)
            self.dense = nn.LazyLinear(vocab_size)
            self.apply(library.init_seq2seq)

        def init_state(self, enc_all_outputs, *args):
            return enc_all_outputs

        def forward(self, X, state):
            enc_outputs, hidden_state = state
            embs = self.embedding(X.t())
            context = enc_outputs[-1].repeat(embs.shape[0], 1, 1)
            outputs, hidden_state = self.rnn(torch.cat((embs, context), -1), hidden_state)
            return self.dense(outputs).swapaxes(0, 1), [enc_outputs, hidden_state]

    return TheirDecoder


def pair_of(library, Decoder, problem):
    """A model of ours and one of d2l's with the same weights."""
    torch.manual_seed(problem.seed)
    encoder = library.Seq2SeqEncoder(SIZE, *problem.sizes)
    decoder = their_decoder(library, Decoder)(SIZE, *problem.sizes)
    theirs = library.Seq2Seq(encoder, decoder, tgt_pad=PAD, lr=0.1)
    theirs(problem.src, problem.tgt, problem.valid_lens)  # lazy layers learn their sizes
    ours = model_of(Decoder, problem.sizes)
    weights = theirs.state_dict()
    ours.load_state_dict({key.replace("rnn.rnn", "rnn"): weights[key] for key in weights})
    return ours, theirs


@both
@seeds
def test_without_padding_scores_and_states_equal_d2l_s(d2l_1_0_3, Decoder, seed):
    problem = random_problem(seed, padded=False)
    ours, theirs = pair_of(d2l_1_0_3, Decoder, problem)
    src, tgt, valid_lens = problem.src, problem.tgt, problem.valid_lens
    assert_close(ours(src, tgt, valid_lens), theirs(src, tgt, valid_lens))
    encoded = theirs.encoder(src)
    for args in ((), (valid_lens,), (valid_lens, "more"), (None,)):
        assert_close(ours.encoder(src, *args), encoded)
    states = [
        model.decoder(tgt, model.decoder.init_state(encoded, valid_lens))[1]
        for model in (ours, theirs)
    ]
    assert_close(states[0][1], states[1][1])
    if Decoder is d2l.Seq2SeqAttentionDecoder:
        assert_close(ours.decoder.attention_weights, theirs.decoder.attention_weights)


@both
def test_the_output_layer_reads_state_and_context(Decoder):
    """The logits are one linear function of both side by side (Bahdanau et al., 2014)."""
    model, src, tgt = model_of(Decoder), random_tokens(2, 3), random_tokens(2, 4, seed=1)
    decoder, found = model.decoder, {}
    for name in ("dense", "dense_context"):
        layer = getattr(decoder, name)
        layer.register_forward_hook(
            lambda _, inputs, __, name=name: found.update({name: inputs[0]})
        )
    state = decoder.init_state(model.encoder(src))
    logits, _ = decoder(tgt, state)
    if Decoder is d2l.Seq2SeqAttentionDecoder:
        weights = torch.cat(decoder.attention_weights, dim=1)  # (b, n, m)
        contexts = (weights @ state[0]).transpose(0, 1)
    else:
        contexts = state[2].expand(4, -1, -1)
    both = torch.cat((found["dense"], contexts), dim=-1)
    matrix = torch.cat((decoder.dense.weight, decoder.dense_context.weight), dim=1)
    expected = nn.functional.linear(both, matrix, decoder.dense.bias)
    assert_close(logits, expected.transpose(0, 1))
    assert_close(found["dense_context"].expand_as(contexts), contexts)


@both
@seeds
def test_padding_never_leaks(Decoder, seed):
    problem = random_problem(seed)
    src, tgt, valid_lens = problem.src, problem.tgt, problem.valid_lens
    model = model_of(Decoder, problem.sizes)
    longer = torch.cat([src, random_tokens(len(src), 3, seed=seed + 2)], dim=1)
    (outputs, state), (more_outputs, same_state) = (
        model.encoder(X, valid_lens) for X in (src, longer)
    )
    assert_close(same_state, state)
    assert_close(more_outputs[: src.shape[1]], outputs)
    scores = model(src, tgt, valid_lens)
    assert_close(model(longer, tgt, valid_lens), scores)
    for i, length in enumerate(valid_lens):
        assert (more_outputs[length:, i] == 0).all()
        alone = model(src[i : i + 1, :length], tgt[i : i + 1])
        assert_close(scores[i : i + 1], alone)


@both
@seeds
def test_stepwise_decoding_equals_the_full_pass(Decoder, seed):
    problem = random_problem(seed)
    model = model_of(Decoder, problem.sizes)
    encoded = model.encoder(problem.src, problem.valid_lens)
    start = model.decoder.init_state(encoded, problem.valid_lens)
    whole, end = model.decoder(problem.tgt, start)
    pieces, state = [], start
    for X in problem.tgt.split(1 + seed % 2, dim=1):
        scores, state = model.decoder(X, state)
        pieces.append(scores)
    assert_close(torch.cat(pieces, dim=1), whole)
    assert_close(state[1], end[1])


@both
@pytest.mark.parametrize("given", [[1, 4], torch.tensor([1, 4], dtype=torch.int32)])
def test_lengths_are_a_list_or_a_tensor_of_any_integers(Decoder, given):
    model, X = model_of(Decoder), random_tokens(2, 4)
    assert_close(model(X, X, given), model(X, X, torch.tensor([1, 4])))


@pytest.mark.parametrize("lengths", [[0, 3], [3, 5], [3], [1.5, 2.0]])
def test_other_lengths_are_refused(lengths):
    encoder = model_of(d2l.Seq2SeqDecoder).encoder
    with pytest.raises(ValueError, match="valid_lens must be 2 integers from 1 to 4, not"):
        encoder(random_tokens(2, 4), lengths)


@pytest.mark.parametrize("Part", [d2l.Seq2SeqEncoder, *DECODERS])
def test_dropout_acts_between_layers_and_without_a_warning(Part):
    single, double = (Part(SIZE, 3, 4, layers, dropout=0.5) for layers in (1, 2))
    assert (single.rnn.num_layers, double.rnn.num_layers) == (1, 2)
    assert (single.rnn.dropout, double.rnn.dropout) == (0, 0.5)


@pytest.mark.parametrize("Part", [d2l.Seq2SeqEncoder, *DECODERS])
def test_all_matrices_are_initialised_as_glorot_and_bengio_say(Part):
    torch.manual_seed(0)
    for name, weight in Part(200, 48, 64, 2).named_parameters():
        if weight.ndim == 2 and "embedding" not in name:
            bound = math.sqrt(6 / sum(weight.shape))
            assert 0.97 * bound < weight.abs().max() <= bound, name


# --- the loss ------------------------------------------------------------------------

LABELS = torch.tensor([[2, 3, EOS, PAD], [4, EOS, PAD, PAD], [PAD, PAD, PAD, PAD]])
LOGITS = torch.randn(3, 4, SIZE, generator=torch.Generator().manual_seed(0))


def test_the_loss_is_the_cross_entropy_of_the_tokens_alone():
    model = model_of(d2l.Seq2SeqDecoder)
    entropy = nn.functional.cross_entropy(LOGITS.mT, LABELS, reduction="none").flatten()
    is_token = LABELS.flatten() != PAD
    assert_close(model.loss(LOGITS, LABELS, averaged=False), entropy * is_token)
    assert_close(model.loss(LOGITS, LABELS), entropy[is_token].mean())
    assert model.loss(LOGITS[2:], LABELS[2:]) == 0


@both
def test_padding_is_neither_reported_nor_learned(Decoder):
    src, tgt, lengths = random_tokens(3, 5), random_tokens(3, 4), torch.tensor([2, 4, 1])
    model, reports = model_of(Decoder), []
    model.plot = lambda key, value, train: reports.append((key, value.item(), train))
    expected = model.loss(model(src, tgt, lengths), LABELS)
    gradients = torch.autograd.grad(expected, model.parameters())
    loss = model.training_step((src, tgt, lengths, LABELS))
    model.validation_step((src, tgt, lengths, LABELS))
    value = pytest.approx(expected.item())
    assert reports == [("loss", value, True), ("loss", value, False)]
    assert_close(torch.autograd.grad(loss, model.parameters()), gradients)


# --- translating ---------------------------------------------------------------------


class Silent(d2l.Encoder):
    def forward(self, X, *args):
        return None


class Recites(d2l.Decoder):
    """A decoder that predicts what it was told to, (b, t)."""

    def __init__(self, plan):
        super().__init__()
        self.plan, self.inputs = plan, []

    def init_state(self, enc_all_outputs, *args):
        return 0

    def forward(self, X, state):
        self.inputs.append(X)
        self.attention_weights = [("weights of step", state)]
        logits = nn.functional.one_hot(self.plan[:, state : state + 1], SIZE)
        return logits.float(), state + 1


def reciting(plan, **options):
    """A model that recites, and a batch for it."""
    b, t = plan.shape
    model = d2l.Seq2Seq(Silent(), Recites(plan), tgt_pad=PAD, lr=1, **options)
    tgt = torch.full((b, t), 6)
    return model, (tgt, tgt, torch.ones(b), tgt)


def up_to_eos(tokens):
    rows = tokens.tolist()
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]


@seeds
def test_a_translation_ends_with_eos_and_then_has_padding(d2l_1_0_3, seed):
    t, generator = 2 + seed, torch.Generator().manual_seed(seed)
    plan = torch.randint(5, (3, t), generator=generator)
    model, batch = reciting(plan, tgt_eos=EOS)
    tokens, weights = model.predict_step(batch, CPU, t, save_attention_weights=True)
    theirs = d2l_1_0_3.EncoderDecoder(model.encoder, Recites(plan))
    expected, their_weights = theirs.predict_step(batch, CPU, t, True)
    expected = up_to_eos(expected)
    steps = max(map(len, expected))
    assert tokens.tolist() == [row + [PAD] * (steps - len(row)) for row in expected]
    assert weights == their_weights[:steps]
    inputs = torch.cat([batch[1][:, :1], tokens[:, :-1]], dim=1)
    assert torch.equal(torch.cat(model.decoder.inputs, dim=1), inputs)


def test_without_the_index_of_eos_all_steps_are_taken():
    plan = torch.tensor([[EOS, 3, EOS, 4]] * 2)
    model, batch = reciting(plan)
    tokens, weights = model.predict_step(batch, CPU, 4)
    assert torch.equal(tokens, plan)
    assert weights == []


@both
def test_a_model_in_training_mode_translates_without_dropout_and_stays_in_its_mode(Decoder):
    data = small()
    parts = (
        Part(len(vocab), 8, 16, 2, dropout=0.5)
        for Part, vocab in [
            (d2l.Seq2SeqEncoder, data.src_vocab),
            (Decoder, data.tgt_vocab),
        ]
    )
    model = d2l.Seq2Seq(*parts, tgt_pad=PAD, lr=0.1)
    model.encoder.eval()  # as an encoder that is not trained any more
    first, second = (d2l.translate(model, data, ["i go ."] * 9) for _ in range(2))
    assert first == second and len({*first}) == 1
    assert model.training and model.decoder.rnn.training
    assert not model.encoder.training and not model.encoder.rnn.training


def test_translating_keeps_no_graph():
    model, src, logits = model_of(d2l.Seq2SeqDecoder), random_tokens(2, 3), []
    model.decoder.register_forward_hook(lambda *call: logits.append(call[2][0]))
    model.predict_step((src, src, torch.tensor([3, 2]), src), CPU, 3)
    assert logits and not any(part.requires_grad for part in logits)


@both
def test_a_model_learns_to_translate(Decoder):
    names = ["one", "two", "three", "four", "five"]
    text = "\n".join(f"{a} {b}\t{b} {a}" for a in names for b in names)
    data = with_text(d2l, text)(5, 4, num_train=20, num_val=5, seed=0)
    torch.manual_seed(0)
    encoder = d2l.Seq2SeqEncoder(len(data.src_vocab), 16, 32, 1)
    decoder = Decoder(len(data.tgt_vocab), 16, 32, 1)
    pad, eos = data.tgt_vocab[["<pad>", "<eos>"]]
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=pad, tgt_eos=eos, lr=0.02)
    model.board.display = False
    d2l.Trainer(max_epochs=20, gradient_clip_val=1).fit(model, data)
    english, french = data.sentences(train=True)
    assert d2l.translate(model, data, english) == french


def test_a_translation_without_an_end_has_all_the_tokens():
    data = small()
    va, je, eos = data.tgt_vocab[["va", "je", "<eos>"]]
    model, _ = reciting(torch.tensor([[va, je, va, va], [je, eos, je, va]]))
    model.weight = nn.Parameter(torch.zeros(1))  # for its device
    assert d2l.translate(model, data, ["go .", "i go ."]) == ["va je va va", "je"]


# --- BLEU ----------------------------------------------------------------------------

translations = st.lists(st.sampled_from(["a", "b", "c", "é", "<unk>"]), min_size=1)
sentences = translations.map(" ".join)


@given(sentences, sentences, st.integers(1, 4))
def test_bleu_equals_d2l_s(d2l_1_0_3, pred, label, k):
    expected = d2l_1_0_3.bleu(pred, label, k)
    assert d2l.bleu(pred, label, k) == pytest.approx(expected, rel=1e-12, abs=0)
    assert d2l.bleu(pred, pred, k) == 1


def test_an_empty_translation_scores_0():
    assert d2l.bleu(" ", "va !", 2) == d2l.bleu("va !", "", 2) == 0


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4))
def test_corpus_bleu_equals_sacrebleu_on_the_tokens_as_they_stand(pairs):
    preds, labels = map(list, zip(*pairs))
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    expected = metric.corpus_score(preds, [labels]).score
    assert d2l.corpus_bleu(preds, labels) == pytest.approx(expected)


def test_corpus_bleu_goes_to_100_and_logs_nothing_of_tokens(caplog, capfd):
    labels = ["je suis chez moi .", "va !", "c'est ça , non ?"] * 100
    assert d2l.corpus_bleu(labels, labels) == pytest.approx(100)
    assert not caplog.records and capfd.readouterr() == ("", "")


def test_a_corpus_needs_one_reference_for_each_translation(drawn):
    with pytest.raises(ValueError, match="labels must hold 1 strings, not 2"):
        d2l.corpus_bleu(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="preds must not be empty"):
        d2l.corpus_bleu([], [])
    with pytest.raises(ValueError, match="preds must hold 60 strings, not 59"):
        d2l.held_out_bleu(drawn, ["va !"] * 59)


@pytest.mark.parametrize(("low", "high"), [(2, 4), (5, 5)])
def test_held_out_bleu_counts_the_sentences_of_these_lengths(drawn, low, high):
    english, french = drawn.sentences(train=False)
    preds = [line if i % 3 else "je suis là ." for i, line in enumerate(french)]
    rows = [i for i, line in enumerate(english) if low <= len(line.split()) <= high]
    expected = d2l.corpus_bleu([preds[i] for i in rows], [french[i] for i in rows])
    assert d2l.held_out_bleu(drawn, preds, low, high) == expected
    assert d2l.held_out_bleu(drawn, preds) == d2l.corpus_bleu(preds, french)


# --- the copying task ----------------------------------------------------------------


def test_a_batch_to_be_copied_shows_the_decoder_the_symbols_before_each_label():
    data = d2l.Copying(num_batches=600, batch_size=3, max_len=10, num_symbols=4)
    batches = data.train_dataloader()
    for X, decoder_input, lens, labels in batches:
        assert_equal([labels, decoder_input[:, 1:]], [X, X[:, :-1]])
        assert not decoder_input[:, 0].any()
        assert lens.tolist() == [X.shape[1]] * 3
    assert torch.cat([X.flatten() for X, *_ in batches]).unique().tolist() == [1, 2, 3, 4]
    lengths = [X.shape[1] for X, *_ in batches]
    assert {*lengths[:26]} == {1, 2}  # the limit grows
    assert {*lengths[420:]} == {*range(1, 11)}


def test_copying_is_scored_on_the_same_new_sequences_in_every_call():
    seen = []

    class HalfRight(nn.Linear):
        def predict_step(self, batch, device, num_steps):
            seen.append(batch[0])
            copies = batch[0].clone()
            copies[:, : num_steps // 2] = 0
            return copies, []

    data, model = d2l.Copying(), HalfRight(1, 1)
    assert data.accuracy(model, 8) == data.accuracy(model, 8) == 0.5
    assert seen[0].shape == (200, 8) and torch.equal(seen[0], seen[1])
    alike, *_ = data.batch(200, 8, torch.Generator().manual_seed(data.seed))
    assert not torch.equal(seen[0], alike)  # which begin the training batches


def test_with_teacher_forcing_the_decoder_reads_the_correct_symbols_and_gets_no_graph():
    class SecondHalfRight(nn.Linear):
        def forward(self, src, tgt, lengths):
            assert_equal([tgt[:, 1:]], [src[:, :-1]])
            assert not tgt[:, 0].any() and lengths.tolist() == [8] * 200
            assert not torch.is_grad_enabled()
            copies = src.clone()
            copies[:, :4] = 0
            return nn.functional.one_hot(copies, 19).float()

    assert d2l.Copying().accuracy(SecondHalfRight(1, 1), 8, teacher_forcing=True) == 0.5


def test_copying_is_scored_without_dropout():
    class Dropping(nn.Linear):
        def forward(self, src, tgt, lengths):
            return nn.functional.dropout(
                nn.functional.one_hot(src, 19).float(), 0.9, self.training
            )

    assert d2l.Copying().accuracy(Dropping(1, 1), 8, teacher_forcing=True) == 1
