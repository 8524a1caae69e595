"""What `python -m d2lmini.serve` gives 1, 4 and 16 clients, beside one at a time.

Each client sends a question of chapter 14, waits for its answer, which is greedy and has at
most 64 tokens, and sends the next. The waiting is that for the first piece of an answer,
and for its end. All rows are of one run on one machine, one after the other; the first
eight answers of a server are not counted. With PEER=PORT another server of the same model
is measured, too, such as that of llama.cpp, which was started before:

    python -m llama_cpp.server --model SmolLM2.gguf --n_threads 2 \\
        --interrupt_requests False --port 8098
"""

import ast
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import httpx
import torch

from d2lmini.templates import SYSTEM
from experiments import results
from tools import ROOT
from tools.book import pages

PORT = 8099
COLUMNS = (
    "",
    "clients",
    "tokens a second",
    "first piece: half of them",
    "99 %",
    "whole answer: half of them",
    "99 %",
)
SERVED = sys.executable, "-m", "d2lmini.serve", "--port", str(PORT)
SERVERS = {
    "one at a time": [*SERVED, "--max-batch", "1"],
    "together": [*SERVED],
    "together, 8 bits": [*SERVED, "--bits", "8"],
}
CLIENTS = 1, 4, 16


@contextmanager
def running(command):
    """A server that answers, until the end."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{PORT}/health")
                break
            except httpx.TransportError:
                if process.poll() is not None:
                    sys.exit(f"{command} ended with {process.returncode}")
                time.sleep(0.5)
        try:
            yield
        finally:
            process.terminate()


def questions():
    """The thirty requests of chapter 14."""
    notebook = pages.read(ROOT / "notebooks" / "14_serving.ipynb")
    (cell,) = [c for c in notebook.cells if c.source.startswith("requests = [")]
    return ast.literal_eval(ast.parse(cell.source).body[0].value)


def ask(question, port):
    """The tokens of an answer, and the seconds until its first piece and its end."""
    messages = [SYSTEM, {"role": "user", "content": question}]
    body = {"messages": messages, "stream": True, "max_tokens": 64, "temperature": 0}
    begun, num_pieces, first = time.perf_counter(), 0, None
    url = f"http://127.0.0.1:{port}/v1/chat/completions"
    with httpx.stream("POST", url, json=body, timeout=600) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            if line.startswith("data: {"):
                choices = json.loads(line[6:])["choices"]
                if choices and choices[0]["delta"].get("content"):
                    first = first or time.perf_counter() - begun
                    num_pieces += 1  # one for each token of these English answers
    return num_pieces, first, time.perf_counter() - begun


def measured(questions, num_clients, port):
    """Tokens a second, and quantiles of the two times, in seconds."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(num_clients) as pool:
        found = list(pool.map(lambda question: ask(question, port), questions))
    seconds = time.perf_counter() - begun
    num_pieces, *waits = (torch.tensor(values) for values in zip(*found))
    quantiles = [wait.quantile(q).item() for wait in waits for q in (0.5, 0.99)]
    return [num_pieces.sum().item() / seconds, *quantiles]


def tables(peer=0):
    """The table of servers and numbers of clients."""
    origin, rows = results.origin(), []
    requests = questions()
    servers = {**SERVERS, "another server": None} if peer else SERVERS
    for name, command in servers.items():
        port = PORT if command else peer
        with running(command) if command else nullcontext():
            for question in requests[:8]:
                ask(question, port)
            for num_clients in CLIENTS:
                row = measured(requests, num_clients, port)
                print(name, num_clients, row, file=sys.stderr, flush=True)
                speed, *waits = row
                cells = [f"{speed:.0f}", *(f"{wait:.2f}" for wait in waits)]
                rows.append([name, str(num_clients), *cells])
    yield "serve", results.table(COLUMNS, rows), origin
