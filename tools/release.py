"""See whether a version can be released, build it, and print the commands that publish it.

    make release REPO=owner/name

Each check is a line, and the exit status says whether all have passed. With a version such
as 0.3.0.dev0 this is a rehearsal, which makes the other checks all the same. Nothing is
published: that is done by a person, who types the commands.

The source distribution and the wheel are written into _build/dist. They are built from a
copy, in which stands what depends on the repository: the links of the README, which a
package index shows too, and the addresses of the project.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from urllib.parse import urljoin

import yaml
from packaging.version import Version

from tools import ROOT
from tools.__main__ import ENVIRONMENT, PYTHON
from tools.book.address import repository, website
from tools.notebooks.save import PACKAGE

DIST = ROOT / "_build" / "dist"
URLS = """
[project.urls]
Homepage = "{website}"
Source = "{repository}"
Changelog = "{repository}/blob/HEAD/CHANGELOG.md"
Issues = "{repository}/issues"
"""
# Runs where nothing is installed but the wheel and what it requires.
TRIAL = """
import torch
import d2lmini as d2l

X, tokens = torch.ones(2, 5, 16), torch.zeros(2, 5, dtype=torch.long)
assert d2l.MultiHeadAttention(16, 4, 0)(X, X, X).shape == (2, 5, 16)
assert d2l.GPT(d2l.GPTConfig(10, 16, 2, 4))(tokens).shape == (2, 5, 10)
print(d2l.__version__)
"""


def main():
    listed = tomllib.loads(read("pyproject.toml"))
    install(PYTHON, *listed["dependency-groups"]["release"])
    version, repo = listed["project"]["version"], os.environ.get("REPO", "")
    built = "source distribution and wheel are built"
    checks = {
        "all is committed, on main": uncommitted,
        "the version is final and new": lambda: unfinished(version),
        "the version is the same everywhere": disagreements,
        "REPO names the repository": lambda: no_address(repo),
        built: lambda: build(version, repo),
        "twine finds no mistake in them": twine,
        "the wheel has all files, types and licenses": missing,
        "the wheel runs alone, with the tested versions": lambda: broken(version),
    }
    failed = 0
    for what, check in checks.items():
        try:
            problem = check()
        except subprocess.CalledProcessError as error:
            problem = error.stdout.strip().splitlines()[-1]
        print(f"FAILED  {what}: {problem}" if problem else f"passed  {what}", flush=True)
        failed += bool(problem)
        if problem and what == built:
            break  # the others look at it
    passed = "All checks have passed. If CI has, too, type:"
    again = f"{failed} checks have failed. When none does, and CI has passed, type:"
    print(f"\n{again if failed else passed}\n")
    print(f'    git tag --annotate v{version} --message "{PACKAGE} {version}"')
    print(f"    git push origin main v{version}")
    print(f"    {PYTHON.relative_to(ROOT)} -m twine upload _build/dist/*")
    return 1 if failed else 0


# --- the checks: each returns what is wrong, or nothing ------------------------------


def uncommitted():
    files = run("git", "status", "--porcelain").splitlines()
    branch = run("git", "branch", "--show-current").strip()
    if files or branch != "main":
        return f"{len(files)} files are changed or new, on the branch {branch!r}"


def unfinished(version):
    newest = re.search(r"^## (.+)$", read("CHANGELOG.md"), re.MULTILINE)[1]
    if Version(version).is_prerelease:
        return f"{version} is not, and the changes stand under {newest!r}"
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest):
        return f"the changes stand under {newest!r}, not under '{version} (YYYY-MM-DD)'"
    if run("git", "tag", "--list", f"v{version}"):
        return f"the tag v{version} exists"


def disagreements():
    """The places that name another version than pyproject.toml.

    Until a version is released, its changes have a section without a date. The version to
    cite is the newest one with a date.
    """
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    sections = re.findall(r"^## (\S+) \((.+)\)$", read("CHANGELOG.md"), re.MULTILINE)
    citation = yaml.safe_load(read("CITATION.cff"))
    cited = f"{citation['version']} ({citation['date-released']})"
    init, page = f"{PACKAGE}/__init__.py", "book/index.md"
    wheels = set(re.findall(rf"{PACKAGE}-([\w.]+)-py3", read(page)))
    places = [
        (init, re.search('__version__ = "(.+)"', read(init))[1], version),
        *((page, wheel, version) for wheel in sorted(wheels)),
        ("CHANGELOG.md", sections[0][0], Version(version).base_version),
        ("CITATION.cff", cited, next(f"{n} ({d})" for n, d in sections if d[0].isdigit())),
    ]
    found = [f"{name} has {old}, not {new}" for name, old, new in places if old != new]
    return "; ".join(found)


def no_address(repo):
    if not re.fullmatch(r"[\w-]+/[\w.-]+", repo):
        return f"it must be owner/name, and is {repo!r}"


def build(version, repo):
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder), version, repo)
        run(PYTHON, "-m", "build", "--outdir", DIST, folder)


def twine():
    run(PYTHON, "-m", "twine", "check", "--strict", *DIST.iterdir())


def missing(folder=DIST):
    """The files that the wheel in a folder lacks."""
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    licenses = f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info/licenses"
    wanted = {f"{licenses}/LICENSE", f"{licenses}/{PACKAGE}/data/OFL.txt"}
    for path in (ROOT / PACKAGE).rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            wanted.add(path.relative_to(ROOT).as_posix())
    return ", ".join(sorted(wanted - packed))


def broken(version):
    (wheel,) = DIST.glob("*.whl")
    with tempfile.TemporaryDirectory() as folder:
        run(PYTHON, "-m", "venv", folder)
        python = Path(folder, PYTHON.relative_to(ENVIRONMENT))
        install(python, wheel)
        found = run(python, "-I", "-c", TRIAL).strip()
    if found != version:
        return f"it calls itself {found}"


# --- what they do --------------------------------------------------------------------


def copy(folder, version, repo):
    """Copy what is built into a folder, with the addresses of the repository, if any."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=ignore)
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    if repo:
        readme = with_addresses(read("README.md"), repository(repo), f"v{version}")
        (folder / "README.md").write_text(readme, encoding="utf-8")
        with open(folder / "pyproject.toml", "a", encoding="utf-8") as file:
            file.write(URLS.format(website=website(repo), repository=repository(repo)))


def with_addresses(text, repository, tag):
    """Markdown whose links to files lead to the repository, and show its pictures."""

    def address(link):
        kind = "raw" if link[1].endswith((".png", ".svg")) else "blob"
        return f"]({urljoin(f'{repository}/{kind}/{tag}/', link[1])})"

    return re.sub(r"\]\(([^)\s]+)\)", address, text)


def install(python, *packages):
    pip = "-m", "pip", "install", "--quiet", "--constraint", "requirements.txt"
    run(python, *pip, *packages)


def run(*command):
    """What a program prints. If it fails, CalledProcessError has its messages, too."""
    options = {"stderr": subprocess.STDOUT, "encoding": "utf-8"}
    return subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, **options
    ).stdout


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
