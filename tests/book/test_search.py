"""The search in a browser: what a reader looks for is found, and found first.

Slow, and needs a built book (`make book`) and Chromium or Chrome.
"""

import re

import pytest

pytestmark = pytest.mark.slow
KV_CACHE = "notebooks/07_transformer_parts#decoding-with-a-keyvalue-cache"
GROUPED = "notebooks/11_gpt#attention-with-rotary-positions-grouped-queries-and-a-cache"
GPT = "notebooks/11_gpt#from-the-transformer-to-llama"
HELP = "book/index#report-a-mistake-or-contribute"
SEARCHES = {  # what a reader looks for, and the section that must come first
    "Trainer": "notebooks/00_training#model-data-and-trainer-as-three-classes",
    "BLEU": "notebooks/00_translation#bleu",
    "attention": "notebooks/01_queries_keys_values#what-a-word-asks-offers-and-hands-over",
    "temperature": "notebooks/01_queries_keys_values#everybody-answers-a-little",
    "how do I mask padding": "notebooks/03_scoring_functions#padding",
    "masking padding": "notebooks/03_scoring_functions#padding",
    "dropout": "notebooks/03_scoring_functions#scaled-dot-product-attention",
    "why divide by sqrt d": "notebooks/03_scoring_functions#scaling-by-d",
    "divide by sqrt(d_k)": "notebooks/03_scoring_functions#scaling-by-d",
    "multi-head attention": "notebooks/05_multi_head#definition",
    "MultiHeadAttention": "notebooks/05_multi_head#the-layer",
    "positional encoding": "notebooks/06_positional_encoding#positional-encodings",
    "rotary": "notebooks/06_positional_encoding#rotary-encoding",
    "RoPE": "notebooks/06_positional_encoding#rotary-encoding",
    "self attention complexity": "notebooks/06_positional_encoding#self-attention",
    "transformer from scratch": "notebooks/07_transformer#the-whole-model-on-one-screen",
    "attention is all you need": "notebooks/07_transformer#the-architecture",
    "layer norm": "notebooks/07_transformer#residual-connections-and-layer-normalisation",
    "kv cache": KV_CACHE,
    "KV-cache": KV_CACHE,
    "key-value cache": KV_CACHE,
    "key–value caching": KV_CACHE,
    "bert": "notebooks/10_pretraining#predicting-masked-tokens",
    "gpt2 pytorch": GPT,
    "gpt-2": GPT,
    "top-p": "notebooks/11_gpt#the-distribution-of-the-next-token",
    "grouped query attention": GROUPED,
    "induction head": "notebooks/11_gpt_heads#where-their-weight-goes",
    "logit lens": "notebooks/11_gpt_heads#what-it-would-say-after-each-layer",
    "linear attention": "notebooks/13_efficient_attention#a-memory-of-fixed-size",
    "state space model": "notebooks/13_efficient_attention#a-memory-of-fixed-size",
    "LoRA": "notebooks/12_post_training#low-rank-adaptation",
    "install": "book/index#run-the-notebooks",
    "set_axes": "book/names/drawing#d2lmini.set_axes",
    "license": HELP,
    "licence": HELP,
    "contribute": HELP,
    "how to contribute": HELP,
    "report a mistake": HELP,
}

# What Sphinx does with the words of the address, again for others.
SEARCH = """words => {
  document.getElementById("search-results").replaceChildren();
  Search.performSearch(words);
}"""


def test_the_search_answers_while_one_types(open_page):
    page = open_page("book/index.html")
    index = page.locator("script[src*='sections.js']")
    assert index.count() == 0  # it is read when somebody searches
    page.keyboard.press("Control+k")
    page.keyboard.type("masked softmax")
    first = page.locator("#search-results ul.search li a").first
    first.wait_for()
    assert index.count() == 1 and page.faults == []
    assert "3" in first.text_content()


def test_the_search_finds_the_section_first_and_shows_no_latex(open_page):
    page = open_page("search.html?q=of+the+address")
    results = page.locator("#search-results ul.search li")
    results.first.wait_for()
    first = {}
    for words in SEARCHES:
        page.evaluate(SEARCH, words)
        results.first.wait_for()
        first[words] = results.locator("a").first.get_attribute("href")
        told = " ".join(results.all_text_contents())
        assert not re.search(r"\\\(|\\\w|\$", told), told
    expected = {words: target.replace("#", ".html#") for words, target in SEARCHES.items()}
    assert first == expected


def test_the_search_says_that_it_found_nothing(open_page):
    page = open_page("search.html?q=xylophone")
    page.get_by_text("No section of this course mentions “xylophone”.").wait_for()
    assert page.locator("#search-results li").count() == 0 and page.faults == []
