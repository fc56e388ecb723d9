"""The table of docs/teaching.md: the lessons by week, in courses of 4, 8 and 12 weeks, by the lessons' own minutes."""

from __future__ import annotations

import functools
import re

import headings

_PLACE = re.compile(r"(?<=<!-- pacing -->\n).*?(?=<!-- end of pacing -->)", re.DOTALL)
# {weeks of a course: the lessons that it leaves out}; docs/teaching.md says why
COURSES = {4: ("09", "10", "11", "12", "13", "15", "16", "17"), 8: ("12", "15", "17"), 12: ()}


def page(text: str) -> str:
    """The page's text with the table of the lessons in solutions/."""
    return _PLACE.sub(lambda _: table(headings.of_lessons()), text)


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


def table(lessons: list[headings.Heading]) -> str:
    """A line for each lesson: its minutes, and its week in each course."""
    week = {}
    totals, longest = [], []
    for weeks, left_out in COURSES.items():
        taken = [(lesson.number, lesson.minutes) for lesson in lessons if lesson.number not in left_out]
        placed = plan([minutes for _, minutes in taken], weeks)
        week[weeks] = {number: at for (number, _), at in zip(taken, placed)}
        totals.append(sum(minutes for _, minutes in taken))
        of_week = [sum(m for (_, m), at in zip(taken, placed) if at == w) for w in range(1, weeks + 1)]
        longest.append(max(of_week))
    lines = [f"| lesson | minutes | {' | '.join(f'{weeks} weeks' for weeks in COURSES)} |", "|---|---|---|---|---|"]
    for lesson in lessons:
        shown = " | ".join(f"week {at[lesson.number]}" if lesson.number in at else "left out" for at in week.values())
        lines.append(f"| {lesson.number} {lesson.title} | {lesson.minutes} | {shown} |")
    every = sum(lesson.minutes for lesson in lessons)
    lines.append(f"| **minutes** | {every} | {' | '.join(map(str, totals))} |")
    lines.append(f"| **minutes in the longest week** | | {' | '.join(map(str, longest))} |")
    return "\n".join(lines) + "\n"
