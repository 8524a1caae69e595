"""The instructor's kit: assignments from the exercises, and grading with nbgrader.

Needs requirements-grading.txt besides the requirements of the course.
"""

import argparse
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent / "_build" / "assignments"


def parser(doc):
    """A parser for a command with this docstring, with the option for the course."""
    summary, _, rest = doc.partition("\n")
    style = argparse.RawDescriptionHelpFormatter
    made = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=style)
    made.add_argument("--course", type=at_home, default=COURSE, help="nbgrader's folder")
    return made


def at_home(text):
    """The path with ~ as the home folder, which few shells expand in COURSE=~/attention."""
    return Path(text).expanduser()
