"""The step of otter-grader that mends a notebook and puts the tests where they stand.

It is in the zip that gradescope.py writes, which has the assignment as it was given out in
release.json. Otter runs it in the folder of the submission, before the notebook.
"""

from pathlib import Path

import nbformat
from otter.plugins import AbstractOtterPlugin

from grading.mend import grade_id, mend, without_setup


class Mend(AbstractOtterPlugin):
    """Put a student's notebook back into the order in which it was given out (mend.py).

    In the place of each cell of tests comes a check by otter, whose test files have the
    instructor's tests. So they run between the same cells as in nbgrader, and what a
    student has changed in them does not count.
    """

    def before_execution(self, submission):
        release = nbformat.read("release.json", as_version=4)
        submission.cells, self.remarks = mend(
            without_setup(submission), without_setup(release)
        )
        tests = {path.stem for path in Path("tests").glob("*.py")}
        for cell in submission.cells:
            if grade_id(cell) in tests:
                cell.source = ""
                cell.metadata["otter"] = {"tests": [grade_id(cell)]}
        return submission

    def generate_report(self):
        return "\n".join(self.remarks)
