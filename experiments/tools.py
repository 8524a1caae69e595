"""How well SmolLM2 calls functions that it has not been taught, and when it should not.

tools.tsv has functions with requests, invented results, and answers; eight of them are
never taught. A dialogue has one to three functions in its system message, and four turns: a
request with its call, the result and the answer; the same with an error, which is passed
on; a request that none of the functions serves; an ordinary question, with SmolLM2's own
answer. Half of the functions have invented names, so that only the list can tell them.

The tests have other values, and one turn. "taught" are functions that every model was
taught, "unseen" those that none was: the share of calls with the right name, and that are
right as a whole. A miss is a request for another unseen function, a near miss one of NEAR,
where the only function cannot do it: both are right without a call. A failure is passed on
if the answer has the words of the error. An ordinary question, with functions listed, is
right by the words of `tool_limits`. Items are those of `score`, with no function listed.
ROW is the name of one model, or "untouched" for what is not trained. Matrices are
multiplied in bfloat16 where the CPU can, which takes half the time. ONLY=dialogues writes
those of the first seed into d2lmini/data/tools.jsonl, which `python -m d2lmini.tune tools`
teaches.
"""

import csv
import inspect
import json
import random
import re
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace

import torch

import d2lmini as d2l
from d2lmini import tuning
from d2lmini.score import read_items, score_items
from d2lmini.tools import describe
from d2lmini.tune import TOOLS
from experiments import results, tool_limits
from tools import ROOT

FILE = ROOT / "experiments" / "tools.tsv"
DATA = ROOT / "d2lmini" / "data"
POOLS = {  # values that are taught, and those of the test
    "city": "Paris London Berlin Madrid Oslo Vienna Cairo Tokyo Boston Chicago Prague"
    "|Rome Moscow Delhi Geneva Miami Warsaw",
    "currency": "dollars euros yen pounds francs kroner|pesos rubles rupees",
    "language": "French German Spanish Italian Dutch Polish|Swedish Turkish Greek",
    "country": "France Spain Japan Brazil Canada Egypt Norway|Chile Kenya Portugal",
    "phrase": "good night,where is the station,I am hungry,see you soon,thank you,it rains"
    "|happy birthday,I am late,the train is full",
    "word": "river stone garden window candle bridge silver|thunder pillow castle",
    "food": "apple soup|banana pancake lasagna",
    "item": "lamp chair apple teapot blanket bicycle pencil orange|kettle mirror banana",
    "event": "a haircut,lunch with Ben,the dentist,a football match,yoga"
    "|a concert,dinner with Eva,the school play",
    "task": "buy milk,water the roses,feed the cat,pay the rent,bring the keys"
    "|wash the car,post the letter,fix the sink",
    "day": "Monday Tuesday Wednesday Thursday|Friday Saturday Sunday",
    "room": "kitchen,bedroom,hall,cellar,office|bathroom,garage,living room",
    "title": "Yesterday,Summer Rain,Blue Moon,The Long Road,Golden Days"
    "|Night Train,Hello Again,The Last Island",
    "name": "Anna Ben Carla David Emma Frank|Grace Henry Olga",
    "surname": "Miller Fischer Rossi Dubois|Larsen Novak",
    "team": "Arsenal,Real Madrid,Boca|Ajax,Red Star,Celtic",
    "sky": "sun rain snow|fog wind hail",
}
ERRORS = "there is no {}", "the service is down", "the time is over", "{} was not found"
KINDS = "call", "call", "call", "error", "miss", "miss", "ordinary"  # of a turn
ROLES = "user", "assistant", "tool", "assistant"
NO_TOOL = "Sorry, I have no tool for that."
NEAR = {  # requests, the only function, which cannot do what they ask
    "multiply": "How much is 84 divided by 12?|What is 35 plus 48?|Subtract 17 from 90.|"
    "What is the square root of 144?|What time is it?|Book a flight to Oslo.",
    "weather": "What time is it?|What day is it today?|How many people live in Tokyo?|"
    "How far is it from London to Madrid?|Who is the mayor of Chicago?|"
    "Set an alarm for 7 o'clock.",
    "score": "When does the next match of Ajax begin?|Buy two tickets for Celtic.",
    "calories": "How much does a banana cost?|Where do bananas grow?",
}
CALLED = "taught", "unseen", "miss", "near"
COLUMNS = {  # of the kinds of tests
    "taught": "taught: call",
    "unseen": "unseen: call",
    "miss": "miss: no call",
    "near": "near miss: no call",
    "failure": "failure passed on",
    "result": "result given",
    "ordinary": "ordinary",
}
TABLE = ["taught: name", "taught: call", "unseen: name", "unseen: call", "miss: no call"]
TABLE += ["near miss: no call", "failure passed on", "result given", "ordinary"]
TABLE += ["items", "lost", "s"]
STOP = {
    *"a an the of in to is it for with and how what when do does me my i int str".split()
}
DIGITS = {"items": 0, "lost": 0, "s": 0}
MODELS = {"taught 39 functions": 1, "taught 4 functions": 10}  # every so many
DIALOGUES = 200  # each is read once


def tables(seeds=2, first=0, row=None, only=None):
    """The file of dialogues, or the table of so many seeds, from the first one on."""
    torch.set_float32_matmul_precision("medium")
    taught, unseen = read_tools()
    if only == "dialogues":
        dialogues = make_dialogues(taught, DIALOGUES, seed=0)
        lines = [json.dumps({"messages": each}) for each in dialogues]
        yield DATA / "tools.jsonl", "\n".join(lines)
        return
    tests, items = make_tests(taught[::10], unseen), read_items()
    model, tokenizer = d2l.load_smollm2()
    before = score_items(model, tokenizer, items, "choices", "chat")
    runs = [{} for _ in range(seeds)]
    if row in (None, "untouched"):
        given = {name: [rule(t.asked, t.functions) for t in tests[name]] for name in CALLED}
        runs[0]["no model, a rule"] = scores(given, tests)
        found = scores(answers(model, tokenizer, tests), tests)
        runs[0]["untouched"] = found | {"items": before.sum().item()}
    for name, every in MODELS.items():
        for seed, run in enumerate(runs, start=first):
            if row in (None, name):
                run[name] = train(taught[::every], tests, items, before, seed)
                print(f"seed {seed}, {name}:", run[name], file=sys.stderr, flush=True)
    for run in runs[1:]:
        run |= {title: {} for title in runs[0] if title not in run}
    yield "tools", results.side_by_side(runs, TABLE, DIGITS)
    if row is None:
        yield DATA / "tools.json", json.dumps(runs, indent=1)


def train(tools, tests, items, before, seed):
    """The row of a model that was taught these functions."""
    model, tokenizer = d2l.load_smollm2()
    start = time.process_time()
    dialogues = make_dialogues(tools, DIALOGUES, seed)
    kept = tuning.ordinary_dialogues()
    tuning.fine_tune(model, tokenizer, dialogues, kept, seed=seed, **TOOLS)
    seconds = time.process_time() - start
    given = answers(model, tokenizer, tests)
    for name, some in tests.items():
        for test, answer in zip(some, given[name]):
            print(f"  {name}: {test.asked} {answer}", file=sys.stderr)
    after = score_items(model, tokenizer, items, "choices", "chat")
    counts = {"items": after, "lost": before & ~after}
    found = {name: right.sum().item() for name, right in counts.items()}
    return scores(given, tests) | found | {"s": seconds}


def value(kind, rng, test):
    """A random value of a kind, for training or for a test."""
    match kind:
        case "number":
            return rng.randrange(11, 100)
        case "small":
            return rng.randrange(2, 10)
        case "large":
            return rng.randrange(100, 10_000)
        case "year":
            return rng.randrange(1990, 2040)
        case "time":
            return f"{rng.randrange(1, 13)}:{rng.randrange(10, 60)}"
        case "made":
            return invented(rng)
    pool = POOLS[kind].split("|")[test]
    return rng.choice(pool.split("," if "," in pool else " "))


def invented(rng):
    """A word that nobody knows."""
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3))


class Tool:
    """A line of the file: a function by its name and the kinds of its arguments."""

    def __init__(self, row):
        self.name, arguments = row["tool"].removesuffix(")").split("(")
        self.kinds = dict(each.split(": ") for each in arguments.split(", "))
        self.description, self.part = row["description"], row["part"]
        self.result, self.answer = row["result"], row["answer"]
        self.requests = row["requests"].split("|")

    def function(self, name, names):
        """A function of this name, and with these names of its arguments."""

        def tool(**arguments):
            raise NotImplementedError

        numbers = "number", "small", "year"
        tool.__name__, tool.__doc__ = name, self.description
        tool.__signature__ = inspect.Signature(
            inspect.Parameter(
                names[each],
                inspect.Parameter.KEYWORD_ONLY,
                annotation=int if kind in numbers else str,
            )
            for each, kind in self.kinds.items()
        )
        return tool


def read_tools(path=FILE):
    """The tools that are taught, and those that are not."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        found = [Tool(row) for row in rows]
    return [[tool for tool in found if tool.part == part] for part in ("taught", "unseen")]


def say(role, content):
    return {"role": role, "content": content}


def listing(chosen, rng, rename=0):
    """The system message that lists some tools, the functions, and the names in use.

    A share of the tools is renamed. The names are by those of the file: that of the
    function, and those of its arguments.
    """
    functions, names = {}, {}
    for tool in rng.sample(chosen, len(chosen)):
        new = rng.random() < rename
        name = invented(rng) if new else tool.name
        arguments = {each: each for each in tool.kinds}
        if new and len(arguments) == 1:  # else nothing would tell them apart
            arguments = {each: invented(rng) for each in arguments}
        functions[name] = tool.function(name, arguments)
        names[tool.name] = name, arguments
    return say("system", describe(functions)), functions, names


def request(tool, names, rng, test, number=None):
    """The texts of a request, its call if it has names, the result, and the answer."""
    values = {each: value(kind, rng, test) for each, kind in tool.kinds.items()}
    asked = rng.choice(tool.requests) if number is None else tool.requests[number]
    pools = ["number", "small", "large", "time", "made", *POOLS]
    drawn = {kind: value(kind, rng, test) for kind in pools} | values
    result, call = tool.result.format(**drawn), {}
    if tool.name in names:
        name, arguments = names[tool.name]
        call = {"tool": name} | {arguments[each]: values[each] for each in values}
    return SimpleNamespace(
        asked=asked.format(**values),
        call=json.dumps(call),
        result=result,
        answer=tool.answer.format(**drawn | {"result": result}),
    )


def sentence(text):
    """The first sentence of a text, if it is whole."""
    found = re.match(r"[^.!?\n]+[.!?](?=\s|$)", text)
    return found and found[0]


def make_dialogues(tools, num, seed, num_turns=4, rename=0.5):
    """Dialogues of so many turns, of different KINDS, with one to three functions."""
    rng, dialogues = random.Random(seed), []
    ordinary = [
        (q["content"], sentence(a["content"])) for q, a in tuning.ordinary_dialogues()
    ]
    ordinary = [pair for pair in ordinary if pair[1]]
    for _ in range(num):
        chosen = rng.sample(tools, rng.randint(1, 3))
        rest = [tool for tool in tools if tool not in chosen]
        system, _, names = listing(chosen, rng, rename)
        messages = [system]
        for i, kind in enumerate(rng.sample(KINDS, num_turns)):
            tool = rng.choice(rest) if kind == "miss" else chosen[i % len(chosen)]
            found = request(tool, names, rng, False)
            match kind:
                case "call":
                    turn = found.asked, found.call, found.result, found.answer
                case "error":
                    error = rng.choice(ERRORS).format(invented(rng))
                    turn = found.asked, found.call, f"Error: {error}", f"Sorry, {error}."
                case "miss":
                    turn = found.asked, NO_TOOL
                case "ordinary":
                    turn = rng.choice(ordinary)
            messages += map(say, ROLES, turn)
        dialogues.append(messages)
    return dialogues


# --- what is measured ----------------------------------------------------------------


@dataclass
class Test:
    """Messages to answer, the functions listed in them, and what an answer must have."""

    messages: list
    functions: dict
    right: str | None = None

    @property
    def asked(self):
        return self.messages[1]["content"]


def make_tests(taught, unseen, seed=100, num_others=2):
    """The tests of each kind. A tool is asked for with four requests, whatever it has."""
    rng = random.Random(seed)
    tests = {name: [] for name in (*CALLED, "failure", "result", "ordinary")}
    for name, tools in {"taught": taught, "unseen": unseen}.items():
        for tool in tools:
            rest = [other for other in tools if other is not tool]
            for i in range(4):
                others = rng.sample(rest, num_others)
                system, functions, names = listing([tool, *others], rng)
                found = request(tool, names, rng, True, number=i % len(tool.requests))
                asked = [system, say("user", found.asked)]
                tests[name].append(Test(asked, functions, found.call))
                if name == "taught":
                    continue
                called = [*asked, say("assistant", found.call)]
                if i % 2:
                    back = [*called, say("tool", found.result)]
                    tests["result"].append(Test(back, functions, found.result))
                    system, functions, _ = listing(others, rng)
                    tests["miss"].append(Test([system, asked[1]], functions))
                else:
                    error = f"there is no {invented(rng)}"
                    back = [*called, say("tool", f"Error: {error}")]
                    tests["failure"].append(Test(back, functions, error))
    known = {tool.name: tool for tool in unseen}
    listed = [("near", q, [known[name]]) for name in NEAR for q in NEAR[name].split("|")]
    for question in tool_limits.ORDINARY:
        listed.append(("ordinary", question, rng.sample(unseen, num_others)))
    for name, question, tools in listed:
        system, functions, _ = listing(tools, rng)
        tests[name].append(Test([system, say("user", question)], functions))
    return tests


def answers(model, tokenizer, tests):
    """The answers of a model to the tests of each kind."""
    return {
        name: tuning.own_answers(model, tokenizer, [t.messages for t in some], 36, 8)
        for name, some in tests.items()
    }


def read_call(text):
    """The object that an answer is, or an empty one."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def scores(given, tests):
    """The shares of right answers, of the kinds to which answers are given."""
    found = {}
    for name in given:
        pairs = list(zip(given[name], tests[name]))
        match name:
            case "taught" | "unseen":
                calls = [(read_call(a), json.loads(t.right)) for a, t in pairs]
                same = [a.get("tool") == b["tool"] for a, b in calls]
                found[f"{name}: name"] = sum(same) / len(same)
                right = [a == b for a, b in calls]
            case "miss" | "near":
                right = [not a.startswith("{") for a, _ in pairs]
            case "failure" | "result":
                right = [t.right in a for a, t in pairs]
            case "ordinary":
                right = [tool_limits.is_right(t.asked, a) for a, t in pairs]
        found[COLUMNS[name]] = sum(right) / len(right)
    return found


# --- without a model -----------------------------------------------------------------


def stems(text):
    """The words of a text, without the endings of plurals and of some verbs."""
    words = {*re.findall(r"[a-z]+", text.lower())} - STOP
    return {re.sub(r"(?<=\w{3})(ing|ed|es|s|e)$", "", word) for word in words}


def rule(question, functions):
    """A call without a model, or no text.

    It names the function with most words in common with the question, if any. Arguments
    are the numbers, and what is quoted or begins with a capital letter, in their order;
    without these the last word.
    """
    common = {
        name: len(
            stems(question) & stems(f"{name} {tool.__doc__} {inspect.signature(tool)}")
        )
        for name, tool in functions.items()
    }
    name = max(common, key=common.get)
    if not common[name]:
        return ""
    numbers = map(int, re.findall(r"\d+", question))
    quoted = r'(?<=").+?(?=")|\d+:\d+|(?<=.)\b[A-Z]\w*(?: [A-Z]\w*)*'
    texts = iter(re.findall(quoted, question) or re.findall(r"\w+", question)[-1:])
    call = {"tool": name}
    for each, parameter in inspect.signature(functions[name]).parameters.items():
        call[each] = next(numbers if parameter.annotation is int else texts, None)
    return json.dumps(call)
