"""The tables of a course: points for a learning platform, and how each exercise went."""

import re
from pathlib import Path

import pandas as pd
from nbgrader.plugins import ExportPlugin

from tools import filled


class Tables(ExportPlugin):
    """Writes grades.csv, and beside it the other tables.

    canvas.csv and moodle.csv have final points, for import. exercises.csv, and the same as
    a page in exercises.html, have averages and pass rates.
    """

    def export(self, gradebook):
        folder = Path(self.to or "grades.csv").parent
        points = grades(gradebook)
        if self.assignment:  # nbgrader export --assignment
            points = points[points["assignment"].isin(self.assignment)]
        if self.student:
            points = points[points["student_id"].isin(map(str, self.student))]
        points.to_csv(folder / "grades.csv", index=False)
        canvas(gradebook).to_csv(folder / "canvas.csv", index=False)
        moodle(gradebook).to_csv(folder / "moodle.csv", index=False)
        went = exercises(gradebook)
        went.to_csv(folder / "exercises.csv", index=False)
        table = went.to_html(index=False, border=0, na_rep="")
        page = filled(__file__, "exercises.html", table=table)
        (folder / "exercises.html").write_text(page, encoding="utf-8")


def grades(gradebook):
    """A row for each assignment that a student has handed in.

    It has the columns of nbgrader's own export, which also has a row of 0 points for what
    was not handed in. Beside them, waiting counts the marks that a person has to look at.
    """
    columns = "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name"
    columns += "email", "raw_score", "late_submission_penalty", "score", "max_score"
    rows = []
    for assignment in gradebook.assignments:
        for each in assignment.submissions:
            student, penalty = each.student, each.late_submission_penalty or 0
            row = [assignment.name, assignment.duedate, each.timestamp, student.id]
            row += [student.last_name, student.first_name, student.email]
            row += [each.score, penalty, each.score - penalty, assignment.max_score]
            marks = [grade for notebook in each.notebooks for grade in notebook.grades]
            rows.append([*row, sum(grade.needs_manual_grade for grade in marks)])
    return pd.DataFrame(rows, columns=[*columns, "waiting"])


def final_points(gradebook):
    """A row for each student, a column for each assignment that somebody has handed in.

    Points are empty where nothing was handed in, or an answer waits to be graded by hand.
    """
    points = pd.DataFrame(index=[student.id for student in gradebook.students])
    for assignment in gradebook.assignments:
        final = {
            each.student_id: each.score - (each.late_submission_penalty or 0)
            for each in assignment.submissions
            if not each.needs_manual_grade
        }
        if assignment.submissions:
            points[assignment.name] = pd.Series(final, dtype=float)
    return points


def canvas(gradebook):
    """The table that Canvas imports, with the points possible in its second row."""
    points, rows = final_points(gradebook), []
    for student in gradebook.students:
        name = f"{student.last_name or student.id}, {student.first_name or ''}"
        number = student.lms_user_id or re.search(r"_(\d+)$|$", student.id)[1] or ""
        row = {"Student": name.strip(", "), "ID": number, "SIS User ID": ""}
        rows.append(row | {"SIS Login ID": student.id, "Section": ""})
    possible = {each.name: each.max_score for each in gradebook.assignments}
    top = {"Student": "    Points Possible", **{name: possible[name] for name in points}}
    table = pd.DataFrame(rows).join(points, on="SIS Login ID")
    return pd.concat([pd.DataFrame([top]), table])[table.columns]


def moodle(gradebook):
    """The table that Moodle imports."""
    rows = [{"username": each.id, "email": each.email} for each in gradebook.students]
    return pd.DataFrame(rows).join(final_points(gradebook), on="username")


def exercises(gradebook):
    """A row for each exercise of each assignment that somebody has handed in."""
    rows = []
    for assignment in gradebook.assignments:
        for submission in assignment.submissions:
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    number = re.sub(r"^(\d+)-(\d+)-.*", r"\1.\2", grade.name)
                    row = {"assignment": assignment.name, "exercise": number}
                    row |= {"student": submission.student_id, "of": grade.max_score}
                    row |= {"points": grade.score, "waiting": grade.needs_manual_grade}
                    row["passed"] = (
                        "tests" not in grade.name or grade.score == grade.max_score
                    )
                    rows.append(row)
    columns = ["assignment", "exercise", "student", "of", "points", "waiting", "passed"]
    marks = pd.DataFrame(rows, columns=columns).groupby(columns[:3], as_index=False)
    each = marks.agg({"of": "sum", "points": "sum", "waiting": "sum", "passed": "all"})
    each["points"] = each["points"].where(each["waiting"] == 0)
    went = each.groupby(["assignment", "exercise"], as_index=False).agg(
        students=("student", "count"),
        of=("of", "max"),
        average=("points", "mean"),
        passed=("passed", "mean"),
        waiting=("waiting", "sum"),
    )
    return went.round(2).convert_dtypes()
