"""Recall of pairs: the task, many models trained as one, and the tables."""

import json

import pytest
import torch

import d2lmini
from experiments import recall


@pytest.mark.parametrize("task", ["pairs", "overwritten"])
def test_an_answer_is_the_last_value_written_under_the_key(task):
    generator = torch.Generator().manual_seed(0)
    tokens, answers = recall.texts(task, 8, (3,), generator)
    num_queries = answers.shape[-1]
    assert num_queries == (4 if task == "overwritten" else 8)
    for row, expected in zip(tokens.tolist(), answers.tolist()):
        memory = dict(zip(row[:16:2], row[1:16:2]))
        queries = row[16:]
        assert sorted(queries) == sorted(memory) and len(memory) == num_queries
        assert [memory[query] for query in queries] == expected


def test_models_trained_together_are_those_that_the_trainer_trains_alone(monkeypatch):
    rates, seeds, num_updates = (0.001, 0.01), (0, 1), 12
    generator = torch.Generator().manual_seed(0)
    batches = [
        recall.texts("pairs", 4, (len(seeds), 3), generator) for _ in range(num_updates)
    ]
    together = recall.Ensemble("GS", 8, rates, seeds, "cpu")
    both = ((X.repeat(2, 1, 1), y.repeat(2, 1, 1)) for X, y in batches)
    together.train(both, num_updates)

    class Alone(d2lmini.Module):
        def __init__(self, model, lr):
            super().__init__()
            self.net, self.lr = model, lr

        def loss(self, y_hat, y):
            return torch.nn.functional.cross_entropy(y_hat[:, -4:].mT, y)

        def plot(self, *arguments, **options):
            pass

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), self.lr, betas=(0.9, 0.95))

    class Texts(d2lmini.DataModule):
        def get_dataloader(self, train):
            return [(X[1], y[1]) for X, y in batches] if train else None

    torch.manual_seed(seeds[1])
    alone = Alone(recall.make_model("GS", 8), rates[1])
    d2lmini.Trainer(1, gradient_clip_val=1, warmup=1).fit(alone, Texts())
    expected = torch.cat([W.detach().flatten() for W in alone.net.parameters()])
    torch.testing.assert_close(together.weights[-1], expected, atol=1e-5, rtol=1e-4)


def test_embeddings_begin_with_the_given_size_and_other_weights_do_not_change():
    small, large = ({}, {})
    for found, size in ((small, None), (large, 1)):
        torch.manual_seed(0)
        found.update(recall.make_model("LS", 8, size).named_parameters())
    assert small.pop("embedding.weight").std() < 0.03
    assert abs(large.pop("embedding.weight").std() - 1) < 0.1
    assert all(torch.equal(W, large[name]) for name, W in small.items())


def test_addition_is_the_delta_rule_without_what_it_takes_away():
    torch.manual_seed(0)
    added, delta = (recall.LAYERS[letter](8, 1) for letter in "AD")
    added.load_state_dict(delta.state_dict())
    X = torch.randn(2, 1, 8)
    torch.testing.assert_close(added(X), delta(X))  # an empty memory has nothing to lose
    twice = torch.cat([X, X], dim=1)
    assert not torch.allclose(added(twice)[:, 1], delta(twice)[:, 1])
    cache = d2lmini.Cache()
    added(twice, cache)
    assert cache.states["memory"].shape == (2, 1, 8, 8)


def test_a_norm_gives_every_head_the_same_size_and_a_gate_begins_open():
    torch.manual_seed(0)
    X, seen = torch.randn(2, 5, 8), []
    normed, plain = (recall.LAYERS[letter](8, 2) for letter in "dD")
    assert [*normed.state_dict()][:-1] == [*plain.state_dict()]
    normed.load_state_dict(plain.state_dict(), strict=False)
    for layer in (normed, plain):
        hook = layer.W_o.register_forward_pre_hook(lambda _, inputs: seen.append(*inputs))
        layer(X)
        hook.remove()
    sizes = [heads.unflatten(-1, (2, 4)).square().mean(dim=-1) for heads in seen]
    torch.testing.assert_close(sizes[0], torch.ones(2, 5, 2), atol=0.1, rtol=0)
    assert sizes[1].std() > 0.01
    keeping, delta = recall.LAYERS["K"](8, 2), recall.LAYERS["D"](8, 2)
    delta.load_state_dict(keeping.state_dict(), strict=False)
    torch.testing.assert_close(keeping(X), delta(X), atol=1e-2, rtol=0)


def test_without_a_layer_the_others_compute_what_they_did():
    models = recall.Ensemble("LS", 8, (0.01,), (0,), "cpu")
    tokens = torch.randint(recall.KEYS, (1, 2, 6))
    whole, without = models.logits(tokens, 2), models.logits(tokens, 2, without=1)
    assert not torch.allclose(whole, without)
    model = models.model  # whose own weights are those of the only member
    torch.nn.init.zeros_(model.blks[1].attention.W_o.weight)
    torch.testing.assert_close(without[0], model(tokens[0])[:, -2:])


def test_a_memory_is_counted_from_the_state():
    kept = recall.Ensemble("SWLD", 8, (0.01,), (0,), "cpu").numbers()
    assert kept == [2 * 8 * 128, 2 * 8 * (recall.WINDOW - 1), 8 * 9, 8 * 8]


def test_of_random_keys_addition_names_more_than_the_delta_rule_and_a_wide_matrix_most():
    added, delta = (recall.untrained(16, beta, 16) for beta in (None, 1))
    assert added[0] > added[-1] + 0.2 and delta[0] > 0.9 and delta[-1] < added[-1]
    assert recall.untrained(32, None, 16)[-1] > added[-1] + 0.1


def test_a_job_that_fails_or_lacks_a_seed_is_run_again(tmp_path, monkeypatch):
    job, waiting = recall.Job("pairs", recall.LARGE, "GGGS"), []

    def run_all(todo, *_, **__):
        waiting.append(todo)
        return len(todo)

    monkeypatch.setattr(recall, "every_job", lambda: [job])
    monkeypatch.setattr(recall, "run_all", run_all)
    path = tmp_path / "recall.jsonl"
    for rate in recall.RATES[False]:  # twice the first seed, and none of another
        record = {**job._asdict(), "updates": 1500, "rate": rate, "seed": 0}
        path.write_text(f"{json.dumps(record)}\n" * 2, encoding="utf-8")
    assert len(recall.read(path)) == 1
    with pytest.raises(SystemExit, match="1 of 1 jobs failed; no table is written"):
        next(recall.tables(root=tmp_path))
    assert waiting == [[job]]


def test_the_rate_of_a_job_is_the_one_with_the_best_mean():
    records = [
        {"rate": rate, "seed": seed, "accuracy": [score + seed / 10, score]}
        for rate, score in ((0.001, 0.3), (0.01, 0.5))
        for seed in (0, 1)
    ]
    found = recall.best(records)
    assert found["rate"] == 0.01 and found["accuracy"] == [(0.5, 0.6), (0.5, 0.5)]
    assert recall.spread(found["accuracy"][0]) == "0.55 (0.50–0.60)"
    assert found["all right"] == "0 of 4"


def test_layers_that_are_missed_most_come_first_and_softmax_is_none_of_the_memories():
    records = [
        {"pattern": "LSLL", "without": [[x] for x in row]}
        for row in ([0.9, 0.0, 0.7, 1.0], [0.5, 0.2, 0.8, 1.0])
    ]
    chosen = {"records": records}
    assert recall.without_one(chosen, 0) == "0.10 (0.00–0.20)"
    assert recall.without_one(chosen, 1) == "0.60 (0.50–0.70)"
    assert recall.without_memory(chosen) == "0.60 (0.50–0.70)"
    records = [{"pattern": "S", "without": [[0.0]]}]
    assert recall.without_memory({"records": records}) == ""


def test_each_rate_of_a_long_job_is_a_row_and_the_short_ones_stand_before():
    rates = {False: (0.003, 0.01), True: (0.001,)}
    records = [
        {
            **recall.Job("pairs", recall.LARGE, "LLLS", long=long)._asdict(),
            "updates": 6000 if long else 1500,
            "rate": rate,
            "numbers": [1] * 4,
            "accuracy": [1.0] * 5,
            "without": [[0.0] * 5] * 4,
            "origin": "*Here.*",
        }
        for long in (True, False)
        for rate in rates[long]
    ]
    rows, origins = recall.rows_of_tables(records)["recall_long"]
    found = [cells[1:3] for cells in rows]
    assert found == [["1,500", "0.003"], ["1,500", "0.01"], ["6,000", "0.001"]]
    assert origins == "*Here.*"
