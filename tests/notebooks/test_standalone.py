"""The book's downloads run where the course is not installed, and print what it shows."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nbformat
import pytest
from helpers import posix, served
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from d2lmini import __version__
from tools import ROOT, every_notebook, release
from tools.notebooks import exercises, standalone

NOTEBOOKS = ROOT / "notebooks"
FEW = ["01_queries_keys_values", "03_scoring_functions", "exercises/01_queries_keys_values"]
ALL = [p.relative_to(NOTEBOOKS).as_posix()[:-6] for p in every_notebook()]
# What Python runs first in the clean environment: only this machine can be reached.
NO_NETWORK = """
import socket

def connect(self, address, connect=socket.socket.connect):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
        raise OSError("there is no network here")
    return connect(self, address)

socket.socket.connect = connect
"""


def path_of(name):
    return NOTEBOOKS / f"{name}.ipynb"


def carried(name):
    """The setup cell of a notebook that is served."""
    notebook = served(path_of(name))
    (cell,) = [cell for cell in notebook.cells if cell.id == "setup"]
    first = next(each for each in notebook.cells if each.cell_type == "code")
    assert first is cell
    return cell.source


# --- the cell ------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*FEW[:2], "04_bahdanau", "exercises/11_gpt"])
def test_a_download_carries_only_what_it_needs(name):
    source = carried(name)
    text = path_of(name).read_text("utf-8")
    uses = re.search(r"MTFraEng|phrasebook\.tsv", text)
    assert len(source) < (330_000 if uses else 200_000)
    assert (len(source) > 200_000) == bool(uses)
    assert max(map(len, source.splitlines())) <= 120


def install(folder, old="", new="", stubs=()):
    """Put the package into a folder as a wheel does, with this text replaced by that."""
    for name, text in standalone.package_files((), stubs).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(old, new), encoding="utf-8", newline="\r\n")


def set_up(name, folder):
    """What the setup cell of a notebook says in a folder, and whether it unpacks."""
    code = re.sub(r"%pip .*", "pass", carried(name))
    code += '\nprint(importlib.util.find_spec("d2lmini").origin)'
    run = subprocess.run(
        [sys.executable, "-"], input=code, cwd=folder, capture_output=True, encoding="utf-8"
    )
    said, found = run.stdout.splitlines()
    return said, not Path(found).is_relative_to(folder)


@pytest.mark.parametrize("solutions", [True, False])
def test_the_setup_cell_takes_the_same_package_with_and_without_solutions(
    tmp_path, solutions
):
    install(tmp_path, stubs=() if solutions else exercises.solved())
    said, unpacks = set_up("exercises/03_scoring_functions", tmp_path)
    assert (said, unpacks) == ("Setup: d2lmini is installed.", False)


@pytest.mark.parametrize(
    "old, new, version",
    [
        (f'__version__ = "{__version__}"', '__version__ = "0.1.0"', "0.1.0"),
        ("raise ValueError", "raise TypeError", __version__),
    ],
)
def test_where_another_package_is_installed_a_page_says_so_and_brings_its_own(
    tmp_path, old, new, version
):
    install(tmp_path, old, new)
    said, unpacks = set_up("01_queries_keys_values", tmp_path)
    other = f"the installed d2lmini ({version}) is not this page's ({__version__}), which"
    assert said.startswith(f"Setup: {other} is now in ") and unpacks


# --- where the course is missing -----------------------------------------------------


def clean_environment(folder, *missing, only=None):
    """An environment with what this one has, but for the course, d2l and what is named.

    With `only`, it has these packages and what they require. Its kernel is called `clean`.
    Returns where its packages are.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    asked = subprocess.check_output([folder / "bin/python", "-c", ask], encoding="utf-8")
    target = Path(asked.strip())
    wanted = None if only is None else parts_of(only)
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        left_out = any(name in path.name for name in ("d2l", *missing))
        if not left_out and (wanted is None or path.name in wanted):
            Path(target, path.name).symlink_to(path)
    Path(target, "sitecustomize.py").write_text(NO_NETWORK, encoding="utf-8")
    kernel = folder / "share" / "jupyter" / "kernels" / "clean"
    kernel.mkdir(parents=True)
    command = [str(folder / "bin/python"), "-m", "ipykernel_launcher"]
    spec = {
        "argv": [*command, "-f", "{connection_file}"],
        "display_name": "clean",
        "env": {"PYTHONPATH": "", "PIP_RETRIES": "0", "PIP_NO_INDEX": "1"},
    }
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return target


def parts_of(packages):
    """The files and folders of packages in an environment, with what they require."""
    found, parts = set(), set()
    waiting = list(packages)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            distribution = importlib.metadata.distribution(name)
            parts |= {file.parts[0] for file in distribution.files}
            required = map(Requirement, distribution.requires or [])
            waiting += [r.name for r in required if not r.marker or r.marker.evaluate()]
    return parts


def compare(clean, folder, names):
    """Run notebooks in a clean environment, each in an empty folder, as nbval does."""
    paths = [folder / name / f"{Path(name).name}.ipynb" for name in names]
    for name, path in zip(names, paths):
        path.parent.mkdir(parents=True)
        nbformat.write(served(path_of(name)), path)
    shutil.copy(ROOT / "conftest.py", folder)
    command = [sys.executable, "-m", "pytest", "-q", f"--rootdir={folder}", *paths]
    options = ["--nbval", "--nbval-kernel-name=clean", "-p", "no:cacheprovider"]
    environment = {**os.environ, "JUPYTER_PATH": str(clean / "share" / "jupyter")}
    done = subprocess.run(
        [*command, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout[-5000:]
    for path in paths:  # nothing was left beside the notebook
        assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.slow
def test_what_a_download_unpacks_goes_when_its_kernel_ends(tmp_path):
    clean_environment(tmp_path / "clean")
    kernels = str(tmp_path / "clean" / "share" / "jupyter" / "kernels")
    specs = KernelSpecManager(kernel_dirs=[kernels])
    manager = KernelManager(kernel_name="clean", kernel_spec_manager=specs)
    manager.start_kernel(cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=600)
    code = f"{carried('04_bahdanau')}\nimport d2lmini\nd2lmini.MTFraEng(8)"
    assert client.execute_interactive(code, timeout=600)["content"]["status"] == "ok"
    (folder,) = tmp_path.glob("d2lmini-*")
    assert (folder / "d2lmini" / "data" / "phrasebook.tsv").is_file()
    client.stop_channels()
    manager.shutdown_kernel()
    assert not folder.exists()


@posix
def test_the_package_imports_with_torch_and_matplotlib_alone(tmp_path):
    clean_environment(tmp_path, only=["torch", "matplotlib"])
    done = subprocess.run(
        [tmp_path / "bin" / "python", "-c", "import d2lmini; print(d2lmini.__file__)"],
        env={"PYTHONPATH": str(ROOT), "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.stdout.startswith(str(ROOT)), done.stderr


@pytest.mark.weekly
def test_downloads_run_with_what_the_start_page_asks_for(tmp_path):
    """No further library is needed for these pages, and none can be downloaded here."""
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert "wherever Jupyter, PyTorch, matplotlib and pandas are installed" in page
    clean_environment(
        tmp_path / "clean", only=["ipykernel", "torch", "matplotlib", "pandas"]
    )
    compare(tmp_path / "clean", tmp_path / "work", FEW)


@pytest.mark.slow
def test_a_download_says_what_it_could_not_install_and_runs_on(tmp_path):
    clean_environment(tmp_path / "clean", "sklearn", "scikit_learn")
    notebook = served(path_of("00_training"))
    notebook.cells = [cell for cell in notebook.cells if cell.id == "setup"]
    notebook.cells.append(nbformat.v4.new_code_cell("import d2lmini"))
    client = NotebookClient(notebook, kernel_name="clean")
    specs = str(tmp_path / "clean" / "share" / "jupyter" / "kernels")
    client.create_kernel_manager().kernel_spec_manager.kernel_dirs = [specs]
    client.execute(cwd=tmp_path)
    said = "".join(output.get("text", "") for output in notebook.cells[0].outputs)
    assert "sklearn could not be installed" in said and "tqdm could not" not in said


@pytest.mark.weekly
@pytest.mark.parametrize("name", [name for name in ALL if name not in FEW])
def test_every_other_download_runs_without_the_course(tmp_path, name):
    clean_environment(tmp_path / "clean")
    compare(tmp_path / "clean", tmp_path / "work", [name])


@pytest.mark.slow
def test_the_wheel_that_the_book_links_installs_with_its_data(tmp_path):
    copy = tmp_path / "copy"
    release.copy(copy, __version__, "someone/some.where")
    pip = [sys.executable, "-m", "pip", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, copy]
    subprocess.run([*pip, "wheel", *options], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert release.missing(tmp_path) == ""
    page = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert f'<a href="../{wheel.name}">' in page and f"`pip install {wheel.name}`" in page

    target = clean_environment(tmp_path / "clean")
    subprocess.run([*pip, "install", "--no-deps", "--target", target, wheel], check=True)
    code = "import d2lmini as d2l; print(len(d2l.MTFraEng(8).sentences(train=True)[0]))"
    python = tmp_path / "clean" / "bin" / "python"
    done = subprocess.run(
        [python, "-I", "-c", code], cwd=tmp_path / "clean", capture_output=True
    )
    assert int(done.stdout) > 100, done.stderr
