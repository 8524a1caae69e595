"""What a course adds to nbgrader: settings, file names, penalties, tables, and pages."""

import re

import pandas as pd
from latex2mathml.converter import convert
from nbconvert.preprocessors import ClearMetadataPreprocessor, CSSHTMLHeaderPreprocessor
from nbgrader import preprocessors
from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin, FileNameCollectorPlugin, LateSubmissionPlugin
from traitlets import Float

from grading import isolation
from grading.mend import Restore

DAY = 24 * 60 * 60
MATH = re.compile(r"`[^`]*`|\$\$(.+?)\$\$|\$([^$]+?)\$", re.DOTALL)


def configure(c, course, seconds, late_percent_a_day, files):
    """Set nbgrader's configuration c for a course in this folder (nbgrader_config.py)."""
    c.CourseDirectory.course_id = "attention"
    c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    c.ClearSolutions.text_stub = "*Write here.*"
    c.ZipCollectApp.collector_plugin = PlatformNames
    c.PlatformNames.named_regexp = files
    c.ExportApp.plugin_class = Tables

    # What is done with a notebook that was handed in, before and while it is graded.
    c.Restore.course = str(course)
    c.Autograde.sanitize_preprocessors = [
        Restore,
        preprocessors.ClearOutput,
        preprocessors.OverwriteKernelspec,
        preprocessors.OverwriteCells,
        preprocessors.CheckCellMetadata,
    ]
    c.Autograde.autograde_preprocessors = [
        isolation.Execute,
        ClearMetadataPreprocessor,
        preprocessors.LimitOutput,
        preprocessors.SaveAutoGrades,
        preprocessors.AssignLatePenalties,
        preprocessors.CheckCellMetadata,
    ]
    stopped = f"stopped after {10 * seconds} seconds"
    c.Execute.seconds = seconds
    c.Execute.timeout = 10 * seconds
    c.Execute.error_on_timeout = {
        "ename": "CellTimeoutError",
        "evalue": stopped,
        "traceback": [f"CellTimeoutError: {stopped}"],
    }
    c.AssignLatePenalties.plugin_class = PercentADay
    c.PercentADay.percent = late_percent_a_day

    # What students get back: the tests that they know, and of hidden ones the errors.
    c.GenerateFeedback.preprocessors = [
        preprocessors.GetGrades,
        HideTracebacks,
        preprocessors.ClearHiddenTests,
        Page,
        CSSHTMLHeaderPreprocessor,
    ]


class PlatformNames(FileNameCollectorPlugin):
    """Finds the student in the name that a learning platform gives to a file.

    named_regexp has the groups student_id and number. The number becomes a part of the
    student's id unless it changes from one assignment to the next, as Moodle's does.
    """

    def collect(self, submitted_file):
        found = super().collect(submitted_file)
        if found is None:
            return None
        name = found["student_id"].replace(" ", "_")
        moodle = "_assignsubmission_file_" in submitted_file
        if not moodle or name == "Participant":
            name = f"{name}_{found['number']}"
        return {"student_id": name, "file_id": self.parent.coursedir.assignment_id}


class PercentADay(LateSubmissionPlugin):
    """Takes off some per cent of the points for each day that has begun."""

    percent = Float(0, help="per cent of the points for a day").tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        days = -(-total_seconds_late // DAY)
        return score * min(1, days * self.percent / 100)


class Tables(ExportPlugin):
    """Writes grades.csv, and final points for import: canvas.csv and moodle.csv."""

    def export(self, gradebook):
        grades = table(gradebook)
        folder = self.to
        grades.to_csv(f"{folder}/grades.csv", index=False)
        final = grades.assign(points=grades["points"].where(grades["status"] == "graded"))
        wide = final.pivot(index="student", columns="assignment", values="points")
        students = {student.id: student for student in gradebook.students}
        rows = [students[name] for name in wide.index]
        names = [f"{s.last_name or s.id}, {s.first_name or ''}".strip(", ") for s in rows]
        numbers = [s.lms_user_id or trailing_number(s.id) for s in rows]
        empty = {"SIS User ID": "", "SIS Login ID": wide.index, "Section": ""}
        canvas = pd.DataFrame({"Student": names, "ID": numbers, **empty}, index=wide.index)
        canvas.join(wide).to_csv(f"{folder}/canvas.csv", index=False)
        emails = [student.email or "" for student in rows]
        moodle = pd.DataFrame({"username": wide.index, "email": emails}, index=wide.index)
        moodle.join(wide).to_csv(f"{folder}/moodle.csv", index=False)


def table(gradebook):
    """A row for each student and each assignment that somebody has handed in."""
    rows = []
    for assignment in gradebook.assignments:
        handed_in = {each.student_id: each for each in assignment.submissions}
        for student in gradebook.students if handed_in else []:
            row = {"student": student.id, "assignment": assignment.name}
            row |= {"of": assignment.max_score, "status": "not handed in"}
            if submission := handed_in.get(student.id):
                penalty = submission.late_submission_penalty or 0
                marks = [
                    mark for notebook in submission.notebooks for mark in notebook.grades
                ]
                row |= {"points": submission.score - penalty, "penalty": penalty}
                row |= {"by hand": sum(mark.needs_manual_grade for mark in marks)}
                row["status"] = "to be graded by hand" if row["by hand"] else "graded"
            rows.append(row)
    columns = ["student", "assignment", "points", "of", "penalty", "by hand", "status"]
    return pd.DataFrame(rows, columns=columns)


def trailing_number(name):
    """The number that a platform has given to a student."""
    return re.search(r"_(\d+)$|$", name)[1] or ""


class HideTracebacks(preprocessors.NbGraderPreprocessor):
    """Of an error in a hidden test, leave the message: the traceback quotes the test."""

    def preprocess_cell(self, cell, resources, index):
        if "BEGIN HIDDEN TESTS" in cell.source:
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


class Page(preprocessors.NbGraderPreprocessor):
    """Prepares a page for a student: an index of the exercises, and formulas as MathML.

    Browsers show MathML without a script from elsewhere.
    """

    def preprocess(self, nb, resources):
        names = resources["nbgrader"]
        nb.cells = [cell for cell in nb.cells if cell.get("id") != "setup"]
        with Gradebook(names["db_url"]) as gradebook:
            who = names["notebook"], names["assignment"], names["student"]
            names["index"] = index(nb.cells, lambda mark: gradebook.find_grade(mark, *who))
        labels = [cell["label"] for each in names["index"] for cell in each["cells"]]
        names["waiting"] = sum("not graded yet" in label for label in labels)
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "markdown":
            cell.source = MATH.sub(mathml, cell.source)
        return cell, resources


def index(cells, find):
    """For each exercise its title, its points, their maximum, and its graded cells.

    find(grade_id) is a grade of nbgrader's gradebook. Gives each graded cell a label.
    """
    exercises = [{"title": "", "points": 0, "of": 0, "cells": []}]
    for cell in cells:
        marks = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            title = cell.source.partition("\n")[0].removeprefix("## ")
            exercises.append({"title": title, "points": 0, "of": 0, "cells": []})
        elif marks.get("grade"):
            grade, kind = find(marks["grade_id"]), marks["grade_id"].split("-")[2]
            kind = {"hidden": "hidden tests", "written": "answer in words"}.get(kind, kind)
            points = f"{grade.score:g} of {grade.max_score:g}"
            points = "not graded yet" if grade.needs_manual_grade else points
            marks["label"] = f"{kind}: {points}"
            exercises[-1]["cells"].append(marks)
            exercises[-1]["points"] += grade.score
            exercises[-1]["of"] += grade.max_score
    return [exercise for exercise in exercises if exercise["cells"]]


def mathml(found):
    """A formula as MathML; code, and what cannot be converted, as it is."""
    block, inline = found.groups()
    if block is None and inline is None:
        return found[0]
    try:
        return convert(block or inline, display="block" if block else "inline")
    except Exception:  # latex2mathml raises many kinds
        return found[0]
