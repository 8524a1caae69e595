"""Guesses: answers that a reader taps before the result is shown.

On a page, and in a notebook, a guess is a paragraph that begins with **Guess.** and a list
of two to four short answers below it. In the book the list becomes buttons
(book/_static/course.js), and what follows it, a figure or a cell, appears when one of them
is chosen. Without scripts, on paper and in Colab nothing is hidden. Below the list a fold
can have a line about each answer, which appears with the result. No answer is kept.
"""

from docutils import nodes

MOST = 4


def mark(app, doctree):
    """Give the list of each guess the class `guess`."""
    for paragraph in doctree.findall(nodes.paragraph):
        first = next((part for part in paragraph.children if part.astext()), None)
        if isinstance(first, nodes.strong) and first.astext() == "Guess.":
            answers = paragraph.next_node(descend=False, siblings=True)
            if isinstance(answers, nodes.bullet_list) and 2 <= len(answers) <= MOST:
                answers["classes"].append("guess")
