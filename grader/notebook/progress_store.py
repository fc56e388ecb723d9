"""The scores of a learner's checks: stored between sessions, shown as a table, saved to a file."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import sys

from .. import atomic_files, environment, lessons
from ..language import say
from ..sentence import said
from ..spec import Exercise, sign_of
from ..version import VERSION

# Environment variable: path of the file that keeps the scores; "off" keeps them in memory only.
_VARIABLE = "FIVE_PASSES_PROGRESS"
_DRIVE = pathlib.Path("/content/drive/MyDrive")  # Google Drive, once it is mounted in Colab
_ON_DRIVE = "five_passes_progress.json"
_HINTS = "hint {}"  # the key, beside those of the exercises, of the number of hints that are open
_session: dict[str, float] = {}
_last: dict[str, float] = {}


def remember(exercise_id: str, score: float) -> None:
    """Keep the best score of an exercise, in points, for this session and in the file; and that of its last check."""
    _last[exercise_id] = score
    _keep(exercise_id, score)


def open_hint(exercise: Exercise) -> int:
    """Open one more hint of an exercise, if it has one more. Returns how many are open, in this session and earlier."""
    key = _HINTS.format(exercise.id)
    _keep(key, min(_best().get(key, 0.0) + 1, float(len(exercise.hints))))
    return int(_session[key])


def _keep(key: str, value: float) -> None:
    """Keep the largest value of a key, for this session and in the file."""
    _session[key] = max(value, _session.get(key, 0.0))
    file = _file()
    if file is None:
        return
    try:
        atomic_files.write(file, json.dumps(_best()))
    except OSError:
        pass  # in a read-only folder, progress lasts for the session only


def table() -> str:
    """The table of progress: points by lesson, each exercise that was checked, and the next exercise."""
    scores = current()
    lines, total, extra, possible = [], 0.0, 0.0, 0.0
    for number, (_, points) in lessons.OUTLINE.items():
        if not lessons.of_lesson(number):
            continue
        mine, bonus = _of_lesson(number, scores)
        total, extra, possible = total + mine, extra + bonus, possible + points
        lines.append(_line(number, scores))
    in_all = say(said("all lessons"))
    lines.append(f"{'':14}  {say(_points(total, possible, extra))}  {in_all}")
    in_order = sorted(lessons.exercises().values(), key=lambda e: e.bonus)  # what is no bonus comes first
    following = next((e for e in in_order if scores.get(e.id, 0.0) < e.points), None)
    if following:
        lesson = lessons.number_of(following.id)
        lines.append(
            "    "
            + say(said("next: {id} {title}, in lesson {lesson}", id=following.id, title=following.title, lesson=lesson))
        )
    return "\n".join(lines)


def line(number: str) -> str:
    """The line of one lesson in the table of progress, such as that of "05"."""
    return _line(number, current())


def _line(number: str, scores: dict[str, float]) -> str:
    exercises, points = lessons.of_lesson(number), lessons.OUTLINE[number][1]
    mine, bonus = _of_lesson(number, scores)
    filled = min(int(10 * (mine + bonus) / points), 10)  # rounded down: a full bar means all points
    # The title comes late: few fonts draw a Chinese character as wide as two Latin ones, and what stands behind it is
    # not in line.
    title = say(lessons.TITLES[number]).removeprefix(number).strip()
    marks = " ".join(f"{e.id} {_mark(e, scores[e.id])}" for e in exercises if e.id in scores)
    bar = "█" * filled + "·" * (10 - filled)
    return f"{number}  {bar}  {say(_points(mine, points, bonus))}  {title}  {marks}".rstrip()


def _of_lesson(number: str, scores: dict[str, float]) -> tuple[float, float]:
    """(points, bonus points) in a lesson."""
    exercises = lessons.of_lesson(number)
    mine, bonus = (sum(scores.get(e.id, 0.0) for e in exercises if bool(e.bonus) is kind) for kind in (False, True))
    return mine, bonus


def _points(mine: float, possible: float, bonus: float) -> str:
    return (
        said(
            "{mine} of {possible} points, and {bonus} bonus",
            mine=f"{mine:g}",
            possible=f"{possible:g}",
            bonus=f"{bonus:g}",
        )
        if bonus
        else said("{mine} of {possible} points", mine=f"{mine:g}", possible=f"{possible:g}")
    )


def save(path: str) -> str:
    """Write the scores to a JSON file. Returns a sentence about it. Raises OSError if the file cannot be written."""
    scores, known = current(), lessons.exercises()
    record = {
        "course": "Five Passes to One",
        "grader": VERSION,
        "date": datetime.date.today().isoformat(),
        "says": "Public checks that passed, on inputs that everybody can see. Grading is another matter.",
        "public checks passed": [i for i, e in known.items() if scores.get(i, 0.0) >= e.points],
        "points": {i: scores[i] for i in known if i in scores},
        "possible": {i: float(e.points) for i, e in known.items()},
    }
    atomic_files.write(pathlib.Path(path), json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return said(
        "Saved to {path}: {count} of {count2} public checks passed.",
        path=path,
        count=len(record["public checks passed"]),
        count2=len(known),
    )


def kept() -> str | None:
    """How long the scores are kept in Colab, as a sentence for the first cell; None where they simply are."""
    if "google.colab" not in sys.modules or os.environ.get(_VARIABLE):
        return None
    file = _file()
    if _DRIVE in file.parents:
        return said("kept on your Drive, in {relative_to}", relative_to=file.relative_to(_DRIVE))
    return said(
        "ends with this session. To keep it, mount your Drive at any time: the folder symbol "
        "on the left, then Mount Drive. It is then kept there, in {ON_DRIVE}",
        ON_DRIVE=_ON_DRIVE,
    )


def current() -> dict[str, float]:
    """The best points by exercise id, of this session and earlier ones, limited to the points of the exercise."""
    known = lessons.exercises()
    return {i: min(max(s, 0.0), float(known[i].points)) for i, s in _best().items() if i in known}


def _best() -> dict[str, float]:
    stored = _stored()
    return stored | {i: max(score, stored.get(i, 0.0)) for i, score in _session.items()}


def _mark(exercise: Exercise, score: float) -> str:
    """The sign of the best score, or the score itself; and that of the last check, where it gave fewer points."""
    whole = sign_of("passed") if score >= exercise.points else f"{score:g}"
    last = _last.get(exercise.id, score)
    return (whole if score else sign_of("failed")) + (
        say(said(" (last check: {last})", last=f"{last:g}")) if last < score else ""
    )


def beside(kind: str) -> pathlib.Path | None:
    """The file for answers of a kind, "right" or "races", beside that of the scores; None where nothing is kept."""
    file = _file()
    return file and file.with_name(f"{file.stem}_{kind}.json")


def _file() -> pathlib.Path | None:
    chosen = os.environ.get(_VARIABLE)
    if chosen == "off":
        return None
    if chosen:
        return pathlib.Path(chosen)
    # A course that was fetched into a session of Colab is deleted with it.
    fleeting = "google.colab" in sys.modules and _DRIVE not in environment.ROOT.parents
    return _DRIVE / _ON_DRIVE if fleeting and _DRIVE.is_dir() else _beside_the_course()


def _beside_the_course() -> pathlib.Path:
    """The file in the course's folder; in the user's where the course is installed as a package."""
    return pathlib.Path.home() / f".{_ON_DRIVE}" if environment.INSTALLED else environment.ROOT / ".progress.json"


def _stored() -> dict[str, float]:
    """The scores in the file, and those that were kept in the course before a Drive was mounted."""
    file, in_course = _file(), _beside_the_course()
    scores = _read(file)
    if file != in_course and not os.environ.get(_VARIABLE):
        for exercise, score in _read(in_course).items():
            scores[exercise] = max(score, scores.get(exercise, 0.0))
    return scores


def _read(file: pathlib.Path | None) -> dict[str, float]:
    try:
        data = json.loads(file.read_text(encoding="utf-8")) if file else {}
        return {k: float(v) for k, v in data.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
