"""Running the cases of one answer, interpreted: one object, with a method for each way in which a case may end."""

from __future__ import annotations

import time

from ..spec import Answer, Case, Evidence, Exercise
from . import zygotes
from .oracle import Oracle
from .session import Session
from .verdict import Failure, failure_of


class Run:
    """The cases of one exercise, run one after the other until one of them ends the run.

    seconds: for all cases together. After `run_all`: failures, in the order of the cases; seen, every case that ran,
    with its evidence; passed, the number of right ones; not_attempted, a sentence where the exercise is still to do.
    """

    def __init__(self, exercise: Exercise, answer: Answer, cases: list[Case], seconds: float):
        self._exercise, self._answer, self._cases, self._seconds = exercise, answer, cases, seconds
        self._session: Session | None = None
        self._oracle = Oracle(seconds)
        self._end = time.monotonic() + seconds
        self._unfinished: set[str | None] = set()  # parts of the exercise of which no further case is run
        self.failures: list[Failure] = []
        self.seen: list[tuple[Case, Evidence]] = []
        self.passed = 0
        self.not_attempted: str | None = None

    def run_all(self) -> None:
        """Run the cases. Raises NoWorker."""
        try:
            for case in self._cases:
                if case.group not in self._unfinished and not self._go_on_after(case):
                    break
        finally:
            self._close_session()
            self._oracle.close()
        if self._exercise.parts and self.failures:
            self._weigh_parts()

    def _go_on_after(self, case: Case) -> bool:
        """Run one case; whether the next one is worth running."""
        if case.group in self._answer.missing:
            return self._part_missing(case)
        try:
            evidence = self._evidence(case)
        except (zygotes.Deadline, zygotes.Died) as error:
            return self._ended(case, error)
        todo = (evidence.error or {}).get("todo")
        if todo and case.group is not None and self._exercise.last_step is not None:
            return self._last_step_to_do(case)
        if todo or evidence.value is ...:
            return self._to_do(case, evidence, todo)
        return self._ran(case, evidence)

    def _evidence(self, case: Case) -> Evidence:
        if case.alone:
            self._close_session()
        if self._session is None:
            self._session = self._open(case)
        if self._session.loading_error:
            return Evidence(error=self._session.loading_error)
        evidence = self._session.run(case.call, self._oracle.run)
        if hasattr(evidence.value, "untyped_storage"):
            evidence.then = [self._oracle.run(each, evidence.value) for each in case.then]
        return evidence

    def _open(self, case: Case) -> Session:
        return zygotes.get().open(
            text(self._exercise, self._answer),
            max(self._end - time.monotonic(), 0.1),
            tools=case.call.kind == "cuda",
            modules=self._exercise.modules,
            imports=self._exercise.imports,
        )

    def _close_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _part_missing(self, case: Case) -> bool:
        """The part that the case belongs to is defined nowhere."""
        self._unfinished.add(case.group)
        sentence = f"not yet: no cell that has run defines {case.group}"
        self.failures.append(Failure(case, Evidence(), sentence, "todo-left"))
        return True

    def _ended(self, case: Case, error: Exception) -> bool:
        """The answer ran out of time, or its process ended."""
        late = isinstance(error, zygotes.Deadline)
        if late:
            failure = f"still running after {self._seconds:g} seconds", "endless"
        else:
            failure = "the process that ran your answer ended before it had a result", "exits"
        self.failures.append(Failure(case, Evidence(ran=False), *failure))
        self._unfinished.add(case.group)
        self._close_session()
        return self._exercise.parts and not late

    def _last_step_to_do(self, case: Case) -> bool:
        """The last step, which has points of its own, still holds its TODO."""
        if not self.failures:
            self.failures.append(Failure(case, Evidence(), "this last step is still to do", "todo-left"))
        return False

    def _to_do(self, case: Case, evidence: Evidence, todo: list | None) -> bool:
        """A TODO of this exercise or of an earlier one was met, or a value that is still `...`."""
        which, step, steps = todo or (self._exercise.id, None, None)
        if which == self._exercise.id:
            left = f" (step {step} of {steps} is the next)" if step and steps != "1" else ""
            sentence = f"not yet: fill in the TODO of {which}{left} and run its cell, then check again"
            self.not_attempted = sentence
        else:
            sentence = f"{self._exercise.id} uses the answer to {which}, which still holds its TODO"
        if self._exercise.parts:
            self._unfinished.add(case.group)
            self.failures.append(Failure(case, Evidence(), sentence, "todo-left"))
            return True
        if self.not_attempted is None:
            self.failures.append(Failure(case, evidence, sentence, "earlier-todo"))
        return False

    def _ran(self, case: Case, evidence: Evidence) -> bool:
        """The case ran to its end, or to an error of the answer."""
        self.seen.append((case, evidence))
        failure = failure_of(case, evidence)
        if failure is None:
            self.passed += 1
            return True
        self.failures.append(failure)
        return not self._session.loading_error and failure.mistake != "out-of-memory"

    def _weigh_parts(self) -> None:
        """A part that is still to do leaves the others their points; where all parts are, nothing was attempted."""
        if self.seen or any(failure.mistake != "todo-left" for failure in self.failures):
            self.not_attempted = None
        elif self.not_attempted is not None:
            self.not_attempted = self.failures[0].sentence


def text(exercise: Exercise, answer: Answer) -> str:
    """The text that a runner imports: the answer, and behind it the exercise's driver, under a file name of its own."""
    driver = f"\n\nexec(compile({exercise.driver!r}, '<check>', 'exec'))\n" if exercise.driver else ""
    return answer.source + driver
