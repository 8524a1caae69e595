"""A text of your own: compressors beside the models, and the samples below the table."""

from experiments import own_text


def test_a_compressor_that_has_read_the_training_text_needs_less():
    training, held_out = (bytes((7 * i * i) % 251 for i in range(n)) for n in (4000, 800))
    bits = own_text.compressed(training, held_out)
    assert bits["lzma, after the training text"] < bits["lzma"] / 2


def test_the_page_has_the_table_and_then_the_samples():
    text = own_text.page({"zlib": 1.911}, {"1 minute": "def main(\n\n"})
    table, _, sample = text.partition("\n\n")
    assert table.endswith("| zlib | 1.91 |")
    assert sample == "After 1 minute:\n\n```python\ndef main(\n```"
