"""Talk to a model in a terminal. It remembers the conversation, as far as that fits.

    python -m d2lmini.chat                    SmolLM2-135M-Instruct
    python -m d2lmini.chat --model FOLDER     a folder that load_pretrained can read
    python -m d2lmini.chat --model FOLDER --tools FILE.py
                                              a model that was trained to call tools,
                                              and a Python file with functions for it

The loop itself is `converse` of chapter 12.
"""

import argparse
import inspect
import runpy
import sys

import torch

from .loading import load_pretrained, load_smollm2
from .post_training import chatml, converse
from .templates import SYSTEM, find_template, lines
from .tools import describe, guarded

UNTAUGHT = " But SmolLM2 was never taught to: expect words, and no calls."


def find_tools(path):
    """The functions that a Python file defines, by name, but for those with a _ in front.

    They are `guarded`. Raises ValueError for a file that cannot be run, or has no function,
    or one that a model could not call.
    """
    try:
        found = runpy.run_path(path)
    except Exception as error:  # whatever its code does
        raise ValueError(f"{path}: {type(error).__name__}: {error}") from error
    tools = {
        name: value
        for name, value in found.items()
        if inspect.isfunction(value) and value.__module__ == "<run_path>"
        if not name.startswith("_")
    }
    if not tools:
        raise ValueError(f"{path}: the file must define a function")
    try:
        return {name: guarded(tool) for name, tool in tools.items()}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read(sign):
    """The next line that is typed; nothing at the end of the input, after Ctrl-D."""
    try:
        return input(sign)
    except EOFError:
        return ""


def main():
    parser = argparse.ArgumentParser(
        prog="python -m d2lmini.chat",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--model", metavar="FOLDER", help="by default SmolLM2")
    add("--tools", metavar="FILE", help="Python functions that the model may call")
    add("--temperature", type=float, default=0.2, help="0 takes the most probable token")
    add("--top-p", type=float, default=0.9, help="the share of probability that is kept")
    add("--max-new-tokens", type=int, default=200, help="at most, in an answer")
    add("--seed", type=int, help="repeats the same answers")
    options = vars(parser.parse_args())
    folder, seed, file = (options.pop(name) for name in ("model", "seed", "tools"))
    if seed is not None:
        torch.manual_seed(seed)
    try:
        tools = find_tools(file) if file else None
        model, tokenizer = load_pretrained(folder) if folder else load_smollm2()
        template, end = find_template(tokenizer)
        if tools and template is not chatml:
            raise ValueError("--tools: the tokenizer must have <|im_start|> and <|im_end|>")
        options["messages"] = [SYSTEM] if template is chatml else []
        if tools:
            options["messages"] = [{"role": "system", "content": describe(tools)}]
            print(f"It can call {', '.join(tools)}.{'' if folder else UNTAUGHT}")
        does = "continues your text" if template is lines else "answers"
        print(f"The model {does}. Ctrl-C ends an answer, an empty line the chat.")
        converse(model, tokenizer, template, end, read, tools=tools, **options)
    except (ImportError, ValueError) as error:  # what is missing, damaged or too long
        sys.exit(f"chat: {error}")
    except KeyboardInterrupt:  # while nothing is being answered
        print()


if __name__ == "__main__":
    main()
