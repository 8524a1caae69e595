"""Store chapter 12's models, which add four digits, for the page Try it.

    make adder [WRITE=1]

The notebook runs as it is, up to the model that a wrong reward has spoilt. With WRITE=1
the program writes four of its models, with 8-bit weights, to book/_static/adder.js, which
d2lmini/data/forward.js reads, and how many of the chapter's test questions each answers to
book/_generated/adder.md.
"""

import argparse
import json
import re
from pathlib import Path

import torch

import d2lmini as d2l
from tools import ROOT
from tools.book.adder import FILE, START
from tools.book.translator import decoded, encoded
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
LAST = "deceived, _ = grpo("
# The stages as the page names them: what stands before and after a question, what ends an
# answer, and the notebook's name of the model.
CHAT = "<|user|>", "<|assistant|>", "<|end|>"
STAGES = {
    "base model": ("\n", "", "\n", "base"),
    "fine-tuned": (*CHAT, "sft"),
    "rewarded": (*CHAT, "rewarded"),
    "rewarded wrongly": (*CHAT, "deceived"),
}
CONFIG = {"num_hiddens": 48, "num_blks": 2, "num_heads": 4, "positions": "rotary"}
COLUMNS = ["right", "right, 8 bits", "with steps, 8 bits", "the same answer in both"]


def stored(names):
    """What the file holds, given what the cells of the notebook define."""
    tokenizer = names["tokenizer"]
    tokens = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    models = [
        {
            "name": stage,
            "template": template,
            "weights": encoded(names[model].state_dict(), "output.weight"),
        }
        for stage, (*template, model) in STAGES.items()
    ]
    return {
        "config": CONFIG | {"base": 10000},
        "target": tokens,
        "questions": ["".join(map(str, digits)) for digits in names["test_questions"]],
        "models": models,
    }


def load(content, model):
    """A model of the file's content, with its 8-bit weights, in PyTorch."""
    sizes = CONFIG["num_hiddens"], CONFIG["num_blks"], CONFIG["num_heads"]
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "max_len": 64}
    gpt = d2l.GPT(len(content["target"]), *sizes, **options)
    state = decoded(model["weights"])
    gpt.load_state_dict({**state, "output.weight": state["embedding.weight"]})
    return gpt.eval()


def answers(gpt, content, template, questions):
    """The most probable answers to questions, each four digits, with their ends."""
    before, after, end = template
    ids = {token: i for i, token in enumerate(content["target"])}
    prompts = [
        [ids[before], *(ids[token] for token in f"{'+'.join(digits)}=?")]
        + ([ids[after]] if after else [])
        for digits in questions
    ]
    tokens = torch.tensor(prompts)
    written = d2l.generate(gpt, tokens, 24, temperature=0, stop=ids[end])
    texts = []
    for row in written[:, tokens.shape[1] :].tolist():
        row = row[: row.index(ids[end]) + 1] if ids[end] in row else row
        texts.append("".join(content["target"][i] for i in row))
    return texts


def is_right(digits, text, end):
    """Whether an answer ends, and its last number is the sum."""
    last = re.search(rf"(\d+){re.escape(end)}$", text)
    return last is not None and int(last[1]) == sum(map(int, digits))


def measure(names, file):
    """Write the file, and give the rows of the table, from the notebook's names."""
    content, rows = stored(names), {}
    questions = content["questions"]
    for model in content["models"]:
        template, end = model["template"], model["template"][-1]
        gpts = names[STAGES[model["name"]][-1]], load(content, model)
        exact, rounded = (answers(gpt, content, template, questions) for gpt in gpts)
        model["right"] = sum(is_right(q, text, end) for q, text in zip(questions, rounded))
        rows[model["name"]] = [
            sum(is_right(q, text, end) for q, text in zip(questions, exact)),
            model["right"],
            sum("=" in text for text in rounded),
            sum(a == b for a, b in zip(exact, rounded)),
        ]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    Path(file).write_text(f"{START}{text};\n", encoding="utf-8", newline="\n")
    return {stage: [str(count) for count in row] for stage, row in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="for the page")
    options = parser.parse_args()
    origin, file = results.origin(), FILE if options.write else ROOT / "_build" / FILE.name
    file.parent.mkdir(exist_ok=True)
    here = f"importlib.import_module({__spec__.name!r}).measure(globals(), {str(file)!r})"
    rows = chapter.run(NOTEBOOK, here, last=LAST)
    body = results.lines(*([stage, *counts] for stage, counts in rows.items()))
    table = f"{results.head(['', *COLUMNS])}\n{body}"
    print(table)
    if options.write:
        results.write("adder", table, origin)


if __name__ == "__main__":
    main()
