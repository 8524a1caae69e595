"""nbgrader's settings, which tools/assignments.py copies into a course."""

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import ClearHiddenTests, GetGrades

SECONDS = 60  # a test takes a few at most

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attention"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}

# A test that a student has deleted comes back, as one that was changed does.
c.OverwriteCells.add_missing_cells = True

# A cell that takes longer is interrupted, and the next one is run.
c.Execute.timeout = SECONDS
c.Execute.error_on_timeout = {
    "ename": "CellTimeoutError",
    "evalue": f"stopped after {SECONDS} seconds",
    "traceback": [f"CellTimeoutError: stopped after {SECONDS} seconds"],
}

# What students get back shows which tests failed, and of hidden ones only the message.
c.GenerateFeedback.preprocessors = [GetGrades, ClearHiddenTests, CSSHTMLHeaderPreprocessor]
