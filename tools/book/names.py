"""The reference of the package: a page for each module, with links to it and from it.

A name belongs to the package, so what chapter 11 saves as GPT has the entry `d2lmini.GPT`,
which other projects that are built with Sphinx can link to. book/names/gpt.md holds it. The
page of names lists the entries of all modules for its `{{ names }}`.

Each entry says which section defines it. In the prose of a notebook, the first code that is
a public name links to its entry, unless the page defines the name itself. A name without a
capital letter or an underscore, such as `plot`, could be any word: only `d2l.plot` links.

Our docstrings are plain text with code in `backticks`; for autodoc, which expects
reStructuredText, they are rewritten.
"""

import importlib
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.ext.autodoc import ModuleDocumenter
from sphinx.util.nodes import make_refnode

from tools.book import address, search
from tools.notebooks.save import PACKAGE, TAG

FOLDER = "book/names/"
MODULE = re.compile(rf"file: {FOLDER}(\w+)$", re.MULTILINE)
CODE = re.compile(r"(d2l(?:mini)?\.)?(\w+)(?:\(\))?")
NO_PROSE = nodes.title, nodes.reference, addnodes.pending_xref


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.add_autodocumenter(Names, override=True)
    app.connect("config-inited", add_version)
    app.connect("config-inited", add_overview)
    app.connect("autodoc-process-docstring", rewrite_docstring)
    app.connect("doctree-read", note_definitions)
    app.connect("doctree-read", link_names)
    app.connect("doctree-resolved", add_definitions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Names(ModuleDocumenter):
    """What a module saves, as entries of the package: d2lmini.GPT, not d2lmini.gpt.GPT.

    The module has none, since `d2lmini.nadaraya_watson` is the function of that name.
    """

    def add_directive_header(self, sig):
        super().add_directive_header(sig)
        self.add_line("   :no-index:", self.get_sourcename())

    def document_members(self, all_members=False):
        self.modname = PACKAGE
        super().document_members(all_members)


def add_version(app, config):
    """Set of which package and version the inventory lists the names."""
    config.project, config.version = PACKAGE, address.project_version()


def add_overview(app, config):
    """Set what the page of names substitutes."""
    toc = (Path(app.srcdir) / "_toc.yml").read_text(encoding="utf-8")
    config.myst_substitutions |= {"names": overview(MODULE.findall(toc))}


def overview(modules):
    """The names of these modules in Markdown, with links to their entries."""
    lines = []
    for page in modules:
        module = importlib.import_module(f"{PACKAGE}.{page}")
        title = module.__doc__.partition("\n")[0]
        links = ", ".join(entry_link(page, name) for name in module.__all__)
        lines += [f"[{title}](names/{page}.md)", f": {links}", ""]
    return "\n".join(lines)


def entry_link(module, name):
    """A link to an entry, at the anchor that the entry had when all stood on one page."""
    anchor = f"{PACKAGE}.{module}.{name}"
    return f'<span id="{anchor}"></span>{{py:obj}}`{name} <{PACKAGE}.{name}>`'


def rewrite_docstring(app, what, name, obj, options, lines):
    """Turn the lines of a docstring into reStructuredText; a module's lose their title."""
    parts = re.split(r"`([^`]+)`", "\n".join(lines[1:] if what == "module" else lines))
    parts[::2] = [re.sub(r"[\\*|_]", r"\\\g<0>", text) for text in parts[::2]]
    parts[1::2] = [f"``{code}``" for code in parts[1::2]]
    lines[:] = "".join(parts).splitlines()


def note_definitions(app, doctree):
    """Note which names a page's code defines, and the sections that save them."""
    title = search.plain(doctree.next_node(nodes.title))
    defined, saved = set(), {}
    for section in doctree.findall(nodes.section):
        cells = []
        search.collect(section, [], cells)
        heading = search.plain(section.next_node(nodes.title))
        text = title if heading == title else f"{title}, {heading}"
        for cell in cells:
            names = search.defined(cell)
            defined.update(names)
            if TAG.search(cell):
                saved |= dict.fromkeys(names, (section["ids"][0], text))
    app.env.metadata[app.env.docname] |= {"defined": defined, "saved": saved}


def add_definitions(app, doctree, docname):
    """Say in each entry which section defines it; for a method, if its class's does not."""
    if not docname.startswith(FOLDER):
        return
    places = {
        name: (page, *place)
        for page, found in app.env.metadata.items()
        for name, place in found["saved"].items()
    }
    for signature, content in list(doctree.findall(addnodes.desc)):
        name = signature["ids"][0].removeprefix(f"{PACKAGE}.")
        place = places.get(name)
        if place and place != places.get(name.rpartition(".")[0]):
            page, anchor, text = place
            link = make_refnode(app.builder, docname, page, anchor, nodes.Text(text))
            line = nodes.paragraph("", "Defined in: ", link, classes=["defined"])
            methods = content.first_child_matching_class(addnodes.index)
            content.insert(len(content) if methods is None else methods, line)


def link_names(app, doctree):
    """Link the first use of each name in the prose of a notebook to its entry."""
    page = app.env.docname
    if not page.startswith("notebooks/"):
        return
    package = importlib.import_module(PACKAGE)  # slow, since it needs torch
    left = set(package.__all__) - app.env.metadata[page]["defined"]
    for code in list(doctree.findall(nodes.literal)):
        name = public_name(code.astext())
        if name in left and is_prose(code):
            left.remove(name)
            xref = addnodes.pending_xref(
                "",
                code.deepcopy(),
                refdomain="py",
                reftype="obj",
                reftarget=f"{PACKAGE}.{name}",
                refwarn=True,
            )
            code.replace_self(xref)


def public_name(code):
    """The name that code in a text may be, without its package, or None."""
    found = CODE.fullmatch(code)
    if found and (found[1] or re.search("[A-Z_]", found[2])):
        return found[2]
    return None


def is_prose(node):
    """Whether a node stands in no heading, no link and nothing that the search skips."""
    while node := node.parent:
        if isinstance(node, NO_PROSE) or search.is_hidden(node):
            return False
    return True
