"""The project's commands, with make and without it.

    make COMMAND NAME=value ...
    python -m tools COMMAND NAME=value ...

Both are the same: make hands its command and its variables on. A command first sets up the
environment in .venv, where that is missing or old. This file needs nothing but Python.
"""

import os
import shutil
import subprocess
import sys

from tools import ROOT

OLDEST, NEWEST = (3, 11), (3, 14)
PYTHONS = f"3.{OLDEST[1]} to 3.{NEWEST[1]}"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
INSTALLED, GRADING = ENVIRONMENT / ".installed", ENVIRONMENT / ".grading"  # stamps
REQUIRED = "requirements.txt", "requirements-no-deps.txt", "pyproject.toml"
BUILD = ROOT / "_build"
COMMANDS = {}


def command(function):
    """Register a command. Its docstring is its line of the help."""
    COMMANDS[function.__name__] = function
    return function


def value(name, default=""):
    """The variable NAME=value of the command, or of the environment."""
    return os.environ.get(name) or default


def python(*arguments, of=PYTHON, **options):
    """Run Python in the project's environment, from its root; stop if it fails."""
    done = subprocess.run([str(of), *arguments], cwd=ROOT, **options)
    if done.returncode:
        sys.exit(done.returncode)


def pip(*arguments, of=PYTHON):
    """Install, and leave compiling to the first import: most modules are never imported."""
    python("-m", "pip", "install", "--quiet", "--no-compile", *arguments, of=of)


@command
def help():
    """list the commands"""
    for name, function in COMMANDS.items():
        print(f"  {name:<14} {function.__doc__}")


# --- the environment -----------------------------------------------------------------


@command
def install():
    """set up the environment in .venv, as every command does (for grading: GRADING=1)"""
    set_up()
    if value("GRADING"):
        set_up_grading()


def set_up():
    """Make or renew the environment: the pinned requirements, this package, and what comes
    without its own requirements.

    The stamp says where it was made, since it does not work anywhere else: in a clone that
    was moved it is made anew.
    """
    here = INSTALLED.is_file() and INSTALLED.read_text(encoding="utf-8").strip() == str(
        ROOT
    )
    if here and is_newer(INSTALLED, REQUIRED):
        return
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        found = f"{sys.executable} is {sys.version.split()[0]}"
        advice = "try make PYTHON=python3.13, or python3.13 -m tools"
        sys.exit(f"d2lmini needs Python {PYTHONS}, and {found}: {advice}")
    print(f"Setting up {ENVIRONMENT}, which takes some minutes the first time.", flush=True)
    if not here:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        python("-m", "venv", str(ENVIRONMENT), of=sys.executable)
    pip("--requirement", "requirements.txt")
    pip("--no-deps", "--editable", ".")
    pip("--no-deps", "--requirement", "requirements-no-deps.txt")
    INSTALLED.write_text(f"{ROOT}\n", encoding="utf-8")


def set_up_grading():
    """What only instructors need, in the same environment."""
    if not GRADING.is_file() or not is_newer(GRADING, ["requirements-grading.txt"]):
        pip("--requirement", "requirements-grading.txt", "--constraint", "requirements.txt")
        GRADING.touch()


def is_newer(stamp, names):
    return all(stamp.stat().st_mtime >= (ROOT / name).stat().st_mtime for name in names)


@command
def requirements():
    """pin what pyproject.toml lists, in requirements*.txt (the newest: UPGRADE=1)"""
    set_up()
    python("-m", "tools.requirements", *(["--upgrade"] if value("UPGRADE") else []))


# --- the book ------------------------------------------------------------------------


@command
def book():
    """render the book to _build/html (links to it: REPO=owner/name; SOLUTIONS=0 "1 3")"""
    set_up()
    jupyter_book = shutil.which("jupyter-book", path=str(PYTHON.parent))
    done = subprocess.run(
        [jupyter_book, "build", ".", *value("BOOK_FLAGS").split()], cwd=ROOT
    )
    if done.returncode:
        sys.exit(done.returncode)
    print("The book is ready: open _build/html/index.html in a browser.")


@command
def pdf():
    """print the book into PDF files beside its pages (needs Chromium or Chrome)"""
    book()
    python("-m", "tools.book.pdf")


@command
def picture():
    """take the picture of the README and of previews from the start page (as pdf)"""
    book()
    python("-m", "tools.book.picture")


@command
def serve():
    """build the book and serve it on http://localhost:8000 (PORT=...)"""
    book()
    options = ["--bind", "localhost", "--directory", str(BUILD / "html")]
    python("-m", "http.server", value("PORT", "8000"), *options)


@command
def differences():
    """list the names that are as in d2l, new, or not here, for the page of differences"""
    set_up()
    python("-m", "tools.book.names_and_d2l")


@command
def measure():
    """run an experiment for the page of results, or list them (NAME=copying WRITE=1)"""
    set_up()
    names = "NAME ONLY SEEDS ROOT JOBS DEVICE UPDATES THREADS REPEATS WRITE".split()
    python("-m", "experiments", *(f"{each}={value(each)}" for each in names if value(each)))


# --- the notebooks and their tests ---------------------------------------------------


@command
def test():
    """check, run pytest, compare the notebooks that are stale (all: ALL=1, one: NB=...)"""
    device = value("DEVICE", "cpu")
    if device not in ("cpu", "cuda"):
        sys.exit(f"DEVICE must be cpu or cuda, not {device}")
    check()
    # Tests and notebooks see a GPU only with DEVICE=cuda. Then the tests are those for it.
    if device == "cuda":
        wanted = "torch.cuda.is_available() or sys.exit('there is no CUDA device here')"
        python("-c", f"import sys, torch; {wanted}")
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    gpu = ["-m", "gpu"] if device == "cuda" else []
    strict = os.environ | {"PYTHONWARNDEFAULTENCODING": "1"}  # as in pyproject.toml
    pytest = "-m", "pytest", "-n", "logical", "--dist", "loadfile", "-rs"
    python(*pytest, *gpu, "tests", env=strict)
    every = ["--all"] if value("ALL") or device == "cuda" else []
    python("-m", "tools.notebooks.compare", *every, *value("NB").split())


@command
def save():
    """write the package d2lmini from the notebooks' #@save cells"""
    set_up()
    python("-m", "tools.notebooks.save")


@command
def execute():
    """run notebooks whose outputs are out of date, and store new ones (ALL=1, NB=...)"""
    set_up()
    every = ["--all"] if value("ALL") else []
    python("-m", "tools.notebooks.execute", *every, *value("NB").split())


@command
def check():
    """lint code and notebooks, and see that the package is up to date"""
    set_up()
    python("-m", "ruff", "check")
    python("-m", "ruff", "format", "--check")
    python("-m", "tools.notebooks.save", "--check")


@command
def format():
    """format code and notebooks in place"""
    set_up()
    python("-m", "ruff", "check", "--fix")
    python("-m", "ruff", "format")


# --- for instructors -----------------------------------------------------------------


def grading(module, *arguments):
    set_up()
    set_up_grading()
    course = value("COURSE", "_build/assignments")
    python("-m", f"grading.{module}", "--course", course, *arguments)


def students():
    """The arguments that say what is graded."""
    student = value("STUDENT")
    return [*(["--student", student] if student else []), value("ASSIGNMENT")]


@command
def assignments():
    """write the exercises as an nbgrader course to _build/assignments (or COURSE=...)"""
    grading("assignments")


@command
def private():
    """draw hidden tests of your own (SEED=... COURSE= ASSIGNMENT= OVERWRITE=1)"""
    overwrite = ["--overwrite"] if value("OVERWRITE") else []
    names = value("ASSIGNMENT").split()
    grading("private", f"--seed={value('SEED')}", *overwrite, *names)


@command
def grade():
    """grade what was handed in (ASSIGNMENT=01_queries_keys_values COURSE= STUDENT=)"""
    grading("grade", *students())


@command
def feedback():
    """write pages and tables anew, after grading by hand (as for grade)"""
    grading("grade", "--feedback", *students())


@command
def similarity():
    """compare graded code with published solutions, and with each other (as for grade)"""
    grading("similarity", value("ASSIGNMENT"))


@command
def gradescope():
    """write an assignment for otter-grader and Gradescope (ASSIGNMENT= COURSE=)"""
    grading("gradescope", value("ASSIGNMENT"))


@command
def questions():
    """write all questions to _build: questions.gift for Moodle, questions/ for Canvas"""
    set_up()
    set_up_grading()
    python("-m", "tools.book.gift")
    python("-m", "tools.book.qti")


@command
def exam():
    """write an exam and its answers to _build/exam (SEED=word QUESTIONS="1 3.2")"""
    set_up()
    python("-m", "grading.exam", value("SEED"), *value("QUESTIONS").split())


# --- other versions, and an end ------------------------------------------------------


@command
def colab():
    """run the package's tests and the downloads with the versions that Colab has"""
    ours = BUILD / "colab" / PYTHON.relative_to(ENVIRONMENT)
    python("-m", "venv", str(BUILD / "colab"), of=sys.executable)
    torch = value("COLAB_TORCH", "torch==2.11.*")
    pip("--requirement", ".github/requirements-colab.txt", torch, of=ours)
    python("-m", "tests.as_in_colab", *value("NB").split(), of=ours)


@command
def cuda():
    """run the notebooks on a GPU, offline (before: PACK=3.12; a trial: STAND_IN=1)"""
    if value("PACK"):
        set_up()
        python("-m", "tests.on_cuda", "--pack", f"--python={value('PACK')}")
    elif value("STAND_IN"):
        set_up()
        python("-m", "tests.on_cuda", "--stand-in", *value("NB").split())
    else:  # with the Python that has PyTorch there
        python("-m", "tests.on_cuda", *value("NB").split(), of=sys.executable)


@command
def release():
    """see whether a version can be released, and print the commands (REPO=owner/name)"""
    set_up()
    python("-m", "tools.release")


@command
def clean():
    """remove what was built (the environment stays, and a course with its gradebook)"""
    keep = []
    if (BUILD / "assignments" / "submitted").exists():
        print("clean: keeping _build/assignments, with what students handed in")
        keep = ["assignments"]
    built = [path for path in BUILD.glob("*") if path.name not in keep]
    for name in (".pytest_cache", ".ruff_cache", ".hypothesis", "d2lmini.egg-info"):
        built.append(ROOT / name)
    for path in built:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(True)


def main(arguments):
    os.environ.setdefault("PYTHONUTF8", "1")  # whatever the locale; for all that is started
    names = [each for each in arguments if "=" not in each]
    os.environ.update(each.split("=", 1) for each in arguments if "=" in each)
    unknown = [name for name in names if name not in COMMANDS]
    if unknown:
        sys.exit(f"tools: there is no command {unknown[0]!r}: see python -m tools help")
    for name in names or ["help"]:
        COMMANDS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
