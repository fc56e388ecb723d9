"""Moodle: a zip of feedback files, to upload where a course has many of them.

Moodle finds the student by the name of the folder, which is that of the submissions that it hands out:
"Ada Lovelace_101_assignsubmission_file_".
"""

from __future__ import annotations

import pathlib
import re

from ..language import say, speaking
from ..sentence import counted, said
from . import archive, html
from . import entries as of_entries
from .entries import Entry, by_student
from .gradebook import NothingFits
from .letters import language_of

TO = "moodle_feedback.zip"
_FOLDER = re.compile(r"(?:^|/)([^/]+?_[0-9]{1,18}_assignsubmission_[a-z]+_?)(?=/|[^/]*$)")


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write a page a student, in the language of the notebook. Returns sentences.

    Raises OSError, or NothingFits where no student handed in on Moodle.
    """
    files, left_out, most = {}, [], of_entries.lessons(entries)
    for mine in by_student(entries).values():
        folder = next((found[1] for e in mine if (found := _FOLDER.search(e.row["submission"]))), None)
        if folder is None:
            strange = said("not of Moodle, and left out: {student}", student=mine[0].student)
            left_out.append(strange if any(e.of_file for e in mine) else of_entries.without_file(mine[0]))
            continue
        with speaking(language_of(mine)):
            files[f"{folder.removesuffix('_')}_/feedback.html"] = html.student_page(mine, most)
    if not files:
        raise NothingFits(
            said(
                "no file in these results has a name of Moodle's, such as “Ada Lovelace_101_assignsubmission_file_”. "
                "Grade what Moodle handed out, or export another format"
            )
        )
    archive.write(to, files)
    students = counted(len(files), "student")
    return [*map(say, left_out), said("feedback for {students} in {to}", students=students, to=to)]
