"""Put MathJax into book/_static/mathjax, so that the book asks no other machine for it.

    python tools/vendor_mathjax.py              fetch the pinned package with `npm pack`
    python tools/vendor_mathjax.py TARBALL      take it from a file

Takes from the npm package the one script that the book loads, the fonts, and the licence.
A package whose checksum is not the pinned one is refused and nothing is changed; running
twice changes nothing. To move to another version, change the three constants below.
"""

import argparse
import base64
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "book" / "_static" / "mathjax"
PACKAGE = "mathjax@3.2.2"
# Of the package, as npm writes it, and of the vendored files (`tree_digest`).
INTEGRITY = (
    "sha512-Bt+SSVU8eBG27zChVewOicYs7Xsdt40qm4+UpHyX7k0/O9NliPc+x77k1/FEsPsj"
    "KPZGJvtRZM1vO+geW0OhGw=="
)
TREE = "677ecbb5be1c685f40e16d7cebd3a37f1ced7a39e722cfb275755f0cc8f497e9"
# What is taken, by its path in the package; `es5/` falls away in the target.
SCRIPT, FONTS, LICENSE = "tex-chtml-full.js", "output/chtml/fonts/woff-v2/", "LICENSE"
WANTED = re.compile(
    rf"package/(?:es5/)?({re.escape(SCRIPT)}|{re.escape(FONTS)}[\w-]+\.woff|{LICENSE})"
)


class VendorError(Exception):
    """A package that cannot be had or is not the pinned one."""


def fetch() -> bytes:
    """The pinned package as npm delivers it."""
    npm = shutil.which("npm")
    if npm is None:
        raise VendorError(
            "npm was not found: install it, or name a tarball that "
            f"`npm pack {PACKAGE}` made elsewhere"
        )
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", "--loglevel=error", PACKAGE]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        tarballs = list(Path(folder).glob("*.tgz"))
        if run.returncode or len(tarballs) != 1:
            raise VendorError(f"`npm pack {PACKAGE}` failed:\n{run.stderr.strip()}")
        return tarballs[0].read_bytes()


def unpack(tarball: bytes, integrity: str = INTEGRITY) -> dict[str, bytes]:
    """Path below the target -> content, of a tarball with the right checksum."""
    got = f"sha512-{base64.b64encode(hashlib.sha512(tarball).digest()).decode()}"
    if got != integrity:
        raise VendorError(f"wrong checksum\n  expected {integrity}\n  got      {got}")
    files = {}
    with tarfile.open(fileobj=io.BytesIO(tarball)) as archive:
        for member in archive:
            if member.isfile() and (match := WANTED.fullmatch(member.name)):
                files[match[1]] = archive.extractfile(member).read()
    for wanted in (SCRIPT, FONTS, LICENSE):
        if not any(name.startswith(wanted) for name in files):
            raise VendorError(f"the package holds no {wanted}")
    return files


def read_tree(folder: Path) -> dict[str, bytes]:
    """Relative path -> content of every file below a folder; empty if there is none."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def tree_digest(files: dict[str, bytes]) -> str:
    """One sha256 over the files' names and contents, in the order of their names."""
    lines = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def vendor(tarball: bytes, target: Path = TARGET, integrity: str = INTEGRITY) -> bool:
    """Make the target hold exactly the wanted files; return True if it did not before.

    Raises VendorError, the target untouched, when the tarball is not the right one.
    """
    files = unpack(tarball, integrity)
    if read_tree(target) == files:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".mathjax-") as folder:
        new = Path(folder) / "new"
        for name, content in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content)
        if target.exists():
            target.rename(Path(folder) / "old")
        new.rename(target)
    return True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tarball", nargs="?", type=Path, help=f"{PACKAGE}, already fetched")
    options = parser.parse_args(argv)
    try:
        tarball = options.tarball.read_bytes() if options.tarball else fetch()
        changed = vendor(tarball)
    except (OSError, VendorError) as error:
        print(f"vendor_mathjax: {error}", file=sys.stderr)
        return 1
    print(f"{TARGET}: {'updated' if changed else 'unchanged'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
