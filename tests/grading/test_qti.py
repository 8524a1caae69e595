"""The questions as quizzes for Canvas."""

import re
import zipfile
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from tools import ROOT
from tools.book import gift, pages, qti, questions
from tools.notebooks.save import chapter_paths

pytestmark = pytest.mark.slow  # of those that need what grading needs

QTI = {"": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
KINDS = {"multiple_choice_question", "numerical_question", "essay_question"}


def words(html):
    """A text without its formulas and marks, in words."""
    soup = BeautifulSoup(html, "lxml")
    for formula in soup("img"):
        formula.replace_with(" ")
    return re.findall(r"\w+", soup.text)


def plain(markdown):
    """A text in Markdown likewise."""
    return words(gift.PARSER.render(re.sub(r"\$[^$]*\$", " ", markdown)))


def items(path):
    """The questions of a zip: kind, text, choices, the right answer, and what is said."""
    with zipfile.ZipFile(path) as file:
        (name,) = (
            n for n in file.namelist() if re.search(r"assessment_[0-9a-f]+\.xml$", n)
        )
        quiz = ElementTree.fromstring(file.read(name))
    for found in quiz.iterfind(".//item", QTI):
        asked, *choices = (e.text for e in found.iterfind("presentation//mattext", QTI))
        labels = [e.get("ident") for e in found.iterfind(".//response_label", QTI)]
        scored = [
            e for e in found.iterfind(".//respcondition", QTI) if "setvar" in kinds(e)
        ]
        said = {
            e.get("ident").removesuffix("_fb"): e.find(".//mattext", QTI).text
            for e in found.iterfind("itemfeedback", QTI)
        }
        yield {
            "kind": found.find(".//fieldentry", QTI).text,
            "ask": asked,
            "choices": choices,
            "right": [
                e.text for one in scored for e in one.iterfind(".//conditionvar//*", QTI)
            ],
            "labels": labels,
            "said": said,
        }


def kinds(element):
    return {each.tag.rpartition("}")[2] for each in element.iter()}


def test_a_quiz_has_every_question_of_its_chapter_with_what_is_said_of_each_answer(
    tmp_path,
):
    qti.write(ROOT, tmp_path)
    for path in chapter_paths(ROOT):
        found = list(items(tmp_path / f"{path.stem}.zip"))
        assert {each["kind"] for each in found} == KINDS
        asked = map(questions.without_votes, questions.for_class(ROOT, path.stem))
        closed = [*questions.read(ROOT, path.stem), *asked]
        quiz = gift.quiz(pages.read(path))
        assert len(found) == len(closed) + len(quiz)
        for question, item in zip(closed, found, strict=False):
            assert words(item["ask"]) == plain(question["ask"])
            general = words(item["said"]["general"])
            because = plain(question["because"])
            assert general[: len(because)] == because
            if "choices" in question:
                texts = [c.get("right") or c["wrong"] for c in question["choices"]]
                assert list(map(words, item["choices"])) == list(map(plain, texts))
                right = next(i for i, c in enumerate(question["choices"]) if "right" in c)
                assert item["right"] == [item["labels"][right]]
                for label, choice in zip(item["labels"], question["choices"], strict=True):
                    assert words(item["said"].get(label, "")) == plain(
                        choice["why"] if "wrong" in choice and "why" in choice else ""
                    )
            else:
                exact, low, high = (float(t) for t in item["right"] if t and t.strip())
                within = questions.tolerance(question)
                assert exact == question["answer"]
                assert round(high - low, 6) == 2 * within
                for wrong in question.get("wrong", []):
                    assert set(plain(wrong["why"])) <= set(general)
        for (ask, answer), item in zip(quiz, found[len(closed) :], strict=True):
            assert words(item["ask"]) == plain(ask)
            assert words(item["said"]["general"]) == plain(answer)
