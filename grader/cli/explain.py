"""python -m grader explain: one answer, every case, every detector's vote, and what decided."""

from __future__ import annotations

import difflib
import pathlib
import re
import sys
import textwrap


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("explain", help="why an answer was given the name that it was given")
    parser.add_argument(
        "file",
        type=pathlib.Path,
        metavar="FILE",
        help="a notebook, Python with a line # exercise: 4.1, or a stored wrong answer such as 4.1/pad-zero",
    )
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an exercise such as 4.1; without it, all that FILE answers"
    )
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print the examination of each answer; 2 when there is no answer to examine."""
    from .. import lessons
    from ..judge import zygotes

    try:
        kept = _kept(options.file)
        cells, wanted = ([kept.source], [options.id or kept.exercise]) if kept else _cells(options.file, options.id)
    except (OSError, ValueError) as error:
        print(f"Nothing explained: {error}.", file=sys.stderr)
        return 2
    unknown = [number for number in wanted if number not in lessons.exercises()]
    if unknown or not wanted:
        which = f"there is no exercise {unknown[0]!r}" if unknown else f"{str(options.file)!r} answers no exercise"
        print(f"Nothing explained: {which}.", file=sys.stderr)
        return 2
    if kept:
        _show(kept)
    for number in wanted:
        try:
            _explain(lessons.exercises()[number], cells)
        except zygotes.NoWorker as error:
            print(f"Nothing explained: {error}.", file=sys.stderr)
            return 2
    return 0


def _kept(file: pathlib.Path):
    """The stored wrong answer that is meant, None where a file is. Raises ValueError if there is none of this name."""
    from .. import environment
    from ..mistakes import stored

    name = file.as_posix()
    if file.exists() or not re.fullmatch(r"\d+\.\d+/[\w-]+", name):
        return None
    tests = environment.ROOT / "tests"
    if not (tests / "wrong").is_dir():
        raise ValueError(f"{name!r} is no file here, and this copy of the course has no stored answers, tests/wrong")
    kept = {each.name: each for each in stored.wrong(tests)}
    if name not in kept:
        near = " or ".join(difflib.get_close_matches(name, kept, 3, 0.5))
        raise ValueError(f"no stored wrong answer is called {name!r}" + f"; perhaps {near}" * bool(near))
    return kept[name]


def _show(kept) -> None:
    """Print what a stored wrong answer is, and how it differs from its base."""
    from ..mistakes import stored

    print(f"{kept.name}, stored as {kept.mistake or 'a wrong answer without a name'}")
    if kept.base is None:
        print("  a whole file in tests/wrong\n")
        return
    print(f"  what it changes in its base, {kept.base}:")
    texts = (stored.body(text).splitlines() for text in (kept.unchanged, kept.source))
    for line in [*difflib.unified_diff(*texts, n=1, lineterm="")][2:]:
        print(f"    {'...' if line.startswith('@@') else line}")
    print()


def _cells(file: pathlib.Path, number: str | None) -> tuple[list[str], list[str]]:
    """(code cells, ids of the exercises to explain) of a notebook or of a Python file."""
    from .. import lessons
    from ..classroom import submissions

    if file.suffix != ".ipynb":
        text = file.read_text(encoding="utf-8")
        header = re.search(r"^# exercise: (\S+)", text, re.MULTILINE)
        if number is None and header is None:
            raise ValueError(f"{str(file)!r} has no line such as # exercise: 4.1, so name one")
        return [text], [number or header[1]]
    handed = submissions.read(file.read_bytes(), file.name)
    if not handed.cells:
        raise ValueError("; ".join(handed.problems))
    of_lesson = lessons.of_lesson(handed.lesson) if handed.lesson else []
    return handed.cells, [number] if number else [exercise.id for exercise in of_lesson]


def _explain(exercise, cells: list[str]) -> None:
    from ..judge.examine import examine
    from ..judge.extract import extract

    answer = extract(cells, exercise.names)
    print(f"{exercise.id}  {exercise.title}")
    if answer.missing:
        print(f"  no cell defines {' and '.join(answer.missing)}\n")
        return
    found = examine(exercise, answer)
    print("  cases, in the order in which they are judged")
    for label, sentence, ran in found.cases:
        print(f"    {'·' if not ran else '✗' if sentence else '✓'} {label}{': ' + sentence if sentence else ''}")
    matching = [opinion for opinion in found.opinions if opinion.matches]
    named = {opinion.mistake for opinion in matching}
    others = dict.fromkeys(opinion.mistake for opinion in found.opinions if opinion.mistake not in named)
    if found.opinions:
        print(f"  votes of the {len(matching)} detectors that match a failing case; NaN alone names nothing")
    for opinion in matching:
        fits = f", fits {opinion.fits[0]} of {opinion.fits[1]} cases" if opinion.fits else ""
        why = f" (ruled out: {opinion.ruled_out})" if opinion.ruled_out else ""
        print(f"    {opinion.hits:4g}  {opinion.mistake}: matches {len(opinion.matches)}{fits}{why}")
        print(f"          {opinion.detector}, {opinion.place}")
    if others:
        print(
            textwrap.fill(
                f"0 votes of the others: {', '.join(others)}", 110, initial_indent="  ", subsequent_indent="    "
            )
        )
    decided = found.mistake or "no name"
    also = f", or {found.also}, whose numbers fit as well" if found.also else ""
    print(f"  decided: {decided}{also}: {found.reason}\n")
