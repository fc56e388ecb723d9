"""The judge: a function from an exercise and an answer to a Result.

It runs the cases in a worker (run_cases.py) and compares in float64 (verdict.py). It lowers the kernels with Triton's
compiler, and runs them on a GPU where there is one (compiled.py). Then it names the mistake (diagnose.py) and renders
the text of the result (render.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace

import torch

from .. import environment
from ..mistakes.errors import of_syntax
from ..sentence import joined, message, said
from ..spec import Answer, Case, Evidence, Exercise, Result
from . import compiled, diagnose, render, untrusted, zygotes
from .repeats import with_repeats
from .run_cases import Run
from .verdict import Failure, unordered

PUBLIC_SEED = 20240229  # of the inputs; `check` uses it, and a grader may choose another one
SECONDS = 20.0  # for all cases of one exercise


def judge(exercise: Exercise, answer: Answer, seconds: float = SECONDS, seed: int = PUBLIC_SEED) -> Result:
    """The result of one answer. No behaviour of an answer makes it raise.

    seconds: time limit for all cases together. seed: of the inputs of the cases.
    """
    with _one_thread():
        result = _judged(exercise, answer, seconds, seed)
    return replace(result, text=render.text(result.record()))


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """The tensors to compare are small: a second thread of PyTorch would wait, on a core that the answer could have."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _judged(exercise: Exercise, answer: Answer, seconds: float, seed: int) -> Result:
    """The result without its text."""
    cases = in_order(exercise, seed)
    flags = list(answer.problems)
    points = float(exercise.points)
    result = Result(
        exercise.id, exercise.title, "failed", 0.0, points, cases=len(cases), flags=flags, bonus=exercise.bonus
    )
    if answer.broken and not (exercise.parts and 0 < len(answer.missing) < len(exercise.names)):
        return replace(result, status="error", message=answer.broken, mistake=of_syntax(answer.broken), flags=[])
    if answer.missing and not (exercise.parts and len(answer.missing) < len(exercise.names)):
        missing = said("no cell that has run defines {list}", list=joined("{one} and {two}", answer.missing))
        return replace(result, status="not_attempted", message=(*answer.problems, missing)[0])
    cuda = any(case.call.kind == "cuda" for case in cases)
    run = Run(exercise, answer, cases, seconds, flags)
    try:
        if cuda and not environment.has_compiler():
            raise zygotes.NoWorker(said("this exercise needs the C++ compiler g++, and this machine has none"))
        run.run_all()
        if run.not_attempted is not None:
            return replace(result, status="not_attempted", message=run.not_attempted, cases_passed=run.passed)
        failures = _failures(exercise, answer, run, seconds, flags, cuda)
    except zygotes.NoWorker as error:
        flags.insert(0, "grader-failed")  # not an error of the answer
        return replace(result, status="error", message=message(error), cases_passed=run.passed)
    result = replace(result, cases_passed=run.passed, cases_left=run.left)
    if not failures:
        result = replace(result, **_traffic(exercise, run.seen[::-1]))
        remarks = untrusted.handle(_remarks, exercise, *run.seen[-1], answer, otherwise=lambda why: [])
        return replace(result, status="passed", score=points, remarks=remarks)
    found, shown = diagnose.explain(exercise, answer, run.seen, failures)
    result = replace(result, **_traffic(exercise, [(shown.case, shown.evidence)]))
    if answer.taken and _is_no_function(failures[0]):
        found = replace(found, message=answer.taken, mistake="name-taken", also=None, by_numbers=False)
    counted = min(run.passed, len(cases) - len(_of_its_part(exercise, failures)))
    if run.failures:  # nobody has looked at the machine code of the others
        failed = {id(failure.case) for failure in run.failures}
        counted -= sum(case.machine is not None and id(case) not in failed for case, _ in run.seen)
    return replace(
        result, **vars(found) | {"cases_passed": counted if found.cases_passed is None else found.cases_passed}
    )


def _remarks(exercise: Exercise, case: Case, evidence: Evidence, answer: Answer) -> list[str]:
    return [sentence for sentence, detect in exercise.remarks if detect(case, evidence, answer)]


def in_order(exercise: Exercise, seed: int) -> list[Case]:
    """The cases of an exercise in the order of their run.

    Cases without a group come first, and within both kinds the smaller ones. With parts, the order is part by part.
    """
    made = exercise.cases(seed)
    cases = sorted(made, key=lambda case: (case.group is not None, case.size))
    if exercise.parts:
        cases.sort(key=lambda case: exercise.groups.index(case.group))
    return with_repeats(exercise, made, cases, seed)


def _failures(exercise: Exercise, answer: Answer, run: Run, seconds: float, flags: list, cuda: bool) -> list[Failure]:
    """The failures, the reported one first. Each later check runs only if all checks before it found none."""
    refused = compiled.refused(run.seen)
    if run.failures:  # where the interpreter went on, the variable had its value, and the numbers mean what they say
        refused = [failure for failure in refused if failure.mistake != "assigned-later"]
    replaced = {id(failure.case): failure for failure in (*run.failures, *refused)}
    places = {id(case): place for place, (case, _) in enumerate(run.seen)}
    failed = {failure.case.group for failure in replaced.values()}
    for case, evidence in run.seen:  # a name by the numbers tells more, where there is one
        if case.group not in failed and (failure := unordered(case, evidence)) is not None:
            replaced[id(case)] = failure
    failures = sorted(replaced.values(), key=lambda failure: places.get(id(failure.case), len(places)))
    failures = diagnose.in_order(exercise, failures)
    if not failures:
        failures = compiled.assemble(run.seen, run.limit, flags)
    gpu = exercise.kernels and environment.has_gpu() and (environment.has_cupy() or not cuda)
    if not failures and gpu:
        failures = compiled.on_gpu(exercise, answer, run.seen, seconds, flags)
    return failures


def _is_no_function(failure: Failure) -> bool:
    """Whether the check could not even call what it found under a name, or found another value."""
    error = failure.evidence.error
    if error is None:
        return failure.case.call.kind in ("value", "cuda")
    return not error["line"] and error["type"] in ("TypeError", "AttributeError")


def _of_its_part(exercise: Exercise, failures: list[Failure]) -> list[Failure]:
    """The failures that the feedback counts: all of them or, with parts, those of the first part that failed."""
    return [f for f in failures if not exercise.parts or f.case.group == failures[0].case.group]


def _traffic(exercise: Exercise, seen: diagnose.Seen) -> dict:
    """The ledger and the budget to show: those of the first of these cases that has both."""
    for case, evidence in seen:
        if case.budget and case.unit and evidence.rows and not evidence.error:
            ledger = {"read": evidence.read / case.unit, "written": evidence.written / case.unit}
            part = {"part": case.group} if exercise.parts else {}
            return {"ledger": ledger | part, "budget": (case.budget[0] / case.unit, case.budget[1] / case.unit)}
    return {}
