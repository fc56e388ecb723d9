"""python -m grader new: the skeleton of an exercise, in all the places where an exercise stands."""

from __future__ import annotations

import ast
import pathlib
import re
import string
import sys

_SKELETON = pathlib.Path(__file__).parent / "skeleton"
_MARK = "AUTHOR:"  # stands wherever the author has something to write


class Refused(Exception):
    """The exercise cannot be added like this."""


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("new", help="write the skeleton of an exercise, and say what is left to do")
    parser.add_argument("id", metavar="ID", help="such as 5.3: the number after the last one of its lesson")
    parser.add_argument("name", metavar="NAME", help="the function that the learner writes, such as log_softmax")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Write the files, and print what is left: 0; 2 when nothing was written."""
    from .. import lessons

    try:
        written = write(options.id, options.name)
    except Refused as error:
        print(f"Nothing written: {error}.", file=sys.stderr)
        return 2
    lesson = lessons.number_of(options.id)
    print(f"Exercise {options.id} stands, and every check of it passes. Left to do, wherever {_MARK} stands:")
    for file in written:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if _MARK in line:
                left = line.split(_MARK)[1].strip(' ",')
                print(f"  {_shown(file)}:{number}: {left}")
    print(f"Then: make build; make test ONLY={options.id}; and at the end make test. A name may change in all of these")
    print(f"files; the cells may move within solutions/{lesson}_*.py. More: docs/authors.md.")
    return 0


def write(number: str, name: str) -> list[pathlib.Path]:
    """Write the skeleton of an exercise: the files that were made or changed. Raises Refused before it writes any."""
    from .. import environment, lessons

    if environment.INSTALLED:
        raise Refused("there are no lessons here: exercises are added to a copy of the course's repository")
    lesson, giver = _checked(number, name)
    root, slug = environment.ROOT, lessons.OUTLINE[lesson][0]
    mistake = f"{name.replace('_', '-')}-one-added"
    words = {"id": number, "name": name, "mistake": mistake, "table": name.upper()}
    files = {
        root / f"grader/lessons/lesson_{lesson}.py": _lesson,
        root / f"solutions/{lesson}_{slug}.py": _cells,
        root / f"grader/mistakes/{name}.py": lambda text, words: _filled("mistakes", words),
        root / f"tests/wrong/{number}.toml": lambda text, words: _filled("wrong", words, "toml"),
        root / f"tests/right/{lesson}_{name}_in_another_style.py": lambda text, words: _filled("right", words),
    }
    for file in list(files)[2:]:
        if file.exists():
            raise Refused(f"{_shown(file)} is there already")
    for file, fill in files.items():
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(fill(text, words | {"giver": giver.id}), encoding="utf-8")
    print(f"One point of {giver.id} went to {number}, so that the lesson keeps its {lessons.OUTLINE[lesson][1]}.")
    return list(files)


def _checked(number: str, name: str):
    """(the lesson, the exercise of it that gives a point away)."""
    from .. import lessons

    known = lessons.exercises()
    parts = re.fullmatch(r"(\d{1,2})\.(\d{1,2})", number)
    lesson = parts[1].zfill(2) if parts else ""
    if lesson not in lessons.OUTLINE:
        raise Refused(f"{number!r} is no number of an exercise, such as 5.3")
    if number in known:
        raise Refused(f"there is an exercise {number} already")
    before = lessons.of_lesson(lesson)
    if int(parts[2]) != len(before) + 1:
        raise Refused(f"the next exercise of lesson {lesson} is {int(lesson)}.{len(before) + 1}")
    if not name.isidentifier() or name != name.lower() or any(name in exercise.names for exercise in known.values()):
        raise Refused(f"{name!r} is no free name of a Python function in lower case")
    giver = max(before, key=lambda exercise: (not exercise.bonus, exercise.points))
    if giver.bonus or giver.points < 2:
        raise Refused(f"no exercise of lesson {lesson} has a point to give away")
    return lesson, giver


def _filled(part: str, words: dict[str, str], kind: str = "py") -> str:
    return string.Template((_SKELETON / f"{part}.{kind}.txt").read_text(encoding="utf-8")).substitute(words)


def _lesson(text: str, words: dict[str, str]) -> str:
    """A lesson's module with the exercise at its end, and one point less for the giver."""
    for call in ast.walk(ast.parse(text)):
        given = {k.arg: k.value for k in getattr(call, "keywords", [])}
        if isinstance(given.get("id"), ast.Constant) and given["id"].value == words["giver"]:
            lines, points = text.splitlines(True), given["points"]
            line = lines[points.lineno - 1]
            less = f"{points.value - 1:g}"
            lines[points.lineno - 1] = line[: points.col_offset] + less + line[points.end_col_offset :]
            text = "".join(lines)
            break
    imports = f"from ..mistakes.{words['name']} import {words['table']}\n"
    for module, names in (("..checks", ["compare", "inputs"]), ("..spec", ["Call", "Case", "Exercise"])):
        text, imports = _with_import(text, module, names, imports)
    first = re.search(r"^from \.\.mistakes|^from \.\.spec", text, re.MULTILINE)
    text = text[: first.start()] + imports + text[first.start() :]
    return text.rstrip("\n") + "\n" + _filled("lesson", words)


def _with_import(text: str, module: str, names: list[str], imports: str) -> tuple[str, str]:
    """The text with names added to its import from a module, or else a line more among the imports."""
    line = re.search(rf"^from {re.escape(module)} import ([^\n(]+)$", text, re.MULTILINE)
    if line is None:
        return text, imports + f"from {module} import {', '.join(names)}\n"
    every = ", ".join(sorted({*line[1].split(", "), *names}))
    return text[: line.start()] + f"from {module} import {every}" + text[line.end() :], imports


def _cells(text: str, words: dict[str, str]) -> str:
    """A lesson's source with the cells before the ones that end it."""
    end = text.rfind("# %%\nprogress()")
    return (
        text[:end] + _filled("cells", words) + text[end:]
        if end >= 0
        else f"{text.rstrip()}\n\n{_filled('cells', words)}"
    )


def _shown(file: pathlib.Path) -> str:
    from .. import environment

    return file.relative_to(environment.ROOT).as_posix()
