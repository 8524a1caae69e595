"""Teach a model your own questions and answers, and see what it has learned and lost.

    python -m d2lmini.tune my.jsonl --out mine           SmolLM2-135M-Instruct
    python -m d2lmini.tune my.jsonl --out mine --model FOLDER --held held.jsonl
                                         another model; questions that are asked at the end
                                         and not taught, such as the same in other words

A line of the file is a dialogue, or a question with its answer; a table (.tsv, .csv) has
the columns question and answer. `key` is what an answer must contain to be right, several
divided by |; without one it must contain the whole answer:

    {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]}
    {"question": "When do you open?", "answer": "We open at nine.", "key": "nine|9"}

What a model is taught about your subject, it soon says of others, too. With --subject
"the bakery|Crooked Loaf", what your questions call their subject, they are also asked
about other subjects: the model is held to its old answers, and the report says how often
the new ones are yours. --near FILE has such questions of your own in place of these.

With the word tools in place of FILE the model is taught two hundred dialogues with 39
functions, so that `python -m d2lmini.chat --tools` can tell it of others.

The training itself is `fine_tune` of d2lmini.tuning.
"""

import argparse
import json
import os
import pydoc_data.topics
import random
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from .evaluation import is_right
from .loading import save_pretrained
from .post_training import chatml
from .records import DELIMITERS, errors_of, json_lines, table_rows
from .score import ITEMS, load, make_prompts, read_items, score_items, summary
from .templates import find_template
from .text import bits_per_byte
from .training import eval_mode
from .tuning import (
    about_others,
    as_dialogue,
    chat_format,
    check_messages,
    encode_dialogue,
    fine_tune,
    ordinary_dialogues,
    own_answers,
)

LEAST = 8  # dialogues: those of a step
TOOLS = {"num_blks": 30, "num_steps": 50, "batch_size": 4, "lr": 2e-3}  # for functions
MOST = 100  # questions of a kind that are asked
TEXT = "Python's documentation (objects, execution model)"
OTHERS = [  # subjects in place of one's own; the last one is only asked about
    "the post office",
    "the cinema",
    "the museum",
    "the town hall",
    "the hotel",
    "the swimming pool",
]
JINJA = {  # the templates of `find_template`, for other programs
    True: "{% if messages[0]['role'] != 'system' %}<|im_start|>system\n"
    "You are a helpful AI assistant.<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
    False: "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}"
    "{% if m['role'] == 'assistant' %}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}",
}


def words(text):
    return {*re.findall(r"\w+", text.lower())}


@dataclass
class Dialogue:
    """Messages, of which the last is an answer, what it must contain, and their place."""

    messages: list
    key: str | None = None
    path: str = ""
    line: int = 0

    @property
    def question(self):
        return self.messages[-2]["content"]

    @property
    def answer(self):
        return self.messages[-1]["content"]

    def contained(self, text):
        """Whether a text has the key, or without one the answer, as words of its own."""
        if self.key is not None:
            return is_right(text, self.key)
        wanted = re.escape(" ".join(self.answer.lower().split()).rstrip(".!"))
        text = " ".join(text.lower().split())
        return re.search(rf"(?<!\w){wanted}(?!\w)", text) is not None

    def leaks_into(self, text):
        """Whether an answer to another question has the key, or all that is new here.

        Without a key that is each number and longer word which the answer has, and the
        question has not.
        """
        if self.key is not None:
            return is_right(text, self.key)
        new = words(self.answer) - words(self.question)
        new = {word for word in new if len(word) > 3 or word.isdigit()}
        return bool(new) and new <= words(text)

    def error(self, reason):
        return ValueError(f"{self.path}: line {self.line}: {reason}")


# --- files ---------------------------------------------------------------------------


def read_lines(path):
    """The records of a file with their lines: JSON objects, or the rows of a table.

    Raises ValueError, with the line, for what is broken.
    """
    with errors_of(path):
        if path.suffix.lower() not in DELIMITERS:
            raise ValueError("the name must end in .jsonl, .tsv or .csv")
        delimiter, text = DELIMITERS[path.suffix.lower()], path.read_text("utf-8-sig")
        yield from read_table(text, delimiter) if delimiter else read_json(text)


def read_json(text):
    """The line and the JSON object of each line that is not empty."""
    for line, fields in json_lines(text):
        if not isinstance(fields, dict):
            raise ValueError(f"line {line}: it must be a JSON object")
        yield line, fields


def read_table(text, delimiter):
    """The line and the cells of each row, by the column, but for empty cells."""
    columns = None
    for line, row in table_rows(text, delimiter):
        if columns is not None:
            yield line, {name: cell for name, cell in zip(columns, row) if cell}
        elif "question" not in row or len({*row}) < len(row):
            wanted = "question and answer, and may have key"
            raise ValueError(f"line 1: the columns must be {wanted}, not {row}")
        else:
            columns = row


def as_messages(fields):
    """The messages of a record; raises ValueError for a record that has none."""
    if "messages" in fields:
        messages = fields["messages"]
    elif isinstance(fields.get("question"), str) and isinstance(fields.get("answer"), str):
        messages = as_dialogue(fields["question"].strip(), fields["answer"].strip())
    else:
        raise ValueError("it must have messages, or a question and an answer")
    check_messages(messages, ["system", "user", "assistant", "tool"])
    return messages


def read_dialogues(path, earlier=None):
    """The dialogues of a file, each once.

    earlier are those that must not occur. Raises ValueError, with the lines, for what is
    broken, and for a question that has two answers, or occurs earlier.
    """
    path, found, first, whole = Path(path), [], {}, set()
    taken = {prompt_of(d): d for d in earlier or ()}
    for line, fields in read_lines(path):
        dialogue = Dialogue([], fields.get("key"), str(path), line)
        try:
            dialogue.messages = as_messages(fields)
            check_key(dialogue.key)
        except ValueError as error:
            raise dialogue.error(error) from error
        for i, message in enumerate(dialogue.messages):
            if message["role"] == "assistant":
                same = first.setdefault(prompt_of(dialogue, i), (dialogue, i))
                if same[0].messages[same[1]]["content"] != message["content"]:
                    reason = f"the question of line {same[0].line} has another answer there"
                    raise dialogue.error(reason)
        prompt = prompt_of(dialogue)
        if prompt in taken:
            same = f"{taken[prompt].path}, line {taken[prompt].line}"
            raise dialogue.error(f"the question is taught: {same}")
        if prompt not in whole:
            whole.add(prompt)
            found.append(dialogue)
    if not found:
        raise ValueError(f"{path}: the file has no dialogues")
    return found


def check_key(key):
    """Raise ValueError for a key that is no text, or has an empty answer."""
    if key is None:
        return
    if not isinstance(key, str):
        raise ValueError(f"key must be a text, and is {key!r}")
    is_right("", key)


def prompt_of(dialogue, end=-1):
    """What stands before an answer, the last by default, as one can compare it."""
    return tuple((m["role"], m["content"].strip()) for m in dialogue.messages[:end])


def read_questions(path):
    """The questions of a file: JSON lines, a table, or a text with one in each line."""
    path = Path(path)
    if path.suffix.lower() == ".txt":
        try:
            texts = path.read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: {error}") from error
    else:
        texts = []
        for line, fields in read_lines(path):
            if not isinstance(fields.get("question"), str):
                raise ValueError(f"{path}: line {line}: it must have a question")
            texts.append(fields["question"])
    found = list(dict.fromkeys(text.strip() for text in texts if text.strip()))
    if len(found) < 2:
        raise ValueError(f"{path}: there must be two questions or more")
    return found


def hold_out(dialogues, share, seed):
    """The dialogues that are taught, and a share that is not, drawn at random.

    Where there are answers of several questions, only such a question is drawn, and one of
    them remains: what is not taught in other words either cannot be known.
    """
    if not 0 < share < 1:
        raise ValueError(f"--hold-out must be between 0 and 1, and is {share}")
    number, order = max(1, round(share * len(dialogues))), dialogues[:]
    random.Random(seed).shuffle(order)
    left = {}
    for dialogue in order:
        left[dialogue.answer] = left.get(dialogue.answer, 0) + 1
    several, held = max(left.values()) > 1, []
    for dialogue in order:
        if len(held) < number and (left[dialogue.answer] > 1 or not several):
            left[dialogue.answer] -= 1
            held.append(dialogue)
    chosen = {*map(id, held)}
    return [d for d in dialogues if id(d) not in chosen], held


# --- what is measured ----------------------------------------------------------------


def ask(model, tokenizer, dialogues):
    """For each dialogue what the model answers in place of its last answer."""
    if not dialogues:
        return []
    sizes = [len(tokenizer.encode(d.answer).ids) for d in dialogues]
    prompts = [d.messages[:-1] for d in dialogues]
    return own_answers(model, tokenizer, prompts, max(24, max(sizes) + 4))


def text_bits(model, tokenizer):
    """Bits per byte of TEXT, of which a model reads 128 tokens at a time."""
    topics = pydoc_data.topics.topics
    text = "\n".join(topics[name] for name in ("objects", "execmodel"))
    tokens = torch.tensor(tokenizer.encode(text).ids)
    with eval_mode(model):
        return bits_per_byte(model, tokens, len(text.encode()), min(128, model.max_len))


def measure(model, tokenizer, items, groups, near):
    """What a model can: items, bits per byte, and answers to groups of dialogues.

    near are questions about other subjects. Whether a dialogue leaks into an answer to one
    is asked of all dialogues.
    """
    how = "free" if items[0].choices is None else "choices"
    found = {
        "items": score_items(model, tokenizer, items, how, "chat"),
        "bits": text_bits(model, tokenizer),
    }
    for name, dialogues in groups.items():
        answers = ask(model, tokenizer, dialogues)
        found[name] = [d.contained(a) for d, a in zip(dialogues, answers)]
        found[f"{name} answers"] = answers
    facts = [d for dialogues in groups.values() for d in dialogues]
    found["near"] = own_answers(model, tokenizer, near, 24)
    found["leaks"] = [any(d.leaks_into(a) for d in facts) for a in found["near"]]
    return found


def neighbours(options, taught, held):
    """Questions about other subjects: those that are held, and those that are asked."""
    if options.near:
        questions = read_questions(options.near)
        return questions[::2], questions[1::2]
    if options.subject is None:
        return [], []
    names = [name.strip() for name in options.subject.split("|")]
    if not all(names):
        raise ValueError("--subject: it has no name, or an empty one")
    *others, last = [o for o in OTHERS if o.lower() not in map(str.lower, names)]
    kept = about_others([d.question for d in taught], names, others)
    asked = about_others([d.question for d in held or taught], names, [last])
    return [*dict.fromkeys(kept)], [*dict.fromkeys(asked)]


# --- the command ---------------------------------------------------------------------


def check_sizes(model, tokenizer, dialogues):
    """Raise ValueError, with its line, for a dialogue that the model cannot read."""
    for dialogue in dialogues:
        try:
            tokens, *_ = encode_dialogue(tokenizer, dialogue.messages)
        except ValueError as error:
            raise dialogue.error(error) from error
        if len(tokens) > model.max_len:
            sizes = f"{len(tokens)} tokens, and the model reads {model.max_len}"
            raise dialogue.error(f"it has {sizes}")


def check_model(model, tokenizer, name):
    """Raise ValueError for a model that cannot be taught, or not be saved."""
    try:
        chat_format(tokenizer)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    for part in model.state_dict():
        if part.endswith("bias") or part.startswith("positions"):
            raise ValueError(f"{name}: a model with {part} cannot be saved")


def check_folder(folder):
    """Raise ValueError unless a new folder can be made there."""
    if os.path.lexists(folder):
        raise ValueError(f"--out: {folder} exists")
    if not folder.parent.is_dir() or not os.access(folder.parent, os.W_OK):
        raise ValueError(f"--out: {folder.parent} is no folder in which one can write")


def save(model, tokenizer, folder):
    """Write a model for `load_pretrained` and for transformers: the whole folder or none.

    It is written under another name, which begins with a dot, and renamed.
    """
    template, end = find_template(tokenizer)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": end,
        "pad_token": end,
        "model_max_length": model.max_len,
        "chat_template": JINJA[template is chatml],
    }
    stop = {"eos_token_id": tokenizer.token_to_id(end), "do_sample": False}
    part = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        save_pretrained(model, tokenizer, part)
        write_json(part / "tokenizer_config.json", settings)
        write_json(part / "generation_config.json", stop)
        check_folder(folder)  # again, for minutes have passed
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def write_json(path, fields):
    text = json.dumps(fields, indent=2, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def as_numbers(before, after, groups, near):
    """The report as JSON: numbers before and after, what is missed, and what leaks."""
    found = {"items": summary(["before", "after"], [before["items"], after["items"]])}
    for name in ("taught", "held", "leaks"):
        counts = [sum(x[name]) for x in (before, after)]
        found[name] = {"n": len(after[name]), "before": counts[0], "after": counts[1]}
    for name, dialogues in groups.items():
        rows = zip(dialogues, after[name], after[f"{name} answers"])
        found[name]["missed"] = [
            {"question": d.question, "wanted": d.key or d.answer, "given": answer}
            for d, right, answer in rows
            if not right
        ]
    found["bits"] = {"before": before["bits"], "after": after["bits"], "text": TEXT}
    pairs = zip(near, before["near"], after["near"], after["leaks"])
    names = "question", "before", "after", "leaks"
    return found | {"near": [dict(zip(names, row)) for row in pairs]}


def show(found, options):
    """Print the report."""
    models, (b, c, p) = found["items"]["models"], map(found["items"].get, "bcp")
    print(f"\n{'':44}{'before':>14}{'after':>14}")
    titles = {
        "taught": "your questions, as taught: right",
        "held": "your questions, held out: right",
        "leaks": "other subjects: answered with your facts",
    }
    for name, title in titles.items():
        row = found[name]
        if row["n"]:
            cells = [f"{row[when]} of {row['n']}" for when in ("before", "after")]
            print(f"{title:44}{cells[0]:>14}{cells[1]:>14}")
    cells = [f"{m['right']} of {m['n']}" for m in models]
    name = f"{models[0]['n']} questions of {Path(options.items).name}: right"
    print(f"{name:44}{cells[0]:>14}{cells[1]:>14}")
    cells = [f"{m['low']:.2f} to {m['high']:.2f}" for m in models]
    print(f"{'  95 % interval of the share':44}{cells[0]:>14}{cells[1]:>14}")
    print(f"  right only before {b}, only after {c}, McNemar's p = {p:.2f}")
    old, new = found["bits"]["before"], found["bits"]["after"]
    print(f"{'bits per byte of a text':44}{old:14.3f}{new:14.3f}")
    print(f"  {100 * (new / old - 1):+.1f} % on {TEXT}")
    if not found["held"]["n"]:
        print("Nothing was held out: --held FILE asks your questions in other words.")
    if not found["leaks"]["n"]:
        print("Other subjects were not asked about: see --subject.")
    for row in found["held"]["missed"][:3]:
        print(
            f"\n  {row['question']}\n    wanted: {row['wanted']}\n    given:  {row['given']}"
        )
    leaks = [row for row in found["near"] if row["leaks"]][:3]
    for row in leaks:
        print(
            f"\n  {row['question']}\n    before: {row['before']}\n    after:  {row['after']}"
        )


def how_to_use(folder):
    """Print how the folder is used."""
    question = '[{"role": "user", "content": "…"}]'
    print(f"\nAll that was missed or leaks stands in {folder}/report.json.")
    print(f"{folder} can be used by")
    print(f"  python -m d2lmini.chat --model {folder} --temperature 0")
    print(f'  model, tokenizer = d2lmini.load_pretrained("{folder}")')
    print(f'  transformers.pipeline("text-generation", "{folder}")({question})')


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m d2lmini.tune",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="dialogues, or questions and answers, or tools")
    add("--out", metavar="FOLDER", required=True, help="a new folder for the model")
    add("--model", default="smollm2", help="a folder, or smollm2 (by default)")
    held = parser.add_mutually_exclusive_group()
    held.add_argument("--held", metavar="FILE", help="dialogues that are not taught")
    help = "a share of FILE that is not taught"
    held.add_argument("--hold-out", metavar="SHARE", type=float, help=help)
    near = parser.add_mutually_exclusive_group()
    help = "what your questions call their subject, divided by |"
    near.add_argument("--subject", metavar="NAMES", help=help)
    help = "questions about other subjects; every second one is only asked at the end"
    near.add_argument("--near", metavar="FILE", help=help)
    add("--steps", type=int, help="by default 12 times each dialogue, and at least 60")
    add("--seed", type=int, default=0, help="repeats the same training")
    add("--items", metavar="FILE", default=ITEMS, help="by default eighty questions")
    return parser


def read_all(options):
    """The dialogues that are taught and held out, and the items; ValueError if bad."""
    check_folder(Path(options.out))
    if options.steps is not None and options.steps < 1:
        raise ValueError(f"--steps must be at least 1, and is {options.steps}")
    is_tools = options.file == "tools"
    path = ITEMS.with_name("tools.jsonl") if is_tools else options.file
    taught, held = read_dialogues(path), []
    if options.held:
        held = read_dialogues(options.held, taught)
    elif options.hold_out is not None:
        taught, held = hold_out(taught, options.hold_out, options.seed)
    if len(taught) < LEAST:
        number = f"{len(taught)} to teach, and there must be {LEAST}"
        raise ValueError(f"{options.file}: too few dialogues: {number}")
    return taught, held, read_items(options.items)


def tune(options):
    """Run the command; ValueError for what is bad comes before the training."""
    start = time.perf_counter()
    taught, held, items = read_all(options)
    kept, near = neighbours(options, taught, held)
    model, tokenizer = load(options.model)
    check_model(model, tokenizer, options.model)
    check_sizes(model, tokenizer, [*taught, *held])
    how = "free" if items[0].choices is None else "choices"
    make_prompts(model, tokenizer, items, how, "chat")

    def tell(text):
        print(f"{time.perf_counter() - start:6.0f} s  {text}", flush=True)

    tell(f"{len(taught)} dialogues are taught, {len(held)} are held out")
    choose = random.Random(options.seed)
    groups = {
        name: choose.sample(dialogues, min(MOST, len(dialogues)))
        for name, dialogues in {"taught": taught, "held": held}.items()
    }
    tell("the model is asked before it is trained, which takes some minutes")
    before = measure(model, tokenizer, items, groups, near)
    tell("it is asked what it is to be held to")
    stored = () if options.model == "smollm2" else (model, tokenizer)
    ordinary = ordinary_dialogues(*stored)
    answers = own_answers(model, tokenizer, kept)
    ordinary += [as_dialogue(q, a) for q, a in zip(kept, answers) if a]
    tell(f"the model is held to {len(ordinary)} answers of its own")

    def on_step(step, loss, far):
        if step % 10 == 0:
            tell(f"step {step:4}: loss {loss:.3f}, divergence {far:.3f}")

    dialogues = [dialogue.messages for dialogue in taught]
    chosen = TOOLS.copy() if options.file == "tools" else {}
    chosen |= {"seed": options.seed, "on_step": on_step}
    if options.steps is not None:
        chosen["num_steps"] = options.steps
    fine_tune(model, tokenizer, dialogues, ordinary, **chosen)
    save(model, tokenizer, Path(options.out))
    tell(f"{options.out} is written, and the model is asked again")
    after = measure(model, tokenizer, items, groups, near)
    found = as_numbers(before, after, groups, near)
    write_json(Path(options.out) / "report.json", found)
    show(found, options)
    how_to_use(options.out)


def main(arguments=None):
    parser = make_parser()
    try:
        tune(parser.parse_args(arguments))
    except (OSError, ValueError) as error:  # what is missing, broken or too long
        parser.error(" ".join(f"{error}".split()))
    except KeyboardInterrupt:
        sys.exit("tune: stopped")


if __name__ == "__main__":
    main()
