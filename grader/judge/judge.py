"""An answer and an exercise -> a Result. Drives a worker, compares in float64, names the mistake."""

from __future__ import annotations

import re
import time

from .. import environment
from ..mistakes.errors import from_error
from ..spec import Answer, Case, Evidence, Exercise, Result
from . import diagnose, oracle, render, zygotes
from .import_policy import reaches
from .verdict import Failure, failure_of

PUBLIC_SEED = 20240229  # `check` uses it; a grader may choose another
SECONDS = 20.0  # for all cases of one exercise
_GPU_START = 60.0  # seconds more, for a process to find its GPU and compile


def judge(exercise: Exercise, answer: Answer, seconds: float = SECONDS, seed: int = PUBLIC_SEED) -> Result:
    """The verdict on one answer. Never raises for anything an answer does."""
    result = Result(exercise.id, exercise.title, "failed", 0.0, float(exercise.points))
    result.flags = list(answer.problems)
    cases = sorted(exercise.cases(seed), key=lambda c: (c.group is not None, c.size))
    if exercise.parts:
        cases.sort(key=lambda c: exercise.groups.index(c.group))
    result.cases = len(cases)
    if answer.missing and not (exercise.parts and len(answer.missing) < len(exercise.names)):
        return _not_attempted(result, exercise, answer)
    cuda = any(case.call.kind == "cuda" for case in cases)
    try:
        if cuda and not environment.has_compiler():
            raise zygotes.NoWorker("this exercise needs the C++ compiler g++, and this machine has none")
        failures, seen = _run(exercise, answer, cases, seconds, result)
        if result.status == "not_attempted":
            return result
        if not failures:
            failures = _reaching(answer, seen)
        if not failures:
            failures = _lower(exercise, answer, seen, seconds, result)
        if not failures and exercise.kernels and environment.has_gpu() and (environment.has_cupy() or not cuda):
            failures = _on_gpu(exercise, _text(exercise, answer), seen, seconds, result)
    except zygotes.NoWorker as error:
        result.status, result.message = "error", str(error)
        result.flags.append("grader-failed")  # no fault of the answer's
        return render.render(result)
    counted = [(f.case, f.evidence) for f in failures[:1]] or seen[::-1]
    _ledger(
        result, exercise.parts, *next(((c, e) for c, e in counted if c.budget and e.rows and not e.error), (None, None))
    )
    if failures:
        diagnose.explain(exercise, answer, seen, failures, result)
    else:
        result.status, result.score = "passed", float(exercise.points)
        result.remarks = [sentence for sentence, detect in exercise.remarks if detect(*seen[-1], answer)]
    return render.render(result)


def _ledger(result: Result, parts: bool, case: Case | None, evidence: Evidence | None) -> None:
    """The traffic to show: of the failing case, or of the largest one when all is well."""
    if case is not None:
        result.ledger = {"read": evidence.read / case.unit, "written": evidence.written / case.unit}
        if parts:
            result.ledger["part"] = case.group
        result.budget = (case.budget[0] / case.unit, case.budget[1] / case.unit)


def _not_attempted(result: Result, exercise: Exercise, answer: Answer) -> Result:
    result.status = "not_attempted"
    names = " and ".join(answer.missing)
    result.message = answer.problems[0] if answer.problems else f"no cell that has run defines {names}"
    return render.render(result)


def _run(exercise, answer, cases, seconds, result) -> tuple[list[Failure], list[tuple[Case, Evidence]]]:
    """Run every case interpreted. The cases after one that never ended are not run; nor, where an exercise has parts,
    those of a part that is still to be written."""
    failures, seen = [], []
    unfinished: set[str] = set()
    session, runner, end = None, oracle.Runner(seconds), time.monotonic() + seconds
    for case in cases:
        if case.group in unfinished:
            continue
        if case.group in answer.missing:  # of an exercise with parts
            unfinished.add(case.group)
            failures.append(
                Failure(case, Evidence(), f"not yet: no cell that has run defines {case.group}", "todo-left")
            )
            continue
        try:
            if session is not None and case.alone:
                session.close()
                session = None
            if session is None:
                left = max(end - time.monotonic(), 0.1)
                session = zygotes.get().open(
                    _text(exercise, answer),
                    left,
                    tools=case.call.kind == "cuda",
                    modules=exercise.modules,
                    imports=exercise.imports,
                )
            if session.loading_error:
                evidence = Evidence(error=session.loading_error)
            else:
                evidence = session.run(case.call, runner.run)
            if hasattr(evidence.value, "untyped_storage"):
                evidence.then = [runner.run(each, evidence.value) for each in case.then]
        except (zygotes.Deadline, zygotes.Died) as error:
            failures.append(_ended(case, error, seconds))
            if not exercise.parts or isinstance(error, zygotes.Deadline):
                break
            unfinished.add(case.group)
            if session is not None:
                session.close()
                session = None
            continue
        todo = (evidence.error or {}).get("todo")
        if todo and case.group is not None and exercise.last_step is not None:
            if not failures:
                failures.append(Failure(case, Evidence(), "this last step is still to do", "todo-left"))
            break
        if todo or evidence.value is ...:
            _todo(exercise, todo, result)
            if exercise.parts:
                unfinished.add(case.group)
                failures.append(Failure(case, Evidence(), result.message, "todo-left"))
                continue
            if result.status == "not_attempted":
                break
            failures.append(Failure(case, evidence, result.message, "earlier-todo"))
            break
        seen.append((case, evidence))
        failure = failure_of(case, evidence)
        if failure:
            failures.append(failure)
            if session.loading_error or failure.mistake == "out-of-memory":
                break
        else:
            result.cases_passed += 1
    if session is not None:
        session.close()
    runner.close()
    if exercise.parts and failures:
        _weigh_parts(failures, seen, result)
    return diagnose.in_order(exercise, failures), seen


def _text(exercise: Exercise, answer: Answer) -> str:
    """What the worker imports: the answer, and behind it the exercise's driver, whose lines are not the answer's."""
    driver = f"\n\nexec(compile({exercise.driver!r}, '<check>', 'exec'))\n" if exercise.driver else ""
    return answer.source + driver


def _weigh_parts(failures, seen, result: Result) -> None:
    """A part that is still to be written leaves the others their points; where all of them are, nothing was tried."""
    if seen or any(failure.mistake != "todo-left" for failure in failures):
        result.status = "failed"
    else:
        result.message = failures[0].sentence
        render.render(result)


def _ended(case: Case, error: Exception, seconds: float) -> Failure:
    gone = Evidence(ran=False)
    if isinstance(error, zygotes.Deadline):
        return Failure(case, gone, f"still running after {seconds:g} seconds", "endless")
    return Failure(case, gone, "the process that ran your answer ended before it had a result", "exits")


def _todo(exercise: Exercise, todo: list | None, result: Result) -> None:
    which, step, steps = todo or (exercise.id, None, None)
    if which == exercise.id:
        result.status = "not_attempted"
        left = f" (step {step} of {steps} is the next)" if step and steps != "1" else ""
        result.message = f"not yet: fill in the TODO of {exercise.id}{left} and run its cell, then check again"
    else:
        result.message = f"{exercise.id} uses the answer to {which}, which still holds its TODO"
    render.render(result)


def _reaching(answer: Answer, seen) -> list[Failure]:
    """Right numbers and right traffic, from an answer that could have made up both."""
    found = reaches(answer.source)
    sentence = f"right numbers, but it reaches for {found}, which no answer needs"
    return [Failure(case, evidence, sentence, "reaches-behind") for case, evidence in seen] if found else []


def _lower(exercise: Exercise, answer: Answer, seen, seconds: float, result: Result) -> list[Failure]:
    """Ask Triton's compiler whether it would take the kernels that just ran interpreted."""
    launches = {}
    for case, evidence in seen:
        for launch in [] if case.call.kind == "cuda" else evidence.launches:
            key = repr([launch[k] for k in ("kernel", "signature", "constants", "options")])
            named = "?" not in launch["signature"].values()  # or an argument's type is one that Triton does not name
            own = re.search(rf"\bdef {re.escape(launch['kernel'])}\b", answer.source)  # and not one of the course's
            if named and own:
                launches.setdefault(key, (case, evidence, launch))
    if not launches:
        return []
    try:
        with zygotes.get("compiled").open(answer.source, seconds, modules=exercise.modules) as session:
            if session.loading_error:
                result.flags.append("not shown to Triton's compiler: " + render.last_line(session.loading_error))
                return []
            for case, evidence, launch in launches.values():
                found, error = session.lower(launch)
                if error:
                    sentence = f"runs interpreted, but Triton's compiler refuses it: {render.last_line(error)}"
                    return [Failure(case, evidence, sentence, from_error(error) or "refused-by-compiler")]
                if not found:  # a kernel that is a local of some function: its name leads nowhere
                    result.flags.append(f"not shown to Triton's compiler: {launch['kernel']} is no global name")
    except (zygotes.Deadline, zygotes.Died, zygotes.NoWorker) as error:
        result.flags.append(f"not shown to Triton's compiler: {error or 'it took too long'}")
    return []


def _on_gpu(exercise: Exercise, text: str, seen, seconds: float, result: Result) -> list[Failure]:
    """The same cases again, compiled, on the GPU. `seen` holds their interpreted evidence."""
    failures = []
    try:
        started = zygotes.get("compiled").open(text, seconds + _GPU_START, "cuda", modules=exercise.modules)
        with started as session:
            for case, interpreted in seen:
                if case.interpreted_only:
                    continue
                evidence = Evidence(error=session.loading_error) if session.loading_error else session.run(case.call)
                # A compiled kernel is not counted; what it did when interpreted stands.
                evidence.launches, evidence.rows = interpreted.launches, interpreted.rows
                evidence.read, evidence.written = interpreted.read, interpreted.written
                if evidence.error and not case.expects_error:
                    sentence = render.error_sentence(evidence.error)
                else:
                    sentence = case.verify(evidence)
                if sentence:
                    mistake = from_error(evidence.error) if evidence.error else None
                    failures.append(Failure(case, evidence, f"right interpreted, but on the GPU: {sentence}", mistake))
                if evidence.error and not case.expects_error:
                    break  # an error on a GPU may spoil everything after it
    except (zygotes.Deadline, zygotes.Died) as error:
        sentence = f"right interpreted, but on the GPU the process ended ({error or 'it ran too long'})"
        failures.append(Failure(seen[0][0], Evidence(ran=False), sentence))
    asked = sum(not case.interpreted_only for case, _ in seen)
    result.flags.append(f"compiled on the GPU: {asked - len(failures)} of {asked} cases")
    return failures
