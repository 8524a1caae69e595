"""How fast a model serves: equal answers, work that is counted, and the table."""

import pytest
import torch

import d2lmini
from tools.measure import results, serving

NUM_NEW, LENGTH = 5, 6


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 1}
    return d2lmini.GPT(50, 16, 2, 2, max_len=32, **options).eval()


@pytest.fixture(scope="module")
def tokens():
    generator = torch.Generator().manual_seed(1)
    return torch.randint(50, (3, LENGTH), generator=generator)


@pytest.mark.parametrize("title", serving.ROWS)
def test_each_row_answers_all_its_readers_with_new_tokens(model, tokens, title):
    row = serving.ROWS[title]
    models = serving.kinds(model)
    answers, seconds, work = serving.run(row, models, tokens, NUM_NEW, alone=2)
    readers = 3 if row.together else 1 if row.answer is serving.without_cache else 2
    assert answers.shape == (readers, NUM_NEW)
    assert seconds > 0 and 1 <= work.calls <= readers * NUM_NEW
    if row.kind == "float32":
        expected = serving.last_logits(model, tokens, NUM_NEW)[:, LENGTH:]
        assert torch.equal(answers, expected[:readers])
        assert serving.same_beginning(answers, expected) == NUM_NEW


def test_the_operations_are_those_of_the_tokens_that_a_model_reads(model, tokens):
    blocks = 2 * (16 * (16 + 8 + 8 + 16) + 3 * 16 * (8 * 16 // 3))
    output = 50 * 16
    cached = LENGTH + NUM_NEW - 1
    every = sum(range(LENGTH, LENGTH + NUM_NEW))
    expected = {
        serving.without_cache: (every, every),
        serving.all_logits: (cached, cached),
        serving.last_logits: (cached, NUM_NEW),
    }
    models = serving.kinds(model)
    for answer, (num_read, num_logits) in expected.items():
        for kind in ("float32", "8 bits"):
            row = serving.Row(kind, answer)
            _, _, work = serving.run(row, models, tokens, NUM_NEW, alone=1)
            assert work.calls == NUM_NEW
            assert work.operations == 2 * (num_read * blocks + num_logits * output)


def test_a_call_reads_each_weight_once_in_its_own_kind_of_numbers(model):
    models = serving.kinds(model)
    read = {kind: serving.Work(each).bytes_a_call for kind, each in models.items()}
    numbers = sum(W.numel() for W in model.parameters())  # the embedding is tied
    assert read["float32"] == 4 * numbers and read["bfloat16"] == 2 * numbers
    gains = sum(W.numel() for W in model.parameters() if W.ndim == 1)
    layers = [m for m in models["8 bits"].modules() if hasattr(m, "integers")]
    scales = sum(layer.out_features for layer in {id(m): m for m in layers}.values())
    assert read["8 bits"] == numbers - gains + 4 * (gains + scales)


def test_tokens_count_up_to_the_first_that_differs():
    expected = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 0]])
    answers = torch.tensor([[1, 2, 9, 4], [5, 6, 7, 8]])
    assert serving.same_beginning(answers, expected) == 3


def test_a_ratio_is_one_within_a_turn():
    rows = {name: serving.Row("float32", serving.last_logits) for name in ("a", "b")}
    work = {"same": 4.0, "bytes": 2e9, "operations": 3e9}
    found = {
        "a": {"seconds": [1.0, 2.0, 8.0], **work},
        "b": {"seconds": [0.5, 0.5, 1.0], **work},
    }
    speeds = {"copy": 1e11, "float32": 1e12, "bfloat16": 2e12, "8 bits": 4e12}
    text = serving.table(found, speeds, {"float32": 0.75, "8 bits": 0.7781}, rows)
    assert text.startswith(results.head(serving.COLUMNS))
    assert "\n| a | 0.5 | 1.0 | 2,000.0 | 20.0 | 3.0 | 4 |\n" in text
    assert "\n| b | 2.0 | 4.0 | 500.0 | 20.0 | 3.0 | 4 |\n\nA copy moves 100.0 GB" in text
    assert text.endswith("of the prompts are 0.750 (float32), 0.778 (8 bits).")


def test_all_rows_are_measured_in_each_turn(model, tokens):
    found = serving.measure(model, torch.cat((tokens, tokens), 1), NUM_NEW, 2, alone=1)
    assert [*found] == [*serving.ROWS]
    assert all(len(each["seconds"]) == 2 for each in found.values())
    lookup, plain = found["8 bits, prompt lookup"], found["8 bits"]
    assert lookup["same"] == plain["same"] and lookup["bytes"] <= plain["bytes"]


def test_the_bits_are_those_of_the_model_with_each_kind_of_numbers(model, tokens):
    found = serving.bits(model, tokens, 40)
    expected = d2lmini.bits_per_byte(model, tokens.flatten(), 40, LENGTH)
    assert found["float32"] == expected
    assert all(abs(value - expected) < 0.05 * expected for value in found.values())


def test_the_machine_has_a_speed_for_each_kind_of_numbers():
    speeds = serving.machine(size=64, length=2**12)
    assert {"copy", *(row.kind for row in serving.ROWS.values())} == {*speeds}
    assert min(speeds.values()) > 0
