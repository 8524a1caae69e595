"""Tests of all templates of the exam on paper, and of the command that writes it."""

import re

import pytest

from grading.exam import CHAPTERS, MINUTES, choose, draw, templates, tex
from grading.exam.__main__ import main, pages
from tools import ROOT
from tools.notebooks.exercises import check_rubric

SEEDS = [f"seed {i}" for i in range(20)]
TEMPLATES = [template for chapter in CHAPTERS for template in templates(chapter)]
MATH = re.compile(r"\$\$.*?\$\$|\$.*?\$", re.DOTALL)
every_template = pytest.mark.parametrize(
    "template", TEMPLATES, ids=[template.__name__ for template in TEMPLATES]
)


@every_template
def test_a_question_is_complete_and_its_numbers_stand_in_its_answer(template):
    for question in (draw(template, seed) for seed in SEEDS):
        check_rubric(question.answer, question.points)
        assert question.points == 10
        for number in question.result.values():
            assert tex(number) in question.answer, number
        assert question.wrong, "the mistake must have a number"
        for name, number in question.wrong.items():
            assert number != question.result[name], name
            assert tex(number) != tex(question.result[name]), name
            assert tex(number) in question.mistake, number


@every_template
def test_texts_are_filled_in_and_friendly_to_paper(template):
    for question in (draw(template, seed) for seed in SEEDS):
        for text in question.text, question.answer, question.mistake:
            assert text.count("$") % 2 == 0
            assert not re.search(r"[{}\\]", MATH.sub("", text)), text
            assert not re.search(r"\d\.\d{3}", text), text
            assert not re.search(r"Fraction|nan|None|\+ -|- -", text), text


@every_template
def test_a_seed_decides_what_is_drawn(template):
    assert template.__doc__.endswith(".") and "\n" not in template.__doc__
    questions = [draw(template, seed) for seed in SEEDS]
    assert questions == [draw(template, seed) for seed in SEEDS]
    # With few numbers to draw, some of the seeds agree by chance.
    assert len({question.text for question in questions}) > 10
    assert len({str(question.result) for question in questions}) > 5


def test_chapters_and_single_questions_are_chosen_by_their_numbers():
    chosen = choose(["3", "5.2", "3.1"])
    assert list(chosen) == ["3.1", "3.2", "5.2"]
    assert list(chosen.values()) == [*templates(3), templates(5)[1]]


def test_names_are_unique_since_they_seed_the_numbers():
    assert len({template.__name__ for template in TEMPLATES}) == len(TEMPLATES)


def test_the_exam_can_be_read_offline_and_gives_no_answer_away():
    texts = pages("a-word", map(str, CHAPTERS))
    for text in texts.values():
        assert not re.search(r'(?:src|href)="|url\("?(?!"?data:)', text)
        assert text.count("<section>") == len(TEMPLATES)
        assert "$" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert f"{MINUTES * len(TEMPLATES)} minutes" in texts["exam.html"]
    assert "Rubric" in texts["answers.html"] and "a-word" in texts["answers.html"]
    assert "Rubric" not in texts["exam.html"] and "a-word" not in texts["exam.html"]


def test_the_page_for_instructors_shows_what_its_word_gives():
    page = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    (word,) = re.findall("make exam SEED=(\\S+)", page)
    question = draw(templates(1)[0], word)
    shown = [
        *question.drawn["keys"],
        *question.drawn["values"],
        *question.result["weights"],
    ]
    for number in [*shown, question.result["output"], question.wrong["output"]]:
        assert f"${tex(number)}$" in page


@pytest.mark.parametrize(
    "arguments", [["", "1"], ["two words"], ["../up"], ["word", "99"], ["word", "3.3"]]
)
def test_a_seed_is_one_word_and_a_chapter_has_questions(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert re.search(
        "SEED must be|QUESTIONS must be .*, not '(99|3.3)'", capsys.readouterr().err
    )
