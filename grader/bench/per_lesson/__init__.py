"""The measurements on a GPU that lessons show, one module each: `WHAT` describes the rows that `measure` returns.

A module may also have `also`, which returns further entries of the record by name.
"""

from __future__ import annotations

import importlib

LESSONS = {
    "02": "passes",
    "08": "online",
    "09": "splits",
    "10": "residency",
    "12": "cuda_kernels",
    "14": "routes",
    "15": "tuning",
}


def run(chosen=None) -> tuple[dict[str, dict], list[str]]:
    """({lesson: {"what", "results", ...}}, lessons that could not be measured, each with the reason).

    chosen: numbers of lessons; without them, all. All need the solution notebooks. Lesson 12 needs CuPy, wide rows need
    memory.
    """
    found, missing = {}, []
    for lesson in chosen or LESSONS:
        try:
            timed = importlib.import_module(f"{__name__}.{LESSONS[lesson]}")
            found[lesson] = {"what": timed.WHAT, "results": timed.measure()}
            if hasattr(timed, "also"):
                found[lesson] |= timed.also()
        except Exception as error:  # any error of one lesson: the others must still be measured
            missing.append(f"lesson {lesson} ({error})")
    return found, missing
