"""Shared by all tests: the course on the path, no record of progress, answers kept as files."""

import os
import pathlib
import re
import shutil
import sys
from dataclasses import dataclass

os.environ.setdefault("FIVE_PASSES_PROGRESS", "off")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # one process a core is enough: more threads only wait for each other
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "solutions")]


@dataclass
class Stored:
    """An answer kept as a file. Its header names the exercise and, of a wrong answer, the mistake.

    since: the first Triton that was seen to refuse it so; with an older one the answer runs, or fails in another way.
    """

    name: str
    exercise: str
    mistake: str | None
    source: str
    since: str | None = None


def stored(folder: str) -> list[Stored]:
    found = []
    for path in sorted((ROOT / "tests" / folder).glob("*.py")):
        source = path.read_text(encoding="utf-8")
        if source.startswith("# files"):  # an attack that is no answer to an exercise
            continue
        header = dict(re.findall(r"^# (exercise|mistake|since): (.+)$", source, re.MULTILINE))
        found.append(Stored(path.stem, header["exercise"], header.get("mistake"), source, header.get("since")))
    return found


def working_tree(copy: pathlib.Path) -> None:
    """Copy the course as it is now, without what running and testing it leaves behind."""
    leave_out = shutil.ignore_patterns(".*", "__pycache__", "results", "screenshots", "five_passes*", "*.zip")
    shutil.copytree(ROOT, copy, ignore=leave_out)
