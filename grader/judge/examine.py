"""An examination of one answer: every case, the vote of every detector, and the reason for the name that was given."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace

from .. import environment
from ..sentence import listed, said
from ..spec import Answer, Detector, Exercise
from . import diagnose
from .judge import PUBLIC_SEED, SECONDS, in_order, judge
from .replay import Replay, replayed
from .run_cases import Run
from .verdict import Failure


@dataclass(frozen=True)
class Opinion:
    """What one detector makes of an answer.

    matches: labels of the failing cases that it matches. hits: the weight of these. fits: (cases, of how many) in which
    its wrong formula gives what the answer gave; None for a detector without a formula. place: file and line.
    """

    mistake: str
    detector: str
    place: str
    matches: tuple[str, ...]
    hits: float
    fits: tuple[int, int] | None
    ruled_out: str


@dataclass(frozen=True)
class Examination:
    """All that is known of one answer. cases: (label, sentence or None, whether it ran) in the order of judging."""

    cases: list[tuple[str, str | None, bool]]
    opinions: list[Opinion]
    mistake: str | None
    also: str | None
    reason: str


def examine(exercise: Exercise, answer: Answer, seconds: float = SECONDS, seed: int = PUBLIC_SEED) -> Examination:
    """Run the cases interpreted and ask every detector, also those that can no longer win. Raises NoWorker."""
    cases = in_order(exercise, seed)
    run = Run(exercise, answer, cases, seconds, flags=[])
    run.run_all()
    failures = diagnose.in_order(exercise, run.failures)
    failed = {id(failure.case): failure for failure in failures}
    ran = {id(case) for case, _ in run.seen} | failed.keys()
    listed = [
        (case.label, failed[id(case)].sentence if id(case) in failed else None, id(case) in ran) for case in cases
    ]
    if run.not_attempted:
        return Examination(listed, [], None, None, run.not_attempted)
    if not failures:  # the import policy, Triton's compiler or a GPU may still refuse it
        result = judge(exercise, answer, seconds, seed)
        return Examination(listed, [], result.mistake, result.also, result.message or said("every case is right"))
    passed = [(case, evidence) for case, evidence in run.seen if id(case) not in failed]
    opinions = [_opinion(mistake, detect, answer, passed, failures) for mistake, detect in exercise.mistakes]
    with Replay(exercise) as replay:
        for (mistake, mutant), (_, detect) in zip(replayed(exercise), replay.detectors()):
            found = _opinion(mistake, detect, answer, passed, failures)
            opinions.append(replace(found, detector=str(mutant), place=said("a mutant of the course's answer")))
    named = diagnose.name(exercise, answer, run.seen, failures)
    return Examination(listed, opinions, named.mistake, named.also, _reason(failures, opinions, named.mistake))


def _opinion(mistake: str, detect: Detector, answer: Answer, passed, failures: list[Failure]) -> Opinion:
    matched = [failure for failure in failures if detect(failure.case, failure.evidence, answer)]
    cases = [(f.case, f.evidence) for f in failures if not f.evidence.error] + passed
    fitting = sum(diagnose.fits(detect, [pair]) for pair in cases)
    first = failures[0] in matched
    weights = [diagnose.weight(detect, failure) for failure in matched]
    ruled_out = "" if first or not matched else said("it does not match the first failing case")
    if first and detect.exact and fitting < len(cases):
        ruled_out = said("its formula is exact and does not fit every case")
    if first and len(matched) < detect.share * len(failures):
        ruled_out = said("it matches too few of the failing cases")
    if first and max(weights) == 0 and fitting < len(cases):
        ruled_out = said("it shows nothing but NaN, and it does not fit every case")
    return Opinion(
        mistake,
        describe(detect),
        place_of(detect),
        tuple(failure.case.label for failure in matched),
        0.0 if ruled_out else sum(1 if weight > 0 else 0.5 for weight in weights),
        None if detect.fits is None else (fitting, len(cases)),
        ruled_out,
    )


def _reason(failures: list[Failure], opinions: list[Opinion], mistake: str | None) -> str:
    first = failures[0]
    if first.mistake and first.mistake == mistake and not any(o.hits and o.mistake == mistake for o in opinions):
        return said("the verdict on the first failing case names it, before any detector is asked")
    best = [opinion for opinion in opinions if opinion.mistake == mistake and opinion.hits]
    if not best:
        return said("no detector matches the first failing case: it is named by its event, or not at all")
    most = max(opinion.hits for opinion in opinions)
    equal = {opinion.mistake for opinion in opinions if opinion.hits == most}
    reason = said("it has the most votes, {most} of {count} failing cases", most=f"{most:g}", count=len(failures))
    return (
        reason
        if len(equal) == 1
        else said(
            "{reason}; {list} have as many, and the cases that passed decide", reason=reason, list=listed(sorted(equal))
        )
    )


def describe(detect: Detector) -> str:
    """A detector as it was made: the name of its function, or of its factory with the arguments."""
    return _made(detect.detect, depth=3)


def _made(function, depth: int) -> str:
    if ".<locals>" not in function.__qualname__ or depth == 0:
        return function.__name__ if function.__name__ != "<lambda>" else f"lambda in line {_line(function)}"
    factory = function.__qualname__.split(".<locals>")[0]
    arguments = [_shown(value, depth - 1) for value in inspect.getclosurevars(function).nonlocals.values()]
    return f"{factory}({', '.join(filter(None, arguments))})"


def _shown(value, depth: int) -> str:
    if isinstance(value, Detector):
        return _made(value.detect, depth)
    if isinstance(value, tuple):
        return ", ".join(filter(None, (_shown(each, depth) for each in value)))
    if inspect.isfunction(value):
        return _made(value, depth)
    return repr(value) if isinstance(value, (str, int, float)) else ""


def _line(function) -> int:
    return inspect.unwrap(function).__code__.co_firstlineno


def place_of(detect: Detector) -> str:
    """File and line of the function that is special about a detector: an argument of its factory, or its own."""
    function = detect.detect
    for value in inspect.getclosurevars(function).nonlocals.values():
        inner = value[0] if isinstance(value, tuple) and value else value
        if isinstance(inner, Detector):
            return place_of(inner)
        if inspect.isfunction(inner) and "<locals>" not in inner.__qualname__:
            function = inner
    code = inspect.unwrap(function).__code__
    file = code.co_filename.removeprefix(f"{environment.ROOT}/")
    return f"{file}:{code.co_firstlineno}"
