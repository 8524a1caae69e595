"""The mutation test: its sample of faults, and its table."""

from types import SimpleNamespace

import mutants
import pytest


def mutation(line, operator):
    place = {"start_pos": (line, 4), "end_pos": (line, 5)}
    return SimpleNamespace(operator_name=operator, definition_name="f", **place)


def test_a_sample_has_one_fault_at_each_place_and_is_the_same_for_a_seed():
    found = [mutation(line, operator) for line in range(9) for operator in "abc"]
    chosen = mutants.sample(found, 6, seed=0)
    lines = [one.start_pos[0] for one in chosen]
    assert lines == sorted({*lines}) and len(lines) == 6
    assert len({one.operator_name for one in chosen}) > 1
    assert chosen == mutants.sample(found, 6, seed=0) != mutants.sample(found, 6, seed=1)
    assert len(mutants.sample(found, 99, seed=0)) == 9  # no more than there are


def test_a_report_counts_what_was_killed_and_shows_what_was_not():
    diff = "--- a\n+++ b\n@@ -1 +1 @@\n def f(x):\n-    return x < 2\n+    return x <= 2"
    survivor = mutants.change(diff, mutation(2, "a"))
    assert survivor == "line 2, f: `return x < 2` → `return x <= 2`"
    several = mutants.change(
        "--- a\n+++ b\n-    @first\n-    @second\n     def f():", mutation(1, "a")
    )
    assert several == "line 1, f: `@first @second` → ``"
    *table, empty, last = mutants.report({"one": (4, [survivor]), "two": (6, [])}).split(
        "\n"
    )[:-1]
    rows = [row.split(" | ")[1:] for row in table[2:]]
    assert rows == [["4", "3", "75% |"], ["6", "6", "100% |"], ["10", "9", "90% |"]]
    assert (empty, last) == ("", f"- one, {survivor}")


def test_more_than_a_tenth_of_survivors_is_an_error():
    mutants.check({"one": (9, ["a survivor"]), "two": (1, [])})
    with pytest.raises(SystemExit, match="2 of 10 mutants survived"):
        mutants.check({"one": (9, ["a survivor"]), "two": (1, ["another"])})
