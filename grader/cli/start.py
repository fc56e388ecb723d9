"""python -m grader start: a lesson as a Python file to work in, with any editor."""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys

from ..language import language, say
from ..sentence import said

_FOLDER = "work"  # in the course, as far from its files as notebooks/ is: lessons read ../records
_SET_UP = "set-up"  # the id of a notebook's first code cell, which finds or fetches the course
# What leads to the same notebook in another language, or to a place where it is opened: of no use in a file.
_LEADS_AWAY = re.compile(r"^(?:\*\*\w+\*\*|\[\w+\]\([^)\s]+\.ipynb\)|\[!\[Open in .*)(?: · .*)?\n\n", re.MULTILINE)


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("start", help=said("write a lesson as a Python file to work in"))
    parser.add_argument("lesson", metavar="LESSON", help=said("its number, such as 05"))
    parser.set_defaults(run=run)


def run(options) -> int:
    """Write the file, and say how to check it: 0; 2 when nothing was written."""
    from .. import environment, lessons

    number = options.lesson.zfill(2)
    if number not in lessons.OUTLINE:
        ends = {"first": min(lessons.OUTLINE), "last": max(lessons.OUTLINE)}
        return _nothing(
            said("There is no lesson '{lesson}'. There are {first} to {last}.", lesson=options.lesson, **ends)
        )
    if environment.INSTALLED:
        return _nothing(said("There are no lessons here: they are in a copy of the course's repository."))
    file = work_file_of(number)
    shown = os.path.relpath(file)
    check = f"python -m grader check {shown} --watch"
    if file.exists():
        why = said("{file} is there already, and stays as it is. Go on with: {check}", file=shown, check=check)
        return _nothing(why)
    try:
        lesson = text(_notebook(environment.ROOT / "notebooks", f"{file.stem}.ipynb"))
        file.parent.mkdir(exist_ok=True)
        with file.open("x", encoding="utf-8") as new:
            new.write(lesson)
    except OSError as error:
        return _nothing(said("{file} cannot be written ({why}).", file=shown, why=error.strerror))
    print(say(said("{file} is written. Open it in your editor, and check it in a terminal:", file=shown)))
    print(f"  {check}")
    return 0


def work_file_of(number: str) -> pathlib.Path:
    """The file to work in of a lesson, such as "05", whether it is there or not."""
    from .. import environment, lessons

    return environment.ROOT / _FOLDER / f"{number}_{lessons.OUTLINE[number][0]}.py"


def text(notebook: pathlib.Path) -> str:
    """A lesson's notebook as a Python file in percent cells: what is no code is a comment, the first cell is short."""
    from ..classroom import percent

    made = json.loads(notebook.read_text(encoding="utf-8"))
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in made["cells"]]
    kind, title = cells[0]
    cells[0] = kind, _LEADS_AWAY.sub("", title)
    ids = [cell["id"] for cell in made["cells"]]
    cells[ids.index(_SET_UP)] = "code", _set_up(made["metadata"]["five_passes"]["language"])
    return percent.written(cells)


def _set_up(code: str) -> str:
    """The first code cell of a file: it finds the course from its folder, or from a folder in it."""
    return f'''import sys

sys.path[:0] = [".", ".."]
from colab_setup import start

start("", "{code}")  # language: {code}'''


def _notebook(folder: pathlib.Path, name: str) -> pathlib.Path:
    """The notebook in the language in use; in English where there is none."""
    here = folder / language().partition("_")[0] / name
    return here if here.exists() else folder / name


def _nothing(why: str) -> int:
    print(say(said("Nothing written: {why}", why=why)), file=sys.stderr)
    return 2
