"""Ask one or two models the same questions, and put an interval around each score.

    python -m d2lmini.score MODEL              the eighty questions of the course
    python -m d2lmini.score MODEL OTHER --items FILE
                                               your own; two models are compared, too

A model is a folder that load_pretrained can read, or smollm2. FILE is a table (.tsv, .csv)
with the columns question, A, B (and so on) and key, a letter, or question and accepted. Or
each of its lines is a JSON object (.jsonl):

    {"question": "Who wrote Emma?", "choices": ["Austen", "Eliot"], "key": 0}
    {"question": "Who wrote Emma?", "accepted": "austen|jane austen"}

All questions are asked in one of three ways, which the output names. Going further 12
explains them, the intervals, and McNemar's test.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase

import torch

from .evaluation import choice_log_probs, is_right, lettered, mcnemar, plain, wilson
from .loading import load_pretrained, load_smollm2
from .post_training import chatml, stream
from .records import DELIMITERS, errors_of, json_lines, table_rows
from .templates import SYSTEM, find_template, lines
from .training import eval_mode

ITEMS = Path(__file__).with_name("data") / "items.tsv"
NEW_TOKENS = 24  # of a free answer, at most
RULES = {  # which answer counts as right, by the way to ask
    "choices": "the right choice has the largest log-probability, summed over its tokens",
    "letters": "the right choice's letter has the largest log-probability",
    "free": f"an accepted answer is in the first {NEW_TOKENS} tokens (plain: and first line)",
}


@dataclass
class Item:
    """A question with choices, of which that at place `key` is right, or with answers.

    accepted are answers, divided by |. An item may have both. line is that of its file.
    Raises ValueError, with the line, for what is no item.
    """

    question: str
    choices: list[str] | None = None
    key: int | None = None
    accepted: str | None = None
    line: int = 0

    def __post_init__(self):
        texts = [self.question, *(self.choices or [])]
        if self.accepted is not None:
            texts.append(self.accepted)
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise self.error("the question and all answers must be texts, not empty")
        if self.choices is not None:
            if len(self.choices) < 2 or len({*self.choices}) < len(self.choices):
                raise self.error(f"choices must be 2 or more, and differ: {self.choices}")
            if type(self.key) is not int or not 0 <= self.key < len(self.choices):
                raise self.error(f"key must be that of a choice, and is {self.key!r}")
        elif self.accepted is None:
            raise self.error("an item must have choices and their key, or accepted answers")
        if self.accepted is not None and not all(map(str.strip, self.accepted.split("|"))):
            raise self.error(f"accepted has an empty answer: {self.accepted!r}")

    def error(self, reason):
        return ValueError(f"line {self.line}: {reason}" if self.line else reason)


# --- files ---------------------------------------------------------------------------


def read_items(path=ITEMS):
    """The items of a file, by default those of the course.

    Raises ValueError, with the line, for what is broken, and for a question asked twice.
    """
    path, first = Path(path), {}
    with errors_of(path):
        if path.suffix.lower() not in DELIMITERS:
            raise ValueError("the name must end in .tsv, .csv or .jsonl")
        delimiter, text = DELIMITERS[path.suffix.lower()], path.read_text("utf-8-sig")
        for item in read_table(text, delimiter) if delimiter else read_json(text):
            same = first.setdefault(item.question.strip(), item)
            if same is not item:
                raise item.error(f"the question is that of line {same.line}")
    if not first:
        raise ValueError(f"{path}: the file has no items")
    return [*first.values()]


def read_json(text):
    """The items of a text with a JSON object in each line that is not empty."""
    for line, fields in json_lines(text):
        if not isinstance(fields, dict) or "question" not in fields:
            raise ValueError(f"line {line}: it must be an object with a question")
        if not isinstance(fields.get("choices", []), list | None):
            raise ValueError(f"line {line}: choices must be a list")
        names = fields.keys() & {"question", "choices", "key", "accepted"}
        yield Item(**{name: fields[name] for name in names}, line=line)


def read_table(text, delimiter):
    """The items of a table. A question may have fewer choices than there are columns."""
    columns = letters = None
    for line, row in table_rows(text, delimiter):
        if columns is None:
            columns, letters = row, find_letters(row)
            continue
        cells = dict(zip(columns, row))
        choices = [cells[letter] for letter in letters]
        while choices and not choices[-1]:
            choices.pop()
        key = cells.get("key")
        key = letters.index(key) if key in letters else key
        accepted = cells.get("accepted") or None
        yield Item(cells["question"], choices or None, key, accepted, line)


def find_letters(columns):
    """Which columns of a table are choices: A, B and so on, or none."""
    letters = [letter for letter in ascii_uppercase if letter in columns]
    names = {"question"} | ({*ascii_uppercase[: len(letters)], "key"} if letters else set())
    if not letters:
        names.add("accepted")
    if not names <= {*columns} or len(letters) == 1 or len({*columns}) < len(columns):
        wanted = "question, A, B (and so on) and key, or question and accepted"
        raise ValueError(f"line 1: the columns must be {wanted}, not {', '.join(columns)}")
    return letters


# --- scores --------------------------------------------------------------------------


def make_prompts(model, tokenizer, items, how="choices", format="plain"):
    """For each item the prompt, and the texts that are compared as its continuations.

    Raises ValueError for an item that cannot be asked in this way, or is too long.
    """
    if how not in RULES or format not in ("plain", "chat"):
        raise ValueError(f"how must be one of {[*RULES]}, and format 'plain' or 'chat'")
    template, _ = find_template(tokenizer)
    if format == "chat" and template is lines:
        raise ValueError("--format chat: the tokenizer has no tokens of a chat template")
    before = [SYSTEM] if template is chatml else []
    space = " " if format == "plain" else ""
    prompts = []
    for item in items:
        if (item.accepted if how == "free" else item.choices) is None:
            needed = "accepted answers" if how == "free" else "choices"
            raise item.error(f"it has no {needed}, which --as {how} needs")
        question, texts = item.question, [] if how == "free" else item.choices
        if how == "letters":
            if len(texts) > len(ascii_uppercase):
                raise item.error("it has more choices than there are letters")
            question, texts = lettered(question, texts), ascii_uppercase[: len(texts)]
        texts = [f"{space}{text}" for text in texts]
        message = {"role": "user", "content": question}
        prompt = plain(question) if format == "plain" else template([*before, message])
        sizes = [len(tokenizer.encode(t, add_special_tokens=False).ids) for t in texts]
        size = len(tokenizer.encode(prompt).ids) + max(sizes, default=NEW_TOKENS) - 1
        if 0 in sizes:
            raise item.error("the tokenizer has no token for a choice")
        if size > model.max_len:
            raise item.error(f"it has {size} tokens, and the model reads {model.max_len}")
        prompts.append((prompt, texts))
    return prompts


def score_items(model, tokenizer, items, how="choices", format="plain"):
    """Which of n items a model answers right, a bool tensor (n,), on the CPU.

    how is "choices", "letters" or "free", as in RULES, and format "plain" or "chat", which
    asks in the chat template of the tokenizer. Leaves the random numbers and the mode of
    the model as they are. For errors see `make_prompts`; they come before any item is asked.
    """
    prompts, right = make_prompts(model, tokenizer, items, how, format), []
    _, end = find_template(tokenizer)
    with eval_mode(model):
        for item, (prompt, texts) in zip(items, prompts):
            if how == "free":
                answer = free_answer(model, tokenizer, prompt, end, format)
                right.append(is_right(answer, item.accepted))
                continue
            log_probs, _ = choice_log_probs(model, tokenizer, prompt, texts)
            if log_probs.isnan().any():
                raise item.error("the model gives NaN, and no probabilities")
            right.append(log_probs.argmax().item() == item.key)
    return torch.tensor(right)


def free_answer(model, tokenizer, prompt, end, format):
    """The most probable answer; without a chat template it ends at a line break."""
    answer = ""
    for piece in stream(model, tokenizer, prompt, end, NEW_TOKENS, temperature=0, seed=0):
        answer += piece
        if format == "plain" and "\n" in answer:
            return answer.partition("\n")[0]
    return answer


# --- the command ---------------------------------------------------------------------


def load(name):
    """The model of a folder, or SmolLM2, and its tokenizer, which cuts no text."""
    try:
        model, tokenizer = load_smollm2() if name == "smollm2" else load_pretrained(name)
    except Exception as error:  # whatever a damaged folder leads to
        raise ValueError(f"{name}: no model can be loaded: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return model, tokenizer


def summary(names, found):
    """What JSON says of the models of these names, given which items they answer right."""
    models = []
    for name, right in zip(names, found):
        model = {"model": name, "right": right.sum().item(), "n": len(right)}
        low, high = wilson(model["right"], model["n"])
        share = model["right"] / model["n"]
        models.append(model | {"share": share, "low": low, "high": high})
    if len(found) == 1:
        return {"models": models}
    b, c = ((x & ~y).sum().item() for x, y in (found, found[::-1]))
    return {"models": models, "b": b, "c": c, "p": mcnemar(b, c)}


def report(scores):
    """Print the scores, and the comparison if there is one."""
    print(f"asked as: {scores['as']}, {scores['format']}\nright if: {scores['rule']}\n")
    width = max(len(s["model"]) for s in scores["models"])
    print(f"{'model':{width}}  right     of  share  95 % interval")
    for s in scores["models"]:
        numbers = f"{s['right']:5}  {s['n']:5}  {s['share']:5.2f}"
        print(f"{s['model']:{width}}  {numbers}  {s['low']:.2f} to {s['high']:.2f}")
    if "p" in scores:
        print("\nMcNemar's test")
        print(f"b, only the first is right   {scores['b']:6}")
        print(f"c, only the second is right  {scores['c']:6}")
        print(f"p                            {scores['p']:6.4f}")


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m d2lmini.score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("model", metavar="MODEL", help="a folder, or smollm2")
    add("other", metavar="OTHER", nargs="?", help="a second model, on the same items")
    add("--items", metavar="FILE", default=ITEMS, help="by default eighty questions")
    help = "by default choices, or free where the first item has none"
    add("--as", dest="how", choices=[*RULES], help=help)
    help = "plain (by default), or in the chat template of the tokenizer"
    add("--format", choices=["plain", "chat"], default="plain", help=help)
    add("--json", metavar="FILE", help="write the line of JSON into a file")
    return parser


def main(arguments=None):
    parser = make_parser()
    options = parser.parse_args(arguments)
    names = [name for name in (options.model, options.other) if name is not None]
    try:
        items = read_items(options.items)
        how = options.how or ("free" if items[0].choices is None else "choices")
        asked = items, how, options.format
        models = [load(name) for name in names]
        for model in models:  # before the first one takes its time
            make_prompts(*model, *asked)
        found = [score_items(*model, *asked) for model in models]
        scores = {"items": str(options.items), "as": how, "format": options.format}
        scores |= {"rule": RULES[how]} | summary(names, found)
        report(scores)
        line = json.dumps(scores)
        if options.json:
            Path(options.json).write_text(f"{line}\n", encoding="utf-8")
        else:
            print(f"\n{line}")
    except (OSError, ValueError) as error:  # what is missing, broken or too long
        parser.error(" ".join(f"{error}".split()))
    except KeyboardInterrupt:
        sys.exit("score: stopped")


if __name__ == "__main__":
    main()
