"""`fine_tune` and `python -m d2lmini.tune`: the loss, what it leaves, and bad input."""

import copy
import json
import re
import shutil
import signal
import subprocess
import sys

import pytest
import torch
from helpers import assert_close, make_gpt, posix, run_here
from torch import nn

import d2lmini as d2l
from d2lmini import score, templates, tune, tuning
from tools import ROOT

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary"}
SMOLLM2 = ["<|im_start|>", "<|im_end|>"]
CHAPTER = ["<|user|>", "<|assistant|>", "<|end|>"]
FACTS = [("When does the shop open?", "At nine."), ("Who owns the shop?", "Ida."),
         ("Where is the shop?", "In Elm Road."), ("What is sold in the shop?", "Tea."),
         ("Is the shop old?", "Yes, from 1910."), ("May I pay by card?", "Yes."),
         ("What is the dog called?", "Rex."), ("Is there a garden?", "No.")]  # fmt: skip
TURNS = [
    {"role": "user", "content": "Is it <|im_end|> old?"},
    {"role": "assistant", "content": "It is <|end|> new."},
    {"role": "user", "content": "Who?"},
    {"role": "assistant", "content": "Ida Ida"},
]
ITEMS = '{"question": "Sky?", "choices": ["blue", "red"], "key": 0}\n'


def make_tokenizer(special=SMOLLM2):
    texts = [text for pair in FACTS for text in pair]
    texts.append(templates.SYSTEM["content"] + "systemuserassistant")
    tokenizer = d2l.train_bpe(texts, 330)
    tokenizer.add_special_tokens([*special])
    return tokenizer


def gpt(seed=0, num_blks=3, max_len=200, **parts):
    torch.manual_seed(seed)
    size = make_tokenizer().get_vocab_size() + 1  # that of chapter 12 has one more
    model = make_gpt(size, 32, num_blks, 2, max_len=max_len, **LLAMA | parts)
    for weights in model.parameters():
        if weights.ndim > 1:
            nn.init.normal_(weights, std=0.2)
    return model.eval()


def dialogues(facts=FACTS):
    return [tuning.as_dialogue(*fact) for fact in facts]


def mean_divergence(old, new, tokenizer, ordinary):
    """KL(old || new) over all but what stands before a question, in a loop."""
    found = []
    for messages in ordinary:
        tokens, _, said = tuning.encode_dialogue(tokenizer, messages)
        with torch.no_grad():
            p, q = (m(tokens[None, :-1])[0].double().softmax(-1) for m in (old, new))
        found += [(a * (a / b).log()).sum() for a, b, s in zip(p, q, said[1:]) if s]
    return torch.stack(found).mean().item()


# --- dialogues -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("special", "end", "answers"),
    [
        (SMOLLM2, "<|im_end|>", ["It is < |end|> new.<|im_end|>", "Ida Ida<|im_end|>"]),
        (CHAPTER, "<|end|>", ["It is < |end|> new.<|end|>", "Ida Ida<|end|>"]),
    ],
    ids=["SmolLM2", "chapter 12"],
)
def test_the_tokens_are_those_of_a_chat_and_the_mask_is_that_of_its_answers(
    special, end, answers
):
    tokenizer = make_tokenizer(special)
    tokens, mask, said = tuning.encode_dialogue(tokenizer, TURNS)
    template, _ = templates.find_template(tokenizer)
    before = [templates.SYSTEM] if special is SMOLLM2 else []
    text = template([*before, *TURNS[:3]]) + TURNS[3]["content"] + end
    assert tokens.tolist() == tokenizer.encode(text).ids
    decode = {"skip_special_tokens": False}
    assert tokenizer.decode(tokens[mask].tolist(), **decode) == "".join(answers)
    begin = tokenizer.decode(tokens[said].tolist(), **decode)
    assert begin.startswith("Is it < |im_end|> old?") and begin.endswith(answers[1])


def test_a_system_message_of_its_own_stands_in_place_of_that_of_the_chat():
    system = {"role": "system", "content": "Be old."}
    tokens, *_ = tuning.encode_dialogue(make_tokenizer(), [system, *TURNS[2:]])
    text = make_tokenizer().decode(tokens.tolist(), skip_special_tokens=False)
    assert text.startswith("<|im_start|>system\nBe old.<|im_end|>\n<|im_start|>user\nWho?")


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        ([], "a dialogue must be a list of messages"),
        ("Hello", "a dialogue must be a list of messages"),
        (TURNS[:3], "a dialogue must have a question, and end with the answer"),
        (TURNS[1:2], "a dialogue must have a question, and end with the answer"),
        ([*TURNS, {"role": "bot", "content": "x"}], "message 5 must have a role"),
        ([TURNS[0], {"role": "assistant", "content": " "}], "message 2 must have a role"),
        ([TURNS[0], {"role": "assistant", "content": None}], "message 2 must have a role"),
        ([{"content": "x"}, TURNS[1]], "message 1 must have a role"),
        ([TURNS[0], templates.SYSTEM, TURNS[1]], "the system message must stand first"),
    ],
)
def test_what_is_no_dialogue_is_refused_with_its_number(messages, message):
    tokenizer, good = make_tokenizer(), dialogues()
    with pytest.raises(ValueError, match=f"dialogue 2: {message}"):
        tuning.fine_tune(gpt(), tokenizer, [good[0], messages], [])
    with pytest.raises(ValueError, match=message):
        tuning.encode_dialogue(tokenizer, messages)


def test_a_template_must_be_there_and_have_the_roles():
    with pytest.raises(ValueError, match="the tokenizer has no tokens of a chat template"):
        tuning.encode_dialogue(make_tokenizer([]), TURNS)
    with pytest.raises(ValueError, match=r"message 1 must have a role \(user, assistant\)"):
        tuning.encode_dialogue(make_tokenizer(CHAPTER), [templates.SYSTEM, *TURNS])


def test_own_answers_are_the_most_probable_ones_and_leave_the_model_as_it_is():
    model, tokenizer = gpt().train(), make_tokenizer()
    state, questions = torch.get_rng_state(), [question for question, _ in FACTS]
    found = tuning.own_answers(model, tokenizer, [*questions, TURNS[:3]], 6, batch_size=2)
    assert model.training and torch.equal(torch.get_rng_state(), state)
    prompts = [d2l.chat_prompt(question) for question in questions]
    prompts.append(d2l.chatml([templates.SYSTEM, *TURNS[:3]]))
    options = {"temperature": 0, "stop": "<|im_end|>"}
    expected = [d2l.complete(model, tokenizer, p, 6, **options).strip() for p in prompts]
    assert found == expected and len({*found}) > 2


def test_questions_about_others_take_turns_and_keep_capital_letters():
    asked = [
        "The shop is shut?",
        "Is Ida's in the Shop?",
        "Who?",
        "A workshop?",
        "the shop",
    ]
    found = tuning.about_others(asked, ["the shop", "Ida's"], ["a zoo", "the Ivy Inn"])
    assert found == ["A zoo is shut?", "Is the Ivy Inn in the Ivy Inn?", "A zoo"]
    with pytest.raises(ValueError, match="no question has a name of the subject: pub"):
        tuning.about_others(asked, ["pub"], ["a zoo"])


# --- the loss ------------------------------------------------------------------------


def test_the_loss_is_the_mean_over_the_tokens_of_answers_alone():
    model, tokenizer = gpt(), make_tokenizer()
    some = [TURNS, *dialogues(FACTS[:2])]
    rows = tuning.make_rows(model, model.blks[:1], tokenizer, some)
    found = tuning.answer_loss(model, model.blks[1:], rows)
    losses = []
    for messages in some:
        tokens, mask, _ = tuning.encode_dialogue(tokenizer, messages)
        log_probs = model(tokens[None])[0].log_softmax(dim=-1)
        losses += [-log_probs[i - 1, tokens[i]] for i in range(len(tokens)) if mask[i]]
    assert_close(found, torch.stack(losses).mean())
    questions = copy.deepcopy(rows)
    for _, tokens, mask in questions:  # other questions as targets change nothing
        tokens[~mask] = 0
    assert torch.equal(tuning.answer_loss(model, model.blks[1:], questions), found)


def test_the_divergence_is_zero_for_an_unchanged_model_and_else_that_of_a_loop():
    model, other, tokenizer = gpt(), gpt(), make_tokenizer()
    with torch.no_grad():
        other.blks[2].W_o.weight.mul_(1.5)
    rows = tuning.make_rows(model, model.blks[:2], tokenizer, dialogues(), said=True)
    old = [tuning.run_upper(model.blks[2:], [row]) for row in rows]
    assert abs(tuning.drift(model, model.blks[2:], rows, old)) < 1e-6
    found = tuning.drift(other, other.blks[2:], rows, old).item()
    assert found == pytest.approx(
        mean_divergence(model, other, tokenizer, dialogues()), rel=1e-3
    )


@pytest.mark.parametrize(
    "parts", [{}, {"positions": "learned", "norm": "layer", "ffn": "gelu"}]
)
def test_dialogues_are_learned_and_ordinary_ones_hold_the_model(parts):
    tokenizer, base = make_tokenizer(), gpt(**parts)
    ordinary = tuning.ordinary_dialogues()[8:16]
    seen, found = [], {}
    options = {"num_steps": 60, "lr": 0.02, "on_step": lambda *row: seen.append(row)}
    for keep in (0.0, 5.0):
        model = copy.deepcopy(base)
        tuning.fine_tune(model, tokenizer, dialogues(), ordinary, keep=keep, **options)
        found[keep] = mean_divergence(base, model, tokenizer, ordinary)
        losses = [loss for _, loss, _ in seen[-60:]]
        assert losses[-1] < 0.3 * losses[0]
        assert abs(seen[-60][2]) < 1e-6 < seen[-1][2]
    assert 0 < found[5.0] < 0.5 * found[0.0]
    model = tuning.fine_tune(copy.deepcopy(base), tokenizer, dialogues(), [], **options)
    assert {far for *_, far in seen[-60:]} == {0.0}
    asked = [question for question, _ in FACTS]
    answers = tuning.own_answers(model, tokenizer, asked)
    assert sum(a == b for a, (_, b) in zip(answers, FACTS)) > 4


def test_a_seed_repeats_the_training_which_leaves_random_numbers_and_lower_blocks():
    tokenizer, found = make_tokenizer(), []
    for seed in (0, 0, 1):
        model = gpt().train()
        state = torch.get_rng_state()
        same = tuning.fine_tune(
            model, tokenizer, dialogues(), dialogues(), num_steps=3, num_blks=1, seed=seed
        )
        assert same is model and model.training
        assert torch.equal(torch.get_rng_state(), state)
        assert not any(isinstance(layer, d2l.LoRA) for layer in model.modules())
        found.append(model.state_dict())
    first, again, other = found
    assert all(torch.equal(first[name], again[name]) for name in first)
    changed = {name for name, W in gpt().state_dict().items() if not W.equal(first[name])}
    matrices = "W_q", "W_k", "W_v", "W_o", "ffn.gate", "ffn.up", "ffn.down"
    assert changed == {f"blks.2.{name}.weight" for name in matrices}
    assert not torch.equal(first["blks.2.W_q.weight"], other["blks.2.W_q.weight"])


def test_by_default_each_dialogue_is_read_twelve_times_and_sixty_steps_are_the_least():
    for number, steps in [(1, 60), (44, 66)]:
        seen = []
        some = (dialogues() * 6)[:number]
        options = {"on_step": lambda *row, seen=seen: seen.append(row), "rank": 1}
        tuning.fine_tune(gpt(num_blks=1), make_tokenizer(), some, [], **options)
        assert len(seen) == steps


def test_what_goes_wrong_leaves_no_adapters():
    def stop(step, *_):
        if step == 2:
            raise KeyboardInterrupt

    model = gpt()
    with pytest.raises(KeyboardInterrupt):
        tuning.fine_tune(model, make_tokenizer(), dialogues(), [], on_step=stop)
    assert not any(isinstance(layer, d2l.LoRA) for layer in model.modules())
    nn.init.constant_(model.norm.weight, float("inf"))
    with pytest.raises(ValueError, match="the loss is nan in step 0: try a smaller lr"):
        tuning.fine_tune(model, make_tokenizer(), dialogues(), [])


def test_numbers_that_are_no_sizes_and_no_dialogues_are_refused():
    for name in ("num_blks", "rank"):
        with pytest.raises(ValueError, match=f"{name} must be an integer >= 1"):
            tuning.fine_tune(gpt(), make_tokenizer(), dialogues(), [], **{name: 0})
    with pytest.raises(ValueError, match="dialogues must be one or more"):
        tuning.fine_tune(gpt(), make_tokenizer(), [], [])
    with pytest.raises(ValueError, match=r"dialogue 1: it has \d+ tokens, and the model"):
        tuning.fine_tune(gpt(max_len=9), make_tokenizer(), dialogues(), [])


def test_ordinary_questions_are_no_items_and_each_has_an_answer():
    found = tuning.ordinary_dialogues()
    questions = {question["content"] for question, _ in found}
    assert len(found) == len(questions) == 120
    assert not questions & {item.question for item in score.read_items()}
    model, tokenizer = gpt(num_blks=1), make_tokenizer()
    own = tuning.ordinary_dialogues(model, tokenizer)
    some = [question["content"] for question, _ in own[:120:30]]
    answers = tuning.own_answers(model, tokenizer, some)
    assert answers == [answer["content"] for _, answer in own[:120:30]]


@pytest.mark.weekly  # 20 seconds
def test_stored_answers_are_those_of_smollm2():
    some = tuning.ordinary_dialogues()[8:120:14]
    asked = [question["content"] for question, _ in some]
    answers = tuning.own_answers(*d2l.load_smollm2(), asked)
    assert answers == [answer["content"] for _, answer in some]


# --- the command ---------------------------------------------------------------------


@pytest.fixture
def run(capsys, monkeypatch):
    """The command in this process: its exit status, and what it prints."""
    monkeypatch.setattr(tune, "text_bits", lambda model, tokenizer: 2.0)
    monkeypatch.setattr(tune, "ordinary_dialogues", lambda *base: dialogues(FACTS[:2]))
    return lambda *options: run_here(tune.main, options, capsys)


@pytest.fixture
def root(tmp_path):
    """A folder with a model, facts, other questions, and items."""
    d2l.save_pretrained(gpt(), make_tokenizer(), tmp_path / "base")
    rows = [{"question": q, "answer": a} for q, a in FACTS]
    rows[0] = {"messages": TURNS}
    rows[1]["key"] = "ida"
    write(tmp_path / "my.jsonl", *rows)
    write(tmp_path / "held.jsonl", {"question": "The shop is whose?", "answer": "Ida."})
    (tmp_path / "items.jsonl").write_text(ITEMS, encoding="utf-8")
    (tmp_path / "odd.jsonl").write_text('{"question": 1}', encoding="utf-8")
    return tmp_path


def write(path, *rows):
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def options(root, file="my.jsonl"):
    fixed = "--model", root / "base", "--items", root / "items.jsonl", "--steps", 3
    return root / file, "--out", root / "mine", *fixed


def test_the_command_teaches_and_reports_and_others_can_read_the_folder(run, root):
    import transformers

    more = "--held", root / "held.jsonl", "--subject", "the shop|Ida"
    ending, shown = run(*options(root), *more)
    assert ending == 0
    assert "8 dialogues are taught, 1 are held out" in shown
    assert re.search(r"your questions, as taught: right +\d of 8 +\d of 8\n", shown)
    assert re.search(r"1 questions of items.jsonl: right +[01] of 1 +[01] of 1\n", shown)
    assert re.search(r"bits per byte of a text +2.000 +2.000\n  \+0.0 % on Python", shown)
    assert f"python -m d2lmini.chat --model {root / 'mine'} --temp" in shown
    found = json.loads((root / "mine" / "report.json").read_text(encoding="utf-8"))
    assert [row["question"] for row in found["near"]] == ["The swimming pool is whose?"]
    assert [found[name]["n"] for name in ("taught", "held", "leaks")] == [8, 1, 1]
    missed = {"question": "The shop is whose?", "wanted": "Ida."}
    assert [row | missed for row in found["held"]["missed"]] == found["held"]["missed"]
    assert len(found["held"]["missed"]) == 1 - found["held"]["after"]
    model, tokenizer = d2l.load_pretrained(root / "mine")
    tokens = torch.tensor([tokenizer.encode("Who owns the shop?").ids])
    assert not torch.equal(model(tokens), gpt()(tokens))
    theirs = transformers.AutoModelForCausalLM.from_pretrained(root / "mine")
    names = transformers.AutoTokenizer.from_pretrained(root / "mine")
    assert theirs.generation_config.eos_token_id == tokenizer.token_to_id("<|im_end|>")
    with torch.no_grad():
        assert_close(theirs(tokens).logits, model(tokens), 1e-4)
    for messages in (TURNS[2:3], [{"role": "system", "content": "Old."}, *TURNS[2:3]]):
        text = names.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        assert text == d2l.chatml(tuning.with_system(d2l.chatml, messages))
    assert {path.name for path in root.iterdir() if path.name.startswith(".")} == set()


def test_the_template_of_chapter_12_is_written_for_others_too(root):
    import transformers

    tune.save(gpt(), make_tokenizer(CHAPTER), root / "small")
    names = transformers.AutoTokenizer.from_pretrained(root / "small")
    turns = [message | {"content": "Who?"} for message in TURNS[:3]]
    text = names.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    assert text == templates.small_template(turns)


def test_the_word_tools_teaches_those_of_the_course_with_settings_of_their_own(
    run, root, monkeypatch
):
    found = {}

    def taught(model, tokenizer, dialogues, ordinary, **options):
        found.update(options, dialogues=dialogues)

    monkeypatch.setattr(tune, "fine_tune", taught)
    monkeypatch.setattr(tune, "check_sizes", lambda *_: None)  # the model is too small
    monkeypatch.setattr(tune, "ask", lambda model, tok, some: [d.answer for d in some])
    fixed = options(root)[1:-2]
    assert run("tools", *fixed)[0] == 0
    assert len(found["dialogues"]) == 200
    assert all("<tools>" in system["content"] for system, *_ in found["dialogues"])
    assert found.items() >= tune.TOOLS.items()
    shutil.rmtree(root / "mine")
    assert run("tools", *fixed, "--steps", 3)[0] == 0 and found["num_steps"] == 3


def test_a_table_is_taught_and_what_is_held_out_is_taught_in_other_words(run, root):
    rows = [f"{i} {q}\t{a}\t{a[:2]}" for q, a in FACTS for i in (1, 2)]
    text = "\n".join(["question\tanswer\tkey", *rows, rows[0]])
    (root / "my.tsv").write_text(text, encoding="utf-8")
    (root / "near.txt").write_text("Who?\nWhere?\n\nWho?\nWhen?\n", encoding="utf-8")
    more = "--hold-out", 0.3, "--near", root / "near.txt"
    ending, shown = run(*options(root, "my.tsv"), *more)
    assert ending == 0 and "11 dialogues are taught, 5 are held out" in shown
    assert "held to 4 answers" in shown and re.search(
        r"your facts +\d of 1 +\d of 1", shown
    )
    found = tune.read_dialogues(root / "my.tsv")
    taught, held = tune.hold_out(found, 0.3, 0)
    assert {d.key for d in taught} == {a[:2] for _, a in FACTS} and len(held) == 5
    assert tune.hold_out(found, 0.3, 0) == (taught, held) != tune.hold_out(found, 0.3, 1)
    taught, held = tune.hold_out(found[:5:2], 0.9, 0)  # no answer has two questions
    assert len(taught) + len(held) == 3 and len(held) == 3


@pytest.mark.parametrize(
    ("answer", "key", "text", "right", "leaks"),
    [
        ("At nine.", None, "It opens  at NINE or so", True, True),
        ("At nine.", None, "At ninety", False, False),
        ("At nine.", "nine|9", "At 9 sharp", True, True),
        ("At nine.", "nine", "At ninety", False, False),
        ("We open at nine or 10.", None, "10, nine", False, True),
        ("Yes.", None, "Yes.", True, False),  # many answers have a short word
    ],
)
def test_an_answer_is_right_with_its_key_and_leaks_what_is_new(
    answer, key, text, right, leaks
):
    messages = tuning.as_dialogue("When do we open?", answer)
    dialogue = tune.Dialogue(messages, key)
    assert (dialogue.contained(text), dialogue.leaks_into(text)) == (right, leaks)


GOOD = [json.dumps({"question": q, "answer": a}) for q, a in FACTS]
BAD = [  # the name of a file, what it has, further options, and what is said
    ("a.jsonl", None, [], "a.jsonl: there is no such file"),
    ("a.txt", "x", [], "a.txt: the name must end in .jsonl, .tsv or .csv"),
    ("a.jsonl", "", [], "a.jsonl: the file has no dialogues"),
    ("a.csv", "question,answer\n", [], "a.csv: the file has no dialogues"),
    ("a.csv", "question,question\n", [], "line 1: the columns must be question and answer"),
    ("a.csv", "question,answer\nWho?,Ida,x\n", [], "line 2: it has 3 cells, and the first"),
    ("a.csv", "question,answer\nWho?,\n", [], "line 2: it must have messages, or a quest"),
    ("a.csv", 'question,answer\nWho?,"Ida\n', [], "a.csv: line 2: unexpected end of data"),
    ("a.jsonl", f'{GOOD[0]}\n\n{{"question"', [], "a.jsonl: line 3: it is no JSON"),
    ("a.jsonl", f"{GOOD[0]}\n[1]", [], "line 2: it must be a JSON object"),
    ("a.jsonl", f'{GOOD[0]}\n{{"messages": []}}', [], "line 2: a dialogue must be a list"),
    ("a.jsonl", '{"question": "x", "answer": 3}', [], "line 1: it must have messages, or"),
    ("a.jsonl", GOOD[0][:-1] + ', "key": "a|"}', [], "line 1: accepted must be texts"),
    ("a.jsonl", GOOD[0][:-1] + ', "key": 9}', [], "line 1: "),
    (
        "a.jsonl",
        "\n".join([*GOOD, GOOD[2].replace("Elm", "Oak")]),
        [],
        "a.jsonl: line 9: the question of line 3 has another answer there",
    ),
    ("a.jsonl", "\n".join(GOOD[:7]), [], "a.jsonl: too few dialogues: 7 to teach, and th"),
    ("a.jsonl", "\n".join([*GOOD, GOOD[0]]), ["--hold-out", 0.1], "too few dialogues: 7"),
    ("a.jsonl", "\n".join(GOOD), ["--hold-out", 1], "--hold-out must be between 0 and 1"),
    ("a.jsonl", "\n".join(GOOD), ["--steps", 0], "--steps must be at least 1, and is 0"),
    ("a.jsonl", "\n".join(GOOD), ["--subject", "pub"], "no question has a name of the sub"),
    ("a.jsonl", "\n".join(GOOD), ["--subject", "|"], "--subject: it has no name"),
    ("a.jsonl", "\n".join(GOOD), ["--near", "none.txt"], "none.txt"),
    ("a.jsonl", "\n".join(GOOD), ["--near", "items.jsonl"], "there must be two questions"),
    ("a.jsonl", "\n".join(GOOD), ["--near", "odd.jsonl"], "odd.jsonl: line 1: it must hav"),
    ("a.jsonl", "\n".join(GOOD), ["--held", "a.jsonl"], "a.jsonl: line 1: the question is"),
    ("a.jsonl", "\n".join(GOOD), ["--model", "none"], "none: no model can be loaded"),
    (
        "a.jsonl",
        "\n".join([*GOOD, GOOD[0].replace("shop", "shop " * 200)]),
        [],
        "a.jsonl: line 9: it has 244 tokens, and the model reads 200",
    ),
]


@pytest.mark.parametrize(("name", "text", "more", "message"), BAD)
def test_bad_input_ends_with_status_2_and_a_line_before_any_training(
    name, text, more, message, run, root, monkeypatch
):
    monkeypatch.setattr(tune, "fine_tune", None)
    monkeypatch.chdir(root)
    if text is not None:
        (root / name).write_text(text, encoding="utf-8")
    ending, shown = run(*options(root, name), *more)
    last = shown.splitlines()[-1]
    assert ending == 2 and last.startswith("python -m d2lmini.tune: error: ")
    assert message in last and not (root / "mine").exists()


def test_a_folder_that_exists_and_a_model_that_does_not_fit_are_refused(run, root):
    fine = options(root)
    (root / "mine").mkdir()
    ending, shown = run(*fine)
    assert ending == 2 and shown.endswith("mine exists\n")
    ending, shown = run(root / "my.jsonl", "--out", root / "none" / "mine")
    assert ending == 2 and "none is no folder in which one can write" in shown
    (root / "mine").rmdir()
    d2l.save_pretrained(gpt(), make_tokenizer([]), root / "plain")
    ending, shown = run(*fine, "--model", root / "plain")
    assert ending == 2 and "plain: the tokenizer has no tokens of a chat templ" in shown
    with pytest.raises(ValueError, match=r"a model with blks.0.W_q.bias cannot be saved"):
        tune.check_model(gpt(qkv_bias=True), make_tokenizer(), "qwen2")


def test_a_training_that_is_stopped_leaves_nothing(run, root, monkeypatch):
    before = {*root.iterdir()}

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tune, "write_json", stopped)  # behind the weights
    ending, _ = run(*options(root))
    assert ending == "tune: stopped" and {*root.iterdir()} == before


KILLED = """
import os, safetensors.torch, sys
from d2lmini import tune
write = safetensors.torch.save_file

def killed(*arguments, **options):
    write(*arguments, **options)
    os.kill(os.getpid(), 9)

safetensors.torch.save_file = killed
tune.text_bits = lambda model, tokenizer: 2.0
tune.ordinary_dialogues = lambda *base: []
tune.main(sys.argv[1:])
"""


@posix
def test_a_kill_in_the_middle_leaves_no_folder_and_does_not_block_the_next_run(run, root):
    command = [sys.executable, "-c", KILLED, *map(str, options(root))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == -signal.SIGKILL and not (root / "mine").exists()
    assert [*root.glob(".mine.*/model.safetensors")], done.stderr
    ending, _ = run(*options(root))
    assert ending == 0 and (root / "mine" / "config.json").exists()
