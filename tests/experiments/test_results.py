"""The page of results includes one generated file for each table, with its origin."""

import re
import subprocess

import pytest

from experiments import (
    __main__,
    attention,
    bench,
    counting,
    evaluation,
    fixed_place,
    flower,
    heads,
    long_context,
    longer_rewards,
    longer_texts,
    masked_word,
    own_text,
    pretrained,
    prompt_time,
    query,
    recall,
    recall_objections,
    results,
    serve,
    serving_speed,
    stages,
    step_time,
    tool_calls,
    tool_limits,
    tools,
    tune,
)
from tools import ROOT
from tools import __main__ as commands

PAGES = sorted((ROOT / "book" / "results").glob("*.md"))
PAGE = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
ORIGIN = re.compile(
    r"\*Measured on \d+ \w+ \d{4} by `make \w+( [A-Z]+=\w+)* WRITE=1`"
    r"( at commit [0-9a-f]{7,}( with local changes)?)?, on .+ PyTorch \S+\.\*"
)


def test_the_page_includes_every_table_and_each_has_the_columns_of_today():
    columns_of = {
        "benchmark": bench.COLUMNS,
        "own_text": own_text.COLUMNS,
        "serve": serve.COLUMNS,
        "serving": serving_speed.COLUMNS,
        "prompt_time": prompt_time.COLUMNS,
        "long_context": long_context.COLUMNS,
        "attention": ["", *attention.BLEU],
        "ablation": ["", *attention.CHANGES],
        "fixed_place": ["", *fixed_place.COLUMNS],
        "fixed_place_sentence": [fixed_place.SENTENCE, *fixed_place.SEEDS],
        "query": ["", *query.COLUMNS],
        "masked_word": ["masked, in 122 sentences", *masked_word.COLUMNS],
        "masked_word_sentence": [masked_word.SENTENCE, *masked_word.SEEDS],
        "counting": ["", *counting.COLUMNS],
        "contamination": ["", *evaluation.COLUMNS],
        "contamination_pairs": evaluation.PAIRS,
        "judge": ["", *evaluation.JUDGE],
        "flower_12": ["12 × 12 patches, weight from", *flower.COLUMNS],
        "flower_16": ["16 × 16 patches, weight from", *flower.COLUMNS],
        "muted": ["without", *heads.MUTED],
        "partners": ["head", *heads.PARTNERS],
        "reading": ["the name", "mean", "lowest", "highest"],
        "two_nouns": ["the noun that is meant comes", *heads.NOUNS],
        "step_time": ["", *step_time.COLUMNS],
        "look_up_time": ["", *step_time.LOOK_UP_COLUMNS],
        "longer_texts": ["", *longer_texts.COLUMNS],
        "tool_calls": ["", *tool_calls.COLUMNS],
        "tool_limits": ["", *tool_limits.COLUMNS],
        "tool_limits_answers": ["question", tool_limits.BEFORE, tool_limits.AFTER],
        "recall_objections": ["", *recall_objections.COLUMNS],
        "tools": ["", *tools.TABLE],
        "tune": ["", *tune.COLUMNS],
    } | longer_rewards.COLUMNS
    for several in (pretrained.COLUMNS, stages.TABLES, recall.COLUMNS):
        columns_of |= {name: ["", *columns] for name, columns in several.items()}
    for name in __main__.experiments():
        experiment = __main__.load(name)
        if hasattr(experiment, "rows"):
            columns_of[name] = ["model", *experiment.COLUMNS]
    included = re.findall(r"^```\{include\} \.\./_generated/(\w+)\.md$", PAGE, re.MULTILINE)
    assert sorted(included) == sorted(columns_of)
    for name, columns in columns_of.items():
        text = (results.FOLDER / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(results.table(columns, []).splitlines()[0]), name
        assert ORIGIN.fullmatch(text.splitlines()[-1]), name


def test_a_table_has_the_mean_and_the_spread_over_the_seeds():
    def rows(seed, root):
        yield "a model", (1234, [0.25, 0.75][seed])
        yield f"a control in {root}", (None, 0.5)

    columns = {"weights": 0, "BLEU": 2}
    assert results.tabulate(rows, columns, range(2), root="data").splitlines() == [
        "| model | weights | BLEU |",
        "| --- | ---: | ---: |",
        "| a model | 1,234 | 0.50 ± 0.35 |",
        "| a control in data |  | 0.50 |",
    ]


def test_a_mean_stands_alone_where_its_values_do_not_differ():
    assert results.spread([0.5, 0.5], ends=True) == results.spread([0.5, 0.5]) == "0.50"
    assert results.spread([0.25, 0.75], ends=True) == "0.50 (0.25–0.75)"
    assert results.spread([0.999, 1.0], ends=True) == "1.00"
    assert results.spread([0.999, 1.0]) == "1.00 ± 0.00"  # as numbers they do
    assert results.spread([1500, 2500], 0) == "2,000" and results.spread([1, None]) == ""


def test_a_table_has_a_number_for_each_run():
    runs = [
        {
            "β = 1": {"in order": 0.75, "KL": 1.25 + seed, "with steps": seed / 2},
            "β = 2": {"in order": 0.5, "with steps": 1},
        }
        for seed in (0, 1)
    ]
    columns = ["in order", "KL", "with steps"]
    assert results.side_by_side(runs, columns, {"KL": 1}).splitlines() == [
        "|  | in order | KL | with steps |",
        "| --- | ---: | ---: | ---: |",
        "| β = 1 | 75 / 75 | 1.2 / 2.2 | 0 / 50 |",
        "| β = 2 | 50 / 50 |  | 100 / 100 |",
    ]


def test_an_origin_has_the_form_of_those_on_the_page(monkeypatch):
    given = ["NAME=recall", "DEVICE=cuda", "ROOT=/data", "WRITE=1"]
    monkeypatch.setattr("sys.argv", ["experiments/__main__.py", *given])
    assert ORIGIN.fullmatch(results.origin())
    # without the folder of its data
    assert "by `make measure NAME=recall DEVICE=cuda WRITE=1`" in results.origin()


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


# --- the driver ----------------------------------------------------------------------


class Experiment:
    """What a module would have that yields a table, a file, and a table from elsewhere."""

    def tables(repeats=3, only=None):
        yield "small", f"{repeats} {only}"
        yield Experiment.path, "a file"
        yield "others", "a table", "*Elsewhere.*"


@pytest.fixture
def drive(monkeypatch, tmp_path):
    """A function that runs this experiment, and the folder of its tables."""
    Experiment.path = tmp_path / "file.json"
    monkeypatch.setattr(__main__, "load", lambda name: Experiment)
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "origin", lambda: "*Here.*")
    return lambda *given: __main__.main(["NAME=bench", *given])


def test_tables_are_written_with_their_origins_if_that_is_wanted(drive, tmp_path, capsys):
    drive("REPEATS=5", "ONLY=8")
    assert [*tmp_path.iterdir()] == [] and "small\n\n5 8\n" in capsys.readouterr().out
    drive("WRITE=1")
    written = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert written == {
        "small.md": "3 None\n\n*Here.*\n",
        "file.json": "a file\n",
        "others.md": "a table\n\n*Elsewhere.*\n",
    }


def test_an_option_or_an_experiment_that_does_not_exist_is_refused(drive, capsys):
    with pytest.raises(SystemExit, match="this experiment has no option JOBS"):
        drive("JOBS=2")
    with pytest.raises(SystemExit, match="there is no experiment 'banks'"):
        __main__.main(["NAME=banks"])
    assert "  bench  " in capsys.readouterr().out


def test_make_hands_an_experiment_the_options_that_are_set(monkeypatch):
    calls = []
    monkeypatch.setattr(commands, "set_up", lambda: None)
    monkeypatch.setattr(commands, "python", lambda *arguments: calls.append(arguments))
    for name in ("ONLY", "ROOT", "JOBS", "DEVICE", "UPDATES", "THREADS", "REPEATS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"NAME": "copying", "SEEDS": "2", "WRITE": "1"}.items():
        monkeypatch.setenv(name, value)
    commands.measure()
    assert calls == [("-m", "experiments", "NAME=copying", "SEEDS=2", "WRITE=1")]
