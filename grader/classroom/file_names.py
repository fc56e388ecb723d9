"""Parsing the paths of submitted files as learning platforms name them: student, lesson, attempt."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from .. import lessons

# Canvas: a flat folder of files name[_late]_<user id>_<file id>_<file name>; later attempts end in -1, -2 and so on.
_CANVAS = re.compile(
    r"(?P<name>\w+?)(?P<late>_late)?_(?P<user>[0-9]{1,18})_(?P<file>[0-9]{1,18})_(?P<rest>.+)", re.IGNORECASE
)
_ATTEMPT = re.compile(r"-([0-9]{1,3})$")
_MOODLE = re.compile(r"_assignsubmission_\w+$")  # Moodle: one folder for each student
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
    """Parse a relative path: Canvas' flat names, nbgrader's submitted/<student>/, or a folder or file for each student.

    Only the outermost part is matched with a platform's names, because students name the files in their folders.
    """
    parts = _parts(name)
    of_lesson, order = lesson(parts[-1]), _natural("/".join(parts))
    canvas = _CANVAS.fullmatch(parts[0])
    if canvas:
        who = canvas["name"], canvas["user"]
        attempt = _ATTEMPT.search(canvas["rest"])
        order = (int(attempt[1]) if attempt else 0, int(canvas["file"]), order)
        return PathInfo("_".join(who), of_lesson or lesson(canvas["rest"]), bool(canvas["late"]), who, order)
    student = parts[1] if parts[0] == "submitted" and len(parts) > 2 else _MOODLE.sub("", parts[0])
    return PathInfo(student, of_lesson, order=(0, 0, order))


def of_student(name: str, student: str) -> PathInfo:
    """Parse a path whose student is known. Folders around the platform's own layout are skipped."""
    parts = _parts(name)
    inner = (read("/".join(parts[i:])) for i in range(min(len(parts), _MAX_DEPTH)))
    return next((info for info in inner if info.student == student), replace(read(name), student=student))


def wrapped(names: list[str], stem: str) -> str:
    """The folder, with its "/", that contains all names and belongs to no single student; "" if there is none.

    Such a folder has the name of its zip file (stem), or it holds Canvas' files of several students.
    """
    firsts = {name.partition("/")[0] if "/" in name else "" for name in names}
    if len(firsts) != 1 or not (folder := firsts.pop()):
        return ""
    inside = [_CANVAS.fullmatch(name.split("/")[1]) for name in names]
    several = all(inside) and len({each["user"] for each in inside}) > 1
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
