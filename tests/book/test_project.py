"""The project's own promises: CI, the environment and the version."""

import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest
import yaml
from helpers import posix
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import ROOT
from tools import __main__ as commands
from tools.book import address


def workflow(name):
    text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    read = yaml.safe_load(text)
    return read, read[True]  # in YAML, `on` means true


def test_only_a_commit_that_has_passed_all_of_ci_is_published():
    ci, _ = workflow("ci")
    publish = ci["jobs"].pop("publish")
    assert publish["uses"] == "./.github/workflows/publish.yml"
    assert sorted(publish["needs"]) == sorted(ci["jobs"])
    assert "always()" not in publish["if"] and "failure()" not in publish["if"]
    assert "github.ref == 'refs/heads/main'" in publish["if"]
    for job in ci["jobs"].values():
        assert "continue-on-error" not in str(job) and "if" not in job
    weekly, _ = workflow("weekly")
    whole = weekly["jobs"]["whole"]["steps"]
    assert "bash .ci/run" in [step.get("run") for step in whole]
    _, triggers = workflow("publish")
    assert list(triggers) == ["workflow_call"]


def test_the_slow_tests_of_every_folder_run_and_alike_here_and_on_github():
    (command,) = re.findall(
        r"-m pytest (.* -m \"slow and not weekly\" .*)",
        (ROOT / ".ci" / "run").read_text(encoding="utf-8"),
    )
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert {word.split("/")[1] for word in command.split() if "/" in word} == folders
    assert command in (ROOT / ".github" / "workflows" / "ci.yml").read_text(
        encoding="utf-8"
    )


WORKFLOWS = sorted(path.stem for path in (ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_pins_its_actions_and_may_only_read(name):
    read, _ = workflow(name)
    for job in read["jobs"].values():
        for step in job.get("steps", []):
            pinned = re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", step.get("uses", ""))
            assert pinned or "run" in step, step
    assert read["permissions"] == {"contents": "read"}
    writing = {key for key, job in read["jobs"].items() if "permissions" in job}
    assert writing == {"ci": {"publish"}, "publish": {"book"}}.get(name, set())


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """An empty clone with the project's requirements; what would run in it, in a list."""
    for name in commands.REQUIRED:
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    stamp = tmp_path / ".venv" / ".installed"
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    monkeypatch.setattr(commands, "ENVIRONMENT", stamp.parent)
    monkeypatch.setattr(commands, "INSTALLED", stamp)
    monkeypatch.setattr(commands, "BUILD", tmp_path / "_build")
    ran = []

    def run(*arguments, **options):
        ran.append(" ".join(arguments))
        stamp.parent.mkdir(exist_ok=True)

    monkeypatch.setattr(commands, "python", run)
    return SimpleNamespace(path=tmp_path, stamp=stamp, ran=ran)


def test_an_environment_is_set_up_once_and_anew_where_the_clone_was_moved(clone):
    commands.set_up()
    first = list(clone.ran)
    assert first[0] == f"-m venv {clone.stamp.parent}" and len(first) == 4
    commands.set_up()
    assert clone.ran == first
    clone.stamp.write_text("/before\n", encoding="utf-8")
    (clone.stamp.parent / "old").touch()
    commands.set_up()
    assert clone.ran == 2 * first and not (clone.stamp.parent / "old").exists()


def test_changed_requirements_are_installed_into_the_same_environment(clone):
    commands.set_up()
    (clone.stamp.parent / "kept").touch()
    newer = clone.stamp.stat().st_mtime + 1
    os.utime(clone.path / "requirements.txt", (newer, newer))
    commands.set_up()
    assert len(clone.ran) == 4 + 3 and (clone.stamp.parent / "kept").exists()


@pytest.mark.parametrize("version", ["3.10.4", "3.15.0"])
def test_another_python_is_refused_before_anything_is_written(clone, monkeypatch, version):
    info = tuple(map(int, version.split(".")))
    monkeypatch.setattr(
        commands,
        "sys",
        SimpleNamespace(
            exit=sys.exit,
            executable="python",
            version=f"{version} (main)",
            version_info=info,
        ),
    )
    with pytest.raises(SystemExit, match=f"3.11 to 3.14, and python is {version}: try"):
        commands.set_up()
    assert not clone.ran and not clone.stamp.exists()


def test_what_pyproject_lists_is_pinned_in_its_range():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = listed["dependency-groups"]
    grading, _ = groups.pop("grading"), groups.pop("release")
    extras = listed["project"]["optional-dependencies"]
    del extras["all"]  # the others
    del extras["datasets"]  # which no page and no test needs
    course = listed["project"]["dependencies"]
    course = [*course, *itertools.chain(*extras.values(), *groups.values())]
    for name, wanted in [
        ("requirements.txt", course),
        ("requirements-grading.txt", grading),
    ]:
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        found = [Requirement(line) for line in lines if line and line[0] != "#"]
        found = {canonicalize_name(each.name): each for each in found}
        for each in map(Requirement, wanted):
            pin = found[canonicalize_name(each.name)]
            if each.name != "torch":
                assert each.specifier.contains(str(pin.specifier).removeprefix("==")), each
            else:
                assert pin == Requirement(groups["torch"][0])


def test_a_push_runs_every_notebook_once():
    ci, _ = workflow("ci")
    job = ci["jobs"]["notebooks"]
    shards = job["strategy"]["matrix"]["shard"]
    (command,) = [step["run"] for step in job["steps"] if "compare" in step.get("run", "")]
    assert command.endswith(f"--all --shard ${{{{ matrix.shard }}}}/{len(shards)}")
    assert shards == [*range(1, len(shards) + 1)]


def test_the_pythons_are_the_same_everywhere():
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["requires-python"]
    oldest, newest = commands.OLDEST, commands.NEWEST
    assert requires == f">=3.{oldest[1]},<3.{newest[1] + 1}"
    for name in ("README.md", "grading/student_folder.md"):
        assert f"Python {commands.PYTHONS}" in (ROOT / name).read_text(encoding="utf-8")
    ci, _ = workflow("ci")
    weekly, _ = workflow("weekly")
    pythons = {f"3.{minor}" for minor in range(oldest[1], newest[1] + 1)}
    assert pythons == {*ci["jobs"]["tests"]["strategy"]["matrix"]["python"]}
    whole = weekly["jobs"]["pythons"]["strategy"]["matrix"]["python"]
    assert pythons == {*whole, "3.13"}  # on which .ci/run runs
    tried = weekly["jobs"]["next"]
    assert tried["continue-on-error"] and f'"3.{newest[1] + 1}"' in json.dumps(
        tried["steps"]
    )


@posix
def test_make_hands_every_command_and_its_variables_on(tmp_path):
    command = ["make", "--no-print-directory", "--file", ROOT / "Makefile"]
    command += ["PYTHON=./python", "NB=one.ipynb"]
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@ $NB"\n', encoding="utf-8")
    python.chmod(0o755)
    for name in commands.COMMANDS:
        (tmp_path / name).mkdir()  # as the folder book/, which is no reason to do nothing
        done = subprocess.run(
            [*command, name], cwd=tmp_path, capture_output=True, encoding="utf-8"
        )
        assert done.stdout == f"-m tools {name} one.ipynb\n", done.stderr


def test_a_command_that_does_not_exist_is_refused_before_another_runs(monkeypatch):
    monkeypatch.setitem(commands.COMMANDS, "check", lambda: pytest.fail("it ran"))
    with pytest.raises(SystemExit, match="there is no command 'cheque'"):
        commands.main(["check", "cheque"])


@pytest.mark.parametrize("handed_in", [True, False])
def test_clean_keeps_a_course_in_which_something_was_handed_in(clone, handed_in):
    files = ["html/index.html", "assignments/gradebook.db", "bench.json"]
    files += ["assignments/submitted/ada/01/01.ipynb"] * handed_in
    for name in files:
        path = clone.path / "_build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    commands.clean()
    left = {path.name for path in (clone.path / "_build").rglob("*") if path.is_file()}
    assert left == ({"gradebook.db", "01.ipynb"} if handed_in else set())


def test_a_dev_container_sets_up_the_environment_that_its_notebooks_use():
    path = ROOT / ".devcontainer" / "devcontainer.json"
    container = json.loads(path.read_text(encoding="utf-8"))
    assert container["postCreateCommand"] == "make install"
    ci, _ = workflow("ci")
    assert container["containerEnv"] == ci["env"]
    custom = container["customizations"]
    python = custom["vscode"]["settings"]["python.defaultInterpreterPath"]
    folder = python.removeprefix("${containerWorkspaceFolder}/").removesuffix("bin/python")
    assert ROOT / folder == commands.ENVIRONMENT
    assert all((ROOT / name).is_file() for name in custom["codespaces"]["openFiles"])


def test_the_badge_of_the_readme_is_that_of_the_run_in_colabs_image():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"](../../{address.BADGE}/badge.svg)](../../{address.BADGE})" in readme
    name = address.BADGE.removeprefix("actions/workflows/").removesuffix(".yml")
    read, triggers = workflow(name)
    (job,) = read["jobs"].values()
    assert "colab-images" in job["container"]["image"] and "schedule" in triggers
