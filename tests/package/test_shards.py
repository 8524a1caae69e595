"""Tokens in files: as in memory, whole or not there, read in little memory; the command."""

import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from helpers import posix
from tokenizers import Tokenizer, processors
from torch.utils.data import DataLoader, Dataset

import d2lmini as d2l
from d2lmini import tokenize
from tools import ROOT

END = "<|end|>"
CODE = (
    "def run(x):\n    return x\n\n\nwords of a line\nand more,\n\twith a tab\nüñí\r\nend\n"
)
TEXTS = [CODE, "", "a cab", f"{CODE}{CODE}", "it's 12345"]
TRAINING = {"num_hiddens": 24, "n": 8, "batch_size": 4}


def make_tokenizer(vocab_size=300):
    tokenizer = d2l.train_bpe(TEXTS, vocab_size)
    tokenizer.add_special_tokens([END])
    return tokenizer


TOKENIZER = make_tokenizer()


def ids(texts, ends=(), tokenizer=TOKENIZER):
    return torch.tensor([i for text in texts for i in [*tokenizer.encode(text).ids, *ends]])


def read(tokens):
    return tokens[torch.arange(len(tokens))]


@pytest.fixture
def folder(tmp_path):
    d2l.write_shards(TEXTS, TOKENIZER, tmp_path / "tokens", shard_size=50)
    return tmp_path / "tokens"


class Large:
    """A tokenizer of numbers, with more tokens than two bytes can count."""

    def encode(self, text, add_special_tokens):
        return SimpleNamespace(ids=[int(number) for number in text.split()])

    def get_vocab(self):
        return {"last": 70_000, "first": 0}

    def to_str(self):
        return "numbers"


# --- writing and reading -------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 50, 10**6])
@pytest.mark.parametrize("end", [None, END])
def test_tokens_from_files_are_those_of_all_texts(size, end, tmp_path):
    written = d2l.write_shards(
        iter(TEXTS), TOKENIZER, tmp_path / "a" / "tokens", end=end, shard_size=size
    )
    expected = ids(TEXTS, [TOKENIZER.token_to_id(END)] if end else [])
    opened = d2l.TokenShards(str(tmp_path / "a" / "tokens"))
    opened.verify()
    for tokens in (written, opened):
        assert torch.equal(read(tokens), expected) and len(tokens) == len(expected)
        assert tokens.vocab_size == TOKENIZER.get_vocab_size()
        assert tokens.tokenizer.to_str() == TOKENIZER.to_str()
    positions = torch.randint(len(expected), (3, 4, 5))
    assert torch.equal(opened[positions], expected[positions])
    assert opened[positions[0, 0, 0]].shape == () and opened[positions[:0]].shape[0] == 0
    index = json.loads((tmp_path / "a" / "tokens" / "index.json").read_text("utf-8"))
    counts = [shard["tokens"] for shard in index["shards"]]
    assert counts[:-1] == [size] * (len(counts) - 1) and 0 < counts[-1] <= size
    assert index["dtype"] == "<u2"


def test_a_text_in_parts_has_one_end_and_is_read_part_by_part(tmp_path):
    taken = []

    def parts():
        for part in CODE.splitlines(keepends=True):
            taken.append(part)
            if len(taken) == 5:  # what came before has been written
                assert [*tmp_path.glob(".tokens.part/*.bin")]
            yield part

    tokens = d2l.write_shards([parts()], TOKENIZER, tmp_path / "tokens", end=END)
    end = TOKENIZER.token_to_id(END)
    assert read(tokens).tolist() == [*ids(taken).tolist(), end]


def test_a_large_vocabulary_with_gaps_takes_four_bytes_a_token(tmp_path):
    tokens = d2l.write_shards(["70000 5", "65536"], Large(), tmp_path / "tokens")
    assert read(tokens).tolist() == [70_000, 5, 65_536] and tokens.vocab_size == 70_001
    assert (tmp_path / "tokens" / "00000.bin").stat().st_size == 12


def test_what_a_tokenizer_puts_around_a_text_is_left_out(tmp_path):
    tokenizer = make_tokenizer()
    end = END, tokenizer.token_to_id(END)
    around = processors.TemplateProcessing(single=f"{END} $A", special_tokens=[end])
    tokenizer.post_processor = around
    tokens = d2l.write_shards(["a cab"], tokenizer, tmp_path / "tokens")
    assert torch.equal(read(tokens), ids(["a cab"]))


def test_what_a_killed_run_has_left_is_replaced(tmp_path):
    left = tmp_path / ".tokens.part"
    left.mkdir()
    (left / "00000.bin").write_bytes(b"half")
    (left / "00009.bin").write_bytes(b"half")
    tokens = d2l.write_shards(TEXTS, TOKENIZER, tmp_path / "tokens")
    tokens.verify()
    assert torch.equal(read(tokens), ids(TEXTS))
    assert [path.name for path in tmp_path.iterdir()] == ["tokens"]
    names = sorted(path.name for path in tokens.folder.iterdir())
    assert names == ["00000.bin", "index.json", "tokenizer.json"]


def test_a_run_that_is_stopped_leaves_nothing(tmp_path):
    def stopped():
        yield CODE
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        d2l.write_shards(stopped(), TOKENIZER, tmp_path / "tokens")
    assert not [*tmp_path.iterdir()]


@posix
@pytest.mark.parametrize("limit", [100, 30_000], ids=["tokenizer.json", "00000.bin"])
def test_a_full_disk_leaves_nothing_and_is_named(limit, tmp_path):
    import resource  # a limit of files is met as a full disk is: a write fails halfway

    texts, old = [CODE] * 2000, resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, old[1]))
    try:
        with pytest.raises(OSError) as caught:
            d2l.write_shards(texts, TOKENIZER, tmp_path / "tokens")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    message = f"{tmp_path / 'tokens'} could not be written .*nothing of it stays: make room"
    assert re.search(message, f"{caught.value}")
    assert not [*tmp_path.iterdir()]


def truncating():
    tokenizer = make_tokenizer()
    tokenizer.enable_truncation(8)
    return tokenizer


def padding():
    tokenizer = make_tokenizer()
    tokenizer.enable_padding(length=1000)
    return tokenizer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": []}, "texts must have at least one token, and have none"),
        ({"texts": ["", ""]}, "texts must have at least one token"),
        ({"texts": "a cab"}, r"texts must be several strings, .* write \[text\]"),
        ({"texts": [{"text": "a"}]}, "texts must be strings, and one is dict"),
        ({"end": "<|no|>"}, r"end must be a token .* and is '<\|no\|>'"),
        ({"shard_size": 0}, "shard_size must be an integer >= 1"),
        (
            {"tokenizer": truncating()},
            r"has a truncation: call tokenizer.no_trunc",
        ),
        ({"tokenizer": padding()}, r"has a padding: call tokenizer.no_padd"),
    ],
)
def test_what_cannot_be_written_is_named_and_leaves_nothing(options, message, tmp_path):
    options = {"texts": TEXTS, "tokenizer": TOKENIZER} | options
    with pytest.raises(ValueError, match=message):
        d2l.write_shards(**options, folder=tmp_path / "tokens")
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_is_there_stays_as_it_is(folder):
    before = d2l.TokenShards(folder).digest
    with pytest.raises(ValueError, match=f"folder must be new, and {folder} is there"):
        d2l.write_shards(["other"], TOKENIZER, folder)
    assert d2l.TokenShards(folder).digest == before


def change(index, **entries):
    index.write_text(json.dumps(json.loads(index.read_text("utf-8")) | entries), "utf-8")


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("index.json", Path.unlink, "there is no such file: .* write_shards has written"),
        ("index.json", lambda path: path.write_bytes(b"{"), r"damaged \(Expecting .*again"),
        ("index.json", lambda path: path.write_bytes(b"[]"), r"damaged \(.*again"),
        ("index.json", lambda path: path.write_bytes(b"{}"), "'shards' is missing"),
        ("index.json", lambda path: change(path, dtype="<f4"), "must be '<u2' .* is '<f4'"),
        ("index.json", lambda path: change(path, shards=[]), "each shard must have "),
        ("00001.bin", Path.unlink, "there is no such file: copy the whole folder again"),
        (
            "00001.bin",
            lambda path: os.truncate(path, 42),
            "must have 100 bytes.* has 42",
        ),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_by_file(name, damage, message, folder):
    damage(folder / name)
    with pytest.raises(ValueError, match=f"{re.escape(str(folder / name))}: .*{message}"):
        d2l.TokenShards(folder)


@pytest.mark.parametrize("name", ["00001.bin", "tokenizer.json"])
def test_a_changed_content_is_found_by_verify(name, folder):
    content = bytearray((folder / name).read_bytes())
    content[20] ^= 1
    (folder / name).write_bytes(content)
    tokens = d2l.TokenShards(folder)  # which reads none of it
    with pytest.raises(ValueError, match=f"{name}: .* its content has changed; copy it"):
        tokens.verify()
    if name == "tokenizer.json":
        with pytest.raises(ValueError, match="content has changed"):
            _ = tokens.tokenizer
        (folder / name).unlink()
        with pytest.raises(ValueError, match=r"tokenizer\.json: there is no such file"):
            _ = tokens.tokenizer


@pytest.mark.parametrize("position", [-1, "len"])
def test_positions_outside_are_refused(position, folder):
    tokens = d2l.TokenShards(folder)
    position = len(tokens) if position == "len" else position
    with pytest.raises(IndexError, match=f"from 0 to {len(tokens) - 1}, and are from "):
        tokens[torch.tensor([0, position])]


# --- training ------------------------------------------------------------------------


def train(tokens, **options):
    options = TRAINING | {"vocab_size": 310} | options
    return d2l.train_gpt(tokens, 6, **options).state_dict()


def test_training_on_files_is_training_on_their_tokens(folder):
    ours, expected = train(d2l.TokenShards(folder)), train(ids(TEXTS))
    assert all(torch.equal(W, expected[name]) for name, W in ours.items())


@pytest.mark.parametrize(
    ("texts", "tokenizer"),
    [(TEXTS[::-1], TOKENIZER), (TEXTS, make_tokenizer(280))],
    ids=["another text", "another tokenizer"],
)
def test_a_run_on_other_files_is_refused(texts, tokenizer, folder, tmp_path):
    train(d2l.TokenShards(folder), resume=tmp_path / "run", save_every=6)
    other = d2l.write_shards(texts, tokenizer, tmp_path / "other", shard_size=50)
    assert other.digest != d2l.TokenShards(folder).digest
    with pytest.raises(ValueError, match=r"digest of the data is .*: take another folder"):
        train(other, resume=tmp_path / "run")
    again = d2l.write_shards(TEXTS, TOKENIZER, tmp_path / "again", shard_size=50)
    assert again.digest == d2l.TokenShards(folder).digest
    train(again, resume=tmp_path / "run")  # the same elsewhere


def test_a_change_in_the_middle_makes_a_run_another(folder, tmp_path):
    train(d2l.TokenShards(folder), resume=tmp_path / "run", save_every=6)
    for i in range(2, 5):
        texts = [*TEXTS]
        texts[i] = texts[i][::-1]
        other = d2l.write_shards(texts, TOKENIZER, tmp_path / f"{i}", shard_size=50)
        with pytest.raises(
            ValueError, match=r"digest of the data is .*: take another folder"
        ):
            train(other, resume=tmp_path / "run")


def test_a_pickle_holds_no_tokens_and_is_read_from_another_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    stored = pickle.dumps(d2l.TokenShards("tokens"))
    monkeypatch.chdir(ROOT)
    again = pickle.loads(stored)
    assert len(stored) < 1000 and torch.equal(read(again), ids(TEXTS))


class Pairs(Dataset):
    def __init__(self, tokens):
        self.tokens = tokens

    def __len__(self):
        return len(self.tokens) // 2

    def __getitem__(self, i):
        return self.tokens[torch.tensor([2 * i, 2 * i + 1])]


@pytest.mark.slow
def test_worker_processes_read_the_same(folder):
    pairs, options = Pairs(d2l.TokenShards(folder)), {"multiprocessing_context": "spawn"}
    found = torch.cat([*DataLoader(pairs, 16, num_workers=1, **options)])
    assert torch.equal(found.flatten(), ids(TEXTS)[: 2 * len(pairs)])


class Numbers:
    """A tokenizer whose text is a number, and its tokens a million numbers."""

    def encode(self, text, add_special_tokens):
        draws = np.random.default_rng(int(text))
        return SimpleNamespace(ids=draws.integers(1000, size=10**6, dtype=np.uint16))

    def get_vocab(self):
        return {"last": 999}

    def to_str(self):
        return "numbers"


# Private_Clean, besides, are pages of files, which the system drops when it needs room.
MEASURE = """
import sys
import torch
import d2lmini as d2l

def measure():
    with open("/proc/self/smaps_rollup", encoding="utf-8") as file:
        lines = dict(line.split(":") for line in file if ":" in line[:20])
    found.append(int(lines["Private_Dirty"].removesuffix("kB\\n")))

def update(self):
    full(self)
    measure()

full, d2l.Trainer.update = d2l.Trainer.update, update
for folder in sys.argv[1:]:
    found, tokens = [], d2l.TokenShards(folder)
    d2l.train_gpt(tokens, 20, vocab_size=1000, num_hiddens=8, num_heads=2)
    for start in range(0, len(tokens), 10**6):  # all pages
        tokens[torch.arange(start, start + 10**6, 1000)]
    tokens.verify()
    measure()
    print(max(found))
"""


@pytest.mark.weekly
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_training_on_200_mb_takes_no_more_memory_than_on_2_mb(tmp_path):
    small, large = tmp_path / "small", tmp_path / "large"
    d2l.write_shards(["0"], Numbers(), small)
    d2l.write_shards(map(str, range(100)), Numbers(), large, shard_size=25 * 10**6)
    sizes = [path.stat().st_size for path in large.glob("*.bin")]
    assert sizes == [50_000_000] * 4
    command = [sys.executable, "-c", MEASURE, str(small), str(large)]
    options = {"stdout": subprocess.PIPE, "encoding": "utf-8", "cwd": ROOT}
    before, after = map(int, subprocess.run(command, **options).stdout.split())
    print(f"kB: {before:,} and {after:,}")
    assert after - before < 100_000


# --- the command ---------------------------------------------------------------------


@pytest.fixture
def run(capsys):
    """The command in this process: how it ends, and what it prints."""

    def start(*options):
        try:
            tokenize.main([*map(str, options)])
            ending = 0
        except SystemExit as error:
            ending = error.code
        shown = capsys.readouterr()
        return ending, shown.out + shown.err

    return start


@pytest.fixture
def texts(tmp_path):
    """A folder with two texts in it, of which one lies deeper, and another file."""
    (tmp_path / "texts" / "b").mkdir(parents=True)
    for name, text in [("a.txt", CODE), ("b/c.txt", "a cab"), ("d.md", "# no")]:
        (tmp_path / "texts" / name).write_text(text, encoding="utf-8", newline="")
    TOKENIZER.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "texts"


def plain(text):
    return text.replace("\r\n", "\n")


def test_the_command_reads_files_and_folders_and_says_how_to_train(run, texts, tmp_path):
    out, alone = tmp_path / "tokens", tmp_path / "alone.md"
    alone.write_text("\ufeffmore words", encoding="utf-8")
    options = "--tokenizer", tmp_path / "tokenizer.json", "--end", END, "--shard-size", 40
    ending, shown = run(alone, texts, "--out", out, *options)
    end = TOKENIZER.token_to_id(END)
    expected = ids(["more words", plain(CODE), "a cab"], [end])
    tokens, n = d2l.TokenShards(out), len(expected)
    assert ending == 0 and torch.equal(read(tokens), expected)
    first, _, program = shown.partition("\n")
    assert first == f"{n} tokens, {2 * n} bytes, shards: {-(-n // 40)}"
    options = ", ".join(f"{name}={value}" for name, value in TRAINING.items())
    names = {}
    exec(program.replace("1000,", f"2, {options},"), names)
    assert names["model"](torch.tensor([[0]])).shape == (1, 1, TOKENIZER.get_vocab_size())
    # Once more, with the tokenizer of that folder, and of the other files.
    options = "--pattern", "*.md", "--tokenizer", out
    assert run(texts, "--out", tmp_path / "more", *options)[0] == 0
    assert torch.equal(read(d2l.TokenShards(tmp_path / "more")), ids(["# no"]))


def test_the_files_of_a_folder_are_read_in_the_order_of_their_names(tmp_path):
    for name in "hbfdaceg":
        (tmp_path / f"{name}.txt").touch()
    (tmp_path / "i.txt").mkdir()
    files = tokenize.find_files([tmp_path / "h.txt", tmp_path], "*.txt")
    assert "".join(file.stem for file in files) == "habcdefgh"


def test_the_command_trains_a_tokenizer(run, texts, tmp_path):
    options = "--train", 280, "--end", END
    assert run(texts, "--out", tmp_path / "tokens", *options)[0] == 0
    tokens = d2l.TokenShards(tmp_path / "tokens")
    assert tokens.vocab_size == 280 == tokens.tokenizer.get_vocab_size()
    text = tokens.tokenizer.decode(read(tokens).tolist(), skip_special_tokens=False)
    assert text == f"{plain(CODE)}{END}a cab{END}"


def test_a_tokenizer_is_trained_on_the_begin_of_the_text():
    texts = iter([iter(["aé", "bc"]), "d", "e", "f"])
    assert [*tokenize.first_bytes(texts, 6)] == ["aé", "bc", "d"]
    assert next(texts) == "e"


@pytest.mark.parametrize("size", [40, 70, 10**6])
def test_a_file_in_parts_has_the_tokens_of_the_whole(size, tmp_path, monkeypatch):
    monkeypatch.setattr(tokenize, "PART", size)
    path, text = tmp_path / "text", plain(CODE) * 20
    path.write_text(text, encoding="utf-8")
    parts = [*tokenize.read_parts(path)]
    assert "".join(parts) == text and max(map(len, parts)) < 3 * size
    assert torch.equal(ids(parts), ids([text]))
    path.write_text("no line end " * 100, encoding="utf-8")
    parts = [*tokenize.read_parts(path)]
    assert "".join(parts) == "no line end " * 100 and max(map(len, parts)) <= size


def test_the_command_reads_a_stream_of_a_data_set(run, texts, tmp_path, monkeypatch):
    def load_dataset(name, config, *, split, streaming):
        asked.append((name, config, split, streaming))
        return iter([{"body": "a cab", "id": 1}, {"body": CODE, "id": 2}])

    def offline(*args, **options):
        raise ConnectionError("no\nnetwork")

    asked, stand_in = [], SimpleNamespace(load_dataset=load_dataset)
    monkeypatch.setitem(sys.modules, "datasets", stand_in)
    options = "--tokenizer", tmp_path / "tokenizer.json", "--column", "body"
    name = "--dataset", "a/b:test", "--config", "en"
    assert run(*name, "--out", tmp_path / "tokens", *options)[0] == 0
    assert torch.equal(read(d2l.TokenShards(tmp_path / "tokens")), ids(["a cab", CODE]))
    options = "--dataset", "a/b", "--out", tmp_path / "other", "--train", 300
    ending, shown = run(*options)
    assert ending == 2 and "--column must be one of ['body', 'id'], and is 'text'" in shown
    assert asked == [("a/b", "en", "test", True), ("a/b", None, "train", True)]
    monkeypatch.setattr(stand_in, "load_dataset", offline)
    ending, shown = run(*options)
    assert ending == 2 and "--dataset: a/b cannot be read: no network\n" in shown
    monkeypatch.setitem(sys.modules, "datasets", None)
    ending, shown = run(*options)
    assert ending == 2 and "datasets is not installed: pip install datasets" in shown
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give either files and folders or --dataset"),
        (["{texts}", "--dataset", "a"], "give either files and folders or --dataset"),
        (["{texts}/no"], "no: there is no such file or folder"),
        (["{texts}", "--pattern", "*.rst"], r"--pattern: no file in .* is \*\.rst; give"),
        (["{texts}", "--out", "{texts}"], "--out must be new, .*: take another folder"),
        (["{texts}", "--train", "256"], "--train must be at least 257, and is 256"),
        (["{texts}", "--train", "many"], "argument --train: invalid int value: 'many'"),
        (["{texts}", "--train", "300", "--tokenizer", "smollm2"], "not allowed with"),
        (["{texts}", "--tokenizer", "{texts}"], "tokenizer.json: there is no such file"),
        (["{texts}", "--tokenizer", "{texts}/d.md"], "d.md: the file is damaged: "),
        (["{texts}", "--end", "<|no|>"], "end must be a token of the tokenizer"),
        (["{texts}", "--shard-size", "0"], "shard_size must be an integer >= 1"),
        (["{texts}/latin"], "latin: the file must be text in UTF-8: "),
        (["{texts}/empty"], "texts must have at least one token"),
    ],
)
def test_bad_arguments_end_with_status_2_and_a_line(options, message, run, texts, tmp_path):
    (texts / "latin").write_bytes(b"caf\xe9")
    (texts / "empty").touch()
    options = [each.format(texts=texts) for each in options]
    before = sorted(tmp_path.rglob("*"))
    if "--end" not in options and "empty" not in "".join(options):
        options += ["--end", END]
    if not {"--tokenizer", "--train"} & {*options}:
        options += ["--tokenizer", tmp_path / "tokenizer.json"]
    ending, shown = run("--out", tmp_path / "tokens", *options)
    last = shown.splitlines()[-1]
    assert ending == 2 and re.search(f"d2lmini.tokenize: error: .*{message}", last)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_command_runs_as_a_program_and_names_a_folder_it_cannot_write(tmp_path):
    (tmp_path / "text").write_text(CODE, encoding="utf-8")
    command = [sys.executable, "-m", "d2lmini.tokenize", str(tmp_path / "text")]
    command += ["--train", "300", "--out"]
    options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    done = subprocess.run([*command, str(tmp_path / "text" / "no")], **options)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("tokenize: folder: ")
    assert "could not be written" in last and "nothing of it stays: make room" in last
    done = subprocess.run([*command, str(tmp_path / "tokens")], **options)
    assert done.returncode == 0, done.stderr
    tokens = d2l.TokenShards(tmp_path / "tokens")
    text = tokens.tokenizer.decode(read(tokens).tolist())
    assert text == plain(CODE) and f'"{tmp_path / "tokens"}"' in done.stdout


@pytest.mark.weekly
def test_the_tokenizer_of_smollm2_is_that_of_the_model():
    ours, expected = tokenize.find_tokenizer("smollm2"), d2l.load_smollm2()[1]
    assert isinstance(ours, Tokenizer) and ours.to_str() == expected.to_str()
