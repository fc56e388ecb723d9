"""The table of docs/teaching.md: the lessons by week, in courses of 4, 8 and 12 weeks, by the lessons' own minutes."""

from __future__ import annotations

import functools
import pathlib
import re

SOLUTIONS = pathlib.Path(__file__).resolve().parent
_PLACE = re.compile(r"(?<=<!-- pacing -->\n).*?(?=<!-- end of pacing -->)", re.DOTALL)
_TITLE = re.compile(r"^# # ([0-9]{2}) · (.+)$", re.MULTILINE)
_STATED = re.compile(r"^# \*About (?:[0-9.]+ to )?(an?|half an|one|two|three|[0-9.]+) (minutes|hours?)\b", re.MULTILINE)
_WORDS = {"a": 1.0, "an": 1.0, "half an": 0.5, "one": 1.0, "two": 2.0, "three": 3.0}
# {weeks of a course: the lessons that it leaves out}; docs/teaching.md says why
COURSES = {4: ("09", "10", "11", "12", "13", "15"), 8: ("12", "15"), 12: ()}


def page(text: str, lessons: list[tuple[str, str, int]] | None = None) -> str:
    """The page's text with the table of these lessons, or of those in solutions/."""
    return _PLACE.sub(lambda _: table(lessons or stated()), text)


def stated(folder: pathlib.Path = SOLUTIONS) -> list[tuple[str, str, int]]:
    """(number, title, minutes) of each lesson, as its first cell says. Of "2 to 3 hours" the longer time counts."""
    found = []
    for source in sorted(folder.glob("[0-9][0-9]_*.py")):
        text = source.read_text(encoding="utf-8")
        title, said = _TITLE.search(text), _STATED.search(text)
        if not (title and said):
            raise SystemExit(f'{source.name} does not say how long it takes, such as "*About 35 minutes."')
        length = _WORDS[said[1]] if said[1] in _WORDS else float(said[1])
        found.append((title[1], title[2], round(length * (60 if said[2].startswith("hour") else 1))))
    return found


def plan(minutes: list[int], weeks: int) -> list[int]:
    """The week, from 1, of each of several lessons in their order: the longest week is as short as can be.

    Of several such plans, the one with the least sum of squares, so that weeks are alike.
    """

    @functools.cache
    def best(first: int, left: int) -> tuple[int, int, tuple[int, ...]]:
        """(longest week, sum of squares, last lessons of the weeks) for the lessons from `first` on."""
        if left == 1:
            week = sum(minutes[first:])
            return week, week**2, (len(minutes),)
        plans = []
        for last in range(first, len(minutes) + 1):
            week, (longest, squares, ends) = sum(minutes[first:last]), best(last, left - 1)
            plans.append((max(week, longest), squares + week**2, (last, *ends)))
        return min(plans)

    ends = best(0, weeks)[2]
    return [1 + sum(end <= i for end in ends) for i in range(len(minutes))]


def table(lessons: list[tuple[str, str, int]]) -> str:
    """A line for each lesson: its minutes, and its week in each course."""
    week = {}
    totals, longest = [], []
    for weeks, left_out in COURSES.items():
        taken = [(number, minutes) for number, _, minutes in lessons if number not in left_out]
        placed = plan([minutes for _, minutes in taken], weeks)
        week[weeks] = {number: at for (number, _), at in zip(taken, placed)}
        totals.append(sum(minutes for _, minutes in taken))
        of_week = [sum(m for (_, m), at in zip(taken, placed) if at == w) for w in range(1, weeks + 1)]
        longest.append(max(of_week))
    lines = [f"| lesson | minutes | {' | '.join(f'{weeks} weeks' for weeks in COURSES)} |", "|---|---|---|---|---|"]
    for number, title, minutes in lessons:
        weeks = " | ".join(f"week {at[number]}" if number in at else "left out" for at in week.values())
        lines.append(f"| {number} {title} | {minutes} | {weeks} |")
    every = sum(minutes for _, _, minutes in lessons)
    lines.append(f"| **minutes** | {every} | {' | '.join(map(str, totals))} |")
    lines.append(f"| **minutes in the longest week** | | {' | '.join(map(str, longest))} |")
    return "\n".join(lines) + "\n"
