"""The adders of the page Try it: how well chapter 12's models add, in 32 and in 8 bits.

The notebook runs as it is, up to the model that a wrong reward has spoilt. Four of its
models are stored, and asked the chapter's test questions.
"""

import re

import torch

import d2lmini as d2l
from experiments import chapter, results
from experiments.try_it import weights
from tools import ROOT
from tools.book.addition import FILE

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
LAST = "deceived, _ = grpo("
# The form of a question: what stands before, between and after its numbers, and what ends
# an answer. Then the stages as the page names them, and the notebook's names of the models.
TEXT = {"before": "\n", "between": "+", "after": ["=", "?"], "end": "\n"}
CHAT = {"before": "<|user|>", "between": " ", "after": ["<|assistant|>"], "end": "<|end|>"}
STAGES = {
    "base model": (TEXT, "base"),
    "fine-tuned": (CHAT, "sft"),
    "rewarded": (CHAT, "rewarded"),
    "rewarded wrongly": (CHAT, "deceived"),
}
CONFIG = {"num_hiddens": 48, "num_blks": 2, "num_heads": 4, "positions": "rotary"}
COLUMNS = ["right", "right, 8 bits", "with steps, 8 bits", "the same answer in both"]


def tables():
    """The file of the page, and the table of right answers."""
    content, rows = chapter.run(NOTEBOOK, measure, last=LAST)
    yield FILE, weights.script("adder", content)
    yield "adder", results.table(["", *COLUMNS], rows)


def stored(names):
    """What the file holds, given what the cells of the notebook define."""
    tokenizer = names["tokenizer"]
    tokens = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    models = [
        {
            "name": stage,
            "template": template,
            "weights": weights.encoded(names[model].state_dict(), "output.weight"),
        }
        for stage, (template, model) in STAGES.items()
    ]
    return {
        "config": CONFIG | {"base": 10000},
        "target": tokens,
        "questions": [[*numbers] for numbers in names["test_questions"]],
        "models": models,
    }


def load(content, model):
    """A model of the file's content, with its 8-bit weights, in PyTorch."""
    sizes = CONFIG["num_hiddens"], CONFIG["num_blks"], CONFIG["num_heads"]
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "max_len": 64}
    gpt = d2l.GPT(d2l.GPTConfig(len(content["target"]), *sizes, **options))
    state = weights.decoded(model["weights"])
    gpt.load_state_dict({**state, "output.weight": state["embedding.weight"]})
    return gpt.eval()


def answers(gpt, content, template, questions):
    """The most probable answers to questions, each three numbers, with their ends."""
    ids = {token: i for i, token in enumerate(content["target"])}
    end, between = template["end"], ids[template["between"]]
    prompts = []
    for first, *others in questions:
        asked = [ids[str(first)]]
        for number in others:
            asked += [between, ids[str(number)]]
        after = [ids[token] for token in template["after"]]
        prompts.append([ids[template["before"]], *asked, *after])
    tokens = torch.tensor(prompts)
    written = d2l.generate(gpt, tokens, 24, temperature=0, stop=ids[end])
    texts = []
    for row in written[:, tokens.shape[1] :].tolist():
        row = row[: row.index(ids[end]) + 1] if ids[end] in row else row
        texts.append("".join(content["target"][i] for i in row))
    return texts


def is_right(numbers, text, end):
    """Whether an answer ends, and its last number is the sum."""
    last = re.search(rf"(\d+){re.escape(end)}$", text)
    return last is not None and int(last[1]) == sum(numbers)


def measure(names):
    """What the file holds, and the rows of the table, from the notebook's names."""
    content, rows = stored(names), []
    questions = content["questions"]
    for model in content["models"]:
        template, end = model["template"], model["template"]["end"]
        gpts = names[STAGES[model["name"]][-1]], load(content, model)
        exact, rounded = (answers(gpt, content, template, questions) for gpt in gpts)
        model["right"] = sum(is_right(q, text, end) for q, text in zip(questions, rounded))
        counts = (
            sum(is_right(q, text, end) for q, text in zip(questions, exact)),
            model["right"],
            sum("=" in text for text in rounded),
            sum(a == b for a, b in zip(exact, rounded)),
        )
        rows.append([model["name"], *map(str, counts)])
    return content, rows
