"""Every attention × every way to decode: the same text, or a refusal with the reason."""

import copy
from functools import partial

import pytest
import torch
from helpers import assert_close, make_gpt
from torch import nn

import d2lmini as d2l
from d2lmini import efficient_attention

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary"}
WINDOW = partial(d2l.WindowAttention, window=5)
ROTARY = partial(d2l.WindowAttention, window=5, rotary=d2l.RotaryEncoding(6))
LATENT = partial(d2l.LatentAttention, num_latents=10, rotary_width=4)
TOKENS = {  # keeps something of each token, which can be left out or taken back
    "softmax": {},
    "rotary": LLAMA,
    "grouped": {**LLAMA, "num_kv_heads": 2},
    "latent": {**LLAMA, "attention": LATENT},
    "latent, learned positions": {"attention": LATENT},
    "window": {"attention": WINDOW},
    "rotary window": {**LLAMA, "attention": ROTARY},
    "every second a window": {**LLAMA, "attention": [ROTARY, None]},
}
STATES = {  # keeps a state, which every token changes
    "linear": {"attention": d2l.LinearAttention},
    "gated linear": {"attention": partial(d2l.LinearAttention, gated=True, conv=3)},
    "delta": {"attention": d2l.DeltaAttention},
    "gated delta": {"attention": partial(d2l.DeltaAttention, gated=True, conv=4)},
    "window with a convolution": {"attention": partial(WINDOW, conv=3)},
    "every second a memory": {**LLAMA, "attention": [d2l.DeltaAttention, None]},
}
ALL = TOKENS | STATES
tokens_kept = pytest.mark.parametrize("options", TOKENS.values(), ids=TOKENS)
states_kept = pytest.mark.parametrize("options", STATES.values(), ids=STATES)
every_kind = pytest.mark.parametrize("options", ALL.values(), ids=ALL)


def test_every_layer_is_tried():
    layers = {
        name
        for name in efficient_attention.__all__
        if "cache" in getattr(getattr(d2l, name), "forward", d2l.plot).__code__.co_varnames
    }
    tried = {layer.__name__ for options in ALL.values() for layer in layers_of(options)}
    assert layers == tried | {"CausalAttention"}  # which is what the others have in common


def layers_of(options):
    """The classes of the layers in the options of a model."""
    given = options.get("attention")
    for make in given if isinstance(given, list) else [given]:
        while isinstance(make, partial):
            make = make.func
        if make is not None:
            yield make


LENGTHS, NUM_NEW = [3, 9, 1, 14, 6], 12


def model_of(options, seed=0):
    """A model in double precision, in which no two texts differ by rounding."""
    torch.manual_seed(seed)
    model = make_gpt(40, 24, 2, 4, max_len=40, tied=False, **options)
    for W in model.parameters():  # so large that texts do not repeat themselves
        nn.init.normal_(W)
    return model.double().eval().requires_grad_(False)


def some_prompts():
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(40, (n,), generator=generator) for n in LENGTHS]


def continued(model, prompt):
    """The greedy text by full passes, without a cache: how it should be."""
    for _ in range(NUM_NEW):
        new = model(prompt[None])[0, -1:].argmax(dim=-1)
        prompt = torch.cat((prompt, new))
    return prompt.tolist()


def expected(model):
    texts = [continued(model, prompt) for prompt in some_prompts()]
    assert len({tuple(text[-NUM_NEW:]) for text in texts}) > 1
    return texts


@every_kind
def test_token_by_token(options):
    model = model_of(options)
    for prompt, text in zip(some_prompts(), expected(model)):
        assert d2l.generate(model, prompt[None], NUM_NEW, temperature=0)[0].tolist() == text


@every_kind
@pytest.mark.parametrize("sizes", [[1] * 12, [5, 1, 6], [12], [1, 11]])
def test_in_chunks(options, sizes):
    model, caches = model_of(options), None
    tokens = torch.randint(40, (3, 12), generator=torch.Generator().manual_seed(2))
    caches = model.make_caches()
    logits = [model(chunk, caches) for chunk in tokens.split(sizes, dim=1)]
    assert_close(torch.cat(logits, dim=1), model(tokens), 1e-9)
    assert {cache.num_tokens for cache in caches} == {12}


@every_kind
@pytest.mark.parametrize("max_batch", [1, 2, 5])
def test_by_a_scheduler(options, max_batch):
    model = model_of(options)
    scheduler = d2l.Scheduler(model, max_batch)
    for name, prompt in enumerate(some_prompts()):
        scheduler.add(name, prompt, NUM_NEW - name)  # not all leave at once
    answers = scheduler.run()
    for name, (prompt, text) in enumerate(zip(some_prompts(), expected(model))):
        end = len(text) - name
        assert answers[name].tolist() == text[len(prompt) : end]


@every_kind
@pytest.mark.parametrize("bits", [8, 4])
def test_with_weights_of_few_bits(options, bits):
    model = d2l.quantize(model_of(options), bits)
    for prompt, text in zip(some_prompts(), expected(model)):
        assert d2l.generate(model, prompt[None], NUM_NEW, temperature=0)[0].tolist() == text


@tokens_kept
def test_in_a_batch_of_unequal_prompts(options):
    model = model_of(options)
    texts = d2l.generate_batch(model, some_prompts(), NUM_NEW, temperature=0)
    assert [text.tolist() for text in texts] == expected(model)


@tokens_kept
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_with_a_paged_cache(options, block_size):
    model, prompts = model_of(options), some_prompts()
    paged, names = d2l.PagedCache(model, 140, block_size), [*range(len(prompts))]
    logits = [model(p[None], paged.extend([i], len(p))) for i, p in enumerate(prompts)]
    new = torch.cat([row[:, -1].argmax(dim=-1, keepdim=True) for row in logits])
    answers = [new]
    for _ in range(NUM_NEW - 1):
        new = model(new, paged.extend(names))[:, -1].argmax(dim=-1, keepdim=True)
        answers.append(new)
    for answer, prompt, text in zip(torch.cat(answers, 1), prompts, expected(model)):
        assert answer.tolist() == text[len(prompt) :]


@tokens_kept
@pytest.mark.parametrize("num_draft", [1, 4])
@pytest.mark.parametrize("good", [True, False])
def test_with_drafted_tokens(options, num_draft, good):
    model = model_of(options)
    drafts = [model if good else model_of(options, seed=1), d2l.prompt_lookup]
    for prompt, text in zip(some_prompts(), expected(model)):
        for draft in drafts:
            found, _ = d2l.speculative_generate(
                model, draft, prompt[None], NUM_NEW, temperature=0, num_draft=num_draft
            )
            assert found[0].tolist() == text


@states_kept
def test_what_a_state_cannot_do_is_refused_with_the_reason(options):
    model, prompts = model_of(options), some_prompts()
    with pytest.raises(ValueError, match=r"a state \(\w+\), which cannot leave"):
        d2l.generate_batch(model, prompts, 3)
    with pytest.raises(ValueError, match=r"cannot hold a state \(\w+\)"):
        model(prompts[0][None], d2l.PagedCache(model, 40).extend(["a"], 3))
    for draft in (model, d2l.prompt_lookup):
        with pytest.raises(ValueError, match="no token can be taken out of it"):
            d2l.speculative_generate(model, draft, prompts[1][None], 9)
    # A layer that keeps no state can do it, and batches of equal prompts are no problem.
    tokens = torch.stack([prompts[1], prompts[3][:9]])
    both = d2l.generate(model, tokens, NUM_NEW, temperature=0)
    assert both[0].tolist() == continued(model, prompts[1])


@tokens_kept
@pytest.mark.parametrize("num_tokens", [0, 7, 11, 12])
def test_a_cache_is_cut_back_and_rows_are_chosen(options, num_tokens):
    model = model_of(options)
    tokens = torch.randint(40, (3, 12), generator=torch.Generator().manual_seed(2))
    caches, other = model.make_caches(spare=12), tokens.flip(0)[:, num_tokens:]
    model(tokens, caches)
    cropped = [cache.crop(num_tokens).select([2, 1]) for cache in caches]
    if num_tokens < 12:
        text = torch.cat((tokens[[2, 1], :num_tokens], other[[2, 1]]), dim=1)
        found = model(other[[2, 1]], cropped)
        assert_close(found, model(text)[:, num_tokens:], 1e-9)
    for cache in caches:  # as they were
        assert cache.num_tokens == 12
        assert {X.shape[-2] for X in cache.tensors.values()} == {12}
        with pytest.raises(ValueError, match="num_tokens must be from 0 to 12, and is 13"):
            cache.crop(13)


def test_a_window_keeps_the_spare_tokens_and_says_when_they_do_not_suffice():
    model, tokens = model_of({"attention": WINDOW}), torch.arange(20)[None]
    for spare, kept in [(0, 4), (3, 7)]:
        caches = model.make_caches(spare=spare)
        model(tokens, caches)
        assert {X.shape for X in caches[0].tensors.values()} == {(1, 4, kept, 6)}
        crop = caches[0].crop
        assert crop(20 - spare).num_tokens == 20 - spare
        with pytest.raises(ValueError, match=f"num_tokens must be from {20 - spare} to 20"):
            crop(20 - spare - 1)


@pytest.mark.parametrize("name", ["window", "rotary window"])
@pytest.mark.parametrize("first", [18, 16])
def test_what_a_crop_has_taken_cannot_be_taken_again(name, first):
    model, tokens = model_of(ALL[name]), torch.arange(20)[None]
    caches = model.make_caches(spare=4)
    model(tokens, caches)
    caches = [cache.crop(first) for cache in caches]
    with pytest.raises(ValueError, match=f"num_tokens must be from 16 to {first}"):
        caches[0].crop(12)
    assert_close(model(tokens[:, first:], caches), model(tokens)[:, first:], 1e-9)
    other, _ = (model.make_caches(), caches)
    model(tokens, other)
    stacked = d2l.PaddedCache.stack([caches[0], other[0]])
    with pytest.raises(ValueError, match="num_tokens must be from 20 to 20"):
        stacked.crop(19)


@every_kind
def test_a_copy_goes_its_own_way(options):
    model, tokens = model_of(options), torch.arange(12)[None]
    caches = model.make_caches()
    model(tokens[:, :4], caches)
    copies = [copy.copy(cache) for cache in caches]
    model(tokens[:, 7:], copies)
    assert_close(model(tokens[:, 4:], caches), model(tokens)[:, 4:], 1e-9)
    assert [cache.crop(12).num_tokens for cache in caches] == [12, 12]  # all of it


def test_caches_that_do_not_fit_are_refused():
    model, tokens = model_of({}), torch.arange(5)[None]
    one, (first, second) = d2l.Cache(), model.make_caches()
    first.num_tokens = 3  # a call was interrupted
    for caches in ([one, one], [one], [first, second]):
        with pytest.raises(ValueError, match="caches must be 2 different ones, as make_ca"):
            model(tokens, caches)
    paged = d2l.PagedCache(model, 40)
    with pytest.raises(ValueError, match="num_new must be 5, and is 6"):
        model(tokens, paged.extend(["a"], 6))
    paged.crop("a", 0)
    caches = paged.extend(["a"], 5)
    model(tokens, caches)
    with pytest.raises(ValueError, match="for one call: see extend and crop"):
        caches[0].crop(2)
    with pytest.raises(ValueError, match="names must differ, not "):
        paged.extend(["a", "a"])
    with pytest.raises(ValueError, match="rope_type must be 'llama3', and is 'yarn'"):
        make_gpt(9, 8, 1, 2, positions="rotary", rope_scaling={"rope_type": "yarn"})


def test_a_text_goes_on_with_its_last_token():
    model, prompt = model_of({}), some_prompts()[1][None]
    caches = model.make_caches()
    text = d2l.generate(model, prompt, 5, temperature=0, caches=caches)
    more = d2l.generate(model, text[:, -1:], 7, temperature=0, caches=caches)
    assert text[0].tolist() + more[0, 1:].tolist() == continued(model, prompt[0])


def test_a_paged_sequence_is_cut_back_and_gives_its_blocks_back():
    model, tokens = model_of({}), torch.arange(20)
    paged = d2l.PagedCache(model, 8, block_size=4)
    model(tokens[None, :15], paged.extend(["a"], 15))
    paged.fork("a", "b")
    paged.crop("a", 6)
    assert paged.lengths == {"a": 6, "b": 15} and paged.counts == [2, 2, 1, 1, 0, 0, 0, 0]
    found = model(tokens[None, 15:], paged.extend(["a"], 5))  # the second block is copied
    text = torch.cat((tokens[:6], tokens[15:]))[None]
    assert_close(found, model(text)[:, 6:], 1e-9)
    found = model(tokens[None, 15:], paged.extend(["b"], 5))
    assert_close(found, model(tokens[None])[:, 15:], 1e-9)
    with pytest.raises(ValueError, match="num_tokens must be at most 11, and is 12"):
        paged.crop("a", 12)


NUMBERS = {  # in 8 bytes each: for a token and a layer, and for a layer
    "softmax": (2 * 24, 0),
    "grouped": (2 * 2 * 6, 0),
    "latent": (10 + 4, 0),
    "rotary window": (0, 4 * 2 * 24),  # the token itself comes anew
    "linear": (0, 4 * 6 * 7),
    "gated delta": (0, 4 * 6 * 6 + 3 * 3 * 24),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_bytes_of_a_cache_are_those_of_what_it_keeps(name):
    model, (of_a_token, fixed) = model_of(ALL[name]), NUMBERS[name]
    for n in (10, 30):
        caches = model.make_caches()
        model(torch.zeros(2, n, dtype=torch.long), caches)
        assert {cache.nbytes for cache in caches} == {2 * 8 * (n * of_a_token + fixed)}
