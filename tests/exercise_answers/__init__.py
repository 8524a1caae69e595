"""Answers to the exercises, as data: WRONG ones, and OTHER ones that are right."""


def swap(answers, number, *pairs):
    """One of the answers, by number, with some text replaced, which must be there."""
    source = answers[number]
    for old, new in pairs:
        if old not in source:
            raise ValueError(f"{number}: nothing to replace: {old!r}")
        source = source.replace(old, new)
    return source


def spoil(answers, mistakes):
    """Wrong answers by number, lists of (what is wrong, source).

    A mistake is what is wrong, and then texts to replace in the right answer, each
    followed by the new text; or what is wrong and the whole source.
    """
    wrong = {}
    for number, rows in mistakes.items():
        for why, *texts in rows:
            pairs = zip(texts[::2], texts[1::2])
            source = swap(answers, number, *pairs) if texts[1:] else texts[0]
            wrong.setdefault(number, []).append((why, source))
    return wrong
