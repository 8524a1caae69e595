"""What SmolLM2 does with near misses and ordinary questions, before and after its tools.

The model of chapter 12 learns to call `multiply` and `weather`. A near miss is a request to
which neither fits, for example a division. An ordinary question has a short answer that is
easy to check. Both lists, and the words by which answers count as right, were written
before any answer was seen, but for four of which a reader had told: a division, an
addition, the time, and the Mona Lisa. None of the questions occurs in the chapter's
training.

Answers are greedy, of 60 tokens at most. One that begins with "{" is a call, as in
`respond`, and is not run. An ordinary question is answered rightly if the words occur in
the answer, whatever else it says. That favours long answers.
"""

import re
from types import SimpleNamespace

import d2lmini as d2l
from experiments import chapter, results, stages, tool_calls

NEAR_MISSES = (
    "How much is 84 divided by 12?",
    "What is 35 plus 48?",
    "Subtract 17 from 90.",
    "What is the square root of 144?",
    "What is 15 percent of 80?",
    "Which number is larger, 12 or 21?",
    "What time is it?",
    "What day is it today?",
    "How many people live in Tokyo?",
    "How far is it from London to Madrid?",
    "Who is the mayor of Chicago?",
    "How was the weather in Berlin in 1990?",
    "Book a flight to Oslo.",
    "Set an alarm for 7 o'clock.",
    "Translate good night into Spanish.",
    "How hot is the sun?",
)
ORDINARY = {
    "Who painted the Mona Lisa?": "leonardo|vinci",
    "What is the capital of France?": "paris",
    "What is the capital of Italy?": "rome",
    "How many months are in a year?": "12|twelve",
    "How many legs does a spider have?": "8|eight",
    "What is the opposite of big?": "small|little|tiny",
    "Who wrote Romeo and Juliet?": "shakespeare",
    "Which planet is closest to the sun?": "mercury",
    "What do bees make?": "honey",
    "What is the chemical formula of water?": "h2o|h₂o",
    "In which country are the pyramids of Giza?": "egypt",
    "Which language is spoken in Brazil?": "portuguese",
    "Which gas do plants take in from the air?": "carbon dioxide|co2|co₂",
    "Who was the first president of the United States?": "washington",
    "What is frozen water called?": "ice",
    "Which animal says meow?": "cats?",
}
COLUMNS = "calls on near misses", "right answers to ordinary questions"
BEFORE, AFTER = "not trained", "LoRA, as on the page"
MAX_TOKENS = 60
SHOWN = 90  # characters of an answer


def tables(seeds=3):
    """The shares, and what the first seed answers."""
    runs = chapter.run_seeds(seeds, stages.NOTEBOOK, measure, last=tool_calls.LAST)
    found = [{name: shares(answers) for name, answers in run.items()} for run in runs]
    yield "tool_limits", results.side_by_side(found, COLUMNS)
    yield "tool_limits_answers", side_by_side(runs[0])


def measure(names):
    """The answers after training, and with the first seed those before it."""
    page = SimpleNamespace(**names)
    found = {AFTER: answers(page)}
    tool_calls.reset(page)
    if page.SEED:
        return {BEFORE: {}} | found
    return {BEFORE: answers(page)} | found


def answers(page):
    """The answer to each question of both lists."""
    options = {"temperature": 0, "stop": "<|im_end|>"}
    return {
        question: d2l.complete(
            page.smol,
            page.smol_tokenizer,
            d2l.chatml([page.say("user", question)]),
            MAX_TOKENS,
            **options,
        )
        for question in (*NEAR_MISSES, *ORDINARY)
    }


def is_call(answer):
    return answer.startswith("{")


def is_right(question, answer):
    """Whether the answer to an ordinary question has one of its words."""
    words = rf"\b({ORDINARY[question]})(?!\w)"
    return not is_call(answer) and bool(re.search(words, answer.lower()))


def shares(found):
    """The row of a model, given its answers; nothing if it was not asked."""
    if not found:
        return {}
    calls = [is_call(found[question]) for question in NEAR_MISSES]
    right = [is_right(question, found[question]) for question in ORDINARY]
    return dict(zip(COLUMNS, (sum(calls) / len(calls), sum(right) / len(right))))


def side_by_side(run):
    """Each question with the beginnings of its answers; what counts as right in bold."""
    rows = []
    for question in (*NEAR_MISSES, *ORDINARY):
        row = [question]
        for name in (BEFORE, AFTER):
            answer = run[name][question]
            text = cell(answer)
            good = question in ORDINARY and is_right(question, answer)
            row.append(f"**{text}**" if good else text)
        rows.append(row)
    lines = [["question", BEFORE, AFTER], ["---"] * 3, *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def cell(answer):
    """The beginning of an answer, for a cell of a Markdown table."""
    text = " ".join(answer.split())
    text = text if len(text) <= SHOWN else f"{text[:SHOWN].rsplit(' ', 1)[0]} …"
    if is_call(answer):
        return f"`{text}`"
    return re.sub(r"([\\`*_$|<>\[\]])", r"\\\1", text)
