"""A Sphinx extension for the page of names: docstrings as autodoc can read them.

Our docstrings are plain text with code in `backticks`; autodoc expects reStructuredText.
"""

import re


def as_rst(app, what, name, obj, options, lines):
    """Turn the lines of a docstring into reStructuredText; a module's lose their title."""
    parts = re.split(r"`([^`]+)`", "\n".join(lines[1:] if what == "module" else lines))
    parts[::2] = [re.sub(r"[\\*|_]", r"\\\g<0>", text) for text in parts[::2]]
    parts[1::2] = [f"``{code}``" for code in parts[1::2]]
    lines[:] = "".join(parts).splitlines()


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", as_rst)
    return {"parallel_read_safe": True}
