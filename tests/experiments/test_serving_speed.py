"""How fast a model serves: the work that is counted, and the table."""

import pytest
import torch
from helpers import make_gpt

from experiments import serving_speed

NUM_NEW, LENGTH = 5, 6


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 1}
    return make_gpt(50, 16, 2, 2, max_len=32, **options).eval()


@pytest.fixture(scope="module")
def tokens():
    generator = torch.Generator().manual_seed(1)
    return torch.randint(50, (3, LENGTH), generator=generator)


def test_the_operations_are_those_of_the_tokens_that_a_model_reads(model, tokens):
    blocks = 2 * (16 * (16 + 8 + 8 + 16) + 3 * 16 * (8 * 16 // 3))
    output = 50 * 16
    cached = LENGTH + NUM_NEW - 1
    every = sum(range(LENGTH, LENGTH + NUM_NEW))
    expected = {
        serving_speed.without_cache: (every, every),
        serving_speed.all_logits: (cached, cached),
        serving_speed.last_logits: (cached, NUM_NEW),
    }
    models = serving_speed.kinds(model)
    for answer, (num_read, num_logits) in expected.items():
        for kind in ("float32", "8 bits"):
            row = serving_speed.Row(kind, answer)
            _, _, work = serving_speed.run(row, models, tokens, NUM_NEW, alone=1)
            assert work.calls == NUM_NEW
            assert work.operations == 2 * (num_read * blocks + num_logits * output)


def test_a_call_reads_each_weight_once_in_its_own_kind_of_numbers(model):
    models = serving_speed.kinds(model)
    read = {kind: serving_speed.Work(each).bytes_a_call for kind, each in models.items()}
    numbers = sum(W.numel() for W in model.parameters())  # the embedding is tied
    assert read["float32"] == 4 * numbers and read["bfloat16"] == 2 * numbers
    gains = sum(W.numel() for W in model.parameters() if W.ndim == 1)
    layers = [m for m in models["8 bits"].modules() if hasattr(m, "integers")]
    scales = sum(layer.out_features for layer in {id(m): m for m in layers}.values())
    assert read["8 bits"] == numbers - gains + 4 * (gains + scales)


def test_tokens_count_up_to_the_first_that_differs():
    expected = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 0]])
    answers = torch.tensor([[1, 2, 9, 4], [5, 6, 7, 8]])
    assert serving_speed.same_beginning(answers, expected) == 3


def test_a_ratio_is_one_within_a_turn():
    first, second, *_ = serving_speed.ROWS  # in float32
    work = {"same": 4.0, "bytes": 2e9, "operations": 3e9}
    found = {
        first: {"seconds": [1.0, 2.0, 8.0], **work},
        second: {"seconds": [0.5, 0.5, 1.0], **work},
    }
    speeds = {"copy": 1e11, "float32": 1e12, "bfloat16": 2e12, "8 bits": 4e12}
    text = serving_speed.page(found, speeds, {"float32": 0.75, "8 bits": 0.7781})
    rows = [
        f"| {first} | 0.5 | 1.0 | 2,000.0 | 20.0 | 3.0 | 4 |",
        f"| {second} | 2.0 | 4.0 | 500.0 | 20.0 | 3.0 | 4 |",
    ]
    assert text.splitlines()[2:4] == rows and "A copy moves 100.0 GB" in text
    assert text.endswith("of the prompts are 0.750 (float32), 0.778 (8 bits).")
