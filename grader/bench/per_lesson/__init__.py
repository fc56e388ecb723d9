"""What the lessons show of a GPU, each measured by a module of its own: `WHAT` says what, `measure` gives the rows.

A module may have more to say of the machine: `also` gives it, by name.
"""

from __future__ import annotations

import importlib

LESSONS = {"02": "passes", "08": "online", "09": "splits", "10": "residency", "12": "cuda_kernels"}


def run() -> tuple[dict[str, dict], list[str]]:
    """({lesson: {"what", "results", ...}}, what could not be measured and why).

    Each needs the solution notebooks, and some more: lesson 12 needs CuPy, wide rows need memory.
    """
    found, missing = {}, []
    for lesson, name in LESSONS.items():
        try:
            timed = importlib.import_module(f"{__name__}.{name}")
            found[lesson] = {"what": timed.WHAT, "results": timed.measure()}
            if hasattr(timed, "also"):
                found[lesson] |= timed.also()
        except Exception as error:  # whatever a machine lacks, the others are still to be measured
            missing.append(f"lesson {lesson} ({error})")
    return found, missing
