"""Failures in words: which one to report, which mistake explains it, what share of the points is left."""

from __future__ import annotations

from collections import Counter

from .exercise import Answer, Case, Exercise, Result
from .failure import Failure
from .mistakes import MISTAKES


def in_order(exercise: Exercise, failures: list[Failure]) -> list[Failure]:
    """The failure to report comes first, among equals the smallest case.

    Wrong numbers come before traffic: a wrong kernel has no budget. Slowness may be the fault of either. What costs all
    points comes before what costs a share.
    """

    def rank(failure: Failure):
        if failure.case.group is None:
            return 0, failure.mistake == "endless", failure.traffic
        return 1 + failure.evidence.ran, exercise.groups.index(failure.case.group)

    return sorted(failures, key=rank)


def explain(exercise: Exercise, answer: Answer, cases: list[Case], failures: list[Failure], result: Result) -> None:
    """Fill in the result of an answer that failed: status, message, mistake, and points where a share is left."""
    first = failures[0]
    result.status = "failed"
    if first.mistake == "endless":
        result.status = "timeout"
    elif first.evidence.error and not first.case.expects_error and not first.evidence.error.get("where"):
        result.status = "error"  # what the guard caught ran, and ran wrong
    result.mistake, result.also = _name(exercise, answer, failures)
    result.message = f"{first.case.label}: {first.sentence}"
    result.cases_passed = min(result.cases_passed, result.cases - len(failures))
    grouped = sum(case.group is not None for case in cases)
    if grouped and first.case.group is None:
        # What an answer says of a group is worth nothing while it is wrong about the rest.
        result.cases_passed = len(cases) - grouped - sum(f.case.group is None for f in failures)
    elif grouped and first.evidence.ran:
        result.score = round(exercise.points * (1 - len(failures) / grouped), 2)
        count = Counter(f.case.group for f in failures)
        result.message = f"{first.sentence}: {', '.join(f'{n} {group}' for group, n in count.items())}"


def _name(exercise: Exercise, answer: Answer, failures: list[Failure]) -> tuple[str | None, str | None]:
    """The mistake that explains the most failing cases, and a second one whose numbers fit as well."""
    first = failures[0]
    if first.mistake and first.mistake in MISTAKES and not first.evidence.error:
        return first.mistake, None
    votes: dict[str, int] = {}
    by_numbers = set()
    for mistake, detect in exercise.mistakes:
        hits = sum(bool(detect(f.case, f.evidence, answer)) for f in failures)
        # What the smallest case does not show cannot be its explanation.
        if hits and detect(first.case, first.evidence, answer):
            votes[mistake] = max(votes.get(mistake, 0), hits)
            if getattr(detect, "by_numbers", False):
                by_numbers.add(mistake)
    if votes:
        best = max(votes, key=votes.get)
        equal = [m for m in votes if m != best and votes[m] == votes[best] and {m, best} <= by_numbers]
        return best, equal[0] if equal else None
    return first.mistake or _by_its_event(first), None


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
