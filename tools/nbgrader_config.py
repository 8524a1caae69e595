"""nbgrader's settings for this course. The first part is yours to change."""

import sys
from pathlib import Path

# Seconds of computing that a cell may take. Waiting for a busy machine does not count, but
# a cell is stopped after ten times as long in any case.
SECONDS = 60

# What is taken off for each day begun after the due date, in per cent of the points. Set a
# date with: nbgrader db assignment add NAME --duedate "2027-02-01 23:59 UTC"
LATE_PERCENT_A_DAY = 0

# Names of files in the zip of a learning platform: Canvas's ada_LATE_12345_67890_any.ipynb
# and Moodle's "Ada Lovelace_12345_assignsubmission_file_any.ipynb", the rest may be in a
# folder of that name.
FILES = r".*/extracted/(.*/)?(?P<student_id>[^/]+?)(_LATE)?_(?P<number>\d{3,})_.*"

# The second part is the course's. The path is that of the repository's tools; `make grade`
# brings its own.
TOOLS = str(Path(__file__).parent)
sys.path.append(TOOLS)

import isolation  # noqa: E402
import nbgrader_plugins as plugins  # noqa: E402
from nbconvert.preprocessors import (  # noqa: E402
    ClearMetadataPreprocessor,
    CSSHTMLHeaderPreprocessor,
)
from nbgrader import preprocessors  # noqa: E402
from restore import Restore  # noqa: E402

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "attention"
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}
c.ClearSolutions.text_stub = "*Write here.*"
c.ZipCollectApp.collector_plugin = plugins.PlatformNames
c.PlatformNames.named_regexp = FILES
c.ExportApp.plugin_class = plugins.Tables

# What is done with a notebook that was handed in, before and while it is graded.
c.Restore.course = str(Path(__file__).parent)
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
c.Execute.seconds = SECONDS
c.Execute.timeout = 10 * SECONDS
stopped = f"stopped after {10 * SECONDS} seconds"
c.Execute.error_on_timeout = {
    "ename": "CellTimeoutError",
    "evalue": stopped,
    "traceback": [f"CellTimeoutError: {stopped}"],
}
c.AssignLatePenalties.plugin_class = plugins.PercentADay
c.PercentADay.percent = LATE_PERCENT_A_DAY

# What students get back: the tests that they know, and of hidden ones the errors.
c.HTMLExporter.template_name = "feedback"
c.HTMLExporter.extra_template_basedirs = [str(Path(isolation.__file__).parent)]
c.GenerateFeedback.preprocessors = [
    preprocessors.GetGrades,
    plugins.HideTracebacks,
    preprocessors.ClearHiddenTests,
    plugins.ShowMath,
    CSSHTMLHeaderPreprocessor,
]
