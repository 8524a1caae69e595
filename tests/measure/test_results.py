"""The page of results includes one generated file for each experiment, with its origin."""

import re
import subprocess

from tools import ROOT
from tools import __main__ as commands
from tools.measure import (
    attention,
    bench,
    counting,
    evaluation,
    own_text,
    post_training,
    pretraining,
    recall,
    results,
    scores,
    serving,
    tool_calls,
)

PAGE = (ROOT / "book" / "results.md").read_text(encoding="utf-8")
ORIGIN = re.compile(
    r"\*Measured on \d+ \w+ \d{4} by `make \w+( [A-Z]+=\w+)* WRITE=1`"
    r"( at commit [0-9a-f]{7,}( with local changes)?)?, on .+ PyTorch \S+\.\*"
)


def test_the_page_includes_every_table_and_each_has_the_columns_of_today():
    heads = {name: scores.columns(name) for name in scores.EXPERIMENTS}
    heads["benchmark"] = bench.COLUMNS
    heads["own_text"] = own_text.COLUMNS
    heads["serving"] = serving.COLUMNS
    heads["attention"] = ["", *attention.BLEU]
    heads["ablation"] = ["", *attention.CHANGES]
    heads["counting"] = ["", *counting.COLUMNS]
    heads["contamination"] = ["", *evaluation.COLUMNS]
    heads["contamination_pairs"] = evaluation.PAIRS
    heads["judge"] = ["", *evaluation.JUDGE]
    for program in (pretraining.COLUMNS, post_training.TABLES):
        heads |= {name: ["", *columns] for name, columns in program.items()}
    heads |= {name: ["", *recall.columns(name)] for name in recall.TABLES}
    heads["tool_calls"] = ["", *tool_calls.COLUMNS]
    included = re.findall(r"^```\{include\} _generated/(\w+)\.md$", PAGE, re.MULTILINE)
    assert sorted(included) == sorted(heads)
    for name, head in heads.items():
        text = (results.FOLDER / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(results.head(head)), name
        assert ORIGIN.fullmatch(text.splitlines()[-1]), name


def test_an_origin_has_the_form_of_those_on_the_page(monkeypatch):
    program = str(ROOT / "tools" / "measure" / "bench.py")
    monkeypatch.setattr("sys.argv", [program, "--threads=1", "--write"])
    assert ORIGIN.fullmatch(results.origin())
    assert "by `make bench THREADS=1 WRITE=1`" in results.origin()


def test_the_command_leaves_out_where_the_data_lie():
    argv = ["scores.py", "--only=small", "--seeds", "1", "--root", "/data", "--write"]
    assert results.command(argv) == "make scores ONLY=small SEEDS=1 WRITE=1"


def test_the_commit_says_when_files_other_than_tables_were_changed(tmp_path):
    assert results.commit(tmp_path) == ""  # no repository

    def git(*arguments):
        options = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        done = ["git", *options, *arguments]
        return subprocess.check_output(done, cwd=tmp_path, encoding="utf-8").strip()

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "Begin")
    number = git("rev-parse", "--short", "HEAD")
    tables = tmp_path / "book" / "_generated"
    tables.mkdir(parents=True)
    (tables / "small.md").touch()
    assert results.commit(tmp_path) == f" at commit {number}"
    (tmp_path / "model.py").touch()
    assert results.commit(tmp_path) == f" at commit {number} with local changes"


def test_a_command_gives_its_program_the_options_that_are_set(monkeypatch):
    calls = []
    monkeypatch.setattr(commands, "set_up", lambda: None)
    monkeypatch.setattr(commands, "python", lambda *arguments: calls.append(arguments))
    for name in ("SEEDS", "ROOT", "THREADS", "REPEATS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ONLY", "small")
    monkeypatch.setenv("WRITE", "1")
    commands.scores()
    assert calls == [("-m", "tools.measure.scores", "--only=small", "--write")]
    monkeypatch.setenv("SEEDS", "2")
    commands.post_training()
    assert calls[-1] == ("-m", "tools.measure.post_training", "--seeds=2", "--write")
