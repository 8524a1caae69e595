"""The chat templates of models, and how to find that of a tokenizer."""

from .post_training import chatml
from .sampling import as_text

ENDS = "<|endoftext|>", "<|end_of_text|>", "</s>"  # of a text, in GPT-2 and Llamas
SYSTEM = {"role": "system", "content": "You are a helpful AI assistant."}


def small_template(messages):
    """Messages in the template of chapter 12, where only an answer has an end."""
    turns = {"user": "<|user|>{}", "assistant": "<|assistant|>{}<|end|>"}
    texts = [turns[m["role"]].format(as_text(m["content"])) for m in messages]
    return "".join(texts) + "<|assistant|>"


def lines(messages):
    """The typed lines and their continuations, for a model that continues text."""
    return "\n".join(m["content"] for m in messages)


def find_template(tokenizer):
    """The chat template and the end of an answer for a tokenizer, by its tokens.

    That of SmolLM2 and Qwen, that of chapter 12, or else the text itself, which the model
    continues.
    """
    vocab = tokenizer.get_vocab()
    if {"<|im_start|>", "<|im_end|>"} <= vocab.keys():
        return chatml, "<|im_end|>"
    if {"<|user|>", "<|assistant|>", "<|end|>"} <= vocab.keys():
        return small_template, "<|end|>"
    return lines, next((end for end in ENDS if end in vocab), "")
