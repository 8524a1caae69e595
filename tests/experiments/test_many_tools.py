"""The dialogues that teach calls, the tests of them, and the rule that needs no model."""

import collections
import json
import random
import re

import torch

import d2lmini as d2l
from d2lmini import tune, tuning
from d2lmini.tools import guarded
from experiments import tool_limits, tools

TAUGHT, UNSEEN = tools.read_tools()
TESTS = tools.make_tests(TAUGHT[::10], UNSEEN)
DIALOGUES = tools.make_dialogues(TAUGHT, 120, seed=0)


def test_no_tool_and_no_value_of_a_test_is_taught():
    assert {*map(len, (TAUGHT[::10], UNSEEN))} == {4, 8}
    names = [tool.name for tool in (*TAUGHT, *UNSEEN)]
    assert len({*names}) == len(names)
    for pool in tools.POOLS.values():
        taught, tested = (
            {*part.split("," if "," in part else " ")} for part in pool.split("|")
        )
        assert taught and tested and not taught & tested
    text = json.dumps(DIALOGUES)
    assert not any(f'\\"name\\": \\"{tool.name}\\"' in text for tool in UNSEEN)
    asked = {d[0]["content"] for d in tuning.ordinary_dialogues()}
    assert not asked & {test.asked for test in TESTS["ordinary"]}


def test_calls_are_those_of_listed_functions_and_answers_give_what_comes_back():
    kinds = collections.Counter()
    renamed = set()
    for system, *messages in DIALOGUES:
        listed = re.findall(r'^{"name": "(\w+)"', system["content"], re.MULTILINE)
        assert 1 <= len(listed) == len({*listed}) <= 3
        assert [m["role"] for m in messages].count("user") == 4
        kinds.update(m["content"] == tools.NO_TOOL for m in messages)
        for before, message, after in zip(messages, messages[1:], messages[2:]):
            if message["role"] == "tool":
                name = json.loads(before["content"])["tool"]
                assert name in listed
                renamed.add(name not in {tool.name for tool in TAUGHT})
                text = message["content"].removeprefix("Error: ")
                assert text in after["content"]
                kinds["error"] += text != message["content"]
    assert renamed == {True, False} and kinds["error"] > 30 < kinds[True]
    assert tools.make_dialogues(TAUGHT, 120, seed=0) == DIALOGUES
    assert tools.make_dialogues(TAUGHT, 120, seed=1) != DIALOGUES


def test_right_calls_fit_the_functions_and_right_answers_score_one():
    for test in (*TESTS["taught"], *TESTS["unseen"]):
        functions = {name: guarded(tool) for name, tool in test.functions.items()}
        assert d2l.call_tool(functions, test.right) == "Error: NotImplementedError: "
    given = {name: [t.right or "No." for t in some] for name, some in TESTS.items()}
    given["ordinary"] = [
        re.split(r"[?|]", tool_limits.ORDINARY[t.asked])[0] for t in TESTS["ordinary"]
    ]
    assert {*tools.scores(given, TESTS).values()} == {1}
    bad = {name: ["{}"] * len(some) for name, some in TESTS.items()}
    assert {*tools.scores(bad, TESTS).values()} == {0}


def test_the_rule_reads_names_numbers_and_texts():
    rng = random.Random(0)
    _, functions, _ = tools.listing([*TAUGHT[:2], *UNSEEN], rng)
    for question, call in {
        "Multiply 3 by 4.": {"tool": "multiply", "a": 3, "b": 4},
        "What was the score of Red Star?": {"tool": "score", "team": "Red Star"},
        "Count the letters of tree.": {"tool": "count_letters", "word": "tree"},
    }.items():
        assert json.loads(tools.rule(question, functions)) == call
    assert tools.rule("Good morning!", functions) == ""


def test_the_table_has_a_row_for_each_model(monkeypatch):
    monkeypatch.setattr(torch, "set_float32_matmul_precision", lambda precision: None)
    monkeypatch.setattr(d2l, "load_smollm2", lambda: (None, None))
    monkeypatch.setattr(tuning, "own_answers", lambda m, t, asked, *_: ["{}"] * len(asked))
    monkeypatch.setattr(tools, "score_items", lambda *_: torch.tensor([True, False]))
    monkeypatch.setattr(tools, "DIALOGUES", 2)
    seen = []
    monkeypatch.setattr(tuning, "fine_tune", lambda *args, **kinds: seen.append(kinds))
    (name, text), (_, stored) = tools.tables()
    assert {*json.loads(stored)[1]} == {"no model, a rule", "untouched", *tools.MODELS}
    lines = text.splitlines()
    assert (name, len(lines)) == ("tools", 4 + len(tools.MODELS))
    assert all(each.items() >= tune.TOOLS.items() for each in seen)
    assert [each["seed"] for each in seen] == [0, 1] * 2
    assert lines[4].startswith("| taught 39 functions | 0 / 0 |")
    ((_, text),) = tools.tables(seeds=1, first=5, row="taught 4 functions")
    assert len(text.splitlines()) == 3 and seen[-1]["seed"] == 5
