"""How well SmolLM2 calls functions that it has not been taught, and when it should not.

tools.tsv has functions with requests, invented results, and answers; eight of them are
never taught. A dialogue has one to three functions in its system message, and is one of
five kinds: a request with its call, the result and the answer; the same with an error that
is passed on; a request that none of the functions serves; an ordinary question, with
SmolLM2's own answer. In half of the calls the names of functions and arguments are replaced
by invented ones, so that only the list can tell them.

The tests have other values. "taught" are functions that were taught, "unseen" those that
were not: the share of calls with the right name, and that are right as a whole. A near miss
is right without a call; it is a request for another function, or one of NEAR, where the
only function cannot do it. A failure is passed on if the answer has the words of the error.
An ordinary question is right by the words of `tool_limits`. ROW is the name of one model.
"""

import csv
import inspect
import json
import random
import re
import sys
import time

import d2lmini as d2l
from d2lmini import tuning
from d2lmini.evaluation import is_right
from d2lmini.score import read_items, score_items
from d2lmini.tools import describe
from experiments import results, tool_limits
from tools import ROOT

FILE = ROOT / "experiments" / "tools.tsv"
POOLS = {  # values that are taught, and those of the test
    "city": "Paris London Berlin Madrid Oslo Vienna Cairo Tokyo Boston Chicago Dublin Prague"
    "|Rome Moscow Delhi Geneva Miami Warsaw",
    "currency": "dollars euros yen pounds francs kroner|pesos rubles rupees",
    "language": "French German Spanish Italian Dutch Polish|Swedish Turkish Greek",
    "country": "France Spain Japan Brazil Canada Egypt Norway|Chile Kenya Portugal",
    "phrase": "good night,where is the station,I am hungry,see you soon,thank you,it rains"
    "|happy birthday,I am late,the train is full",
    "word": "river stone garden window candle bridge silver|thunder pillow castle",
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
MESSAGES = "there is no entry,the service is down,the time is over,nothing was found".split(
    ","
)
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
DIGITS = {"s": 0}


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
    """The functions of some tools, with the names in use: of each, and of its arguments."""
    functions, names = {}, {}
    for tool in rng.sample(chosen, len(chosen)):
        new = rng.random() < rename
        name = invented(rng) if new else tool.name
        arguments = {each: invented(rng) if new else each for each in tool.kinds}
        functions[name] = tool.function(name, arguments)
        names[tool.name] = name, arguments
    return functions, names


def request(tool, others, rng, test, rename=0, number=None):
    """The messages of a request, its call, the result, the answer, and the functions."""
    functions, names = listing([tool, *others], rng, rename)
    values = {each: value(kind, rng, test) for each, kind in tool.kinds.items()}
    name, arguments = names[tool.name]
    call = {"tool": name} | {arguments[each]: values[each] for each in values}
    asked = rng.choice(tool.requests) if number is None else tool.requests[number]
    pools = ["number", "small", "large", "time", "made", *POOLS]
    drawn = {kind: value(kind, rng, test) for kind in pools} | values
    result = tool.result.format(**drawn)
    answer = tool.answer.format(**drawn | {"result": result})
    messages = [say("system", describe(functions)), say("user", asked.format(**values))]
    return messages, json.dumps(call), result, answer, functions


def sentences(text):
    """The whole sentences that a text begins with."""
    return re.match(r"(.*[.!?])?", text, re.DOTALL)[0]


def make_dialogues(tools, num, seed, num_others=2, rename=0.5):
    """Dialogues of the kinds, and ordinary questions as they are kept."""
    rng, dialogues = random.Random(seed), []
    questions = [d for d in tuning.ordinary_dialogues() if sentences(d[1]["content"])]
    order = []
    for i in range(num):
        order = order or rng.sample(tools, len(tools))
        tool = order.pop()
        rest = [each for each in tools if each is not tool]
        others = rng.sample(rest, min(len(rest), rng.randint(0, num_others)))
        messages, call, result, answer, _ = request(tool, others, rng, False, rename)
        kind = i % 6
        if kind == 4:  # none of the functions serves
            others = others or rng.sample(rest, 1)
            functions, _ = listing(others, rng, rename)
            system = say("system", describe(functions))
            dialogues.append([system, messages[1], say("assistant", NO_TOOL)])
        elif kind == 5:
            question, answer = rng.choice(questions)
            answer = say("assistant", sentences(answer["content"]))
            dialogues.append([messages[0], question, answer])
        else:
            if kind == 3:
                error = rng.choice(MESSAGES)
                result, answer = f"Error: {error}", f"Sorry, {error}."
            dialogues.append(
                [
                    *messages,
                    say("assistant", call),
                    say("tool", result),
                    say("assistant", answer),
                ]
            )
    return dialogues


# --- what is measured ----------------------------------------------------------------


def make_tests(taught, unseen, seed=100, each=4, num_others=2):
    """Prompts of each kind, with what is right."""
    rng = random.Random(seed)
    tests = {"taught": [], "unseen": [], "miss": [], "near": [], "fail": [], "read": []}
    for name, tools in {"taught": taught[::4], "unseen": unseen}.items():
        for tool in tools:
            rest = [other for other in tools if other is not tool]
            for i in range(each):
                others = rng.sample(rest, num_others)
                number = i % len(tool.requests)
                found = request(tool, others, rng, True, number=number)
                messages, call, result, answer, functions = found
                tests[name].append((messages, call, functions))
                if name == "unseen":
                    if i % 2:
                        functions, _ = listing(others, rng)
                        system = say("system", describe(functions))
                        tests["miss"].append(([system, messages[1]], None, functions))
                    called = [*messages, say("assistant", call)]
                    if i == 0:
                        error = f"there is no {invented(rng)}"
                        failed = [*called, say("tool", f"Error: {error}")]
                        tests["fail"].append((failed, error, functions))
                    if i == 1:
                        tests["read"].append(
                            ([*called, say("tool", result)], result, functions)
                        )
    known = {tool.name: tool for tool in unseen}
    for name, questions in NEAR.items():
        functions, _ = listing([known[name]], rng)
        for question in questions.split("|"):
            messages = [say("system", describe(functions)), say("user", question)]
            tests["near"].append((messages, None, functions))
    tests["ordinary"] = []
    for question, key in tool_limits.ORDINARY.items():
        functions, _ = listing(rng.sample(unseen, num_others), rng)
        messages = [say("system", describe(functions)), say("user", question)]
        tests["ordinary"].append((messages, key, functions))
    return tests


def read_call(text):
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def share(right):
    return sum(right) / len(right)


def scores(answers, tests):
    """The row of the table, given an answer to each prompt of each kind."""
    found = {}
    for name in ("taught", "unseen"):
        pairs = [
            (read_call(a), json.loads(t[1])) for a, t in zip(answers[name], tests[name])
        ]
        found[f"{name}: name"] = share([a.get("tool") == b["tool"] for a, b in pairs])
        found[f"{name}: call"] = share([a == b for a, b in pairs])
    for name in ("miss", "near"):
        found[f"{name}: no call"] = share([not a.startswith("{") for a in answers[name]])
    for name in ("fail", "read"):
        found[name] = share([t[1] in a for a, t in zip(answers[name], tests[name])])
    pairs = zip(answers["ordinary"], tests["ordinary"])
    found["ordinary"] = share(
        [not a.startswith("{") and is_right(a, t[1]) for a, t in pairs]
    )
    return found


def measure(model, tokenizer, tests, shown=False):
    answers = {}
    for name, rows in tests.items():
        prompts = [messages for messages, *_ in rows]
        answers[name] = tuning.own_answers(model, tokenizer, prompts, 36, 8)
        if shown:
            for (messages, right, _), answer in zip(rows, answers[name]):
                asked = next(m["content"] for m in messages if m["role"] == "user")
                print(f"  {name} | {asked} | {answer} | {right}", file=sys.stderr)
    return scores(answers, tests)
