"""The run of the cases of one answer, interpreted: a class with one method for each way in which a case ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..sentence import fault, message, said
from ..spec import Answer, Case, Evidence, Exercise
from . import compiled, zygotes
from .oracle import Oracle
from .repeats import kept_by_address
from .session import Session
from .time_limit import TimeLimit
from .verdict import Failure, failure_of

ENOUGH = 8  # telling failures of a part: they name the mistake, and what would run after them only takes time


class Run:
    """The cases of one exercise, run one after another until one of them ends the run.

    seconds: time limit for all cases together. flags: gets a sentence about kernels that nobody could lower.

    limit: of these seconds; what comes later for this answer may take what is left of it.
    After `run_all`: failures: in the order of the cases. seen: the cases that ran, with their evidence. left: number of
    those that did not, because the ones before them had told enough. passed: number of right cases. not_attempted: a
    sentence if the exercise still holds its TODO, else None.
    """

    def __init__(self, exercise: Exercise, answer: Answer, cases: list[Case], seconds: float, flags: list[str]):
        self._exercise, self._answer, self._cases, self.limit = exercise, answer, cases, TimeLimit(seconds)
        self._session: Session | None = None
        self._oracle, self._front_end = Oracle(self.limit), compiled.FrontEnd(self.limit, flags)
        self._unfinished: set[str | None] = set()  # parts of the exercise whose further cases are skipped
        self._telling: Counter[str | None] = Counter()  # failures of each part whose numbers tell mistakes apart
        self.failures: list[Failure] = []
        self.seen: list[tuple[Case, Evidence]] = []
        self.passed = self.left = 0
        self.not_attempted: str | None = None

    def run_all(self) -> None:
        """Run the cases. Raises NoWorker if no process can be started."""
        try:
            for case in self._cases:
                if case.group in self._unfinished:
                    continue
                if self._has_told_enough(case):
                    self.left += 1
                    continue
                if not self._go_on_after(case):
                    break
            else:
                self._go_the_other_way()
        finally:
            self._close_session()
            self._oracle.close()
            self._front_end.close()
        if self._exercise.parts and self.failures:
            self._settle_parts()

    def _go_the_other_way(self) -> None:
        """Run right cases again whose launches took one of the ways that Triton leaves open, and take the other one.

        Not the dear ones: what depends on the way does so in small cases too.
        """
        failed = {failure.case.group for failure in self.failures}
        for case, evidence in [*self.seen]:
            if case.dear or case.group in failed or not evidence.most("open"):
                continue
            label = said("{label}, with other values where a GPU may have any", label=case.label)
            call = replace(case.call, poison=not case.call.poison, memory="")
            before = self.passed, len(self.seen), len(self.failures)
            goes_on = self._go_on_after(replace(case, label=label, call=call, repeats=None))
            self.passed = before[0]
            if len(self.failures) > before[2]:
                failed.add(case.group)
            else:
                del self.seen[before[1] :]  # the case itself has been seen already
            if not goes_on:
                return

    def _has_told_enough(self, case: Case) -> bool:
        """Whether the failures of a case's part leave nothing for it to tell."""
        if case.dear and any(failure.case.group == case.group for failure in self.failures):
            return True
        if case.group is not None and not self._exercise.parts:
            return False  # it has a share of the points
        return self._telling[case.group] >= ENOUGH

    def _go_on_after(self, case: Case) -> bool:
        """Run one case. Returns whether to run the next one; so do the methods for the ways in which it ends."""
        if case.group in self._answer.missing:
            return self._part_missing(case)
        try:
            evidence = self._evidence(case)
        except (zygotes.Deadline, zygotes.Died) as error:
            return self._stopped(case, error)
        except compiled.Ended as error:
            return self._endless(case, message(error), error.mistake)
        if (evidence.error or {}).get("type") == "EndlessKernel":  # of the interpreter
            return self._endless(case, evidence.error["message"])
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
        last: list = [None]

        def run_given(given, tensors, until):
            last[0] = tensors[0]
            return self._oracle.run(given, *tensors, until=until)

        evidence = self._session.run(case.call, run_given, self._front_end.lower)
        evidence.last_given = last[0]
        # Those of launches while the answer was imported are the first case's.
        evidence.refusals, self._front_end.refusals = self._front_end.refusals, []
        if hasattr(evidence.value, "untyped_storage"):
            evidence.then = [self._oracle.run(each, evidence.value) for each in case.then]
        return evidence

    def _open(self, case: Case) -> Session:
        forking = zygotes.get()
        if self._exercise.kernels:
            self._front_end.wait()
        return forking.open(
            self._answer.source,
            self.limit,
            self._exercise.driver,
            self._front_end.lower,
            apart=any(each.apart for each in self._cases),
            elsewhere=self._exercise.kernels,
            tools=case.call.kind == "cuda",
            modules=self._exercise.modules,
            imports=self._exercise.imports,
        )

    def _close_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _part_missing(self, case: Case) -> bool:
        """No cell defines the function of the case's part."""
        self._unfinished.add(case.group)
        sentence = said("{group} is judged next: no cell that has run defines it yet", group=case.group)
        self.failures.append(Failure(case, Evidence(), sentence, "todo-left"))
        return True

    def _stopped(self, case: Case, error: Exception) -> bool:
        """The answer ran out of time, or its process ended. error: Deadline or Died."""
        if isinstance(error, zygotes.Deadline):
            return self._endless(case, message(error))
        sentence = said("the process that ran your answer ended before it had a result")
        self.failures.append(Failure(case, Evidence(ran=False), sentence, "exits"))
        self._unfinished.add(case.group)
        self._close_session()
        return self._exercise.parts

    def _endless(self, case: Case, sentence: str, mistake: str = "endless") -> bool:
        """A call did not return, or its kernel is never compiled: every further one would take as long."""
        self.failures.append(Failure(case, Evidence(ran=False), sentence, mistake))
        self._unfinished.add(case.group)
        self._close_session()
        return False

    def _last_step_to_do(self, case: Case) -> bool:
        """The last step of the exercise, which has its own points, still holds its TODO."""
        if not self.failures:
            self.failures.append(Failure(case, Evidence(), said("this last step is still to do"), "todo-left"))
        return False

    def _to_do(self, case: Case, evidence: Evidence, todo: list | None) -> bool:
        """The answer, or that to an earlier exercise, still holds its TODO, or the value is still `...`.

        todo: [exercise, step, number of steps] of the TODO; None for `...`.
        """
        which, step, steps = todo or (self._exercise.id, None, None)
        if which == self._exercise.id:
            left = (
                said(" (the check stopped at TODO {step} of {steps})", step=step, steps=steps)
                if step and steps != "1"
                else ""
            )
            sentence = fault(
                "todo",
                "not yet: put your answer in place of the TODO of {which}{left}, run its cell, then check again",
                which=which,
                left=left,
            )
            self.not_attempted = self.not_attempted or sentence
            if self._exercise.parts:
                sentence = said(
                    "{group} is judged next: put your answer in place of its TODO{left}, then check again",
                    group=case.group,
                    left=left,
                )
        else:
            sentence = said(
                "{id} uses the answer to {which}, which still holds its TODO", id=self._exercise.id, which=which
            )
        if self._exercise.parts:
            self._unfinished.add(case.group)
            self.failures.append(Failure(case, Evidence(), sentence, "todo-left"))
            return True
        if self.not_attempted is None:
            self.failures.append(Failure(case, evidence, sentence, "earlier-todo"))
        return False

    def _ran(self, case: Case, evidence: Evidence) -> bool:
        """The call of the case returned or raised. Raises NoWorker where the machine lacks memory."""
        self.seen.append((case, evidence))
        failure = failure_of(case, evidence)
        if failure is None:
            self.passed += 1
            return True
        if case.repeats is not None and kept_by_address(case, evidence, self.seen):
            failure.mistake = "kept-by-address"
        if failure.mistake == "out-of-memory" and self._session.too_little_memory:
            raise zygotes.NoWorker(self._session.too_little_memory)
        self.failures.append(failure)
        self._telling[case.group] += failure.tells
        return not self._session.loading_error and failure.mistake != "out-of-memory"

    def _settle_parts(self) -> None:
        """With parts, the exercise is not attempted only if every part still holds its TODO."""
        if self.seen or any(failure.mistake != "todo-left" for failure in self.failures):
            self.not_attempted = None
