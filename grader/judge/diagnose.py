"""The diagnosis: the failure to report, the mistake that explains it, and the remaining share of the points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import torch

from ..checks import compare
from ..mistakes.detectors import ZEROS, output, unchanged, unmasked
from ..mistakes.registry import MISTAKES
from ..sentence import joined, kind_of, listed, said, within
from ..spec import Answer, Case, Detector, Evidence, Exercise
from . import untrusted
from .replay import Replay, outputs
from .verdict import Failure

Seen = list[tuple[Case, Evidence]]
Table = Iterable[tuple[str, Detector]]
_MOST = 0.8  # share of the failing cases that a formula must match where the numbers are lost
_REFUSALS = ("RefusedOperator", "RefusedKernel", "LeftForHost")  # of the device
_OF_A_NAME = ("NameError", "UnboundLocalError")  # no detector knows more about these
# Of errors in a kernel, those with several causes.
_OF_SEVERAL = ("shapes-do-not-line-up", "axis-out-of-range", "no-such-attribute")


@dataclass
class Diagnosis:
    """The part of a Result that depends on the failures. cases_passed: None means the count of the run."""

    status: str
    score: float
    message: str
    mistake: str | None
    also: str | None
    by_numbers: bool
    remarks: list[str] = field(default_factory=list)
    cases_passed: int | None = None


@dataclass(frozen=True)
class Name:
    """The mistakes that explain the failures. Fields as in Result.

    shown: the failure to report, where the first one has lost the numbers of the mistake. NaN has many causes.
    """

    mistake: str | None
    also: str | None = None
    by_numbers: bool = False
    shown: Failure | None = None


@dataclass(frozen=True)
class Vote:
    """The match of one detector with the failures.

    hits: failing cases that it matches; those with nothing but NaN count half. certain: whether one weighs 1.
    """

    mistake: str
    detector: Detector
    hits: float
    certain: bool


def in_order(exercise: Exercise, failures: list[Failure]) -> list[Failure]:
    """The failures by importance: the first one is reported. Equal ones keep their order, the smallest case first.

    Wrong numbers come before a wrong way to right ones, as its traffic, which means nothing for a wrong kernel. A case
    that ran out of time comes last, because either can be the cause. Failures that cost all points come before those
    that cost a share.
    """

    def rank(failure: Failure):
        if failure.case.group is None:
            return 0, failure.mistake == "endless", _way(failure)
        if exercise.parts:
            # What is not yet written comes last, unless the parts are steps of one function, climbed in order.
            place = exercise.groups.index(failure.case.group), failure.mistake == "todo-left"
            return *(place if len(exercise.names) == 1 else place[::-1]), _way(failure)
        return 1 + failure.evidence.ran, exercise.groups.index(failure.case.group)

    return sorted(failures, key=rank)


def _way(failure: Failure) -> int:
    """0 for wrong numbers; of right ones, 1 where the exercise asks for another way to them, 2 for traffic alone."""
    return 0 if not failure.right_numbers else 1 if failure.mistake is None else 2


def explain(exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure]) -> tuple[Diagnosis, Failure]:
    """The diagnosis of an answer that failed, and the failure that it reports.

    seen: every case that ran, with its evidence. failures: in the order of `in_order`.
    """
    if exercise.parts:
        return _explain_parts(exercise, answer, seen, failures)
    first = failures[0]
    named = name(exercise, answer, seen, failures)
    shown = named.shown or first
    found = Diagnosis(_status(first), 0.0, joined("{one}: {two}", [shown.case.label, shown.sentence]), *_names(named))
    grouped = sum(case.group is not None for case, _ in seen)
    if exercise.last_step is not None and first.case.group is not None:
        found.score = exercise.points - exercise.last_step
    elif grouped and first.case.group is None:
        # Passed cases of a group do not count as long as a case without a group fails.
        found.cases_passed = len(seen) - grouped - sum(f.case.group is None for f in failures)
    elif grouped and first.evidence.ran:
        found.score = round(exercise.points * (1 - len(failures) / grouped), 2)
        count = Counter(f.case.group for f in failures)
        groups = joined("{one}; {two}", [said("{count} {group}", count=n, group=group) for group, n in count.items()])
        found.message = joined("{one}: {two}", [first.sentence, groups])
    return found, shown


def _names(named: Name) -> tuple[str | None, str | None, bool]:
    return named.mistake, named.also, named.by_numbers


def _explain_parts(
    exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure]
) -> tuple[Diagnosis, Failure]:
    """As `explain`, for an exercise with parts. Each part gives its share; the first failed part is described."""
    first = failures[0]
    right = {case.group for case, _ in seen} - {failure.case.group for failure in failures}
    failures = [failure for failure in failures if failure.case.group == first.case.group]
    # Parts of one function share its mistakes: the inputs on which the other parts passed tell them apart.
    together = [pair for pair in seen if pair[0].group in (right if len(exercise.names) == 1 else ())]
    own = [pair for pair in seen if pair[0].group == first.case.group]
    beyond = [pair for pair in seen if pair[0].group not in (*right, first.case.group)]
    named = name(exercise, answer, [*together, *own], failures, beyond if len(exercise.names) == 1 else [])
    shown = named.shown or first
    message = (
        first.sentence if first.mistake == "todo-left" else joined("{one}: {two}", [shown.case.label, shown.sentence])
    )
    known = {first.case.group, *(case.group for case, _ in seen)}
    left = [group for group in exercise.groups if group not in known]
    if left and first.mistake == "endless":
        message = said("{message}. Not checked: {list}", message=message, list=listed(left))
    remarks = [said("right: {group}", group=group) for group in exercise.groups if group in right]
    score = round(exercise.points * len(right) / len(exercise.groups), 2)
    return Diagnosis(_status(first), score, message, *_names(named), remarks), shown


def _status(first: Failure) -> str:
    if first.mistake == "endless" and not first.evidence.error:
        return "timeout"
    if first.evidence.error and not first.case.expects_error and not first.evidence.error.get("where"):
        # An access that the guard stopped, and an order that the device refused, are wrong results and no errors.
        return "failed" if first.evidence.error["type"] in _REFUSALS else "error"
    return "failed"


def name(exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure], beyond: Seen | None = None) -> Name:
    """The mistake that explains most failing cases, and a second one whose numbers fit equally well.

    beyond: cases of the later parts of the same function. They tell apart what fits `failures` equally well.
    """

    def unknown(why):
        return Name(failures[0].mistake)

    found = untrusted.handle(_name, exercise, answer, seen, failures, beyond or [], otherwise=unknown)
    with_numbers = [f for f in failures if _is_number(f)]
    if found.mistake in (None, "nan-computed") and failures[0].shows_nan and with_numbers:
        # One mistake made NaN of the smallest cases, and another one may show in the numbers of the others.
        other = untrusted.handle(_name, exercise, answer, seen, with_numbers, beyond or [], otherwise=unknown)
        if other.mistake is not None and other.by_numbers:
            return replace(other, shown=other.shown or with_numbers[0])
    return found


def _is_number(failure: Failure) -> bool:
    """Whether the wrong value that a failure shows is a number, and no NaN."""
    failed = failure.evidence.error or failure.case.expects_error or failure.right_numbers
    return not failed and not failure.shows_nan


def _name(exercise: Exercise, answer: Answer, seen: Seen, failures: list[Failure], beyond: Seen) -> Name:
    first = failures[0]
    if first.mistake == "endless" and not first.evidence.error:
        reasons = (m for m, d in exercise.mistakes if d.endless and d(first.case, first.evidence, answer))
        return Name(next(reasons, "endless"))
    error = first.evidence.error
    certain = error is None or error["type"] in (*_REFUSALS, *_OF_A_NAME)
    in_a_kernel = error and error["kernel"] and not error["where"] and first.mistake not in _OF_SEVERAL
    if first.mistake in MISTAKES and (certain or in_a_kernel):
        return Name(first.mistake)
    failed = {id(f.case) for f in failures}
    passed = [pair for pair in seen if id(pair[0]) not in failed and not _accepted_nan(*pair)]
    table = [pair for pair in exercise.mistakes if not pair[1].last]
    found = votes(table, answer, passed, failures)
    best = leading(found, passed, failures)
    if not (first.mistake in MISTAKES or first.right_numbers or _decided(best, passed, failures)):
        with Replay(exercise) as replay:
            found = votes(replay.detectors(), answer, passed, failures, found)
            best = leading(found, passed, failures)
    if not best:
        table = [pair for pair in exercise.mistakes if pair[1].last]
        best = leading(votes(table, answer, passed, failures), passed, failures)[:1]
    if not best:
        return Name(first.mistake or _mistake_of_event(first, answer))
    best = _fitting_most(best, beyond)
    equal = [vote.mistake for vote in best[1:] if vote.detector.fits and best[0].detector.fits]
    if len(equal) > 1 and not best[0].certain:
        return Name(None)  # three mistakes and more lose the same numbers
    chosen = best[0].detector
    shown = _telling(chosen, answer, failures) if chosen.by_numbers else first
    return Name(best[0].mistake, equal[0] if equal else None, chosen.by_numbers, shown)


def _telling(detect: Detector, answer: Answer, failures: list[Failure]) -> Failure:
    """The first failure that shows the numbers of a mistake, and not only NaN, which may have another cause."""
    with_numbers = (f for f in failures if not f.evidence.error and weight(detect, f) == 1)
    return next((f for f in with_numbers if detect(f.case, f.evidence, answer)), failures[0])


def _accepted_nan(case: Case, evidence: Evidence) -> bool:
    """Whether a case accepted NaN where the right result has numbers: that tells nothing of the way it came about."""
    x, got = case.facts.get("x"), output(case, evidence)
    return isinstance(x, torch.Tensor) and got is not None and got.shape == x.shape and compare.scaled_away(x, got)


def _decided(best: list[Vote], passed: Seen, failures: list[Failure]) -> bool:
    """Whether no mutant can change the name: the first vote has every failing case, and all numbers there are.

    A mutant with the same numbers would only be a second name.
    """
    if not best or best[0].hits < len(failures):
        return False
    ran = [(failure.case, failure.evidence) for failure in failures if not failure.evidence.error]
    return fits(best[0].detector, passed) and fits(best[0].detector, ran)


def votes(
    detectors: Table, answer: Answer, passed: Seen, failures: list[Failure], before: Iterable[Vote] = ()
) -> list[Vote]:
    """One vote for each mistake that can explain the failures: the vote of its best detector.

    before: votes of other detectors, which came first.
    """
    first = failures[0]
    alike = [f for f in failures if f.case.call.name == first.case.call.name]  # a formula is one of forward or backward
    numeric = [(f.case, f.evidence) for f in alike if not (f.evidence.error or f.case.expects_error or f.right_numbers)]
    ran = [(f.case, f.evidence) for f in failures if not f.evidence.error]
    with_numbers = [not (case.expects_error or evidence.error) for case, evidence in passed]
    found = {vote.mistake: vote for vote in before}
    for mistake, detect in detectors:
        if detect.fits is not None and first.right_numbers:
            continue  # right numbers tell of no wrong formula
        # The mistake must explain the first failure, because this is the reported one.
        if not detect(first.case, first.evidence, answer):
            continue
        if detect.exact and not (fits(detect, ran) and fits(detect, passed)):
            continue
        matched = [f for f in failures if f is first or detect(f.case, f.evidence, answer)]
        if detect.fits is None or not numeric:
            share = len(matched) / len(failures)
        else:  # a formula agrees with a case for which it says nothing
            share = sum(fits(detect, [each]) for each in numeric) / len(numeric)
        if share < detect.share:
            continue
        weights = [weight(detect, f) for f in matched]
        certain = max(weights) == 1
        if not certain and not (max(weights) > ZEROS and len(matched) >= _MOST * len(failures)):
            # An output of NaN alone names no mistake, unless the formula fits every case and a passed case has numbers.
            if not ((any(with_numbers) or max(weights) == ZEROS) and fits(detect, ran) and fits(detect, passed)):
                continue
        hits = sum(1 if each > 0 else 0.5 for each in weights)
        other = found.get(mistake)
        better = other is None or hits > other.hits
        # Two changes may make the same mistake. With as many hits, prefer the one that also fits the passed cases.
        if better or (hits == other.hits and fits(detect, passed) and not fits(other.detector, passed)):
            found[mistake] = Vote(mistake, detect, hits, certain)
    return list(found.values())


def leading(found: list[Vote], passed: Seen, failures: list[Failure]) -> list[Vote]:
    """The votes with the most hits. Of several, those whose formula fits the most of the passed cases.

    Of these, those whose formula fits the most of the failing ones: where a case gave NaN, a match counts half, so one
    formula can miss it and another explain it with as many hits. A formula that is wrong about most of the passed cases
    has the numbers of the failing ones by chance.
    """
    most = max((vote.hits for vote in found), default=0)
    best = [vote for vote in found if vote.hits == most]
    failed = [(f.case, f.evidence) for f in failures if not f.evidence.error]
    if len(best) > 1:
        fitting = [
            tuple(sum(fits(vote.detector, [each]) for each in seen) for seen in (passed, failed)) for vote in best
        ]
        best = [vote for vote, counts in zip(best, fitting) if counts == max(fitting)]
        if len(passed) > len(failures) and 2 * max(fitting)[0] < len(passed):
            best = []
    return best


def _fitting_most(best: list[Vote], cases: Seen) -> list[Vote]:
    """Of several votes, those whose formula fits the most of these cases."""
    if len(best) < 2:
        return best
    ran = [pair for pair in cases if not pair[1].error]
    fitting = [sum(fits(vote.detector, [each]) for each in ran) for vote in best]
    return [vote for vote, count in zip(best, fitting) if count == max(fitting)]


def weight(detect: Detector, failure: Failure) -> float:
    """The weight of a match: 1, or less for a formula where the numbers are lost."""
    return 1.0 if detect.weight is None else detect.weight(failure.case, failure.evidence)


def fits(detect: Detector, cases: Seen) -> bool:
    """Whether a detector's wrong formula gives the output of the answer in all these cases. True without a formula."""
    return detect.fits is None or all(detect.fits(case, evidence) for case, evidence in cases)


def _mistake_of_event(first: Failure, answer: Answer) -> str | None:
    """A mistake that is possible in every exercise, from the place of a stopped access or from a returned None."""
    where = (first.evidence.error or {}).get("where")
    if where:
        if not where.get("row") and (where.get("column") or 0) < 0:
            return "before-the-beginning"
        if where.get("lanes") == where.get("of"):
            return "out-of-bounds"  # all active lanes are outside: a mask would not help
        x, block = first.case.facts.get("x"), first.case.facts.get("block", 0)
        if isinstance(x, torch.Tensor) and (where.get("of") or block + 1) <= x.shape[-1] <= block:
            return "addresses-not-mask" if where["of"] == x.shape[-1] else None  # no lane too many
        if not unmasked(where["op"])(first.case, first.evidence, answer):
            return "mask-does-not-help"
        return "no-store-mask" if where["op"] == "store" else "no-load-mask"
    got = output(first.case, first.evidence)
    if got is not None and not first.evidence.error and compare.unstored_loaded(got):
        return "unstored-loaded"
    if first.evidence.error:
        return None
    if first.evidence.value is None and first.case.call.kind == "call":
        return "returns-nothing"
    if any(kind_of(each) == "no-tensor" for each in within(first.sentence)):
        return "no-tensor-returned"
    if unchanged(first.case, first.evidence, answer=None):
        return "unchanged"
    return _mistake_of_memory(first, answer, got) if _finite(first.case) else None


def _mistake_of_memory(first: Failure, answer: Answer, got: torch.Tensor | None) -> str | None:
    """The way in which the outputs came to hold NaN. got: the first output."""
    if first.case.call.few is not None and got is not None:  # in the other rows nothing is stored, as none of them ran
        return "elements-unstored" if compare.never_stored(got[list(first.case.call.few[1])]).any() else None
    stored = [got, *(outputs(first.case, first.evidence) if "spare" not in first.case.facts else [])]
    found = [_nan(each) for each in stored if each is not None and each.is_floating_point()]
    mistake = next(filter(None, found), None)
    if mistake not in ("nothing-stored", "elements-unstored"):
        return mistake if first.shows_nan else None  # not one beside the number that is reported
    if not first.evidence.launches:
        return "memory-unset"
    if "atomic_" in answer.source:
        return "unstored-loaded"
    if set(found) != {"nothing-stored"}:
        return "elements-unstored"  # of one output, or of two
    return "stored-elsewhere" if first.evidence.written else mistake


def _finite(case: Case) -> bool:
    """Whether no number that goes into a case is inf or NaN, so that a right answer holds none."""
    sent = [a for a in case.call.args if isinstance(a, torch.Tensor)]
    return all(bool(a.isfinite().all()) for a in sent)


def _nan(got: torch.Tensor) -> str | None:
    """The way in which a result came to hold NaN."""
    never = compare.never_stored(got)
    if never.any():
        return "nothing-stored" if never.all() else "elements-unstored"
    return "nan-computed" if got.isnan().any() else None
