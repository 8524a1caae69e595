"""Write requirements.txt and requirements-grading.txt from the list in pyproject.toml.

    python -m tools.requirements              add what is new, and keep the other versions
    python -m tools.requirements --upgrade    take the newest version of everything

pyproject.toml says which packages the course needs: `dependencies` and the extras are those
of d2lmini, and the groups are for the book, the notebooks, the tests and grading. Here pip
finds versions of them, and of what they require, that fit together. Nothing is installed.
PyTorch is not pinned, since its builds differ: the range in its group stands in the file.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
import tomllib

from tools import ROOT

REQUIREMENTS = ROOT / "requirements.txt"
GRADING = ROOT / "requirements-grading.txt"
HEAD = """\
# Written by `make requirements` from the list in pyproject.toml: edit that.
# {about}
"""
PINNED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = parser.parse_args().upgrade
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = project["dependency-groups"]
    extras = project["project"]["optional-dependencies"]
    del extras["all"]  # which names the others
    del extras["datasets"]  # which no page and no test needs
    listed = [*project["project"]["dependencies"], *itertools.chain(*extras.values())]
    listed += [*groups["torch"], *groups["book"], *groups["notebooks"], *groups["tests"]]
    old = "" if upgrade else REQUIREMENTS.read_text(encoding="utf-8")
    pins = resolve(listed, dict(PINNED.findall(old)))
    torch = groups["torch"]
    about = (
        "The environment that CI tests: versions whose every printed number was compared."
    )
    REQUIREMENTS.write_text(text(about, torch, pins), encoding="utf-8", newline="\n")
    old = "" if upgrade else GRADING.read_text(encoding="utf-8")
    more = resolve([*listed, *groups["grading"]], pins | dict(PINNED.findall(old)))
    more = {name: version for name, version in more.items() if name not in pins}
    about = "What grading needs besides requirements.txt: for instructors, and nobody else."
    GRADING.write_text(text(about, [], more), encoding="utf-8", newline="\n")


def resolve(listed, pins):
    """Versions by name of what is listed and what that requires, without PyTorch's own.

    Those that are pinned already stay.
    """
    constraints = ROOT / "_build" / "constraints.txt"
    constraints.parent.mkdir(exist_ok=True)
    lines = [f"{name}=={version}" for name, version in pins.items()]
    constraints.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
    command += ["--quiet", "--report", "-", "--constraint", str(constraints), *listed]
    report = json.loads(subprocess.check_output(command, cwd=ROOT))
    found = {each["metadata"]["name"]: each["metadata"] for each in report["install"]}
    for name in of_torch(found):
        del found[name]
    return {name: found[name]["version"] for name in sorted(found, key=str.lower)}


def of_torch(found):
    """PyTorch and what only it requires, which differs between its builds."""
    required = {name: names(each.get("requires_dist", [])) for name, each in found.items()}
    left, before = {"torch"}, None
    while left != before:
        before = set(left)
        for name in found.keys() - left:
            users = {user for user in found if canonical(name) in required[user]}
            if users and users <= left:
                left.add(name)
    return left & found.keys()


def names(requirements):
    """The packages that are required in any case, not for an extra."""
    always = [each for each in requirements if "extra ==" not in each]
    return {canonical(re.match(r"[\w.-]+", each)[0]) for each in always}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def text(about, first, pins):
    lines = [*first, *(f"{name}=={version}" for name, version in pins.items())]
    return HEAD.format(about=about) + "\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
