"""Answers to the exercises, as data: WRONG ones, and OTHER ones that are right."""

import re


def spoil(answers, mistakes):
    """Wrong answers by number, lists of (what is wrong, source).

    Mistakes are a list in Markdown: each says what is wrong, and then `old` -> `new` for
    what is replaced in the right answer, or the whole source in a fence.
    """
    wrong = {}
    for number, text in mistakes.items():
        wrong[number] = []
        for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
            why, _, change = item.partition(":")
            if whole := re.search("```(.*)```", change, re.DOTALL):
                source = whole[1]
            else:
                pairs = re.findall(r"`([^`]*)`\s*->\s*`([^`]*)`", change)
                source = swap(answers[number], number, pairs)
            wrong[number].append((why, source))
    return wrong


def swap(source, number, pairs):
    """The source with some text replaced, which must be there."""
    for old, new in pairs:
        if old not in source:
            raise ValueError(f"{number}: nothing to replace: {old!r}")
        source = source.replace(old, new)
    return source
