"""Answer over HTTP, in the form of OpenAI's interface, and show it in a page.

    python -m d2lmini.serve                   SmolLM2-135M-Instruct
    python -m d2lmini.serve FOLDER            a folder that load_pretrained can read

Then http://127.0.0.1:8000 is the page, and http://127.0.0.1:8000/v1 what a client needs.
The engine is that of *Going further 14*, on one machine. It needs two more libraries:
pip install "d2lmini[serve]".
"""

import argparse
import asyncio
import hmac
import html
import json
import math
import queue
import socket
import sys
import threading
import time
import traceback
import uuid
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from .engine import Engine
from .loading import load_pretrained, load_smollm2
from .post_training import chatml
from .serving import quantize
from .templates import ENDS, SYSTEM, find_template, lines, small_template

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.requests import ClientDisconnect
    from starlette.responses import HTMLResponse, JSONResponse, StreamingResponse
    from starlette.routing import Route
except ImportError as error:
    raise ImportError(
        'serve needs starlette and uvicorn: pip install "d2lmini[serve]"'
    ) from error

BLOCK = 16
# What would change an answer, and is not there, with the values that change nothing.
NOT_THERE = {
    "n": [1],
    "best_of": [1],
    "echo": [False],
    "suffix": [""],
    "logprobs": [False],
    "top_logprobs": [0],
    "logit_bias": [{}],
    "min_p": [0],
    "frequency_penalty": [0],
    "presence_penalty": [0],
    "repetition_penalty": [1],
    "ignore_eos": [False],
    "tools": [[]],
    "tool_choice": ["none", "auto"],
    "functions": [[]],
    "response_format": [{"type": "text"}],
}
LOCAL = "127.0.0.1", "localhost", "[::1]"


class Refused(Exception):
    """A request that is not answered: the status, the reason and the field it is about."""

    def __init__(self, status, reason, param=None, **headers):
        super().__init__(reason)
        self.status, self.param, self.headers = status, param, headers


@dataclass(frozen=True)
class Limits:
    """What a client can have: tokens, seconds, bytes of a body, and how many may wait."""

    max_tokens: int = 1024
    seconds: float = 120
    body: int = 1_000_000
    waiting: int = 64


# --- the engine's thread ---------------------------------------------------------------


class Worker(threading.Thread):
    """The one thread that touches the engine: it takes steps while there is work."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine, self.calls = engine, queue.SimpleQueue()

    def call(self, function, *args, **options):
        """Call a function between two steps. Gives its Future."""
        future = Future()
        self.calls.put((future, lambda: function(*args, **options)))
        return future

    def run(self):
        engine = self.engine
        while True:
            while not (engine.waiting or engine.running) or not self.calls.empty():
                future, function = self.calls.get()
                try:
                    future.set_result(function())
                except Exception as error:  # is raised where the result is awaited
                    future.set_exception(error)
            try:
                engine.step()
            except Exception:  # of memory, for example: nobody may wait for ever
                traceback.print_exc()
                self.give_up()

    def give_up(self):
        """End all requests, so that the next ones can be answered."""
        engine = self.engine
        requests = [*engine.running, *engine.waiting]
        engine.waiting.clear()
        for request in requests:
            request.finish_reason = request.finish_reason or "error"
            if request.on_token:
                request.on_token(request, "")
        engine.leave()

    def snapshot(self):
        """What the page draws: who wrote in the last steps, who waits, and the blocks."""
        engine, cache = self.engine, self.engine.cache
        return {
            "steps": [[request.number for request in row] for row in engine.history],
            "rows": engine.max_batch,
            "running": len(engine.running),
            "waiting": len(engine.waiting),
            "preempted": engine.num_preempted,
            "blocks": {
                "all": len(cache.counts),
                "used": len(cache.counts) - len(cache.left),
                "known": sum(cache.hashes[block] is not None for block in cache.left),
            },
        }


# --- what a client sends ---------------------------------------------------------------


def number(body, name, default, low, high, kind=(int, float)):
    """A number of a body, in its range. Raises Refused for anything else."""
    value = default if body.get(name) is None else body[name]
    whole = "a whole number" if kind is int else "a number"
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        reason = f"{name} must be {whole} from {low} to {high}, and is {value!r:.80}"
        raise Refused(400, reason, name)
    return value


def text(value, name):
    """A text that can be encoded. Raises Refused for anything else."""
    if isinstance(value, list):  # the parts of a content
        parts = [part.get("text") if isinstance(part, dict) else None for part in value]
        kinds = [part.get("type") if isinstance(part, dict) else None for part in value]
        if kinds == ["text"] * len(kinds) and all(isinstance(part, str) for part in parts):
            value = "".join(parts)
    if not isinstance(value, str):
        raise Refused(400, f"{name} must be a text, and is {value!r:.80}", name)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Refused(400, f"{name} has half of a character: {error}", name) from None
    return value


def messages_of(body, template):
    """The messages of a body, for this template, with a system message if it has them."""
    messages, found = body.get("messages"), []
    roles = ("user", "assistant") if template is small_template else None
    roles = roles or ("system", "user", "assistant")
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages must be a list with at least one message", "messages")
    for i, message in enumerate(messages):
        name = f"messages[{i}]"
        role = message.get("role") if isinstance(message, dict) else None
        role = "system" if role == "developer" else role
        if role not in roles:
            reason = f"{name}.role must be one of {', '.join(roles)}, and is {role!r:.80}"
            raise Refused(400, reason, "messages")
        content = text(message.get("content"), f"{name}.content")
        found.append({"role": role, "content": content})
    if template is chatml and found[0]["role"] != "system":
        found.insert(0, SYSTEM)
    return found


def options_of(body, limits, defaults):
    """The options of `Engine.add` that a body asks for."""
    for name, harmless in NOT_THERE.items():
        if body.get(name) is not None and body[name] not in harmless:
            raise Refused(400, f"{name} is not supported here", name)
    name = "max_completion_tokens"
    name = "max_tokens" if body.get(name) is None else name
    stops = body.get("stop") or []
    stops = stops if isinstance(stops, list) else [stops]
    if len(stops) > 4:
        raise Refused(400, f"stop must have at most 4 texts, and has {len(stops)}", "stop")
    if any(isinstance(stop, str) and len(stop) > 100 for stop in stops):
        raise Refused(400, "a text of stop must have at most 100 characters", "stop")
    if not isinstance(body.get("stream_options") or {}, dict):
        raise Refused(400, "stream_options must be a JSON object", "stream_options")
    return {
        "max_new_tokens": number(body, name, limits.max_tokens, 1, limits.max_tokens, int),
        "temperature": number(body, "temperature", defaults["temperature"], 0, 2),
        "top_p": number(body, "top_p", defaults["top_p"], 1e-6, 1),
        "top_k": number(body, "top_k", None, 1, 2**31, int),
        "seed": number(body, "seed", None, -(2**63), 2**63 - 1, int),
        "stop": [text(stop, "stop") for stop in stops if stop != ""],
    }


async def read_body(request, limits):
    """The JSON object of a request. Raises Refused for anything else, or too much of it."""
    kind = request.headers.get("content-type", "").partition(";")[0]
    if kind.strip().lower() != "application/json":  # a page of others cannot send it
        raise Refused(415, "the header Content-Type must be application/json")
    content = b""
    try:
        async with asyncio.timeout(30):
            async for piece in request.stream():
                content += piece
                if len(content) > limits.body:
                    reason = f"the body must have at most {limits.body} bytes"
                    raise Refused(413, reason, Connection="close")
        body = json.loads(content)
    except TimeoutError:
        raise Refused(408, "the body did not come within 30 seconds") from None
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body must be JSON: {error!s:.200}") from None
    if not isinstance(body, dict):
        raise Refused(400, f"the body must be a JSON object, and is {body!r:.80}")
    return body


# --- answers ---------------------------------------------------------------------------


class Answer:
    """The pieces of an answer, each as soon as the engine has it."""

    def __init__(self, worker, answers, seconds):
        self.worker, self.answers, self.entered = worker, answers, None
        self.pieces, self.loop = asyncio.Queue(), asyncio.get_running_loop()
        self.begun, self.seconds = self.loop.time(), seconds
        self.finish_reason, self.num_prompt, self.num_new = None, 0, 0
        answers.add(self)

    async def begin(self, prompt, **options):
        """Let the request wait for its turn. Raises Refused for what cannot be answered."""
        engine, self.num_prompt = self.worker.engine, len(prompt)
        room = min(engine.model.max_len, engine.cache.block_size * len(engine.cache.counts))
        if not 0 < len(prompt) < room:
            reason = f"the prompt has {len(prompt)} tokens, and 1 to {room - 1} fit"
            raise Refused(400, reason, "messages")
        options["max_new_tokens"] = min(options["max_new_tokens"], room - len(prompt))
        options["on_token"] = self.on_token
        self.entered = self.worker.call(engine.add, prompt, **options)
        try:
            await asyncio.shield(asyncio.wrap_future(self.entered))
        except ValueError as error:
            raise Refused(400, str(error)) from None

    def on_token(self, request, piece):
        """Called in the engine's thread."""
        item = piece, request.finish_reason, len(request.tokens)
        self.loop.call_soon_threadsafe(self.pieces.put_nowait, item)

    async def __aiter__(self):
        try:
            while self.finish_reason is None:
                async with asyncio.timeout_at(self.begun + self.seconds):
                    piece, self.finish_reason, num_tokens = await self.pieces.get()
                self.num_new = num_tokens - self.num_prompt
                if piece:
                    yield piece
        except TimeoutError:
            self.finish_reason = "length"  # of time

    def close(self):
        """Free what the request has, if it has not ended."""
        self.answers.discard(self)
        if self.entered:
            self.worker.call(self._cancel)

    def _cancel(self):
        """Called in the engine's thread, after the request has entered or was refused."""
        if self.entered.exception() is None:
            self.worker.engine.cancel(self.entered.result())

    @property
    def usage(self):
        prompt, new = self.num_prompt, self.num_new
        counts = {"prompt_tokens": prompt, "completion_tokens": new}
        return counts | {"total_tokens": prompt + new}


class Stream(StreamingResponse):
    """An answer piece by piece, which ends when the client leaves."""

    def __init__(self, events, answer):
        super().__init__(events, media_type="text/event-stream")
        self.answer = answer

    async def __call__(self, scope, receive, send):
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.answer.close()


class Service:
    """The pages and the interface, for an engine whose thread runs."""

    def __init__(self, worker, *, name, limits=None, key=None, defaults=None, hosts=LOCAL):
        self.worker, self.name, self.key, self.hosts = worker, name, key, hosts
        self.limits = limits or Limits()
        self.tokenizer = worker.engine.tokenizer
        self.template, end = find_template(self.tokenizer)
        continues = self.template is lines
        temperature, top_p = (1.0, 0.8) if continues else (0.2, 0.9)
        self.defaults = {"temperature": temperature, "top_p": top_p} | (defaults or {})
        vocab = self.tokenizer.get_vocab()
        self.ends = [token for token in {end, *ENDS} if token in vocab]
        self.answers, self.seconds = set(), deque([1.0], maxlen=20)  # open; of the last
        self.created = int(time.time())

    def app(self):
        """The application, for any server that speaks ASGI."""
        page = resources.files(__package__).joinpath("data/serve.html")
        page = page.read_text(encoding="utf-8")
        told = {"temperature": self.defaults["temperature"]}
        told["continues"] = self.template is lines
        page = page.replace("{{told}}", json.dumps(told))
        page = page.replace("{{name}}", html.escape(self.name))
        routes = [
            Route("/", lambda request: HTMLResponse(page)),
            Route("/health", self.health),
            Route("/live", self.guarded(self.live)),
            Route("/v1/models", self.guarded(self.models)),
            Route("/v1/chat/completions", self.guarded(self.chat), methods=["POST"]),
            Route("/v1/completions", self.guarded(self.complete), methods=["POST"]),
        ]
        # A name that somebody has made to lead here is no name of this server.
        only = Middleware(TrustedHostMiddleware, allowed_hosts=[*self.hosts])
        return Starlette(routes=routes, middleware=[only])

    def guarded(self, handler):
        """A handler that asks for the key, and answers a refusal in OpenAI's form."""

        async def handle(request):
            try:
                sent = request.headers.get("authorization", "").removeprefix("Bearer ")
                if self.key and not hmac.compare_digest(sent.encode(), self.key.encode()):
                    raise Refused(
                        401, "the header Authorization must be Bearer and the key"
                    )
                return await handler(request)
            except Refused as error:
                kind = "invalid_request_error" if error.status < 429 else "server_error"
                said = {"message": str(error), "type": kind, "param": error.param}
                said |= {"code": error.status}
                headers = {name.replace("_", "-"): v for name, v in error.headers.items()}
                return JSONResponse({"error": said}, error.status, headers)
            except ClientDisconnect:
                return JSONResponse({}, 499)  # which nobody reads

        return handle

    async def health(self, request):
        alive = self.worker.is_alive()
        return JSONResponse({"status": "ok" if alive else "ended"}, 200 if alive else 503)

    async def live(self, request):
        return JSONResponse(
            await asyncio.wrap_future(self.worker.call(self.worker.snapshot))
        )

    async def models(self, request):
        model = {"id": self.name, "object": "model", "created": self.created}
        model |= {"owned_by": "d2lmini", "max_model_len": self.worker.engine.model.max_len}
        return JSONResponse({"object": "list", "data": [model]})

    async def chat(self, request):
        body = await read_body(request, self.limits)
        prompt = self.template(messages_of(body, self.template))
        return await self.answer(request, body, prompt, Chat(self.name))

    async def complete(self, request):
        body, prompt = await read_body(request, self.limits), None
        if isinstance(prompt := body.get("prompt"), list) and len(prompt) == 1:
            prompt = prompt[0]
        prompt = text(prompt, "prompt")
        return await self.answer(request, body, prompt, Completion(self.name))

    async def answer(self, request, body, prompt, form):
        """Answer a prompt: as a whole, or piece by piece."""
        if body.get("model") not in (None, self.name):
            reason = f"model must be {self.name!r}, and is {body['model']!r:.80}"
            raise Refused(404, reason, "model")
        options = options_of(body, self.limits, self.defaults)
        options["stop"] += self.ends
        max_batch, num_open = self.worker.engine.max_batch, len(self.answers)
        if num_open >= max_batch + self.limits.waiting:
            mean = sum(self.seconds) / len(self.seconds)
            wait = max(1, math.ceil(mean))
            reason = f"{num_open} requests are open; try again in {wait} seconds"
            raise Refused(429, reason, Retry_After=str(wait))
        answer = Answer(self.worker, self.answers, self.limits.seconds)
        try:
            encoded = await asyncio.to_thread(self.tokenizer.encode, prompt)
            await answer.begin(encoded.ids, **options)
            pieces = self.timed(answer)
            if body.get("stream"):
                with_usage = (body.get("stream_options") or {}).get("include_usage")
                return Stream(form.events(pieces, answer, with_usage), answer)
            written = await self.until_left(request, joined(pieces))
        except BaseException:
            answer.close()
            raise
        answer.close()
        if answer.finish_reason == "error":
            raise Refused(500, "the engine could not compute this answer")
        return JSONResponse(form.whole(written, answer))

    async def until_left(self, request, work):
        """The result of some work, unless the client leaves before it is done."""
        work = asyncio.ensure_future(work)
        while not (await asyncio.wait({work}, timeout=0.5))[0]:
            if await request.is_disconnected():
                work.cancel()
                raise ClientDisconnect
        return work.result()

    async def timed(self, answer):
        """The pieces of an answer, of which the time is remembered."""
        async for piece in answer:
            yield piece
        self.seconds.append(answer.loop.time() - answer.begun)


async def joined(pieces):
    return "".join([piece async for piece in pieces])


class Completion:
    """The objects of /v1/completions."""

    prefix, kind, chunk = "cmpl", "text_completion", "text_completion"

    def __init__(self, name):
        self.head = {"id": f"{self.prefix}-{uuid.uuid4().hex}", "created": int(time.time())}
        self.head["model"] = name

    def choice(self, piece):
        return {"text": piece}

    def first(self):
        """What comes before the first piece."""
        return []

    def delta(self, piece):
        return self.choice(piece)

    def made(self, kind, choice, finish_reason):
        """An object with one choice."""
        choice = {"index": 0, **choice, "logprobs": None, "finish_reason": finish_reason}
        return self.head | {"object": kind, "choices": [choice]}

    def whole(self, written, answer):
        made = self.made(self.kind, self.choice(written), answer.finish_reason)
        return made | {"usage": answer.usage}

    async def events(self, pieces, answer, with_usage):
        """The lines of a stream."""
        for choice in self.first():
            yield event(self.made(self.chunk, choice, None))
        async for piece in pieces:
            yield event(self.made(self.chunk, self.delta(piece), None))
        if answer.finish_reason == "error":
            reason = "the engine could not compute this answer"
            yield event({"error": {"message": reason, "type": "server_error"}})
        else:
            yield event(self.made(self.chunk, self.delta(""), answer.finish_reason))
        if with_usage:
            made = self.head | {"object": self.chunk, "choices": []}
            yield event(made | {"usage": answer.usage})
        yield "data: [DONE]\n\n"


class Chat(Completion):
    """The objects of /v1/chat/completions."""

    prefix, kind, chunk = "chatcmpl", "chat.completion", "chat.completion.chunk"

    def choice(self, piece):
        return {"message": {"role": "assistant", "content": piece}}

    def first(self):
        return [{"delta": {"role": "assistant", "content": ""}}]

    def delta(self, piece):
        return {"delta": {"content": piece} if piece else {}}


def event(content):
    return f"data: {json.dumps(content)}\n\n"


# --- the command -----------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(
        prog="python -m d2lmini.serve",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, limits = parser.add_argument, Limits()
    add("folder", metavar="FOLDER", nargs="?", help="by default SmolLM2")
    add("--host", default="127.0.0.1", help="0.0.0.0 lets other machines in")
    add("--port", type=int, default=8000, help="0 takes a free one")
    add("--key", help="clients have to send this as their API key")
    add("--name", help="of the model, for clients")
    add("--bits", type=int, choices=(8, 4), help="round the weights")
    add("--max-batch", type=int, default=16, help="requests that run at once")
    add("--cache-tokens", type=int, default=8192, help="tokens that fit into the cache")
    add("--num-draft", type=int, default=0, help="tokens that prompt lookup proposes")
    add("--max-tokens", type=int, default=limits.max_tokens, help="of an answer, at most")
    add("--seconds", type=float, default=limits.seconds, help="for an answer, at most")
    add("--waiting", type=int, default=limits.waiting, help="requests that may wait")
    add("--body", type=int, default=limits.body, help="bytes of a request, at most")
    add("--temperature", type=float, help="where a client names none; by default 0.2, or 1")
    add("--top-p", type=float, help="where a client names none; by default 0.9, or 0.8")
    options = parser.parse_args()
    print("Loading the model ...", flush=True)
    try:
        if options.folder:
            model, tokenizer = load_pretrained(options.folder)
            name = Path(options.folder).resolve().name
        else:
            model, tokenizer = load_smollm2()
            name = "SmolLM2-135M-Instruct"
        if options.bits:
            model = quantize(model, options.bits, 32 if options.bits == 4 else None)
        engine = Engine(
            model,
            tokenizer,
            num_blocks=options.cache_tokens // BLOCK,
            block_size=BLOCK,
            max_batch=options.max_batch,
            num_draft=options.num_draft,
        )
    except (ImportError, ValueError) as error:  # what is missing, damaged or too small
        sys.exit(f"serve: {error}")
    try:
        place = socket.create_server((options.host, options.port))
    except OSError as error:
        reason = error.strerror or error
        sys.exit(
            f"serve: {options.host}:{options.port}: {reason}. --port takes another one"
        )
    is_local = options.host in ("127.0.0.1", "localhost", "::1")
    if not is_local and not options.key:
        print(
            "serve: whoever reaches this machine can use it: set a --key", file=sys.stderr
        )
    worker = Worker(engine)
    worker.start()
    service = Service(
        worker,
        name=options.name or name,
        key=options.key,
        hosts=LOCAL if is_local else ["*"],
        limits=Limits(options.max_tokens, options.seconds, options.body, options.waiting),
        defaults={
            name: value
            for name in ("temperature", "top_p")
            if (value := getattr(options, name)) is not None
        },
    )
    does = "continues text" if service.template is lines else "answers"
    address = f"http://{options.host}:{place.getsockname()[1]}"
    print(
        f"{service.name} {does} at {address}, and for clients at {address}/v1", flush=True
    )
    print("Ctrl-C lets the running answers end, and takes no new ones.", flush=True)
    config = uvicorn.Config(service.app(), log_level="warning", lifespan="off")
    try:
        uvicorn.Server(config).run(sockets=[place])
    except KeyboardInterrupt:  # the answers have ended
        pass


if __name__ == "__main__":
    main()
