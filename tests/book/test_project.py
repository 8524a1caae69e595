"""The project's own promises: CI, the environment and the version."""

import json
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from helpers import ROOT

from tools.build import address

REQUIRED = "requirements.txt", "requirements-no-deps.txt", "pyproject.toml"

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


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
    assert "bash .ci/run" in [step.get("run") for step in ci["jobs"]["whole"]["steps"]]
    _, triggers = workflow("publish")
    assert list(triggers) == ["workflow_call"]


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


@pytest.mark.parametrize("moved", [True, False])
def test_a_clone_that_was_moved_makes_its_environment_anew(tmp_path, moved):
    for name in ("Makefile", *REQUIRED):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    stamp = tmp_path / ".venv" / ".installed"
    stamp.parent.mkdir()
    stamp.write_text(f"{tmp_path}{'-before' * moved}\n", encoding="utf-8")
    command = ["make", "-n", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("rm -rf .venv" in done.stdout) == ("-m venv .venv" in done.stdout) == moved


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


def test_a_dev_container_sets_up_the_environment_that_its_notebooks_use():
    path = ROOT / ".devcontainer" / "devcontainer.json"
    container = json.loads(path.read_text(encoding="utf-8"))
    command, target = container["postCreateCommand"].split()
    assert command == "make" and f"ENV := {target}\n" in MAKEFILE
    ci, _ = workflow("ci")
    assert container["containerEnv"] == ci["env"]
    custom = container["customizations"]
    python = custom["vscode"]["settings"]["python.defaultInterpreterPath"]
    folder = python.removeprefix("${containerWorkspaceFolder}/").removesuffix("bin/python")
    assert target.startswith(folder)
    assert all((ROOT / name).is_file() for name in custom["codespaces"]["openFiles"])


def test_the_badge_of_the_readme_is_that_of_the_run_in_colabs_image():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"](../../{address.BADGE}/badge.svg)](../../{address.BADGE})" in readme
    name = address.BADGE.removeprefix("actions/workflows/").removesuffix(".yml")
    read, triggers = workflow(name)
    (job,) = read["jobs"].values()
    assert "colab-images" in job["container"]["image"] and "schedule" in triggers
