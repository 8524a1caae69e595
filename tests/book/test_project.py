"""The project's own promises: README, CI and the environment."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from helpers import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_readme_fits_one_screen_and_its_picture_exists():
    assert len(README.splitlines()) <= 40
    ((alt, path),) = re.findall(r"!\[(.*?)\]\((.*?)\)", README)
    assert len(alt.split()) >= 8
    assert (ROOT / path).stat().st_size < 300_000


def test_ci_runs_the_commands_of_the_readme():
    commands = re.findall(r"^    (make \w+)", README, re.MULTILINE)
    assert commands == ["make book", "make test"]
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^make test$", run, re.MULTILINE)
    assert re.search(
        r'^make book BOOK_FLAGS="--all -W -n --keep-going"$', run, re.MULTILINE
    )
    workflow = yaml.safe_load(
        (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    )
    job = workflow["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert "bash .ci/run" in [step.get("run") for step in job["steps"]]


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_pins_its_actions_and_has_the_least_permissions(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)(.*)", text)
    for action, comment in used:
        assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    writing = [job for job in workflow["jobs"].values() if "permissions" in job]
    assert len(writing) == (path.stem == "publish")
    assert workflow["concurrency"]["cancel-in-progress"]
    assert workflow["env"]["PIP_EXTRA_INDEX_URL"].endswith("/whl/cpu")


def test_the_address_of_the_published_book_comes_from_the_host():
    workflow = (ROOT / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    assert "REPO: ${{ github.repository }}" in workflow
    assert "make book" in workflow and "twine check --strict" in workflow


def test_the_weekly_run_takes_the_lower_bounds_of_the_package():
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name, bound in re.findall(
        r"([\w-]+)>=([\d.]+)", " ".join(project["project"]["dependencies"])
    ):
        assert f"{name}=={bound}.*" in text


@pytest.mark.parametrize("moved", [True, False])
def test_a_clone_that_was_moved_makes_its_environment_anew(tmp_path, moved):
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    stamp = tmp_path / ".venv" / ".installed"
    stamp.parent.mkdir()
    stamp.write_text(f"{tmp_path}{'-before' * moved}\n", encoding="utf-8")
    command = ["make", "-n", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("rm -rf .venv" in done.stdout) == ("-m venv .venv" in done.stdout) == moved


def test_make_alone_lists_every_command():
    done = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"make (\w+) ", done.stdout))
    phony = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[1].split())
    assert listed == phony


def test_a_python_that_is_too_old_gets_one_clear_line(tmp_path):
    old = tmp_path / "python3"
    old.write_text(
        '#!/bin/sh\nexec python3 -c "import sys; sys.version_info = (3, 10); '
        'sys.version = \'3.10.1 (old)\'; exec(sys.argv[1])" "$2"\n'
    )
    old.chmod(0o755)
    command = ["make", "-C", str(ROOT), "-B", ".venv/.installed", f"PYTHON={old}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1
    assert "needs Python 3.11 or newer" in lines[0]
    assert "3.10.1" in lines[0]


def test_the_environment_is_pinned_and_satisfies_the_package():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in pinned if "==" not in line] == ["torch>=2.6,<2.14"]
    names = {re.split("[=<>]", line)[0].lower() for line in pinned}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    assert {re.split("[=<>]", line)[0].lower() for line in project["dependencies"]} <= names


def test_importing_the_package_does_not_import_what_it_rarely_needs():
    rare = "{'pandas', 'sklearn', 'IPython'}"
    code = f"import sys, torch, d2lmini; print({rare} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("handed_in", [True, False])
def test_clean_keeps_a_course_in_which_something_was_handed_in(tmp_path, handed_in):
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    files = ["html/index.html", "assignments/gradebook.db", "bench.json"]
    files += ["assignments/submitted/ada/01/01.ipynb"] * handed_in
    for name in files:
        path = tmp_path / "_build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    subprocess.run(["make", "clean"], cwd=tmp_path, capture_output=True, check=True)
    left = {path.name for path in (tmp_path / "_build").rglob("*") if path.is_file()}
    assert left == ({"gradebook.db", "01.ipynb"} if handed_in else set())


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version = project["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    newest = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert citation["version"] == newest[1] == version
    assert citation["date-released"] == newest[2]
    assert f"d2lmini-{version}-py3" in (ROOT / "book" / "index.md").read_text()
