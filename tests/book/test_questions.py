"""The questions that a page checks, and their bank for Moodle."""

import itertools
import math
import re
from types import SimpleNamespace

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from built import BOOK
from docutils import nodes
from docutils.utils import new_document

from tools import ROOT
from tools.book import gift, pages, questions, search, slides
from tools.notebooks.save import chapter_paths

NAMES = [path.stem for path in chapter_paths(ROOT)]
ALL = {name: questions.read(ROOT, name) for name in NAMES}
CLASS = {name: questions.for_class(ROOT, name) for name in NAMES}
EACH = [
    pytest.param(q, id=f"{name} {i}") for name in NAMES for i, q in enumerate(ALL[name], 1)
]


def computed(known):
    """What the expression of a right or tempting number gives."""
    return float(eval(known["compute"], {"torch": torch, "math": math}))


def test_each_chapter_has_five_questions_and_no_other_page_has_any():
    assert {name: len(found) for name, found in ALL.items()} == dict.fromkeys(NAMES, 5)
    files = (ROOT / questions.FOLDER).iterdir()
    assert sorted(path.name for path in files) == sorted(f"{name}.yml" for name in NAMES)


@pytest.mark.parametrize("question", EACH)
def test_numbers_are_computed_and_choices_have_reasons(question):
    assert question["ask"].strip() and question["because"].strip()
    if "choices" in question:
        kinds = [set(choice) for choice in question["choices"]]
        assert kinds.count({"right"}) == 1 and len(kinds) > 2
        assert kinds.count({"wrong", "why"}) == len(kinds) - 1
        return
    known = [question, *question.get("wrong", [])]
    for each in known:
        places = len(str(each["answer"]).partition(".")[2])
        assert round(computed(each), places) == each["answer"], each["compute"]
        assert abs(computed(each) - each["answer"]) <= questions.tolerance(each) + 1e-6
    assert known[0].keys() - {"within", "wrong"} == {"ask", "answer", "compute", "because"}
    assert all(each.keys() == {"answer", "compute", "why"} for each in known[1:])
    numbers = sorted((each["answer"], questions.tolerance(each)) for each in known)
    for (low, below), (high, above) in itertools.pairwise(numbers):
        assert low + below < high - above, "two answers would be taken for one"


def test_each_chapter_has_two_questions_for_the_class_and_what_comes_before_one():
    assert {name: len(asked) for name, asked in CLASS.items()} == dict.fromkeys(
        NAMES, 2
    ) | {
        "00_training": 1,
        "00_translation": 1,
        "09_implementations": 0,  # which the plans leave out
    }
    for asked in CLASS.values():
        for question in asked:
            assert question.keys() == {"after", "ask", "choices", "because"}
    letters = [
        letter
        for asked in CLASS.values()
        for question in asked
        for letter, _, choice in questions.lettered(question)
        if "right" in choice
    ]
    assert min(map(letters.count, "ABC")) > len(letters) / 4, (
        "a place gives the answer away"
    )


VOTES = [
    pytest.param(question, id=f"{name} {i}")
    for name, asked in CLASS.items()
    for i, question in enumerate(asked, 1)
]


@pytest.mark.parametrize("question", VOTES)
def test_votes_have_a_meaning_each_and_numbers_are_computed(question):
    kinds = [set(choice) - {"compute"} for choice in question["choices"]]
    assert kinds.count({"right", "why"}) == 1 and len(kinds) in (3, 4)
    assert kinds.count({"wrong", "why"}) == len(kinds) - 1
    texts = [choice.get("right") or choice["wrong"] for choice in question["choices"]]
    assert len(set(texts)) == len(texts)
    for text, choice in zip(texts, question["choices"], strict=True):
        if "compute" in choice:
            known = math.inf if text == "infinite" else float(text)
            assert computed(choice) == pytest.approx(known, abs=1e-5)
        else:
            assert not re.fullmatch(r"[\d.]+", text)


# --- in the page ---------------------------------------------------------------------

CHOICE = {
    "ask": "Is $a < b$ the *same* as `b > a`?",
    "choices": [{"right": "yes"}, {"wrong": "no & never", "why": "Turn $x$ round."}],
    "because": "Both say it.",
}


def test_a_form_holds_the_question_its_choices_and_what_is_told_of_each():
    form = BeautifulSoup(questions.form(CHOICE, 3), "lxml").form
    assert form.legend.text == r"3. Is \(a < b\) the same as b > a?"
    assert form.legend.select_one("span.math").text == r"\(a < b\)"
    assert [label.text.strip() for label in form("label")] == ["yes", "no & never"]
    right, wrong = form("template")
    assert right.has_attr("data-right") and right["data-answer"] == "0"
    assert right.text == "Both say it." and not wrong.has_attr("data-right")
    assert r">\(x\)</span> round." in wrong.decode_contents()


@pytest.fixture
def page(request):
    """The sections of a page, with questions if it has some, as Sphinx reads them."""
    document = new_document("page")
    document += (whole := nodes.section("", nodes.title("", "Page"), ids=["page"]))
    for name in ("quiz", "exercises"):
        whole += nodes.section("", nodes.title("", name), ids=[name])
    env = SimpleNamespace(docname=request.param, note_dependency=lambda name: None)
    questions.add(SimpleNamespace(env=env, srcdir=ROOT), document)
    return document


@pytest.mark.parametrize("page", [f"notebooks/{name}" for name in NAMES], indirect=True)
def test_questions_stand_before_the_exercises_and_the_search_does_not_tell_answers(page):
    found = search.sections(page, "page", {})
    assert [entry["title"] for entry in found[1:]] == [
        "quiz",
        "Check yourself",
        "exercises",
    ]
    assert found[2]["text"] == ""
    assert BeautifulSoup(page.next_node(nodes.raw).astext(), "lxml").select("form")


@pytest.mark.parametrize("page", ["notebooks/exercises/05_multi_head"], indirect=True)
def test_a_page_of_exercises_has_no_questions(page):
    assert [each["ids"] for each in page[0][1:]] == [["quiz"], ["exercises"]]


# --- the bank ------------------------------------------------------------------------

MARKS = {rf"\{sign}": f"\0{i}" for i, sign in enumerate(r"~=#{}:n")}


def plain(text):
    """A part of a question in GIFT, after it was cut out, as Moodle shows it."""
    for escaped, mark in MARKS.items():
        text = text.replace(mark, escaped[1:].replace("n", "\n"))
    return text.strip().replace("\1", "\\")


def read_gift(text):
    """The categories and questions of a bank, by the rules of Moodle's importer."""
    for block in re.split(r"\n\s*\n", text.strip()):
        block = block.replace(r"\\", "\1")  # so that \\n is no new line
        for escaped, mark in MARKS.items():
            block = block.replace(escaped, mark)
        if block.startswith("$CATEGORY:"):
            yield {"category": block.removeprefix("$CATEGORY:").strip()}
            continue
        name, asked, answers = re.fullmatch(
            r"::(.*?)::\[html\]([^{}]*)\{([^{}]*)\}", block.strip(), re.DOTALL
        ).groups()
        answers, _, feedback = answers.rpartition("####")
        kind = "essay" if not answers.strip() else "choice" if "~" in answers else "number"
        found = re.findall(r"([=~])(%0%)?([^#=~]*)(?:#([^=~]*))?", answers)
        yield {
            "name": plain(name),
            "kind": kind,
            "ask": plain(asked),
            "because": plain(feedback),
            "answers": [
                (sign == "=" and not zero, plain(answer), plain(why))
                for sign, zero, answer, why in found
            ],
        }


def test_the_bank_has_every_question_with_its_answers_as_moodle_reads_them():
    found = list(read_gift(gift.bank(ROOT)))
    categories = [each["category"] for each in found if "category" in each]
    assert len(categories) == len(set(categories)) == 3 * len(NAMES) - 1
    by_name = {each["name"]: each for each in found if "name" in each}
    render = slides.PARSER.renderInline
    for kind, name, asked in [
        *(("checked", *each) for each in ALL.items()),
        *(
            ("class", name, map(questions.without_votes, asked))
            for name, asked in CLASS.items()
        ),
    ]:
        for i, question in enumerate(asked, start=1):
            bank = by_name.pop(f"{name}, {kind} {i}")
            assert bank["ask"] == render(question["ask"])
            assert bank["because"] == render(question["because"])
            if "choices" in question:
                assert bank["kind"] == "choice"
                assert bank["answers"] == [
                    (
                        "right" in c,
                        render(c.get("right") or c["wrong"]),
                        "" if "right" in c else render(c.get("why", "")),
                    )
                    for c in question["choices"]
                ]
            else:
                known = [question, *question.get("wrong", [])]
                assert bank["kind"] == "number"
                assert bank["answers"] == [
                    (
                        each is question,
                        f"{each['answer']}:{questions.tolerance(each)}",
                        render(each.get("why", "")),
                    )
                    for each in known
                ]
    assert {each["kind"] for each in by_name.values()} == {"essay"}
    for path in chapter_paths(ROOT):
        quiz = [each for name, each in by_name.items() if name.startswith(f"{path.stem}, ")]
        folds = pages.prose(pages.read(path)).count("<summary>Answer</summary>")
        assert len(quiz) == folds >= 3
        for each in quiz:
            assert len(each["ask"]) > 40 and len(each["because"]) > 40
            shown = BeautifulSoup(each["ask"] + each["because"], "lxml")
            assert "$" not in shown.text and "**" not in shown.text
            assert all(a["href"].startswith("http") for a in shown("a"))


# --- in a browser: slow, and needs a built book --------------------------------------

CHAPTER = "notebooks/01_queries_keys_values"
# The formulas of a question, and of all that is told of answers, that leave its box.
WIDE = """[...document.querySelectorAll(".questions form")].flatMap(form => {
  form.querySelector(".verdict").append(
    ...[...form.querySelectorAll("template")].map(each => each.content.cloneNode(true)));
  const { right } = form.getBoundingClientRect();
  return [...form.querySelectorAll(".math")]
    .filter(e => e.firstChild.getBoundingClientRect().right > right)
    .map(e => e.dataset.tex);
})"""


@pytest.fixture
def reader(browser):
    """A function that opens a page from its file, on a device that remembers."""
    if not (BOOK / "book" / "index.html").exists():
        pytest.skip("there is no built book: run `make book` first")
    context = browser.new_context(viewport={"width": 390, "height": 900})
    tab, faults = context.new_page(), []
    tab.on("pageerror", lambda error: faults.append(str(error)))

    def open_page(name):
        tab.goto((BOOK / f"{name}.html").as_uri(), wait_until="domcontentloaded")
        return tab

    yield open_page
    context.close()
    assert faults == []


def expect(form, words):
    form.locator(".verdict").get_by_text(words).wait_for()


@pytest.mark.slow
def test_answers_are_checked_remembered_and_counted_on_the_start_page(reader):
    page = reader(CHAPTER)
    forms = page.locator(".questions form")
    number, choice = forms.nth(0), forms.nth(3)
    # By keyboard: nothing, no number, a tempting number, another, and the right one.
    for text, words in {
        "": "Write a number",
        "many": "Write a number",
        "0.75": "The softmax divides their exponentials",
        "7": "Not yet. Try again.",
        " 88 %": "Right.",
        "0,88": "Right.",
        "22/25": "Right.",
    }.items():
        number.get_by_label("Your answer").focus()
        page.keyboard.press("Control+a")
        page.keyboard.type(text or " ")
        page.keyboard.press("Enter")
        expect(number, words)
        wrong = number.get_attribute("data-verdict") == "wrong"
        assert number.get_by_text("Show the answer").is_visible() == wrong
    # By mouse: nothing, a wrong choice with its reason, and the right one.
    for label, words in {
        None: "Choose an answer first.",
        "It works for any": "Both do.",
        "Its answer changes smoothly": "Right.",
    }.items():
        if label:
            choice.get_by_label(label).click()
        choice.get_by_role("button", name="Check").click()
        expect(choice, words)
    # By arrow keys: the second of three choices.
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(forms.nth(4), "Right.")
    # Shown answers do not count.
    forms.nth(1).get_by_label("Your answer").fill("30")
    forms.nth(1).get_by_label("Your answer").press("Enter")
    forms.nth(1).get_by_text("Show the answer").click()
    expect(forms.nth(1), "The output is the weighted sum")
    assert page.locator(".questions .state").text_content().startswith("3 of 5 right.")
    page.reload()
    assert number.get_by_label("Your answer").input_value() == "22/25"
    assert choice.get_by_label("Its answer changes").is_checked()
    expect(choice, "Right.")
    start = reader("book/index")
    row = start.locator("article tr", has_text="Queries, keys, and values")
    assert "3 of 5 questions" in row.text_content()
    assert start.get_by_text("of 5 questions").count() == 1
    page = reader(CHAPTER)
    page.get_by_text("Clear my answers").click()
    assert page.locator(".verdict:not(:empty), .state:visible").count() == 0
    page.reload()
    assert number.get_by_label("Your answer").input_value() == ""
    assert reader("book/index").get_by_text("of 5 questions").count() == 0


@pytest.mark.slow
def test_answers_are_checked_where_nothing_can_be_stored(reader):
    page = reader(CHAPTER)
    page.add_init_script(
        """for (const name of ["getItem", "setItem", "removeItem"]) {
          const theirs = Storage.prototype[name];
          Storage.prototype[name] = function (key, ...rest) {
            if (key.includes("questions")) throw new DOMException("denied");
            return theirs.call(this, key, ...rest);
          };
        }"""
    )
    page.reload()
    form = page.locator(".questions form").first
    form.get_by_label("Your answer").fill("0.88")
    form.get_by_role("button", name="Check").click()
    expect(form, "Right.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme", ["light", pytest.param("dark", marks=pytest.mark.weekly)]
)
def test_questions_are_accessible_large_enough_and_blank_on_paper(reader, scheme):
    page = reader(CHAPTER)
    page.emulate_media(color_scheme=scheme)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    forms = page.locator(".questions form")
    for form in forms.all():
        field = form.locator("input").first
        field.check() if field.get_attribute("type") == "radio" else field.fill("0.88")
        form.get_by_role("button", name="Check").click()
    page.wait_for_timeout(400)  # colours of buttons change slowly
    assert Axe().run(page, context="#check-yourself").response["violations"] == []
    for touched in page.locator(".questions :is(button, label):visible").all():
        assert touched.bounding_box()["height"] >= 44
    page.emulate_media(media="print")
    hidden = ":is(p.questions, .questions button, .verdict)"
    assert page.locator(hidden).count() and page.locator(f"{hidden}:visible").count() == 0
    assert page.locator(".questions legend:visible").count() == 5
    first = page.locator(".questions [type=text]").first
    assert first.evaluate("e => getComputedStyle(e).color") == "rgba(0, 0, 0, 0)"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES[::6])  # the pages' own tests look at all of them
def test_questions_and_what_is_told_fit_a_phone_and_the_contents_name_them(reader, name):
    page = reader(f"notebooks/{name}")
    assert page.locator(".questions form").count() == 5
    assert page.locator(".bd-sidebar-secondary a[href='#check-yourself']").count() >= 1
    assert page.evaluate(WIDE) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
