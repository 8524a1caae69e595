"""nbgrader's settings, which tools/assignments.py copies into a course."""

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import ClearHiddenTests, GetGrades, NbGraderPreprocessor

SECONDS = 60  # a test takes a few at most


class HideTracebacks(NbGraderPreprocessor):
    """Of an error in a hidden test, leave the message: the traceback quotes the test."""

    def preprocess_cell(self, cell, resources, index):
        if "BEGIN HIDDEN TESTS" in cell.source:
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attention"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
c.ClearSolutions.text_stub = "*Write here.*"

# A test that a student has deleted comes back, as one that was changed does.
c.OverwriteCells.add_missing_cells = True

# A cell that takes longer is interrupted, and the next one is run.
c.Execute.timeout = SECONDS
c.Execute.error_on_timeout = {
    "ename": "CellTimeoutError",
    "evalue": f"stopped after {SECONDS} seconds",
    "traceback": [f"CellTimeoutError: stopped after {SECONDS} seconds"],
}

# What students get back shows the tests that they know, and of hidden ones the errors.
c.GenerateFeedback.preprocessors = [
    GetGrades,
    HideTracebacks,
    ClearHiddenTests,
    CSSHTMLHeaderPreprocessor,
]
