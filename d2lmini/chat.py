"""Talk to a model in a terminal: each line is a question of its own.

    python -m d2lmini.chat                    SmolLM2-135M-Instruct
    python -m d2lmini.chat --model FOLDER     a folder that load_pretrained can read

The loop itself is `converse` of chapter 12.
"""

import argparse
import sys

import torch

from .gpt import chat_prompt
from .loading import load_pretrained, load_smollm2
from .post_training import converse

ENDS = "<|endoftext|>", "<|end_of_text|>", "</s>"  # of a text, in GPT-2 and Llamas


def find_template(tokenizer):
    """The chat template and the end of an answer for a tokenizer, by its tokens.

    That of SmolLM2 and Qwen, that of chapter 12, or else the typed text itself, which the
    model continues.
    """
    vocab = tokenizer.get_vocab()
    if {"<|im_start|>", "<|im_end|>"} <= vocab.keys():
        return chat_prompt, "<|im_end|>"
    if {"<|user|>", "<|assistant|>", "<|end|>"} <= vocab.keys():
        return lambda question: f"<|user|>{question}<|assistant|>", "<|end|>"
    return str, next((end for end in ENDS if end in vocab), "")


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
    add("--temperature", type=float, default=0.2, help="0 takes the most probable token")
    add("--top-p", type=float, default=0.9, help="the share of probability that is kept")
    add("--max-new-tokens", type=int, default=200, help="at most, in an answer")
    add("--seed", type=int, help="repeats the same answers")
    options = vars(parser.parse_args())
    folder, seed = options.pop("model"), options.pop("seed")
    if seed is not None:
        torch.manual_seed(seed)
    try:
        model, tokenizer = load_pretrained(folder) if folder else load_smollm2()
        template, end = find_template(tokenizer)
        does = "continues your text" if template is str else "answers"
        print(f"The model {does}. Ctrl-C ends an answer, an empty line the chat.")
        converse(model, tokenizer, template, end, read, **options)
    except (ImportError, ValueError) as error:  # what is missing, damaged or too long
        sys.exit(f"chat: {error}")
    except KeyboardInterrupt:  # while nothing is being answered
        print()


if __name__ == "__main__":
    main()
