"""How a mistake is recognised: by its numbers, by where it left its tensor, by how it is written."""

from __future__ import annotations

import functools
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..checks.compare import same_number
from ..spec import Answer, Case, Detector, Evidence, Out


def output(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """The tensor an answer made: what it returned, or what its kernel stored, without rows that are spare."""
    if isinstance(evidence.value, torch.Tensor):
        return evidence.value
    index = case.facts.get("out")
    if index is None or index >= len(evidence.args):
        return None
    got = evidence.args[index]
    return got[: len(got) - case.facts["spare"]] if "spare" in case.facts else got


def formula(compute) -> Detector:
    """Matches when the answer's numbers are those of a known wrong formula of the case's x.

    What is right says facts["want"]; without it, it is the softmax of x (M×N).
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        return x is None or got is None or compare.alike(got, compute(x, case.facts))

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        if x is None or got is None:
            return False
        wrong = compute(x, case.facts)
        if not compare.alike(got, wrong):
            return False
        right = case.facts.get("want", torch.softmax(x.double(), 1).to(got.dtype) if x.dim() == 2 else None)
        # Where the wrong formula happens to be right (one column, say), agreeing with it means nothing.
        return not compare.alike(right, wrong)

    return Detector(detect, fits)


def outside(op: str, test=None) -> Detector:
    """Matches an access that left its tensor: op is "load" or "store", test looks at where and the case's facts."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        where = (evidence.error or {}).get("where")
        if not where or where.get("op") != op:
            return False
        return test is None or bool(test(where, case.facts))

    return detect


def written(test) -> Detector:
    """Matches by how the answer is written: test gets its syntax tree."""

    @functools.lru_cache(maxsize=64)
    def fits(source: str) -> bool:
        try:
            return bool(test(syntax.tree_of(source)))
        except SyntaxError:
            return False

    return Detector(lambda case, evidence, answer: fits(answer.source))  # the same for every case


def past_the_row(where: dict, facts: dict) -> bool:
    """For `outside`: some lanes are inside the row, others run over its end."""
    return (where["lanes"] or 0) < (where["of"] or 0) and (where.get("column") or 0) >= facts["x"].shape[-1]


def value_formula(test) -> Detector:
    """Matches a plain value that a known wrong formula gives: test gets what the answer gave and the case's facts.

    Such a formula is known exactly: it is no explanation unless it gives what the answer gave on every case that ran.
    """
    detect = value(test)
    return replace(detect, fits=lambda case, evidence: detect(case, evidence, None), exact=True)


def value(test) -> Detector:
    """Matches a plain value: test gets what the answer gave and the case's facts."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        try:
            return evidence.error is None and bool(test(evidence.value, case.facts))
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            return False

    return detect


def traffic(formula) -> Detector:
    """Matches a pair (read, written) that a known wrong formula of the case's m and n gives."""

    def test(got, facts):
        want = formula(facts["m"], facts["n"])
        return len(got) == 2 and all(same_number(g, w) for g, w in zip(got, want))

    return value(test)


def both(*detectors: Detector) -> Detector:
    """Matches when all of them do."""
    return Detector(lambda case, evidence, answer: all(d(case, evidence, answer) for d in detectors))


def wrong_kind(what: str) -> Detector:
    """Matches a returned tensor whose "shape" or "dtype" is not that of the input x."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), evidence.value
        return x is not None and isinstance(got, torch.Tensor) and getattr(got, what) != getattr(x, what)

    return detect


@Detector
def nothing(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The function returned None."""
    return evidence.error is None and evidence.value is None


@Detector
def input_overwritten(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A tensor that was sent came back changed."""
    return bool(evidence.args) and overwritten(case, evidence)


def overwritten(case: Case, evidence: Evidence) -> bool:
    """Whether a tensor that was sent came back with other values."""
    sent = [a for a in case.call.args if isinstance(a, (torch.Tensor, Out))]
    pairs = [pair for pair in zip(sent, evidence.args) if isinstance(pair[0], torch.Tensor)]
    return not all(_unchanged(a, b) for a, b in pairs)


def _unchanged(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.dtype == b.dtype and a.is_floating_point() and a.itemsize > 1 and torch.equal(a, b):
        return True  # quicker, and the usual case
    # As float64, since not every dtype has operations of its own; and NaN equals nothing.
    return torch.equal(a.double().nan_to_num(), b.double().nan_to_num())


@Detector
def nothing_stored(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Kernels ran, and none of them stored a thing."""
    return (
        evidence.error is None and bool(evidence.launches) and evidence.written == 0 and all_nan(case, evidence, answer)
    )


@Detector
def ragged(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The block is wider than the row."""
    x = case.facts.get("x")
    return x is not None and case.facts.get("block", 0) > x.shape[-1]


@Detector
def shared(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Several programs stored the same element."""
    return any(launch["shared"] for launch in evidence.launches)


@Detector
def unshared(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """No two programs stored the same element."""
    return not shared(case, evidence, answer)


@Detector
def lowest_lost(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """A row of very low values came out as zeros or NaN: something that was no part of it was larger."""
    x, got = case.facts.get("x"), output(case, evidence)
    return got is not None and bool((x < -1e37).all()) and bool(((got == 0) | got.isnan()).all())


@Detector
def all_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Nothing but NaN came out."""
    got = output(case, evidence)
    return got is not None and bool(got.isnan().all())


@Detector
def tail_is_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last columns of every row were left as they were, the ones before them hold numbers."""
    got = output(case, evidence)
    if got is None or got.dim() != 2 or got.shape[1] < 2:
        return False
    nan = got.isnan()
    columns = nan.all(dim=0)
    return bool(columns[-1] and not nan[:, 0].any() and torch.equal(nan, columns.expand_as(nan)))


@Detector
def first_block_only(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Each row holds numbers in its first block, and was left as it was behind that."""
    got, block = output(case, evidence), case.facts.get("block", 0)
    return (
        got is not None and got.dim() == 2 and bool(got[:, block:].isnan().all() and not got[:, :block].isnan().any())
    )


@Detector
def tail_rows_nan(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The last rows were left as they were, the first holds numbers."""
    got = output(case, evidence)
    if got is None or got.dim() != 2 or len(got) < 2:
        return False
    return bool(got.isnan().all(dim=1)[-1] and not got[0].isnan().any())
