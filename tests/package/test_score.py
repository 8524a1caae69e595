"""`python -m d2lmini.score`: statistics, items, three ways to ask, and bad input."""

import csv
import json
import re
import subprocess
import sys

import pytest
import torch
from helpers import make_gpt, run_here
from scipy import stats
from torch import nn

import d2lmini as d2l
from d2lmini import score
from tools import ROOT

TEXT = "Question: Which of the words is a colour?\nA. blue\nB. the green\nAnswer: A B\n"
LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary"}
SYSTEM = d2l.chat_prompt("").partition("<|im_start|>user")[0]
ITEMS = [
    score.Item("Sky?", ["green", "blue"], 1, "blue|light blue", line=2),
    score.Item("Grass?", ["green", "as blue as that", "red"], 0, "green", line=3),
]


def make_tokenizer(special=()):
    tokenizer = d2l.train_bpe([TEXT], 300)
    tokenizer.add_special_tokens([*special])
    return tokenizer


def gpt(seed=0, max_len=200, vocab_size=300):
    torch.manual_seed(seed)
    model = make_gpt(vocab_size, 16, 2, 2, max_len=max_len, **LLAMA)
    for weights in model.parameters():
        nn.init.normal_(weights, std=0.5)
    return model.eval()


class Known(nn.Module):
    """A model that finds probable how its texts go on, and else all tokens alike."""

    def __init__(self, tokenizer, *texts, max_len=200):
        super().__init__()
        self.texts, self.max_len = [tokenizer.encode(text).ids for text in texts], max_len
        self.logits = nn.Parameter(torch.zeros(tokenizer.get_vocab_size()))

    def make_caches(self):
        return [d2l.Cache()]

    def forward(self, tokens, caches, *, last_only=False):
        assert not self.training
        (cache,), (b, n) = caches, tokens.shape
        read = cache.append("tokens", tokens[..., None])[..., 0].tolist()
        logits = self.logits.repeat(b, n, 1)
        for row, ids in enumerate(read):
            for i in range(n):
                k = cache.num_tokens + i + 1
                for text in self.texts:
                    if text[:k] == ids[:k] and text[k:]:
                        logits[row, i, text[k]] = 9
        cache.num_tokens += n
        return logits[:, -1:] if last_only else logits


@pytest.fixture
def run(capsys):
    """The command in this process: its exit status, and what it prints."""
    return lambda *options: run_here(score.main, options, capsys)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two models with their folders."""
    root, found = tmp_path_factory.mktemp("models"), []
    for seed in range(2):
        model = gpt(seed)
        d2l.save_pretrained(model, make_tokenizer(), root / f"model{seed}")
        found.append((model, root / f"model{seed}"))
    return found


# --- statistics ----------------------------------------------------------------------


@pytest.mark.parametrize("right, n", [(0, 5), (1, 1), (49, 80), (80, 80), (3, 1000)])
def test_the_interval_is_that_of_scipy(right, n):
    found = d2l.wilson(right, n, stats.norm.ppf(0.975))
    expected = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert found == pytest.approx([expected.low, expected.high])
    assert 0 <= found[0] < found[1] <= 1


def test_the_interval_of_48_of_80_goes_from_049_to_070():
    assert [round(end, 2) for end in d2l.wilson(48, 80)] == [0.49, 0.70]


@pytest.mark.parametrize("b, c", [(4, 0), (0, 0), (3, 3), (20, 9), (7, 30), (900, 1000)])
def test_the_paired_test_is_the_binomial_one(b, c):
    expected = stats.binomtest(b, b + c).pvalue if b + c else 1
    assert d2l.mcnemar(b, c) == pytest.approx(expected)


def test_what_is_no_share_and_no_count_is_refused():
    for numbers in [(-1, 5), (6, 5), (0, 0)]:
        with pytest.raises(ValueError, match="num_right must be from 0 to n > 0"):
            d2l.wilson(*numbers)
    for numbers, name in [((-1, 2), "b"), ((2, 1.5), "c")]:
        with pytest.raises(ValueError, match=f"{name} must be an integer >= 0"):
            d2l.mcnemar(*numbers)


# --- answers -------------------------------------------------------------------------


def expected_log_probs(model, tokenizer, prompt, text):
    """log P of a text after a prompt, all of it read in one go."""
    ids, more = tokenizer.encode(prompt).ids, tokenizer.encode(text).ids
    with torch.no_grad():
        log_probs = model(torch.tensor([ids + more]))[0].double().log_softmax(dim=-1)
    return sum(log_probs[len(ids) + i - 1, token].item() for i, token in enumerate(more))


@pytest.mark.parametrize("texts", [[" blue", " the green", " A"], [" A", " B"], ["xyz"]])
def test_log_probs_of_choices_are_those_of_the_whole_texts(texts):
    model, tokenizer, prompt = gpt(), make_tokenizer(), "Question: Which?\nAnswer:"
    found, num_tokens = d2l.choice_log_probs(model, tokenizer, prompt, texts)
    expected = [expected_log_probs(model, tokenizer, prompt, text) for text in texts]
    assert found.tolist() == pytest.approx(expected, abs=1e-3)
    assert num_tokens.tolist() == [len(tokenizer.encode(text).ids) for text in texts]
    low, _ = d2l.choice_log_probs(model.to(torch.bfloat16), tokenizer, prompt, texts)
    assert low.dtype == torch.float32 and not torch.equal(low, found)


def test_choices_may_reach_to_the_longest_text_and_must_have_tokens():
    tokenizer, prompt, texts = make_tokenizer(), "Which?", [" A", " xyz"]
    size = sum(len(tokenizer.encode(text).ids) for text in (prompt, " xyz"))
    d2l.choice_log_probs(gpt(max_len=size - 1), tokenizer, prompt, texts)
    with pytest.raises(ValueError, match=f"max_len = {size - 2} tokens fit"):
        d2l.choice_log_probs(gpt(max_len=size - 2), tokenizer, prompt, texts)
    for prompt, texts in [("", ["A"]), ("Which?", ["A", ""]), ("Which?", [])]:
        with pytest.raises(ValueError, match="must have at least one token"):
            d2l.choice_log_probs(gpt(), tokenizer, prompt, texts)


@pytest.mark.parametrize(
    ("answer", "accepted", "right"),
    [
        ("It is Paris.", "paris", True),
        ("PARIS", "Lyon|Paris", True),
        ("the light blue sky", "red | light blue", True),
        ("a comparison", "paris", False),
        ("3x5", "3.5", False),
        ("it is 3.5", "3.5", True),
        ("I like C++.", "c++", True),
        ("", "paris", False),
    ],
)
def test_an_accepted_answer_must_stand_there_as_words(answer, accepted, right):
    assert d2l.is_right(answer, accepted) == right


@pytest.mark.parametrize("accepted", ["", "paris|", "|", " "])
def test_an_empty_answer_cannot_be_accepted(accepted):
    with pytest.raises(ValueError, match="accepted must be texts divided by"):
        d2l.is_right("paris", accepted)


PLAIN = "Question: {}\nAnswer:".format


@pytest.mark.parametrize(
    ("how", "texts", "right"),
    [
        ("choices", [PLAIN("Sky?") + " blue", PLAIN("Grass?") + " red"], [True, False]),
        ("choices", [PLAIN("Sky?") + " green", PLAIN("Grass?") + " green"], [False, True]),
        ("letters", [PLAIN("Sky?\nA. green\nB. blue") + " B"], [True, True]),  # A by a draw
        (
            "letters",
            [PLAIN("Grass?\nA. green\nB. as blue as that\nC. red") + " C"],
            [False, False],
        ),
        ("free", [PLAIN("Sky?") + " A light blue.", PLAIN("Grass?") + " x"], [True, False]),
        (
            "free",
            [PLAIN("Sky?") + " no\nblue", PLAIN("Grass?") + " Green\nx"],
            [False, True],
        ),
    ],
)
def test_a_model_is_right_where_it_knows_the_answer(how, texts, right):
    tokenizer = make_tokenizer()
    model = Known(tokenizer, *texts).train()
    state = torch.get_rng_state()
    found = score.score_items(model, tokenizer, ITEMS, how)
    assert found.dtype == torch.bool and found.tolist() == right
    assert model.training and torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize(
    ("special", "prompt", "end"),
    [
        (["<|im_start|>", "<|im_end|>"], d2l.chat_prompt, "<|im_end|>"),
        (
            ["<|user|>", "<|assistant|>", "<|end|>"],
            "<|user|>{}<|assistant|>".format,
            "<|end|>",
        ),
    ],
    ids=["SmolLM2", "chapter 12"],
)
def test_in_the_chat_template_of_the_tokenizer_the_same_is_asked(special, prompt, end):
    tokenizer = make_tokenizer(special)
    texts = {
        "choices": prompt("Sky?") + "blue",
        "letters": prompt("Sky?\nA. green\nB. blue") + "B",
        "free": prompt("Sky?") + f"no\nblue{end}",  # a line break ends no answer here
    }
    for how, text in texts.items():
        model, sky = Known(tokenizer, text), ITEMS[:1]
        assert score.score_items(model, tokenizer, sky, how, "chat").tolist() == [True]
        assert score.score_items(model, tokenizer, sky, how).tolist() == [False]
    ended = Known(tokenizer, prompt("Sky?") + f"no{end} blue")
    assert score.score_items(ended, tokenizer, sky, "free", "chat").tolist() == [False]


def test_weights_that_are_nan_give_no_score():
    model = gpt()
    nn.init.constant_(model.norm.weight, float("nan"))
    with pytest.raises(ValueError, match="line 2: the model gives NaN"):
        score.score_items(model, make_tokenizer(), ITEMS)


# --- the command ---------------------------------------------------------------------

ROWS = [  # of a question, two or three choices that are about as likely, and the key
    (f"Which, {i}?", [f"x{letter}{i}" for letter in "abc"[: 2 + i % 2]], i % 2)
    for i in range(12)
]


def write_items(path):
    """The rows as a file of the kind that its name says."""
    if path.suffix == ".jsonl":
        lines = [dict(zip(("question", "choices", "key"), row)) for row in ROWS]
        path.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
        return path
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writerow(["note", "key", "question", "A", "B", "C"])
        for question, choices, key in ROWS:
            writer.writerow(
                ["-", "ABC"[key], question, *choices, *[""] * (3 - len(choices))]
            )
    return path


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl"])
def test_the_command_scores_two_models_and_compares_them(kind, run, folders, tmp_path):
    items, file = write_items(tmp_path / f"items.{kind}"), tmp_path / "scores.json"
    expected, tokenizer = [], make_tokenizer()
    for model, _ in folders:
        right = []
        for question, choices, key in ROWS:
            prompt = f"Question: {question}\nAnswer:"
            texts = [f" {choice}" for choice in choices]
            found = [expected_log_probs(model, tokenizer, prompt, text) for text in texts]
            right.append(found.index(max(found)) == key)
        expected.append(right)
    first, second = map(sum, expected)
    b, c = (sum(x > y for x, y in zip(*pair)) for pair in (expected, expected[::-1]))
    assert 0 < first < 12 and 0 < second < 12 and b + c > 0  # or the test says little
    (_, one), (_, other) = folders
    ending, shown = run(one, other, "--items", items, "--json", file)
    assert ending == 0 and shown.startswith("asked as: choices, plain\nright if: the right")
    scores = json.loads(file.read_text(encoding="utf-8"))
    assert [scores[name] for name in ("b", "c", "p")] == [b, c, d2l.mcnemar(b, c)]
    assert (scores["items"], scores["as"]) == (str(items), "choices")
    for model, right, folder in zip(scores["models"], (first, second), (one, other)):
        low, high = d2l.wilson(right, 12)
        numbers = {"right": right, "n": 12, "share": right / 12, "low": low, "high": high}
        assert model == {"model": str(folder), **numbers}
        line = rf"{re.escape(str(folder))} +{right} +12 +{right / 12:.2f}  {low:.2f} to "
        assert re.search(line, shown)
    assert re.search(
        rf"only the first is right +{b}\n.* +{c}\np +{scores['p']:.4f}\n", shown
    )


def test_with_one_model_the_last_line_is_json_and_free_items_are_asked_as_such(
    run, folders, tmp_path
):
    file = tmp_path / "free.tsv"
    file.write_text("question\taccepted\nWhich?\tblue|green\n", encoding="utf-8")
    ending, shown = run(folders[0][1], "--items", file)
    scores = json.loads(shown.splitlines()[-1])
    assert (ending, scores["as"], scores["models"][0]["n"]) == (0, "free", 1)
    assert "p" not in scores and "McNemar" not in shown
    _, lettered = run(folders[0][1], "--items", write_items(file), "--as", "letters")
    assert json.loads(lettered.splitlines()[-1])["as"] == "letters"
    assert "asked as: letters, plain\nright if: the right choice's letter" in lettered


def test_by_default_the_items_are_those_of_the_course():
    items = score.read_items()
    keys = torch.tensor([item.key for item in items]).bincount().tolist()
    assert keys == [20] * 4 and items[12].choices[items[12].key] == "the heart"
    assert all(d2l.is_right(item.choices[item.key], item.accepted) for item in items)


HEAD = "question,A,B,key,accepted\n"
GOOD = '{"question": "Sky?", "choices": ["a", "b"], "key": 0}\n'
BAD = [  # the name of a file, what it has, and what is said of it
    ("a.csv", None, "a.csv: there is no such file"),
    ("a.csv", "", "a.csv: the file has no items"),
    ("a.csv", HEAD, "a.csv: the file has no items"),
    ("a.jsonl", "\n \n", "a.jsonl: the file has no items"),
    ("a.txt", HEAD, "a.txt: the name must end in .tsv, .csv or .jsonl"),
    ("a.csv", "question,A,B\n", "line 1: the columns must be question, A, B"),
    ("a.csv", "question,A,C,key\n", "line 1: the columns must be"),
    ("a.csv", "question,A,key\n", "line 1: the columns must be"),
    ("a.csv", "A,B,key\n", "line 1: the columns must be"),
    ("a.csv", "question,A,B,B,key\n", "line 1: the columns must be"),
    ("a.csv", HEAD + "Sky?,a,b\n", "line 2: it has 3 cells, and the first line 5"),
    ("a.csv", HEAD + '\nSky?,"a,b\n', "line 3: unexpected end of data"),
    ("a.csv", HEAD + "Sky?,a,b,A,\nSea?,a,b,C,\n", "line 3: key must be that of a choice"),
    ("a.csv", HEAD + "Sky?,a,,A,\n", "line 2: choices must be 2 or more"),
    ("a.csv", HEAD + "Sky?,a,a,A,\n", "line 2: choices must be 2 or more, and differ"),
    ("a.csv", HEAD + "Sky?,,b,B,\n", "line 2: the question and all answers must be texts"),
    ("a.csv", HEAD + ",a,b,B,\n", "line 2: the question and all answers must be texts"),
    ("a.csv", HEAD + "Sky?,,,A,\n", "line 2: an item must have choices and their key, or"),
    ("a.csv", HEAD + "Sky?,a,b,A,c|\n", "line 2: accepted has an empty answer"),
    (
        "a.csv",
        HEAD + "Sky?,a,b,A,\nSky?,c,d,A,\n",
        "line 3: the question is that of line 2",
    ),
    ("a.jsonl", GOOD + "{'question'}", "line 2: it is no JSON"),
    ("a.jsonl", GOOD + "\n[1]", "line 3: it must be an object with a question"),
    ("a.jsonl", GOOD.replace("0", "2"), "line 1: key must be that of a choice, and is 2"),
    ("a.jsonl", GOOD.replace("0", "-1"), "line 1: key must be that of a choice"),
    ("a.jsonl", GOOD.replace("0", "true"), "line 1: key must be that of a choice"),
    ("a.jsonl", GOOD.replace('"b"', "3"), "line 1: the question and all answers must be"),
    ("a.jsonl", GOOD.replace('["a", "b"]', '"ab"'), "line 1: choices must be a list"),
    ("a.jsonl", '{"question": "Sky?"}', "line 1: an item must have choices"),
    (
        "a.jsonl",
        '{"question": "Sky?", "accepted": "b"}\n' + GOOD.replace("Sk", "S"),
        "--as",
    ),
    ("a.csv", HEAD + "Sky?,a,b,A,\nSea?,," + ",,c\n", "line 3: it has no choices, which"),
    ("a.csv", HEAD + f"Sky?,a,{'b' * 199},A,\n", "tokens, and the model reads 200"),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD)
def test_a_bad_file_ends_with_status_2_and_a_line(
    name, text, message, run, folders, tmp_path
):
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    ending, shown = run(folders[0][1], "--items", tmp_path / name)
    last = shown.splitlines()[-1]
    assert ending == 2 and last.startswith("python -m d2lmini.score: error: ")
    assert message in last


def test_a_table_in_latin_1_and_a_folder_are_refused(run, folders, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"question,accepted\ncaf\xe9?,yes\n")
    (tmp_path / "b.csv").mkdir()
    for name, message in [("a.csv", "it must be text in UTF-8"), ("b.csv", "b.csv: ")]:
        ending, shown = run(folders[0][1], "--items", tmp_path / name)
        assert ending == 2 and message in shown.splitlines()[-1]


def test_both_models_must_be_there_before_one_is_asked(run, folders, tmp_path, monkeypatch):
    monkeypatch.setattr(score, "score_items", None)
    folder = folders[0][1]
    d2l.save_pretrained(gpt(max_len=9), make_tokenizer(), tmp_path / "short")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "config.json").write_text("[]", encoding="utf-8")
    for other, options, message in [
        ("none", [], "none: no model can be loaded: .*none/config.json: there is no such"),
        ("odd", [], "odd: no model can be loaded: "),
        ("short", [], r"line 2: it has \d+ tokens, and the model reads 9"),
        (folder, ["--format", "chat"], "--format chat: the tokenizer has no tokens of"),
        (folder, ["--as", "guess"], "argument --as: invalid choice: 'guess'"),
    ]:
        ending, shown = run(folder, tmp_path / other, *options)
        assert ending == 2 and re.search(message, shown.splitlines()[-1])


def test_the_tokenizer_of_a_folder_cuts_no_item(run, tmp_path):
    tokenizer = make_tokenizer()
    tokenizer.enable_truncation(5)
    d2l.save_pretrained(gpt(), tokenizer, tmp_path)
    _, again = score.load(tmp_path)
    assert len(again.encode(TEXT).ids) > 5


@pytest.mark.weekly  # 8 seconds
def test_the_command_runs_as_a_program(folders, tmp_path):
    command = [sys.executable, "-m", "d2lmini.score", str(folders[0][1]), "--items"]
    options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
    items = write_items(tmp_path / "items.csv")
    done = subprocess.run([*command, str(items)], **options)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["models"][0]["n"] == 12


@pytest.mark.weekly  # 40 seconds
def test_smollm2_is_right_on_49_of_80_choices():
    model, tokenizer = d2l.load_smollm2()
    assert score.score_items(model, tokenizer, score.read_items()).sum() == 49
