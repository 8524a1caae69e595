"""How many pairs a memory of fixed size recalls, and what one layer of softmax brings.

A text has keys with their values, and then keys alone, whose values are to be named
(multi-query associative recall; Arora et al., 2023). In a second task keys are written
twice, and the later value counts. A model is a pattern of layers, a letter for each block.
A long job has four times the updates, at lower rates. The models of a job, one for each
rate and seed, are trained together, as one tensor of weights. Its records are appended to
recall.jsonl in the folder ROOT, and what is there is not trained again. JOBS processes
share the DEVICE, cpu or cuda.
"""

import json
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from itertools import groupby, product
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import torch
from torch.func import functional_call, vmap
from torch.nn.attention import SDPBackend, sdpa_kernel

import d2lmini
from experiments import results

KEYS = VALUES = 128  # tokens; the values come after the keys
PAIRS = 4, 8, 16, 32, 64
BATCH, UPDATES, LONG = 32, 1500, 4  # texts, how many times, and times more if long
RATES = {False: (0.003, 0.01, 0.03), True: (0.001, 0.003, 0.01)}  # if long
WIDTH, WINDOW, CONV = 32, 16, 3
QUERIES = 1024  # that a score counts, at least


class Addition(d2lmini.DeltaAttention):
    """The layer with the delta rule, but its values are added and replace nothing."""

    def attend(self, X, Q, K, V, cache):
        Q, K = (torch.nn.functional.normalize(A, dim=-1) for A in (Q, K))
        beta = torch.sigmoid(self.W_beta(X)).mT.unsqueeze(-1)  # (b, h, n, 1)
        S = cache.states.get("memory")
        heads, S = d2lmini.memory_attention(Q, K, beta * V, S)
        cache.update("memory", S)
        return heads


class Shifted(torch.nn.Linear):
    """A linear layer to whose outputs 6 is added, so that a gate begins nearly open."""

    def forward(self, X):
        return super().forward(X) + 6


class Keeping(d2lmini.DeltaAttention):
    """The layer with the delta rule and a gate, which forgets nearly nothing at first."""

    def __init__(self, num_hiddens, num_heads, **options):
        super().__init__(num_hiddens, num_heads, gated=True, **options)
        self.W_g = Shifted(num_hiddens, num_heads)


def normed(Layer):
    """Such a layer, but each head's output is normalised, as RetNet's or DeltaNet's is."""

    class Normed(Layer):
        def __init__(self, num_hiddens, num_heads, **options):
            super().__init__(num_hiddens, num_heads, **options)
            self.norm = torch.nn.RMSNorm(num_hiddens // num_heads, eps=1e-5)

        def attend(self, *inputs):
            return self.norm(super().attend(*inputs))

    return Normed


LAYERS = {
    "S": partial(d2lmini.WindowAttention, conv=CONV),
    "W": partial(d2lmini.WindowAttention, window=WINDOW, conv=CONV),
    "L": partial(d2lmini.LinearAttention, conv=CONV),
    "A": partial(Addition, conv=CONV),
    "D": partial(d2lmini.DeltaAttention, conv=CONV),
    "G": partial(d2lmini.DeltaAttention, gated=True, conv=CONV),
    "a": partial(normed(Addition), conv=CONV),
    "d": partial(normed(d2lmini.DeltaAttention), conv=CONV),
    "K": partial(Keeping, conv=CONV),
}
NAMES = {
    "S": "softmax",
    "W": "window",
    "L": "linear",
    "A": "addition",
    "D": "delta",
    "G": "gated delta",
    "a": "addition, norm",
    "d": "delta, norm",
    "K": "gated delta, gate at +6",
}
KINDS = "SSSS", "WWWW", "LLLL", "AAAA", "DDDD", "GGGG"
HYBRIDS = "LLLS", "LSLL", "SLLL", "AAAS", "DDDS", "GGGS", "GSGG", "SGGG", "WWWS"
CONTROLS = "S", "SS"  # softmax alone
WIDTHS = 16, 32, 64
OVERWRITTEN = "SSSS", "LLLL", "AAAA", "DDDD", "GGGG", "GGGS"
WIDE = "LLLL", "DDDD", "GGGG"
PATIENT = "LLLS", "LLLL"
SMALL, LARGE = None, 1  # the size with which embeddings begin: chapter 11's, 0.02, or 1


class Job(NamedTuple):
    """What is trained, with all rates and seeds at once; long is with more patience."""

    task: str
    size: int | None
    pattern: str
    width: int = WIDTH
    long: bool = False

    def updates(self, updates=UPDATES):
        return LONG * updates if self.long else updates


def every_job():
    every = [
        *(Job("pairs", LARGE, pattern, long=True) for pattern in PATIENT),
        *(Job("overwritten", LARGE, pattern) for pattern in OVERWRITTEN),
        *(Job("pairs", LARGE, pattern) for pattern in ("S", *KINDS, *HYBRIDS)),
        *(Job("overwritten", SMALL, pattern) for pattern in OVERWRITTEN),
        *(Job("pairs", SMALL, pattern) for pattern in KINDS + HYBRIDS + CONTROLS),
        *(
            Job("pairs", SMALL, pattern, width)
            for pattern, width in product(WIDE, WIDTHS)
            if width != WIDTH
        ),
    ]
    # Addition is a control of the models that begin with large embeddings.
    return [job for job in every if job.size == LARGE or "A" not in job.pattern]


def tables(jobs=1, device="cpu", seeds=3, updates=UPDATES, root="data"):
    """The tables, after all jobs whose records are not there yet."""
    records = train(every_job(), jobs, device, seeds, updates, root)
    for name, (rows, origins) in rows_of_tables(records).items():
        yield name, results.table(["", *COLUMNS[name]], rows), origins


def train(wanted, jobs, device, seeds, updates, root):
    """The records there are, after all wanted jobs whose records were not there yet."""
    path = Path(root, "recall.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    for record in read(path, updates):
        done.setdefault(job_of(record), set()).add((record["rate"], record["seed"]))
    runs = {long: {*product(rates, range(seeds))} for long, rates in RATES.items()}
    todo = [job for job in wanted if runs[job.long] - done.get(job, set())]
    shared = {"updates": updates, "seeds": range(seeds), "device": device}
    if failed := run_all(todo, path, jobs, origin(device), **shared):
        sys.exit(f"{failed} of {len(todo)} jobs failed; no table is written")
    return read(path, updates)


def origin(device):
    """Where the numbers come from, with the GPU if there is one."""
    text = results.origin()
    if device == "cuda":
        text = text.replace(
            ", with Python", f" and one {torch.cuda.get_device_name()}, with Python"
        )
    return text


# --- the task ------------------------------------------------------------------------


def texts(task, pairs, size, generator):
    """Texts (*size, n) of so many pairs and of queries, and the answers to the queries.

    "overwritten" has half as many keys, each written twice; the later value counts.
    """
    options = {"generator": generator, "device": generator.device}
    num_keys = pairs // 2 if task == "overwritten" else pairs
    keys = torch.rand(*size, KEYS, **options).argsort(dim=-1)[..., :num_keys]
    values = KEYS + torch.randint(VALUES, (*size, pairs), **options)
    at = torch.rand(*size, pairs, **options).argsort(dim=-1)  # where each is written
    writes = torch.cat([keys] * (pairs // num_keys), dim=-1)
    written = torch.stack([writes.gather(-1, at.argsort(dim=-1)), values], dim=-1)
    last = at.unflatten(-1, (-1, num_keys)).amax(dim=-2)
    order = torch.rand(*size, num_keys, **options).argsort(dim=-1)
    queries = keys.gather(-1, order)
    answers = values.gather(-1, last.gather(-1, order))
    return torch.cat([written.flatten(-2), queries], dim=-1), answers


# --- many models at once -------------------------------------------------------------


def make_model(pattern, width, size=None):
    """A GPT with the layers of a pattern, one head, no positions and weights of size 1.

    The embeddings have the size of chapter 11's, or the given one.
    """
    config = d2lmini.GPTConfig(
        KEYS + VALUES,
        width,
        len(pattern),
        1,
        positions="rotary",  # which the layers of chapter 13 do not use
        tied=False,
        max_len=3 * max(PAIRS),
    )
    model = d2lmini.GPT(config, attention=[LAYERS[letter] for letter in pattern])
    for name, W in model.named_parameters():
        if W.ndim > 1 and "blks" in name:  # keeps the size of a normalised vector
            torch.nn.init.normal_(W, std=W[0].numel() ** -0.5)
    if size is not None:
        torch.nn.init.normal_(model.embedding.weight, std=size)
    return model


class Ensemble:
    """Models of one pattern, for each rate and seed, whose weights (models, N) are rows."""

    def __init__(self, pattern, width, rates, seeds, device, size=None):
        rows = []
        for _, seed in product(rates, seeds):
            torch.manual_seed(seed)
            self.model = make_model(pattern, width, size)
            weights = [W.detach().flatten() for W in self.model.parameters()]
            rows.append(torch.cat(weights))
        self.model.to(device)
        self.weights = torch.stack(rows).to(device).requires_grad_()
        self.rates = torch.tensor(rates).repeat_interleave(len(seeds)).to(device)
        self.shapes = {name: W.shape for name, W in self.model.named_parameters()}

    def named(self, weights):
        """The weights of one model, a row, by name."""
        sizes = [shape.numel() for shape in self.shapes.values()]
        parts = zip(self.shapes.items(), weights.split(sizes))
        return {name: part.view(shape) for (name, shape), part in parts}

    def logits(self, tokens, num_queries, without=None):
        """Those of all models at the last tokens (models, b, n), without one layer."""

        def of_one(weights, tokens):
            found = self.named(weights)
            if without is not None:
                name = f"blks.{without}.attention.W_o.weight"
                found[name] = torch.zeros_like(found[name])
            return functional_call(self.model, found, tokens)[:, -num_queries:]

        with sdpa_kernel(SDPBackend.MATH):
            return vmap(of_one)(self.weights, tokens)

    def losses(self, tokens, answers):
        """The mean loss of each model (models,)."""
        logits = self.logits(tokens, answers.shape[-1]).flatten(1, 2)
        flat = logits.transpose(1, 2), answers.flatten(1)
        return torch.nn.functional.cross_entropy(*flat, reduction="none").mean(dim=1)

    def train(self, batches, num_updates, clip=1.0, betas=(0.9, 0.95), eps=1e-8):
        """Adam, with the schedule and the clipping of the course's trainer."""
        trainer = d2lmini.Trainer(1, warmup=max(1, min(100, num_updates // 10)))
        trainer.num_train_batches = num_updates
        m, v = torch.zeros_like(self.weights), torch.zeros_like(self.weights)
        for t, batch in zip(range(1, num_updates + 1), batches):
            (grad,) = torch.autograd.grad(self.losses(*batch).sum(), self.weights)
            norm = grad.norm(dim=1, keepdim=True)
            grad = grad * (clip / (norm + 1e-6)).clamp(max=1)
            m.lerp_(grad, 1 - betas[0])
            v.lerp_(grad.square(), 1 - betas[1])
            step = m / (1 - betas[0] ** t) / ((v / (1 - betas[1] ** t)).sqrt() + eps)
            rates = trainer.rate(t - 1) * self.rates.unsqueeze(1)
            with torch.no_grad():
                self.weights -= rates * step

    @torch.no_grad()
    def accuracies(self, task, without=None):
        """The shares of right answers (models, len(PAIRS)), in the same texts always."""
        generator = torch.Generator(self.weights.device).manual_seed(1_000_000)
        columns = []
        for pairs in PAIRS:
            X, y = texts(task, pairs, (max(1, QUERIES // pairs),), generator)
            X = X.expand(len(self.weights), -1, -1)
            right = self.logits(X, y.shape[-1], without).argmax(dim=-1) == y
            columns.append(right.float().mean(dim=(1, 2)))
        return torch.stack(columns, dim=1)

    @torch.no_grad()
    def numbers(self):
        """How many numbers each block remembers after a text of the most pairs.

        They are those of its memory, without the last inputs of its convolution.
        """
        length = 2 * max(PAIRS)
        tokens = torch.zeros(1, length, dtype=torch.long, device=self.weights.device)
        caches = self.model.make_caches()
        _ = self.model(tokens, caches)
        kept = [cache.tensors | cache.states for cache in caches]
        for parts in kept:
            parts.pop("inputs", None)
        return [sum(X.numel() for X in parts.values()) for parts in kept]


def run(job, updates=UPDATES, seeds=(0, 1, 2), device="cpu"):
    """Train the models of a job: a list of records, one for each rate and seed."""
    torch.set_num_threads(1)
    task, size, pattern, width, long = job
    num_updates, rates = job.updates(updates), RATES[long]
    start = time.perf_counter()
    models = Ensemble(pattern, width, rates, seeds, device, size)
    generator = torch.Generator(device).manual_seed(0)

    def batches():
        for t in range(num_updates):  # each rate gets the same texts
            pairs = PAIRS[t % len(PAIRS)]
            X, y = texts(task, pairs, (len(seeds), BATCH), generator)
            yield X.repeat(len(rates), 1, 1), y.repeat(len(rates), 1, 1)

    models.train(batches(), num_updates)
    accuracy = models.accuracies(task).tolist()
    without = [models.accuracies(task, i).tolist() for i in range(len(pattern))]
    shared = {**job._asdict(), "updates": num_updates, "numbers": models.numbers()}
    shared["seconds"] = round(time.perf_counter() - start, 1)
    return [
        {
            **shared,
            "rate": rate,
            "seed": seed,
            "accuracy": rounded(accuracy[i]),
            "without": [rounded(found[i]) for found in without],
        }
        for i, (rate, seed) in enumerate(product(rates, seeds))
    ]


def rounded(values):
    return [round(value, 4) for value in values]


# --- the records and the tables ------------------------------------------------------


def job_of(record):
    return Job(*(record[name] for name in Job._fields))


def read(path, updates=UPDATES):
    """The records of a file, which need not be there, of jobs with so many updates.

    Of each job, rate and seed it is the last one.
    """
    if not path.exists():
        return []
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        job = job_of(record)
        if record["updates"] == job.updates(updates):
            found[job, record["rate"], record["seed"]] = record
    return [*found.values()]


def run_all(todo, path, processes, origin, **options):
    """Run jobs in so many processes, and append their records to the file.

    Gives the number of jobs that failed.
    """
    failed = 0
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(run, job, **options): job for job in todo}
        for done in as_completed(waiting):
            try:
                records = done.result()
            except Exception as error:  # of one job; the others go on
                failed += 1
                print(waiting[done], "failed:", repr(error), file=sys.stderr, flush=True)
                continue
            lines = [json.dumps({**record, "origin": origin}) for record in records]
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
            found = best(records)
            mean = [round(statistics.mean(column), 2) for column in found["accuracy"]]
            seconds = f"{records[0]['seconds']} s"
            print(*waiting[done], found["rate"], mean, seconds, file=sys.stderr, flush=True)
    return failed


def by_rate(records):
    """Of one job: for each rate its records and, by pairs, the accuracies of its seeds."""
    found = {}
    for record in records:
        found.setdefault(record["rate"], []).append(record)
    return [
        {"rate": rate, "records": some, "accuracy": [*zip(*(x["accuracy"] for x in some))]}
        for rate, some in found.items()
    ]


def best(records):
    """Of one job: the rate with the best mean accuracy.

    And how many runs, of all rates and seeds, name nearly all of the most pairs.
    """
    chosen = max(by_rate(records), key=lambda x: statistics.mean(sum(x["accuracy"], ())))
    perfect = sum(record["accuracy"][-1] > 0.99 for record in records)
    return {**chosen, "all right": f"{perfect} of {len(records)}"}


spread = partial(results.spread, ends=True)
EACH, MOST = [f"{pairs} pairs" for pairs in PAIRS], f"{PAIRS[-1]} pairs"
COLUMNS = {  # of each table, after that of the models
    "recall": [
        *("numbers kept", *EACH),
        *(f"{MOST}, without one layer", f"{MOST}, without another", "rate"),
    ],
    "recall_hybrids": [
        *("numbers kept", *EACH),
        *(f"{MOST}, without softmax", f"{MOST}, without a memory"),
        *("rate", "runs with all right"),  # of all rates and seeds
    ],
    "recall_long": ["updates", "rate", *EACH, f"{MOST}, without softmax"],
    "recall_start": [
        *(f"{MOST}, size 0.02", f"{MOST}, size 0.02, without softmax", "rate"),
        *(f"{MOST}, size 1", f"{MOST}, size 1, without softmax", "rate"),
    ],
    "recall_state": ["width", "numbers in a matrix", *EACH, "rate"],
    "recall_overwritten": ["size", *EACH, "rate"],
}


def title(pattern):
    """The blocks of a pattern in words, from the first on."""
    runs = [(letter, len([*run])) for letter, run in groupby(pattern)]
    return ", ".join(f"{number} {NAMES[letter]}" for letter, number in runs)


def untrained(width, beta=None, num_texts=64):
    """The shares of right answers of a matrix with random keys and values of length 1.

    Without beta it is written by addition, and otherwise by the delta rule with this
    strength. The answer is the most similar value.
    """
    generator = torch.Generator().manual_seed(0)

    def unit(*size):
        X = torch.randn(*size, width, generator=generator)
        return torch.nn.functional.normalize(X, dim=-1)

    shares = []
    for pairs in PAIRS:
        keys, table = unit(num_texts, 1, pairs), unit(num_texts, VALUES)
        values = torch.randint(VALUES, (num_texts, pairs), generator=generator)
        V = table.gather(1, values.unsqueeze(-1).expand(-1, -1, width)).unsqueeze(1)
        strength = None if beta is None else torch.full(keys.shape[:-1], float(beta))
        _, memory = d2lmini.memory_attention(keys, keys, V, beta=strength)
        found = (keys @ memory).squeeze(1) @ table.mT
        shares.append((found.argmax(dim=-1) == values).float().mean().item())
    return shares


def rows_of_tables(records):
    """By name the rows of a table, of jobs whose records are there, and its origins."""
    by_job = {}
    for record in records:
        by_job.setdefault(job_of(record), []).append(record)
    lines = {name: ([], []) for name in COLUMNS}

    def records_of(name, *job, **options):
        found = by_job.get(Job(*job, **options), [])
        lines[name][1].extend(record["origin"] for record in found)
        return found

    def find(name, *job):
        found = records_of(name, *job)
        return best(found) if found else None

    def add(name, *cells):
        lines[name][0].append([*cells])

    for pattern in KINDS:
        if chosen := find("recall", "pairs", LARGE, pattern):
            cells = f"{sum(numbers(chosen)):,}", *shares(chosen)
            cells += without_one(chosen, 0), without_one(chosen, 1), rate(chosen)
            add("recall", title(pattern), *cells)
    for pattern in ("S", *HYBRIDS):
        if chosen := find("recall_hybrids", "pairs", LARGE, pattern):
            cells = f"{sum(numbers(chosen)):,}", *shares(chosen)
            cells += without_softmax(chosen), without_memory(chosen)
            cells += rate(chosen), chosen["all right"]
            add("recall_hybrids", title(pattern), *cells)
    for pattern, long in product(PATIENT, (False, True)):
        for each in by_rate(records_of("recall_long", "pairs", LARGE, pattern, long=long)):
            cells = f"{each['records'][0]['updates']:,}", rate(each), *shares(each)
            add("recall_long", title(pattern), *cells, without_softmax(each))
    for pattern in KINDS + CONTROLS + HYBRIDS:
        cells = []
        for size in (SMALL, LARGE):
            if chosen := find("recall_start", "pairs", size, pattern):
                cells += shares(chosen)[-1], without_softmax(chosen), rate(chosen)
            else:
                cells += "", "", ""
        if any(cells):
            add("recall_start", title(pattern), *cells)
    for pattern, width in product(WIDE, WIDTHS):
        if chosen := find("recall_state", "pairs", SMALL, pattern, width):
            cells = f"{numbers(chosen)[0]:,}", *shares(chosen), rate(chosen)
            add("recall_state", title(pattern), str(width), *cells)
    for beta, width in product((None, 1, 0.3), WIDTHS):
        found = [f"{share:.2f}" for share in untrained(width, beta)]
        rule = "added" if beta is None else f"delta rule, β = {beta}"
        cells = f"{width * width:,}", *found, ""
        add("recall_state", f"random vectors, {rule}", str(width), *cells)
    for size, pattern in product((LARGE, SMALL), OVERWRITTEN):
        if chosen := find("recall_overwritten", "overwritten", size, pattern):
            cells = "1" if size == LARGE else "0.02", *shares(chosen), rate(chosen)
            add("recall_overwritten", title(pattern), *cells)
    return {
        name: (rows, "\n\n".join(dict.fromkeys(origins)))
        for name, (rows, origins) in lines.items()
    }


def shares(chosen):
    return [spread(values) for values in chosen["accuracy"]]


def numbers(chosen):
    return chosen["records"][0]["numbers"]


def rate(chosen):
    return f"{chosen['rate']:g}"


def without_softmax(chosen):
    """The accuracy at the most pairs when the first softmax layer gives zeros."""
    records = chosen["records"]
    if "S" not in records[0]["pattern"]:
        return ""
    place = records[0]["pattern"].index("S")
    return spread([record["without"][place][-1] for record in records])


def without_one(chosen, rank):
    """The accuracy at the most pairs without the layer that is missed most.

    With rank 1 it is that without the layer that is missed most of the others.
    """
    rows = [record["without"] for record in chosen["records"]]
    return spread([sorted(found[-1] for found in row)[rank] for row in rows])


def without_memory(chosen):
    """The accuracy at the most pairs without the memory that is missed most."""
    pattern = chosen["records"][0]["pattern"]
    places = [i for i, letter in enumerate(pattern) if letter != "S"]
    rows = [record["without"] for record in chosen["records"]]
    return spread([min(row[i][-1] for i in places) for row in rows]) if places else ""
