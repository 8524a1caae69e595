"""What a course adds to nbgrader: steps, file names, penalties."""

import re
from pathlib import Path

import nbformat
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbformat.v4 import new_markdown_cell
from nbgrader import preprocessors
from nbgrader.plugins import FileNameCollectorPlugin, LateSubmissionPlugin
from traitlets import Float, Unicode

from grading.isolation import Execute
from grading.mend import HIDDEN, NOTE, TAG, add_rubrics, mend, without_setup
from grading.tables import Tables
from tools.notebooks.exercises import WRITE_HERE

DAY = 24 * 60 * 60


def configure(c, course, seconds, gigabytes, late_percent_a_day, files):
    """Set nbgrader's configuration c for a course in this folder (nbgrader_config.py)."""
    c.CourseDirectory.course_id = "attention"
    c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
    c.ClearSolutions.text_stub = WRITE_HERE
    c.ZipCollectApp.collector_plugin = PlatformNames
    c.PlatformNames.named_regexp = files
    c.ExportApp.plugin_class = Tables
    c.AssignLatePenalties.plugin_class = PercentADay
    c.PercentADay.percent = late_percent_a_day

    # Before and while a notebook is graded.
    c.Restore.course = str(course)
    c.Autograde.sanitize_preprocessors = [
        Restore,
        preprocessors.ClearOutput,
        preprocessors.OverwriteKernelspec,
        preprocessors.OverwriteCells,
        preprocessors.CheckCellMetadata,
    ]
    c.Autograde.autograde_preprocessors = [
        Execute,
        preprocessors.LimitOutput,
        preprocessors.SaveAutoGrades,
        preprocessors.AssignLatePenalties,
        preprocessors.CheckCellMetadata,
    ]
    c.Execute.package = str(course / "package")
    c.Execute.gigabytes = gigabytes
    c.Execute.timeout = 2 * seconds
    took = f"took longer than {2 * seconds} s"
    c.Execute.error_on_timeout = {
        "ename": "CellTimeoutError",
        "evalue": took,
        "traceback": [f"CellTimeoutError: {took}"],
    }

    # What students get back: the tests that they know, and of hidden ones the errors. The
    # penalty is renewed before, since points were given by hand after autograding.
    c.GenerateFeedback.preprocessors = [
        preprocessors.AssignLatePenalties,
        preprocessors.GetGrades,
        HideTracebacks,
        preprocessors.ClearHiddenTests,
        CSSHTMLHeaderPreprocessor,
    ]
    c.HTMLExporter.sanitize_html = True  # no script of a student in a grader's browser

    # The notebook with solutions, which students get after the deadline.
    c.GenerateSolution.preprocessors = [
        preprocessors.ClearOutput,
        preprocessors.ClearHiddenTests,
        ClearMarkers,
        Execute,
    ]


class Restore(preprocessors.NbGraderPreprocessor):
    """The step of nbgrader that mends a notebook."""

    course = Unicode(".", help="the course's folder").tag(config=True)

    def preprocess(self, nb, resources):
        name = Path(resources["nbgrader"]["assignment"], resources["nbgrader"]["notebook"])
        release, source = (
            nbformat.read(Path(self.course, part, f"{name}.ipynb"), as_version=4)
            for part in ("release", "source")
        )
        nb.cells, remarks = mend(without_setup(nb), without_setup(release))
        given = {cell.source for cell in release.cells}
        for cell in nb.cells:
            if cell.cell_type == "markdown" and cell.source not in given:
                cell.source = TAG.sub("< ", cell.source)  # which could hold a script
            cell.source = HIDDEN.sub(r"\1 hidden tests", cell.source)
        _, nb = nbformat.validator.normalize(nb)  # ids of cells that were copied
        nb.metadata.pop("widgets", None)
        add_rubrics(nb, source)
        if remarks:
            lines = "".join(f"- {remark}\n" for remark in remarks)
            nb.cells.insert(0, new_markdown_cell(f"{NOTE}\n\n{lines}"))
        return nb, resources


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


class HideTracebacks(preprocessors.NbGraderPreprocessor):
    """Of an error in a hidden test, leave the message: the traceback quotes the test."""

    def preprocess_cell(self, cell, resources, index):
        if "BEGIN HIDDEN TESTS" in cell.source:
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


class ClearMarkers(preprocessors.NbGraderPreprocessor):
    """Take away the lines that mark a solution, which are headings in Markdown."""

    def preprocess_cell(self, cell, resources, index):
        lines = r"^ *### (BEGIN|END) SOLUTION(\n|\Z)"
        cell.source = re.sub(lines, "", cell.source, flags=re.MULTILINE).rstrip("\n")
        return cell, resources
