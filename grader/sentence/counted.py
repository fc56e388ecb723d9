"""A number with what is counted, in the singular or the plural: 1 lane, 3 lanes."""

from __future__ import annotations

from .said import Said, said

# (one, several). A language without a plural gives both the same words.
_NOUNS = {
    "answer": (said("{count} answer"), said("{count} answers")),
    "byte": (said("{count} byte"), said("{count} bytes")),
    "case": (said("{count} case"), said("{count} cases")),
    "element": (said("{count} element"), said("{count} elements")),
    "fault": (said("{count} fault"), said("{count} faults")),
    "file": (said("{count} file"), said("{count} files")),
    "grade": (said("{count} grade"), said("{count} grades")),
    "lane": (said("{count} lane"), said("{count} lanes")),
    "line": (said("{count} line"), said("{count} lines")),
    "list": (said("{count} list"), said("{count} lists")),
    "load": (said("{count} load"), said("{count} loads")),
    "number": (said("{count} number"), said("{count} numbers")),
    "place": (said("{count} place"), said("{count} places")),
    "point": (said("{count} point"), said("{count} points")),
    "program": (said("{count} program"), said("{count} programs")),
    "request": (said("{count} request"), said("{count} requests")),
    "run": (said("{count} run"), said("{count} runs")),
    "score": (said("{count} score"), said("{count} scores")),
    "sector": (said("{count} sector"), said("{count} sectors")),
    "state": (said("{count} state"), said("{count} states")),
    "step": (said("{count} step"), said("{count} steps")),
    "store": (said("{count} store"), said("{count} stores")),
    "student": (said("{count} student"), said("{count} students")),
    "submission": (said("{count} submission"), said("{count} submissions")),
    "suite": (said("{count} test suite"), said("{count} test suites")),
    "tensor": (said("{count} tensor"), said("{count} tensors")),
    "warp": (said("{count} warp"), said("{count} warps")),
}


def counted(count: float, noun: str) -> Said:
    """A number of things. noun: in the singular. Raises KeyError for an unknown one."""
    return Said(_NOUNS[noun][count != 1].template, {"count": count if isinstance(count, int) else f"{count:g}"})
