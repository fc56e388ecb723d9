"""The replay of an exercise's mutants on cases that an answer failed: which of them give what the answer gave?

All mutants are texts of the course. They run in one process that is no answer's, and only after a failure.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..checks import compare
from ..checks.bounds import HALF
from ..mistakes.detectors import NEARER, ZEROS, loss_weight
from ..mistakes.mutant import Mutant, reference
from ..mistakes.registry import mutants
from ..protocol.calls import given_of, pack_call
from ..spec import Answer, Call, Case, Detector, Evidence, Exercise, Out
from . import zygotes

SECONDS = 20.0  # for all mutants of one failure; none of them hangs, but a machine may be slow
_SHARE = 0.5  # of the failing cases; a match in fewer is chance, as in a row of one column
_LARGEST = 20_000  # Case.size of the cases that are replayed
_MOST_KEPT, _LARGEST_KEPT = 4000, 4096  # outcomes that are kept for the next answer, and numbers in each
_kept: dict[tuple, Outcome] = {}


@dataclass(frozen=True)
class Outcome:
    """What one call gave: its value and its output tensors, or the error that ended it."""

    results: list[Any]
    error: tuple | None = None


def outcome(case: Case, evidence: Evidence) -> Outcome:
    """The outcome of a case. Two errors are the same if their type is, and their message or place outside a tensor.

    The wording of an error that the case expects does not matter.
    """
    error = evidence.error
    if error:
        where = error.get("where")
        place = tuple(map(repr, where.values())) if where else None if case.expects_error else error["message"]
        return Outcome([], (error["type"], place))
    return Outcome([evidence.value, *outputs(case, evidence)])


def outputs(case: Case, evidence: Evidence) -> list[torch.Tensor]:
    """The tensors that a kernel had to store to, after the call."""
    sent = [arg for arg in case.call.args if isinstance(arg, (torch.Tensor, Out))]
    return [after for arg, after in zip(sent, evidence.args) if isinstance(arg, Out)]


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes agree: in every number, NaN and infinities included, or in the error.

    Numbers of half precision agree bit for bit, because mistakes there differ in their roundings alone.
    """
    return a.error == b.error and _same(a.results, b.results)


def _same(a, b) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.dtype in HALF:
            numbers = a.shape == b.shape and bool(((a == b) | (a.isnan() & b.isnan())).all())
        else:
            numbers = compare.alike(a, b)
        # A NaN that was computed is no sign of an element that was never stored.
        return a.dtype == b.dtype and numbers and _unstored_alike(a, b)
    if isinstance(a, float) and isinstance(b, float) and a != a and b != b:
        return True
    return type(a) is type(b) and a == b or compare.same_number(a, b, rel=1e-5)


def tells(got: Outcome, found: Outcome, right: Outcome) -> bool:
    """Whether an answer's outcome is clearly nearer to a mutant's than to the right answer's.

    `same` allows for other roundings. An answer that is off by less than that is the same as each mutant that changes
    nothing there. So the distances decide: of the mistake that was made, only roundings are left.
    """
    if right.error is not None or found.error is not None:
        return found != right  # an error that the right answer raises as well says nothing of this mistake
    return _distance(got.results, found.results) < NEARER * _distance(got.results, right.results)


def _distance(a, b) -> float:
    """The mean relative difference, at most 1 for each number; 1 for what cannot be compared; the sum over a list."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        return sum(map(_distance, a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        if a.shape != b.shape or a.dtype != b.dtype or a.is_complex() or not _unstored_alike(a, b):
            return 1.0
        a, b = a.double(), b.double()
        apart = ((a - b).abs() / torch.maximum(a.abs(), b.abs())).nan_to_num(1.0).clamp(max=1.0)
        return apart.masked_fill((a == b) | (a.isnan() & b.isnan()), 0.0).mean().item() if a.numel() else 0.0
    if isinstance(a, float) and isinstance(b, float):
        return _distance(torch.tensor(a, dtype=torch.float64), torch.tensor(b, dtype=torch.float64))
    return 0.0 if type(a) is type(b) and a == b or compare.same_number(a, b) else 1.0


def _unstored_alike(a: torch.Tensor, b: torch.Tensor) -> bool:
    return not a.is_floating_point() or torch.equal(compare.never_stored(a), compare.never_stored(b))


def weight(got: Outcome, right: Outcome) -> float:
    """The weight of a match, as Detector.weight has it. right: the outcome of the right answer."""
    if got.error is not None or right.error is not None:
        return 1.0
    return _weight(got.results, right.results)


def _weight(got, right) -> float:
    if isinstance(got, (list, tuple)) and isinstance(right, (list, tuple)) and len(got) == len(right):
        weights = [_weight(*pair) for pair in zip(got, right) if pair[1] is not None and not _same(*pair)]
        return max(weights, default=0.5)  # what is right says nothing of the rest
    if isinstance(got, torch.Tensor) and isinstance(right, torch.Tensor) and got.shape == right.shape:
        return loss_weight(got, right) if got.any() else ZEROS
    if isinstance(got, float) and isinstance(right, float):
        return 0.0 if got != got else 0.25 if abs(got) == torch.inf else 0.5 if _same(got, right) else 1.0
    return 0.5 if _same(got, right) else 1.0


class Replay:
    """The mutants of one exercise. Each runs at most once on a case, and all of them on the first one that is asked.

    As a context manager it ends their process.
    """

    def __init__(self, exercise: Exercise):
        self._exercise = exercise
        self._mutants = replayed(exercise)
        self._session: zygotes.Session | None = None
        self._seen: dict[tuple, Outcome] = {}
        self._first: str | None = None
        self._over = False

    def detectors(self) -> list[tuple[str, Detector]]:
        """(id of the mistake, detector) for each mutant: it matches a case in which the mutant gives the same."""
        return [(mistake, self._detector(i)) for i, (mistake, _) in enumerate(self._mutants, 1)]

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _detector(self, number: int) -> Detector:
        def fits(case: Case, evidence: Evidence) -> bool:
            found = self._outcome(number, case)
            return found is None or same(outcome(case, evidence), found)

        def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
            found, right = self._outcome(number, case), self._outcome(0, case)
            if found is None or right is None or not fits(case, evidence):
                return False
            return tells(outcome(case, evidence), found, right)

        def weighed(case: Case, evidence: Evidence) -> float:
            right = self._outcome(0, case)
            return 0.0 if right is None else weight(outcome(case, evidence), right)

        return Detector(detect, fits, weighed, share=_SHARE, by_numbers=True)

    def _outcome(self, number: int, case: Case) -> Outcome | None:
        """The outcome of a mutant, or with 0 of the right answer; None where it cannot run."""
        of_a_driver = case.call.name not in self._exercise.names
        if of_a_driver or case.call.kind == "cuda" or given_of(case.call) or case.size > _LARGEST:
            return None
        key = _key(case.call)
        if self._first is None:
            self._first = key
            for each in range(len(self._mutants) + 1):
                self._run(each, case, key)
        return self._run(number, case, key)

    def _run(self, number: int, case: Case, key: str) -> Outcome | None:
        place = self._exercise.id, number, key
        found = self._seen.get(place) or _kept.get(place)
        if found is not None or self._over:
            return found
        try:
            call = replace(case.call, name=f"{case.call.name}_{number}", memory="")
            found = self._seen[place] = outcome(case, self._ready().run(call))
        except (zygotes.NoWorker, zygotes.Deadline, zygotes.Died):
            self._over = True  # no name is better than a wait
            return None
        if sum(r.numel() for r in found.results if isinstance(r, torch.Tensor)) <= _LARGEST_KEPT:
            while len(_kept) >= _MOST_KEPT:
                del _kept[next(iter(_kept))]
            _kept[place] = found
        return found

    def _ready(self) -> zygotes.Session:
        if self._session is None:
            self._session = zygotes.get().open(source(self._exercise), SECONDS)
        return self._session


def replayed(exercise: Exercise) -> list[tuple[str, Mutant]]:
    """(id of the mistake, mutant) for the mutants of an exercise that are replayed."""
    return [pair for pair in mutants().get(exercise.id, []) if pair[1].replayed]


def source(exercise: Exercise) -> str:
    """One text with the right answer and all mutants. Their functions bear numbers: the right one's is 0."""
    right = reference(exercise.id)
    texts = [right, *(mutant.apply(right) for _, mutant in replayed(exercise))]
    names = [node.name for node in ast.parse(right).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    own = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})\b")
    return "\n\n".join(own.sub(rf"\1_{number}", text) for number, text in enumerate(texts))


def _key(call: Call) -> str:
    header, payload = pack_call(call)
    digest = hashlib.sha256(json.dumps(header, sort_keys=True, default=repr).encode())
    for data in payload:
        digest.update(data)
    return digest.hexdigest()
