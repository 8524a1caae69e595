"""Write what the book's search looks through: its sections, each with its text.

book/_static/search.js reads the file when a reader begins to search. An entry is a section
of a page, or a name of the package: its address, its title, that of the page, the
terms that book/terms.yml gives it, what its code defines, its prose and the names in its
code.
"""

import json
import re
from pathlib import Path

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.util.nodes import process_only_nodes

FILE = "sections.js"
ENTRIES = (nodes.section, addnodes.desc)
HEADINGS = (nodes.title, addnodes.desc_signature)
SKIPPED = (*ENTRIES, *HEADINGS, addnodes.index, nodes.comment)
NAME = re.compile(r"[A-Za-z_]\w{2,}")
DEFINED = re.compile(
    r"^(?:@(?:d2l\.)?add_to_class\((\w+)\).*\n(?:@.*\n)*)?(?:class|def) (\w+)", re.MULTILINE
)
MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)
WRAPPER = re.compile(r"\\(?:math|bold|text|operatorname)[a-z]*\{([^{}]*)\}")


def write_sections(app):
    """Write the sections of all pages into the folder of the book."""
    root = Path(app.srcdir)
    terms = yaml.safe_load((root / "book" / "terms.yml").read_text(encoding="utf-8"))
    found = []
    for page in sorted(app.env.found_docs):
        doctree = app.env.get_doctree(page)
        process_only_nodes(doctree, app.tags)
        found += sections(doctree, page, terms.get(page, {}))
    text = json.dumps(found, ensure_ascii=False, indent=0)
    Path(app.outdir, FILE).write_text(f"const sections = {text};\n", "utf-8")


def sections(doctree, page, terms):
    """The entries of a page, in its order; the first one is the page itself."""
    title, entries = doctree.next_node(nodes.title), []
    for node in doctree.findall(lambda node: isinstance(node, ENTRIES)):
        heading = next(node.findall(lambda child: isinstance(child, HEADINGS)))
        ids = node["ids"] or heading["ids"]
        if not ids:
            continue
        prose, code = [], []
        collect(node, prose, code)
        code = "\n".join(code)
        name, names = plain(heading), defined(code)
        if node.tagname == "desc":
            name = ids[0].removeprefix("d2lmini.")
            names = [name]
        entries.append(
            {
                "url": f"{page}.html" + (f"#{ids[0]}" if entries else ""),
                "page": plain(title),
                "title": name,
                "terms": [term for key in ids for term in terms.get(key, [])],
                "defines": [each.rpartition(".")[2] for each in names],
                "text": " ".join("".join(prose).split()),
                "code": " ".join(sorted(set(NAME.findall(code)))),
            }
        )
    return entries


def defined(code):
    """The names that code defines; a method f that it adds to a class C is C.f."""
    return [f"{of}.{name}" if of else name for of, name in DEFINED.findall(code)]


def collect(node, prose, code):
    """Add what stands in an entry, without the entries inside it, to these two lists."""
    for child in node.children:
        if isinstance(child, SKIPPED) or is_hidden(child):
            continue
        if isinstance(child, nodes.literal_block):
            code.append(child.astext())
        elif isinstance(child, (nodes.math, nodes.math_block)):
            prose.append(readable(child.astext()))
        elif isinstance(child, nodes.raw):
            prose.append(MARKUP.sub(" ", child.astext()))
        elif isinstance(child, nodes.Text):
            prose.append(child.astext())
        else:
            collect(child, prose, code)
            if not isinstance(child, nodes.Inline):
                prose.append(" ")


def is_hidden(node):
    """An output, or questions with their answers."""
    return is_output(node) or has_class(node, "questions")


def is_output(node):
    return has_class(node, "cell_output")


def has_class(node, name):
    return isinstance(node, nodes.Element) and name in node["classes"]


def plain(heading):
    prose = []
    collect(heading, prose, [])
    return " ".join("".join(prose).split())


def readable(formula):
    """A short formula without LaTeX's commands; dots in place of one that needs them."""
    text = WRAPPER.sub(r"\1", re.sub(r"\\sqrt\{(\w+)\}", r"√\1", formula))
    return "…" if re.search(r"[\\{}^_]", text) else text
