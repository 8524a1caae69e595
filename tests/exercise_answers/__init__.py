"""Answers to the exercises, as data: WRONG ones, and OTHER ones that are right."""


def swap(answers, number, *pairs):
    """One of the answers, by number, with some text replaced, which must be there."""
    source = answers[number]
    for old, new in pairs:
        if old not in source:
            raise ValueError(f"{number}: nothing to replace: {old!r}")
        source = source.replace(old, new)
    return source
