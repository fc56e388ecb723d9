"""Failures in words: which one to report, which mistake explains it, what share of the points is left."""

from __future__ import annotations

from collections import Counter

from ..mistakes.detectors import output
from ..mistakes.registry import MISTAKES
from ..spec import Answer, Case, Detector, Evidence, Exercise, Result
from .verdict import Failure

Seen = list[tuple[Case, Evidence]]


def in_order(exercise: Exercise, failures: list[Failure]) -> list[Failure]:
    """The failure to report comes first, among equals the smallest case.

    Wrong numbers come before traffic: a wrong kernel has no budget. Slowness may be the fault of either. What costs all
    points comes before what costs a share.
    """

    def rank(failure: Failure):
        if failure.case.group is None:
            return 0, failure.mistake == "endless", failure.traffic
        if exercise.parts:
            return failure.mistake == "todo-left", exercise.groups.index(failure.case.group), failure.traffic
        return 1 + failure.evidence.ran, exercise.groups.index(failure.case.group)

    return sorted(failures, key=rank)


def explain(exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure], result: Result) -> None:
    """Fill in the result of an answer that failed: status, message, mistake, and points where a share is left.

    seen: every case that ran, with its evidence.
    """
    first = failures[0]
    if exercise.parts:
        right = {case.group for case, _ in seen} - {failure.case.group for failure in failures}
        result.score = round(exercise.points * len(right) / len(exercise.groups), 2)
        result.remarks = [f"{group} is right" for group in exercise.groups if group in right]
        failures = [f for f in failures if f.case.group == first.case.group]
        seen = [(case, evidence) for case, evidence in seen if case.group == first.case.group]
    result.status = "failed"
    if first.mistake == "endless" and not first.evidence.error:
        result.status = "timeout"
    elif first.evidence.error and not first.case.expects_error and not first.evidence.error.get("where"):
        result.status = "error"  # what the guard caught ran, and ran wrong
    result.mistake, result.also = _name(exercise, answer, seen, failures)
    result.message = f"{first.case.label}: {first.sentence}"
    result.cases_passed = min(result.cases_passed, result.cases - len(failures))
    if exercise.parts:
        if first.mistake == "todo-left":
            result.message = f"{first.case.group}: {first.sentence}"
        return
    grouped = sum(case.group is not None for case, _ in seen)
    if exercise.last_step is not None and first.case.group is not None:
        result.score = exercise.points - exercise.last_step
    elif grouped and first.case.group is None:
        # What an answer says of a group is worth nothing while it is wrong about the rest.
        result.cases_passed = len(seen) - grouped - sum(f.case.group is None for f in failures)
    elif grouped and first.evidence.ran:
        result.score = round(exercise.points * (1 - len(failures) / grouped), 2)
        count = Counter(f.case.group for f in failures)
        result.message = f"{first.sentence}: {', '.join(f'{n} {group}' for group, n in count.items())}"


def _name(exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure]) -> tuple[str | None, str | None]:
    """The mistake that explains the most failing cases, and a second one whose numbers fit as well."""
    first = failures[0]
    if first.mistake == "endless" and not first.evidence.error:
        reasons = (m for m, d in exercise.mistakes if d.endless and d(first.case, first.evidence, answer))
        return next(reasons, "endless"), None
    if first.mistake and first.mistake in MISTAKES and not first.evidence.error:
        return first.mistake, None
    failed = {id(f.case) for f in failures}
    passed = [(case, evidence) for case, evidence in seen if id(case) not in failed]
    ran = [(f.case, f.evidence) for f in failures if not f.evidence.error]
    votes: dict[str, float] = {}
    found: dict[str, Detector] = {}
    for mistake, detect in exercise.mistakes:
        # What the smallest case does not show cannot be its explanation.
        if not detect(first.case, first.evidence, answer):
            continue
        if detect.exact and not (_fits(detect, ran) and _fits(detect, passed)):
            continue
        hits = sum(_weight(detect, f) for f in failures if f is first or detect(f.case, f.evidence, answer))
        if hits > votes.get(mistake, 0):
            votes[mistake], found[mistake] = hits, detect
    if not votes:
        return first.mistake or _by_its_event(first), None
    best = [m for m in votes if votes[m] == max(votes.values())]
    if len(best) > 1:
        best = [m for m in best if _fits(found[m], passed)] or best
    equal = [m for m in best[1:] if found[m].fits and found[best[0]].fits]
    return best[0], equal[0] if equal else None


def _weight(detect: Detector, failure: Failure) -> float:
    """Nothing but NaN fits many a wrong formula, so as a fingerprint it counts half."""
    got = output(failure.case, failure.evidence)
    return 0.5 if detect.fits and got is not None and bool(got.isnan().all()) else 1


def _fits(detect: Detector, cases: Seen) -> bool:
    """Whether a wrong formula gives what the answer gave in these cases: else the answer is not that formula."""
    return detect.fits is None or all(detect.fits(case, evidence) for case, evidence in cases)


def _by_its_event(first: Failure) -> str | None:
    """What can be said of any exercise, from where an access left its tensor or from what came back."""
    where = (first.evidence.error or {}).get("where")
    if where:
        if where.get("lanes") == where.get("of"):
            return "out-of-bounds"  # no lane is where it should be: a mask would not help
        return "no-store-mask" if where.get("op") == "store" else "no-load-mask"
    if first.evidence.value is None and not first.evidence.error and first.case.call.kind == "call":
        return "returns-nothing"
    return None
