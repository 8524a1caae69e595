"""Compare the code that students handed in with the published solutions, and each other.

    python -m grading.similarity ASSIGNMENT [--course FOLDER]

For each student the command prints how much of the code stands in the published solutions,
and in the work of the student who is most similar, in per cent; similarity/ASSIGNMENT.html
in the course shows the places. What was given out does not count. The comparison is
copydetect's: it does not see names and comments. Short solutions are similar by themselves,
so the report is a reason to talk to somebody, and no proof.
"""

import shutil
import sys
from pathlib import Path

import nbformat
import pandas as pd
from copydetect import CopyDetector

from grading import parser

PUBLISHED = "published solutions"


def main():
    """Print a line for each student, and write the page."""
    command = parser(__doc__)
    command.add_argument("assignment", help="such as 01_queries_keys_values")
    options = command.parse_args()
    try:
        rows = compare(options.course, options.assignment)
    except ValueError as error:
        sys.exit(f"similarity: {error}")
    for student, published, other, who in rows:
        print(f"{student}  {published:.0%} published, {other:.0%} as {who}")
    print(f"See {options.course / 'similarity' / f'{options.assignment}.html'}.")


def compare(course, assignment):
    """For each student: (student, share published, largest share with another, who)."""
    graded = sorted(course.glob(f"autograded/*/{assignment}/{assignment}.ipynb"))
    if not graded:
        raise ValueError(f"nothing of {assignment!r} was graded in {course}")
    folder = course / "similarity" / assignment
    shutil.rmtree(folder, ignore_errors=True)
    name = Path(assignment, f"{assignment}.ipynb")
    write(course / "release" / name, folder / "given" / "release.py")
    write(course / "source" / name, folder / "code" / f"{PUBLISHED}.py")
    for path in graded:
        write(path, folder / "code" / f"{path.parents[1].name}.py")
    detector = CopyDetector(
        test_dirs=[str(folder / "code")],
        boilerplate_dirs=[str(folder / "given")],
        noise_t=20,
        guarantee_t=24,
        display_t=0.5,
        out_file=str(folder.with_suffix(".html")),
        autoopen=False,
        silent=True,
    )
    detector.run()
    detector.generate_html_report()
    names = [Path(file).stem for file in detector.test_files]
    share = pd.DataFrame(detector.similarity_matrix[:, :, 0], names, names).clip(lower=0)
    published = share.pop(PUBLISHED)
    rows = []
    for student in sorted(set(names) - {PUBLISHED}):
        others = share.loc[student].drop(student)
        who = others.idxmax() if len(others) else "nobody"
        rows.append((student, published[student], others.max(), who))
    return rows


def write(notebook, path):
    """Write the code of a notebook, without its tests, as a file of Python."""
    cells = nbformat.read(notebook, as_version=4).cells
    code = [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade")
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(code), encoding="utf-8")


if __name__ == "__main__":
    main()
