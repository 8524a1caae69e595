"""nbgrader's settings for this course: change them, or add others to c below."""

import sys
from pathlib import Path

# Which exercises an assignment has: "core", which are two for each chapter, or "all".
EXERCISES = "core"

# Seconds that a cell should take. It is stopped after twice as long, by the clock.
SECONDS = 60

# Memory that the processes of a notebook may take each, where bubblewrap is installed.
GIGABYTES = 8

# What is taken off for each day begun after the due date, in per cent of the points. Set a
# date with: nbgrader db assignment add NAME --duedate "2027-02-01 23:59 UTC"
LATE_PERCENT_A_DAY = 0

# Names of files in the zip of a learning platform: Canvas's ada_LATE_12345_67890_any.ipynb
# and Moodle's "Ada Lovelace_12345_assignsubmission_file_any.ipynb", the rest may be in a
# folder of that name.
FILES = r".*/extracted/(.*/)?(?P<student_id>[^/]+?)(_LATE)?_(?P<number>\d{3,})_.*"

# The rest is the course's: settings.py in the repository's folder `grading`. Where that
# lies, `make assignments` writes here.
REPOSITORY = "{{ repository }}"
sys.path.append(REPOSITORY)
try:
    from grading.settings import configure
except Exception as error:  # nbgrader would go on with its own settings, unisolated
    sys.exit(f"{__file__}: REPOSITORY must be the folder of the course: {error}")

c = get_config()  # noqa: F821
c.Course.exercises = EXERCISES
configure(c, Path(__file__).parent, SECONDS, GIGABYTES, LATE_PERCENT_A_DAY, FILES)
