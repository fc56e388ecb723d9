"""The verdicts on a learner's file, as `check` prints them: once, and again on what has changed since."""

from __future__ import annotations

import sys
from dataclasses import replace

from .. import language, lessons
from ..judge import render
from ..language import say
from ..notebook import api, progress_store
from ..sentence import joined, kind_of, named, said
from ..spec import Answer, Exercise, Result
from .work_file import WorkFile


class Verdicts:
    """The last verdict on each exercise of one file. ids: the exercises that are asked for; none for all of the lesson.

    hint: whether each verdict that is no pass shows one more hint.
    """

    def __init__(self, ids: list[str], hint: bool):
        self._ids, self._hint = ids, hint
        self._answers: dict[str, Answer] = {}
        self._results: dict[str, Result] = {}
        self._asked: list[Exercise] = []
        self._language: str | None = None

    def all_passed(self) -> bool:
        """Whether all that was asked for passed. Of a whole lesson, a bonus exercise may be left out."""
        return bool(self._results) and all(self._is_fine(exercise) for exercise in self._asked)

    def _is_fine(self, exercise: Exercise) -> bool:
        result = self._results.get(exercise.id)
        left_out = result is not None and result.status == "not_attempted" and exercise.bonus and not self._ids
        return result is not None and (result.status == "passed" or left_out)

    def show(self, file: WorkFile) -> None:
        """Judge and print the exercises of a file whose answers are new, and what comes next."""
        self._language = file.read.language
        with language.speaking(self._language):
            first, self._asked = not self._asked, self._of(file)
            faults = file.faults()
            new = [exercise for exercise in self._asked if self._is_new(exercise, file.answer(exercise))]
            before = {exercise.id: self._results.pop(exercise.id, None) for exercise in new}
            if not first and (faults or new):
                print()
            for fault in faults:
                print(say(fault))
            # While a learner types, a line about what Python cannot read is enough.
            read = [each for each in new if first or not (faults and self._answers[each.id].broken)]
            for exercise in read:
                self._judge(exercise, file, before[exercise.id])
            failed = [exercise for exercise in read if not self._is_fine(exercise)]
            if self._hint and failed:
                api.hint(failed[0].id)
            if first or len(failed) < len(read):
                self._show_next(file)
            sys.stdout.flush()

    def tell(self, sentence: str) -> None:
        """Print a sentence in the language of the file."""
        with language.speaking(self._language):
            print(say(sentence), flush=True)

    def _of(self, file: WorkFile) -> list[Exercise]:
        asked = [lessons.exercises()[number] for number in self._ids]
        return asked or (lessons.of_lesson(file.read.lesson) if file.read.lesson else self._asked)

    def _is_new(self, exercise: Exercise, answer: Answer) -> bool:
        before = self._answers.get(exercise.id)
        self._answers[exercise.id] = answer
        return before is None or _text(before) != _text(answer)

    def _judge(self, exercise: Exercise, file: WorkFile, before: Result | None) -> None:
        answer = self._answers[exercise.id]
        result = self._results[exercise.id] = api.checked(exercise, answer)
        if result == before and result.status == "not_attempted":
            return  # only what it uses has changed
        print(render.text(_of_a_file(result, answer).record(), said("--hint shows one more hint")))
        for remark in file.remarks(exercise):
            print(f"     ! {say(remark)}")
        sys.stdout.flush()  # judging the next one takes a while

    def _show_next(self, file: WorkFile) -> None:
        """The points of the lesson, and what comes next."""
        lesson = lessons.number_of(self._asked[0].id)
        print(f"\n{progress_store.line(lesson)}\n{say(self._next(lesson, file))}")

    def _next(self, lesson: str, file: WorkFile) -> str:
        """The first exercise of the lesson that has not passed and is no bonus, or the next lesson."""
        scores = progress_store.current()
        left = (e for e in lessons.of_lesson(lesson) if not e.bonus and not self._has_all(e, scores))
        following = next(left, None)
        if following is not None:
            place = file.place(following)
            return said("next: {id} {title}, {place}", id=following.id, title=following.title, place=place)
        later = next((number for number in lessons.OUTLINE if number > lesson and lessons.of_lesson(number)), None)
        if later is None:
            return said("That was the last lesson.")
        return said("next: python -m grader start {lesson}", lesson=later)

    def _has_all(self, exercise: Exercise, scores: dict[str, float]) -> bool:
        result = self._results.get(exercise.id)
        if result is not None and result.status != "not_attempted":
            return result.status == "passed"
        return scores.get(exercise.id, 0.0) >= exercise.points


def _text(answer: Answer) -> tuple:
    """What a verdict depends on: of a cell that cannot be read, not the line in which it stands."""
    return answer.source, answer.missing, bool(answer.broken), bool(answer.taken)


def _of_a_file(result: Result, answer: Answer) -> Result:
    """The result in words of a file, which has no cells that run."""
    if result.status != "not_attempted":
        return result
    if kind_of(result.message) == "todo":
        which, left = (named(result.message, name) for name in ("which", "left"))
        message = said(
            "not yet: put your answer in place of the TODO of {which}{left}, and save the file", which=which, left=left
        )
    elif answer.missing and not answer.problems:
        message = said("nothing in the file defines {list}", list=joined("{one} and {two}", answer.missing))
    else:
        return result
    return replace(result, message=message)
