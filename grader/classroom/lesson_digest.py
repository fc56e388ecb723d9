"""The digest of a lesson's exercises: a row keeps it, so that changed cases or points are graded again."""

from __future__ import annotations

import functools
import hashlib
import pathlib

from .. import lessons


def of(lesson: str | None) -> str | None:
    """The digest of a lesson, in hexadecimal; None for a file of no lesson."""
    if lesson not in lessons.OUTLINE:
        return None
    told = [_sources(lesson)]
    for e in lessons.of_lesson(lesson):
        told.append(repr((e.id, e.names, float(e.points), e.bonus, e.groups, e.parts, e.last_step, e.driver)))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


@functools.cache
def _sources(lesson: str) -> str:
    """A digest of the modules that make the cases of a lesson. Ends of lines do not count."""
    folder, found = pathlib.Path(lessons.__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name.startswith(f"lesson_{lesson}"):
            found.update(name.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()
