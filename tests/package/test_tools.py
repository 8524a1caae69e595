"""Functions are listed for a model, its calls are checked, and what they do is bounded."""

import json
import threading
import time

import pytest

import d2lmini as d2l
from d2lmini.tools import describe, guarded


def book(people: int, time: str, price: float = 9.5, names: list[str] = (), note=""):
    """Reserve a table
    in the restaurant.

    What else stands here is for people.
    """
    return f"{people} at {time} for {price}, {', '.join(names)} {note}".strip(" ,")


def run(call, tool=book, **options):
    """What `call_tool` makes of a call of a guarded function."""
    call = call if isinstance(call, str) else json.dumps(call)
    return d2l.call_tool({tool.__name__: guarded(tool, **options)}, call)


def test_functions_are_listed_as_json_schemas():
    def ring(loud: bool, way: dict, anything, all: list = ()):
        pass

    lines = describe({"book": book, "ring": guarded(ring)}).split("\n")
    assert lines[1] == "<tools>" and lines[4] == "</tools>"
    first, second = map(json.loads, lines[2:4])
    assert first == {
        "name": "book",
        "description": "Reserve a table in the restaurant.",
        "parameters": {
            "type": "object",
            "properties": {
                "people": {"type": "integer"},
                "time": {"type": "string"},
                "price": {"type": "number"},
                "names": {"type": "array", "items": {"type": "string"}},
                "note": {},
            },
            "required": ["people", "time"],
        },
    }
    assert second["description"] == ""
    types = {"loud": "boolean", "way": "object", "all": "array"}
    wanted = {name: {"type": kind} for name, kind in types.items()} | {"anything": {}}
    assert second["parameters"]["properties"] == wanted
    assert second["parameters"]["required"] == ["loud", "way", "anything"]


def test_annotations_may_be_texts_and_a_docstring_cannot_begin_a_turn():
    def late(a: "int", b: "list[float]" = ()):
        """Ends <|im_end|> here."""

    prompt = d2l.chatml([{"role": "system", "content": describe({"late": late})}])
    assert '"a": {"type": "integer"}' in prompt and "< |im_end|> here" in prompt
    assert run({"tool": "late", "a": "3"}, late).startswith("Error: a must be of type int")


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"people": 2, "time": "8"}, "2 at 8 for 9.5"),
        ({"time": "8", "people": 2, "price": 7}, "2 at 8 for 7"),
        ({"people": 2, "time": "8", "names": ["Ida"]}, "2 at 8 for 9.5, Ida"),
        (
            {"people": 2, "time": '{"tool": {"book": {}}}'},
            '2 at {"tool": {"book": {}}} for 9.5',
        ),
        ({"people": "2", "time": "8"}, 'people must be of type integer, not "2"'),
        ({"people": True, "time": "8"}, "people must be of type integer, not true"),
        ({"people": 2.0, "time": "8"}, "people must be of type integer, not 2.0"),
        ({"people": 2, "time": None}, "time must be of type string, not null"),
        ({"people": 2, "time": ["8"]}, 'time must be of type string, not ["8"]'),
        ({"people": 2, "time": "8", "price": False}, "price must be of type number, not"),
        ({"people": 2, "time": "8", "price": float("nan")}, "price must be of type number"),
        ({"people": 2, "time": "8", "names": "Ida"}, "names must be of type array of str"),
        ({"people": 2, "time": "8", "names": [3]}, "names must be of type array of string"),
        (
            {"people": 2},
            "the argument time is missing, of (people: integer, time: string, p",
        ),
        (
            {"people": 2, "time": "8", "when": 3},
            "no argument when, only (people: integer, t",
        ),
    ],
)
def test_arguments_are_checked_against_the_signature(call, result):
    found = run({"tool": "book"} | call)
    assert found == result or found.startswith(f"Error: {result}")


@pytest.mark.parametrize(
    "call",
    [
        'I call {"tool": "book", "people": 2, "time": "8"}',
        '{"tool": "book", "people": 2, "time": "8"} as you said',
        '{"tool": "book", "people": 2, "time": "8"',
        "{'tool': 'book', 'people': 2, 'time': '8'}",
        '{"tool": "book", "people": 1 + 1, "time": "8"}',
        '{"tool": "eval", "source": "1"}',
        '{"tool": "print"}',
        '{"tool": "__import__", "name": "os"}',
        '{"tool": {"book": 1}}',
        '{"tool": null}',
        "[" * 100_000,
        "",
    ],
)
def test_what_is_no_call_is_an_error_and_nothing_is_evaluated(call, monkeypatch):
    monkeypatch.setitem(globals(), "eval", None)
    assert run(call).startswith("Error: ")


def test_what_a_tool_raises_becomes_an_error():
    class Odd:
        def __str__(self):
            raise KeyError("odd")

    def fail(how: str):
        if how == "text":
            return Odd()
        raise {"value": ValueError, "zero": ZeroDivisionError, "exit": SystemExit}[how](
            "no"
        )

    for how, text in {
        "value": "no",
        "zero": "ZeroDivisionError: no",
        "exit": "SystemExit: no",
        "text": "KeyError: 'odd'",
        "else": "KeyError: 'else'",
    }.items():
        assert run({"tool": "fail", "how": how}, fail) == f"Error: {text}"


def test_a_tool_that_does_not_return_becomes_an_error_and_its_thread_goes_on():
    stop, ended = threading.Event(), threading.Event()

    def loop():
        while not stop.is_set():
            pass
        ended.set()

    start = time.monotonic()
    assert run({"tool": "loop"}, loop, seconds=0.2) == "Error: no result after 0.2 seconds"
    assert time.monotonic() - start < 5 and not ended.is_set()
    stop.set()
    assert ended.wait(5)


def test_a_long_result_or_error_is_cut_and_says_so():
    def repeat(times: int, fail: bool = False):
        if fail:
            raise ValueError("no " * times)
        return "<|im_end|>" * times

    short, exact, long = (
        run({"tool": "repeat", "times": times}, repeat, max_chars=1000)
        for times in (1, 100, 100_000)
    )
    assert short == "<|im_end|>" and exact == short * 100
    assert long == f"{exact} … (cut: 1000 of 1000000 characters)"
    assert "<|im_end|>" not in d2l.chatml([{"role": "tool", "content": long}])[:1000]
    failed = run({"tool": "repeat", "times": 10**6, "fail": True}, repeat, max_chars=6)
    assert failed == "Error: no no  … (cut: 6 of 3000000 characters)"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(*a): pass", "f: a cannot be passed by its name"),
        ("def f(**a): pass", "f: a cannot be passed by its name"),
        ("def f(a, /): pass", "f: a cannot be passed by its name"),
        ("def f(tool): pass", "f: tool cannot be passed by its name"),
        (
            "def f(a: set): pass",
            "f: the type of a must be one of str, int, float, bool, li",
        ),
        ("def f(a: 3): pass", "f: the type of a must be one of"),
        ("def f(a: int | None): pass", "f: the type of a must be one of"),
        ("def f(a: list[set]): pass", "f: the type of a must be one of"),
        ("def f(a: 'Set'): pass", "f: name 'Set' is not defined"),
    ],
)
def test_a_function_that_could_not_be_called_is_refused(source, reason):
    names = {}
    exec(source, names)
    for check in (guarded, lambda tool: describe({"f": tool})):
        with pytest.raises(ValueError) as error:
            check(names["f"])
        assert str(error.value).startswith(reason)
