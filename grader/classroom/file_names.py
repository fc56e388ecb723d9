"""What the name of a file says, as learning platforms hand files out: whose it is, which lesson, which attempt."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from .. import lessons

# Canvas: one flat folder of name[_late]_<user>_<file>_<name of the file>, with -1, -2 ... for later attempts.
_CANVAS = re.compile(
    r"(?P<name>\w+?)(?P<late>_late)?_(?P<user>[0-9]{1,18})_(?P<file>[0-9]{1,18})_(?P<rest>.+)", re.IGNORECASE
)
_ATTEMPT = re.compile(r"-([0-9]{1,3})$")
_MOODLE = re.compile(r"_assignsubmission_\w+$")  # one folder a student
_ENDING = re.compile(r"\.(ipynb|zip)$", re.IGNORECASE)
_SLUG = re.compile(rf"(?<![a-z])(?:{'|'.join(slug for slug, _ in lessons.OUTLINE.values())})(?![a-z])")
_DEPTH = 8  # folders at most around what a platform handed out


@dataclass(frozen=True)
class Name:
    """What a name says. canvas: (name, user id) there. order: sorts files of one student, the last attempt last."""

    student: str
    lesson: str | None = None
    late: bool = False
    canvas: tuple[str, str] | None = None
    order: tuple = ()


def read(name: str) -> Name:
    """What a relative path says: Canvas' flat names, nbgrader's submitted/<student>/, a folder or a file a student.

    Only the outermost part speaks for a platform: what is in a student's folder, the student named.
    """
    parts = _parts(name)
    of_lesson, order = lesson(parts[-1]), _natural("/".join(parts))
    canvas = _CANVAS.fullmatch(parts[0])
    if canvas:
        who = canvas["name"], canvas["user"]
        attempt = _ATTEMPT.search(canvas["rest"])
        order = (int(attempt[1]) if attempt else 0, int(canvas["file"]), order)
        return Name("_".join(who), of_lesson or lesson(canvas["rest"]), bool(canvas["late"]), who, order)
    student = parts[1] if parts[0] == "submitted" and len(parts) > 2 else _MOODLE.sub("", parts[0])
    return Name(student, of_lesson, order=(0, 0, order))


def of_student(name: str, student: str) -> Name:
    """What a path says of a student who is known: folders around what the platform handed out are passed over."""
    parts = _parts(name)
    said = (read("/".join(parts[i:])) for i in range(min(len(parts), _DEPTH)))
    return next((each for each in said if each.student == student), replace(read(name), student=student))


def wrapped(names: list[str], stem: str) -> str:
    """The one folder, with its "/", that all names are in and that is no student's; empty when there is none.

    It is called like the zip file it was packed into (stem), or it holds what Canvas made for several students.
    """
    firsts = {name.partition("/")[0] if "/" in name else "" for name in names}
    if len(firsts) != 1 or not (folder := firsts.pop()):
        return ""
    inside = [_CANVAS.fullmatch(name.split("/")[1]) for name in names]
    several = all(inside) and len({each["user"] for each in inside}) > 1
    return folder + "/" if folder == stem or several else ""


def lesson(text: str) -> str | None:
    """The lesson that a name speaks of: by its slug, or by a number after "lesson" or at the beginning."""
    words = re.sub(r"[\W_]+", "_", text).lower()
    slug = _SLUG.search(words)
    if slug:
        return next(number for number, (name, _) in lessons.OUTLINE.items() if name == slug[0])
    found = re.search(r"lesson_?([0-9]{1,2})(?![0-9])", words) or re.match(r"([0-9]{1,2})(?![0-9])", words)
    number = found[1].zfill(2) if found else None
    return number if number in lessons.OUTLINE else None


def _parts(name: str) -> list[str]:
    """The parts of a path without the endings of files, "..", and what else no folder is called; at least one."""
    parts = (_ENDING.sub("", part) for part in re.split(r"[/\\]", unicodedata.normalize("NFC", name)))
    return [part for part in parts if part not in ("", ".", "..")] or [name]


def _natural(text: str) -> tuple:
    """A key that puts "05 (2)" behind "05", and "05 (10)" behind both."""
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+", text)
    return tuple((int(part), "") if part[0] in "0123456789" else (-1, part) for part in parts)
