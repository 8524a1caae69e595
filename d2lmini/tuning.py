"""Teaching a model dialogues of one's own, and keeping what it could do before."""

import json
import math
import re
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import kl_div, nll_loss
from torch.nn.utils.rnn import pad_sequence

from .chat import SYSTEM, find_template, lines, small_template
from .checks import check_int, full_precision
from .post_training import LoRA, chatml, merge_lora, sample_answers
from .sampling import as_text
from .training import eval_mode

__all__ = [
    "as_dialogue",
    "encode_dialogue",
    "own_answers",
    "ordinary_dialogues",
    "divergence",
    "fine_tune",
    "about_others",
]


def as_dialogue(question: str, answer: str):
    """The messages of a dialogue with one question and its answer."""
    contents = {"user": question, "assistant": answer}
    return [{"role": role, "content": text} for role, text in contents.items()]


def check_messages(messages, roles):
    """Raise ValueError unless these are messages with such roles, and an answer last.

    A message has a `role` and a `content`, a text that is not empty. What else it has
    is not looked at. The system message, if any, stands first.
    """
    if not isinstance(messages, list) or not messages:
        raise ValueError("a dialogue must be a list of messages")
    for i, message in enumerate(messages, start=1):
        match message:
            case {"role": "system"} if i > 1:
                raise ValueError("the system message must stand first")
            case {"role": role, "content": str(text)} if role in roles and text.strip():
                pass
            case _:
                wanted = f"a role ({', '.join(roles)}) and a content that is not empty"
                raise ValueError(f"message {i} must have {wanted}: {message!r}")
    roles = [message["role"] for message in messages]
    if roles[-1] != "assistant" or "user" not in roles:
        raise ValueError("a dialogue must have a question, and end with the answer")


def chat_format(tokenizer):
    """The template, the end of an answer, and the roles, for a tokenizer that has them.

    Raises ValueError for a tokenizer without the tokens of a chat template.
    """
    template, end = find_template(tokenizer)
    if template is lines:
        raise ValueError("the tokenizer has no tokens of a chat template")
    others = [] if template is small_template else ["system", "tool"]
    return template, end, ["user", "assistant", *others]


def with_system(template, messages):
    """The messages, in SmolLM2's template behind a system message: that of the chat."""
    if template is not chatml or messages[0]["role"] == "system":
        return messages
    return [SYSTEM, *messages]


def encode_dialogue(tokenizer, messages):
    """Tokens (n,) of a dialogue, and masks (n,) of the answers and of all that is said.

    The messages are dictionaries of `role` and `content`, and the last one is an
    answer, of the role "assistant". The tokens are those that a chat reads, each answer
    with its end. The first mask has all answers with their ends, the second everything
    but what stands before the first question. Raises ValueError for other messages, and
    for a tokenizer without the tokens of a chat template.
    """
    template, end, roles = chat_format(tokenizer)
    check_messages(messages, roles)
    messages = with_system(template, messages)
    stop, ids, answers, read = tokenizer.token_to_id(end), [], [], ""
    for i, message in enumerate(messages):
        if message["role"] == "assistant":
            prompt, answer = template(messages[:i]), as_text(message["content"])
            new = prompt.removeprefix(read)
            before = tokenizer.encode(new, add_special_tokens=not ids).ids
            after = tokenizer.encode(answer, add_special_tokens=False).ids
            ids += [*before, *after, stop]
            answers += [False] * len(before) + [True] * (len(after) + 1)
            read = prompt + answer + end
    first = [message for message in messages if message["role"] == "system"]
    question = {"role": "user", "content": "\0"}
    head, _, _ = template([*first, question]).partition("\0")
    said = torch.arange(len(ids)) >= len(tokenizer.encode(head).ids)
    return torch.tensor(ids), torch.tensor(answers), said


def own_answers(model, tokenizer, questions, max_new_tokens=32, batch_size=32):
    """The most probable answers of a model, of each at most so many tokens.

    A question is a text, or the messages that end with it. Those of equal length are
    answered together, batch_size at a time. Leaves the random numbers and the mode of
    the model as they are. Raises ValueError for a tokenizer without the tokens of a
    chat template, and for a question that is longer than model.max_len.
    """
    template, end, _ = chat_format(tokenizer)
    prompts, groups, answers = [], {}, {}
    for i, asked in enumerate(questions):
        if isinstance(asked, str):
            asked = [{"role": "user", "content": asked}]
        prompts.append(template(with_system(template, asked)))
        groups.setdefault(len(tokenizer.encode(prompts[i]).ids), []).append(i)
    options = {"max_new_tokens": max_new_tokens, "temperature": 0, "seed": 0}
    for group in groups.values():
        for start in range(0, len(group), batch_size):
            some = group[start : start + batch_size]
            asked = [prompts[i] for i in some]
            *_, texts = sample_answers(model, tokenizer, asked, 1, end, **options)
            answers |= {i: text.partition(end)[0] for i, text in zip(some, texts)}
    return [answers[i].strip() for i in range(len(prompts))]


def ordinary_dialogues(model=None, tokenizer=None):
    """A hundred and twenty ordinary questions with a model's own answers, as dialogues.

    Without a model the answers are those of SmolLM2, which are stored.
    """
    path = Path(__file__).with_name("data") / "ordinary.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    answers = [row["answer"] for row in rows]
    questions = [row["question"] for row in rows]
    if model is not None:
        answers = own_answers(model, tokenizer, questions)
    return [as_dialogue(q, a) for q, a in zip(questions, answers) if a]


def about_others(questions, names, others):
    """Questions about other subjects, which replace the names of one's own.

    names are what the questions call their subject, such as ["the bakery"], in capital
    letters or not. Questions without a name are left out; the others take turns. Raises
    ValueError if no question has a name.
    """
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)", re.IGNORECASE)
    found = []
    for question in filter(pattern.search, questions):
        other = others[len(found) % len(others)]

        def replace(match, other=other):
            return other[0].upper() + other[1:] if match.start() == 0 else other

        found.append(pattern.sub(replace, question))
    if not found:
        raise ValueError(f"no question has a name of the subject: {', '.join(names)}")
    return found


@torch.no_grad()
def lower_states(model, blks, tokens):
    """What the lower blocks give for tokens (n,): a tensor (n, d)."""
    X = model.embedding(tokens[None])
    if model.positions is not None:
        X = X + model.positions(torch.arange(len(tokens), device=tokens.device))
    for blk in blks:
        X = blk(X)
    return X[0]


def run_upper(blks, rows):
    """The outputs (k, d) of the upper blocks, at the k masked positions of some rows.

    A row has states (n, d), the next tokens (n,) and a mask (n,).
    """
    X = pad_sequence([X for X, _, _ in rows], batch_first=True)
    mask = pad_sequence([mask for _, _, mask in rows], batch_first=True)
    for blk in blks:
        X = blk(X)
    return X[mask]


def log_probs(model, H):
    """log P (k, vocabulary) of the next tokens, given outputs (k, d) of the blocks."""
    return full_precision(model.output(model.norm(H))).log_softmax(dim=-1)


def divergence(new, old):
    """The mean of KL(old || new) of k distributions, given log P (k, vocabulary)."""
    return kl_div(new, old, log_target=True, reduction="none").sum(dim=-1).mean()


def draws(num, size):
    """Lists of size indices below num, all of which come before one comes again."""
    order = []
    while True:
        while len(order) < size:
            order = torch.randperm(num).tolist() + order
        yield [order.pop() for _ in range(size)]


def answer_loss(model, blks, rows):
    """The mean of -log P of the next tokens, over those in the masks of the rows."""
    targets = torch.cat([tokens[mask] for _, tokens, mask in rows])
    return nll_loss(log_probs(model, run_upper(blks, rows)), targets)


def drift(model, blks, rows, old):
    """The `divergence` on rows from what the blocks gave before, a list of (k, d)."""
    with torch.no_grad():
        before = log_probs(model, torch.cat(old))
    return divergence(log_probs(model, run_upper(blks, rows)), before)


def rate(step, num_steps):
    """The share of the learning rate: it rises for 5 steps, and falls from 40 % on."""
    done = max(0, step / num_steps - 0.4) / 0.6
    return min(1, (step + 1) / 5) * (1 - 0.95 * done)


@contextmanager
def random_numbers(seed, device):
    """A context with random numbers of its own: afterwards all is as it was before."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices):
        torch.manual_seed(seed)
        yield


def train_adapters(
    model,
    blks,
    taught,
    kept,
    *,
    num_steps=None,
    batch_size=8,
    num_ordinary=4,
    lr=3e-3,
    keep=1.0,
    on_step=None,
):
    """Train what can be trained in the upper blocks on rows as `make_rows` gives them.

    The loss is the cross-entropy of batch_size rows of taught, and keep times the
    `divergence` of num_ordinary rows of kept, if any, from what the blocks give at
    first. By default each row of taught is read 12 times, but in 60 steps at least.
    on_step is called with the step, the cross-entropy and the divergence. AdamW without
    decay; the rate rises to lr for five steps, and falls from 40 % of the steps on.
    """
    if num_steps is None:
        num_steps = max(60, math.ceil(12 * len(taught) / batch_size))
    with torch.no_grad():
        old = [run_upper(blks, [row]) for row in kept]
    parameters = [W for W in blks.parameters() if W.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr, betas=(0.9, 0.99), weight_decay=0)
    batches, others = draws(len(taught), batch_size), draws(len(kept), num_ordinary)
    for step in range(num_steps):
        optimizer.param_groups[0]["lr"] = lr * rate(step, num_steps)
        loss = answer_loss(model, blks, [taught[i] for i in next(batches)])
        far, some = loss.new_zeros(()), next(others) if kept else []
        if some:
            far = drift(model, blks, [kept[i] for i in some], [old[i] for i in some])
        total = loss + keep * far
        if not total.isfinite():
            raise ValueError(f"the loss is {total} in step {step}: try a smaller lr")
        if on_step is not None:
            on_step(step, loss.item(), far.item())
        optimizer.zero_grad()
        total.backward()
        nn.utils.clip_grad_norm_(parameters, 1)
        optimizer.step()


def make_rows(model, blks, tokenizer, dialogues, *, said=False):
    """For each dialogue the states (n, d) of the lower blocks, the next tokens, a mask.

    The mask (n,) has the answers, or with said the questions, too. Raises ValueError,
    with the number of the dialogue, for one that cannot be encoded, or is longer than
    model.max_len.
    """
    rows, device = [], next(model.parameters()).device
    for i, messages in enumerate(dialogues, start=1):
        try:
            tokens, *masks = encode_dialogue(tokenizer, messages)
            if len(tokens) > model.max_len:
                sizes = f"{len(tokens)} tokens, and the model reads {model.max_len}"
                raise ValueError(f"it has {sizes}")
        except ValueError as error:
            raise ValueError(f"dialogue {i}: {error}") from error
        tokens, mask = tokens.to(device), masks[said].to(device)
        rows.append((lower_states(model, blks, tokens[:-1]), tokens[1:], mask[1:]))
    return rows


def fine_tune(
    model, tokenizer, dialogues, ordinary=None, num_blks=10, rank=8, seed=0, **options
):
    """Teach a model dialogues, and hold it to what it says on ordinary questions.

    dialogues and ordinary are lists of dialogues, each as for `encode_dialogue`. The
    ordinary ones are by default those of `ordinary_dialogues` with the model's own
    answers; [] leaves them out. A `LoRA` of this rank in each matrix of the last
    num_blks blocks is trained, and merged at the end, also after an error. For the loss
    and the options see `train_adapters`. Changes the model, whose weights are fixed
    then, and returns it; leaves its mode and the random numbers as they are. Raises
    ValueError if there are no dialogues, and, with its number, for one that cannot be
    encoded, or is longer than model.max_len. Sources: Hu et al. (2022) for LoRA; Li and
    Hoiem (2018) for holding a network to what it said before.
    """
    for name, value in {"num_blks": num_blks, "rank": rank}.items():
        check_int(name, value, 1)
    if not dialogues:
        raise ValueError("dialogues must be one or more")
    if ordinary is None:
        ordinary = ordinary_dialogues(model, tokenizer)
    cut = max(0, len(model.blks) - num_blks)
    lower, upper = model.blks[:cut], model.blks[cut:]
    with eval_mode(model), random_numbers(seed, next(model.parameters()).device):
        taught = make_rows(model, lower, tokenizer, dialogues)
        kept = make_rows(model, lower, tokenizer, ordinary, said=True)
        model.requires_grad_(False)
        for name, layer in list(upper.named_modules()):
            if isinstance(layer, nn.Linear):
                upper.set_submodule(name, LoRA(layer, rank))
        try:
            train_adapters(model, upper, taught, kept, **options)
        finally:
            merge_lora(model)
    return model
