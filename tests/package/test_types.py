"""Annotations of public signatures: a type checker finds mistakes, and they are true."""

import inspect
import re
import shutil
import subprocess
import sys
import typing
from functools import partial

import pytest
import torch
from helpers import make_gpt

import d2lmini as d2l
from tools import ROOT

# Lines with mistakes that people make, and lines without.
PLANTED = """\
import torch

import d2lmini as d2l

tokens = torch.zeros(1, 3, dtype=torch.long)
model = d2l.GPT(d2l.GPTConfig(9, 8, 2, 4, norm="rms", positions="rotary"))
d2l.GPTConfig(9, 8, 2, 4, norm="rmss")  # wrong
d2l.GPTConfig(9, 8, 2, "4")  # wrong
d2l.GPT(9)  # wrong
d2l.generate(model, tokens, 12, top_p=0.9)
d2l.generate_tokens(model, tokens, 12, top_p="0.9")  # wrong
d2l.generate(model, tokens, "12")  # wrong
d2l.generate(model, "a text", 12)  # wrong
d2l.complete(model, None, tokens)  # wrong
d2l.next_token_probs("a", 1.0)  # wrong
d2l.bits_per_byte(model, "a text", 6)  # wrong
d2l.TokenWindows("a text", 3)  # wrong
d2l.train_gpt(tokens[0], 2, vocab_size=9, precision="bf16")  # wrong
d2l.TransformerLM(9, 8, 8, 2, 1, 0, "prefixed")  # wrong
d2l.valid_lens_for("causality", [3], 3)  # wrong
d2l.Trainer(1, warmup=3, precision="bf16-mixed")
d2l.Trainer(1, precision="16")  # wrong
d2l.Trainer("1")  # wrong
d2l.MTFraEng(64, source="tatoebas")  # wrong
d2l.quantize_tensor(torch.ones(2, 2), "8")  # wrong
d2l.QuantizedLinear(torch.ones(2, 2), bits=3)  # wrong
d2l.quantize(model, 4, 32)
d2l.quantize(model, 5)  # wrong
d2l.Scheduler(model, "8")  # wrong
d2l.speculative_generate(model, model, "a text", 12)  # wrong
d2l.encode_answers(None, "a question", ["an answer"], "<|end|>")  # wrong
d2l.stream(model, None, tokens, "<|end|>")  # wrong
"""


@pytest.mark.weekly
def test_a_type_checker_finds_the_planted_mistakes_and_no_others(tmp_path):
    if not shutil.which("pyright"):
        pytest.skip("pyright is not installed")
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(
        f'{{"extraPaths": ["{ROOT.as_posix()}"]}}', encoding="utf-8"
    )
    command = ["pyright", "--pythonpath", sys.executable]
    options = {"stdout": subprocess.PIPE, "encoding": "utf-8"}
    done = subprocess.run(command, cwd=tmp_path, **options)
    found = {
        int(line) for line in re.findall(r"planted\.py:(\d+):\d+ - error", done.stdout)
    }
    lines = PLANTED.splitlines()
    assert found == {i for i, line in enumerate(lines, 1) if line.endswith("# wrong")}


W = torch.ones(2, 4)
CHOICES = {  # calls with one argument of which only some values are allowed
    "norm": (d2l.GPTConfig, partial(make_gpt, 9, 8, 1, 2)),
    "ffn": (d2l.GPTConfig, partial(make_gpt, 9, 8, 1, 2)),
    "positions": (d2l.GPTConfig, partial(make_gpt, 9, 8, 1, 2)),
    "precision": (d2l.Trainer, partial(d2l.Trainer, 1)),
    "mask": (d2l.TransformerLM, partial(d2l.TransformerLM, 9, 8, 8, 2, 1, 0)),
    "bits": (d2l.QuantizedLinear, partial(d2l.QuantizedLinear, W)),
}


@pytest.mark.parametrize("name", CHOICES)
def test_the_annotated_values_are_those_that_are_accepted(name):
    function, call = CHOICES[name]
    values = typing.get_args(inspect.signature(function).parameters[name].annotation)
    for value in values:
        call(**{name: value})
    with pytest.raises(ValueError, match=name):
        call(**{name: 5})


def test_values_that_are_named_twice_are_the_same():
    def annotation(function, name):
        return inspect.signature(function).parameters[name].annotation

    assert annotation(d2l.train_gpt, "precision") == annotation(d2l.Trainer, "precision")
    assert annotation(d2l.valid_lens_for, "mask") == annotation(d2l.TransformerLM, "mask")
    assert annotation(d2l.quantize, "bits") == annotation(d2l.QuantizedLinear, "bits")
