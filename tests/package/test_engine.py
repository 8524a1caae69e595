"""The engine: every answer is that of the model alone, and no block is lost."""

import random as chance

import pytest
import torch
from helpers import larger, make_gpt

import d2lmini as d2l
from d2lmini.engine import TextStream

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
MAX_LEN, VOCAB = 64, 12


def gpt(**options):
    model = make_gpt(VOCAB, 24, 2, 4, max_len=MAX_LEN, **LLAMA | options)
    return larger(model).double()


def alone(model, request, **options):
    """The tokens that the model gives for a request by itself."""
    prompt = torch.tensor([request.prompt])
    found = d2l.generate(model, prompt, request.max_new_tokens, **options)
    return found[0].tolist()


def blocks_are_whole(engine):
    """Whether each block is in tables as often as it counts, or waits to be taken."""
    cache = engine.cache
    listed = [block for table in cache.tables.values() for block in table]
    for block, count in enumerate(cache.counts):
        assert listed.count(block) == count
        assert (block in cache.left) == (count == 0)
    for key, block in cache.known.items():
        assert cache.hashes[block] == key
    return True


def some_requests(number, seed):
    """Prompts of different lengths, of which some begin alike, with options."""
    draw = chance.Random(seed)
    begun = [draw.randrange(VOCAB) for _ in range(20)]
    for i in range(number):
        prompt = begun[: draw.choice((0, 0, 9, 20))]
        prompt = prompt + [draw.randrange(VOCAB) for _ in range(draw.randint(1, 24))]
        options = {"temperature": draw.choice((0, 0.7, 1)), "seed": i}
        options |= draw.choice(({}, {"top_k": 3}, {"top_p": 0.8}))
        yield prompt, draw.randint(1, 20), options


@pytest.mark.parametrize("num_draft", [0, 3])
@pytest.mark.parametrize("num_blocks", [16, 100])
@pytest.mark.parametrize("chunk", [1, 30])
def test_each_answer_is_that_of_the_model_alone(num_draft, num_blocks, chunk):
    model = gpt()
    engine = d2l.Engine(
        model,
        num_blocks=num_blocks,
        block_size=4,
        max_batch=5,
        chunk=chunk,
        num_draft=num_draft,
    )
    asked = [(engine.add(p, n, **o), o) for p, n, o in some_requests(20, chunk)]
    engine.run()
    for request, options in asked:
        assert request.tokens == alone(model, request, **options)
        assert request.finish_reason == "length"
    assert blocks_are_whole(engine) and len(engine.cache.left) == num_blocks
    assert (engine.num_preempted > 0) == (num_blocks == 16)


@pytest.mark.parametrize("bits", [8, 4])
def test_with_weights_of_few_bits(bits):
    model = d2l.quantize(gpt(), bits)
    engine = d2l.Engine(model, num_blocks=40, block_size=4, num_draft=2)
    asked = [(engine.add(p, n, **o), o) for p, n, o in some_requests(8, 3)]
    engine.run()
    assert all(r.tokens == alone(model, r, **options) for r, options in asked)


def test_what_was_read_is_found_again_and_what_was_left_first_goes_first():
    """Counted by hand, with blocks of four tokens."""
    engine = d2l.Engine(gpt(), num_blocks=6, block_size=4, max_batch=2)
    cache, first = engine.cache, [1, 2, 3, 4, 5, 6, 7, 8, 9]
    engine.add(first, 1)
    engine.run()
    assert len(cache.known) == 2 and len(cache.left) == 6
    assert cache.begin("a", first) == 8  # two full blocks
    assert cache.begin("b", first[:8]) == 4  # the last token has to be read
    assert cache.begin("c", [9, *first[1:]]) == 0
    assert cache.begin("d", [*first[:4], 9, 9, 9, 9, 9]) == 4
    for name in "abcd":
        cache.free(name)
    with torch.no_grad():
        other = [cache.extend([name], 4) for name in "wxyz"]  # the four that nobody knows
        assert len(cache.known) == 2 and len(other) == 4
        cache.extend(["last"], 4)  # of the first two the second goes, then the first
    assert cache.begin("e", first) == 4
    assert blocks_are_whole(engine)


def test_a_block_that_is_cut_back_is_not_found():
    engine = d2l.Engine(gpt(), num_blocks=6, block_size=4)
    cache, tokens = engine.cache, [1, 2, 3, 4, 5, 6, 7, 8, 9]
    request = engine.add(tokens, 2)
    engine.step()
    cache.crop(request, 6)
    assert cache.begin("a", tokens) == 4
    cache.free("a")
    assert blocks_are_whole(engine)


def test_a_shared_beginning_is_read_once():
    calls, model = [], gpt()
    engine = d2l.Engine(model, num_blocks=40, block_size=4, chunk=100)
    hook = model.register_forward_pre_hook(lambda _, args: calls.append(args[0].numel()))
    shared = [1, 2, 3, 4, 5, 6, 7, 8]
    for i in range(4):
        engine.add([*shared, i, i], 1, temperature=0)
        engine.run()
    hook.remove()
    assert calls == [9, 1] + 3 * [1, 1]


def test_a_cancelled_request_frees_its_blocks_and_changes_no_other():
    model = gpt()
    engine = d2l.Engine(model, num_blocks=60, block_size=4, max_batch=3)
    asked = [engine.add([1, 2, 3 + i], 12, temperature=1, seed=i) for i in range(5)]
    engine.step()
    for i in (0, 4):  # one that runs, and one that waits
        engine.cancel(asked[i])
    engine.run()
    assert [r.finish_reason for r in asked] == ["cancelled", *3 * ["length"], "cancelled"]
    for i in (1, 2, 3):
        assert asked[i].tokens == alone(model, asked[i], temperature=1, seed=i)
    assert len(asked[0].tokens) == 4 and len(asked[4].tokens) == 3
    assert blocks_are_whole(engine) and len(engine.cache.left) == 60


def test_a_callback_can_cancel():
    engine = d2l.Engine(gpt(), num_blocks=60)

    def enough(request, piece):
        if len(request.tokens) == 6:
            engine.cancel(request)

    request = engine.add([1, 2, 3], 12, on_token=enough)
    engine.run()
    assert len(request.tokens) == 6 and blocks_are_whole(engine)
    assert len(engine.cache.left) == 60


def test_a_token_that_stops_belongs_to_the_answer():
    model = gpt()
    engine = d2l.Engine(model, num_blocks=60)
    whole = d2l.generate(model, torch.tensor([[1, 2]]), 20, seed=0)[0].tolist()
    stop = whole[7]
    request = engine.add([1, 2], 20, seed=0, stop=stop)
    engine.run()
    assert request.tokens == whole[: 2 + whole[2:].index(stop) + 1]
    assert request.finish_reason == "stop"


def test_text_waits_while_a_letter_or_a_stop_is_not_complete():
    tokenizer = d2l.train_bpe(["a b"], 256)  # single bytes
    for stops, text, pieces, rest in (
        ((), "aé€b", ["a", "", "é", "", "", "€", "b"], ""),
        (("cab",), "xcacab!", ["x", "", "", "ca", "", ""], ""),
        (("cab",), "xca", ["x", "", ""], "ca"),
        (("zz", "b"), "azb", ["a", "", "z"], ""),
    ):
        stream = TextStream(tokenizer, stops)
        found = []
        for token in tokenizer.encode(text).ids:
            found.append(stream.add(token))
            if stream.stopped:
                break
        assert (found, stream.end()) == (pieces, rest), text


def test_what_cannot_be_is_refused():
    engine = d2l.Engine(gpt(), num_blocks=10, block_size=4)
    for options, part in (
        ({"prompt": []}, "prompt must have at least one token"),
        ({"prompt": [VOCAB]}, f"prompt must have tokens from 0 to {VOCAB - 1}"),
        (
            {"prompt": [1] * 20, "max_new_tokens": 21},
            "at most 40 tokens, and are 20",
        ),
        ({"prompt": [1], "max_new_tokens": 0}, "max_new_tokens must be an integer >= 1"),
        ({"prompt": [1], "temperature": -1}, "temperature=-1 must be >= 0"),
        ({"prompt": [1], "top_k": 0}, "top_k=0 > 0"),
        ({"prompt": "a"}, "prompt must be tokens for an engine without a tokenizer"),
        ({"prompt": [1], "stop": "a"}, "stop must be tokens for an engine without"),
    ):
        with pytest.raises(ValueError, match=part):
            engine.add(**{"max_new_tokens": 1} | options)
    assert not engine.waiting
    with pytest.raises(ValueError, match=r"cannot hold a state \(\w+\)"):
        d2l.Engine(make_gpt(9, 8, 2, 2, attention=d2l.DeltaAttention))
    with pytest.raises(ValueError, match="max_batch"):
        d2l.Engine(gpt(), max_batch=0)


@pytest.mark.weekly
@pytest.mark.parametrize("seed", range(60))
def test_a_fuzz_of_requests_that_come_and_go(seed):
    """508 requests in 60 schedules: sampled, drafted, cancelled, and preempted."""
    draw, model = chance.Random(seed), gpt()
    engine = d2l.Engine(
        model,
        num_blocks=draw.choice((16, 20, 60)),
        block_size=draw.choice((4, 5)),
        max_batch=draw.randint(1, 6),
        chunk=draw.choice((1, 5, 30)),
        num_draft=draw.choice((0, 1, 4)),
    )
    asked, coming = [], list(some_requests(8 + seed % 2, seed))
    while coming or engine.waiting or engine.running:
        if coming and draw.random() < 0.5:
            prompt, num_new, options = coming.pop()
            asked.append((engine.add(prompt, num_new, **options), options))
        if asked and draw.random() < 0.05:
            engine.cancel(draw.choice(asked)[0])
        engine.step()
        assert blocks_are_whole(engine)
    for request, options in asked:
        expected = alone(model, request, **options)
        assert request.tokens == expected[: len(request.tokens)]
        if request.finish_reason != "cancelled":
            assert len(request.tokens) == len(expected)
    assert len(engine.cache.left) == len(engine.cache.counts)


@pytest.mark.weekly
def test_a_fuzz_of_operations_on_blocks():
    """1,500 operations, against sequences that are kept as lists of tokens."""
    draw, cache = chance.Random(0), d2l.PrefixCache(gpt(), 30, block_size=3)
    texts, begun = {}, [chance.Random(1).randrange(9) for _ in range(30)]
    for i in range(1500):
        kind = draw.choice(("begin", "extend", "extend", "crop", "free"))
        name = draw.choice([*texts]) if texts else None
        if kind == "begin" or not texts:
            text = begun[: draw.randint(1, 12)] + [draw.randrange(9)] * draw.randint(0, 3)
            known = cache.begin(i, text)
            texts[i] = text[:known]
            assert known < len(text) and known % 3 == 0
        elif kind == "extend":
            new = begun[len(texts[name]) : len(texts[name]) + draw.randint(1, 4)] or [1]
            try:
                cache.extend([name], len(new))
            except ValueError:  # no room: nothing has changed
                assert len(texts[name]) == cache.lengths[name]
                continue
            texts[name] = texts[name] + new
            cache.remember(name, texts[name])
        elif kind == "crop":
            texts[name] = texts[name][: draw.randint(0, len(texts[name]))]
            cache.crop(name, len(texts[name]))
        else:
            cache.free(name)
            del texts[name]
        for name, text in texts.items():
            assert cache.lengths[name] == len(text)
            assert len(cache.tables[name]) == -(-len(text) // 3)
        listed = [block for table in cache.tables.values() for block in table]
        for block, count in enumerate(cache.counts):
            assert listed.count(block) == count and (block in cache.left) == (count == 0)
