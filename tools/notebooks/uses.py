"""What a notebook uses of the package d2lmini, and of other libraries, from its code alone.

A definition of the package is a function, a class with its methods, or a constant. A
notebook uses those that it names as `d2l.Name` or imports from a module, and those that
these name in turn. A library is imported by one of them, wherever the import stands, also
by `import_extra`, or looked for by `find_spec`. A file of d2lmini/data is used by a
definition that names it.

execute.py keeps outputs as long as nothing has changed that a notebook uses, and
standalone.py gives a download what its notebook uses.
"""

import ast
import functools
import hashlib
import sys
from contextlib import suppress
from dataclasses import dataclass

from tools import ROOT
from tools.notebooks.save import ALIAS, PACKAGE, parse

NAMES = ALIAS, PACKAGE  # of the package in a notebook
Key = tuple[str, str]  # a module and a name in it


@dataclass(frozen=True)
class Definition:
    """A definition of the package: its text without docstrings, and what it needs."""

    text: str
    names: frozenset[Key]
    libraries: frozenset[str]
    data: frozenset[str]


@dataclass(frozen=True)
class Uses:
    """What a notebook uses: definitions by module and name, libraries, files of data."""

    definitions: dict[Key, Definition]
    libraries: frozenset[str]
    data: frozenset[str]


def uses(sources: list[str]) -> Uses:
    """What code cells with these sources use."""
    package = read_package()
    names, libraries, data = set(), set(), set()
    for tree in trees(sources):
        names |= names_of_package(tree, package)
        libraries |= imported(tree)
        data |= data_in(tree)
    found, waiting = {}, sorted(names)
    while waiting:
        key = waiting.pop()
        if key in package and key not in found:  # `plt` is matplotlib's, not ours
            found[key] = package[key]
            waiting += package[key].names
    for definition in found.values():
        libraries |= definition.libraries
        data |= definition.data
    own = {*sys.stdlib_module_names, PACKAGE}
    return Uses(dict(sorted(found.items())), frozenset(libraries - own), frozenset(data))


def trees(sources: list[str]) -> list[ast.Module]:
    """The syntax trees of code cells, and of programs that stand in them as strings."""
    found = [parse(source, "a notebook") for source in sources]
    for node in [node for tree in found for node in ast.walk(tree)]:
        if isinstance(node, ast.Constant) and f"import {PACKAGE}" in str(node.value):
            with suppress(SyntaxError):  # text, and no program
                found.append(ast.parse(node.value))
    return found


def fingerprint(sources: list[str]) -> str:
    """A hash of code cells and of all that they use of the package."""
    used = uses(sources)
    parts = [*sources, *(definition.text for definition in used.definitions.values())]
    folder = ROOT / PACKAGE / "data"
    parts = [part.encode() for part in parts]
    parts += [(folder / name).read_bytes() for name in sorted(used.data)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


@functools.cache
def read_package() -> dict[Key, Definition]:
    """The definitions of the package, by their module and name."""
    paths = sorted((ROOT / PACKAGE).glob("[!_]*.py"))
    modules = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    trees = {name: ast.parse(text) for name, text in modules.items()}
    spaces = {name: namespace(name, tree) for name, tree in trees.items()}
    package = {}
    for module, tree in trees.items():
        lines = modules[module].splitlines()
        for node in tree.body:
            for name in defined(node):
                package[module, name] = definition(node, lines, spaces[module])
    return package


def defined(node: ast.stmt) -> list[str]:
    """The names that a top-level statement of a module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            names = [part for target in targets for part in ast.walk(target)]
            return [part.id for part in names if isinstance(part, ast.Name)]
    return []


def namespace(module: str, tree: ast.Module) -> dict[str, Key | str]:
    """What each name of a module is: a definition of the package, or a library."""
    space = {name: (module, name) for node in tree.body for name in defined(node)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            for alias in node.names:
                space[alias.asname or alias.name] = (node.module, alias.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                library = getattr(node, "module", None) or alias.name
                shown = alias.asname or alias.name.partition(".")[0]
                space[shown] = library.partition(".")[0]
    return space


def definition(node: ast.stmt, lines: list[str], space: dict) -> Definition:
    """A top-level statement of a module with these names."""
    first = min(part.lineno for part in [node, *getattr(node, "decorator_list", [])])
    left = set(range(first, node.end_lineno + 1))
    for part in ast.walk(node):
        if isinstance(part, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(part):
            left -= set(range(part.body[0].lineno, part.body[0].end_lineno + 1))
    named = {space.get(part.id) for part in ast.walk(node) if isinstance(part, ast.Name)}
    libraries = {each for each in named if isinstance(each, str)}
    return Definition(
        text="\n".join(lines[number - 1] for number in sorted(left)),
        names=frozenset(named - libraries - {None}),
        libraries=frozenset(libraries | imported(node)),
        data=frozenset(data_in(node)),
    )


def names_of_package(tree: ast.Module, package: dict) -> set[Key]:
    """The definitions that a cell names. A name that the package lacks is not one."""
    owners = {name: (module, name) for module, name in package}
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in NAMES:
                found.add(owners.get(name))
            case ast.ImportFrom(module=module, names=aliases) if module == PACKAGE:
                found |= {owners.get(alias.name) for alias in aliases}
            case ast.ImportFrom(module=str(module)) if module.startswith(f"{PACKAGE}."):
                part = module.removeprefix(f"{PACKAGE}.")
                found |= {(part, alias.name) for alias in node.names}
    return found & package.keys()


def imported(tree: ast.AST) -> set[str]:
    """The libraries that code imports or looks for, by the names of their imports."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                found |= {alias.name for alias in node.names}
            case ast.ImportFrom(level=0):
                found.add(node.module)
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called),
                args=[ast.Constant(name), *_],
            ) if called in ("find_spec", "import_extra"):
                found.add(name)
    return {name.partition(".")[0] for name in found}


def data_in(tree: ast.AST) -> set[str]:
    """The files of d2lmini/data that code names, also without their folder."""
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    folder = ROOT / PACKAGE / "data"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix() for path in files if path.name in strings}
