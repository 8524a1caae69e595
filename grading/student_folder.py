"""Write the folder that students of a course get: no solution and no hidden test is in it.

It holds the chapters, the assignments as nbgrader released them, and the package as a
wheel, in which the definitions that exercises ask for are stubs. It can be given out as a
zip or a repository: see the README in it.
"""

import shutil

from tools import ROOT, filled
from tools.book.downloads import write_wheel


def write(course, stubs):
    """Write students/ of a course, and package/, anew; these names are stubs in both.

    package/ is the same package unpacked, with which notebooks are graded.
    """
    folder, package = course / "students", course / "package"
    for each in (folder, package):
        shutil.rmtree(each, ignore_errors=True)
    exercises = folder / "notebooks" / "exercises"
    exercises.mkdir(parents=True)
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        shutil.copy(path, folder / "notebooks")
    shutil.copytree(ROOT / "notebooks" / "further", folder / "notebooks" / "further")
    for path in course.glob("release/*/*.ipynb"):
        shutil.copy(path, exercises)
    wheel = write_wheel(folder, stubs)
    shutil.unpack_archive(wheel, package, format="zip")
    readme = filled(__file__, "student_folder.md", wheel=wheel.name)
    (folder / "README.md").write_text(readme, encoding="utf-8")
