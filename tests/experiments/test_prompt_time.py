"""What a prompt costs in seconds: each is read in one call, and continued greedily."""

import torch
from helpers import make_gpt

import d2lmini
from experiments import prompt_time


def test_each_prompt_is_read_in_one_call_and_continued_from_its_cache():
    torch.manual_seed(0)
    model = make_gpt(50, 16, 2, 2, max_len=64, positions="rotary").eval()
    tokens = torch.randint(50, (32,), generator=torch.Generator().manual_seed(1))
    read = []
    model.register_forward_pre_hook(lambda model, inputs: read.append(inputs[0].shape[1]))
    found = prompt_time.measure(model, tokens, turns=2, lengths=(8, 32))
    steps = [1] * prompt_time.NEW
    assert read == [8, *steps, *2 * [8, *steps, 32, *steps]]
    assert [*found] == [8, 32] and all(min(times) > 0 for times in found.values())
    assert [each[-1] for each in found.values()] == [2 * 2 * 4 * 16 * n for n in (8, 32)]


def test_the_tokens_are_those_of_greedy_decoding():
    torch.manual_seed(0)
    model, tokens = make_gpt(50, 16, 2, 2, max_len=64).eval(), torch.arange(8)
    caches, new = model.make_caches(), tokens
    for _ in range(3):
        new, _ = prompt_time.call(model, new, caches)
        tokens = torch.cat((tokens, new))
    assert tokens.equal(d2lmini.generate(model, tokens[None, :8], 3, temperature=0)[0])


def test_the_table_has_times_and_their_ratios_to_the_shortest_prompt():
    found = {100: [0.5, 0.04, 5e6], 1600: [16.0, 0.06, 80e6]}
    assert prompt_time.page(found).splitlines()[2:] == [
        "| 100 | 0.5 | 1 | 5.0 | 40 | 1.0 | 5 |",
        "| 1,600 | 16.0 | 32 | 10.0 | 60 | 1.5 | 80 |",
    ]
