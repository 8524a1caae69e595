"""The results of the exam's questions on chapters 7 to 12, computed with the package."""

import dataclasses
import math
from itertools import accumulate

import pytest
import torch
from torch import nn

import d2lmini as d2l
from grading.exam import draw, templates

attend = nn.functional.scaled_dot_product_attention


def column(numbers):
    return torch.tensor([[float(number)] for number in numbers])


def two_norms(x, w, b, u):
    x, ffn, norm = torch.tensor([x]).float(), d2l.PositionWiseFFN(1, 4), nn.LayerNorm(4)
    ffn(x)
    with torch.no_grad():
        ffn.dense1.weight.copy_(torch.tensor([w]))
        ffn.dense1.bias.fill_(b)
        ffn.dense2.weight.copy_(column(u))
        ffn.dense2.bias.zero_()
    post, normalised = d2l.AddNorm(4, dropout=0)(x, ffn(x)), norm(x)
    return {
        "post-norm": post[0],
        "normalised": normalised[0],
        "pre-norm": (x + ffn(normalised))[0],
    }


def decoding_step(base, keys, values, blocks, n):
    layer, K, V = d2l.DotProductAttention(dropout=0), column(keys), column(values)
    Q = torch.full((1, 4, 1), math.log(base))
    output = layer(Q, K[None], V[None], mask=d2l.causal_mask(4))[0, 3]
    decoder = d2l.TransformerDecoder(5, 4, 4, 1, blocks, dropout=0).eval()
    projected = []
    for block in decoder.blks:
        block.attention1.W_k.register_forward_hook(
            lambda layer, inputs, keys: projected.append(keys.shape[1])
        )
    start = decoder.init_state(torch.ones(1, 2, 4))
    tokens, state = torch.ones(1, n, dtype=torch.long), start
    for t in range(n):
        _, state = decoder(tokens[:, t : t + 1], state)
    cached = sum(projected)
    for t in range(n):
        decoder(tokens[:, : t + 1], start)
    return {
        "weights": layer.attention_weights[0, 3],
        "output": output,
        "cached": cached,
        "again": sum(projected) - cached,
    }


def patches_and_weights(C, H, W, s, d, row, column):
    def model(side):
        net = d2l.ViT((H, W), side, d, d, 1, 1, 0, 0)
        net(torch.zeros(1, C, H, W))
        return net

    net, image = model(s), torch.zeros(1, C, H, W)
    image[..., row, column] = 1
    embedding = net.patch_embedding
    moved = (embedding(image) - embedding(torch.zeros_like(image))).abs().sum(dim=-1)
    first = [*embedding.parameters(), net.cls_token, net.pos_embedding]
    return {
        "patches": embedding.num_patches,
        "width": embedding.conv.weight[0].numel(),
        "patch": moved.argmax() + 1,
        "parameters": sum(parameter.numel() for parameter in first),
        "weights": net.attention_weights[0][0].numel(),
        "finer": model(s // 2).attention_weights[0][0].numel(),
    }


def exchanged_patches(base, places, contents, exchanged):
    layer = d2l.DotProductAttention(dropout=0)
    query = torch.tensor([[[0, math.log(base)]]]) * math.sqrt(2)

    def look(contents, places):
        tokens = torch.tensor([contents, places]).float().T[None]
        return layer(query, tokens, tokens[..., :1])

    i, j = exchanged
    order = [{i: j, j: i}.get(k, k) for k in range(3)]
    moved = [contents[k] for k in order]
    plain = look(contents, (0, 0, 0))
    torch.testing.assert_close(look(moved, (0, 0, 0)), plain)
    result = {"exchanged": look(moved, places), "plain": plain}
    output = look(contents, places)
    return result | {"output": output, "weights": layer.attention_weights}


def inverted_mask(base, length, scores, values, penalty):
    query, keys = torch.tensor([[math.log(base)]]), column(scores)
    padding = torch.arange(5)[None] >= length
    added = -penalty * math.log(base) * padding
    weights, inverted, additive = (
        attend(query, keys, torch.eye(5), attn_mask=mask)
        for mask in (~padding, padding, added)
    )
    values = column(values)
    return {
        "weights": weights,
        "output": weights @ values,
        "inverted": inverted @ values,
        "additive": additive,
    }


def packed_sentences(lens, place, values):
    total = sum(lens)
    blocks = [torch.ones(n, n).tril() for n in lens]
    mask = torch.block_diag(*blocks).bool()
    queries = torch.zeros(total, 1)
    output = attend(queries, queries, column(values), attn_mask=mask)
    sentence = torch.arange(3).repeat_interleave(torch.tensor(lens))
    batch = nn.utils.rnn.pad_sequence([torch.zeros(n, 1) for n in lens], batch_first=True)
    return {
        "cu_seqlens": tuple(accumulate(lens, initial=0)),
        "output": output[place],
        "pairs": mask.sum(),
        "more": (d2l.causal_mask(total) & ~mask).sum(),
        "padded": (batch @ batch.mT).numel(),
        "packed": (queries @ queries.mT).numel(),
        "skipped": (sentence[:, None] == sentence).sum(),
    }


def three_masks(n, m):
    both, causal = (
        d2l.valid_lens_for(mask, [n], n).sum() for mask in ("bidirectional", "causal")
    )
    prefix, leaking = (
        d2l.valid_lens_for("prefix", [n], n, [length])[0] for length in (m, m + 1)
    )
    return {
        "bidirectional": both,
        "causal": causal,
        "visible": prefix,
        "prefix": prefix.sum(),
        "leaking": leaking,
        "more": (leaking - prefix).sum(),
    }


def two_vocabularies(words, pieces):
    losses = []
    for probabilities in (words, pieces):
        right = column(probabilities)  # of the right token, and of all others together
        logits = torch.cat([right, 1 - right], dim=1).log()
        labels = torch.zeros(len(right), dtype=torch.long)
        losses.append(nn.functional.cross_entropy(logits, labels, reduction="sum"))
    return {
        "perplexity": (losses[0] / 4).exp(),
        "per piece": (losses[1] / len(pieces)).exp(),
        "exponent": losses[1] / 4 / math.log(2),
        "better": "the first" if losses[0] < losses[1] else "the second",
    }


def next_token(base, logits, p):
    logits = torch.tensor(logits) * math.log(base)
    return {
        "probabilities": d2l.next_token_probs(logits),
        "sharper": d2l.next_token_probs(logits, 0.5),
        "top-k": d2l.next_token_probs(logits, top_k=2),
        "top-p": d2l.next_token_probs(logits, top_p=float(p)),
    }


def size_of_a_block(d, h, g, ffn, blocks, n):
    config = d2l.GPTConfig(1, d, 1, h, norm="rms", ffn="swiglu", ffn_num_hiddens=ffn)
    block = d2l.GPTBlock(dataclasses.replace(config, num_kv_heads=g))

    def count(*modules):
        return sum(W.numel() for module in modules for W in module.parameters())

    def cached(block):
        cache = d2l.Cache()
        block(torch.zeros(1, n, d), cache)
        return sum(X.numel() for X in cache.tensors.values()) * blocks

    one_unit = sum(W.numel() for W in (nn.Linear(d, 1).weight, nn.Linear(1, d).weight))
    return {
        "p": block.p,
        "attention": count(block.W_q, block.W_k, block.W_v, block.W_o),
        "network": count(block.ffn),
        "block": count(block),
        "usual": count(block.ffn) / one_unit,
        "cache": cached(block),
        "factor": cached(d2l.GPTBlock(config)) / cached(block),
    }


def implied_reward(beta, chosen, rejected):
    def model(which):
        """Gives the second of two tokens the probabilities of the answer to token 0, 1."""

        def logits(tokens):
            answer = (chosen, rejected)[tokens[0, 0]][which]
            right = column(answer)
            return torch.cat([1 - right, right], dim=1).log()[None]

        return logits

    mask = torch.tensor([[False, True, True]])
    answers = [(torch.tensor([[question, 1, 1]]), mask) for question in (0, 1)]
    rewards = [
        beta
        * sum(
            sign * d2l.answer_log_probs(model(which), *answer).sum()
            for which, sign in enumerate((1, -1))
        )
        for answer in answers
    ]
    margin = d2l.dpo_margin(model(0), model(1), *answers, beta)
    return {
        "rewards": torch.stack(rewards) / math.log(2),
        "difference": margin / math.log(2),
        "probability": margin.sigmoid(),
    }


def group_of_answers(rewards, ratio):
    rewards = torch.tensor(rewards).float()
    advantages = (rewards - rewards.mean()) / rewards.std()
    one, gains = torch.ones(1, 1), []
    for advantage in (advantages.max(), advantages.min()):
        log_probs = torch.full((1, 1), math.log(float(ratio)), requires_grad=True)
        loss = d2l.grpo_loss(log_probs, 0 * one, one, advantage * one, high=0.2)
        loss.backward()
        assert bool(log_probs.grad) == (advantage < 0)
        gains.append(-loss.detach())
    return {
        "deviation": rewards.std(),
        "advantages": advantages,
        "best": gains[0],
        "worst": gains[1],
    }


@pytest.mark.parametrize("chapter", range(7, 13))
def test_results_are_those_of_the_package(chapter):
    for template in templates(chapter):
        for seed in range(20):
            question = draw(template, f"seed {seed}")
            computed = globals()[template.__name__](**question.drawn)
            assert computed.keys() == question.result.keys()
            for name, number in question.result.items():
                compare(computed[name], number, name)


def compare(computed, number, name):
    if isinstance(number, str):
        assert computed == number, name
        return
    numbers = number if isinstance(number, tuple) else (number,)
    expected = torch.tensor([float(x) for x in numbers])
    computed = torch.as_tensor(computed).detach().float().flatten()
    torch.testing.assert_close(computed, expected, atol=1e-4, rtol=1e-5, msg=name)
