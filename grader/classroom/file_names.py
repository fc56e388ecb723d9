"""Parsing the names of submitted files as learning platforms give them: student, lesson, attempt, kind."""

from __future__ import annotations

import contextlib
import datetime
import functools
import re
import unicodedata
from dataclasses import dataclass, replace

from .. import lessons

# Canvas: a flat folder of files name[_LATE]_<user id>_<file id>_<file name>, with [LATE_]anon_<letters>_<file id>
# where grading is anonymous, so the number of a lesson behind it is no file id; later attempts end in -1, -2
# and so on. What was typed or linked is a ..._text.html or ..._link.html.
_CANVAS = re.compile(
    r"(?:(?!(?:late_)?anon_(?![0-9]{5}_)[0-9a-z]{5}_)(?P<name>[^\s/]+?)(?P<late>_late)?_(?P<user>[0-9]{1,18})|(?P<late_anon>late_)?anon_(?P<anon>[0-9a-z]{5}))"
    r"_(?:(?P<file>[0-9]{1,18})_(?P<rest>.+)|(?:text|link)\.html)",
    re.IGNORECASE,
)
_ATTEMPT = re.compile(r"-([0-9]{1,3})$")
# Moodle: <name>_<participant's id>_assignsubmission_file, as a folder or as the beginning of a file's name.
_MOODLE = re.compile(r"(?P<name>.+?_[0-9]{1,18})_assignsubmission_[a-z]+(?:_(?P<rest>.*))?", re.DOTALL)
# Blackboard: <assignment>_<user>_attempt_<time>_<file name>, and a text about the attempt without the last part.
_BLACKBOARD = re.compile(
    r"(?P<assignment>.+?)_(?P<name>[^_/]+)_attempt_(?P<time>[0-9]{4}(?:-[0-9]{2}){5})(?:_(?P<rest>.+)|\.txt)", re.DOTALL
)
# nbgrader's exchange: <user>+<assignment>+<time>, and perhaps letters drawn at random.
_INBOUND = re.compile(
    r"(?P<name>[^+/]+)\+[^+/]+\+(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8})[^+/]*(?:\+[^+/]*)?(?P<rest>)"
)
# Brightspace: <user's number>-<assignment's number> - <name> - <time>, as a folder, or before a file's name. The time
# is one of the place, such as "Nov 22, 2026 1015 AM", "22 nov. 2026 10h15" or "2026年11月22日 1015": it has a year.
_BRIGHTSPACE = re.compile(
    r"(?P<user>[0-9]{1,18})-[0-9]{1,18} - (?P<name>.+?)"
    r" - (?P<time>(?=[^/]*?(?<![0-9])20[0-9]{2}(?![0-9]))(?:(?! - )[^/]){8,40})"
    r"(?: - (?P<rest>.+))?",
    re.DOTALL,
)
_NBGRADER = "submitted"  # nbgrader: submitted/<student>/<assignment>/<file>
# How the name of a notebook ends, with what browsers and mail programs put behind it.
_MORE = r"(?:\.(?:json|txt))?(?: ?\([0-9]+\))?\s*$"
_ENDING = re.compile(r"(?:\.(?:ipynb|py))?\.zip$|\.ipynb(?: ?\([0-9]+\))?$|\.py$", re.IGNORECASE)
_IPYNB = re.compile(rf"\.ipynb{_MORE}", re.IGNORECASE)
_PYTHON = re.compile(rf"\.py{_MORE}", re.IGNORECASE)
_ARCHIVE = re.compile(r"\.(?:zip|7z|rar|tar|t?gz|bz2|xz)$", re.IGNORECASE)
_MAY_HOLD_ONE = re.compile(rf"{_ARCHIVE.pattern}|\.ipynb\b|\.(?:eml|msg)$", re.IGNORECASE)  # mails have attachments
# What Canvas, Moodle and Blackboard make of what was typed or linked.
_TYPED = re.compile(
    r"_[0-9]+_(?:text|link)\.html$|_assignsubmission_onlinetext[_/]|_attempt_[0-9]{4}(?:-[0-9]{2}){5}\.txt$",
    re.IGNORECASE,
)
# What those who grade keep beside a class.
_NOTES = re.compile(r"\.(?:txt|md|rst|[ct]sv|toml|ya?ml|json|log|cfg|ini|sh|db)$|^[^.]*$", re.IGNORECASE)
_LOOSE = re.compile(r"\.(?:json|txt)$", re.IGNORECASE)
# What a program puts around the name of a copy. A longer number behind a name may be a student's.
_OF_A_PROGRAM = (
    r"^(?:copy of|kopie von|copie de|copia d[ei]) "
    r"|(?:的副本|(?: ?- ?| )副本(?: [0-9]{1,2})?| - copy"
    r"|[ -]copy(?:[0-9]{0,2}| [0-9]{1,2})| - kopie| - copie| - copia|[ _-]*\([0-9]{1,2}\))$"
)
_BY_A_PROGRAM = re.compile(_OF_A_PROGRAM, re.IGNORECASE)
# And what a person, too, puts around it.
_COPY = re.compile(
    rf"{_OF_A_PROGRAM}|[ _-]checkpoint$|[ _-]*\([0-9]+\)$|[ _-]+(?:backup|bak|copy|old|new|final|v[0-9]+|[0-9])$",
    re.IGNORECASE,
)
# What a person writes behind a name to tell a later version of a file. A bare number may be a student's.
_VERSION = re.compile(
    rf"{_OF_A_PROGRAM}|[ _-]*（[0-9]{{1,2}}）$"
    r"|[ _-]+[0-9]{4}(?:[-_.][0-9]{2}){2}$"
    r"|[ _-]*[(（]?(?:(?<=[ _(（-])(?:final|new|old|updated?|revis(?:ed|ion)|(?:re)?submi(?:t|tted|ssion)|latest"
    r"|fixed|corrected|draft|attempt|try|backup|v(?:er(?:sion)?)?[ _-]?(?=[0-9]))"
    r"|最终版?|终版|修改版?|新版|旧版|重交|第[0-9一二三四五]版)"
    r"[ _-]*[0-9]{0,2}[)）]?$",
    re.IGNORECASE,
)
# A piece of a class's work, by its number: "hw4", "week 2", "作业4". A number alone may be a student's.
_COUNT = r"(?:[0-9]{1,3}(?![0-9])|[一二三四五六七八九十]{1,3})"
_PIECE = re.compile(
    r"(?<![^\W\d_])(?:hw|home[ _-]?work|assignment|exercise|problem[ _-]?set|ps|pset|lab|lesson|week|unit|module)s?"
    r"[ _#-]*[0-9]{1,3}(?![^\W_])"
    rf"|(?:作业|实验|练习|习题)[ _-]*{_COUNT}|第 ?{_COUNT} ?(?:周|次|课|章|节|单元|讲)(?:作业|实验|练习)?",
    re.IGNORECASE,
)
# What systems, editors and students call a file or a folder, and names nobody.
_OF_NOBODY = re.compile(
    r"(?:archive?|compressed|(?:new|untitled)(?: folder)?|desktop|downloads?|documents?"
    r"|onedrive(?:[ _-][0-9]{1,4}){0,4}"  # of a download of several: OneDrive_1_11-22-2026
    r"|归档|新建文件夹|未命名(?:文件夹)?)[ _-]?[0-9]{0,3}"
    r"|(?:my[ _-]?)?"
    r"(?:notebooks?|hw|home[ _-]?work|assignments?|exercises?|submissions?|lab|lesson|final|draft|answers?"
    r"|solutions?|lectures?|templates?|examples?|demo)"
    r"|(?:我的)?(?:作业|实验|练习|习题|答案)",
    re.IGNORECASE,
)
# What may stand beside a student in the name of a file, and names nobody: a word, the time in a name of Drive's,
# or what programs for mail set before a subject.
_NOBODY = re.compile(
    r"backup|bak|copy|old|new|final|late|my|mine|re|aw|fwd?|wg|回复|答复|转发|v?[0-9]{1,2}|[0-9]{8}T[0-9]{6}Z.*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“([^“”]*?)(?:\.ipynb)?”")  # by Colab in Chinese, where it makes a copy
_SOLUTIONS = re.compile(r"solutions?", re.IGNORECASE)
_SLUG = re.compile(rf"(?<![a-z])(?:{'|'.join(slug for slug, _ in lessons.OUTLINE.values())})(?![a-z])")
_PLATFORMS = {
    _CANVAS: "Canvas", _MOODLE: "Moodle", _BLACKBOARD: "Blackboard", _BRIGHTSPACE: "Brightspace", _INBOUND: "nbgrader",
}  # fmt: skip
_MAX_DEPTH = 8  # folders around a platform's own layout


@dataclass(frozen=True)
class PathInfo:
    """The information in a path.

    lesson: a number of the outline, such as "05". canvas: Canvas' own (name, user id) of the student. order: a sort key
    for the files of one student, which puts the last attempt last. attempt: what the platform itself says of the order,
    None where it says nothing. platform: the one that gave the name, None if none did.
    """

    student: str
    lesson: str | None = None
    late: bool = False
    canvas: tuple[str, str] | None = None
    order: tuple = ()
    attempt: tuple | None = None
    platform: str | None = None


def is_notebook(name: str) -> bool:
    """Whether a name is that of a notebook, .ipynb or .py, or of one that was saved as text."""
    last = name.rpartition("/")[2]
    return bool(is_ipynb(last) or _PYTHON.search(last))


def is_ipynb(name: str) -> bool:
    """Whether a name is that of a notebook in JSON. One that was saved as text is known by the name of its lesson."""
    last = name.rpartition("/")[2]
    if _IPYNB.search(last):
        return True
    of_a_lesson = is_of_course(_LOOSE.sub("", last).rpartition(" - ")[2])  # behind a name, as in Google Classroom
    return bool(_LOOSE.search(last)) and not _PYTHON.search(last) and of_a_lesson


def is_python(name: str) -> bool:
    """Whether a name is that of a notebook as Python."""
    return bool(_PYTHON.search(name.rpartition("/")[2]))


def may_hold_notebooks(name: str) -> bool:
    """Whether a file of this name may hold a notebook: an archive, or a notebook with something behind its name."""
    return _MAY_HOLD_ONE.search(name.rpartition("/")[2]) is not None


def is_archive(name: str) -> bool:
    """Whether a file of this name is an archive, of any kind."""
    return _ARCHIVE.search(name) is not None


def is_document(name: str) -> bool:
    """Whether a file of this name may be handed in where a notebook was meant, such as a picture or a PDF."""
    return not is_notebook(name) and _NOTES.search(name) is None


def is_typed(name: str) -> bool:
    """Whether a platform made a file of this name of what a student typed or linked there."""
    return _TYPED.search(name) is not None


def without_ending(part: str) -> str:
    """A part of a path without .ipynb, .py or .zip at its end."""
    return _ENDING.sub("", part) or part


def plain_stem(name: str) -> str:
    """The name of a file in lower case, without its ending and without what makes a copy of it."""
    stem = _own(re.sub(rf"\.(?:ipynb|py){_MORE}", "", name.rpartition("/")[2], flags=re.IGNORECASE))
    return re.sub(r"[\W_]+", "_", _ATTEMPT.sub("", _without_marks_of_a_copy(stem))).lower()


def without_marks_of_a_program(name: str) -> str:
    """A name without what browsers and systems add to that of a copy: "ada (1)" and "Copy of ada" are "ada"."""
    return _without(_BY_A_PROGRAM, name)


def without_marks_of_a_version(name: str) -> str:
    """A name without what tells of a copy or of a later version: "ada_final2", "ada (v2)" and "ada (1)" are "ada"."""
    return _without(_VERSION, name)


def _without_marks_of_a_copy(stem: str) -> str:
    return _without(_COPY, stem)


def _without(marks: re.Pattern, name: str) -> str:
    name = _QUOTED.sub(r"\1", name)
    while (shorter := marks.sub("", name).strip()) and shorter != name:
        name = shorter
    return name


def is_of_course(name: str) -> bool:
    """Whether a file has the name of one of the course's notebooks, such as "04_one_row (1).ipynb"."""
    stem = plain_stem(name)
    return slug_of(stem) is not None and re.sub(r"^[0-9]{1,2}_", "", stem) == lessons.OUTLINE[slug_of(stem)][0]


def is_in_solutions(name: str) -> bool:
    """Whether a file lies in a copy of the course's folder of solutions, such as "solutions (1)/" or Solutions.zip."""
    folders = name.split("/")[:-1]
    return any(_SOLUTIONS.fullmatch(_without_marks_of_a_copy(without_ending(part))) for part in folders)


def is_checkpoint(name: str) -> bool:
    """Whether Jupyter made this copy of a file, when it was last saved by hand."""
    return ".ipynb_checkpoints/" in name or re.search(r"-checkpoint\.ipynb$", name) is not None


def is_copy(name: str) -> bool:
    """Whether the name of a file says that it is a copy, or a backup."""
    stem = _own(re.sub(rf"\.(?:ipynb|py){_MORE}", "", name.rpartition("/")[2], flags=re.IGNORECASE))
    return _COPY.search(_ATTEMPT.sub("", stem)) is not None or re.search(r"\([0-9]+\)$", name) is not None


def slug_of(text: str) -> str | None:
    """The number of the lesson whose name stands in a text, such as "04" for "04_one_row-2"; else None."""
    slug = _SLUG.search(re.sub(r"[\W_]+", "_", text).lower())
    return next(number for number, (name, _) in lessons.OUTLINE.items() if name == slug[0]) if slug else None


def person(stem: str) -> str:
    """What a name without its ending says beside the lesson: "Ada Lovelace - 04_one_row (1)" is "Ada Lovelace"."""
    stem = _without_marks_of_a_copy(stem)
    slugs = "|".join(re.escape(slug).replace("_", r"[\W_]+") for slug, _ in lessons.OUTLINE.values())
    of_lesson = rf"(?<![a-z])(?:[0-9]{{1,2}}[\W_]+)?(?:{slugs})(?![a-z])(?:\.ipynb\b)?"
    rest = re.sub(of_lesson, "\0", stem, count=1, flags=re.IGNORECASE)
    parts = [_COPY.sub("", part.strip(" _-.,")).strip(" _-.,") for part in rest.split("\0")]
    parts = [re.sub(r"(?i)[\W_]*\bcopy of$|^的副本[\W_]*", "", part) for part in parts]
    parts = [re.sub(r"^[(（](.*)[)）]$", r"\1", part) for part in parts]
    named = [part for part in parts if re.search(r"[^\W\d_]", part)]
    return named[0] if named and slug_of(stem) else ""


def is_piece(title: str) -> bool:
    """Whether the name of a folder or a file is that of a piece of work, such as "week 2", "hw4" or "04_one_row"."""
    title = without_marks_of_a_program(title)
    return _PIECE.fullmatch(title) is not None or is_of_course(title)


def names_nobody(title: str) -> bool:
    """Whether the name of a folder or a file is that of a piece of work, or just "homework" or "Untitled1"."""
    return is_piece(title) or _OF_NOBODY.fullmatch(without_marks_of_a_program(title)) is not None


def person_of_piece(stem: str) -> str:
    """What a name without its ending says beside a piece of work: "ada_hw4 (1)" is "ada"; "" where that is unclear."""
    rest, count = _PIECE.subn("\0", without_marks_of_a_program(stem))
    parts = [part.strip(" _-+–—.,，、()（）") for part in rest.split("\0")]
    named = [part for part in parts if re.search(r"[^\W\d_]|[0-9]{4}", part) and not _NOBODY.fullmatch(part)]
    return named[0] if count and len(named) == 1 else ""


def read(name: str) -> PathInfo:
    """Parse a relative path: names of platforms, nbgrader's folders, else a folder or file each.

    Only the outermost part is matched with a platform's names, because students name the files in their folders.
    """
    parts = _parts(name)
    made = _of_platform(parts[0])
    of_lesson, order = lesson(_own(parts[-1])) or lesson(_own(parts[0])), _natural("/".join(parts))
    if made is None:
        student = parts[1] if parts[0] == _NBGRADER and len(parts) > 2 else parts[0]
        return PathInfo(student, lesson(_own(parts[-1])), order=(0, 0, order))
    if made.re is _BRIGHTSPACE:
        when = _of_brightspace(made["time"])
        student, attempt = f"{made['name']}_{made['user']}", (when,) if when else None
        return PathInfo(student, of_lesson, order=(0, 0, order), attempt=attempt, platform=_PLATFORMS[made.re])
    if made.re is not _CANVAS:
        when = made["time"] if "time" in made.re.groupindex else ""
        attempt = (when,) if when else None
        return PathInfo(made["name"], of_lesson, order=(0, 0, order), attempt=attempt, platform=_PLATFORMS[made.re])
    late = bool(made["late"] or made["late_anon"])
    if made["anon"]:
        who = None
        student = f"anon_{made['anon']}"
    else:
        who = made["name"], made["user"]
        student = "_".join(who)
    found = _ATTEMPT.search(made["rest"] or "")
    attempt = int(found[1]) if found else 0, int(made["file"] or 0)
    return PathInfo(student, of_lesson, late, who, (*attempt, order), attempt, _PLATFORMS[_CANVAS])


def _of_brightspace(time: str) -> str | None:
    """A time in Brightspace's names in a form that can be sorted; None where it is in another language."""
    if found := re.fullmatch(r"([0-9]{4})\D([0-9]{1,2})\D([0-9]{1,2})日? ?([上下]午)? ?([0-9]{1,2})([0-9]{2})", time):
        year, month, day, hour, minute = (int(found[at]) for at in (1, 2, 3, 5, 6))
        hour = hour % 12 + 12 * (found[4] == "下午") if found[4] else hour
        return f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}"
    time = re.sub(r"([0-9]{2})(?= ?[AP]M$|$)", r":\1", time.replace(",", ""), flags=re.IGNORECASE)
    for form in ("%b %d %Y %I:%M %p", "%d %B %Y %I:%M %p", "%B %d %Y %I:%M %p", "%d %b %Y %I:%M %p"):
        for each in (form, form.replace("%I:%M %p", "%H:%M")):
            with contextlib.suppress(ValueError):
                return datetime.datetime.strptime(time, each).strftime("%Y-%m-%d %H:%M")
    return None


def _own(part: str) -> str:
    """The part of a name that a student gave, without what a platform set before it."""
    made = _of_platform(part)
    return (made["rest"] or "") if made else part


def _of_platform(part: str) -> re.Match | None:
    """The match as a name that a platform made: of several, the one whose own part ends first.

    What follows is a student's own, and may look like a name of another platform.
    """
    found = [match for form in _PLATFORMS if (match := form.fullmatch(part))]
    return min(found, key=lambda match: match.start("rest") if match["rest"] is not None else match.end(), default=None)


def platform(name: str) -> str | None:
    """The platform that made the outermost part of a path, and so names a student; None if none did."""
    made = _of_platform(_parts(name)[0])
    return _PLATFORMS[made.re] if made else None


def is_of_platform(name: str) -> bool:
    """Whether the outermost part of a path is a name that a platform made, and so names a student."""
    return platform(name) is not None


@functools.lru_cache(16384)  # an export asks twice for each file
def of_student(name: str, student: str) -> PathInfo:
    """Parse a path whose student is known. Folders around the platform's own layout are skipped."""
    parts = _parts(name)
    inner = (read("/".join(parts[i:])) for i in range(min(len(parts), _MAX_DEPTH)))
    return next((info for info in inner if info.student == student), replace(read(name), student=student))


def lesson(text: str) -> str | None:
    """The lesson in a name: by its slug, by a number after "lesson", or by a number at the beginning; else None."""
    words = re.sub(r"[\W_]+", "_", text).lower()
    by_slug = slug_of(text)
    if by_slug:
        return by_slug
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
