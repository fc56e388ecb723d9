"""Parsing the paths of submitted files as learning platforms name them: student, lesson, attempt."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from .. import lessons

# Canvas: a flat folder of files name[_late]_<user id>_<file id>_<file name>; later attempts end in -1, -2 and so on.
_CANVAS = re.compile(
    r"(?P<name>[^\s/]+?)(?P<late>_late)?_(?P<user>[0-9]{1,18})_(?P<file>[0-9]{1,18})_(?P<rest>.+)", re.IGNORECASE
)
_ATTEMPT = re.compile(r"-([0-9]{1,3})$")
# Moodle: <name>_<participant's id>_assignsubmission_file, as a folder or as the beginning of a file's name.
_MOODLE = re.compile(r"(?P<name>.+?_[0-9]{1,18})_assignsubmission_[a-z]+(?:_(?P<rest>.*))?", re.DOTALL)
_NBGRADER = "submitted"  # nbgrader: submitted/<student>/<assignment>/<file>
_ENDING = re.compile(r"\.(ipynb|py|zip)$", re.IGNORECASE)
_SLUG = re.compile(rf"(?<![a-z])(?:{'|'.join(slug for slug, _ in lessons.OUTLINE.values())})(?![a-z])")
_MAX_DEPTH = 8  # folders around a platform's own layout


@dataclass(frozen=True)
class PathInfo:
    """The information in a path.

    lesson: a number of the outline, such as "05". canvas: Canvas' own (name, user id) of the student. order: a sort key
    for the files of one student, which puts the last attempt last.
    """

    student: str
    lesson: str | None = None
    late: bool = False
    canvas: tuple[str, str] | None = None
    order: tuple = ()


def read(name: str) -> PathInfo:
    """Parse a relative path: Canvas' and Moodle's names, nbgrader's folders, or a folder or file for each student.

    Only the outermost part is matched with a platform's names, because students name the files in their folders.
    """
    parts = _parts(name)
    canvas, moodle = _of_platform(parts[0])
    of_lesson, order = lesson(_own(parts[-1])) or lesson(_own(parts[0])), _natural("/".join(parts))
    if canvas:
        who = canvas["name"], canvas["user"]
        attempt = _ATTEMPT.search(canvas["rest"])
        order = (int(attempt[1]) if attempt else 0, int(canvas["file"]), order)
        return PathInfo("_".join(who), of_lesson, bool(canvas["late"]), who, order)
    if moodle:
        return PathInfo(moodle["name"], of_lesson, order=(0, 0, order))
    student = parts[1] if parts[0] == _NBGRADER and len(parts) > 2 else parts[0]
    return PathInfo(student, lesson(_own(parts[-1])), order=(0, 0, order))


def _own(part: str) -> str:
    """The part of a name that a student gave, without what Canvas or Moodle set before it."""
    canvas, moodle = _of_platform(part)
    return ((canvas or moodle)["rest"] or "") if canvas or moodle else part


def _of_platform(part: str) -> tuple[re.Match | None, re.Match | None]:
    """(match as a name that Canvas made, match as one of Moodle's), one of them at most: the one that ends first.

    What follows is a student's own, and may look like a name of the other platform.
    """
    canvas, moodle = _CANVAS.fullmatch(part), _MOODLE.fullmatch(part)
    if canvas and moodle:
        return (canvas, None) if canvas.end("file") < moodle.end("name") else (None, moodle)
    return canvas, moodle


def is_of_platform(name: str) -> bool:
    """Whether the outermost part of a path is a name that Canvas or Moodle made, and so names a student."""
    return any(_of_platform(_parts(name)[0]))


def of_student(name: str, student: str) -> PathInfo:
    """Parse a path whose student is known. Folders around the platform's own layout are skipped."""
    parts = _parts(name)
    inner = (read("/".join(parts[i:])) for i in range(min(len(parts), _MAX_DEPTH)))
    return next((info for info in inner if info.student == student), replace(read(name), student=student))


def wrapped(names: list[str], stem: str) -> str:
    """The folder, with its "/", that contains all names and belongs to no single student; "" if there is none.

    Such a folder has the name of its zip file (stem), or it holds what a platform hands out for several students.
    """
    firsts = {name.partition("/")[0] if "/" in name else "" for name in names}
    if len(firsts) != 1 or not (folder := firsts.pop()) or folder == _NBGRADER:
        return ""
    inside = [name.partition("/")[2] for name in names]
    made = all(is_of_platform(each) or each.startswith(f"{_NBGRADER}/") for each in inside)
    several = made and len({read(each).student for each in inside}) > 1
    return folder + "/" if folder == stem or several else ""


def lesson(text: str) -> str | None:
    """The lesson in a name: by its slug, by a number after "lesson", or by a number at the beginning; else None."""
    words = re.sub(r"[\W_]+", "_", text).lower()
    slug = _SLUG.search(words)
    if slug:
        return next(number for number, (name, _) in lessons.OUTLINE.items() if name == slug[0])
    found = re.search(r"lesson_?([0-9]{1,2})(?![0-9])", words) or re.match(r"([0-9]{1,2})(?![0-9])", words)
    number = found[1].zfill(2) if found else None
    return number if number in lessons.OUTLINE else None


def _parts(name: str) -> list[str]:
    """The parts of a path, at least one, without file extensions and without "", "." and ".."."""
    parts = (_ENDING.sub("", part) for part in re.split(r"[/\\]", unicodedata.normalize("NFC", name)))
    return [part for part in parts if part not in ("", ".", "..")] or [name]


def _natural(text: str) -> tuple:
    """A sort key in natural order: "05", "05 (2)", "05 (10)"."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    return tuple((int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts)
