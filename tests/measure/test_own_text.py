"""A text of your own: models that are kept, bits per byte, and samples."""

import torch

import d2lmini
from tools.measure import own_text

SIZES = {"num_hiddens": 16, "num_blks": 1, "n": 8, "batch_size": 2, "lr": 0.003}
TEXT = "def main(argument):\n    return argument\n"


def test_a_model_is_trained_once_and_each_row_has_its_bits(tmp_path, monkeypatch):
    monkeypatch.setattr(own_text, "VOCAB_SIZE", 300)
    texts = [TEXT * 20, TEXT], [TEXT * 3]
    rows, samples = own_text.measure(texts, {"1 minute": 3}, tmp_path, SIZES)
    assert [*rows] == ["1 minute, 3 updates", *own_text.compressed(b"", b"a")]
    assert all(bits > 0 for bits in rows.values())
    assert samples["1 minute"].startswith(own_text.PROMPT)
    (kept,) = tmp_path.iterdir()
    time = kept.stat().st_mtime_ns
    again = own_text.measure(texts, {"1 minute": 3}, tmp_path, SIZES)
    assert again == (rows, samples) and kept.stat().st_mtime_ns == time


def test_a_kept_model_has_the_weights_of_its_training(tmp_path):
    tokens = torch.arange(60) % 7
    model, kept = (own_text.trained(tokens, 2, tmp_path, SIZES) for _ in range(2))
    fresh = d2lmini.train_gpt(tokens, 1, vocab_size=own_text.VOCAB_SIZE, **SIZES)
    one, two, other = (m.output.weight for m in (model, kept, fresh))
    assert torch.equal(one, two) and not torch.equal(one, other)


def test_a_compressor_that_has_read_the_training_text_needs_less():
    training, held_out = (bytes((7 * i * i) % 251 for i in range(n)) for n in (4000, 800))
    bits = own_text.compressed(training, held_out)
    assert bits["lzma, after the training text"] < bits["lzma"] / 2


def test_the_page_has_the_table_and_then_the_samples():
    text = own_text.page({"zlib": 1.911}, {"1 minute": "def main(\n\n"})
    table, _, sample = text.partition("\n\n")
    assert table.endswith("| zlib | 1.91 |")
    assert sample == "After 1 minute:\n\n```python\ndef main(\n```"
