"""The answers that the course keeps: files, and wrong answers as edits of right ones.

A wrong answer is a few lines in a table of its exercise, here tests/wrong/4.1.toml:

    [pad-zero]
    base = "solution"
    mistake = "pad-zero"
    edits = [['other=-float("inf")', 'other=0.0']]

base: "solution", which is the course's own answer without lines that are comments; or the name of a file in
tests/right; or another wrong answer of the exercise. edits: [old, new] as often as needed; each old stands once in the
base. mistake: "none" where no name is true. since: the first Triton that was seen to refuse it so. Where an edit would
be no shorter than the answer, tests/wrong has the whole file, whose header says exercise, mistake and since.

An attack that differs in a line from another has a record in tests/attacks/edits.toml: base is a file beside it, and
edits change its header as well.
"""

from __future__ import annotations

import pathlib
import re
import tomllib
from dataclasses import dataclass

from .mutant import reference

SOLUTION = "solution"
_HEADER = re.compile(r"(?:# (?:exercise|mistake|since): .*\n)*")
_KEYS = {"base", "mistake", "edits", "since"}


@dataclass(frozen=True)
class Stored:
    """An answer that the course keeps.

    name: of a wrong answer 4.1/pad-zero, of any other its file's name without .py. mistake: the id of what the learner
    should read; None for a right answer, and for a wrong one without a name. since: the first Triton that was seen to
    refuse it so; with an older one the answer runs, or fails in another way. base: of an edit the name of what it
    changes, and unchanged the text of that.
    """

    name: str
    exercise: str
    mistake: str | None
    source: str
    since: str | None = None
    base: str | None = None
    unchanged: str = ""


def texts(folder: pathlib.Path) -> dict[str, str]:
    """{name: text} of the files of a folder, and of the edits of these in its edits.toml, in the order of names."""
    found, edits = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}, folder / "edits.toml"
    records = tomllib.loads(edits.read_text(encoding="utf-8")) if edits.exists() else {}
    found |= {name: edited(found[record["base"]], record["edits"]) for name, record in records.items()}
    return dict(sorted(found.items()))


def files(folder: pathlib.Path) -> list[Stored]:
    """The answers that are whole files of a folder or edits of these, in the order of their names."""
    found = []
    for name, source in texts(folder).items():
        if source.startswith("# files"):  # an attack that is no answer to an exercise
            continue
        header = dict(re.findall(r"^# (exercise|mistake|since): (.+)$", source, re.MULTILINE))
        found.append(Stored(name, header["exercise"], _named(header.get("mistake")), source, header.get("since")))
    return found


def wrong(tests: pathlib.Path) -> list[Stored]:
    """All wrong answers under tests/wrong, in the order of exercises and names.

    Raises ValueError with a line for each record that cannot be read, or whose edits do not fit their base.
    """
    right = {each.name: each.source for each in files(tests / "right")}
    found, problems = {}, []
    for each in files(tests / "wrong"):
        name = f"{each.exercise}/{re.sub(r'^[0-9]+_', '', each.name).replace('_', '-')}"
        found[name] = Stored(name, each.exercise, each.mistake, each.source, each.since)
    for path in (tests / "wrong").glob("*.toml"):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            problems.append(f"tests/wrong/{path.name}: {error}")
            continue
        exercise = path.stem
        twice = [name for name in table if f"{exercise}/{name}" in found]
        problems += [f"tests/wrong/{path.name}: {name}: there is a whole file of this name as well" for name in twice]
        whole = {each.name: each.source for each in found.values() if each.exercise == exercise}
        made, said = _of_table(exercise, table, right, whole)
        found |= made
        problems += [f"tests/wrong/{path.name}: {sentence}" for sentence in said]
    if problems:
        raise ValueError("\n".join(problems))
    return sorted(found.values(), key=lambda each: ([int(part) for part in each.exercise.split(".")], each.name))


def _of_table(exercise: str, table: dict, right: dict[str, str], whole: dict[str, str]):
    """({name: answer}, what is wrong as sentences) of one table. right, whole: {name: text} of files."""
    found: dict[str, Stored] = {}
    problems: list[str] = []

    def text_of(base: str, waiting: tuple[str, ...]) -> str:
        """The text of a base. waiting: the records that lead to it."""
        if base == SOLUTION:
            return reference(exercise) + "\n"
        if base in right:
            return right[base]
        if base in waiting:
            raise ValueError(f"its base is an edit of itself: {' of '.join([*waiting, base])}")
        if base in table:
            return made(base, waiting).source
        if f"{exercise}/{base}" in whole:
            return whole[f"{exercise}/{base}"]
        raise ValueError(
            f'there is no base {base!r}: it is "{SOLUTION}", the name of a file in tests/right, or of another '
            f"wrong answer to {exercise}"
        )

    def made(name: str, waiting: tuple[str, ...] = ()) -> Stored:
        full = f"{exercise}/{name}"
        if full not in found:
            base, mistake, since, edits = _fields(table[name])
            unchanged = body(text_of(base, (*waiting, name)))
            try:
                changed = edited(unchanged, edits)
            except ValueError as error:
                raise ValueError(f"{error} ({base})") from None
            header = {"exercise": exercise, "mistake": mistake, "since": since}
            source = "".join(f"# {key}: {value}\n" for key, value in header.items() if value) + changed
            found[full] = Stored(full, exercise, _named(mistake), source, since, base, unchanged)
        return found[full]

    for name in table:
        try:
            made(name)
        except ValueError as error:
            problems.append(f"{name}: {error}")
    return found, problems


def _fields(record) -> tuple[str, str, str | None, list[list[str]]]:
    """(base, mistake, since, edits) of a record. Raises ValueError where one is missing, unknown or of another type."""
    if not isinstance(record, dict):
        raise ValueError("a record is a table with base, mistake and edits")
    if unknown := sorted(record.keys() - _KEYS):
        raise ValueError(f"there is no key {unknown[0]!r}; a record has base, mistake, edits, and perhaps since")
    for key in ("base", "mistake", "edits"):
        if key not in record:
            raise ValueError(f"{key} is missing")
    edits = record["edits"]
    pairs = isinstance(edits, list) and all(isinstance(e, list) and [*map(type, e)] == [str, str] for e in edits)
    if not pairs or not edits:
        raise ValueError("edits is a list of pairs [old, new]")
    return record["base"], record["mistake"], record.get("since"), edits


def edited(text: str, edits: list[list[str]]) -> str:
    """The text in which each old of [old, new] is replaced by its new, all at once.

    Raises ValueError where an old does not stand in it exactly once, or reaches into another one.
    """
    places = []
    for old, new in edits:
        at = text.find(old) if old else -1
        if at < 0 or text.find(old, at + 1) >= 0:
            count = sum(text.startswith(old, i) for i in range(len(text))) if old else 0
            raise ValueError(f"{old!r} stands {count} times in its base, expected once")
        if old == new:
            raise ValueError(f"{old!r} stays as it is")
        places.append((at, at + len(old), new))
    made, end = "", 0
    for begin, after, new in sorted(places):
        if begin < end:
            raise ValueError(f"{text[begin:after]!r} is in part the old of another edit: make one of both")
        made, end = made + text[end:begin] + new, after
    return made + text[end:]


def body(source: str) -> str:
    """The text of an answer below its header."""
    return source[_HEADER.match(source).end() :]


def _named(mistake: str | None) -> str | None:
    return None if mistake == "none" else mistake
