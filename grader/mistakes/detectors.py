"""Detectors that several topics use, and builders of detectors.

A detector looks at the values of an answer, at an access outside a tensor, or at the text of the answer.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, replace

import torch

from ..checks import compare, syntax
from ..checks.compare import same_number
from ..checks.examples import like
from ..sentence import foreign
from ..spec import Answer, Case, Detector, Evidence, Out


def output(case: Case, evidence: Evidence) -> torch.Tensor | None:
    """The tensor that an answer returned or that its kernel stored to, without spare rows; None where there is none.

    facts["out"] is the index of the output among the arguments; facts["spare"] is the number of rows at its end that
    are no part of the result.
    """
    if isinstance(evidence.value, torch.Tensor):
        return evidence.value
    index = case.facts.get("out")
    if index is None or index >= len(evidence.args):
        return None
    got = evidence.args[index]
    return got[: len(got) - case.facts["spare"]] if "spare" in case.facts else got


def looks(test: Callable[..., bool]) -> Detector:
    """Decorator: a detector of a function whose parameters say what it looks at.

    case, evidence, answer: these. source: the text of the answer, where somebody may have written it. tree: its syntax
    tree. got: the output, as `output` gives it. like_x: the same, where it has the shape of x. A field of the evidence
    has its name: error, read, written, launches, args, and so on. Any other name is one of the case's facts. A case
    without such a fact, text or output does not match.
    """
    names = tuple(inspect.signature(test).parameters)

    @functools.wraps(test)
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        seen = [_seen(name, case, evidence, answer) for name in names]
        return not any(each is _ABSENT for each in seen) and test(*seen)

    return Detector(detect)


_ABSENT = object()
_FIELDS = {field.name for field in fields(Evidence)}


def _seen(name: str, case: Case, evidence: Evidence, answer: Answer) -> object:
    """What a parameter of `looks` stands for; _ABSENT where there is none."""
    if name in ("case", "evidence", "answer"):
        return {"case": case, "evidence": evidence, "answer": answer}[name]
    if name == "source":
        return answer.source if len(answer.source) <= syntax.LONGEST else _ABSENT
    if name == "tree":
        try:
            return syntax.tree_of(answer.source)
        except SyntaxError:
            return _ABSENT
    if name in ("got", "like_x"):
        got, x = output(case, evidence), case.facts.get("x")
        right = got is not None and (name == "got" or (isinstance(x, torch.Tensor) and got.shape == x.shape))
        return got if right else _ABSENT
    return getattr(evidence, name) if name in _FIELDS else case.facts.get(name, _ABSENT)


NEARER = 0.25  # of an answer's distance from the right result: a formula that is not nearer than this tells nothing
ZEROS = 0.1  # the weight of a mutant that matches only zeros: many mistakes give zeros
# A wrong formula must fit at least this share of the failing cases. Fewer say little: on a row of two elements, many
# wrong formulas give the same numbers.
MOST = 0.5


def wrong_numbers(fits, right=None, weight=None, share: float = MOST) -> Detector:
    """Matches the numbers of a wrong formula. All builders of such detectors for tensors end here.

    fits(case, evidence): whether the formula gives the numbers of the answer. right(case, evidence): whether it gives
    the right ones as well, as for a single column; then a match is no sign of it. weight, share: as in Detector.
    """

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        return fits(case, evidence) and not (right and right(case, evidence))

    return Detector(detect, fits, weight, share, by_numbers=True)


def formula(compute, share: float = MOST) -> Detector:
    """Matches the numbers of a known wrong formula: compute(x, facts) returns a tensor of the shape of the output.

    facts["want"] is the right output; without it, the right output is the softmax of each row of x, of shape (M, N).
    share: as in Detector.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        return x is None or got is None or compare.alike(got, compute(x, case.facts))

    def right(case: Case, evidence: Evidence) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        return x is None or got is None or compare.alike(_right(case, got), compute(x, case.facts))

    def weight(case: Case, evidence: Evidence) -> float:
        got = output(case, evidence)
        want = _right(case, got)
        return 1.0 if want is None else loss_weight(got, want)

    return wrong_numbers(fits, right, weight, share)


def loss_weight(got: torch.Tensor, right: torch.Tensor) -> float:
    """The weight of a match with `got`, as Detector.weight has it. right: the right output, of the same shape."""
    off = (got.double() - right.double()).abs() > 1e-4 * right.double().abs()
    if (got.isfinite() & (off | ~right.isfinite())).any():
        return 1.0
    return 0.5 if got.isfinite().any() else 0.25 if got.isinf().any() else 0.0


def _right(case: Case, got: torch.Tensor) -> torch.Tensor | None:
    """The right output of a case with facts["x"]: facts["want"], or the softmax of each row; None without either."""
    x = case.facts["x"]
    return case.facts.get("want", torch.softmax(x.double(), 1).to(got.dtype) if x.dim() == 2 else None)


def outside(op: str, test=None) -> Detector:
    """Matches an access outside its tensor for which test(where, facts) holds; without a test, each.

    op: load, store or any. where describes the access: program (its numbers), tensor (its name), of (active lanes),
    lanes (of these outside), first (the element of the first active lane), row and column (of the first lane outside;
    row is None in a vector), line (of the block, with that lane), begins (the element of the first active lane of that
    line).
    """

    @looks
    def detect(error, case) -> bool:
        where = (error or {}).get("where")
        if not where or op not in (where.get("op"), "any"):
            return False
        try:
            return test is None or bool(test(where, case.facts))
        except KeyError:  # a case of another kind, as one that looks at the configurations, lacks facts of the test
            return False

    return detect


def written(test) -> Detector:
    """Matches the text of an answer: test gets its syntax tree. A text without one never matches."""

    @functools.lru_cache(maxsize=64)
    def matches(source: str) -> bool:
        try:
            return bool(test(syntax.tree_of(source)))
        except SyntaxError:
            return False

    return Detector(lambda case, evidence, answer: matches(answer.source))


def written_like(*examples: str) -> Detector:
    """Matches the text of an answer with an expression that looks like one of these examples, as `like` has them."""
    return written(lambda tree: bool(like(tree, *examples)))


def masked(op: str) -> Detector:
    """Matches an answer whose accesses all have a mask: its loads or its stores, as op says."""
    return written(lambda tree: not syntax.without_mask(tree, op))


def unmasked(op: str) -> Detector:
    """Matches an answer with an access without a mask: a load or a store, as op says."""
    return written(functools.partial(syntax.without_mask, op=op))


def past_the_row(where: dict, facts: dict) -> bool:
    """For `outside`: some lanes are inside, and the first lane outside is behind the end of its row."""
    return (where["lanes"] or 0) < (where["of"] or 0) and (where.get("column") or 0) >= facts["x"].shape[-1]


def too_many_lanes(where: dict, facts: dict) -> bool:
    """For `outside`: as `past_the_row`, and more lanes are active than a row has columns.

    Where the row has more columns than a block, the number of lanes tells nothing.
    """
    columns = facts["x"].shape[-1]
    return past_the_row(where, facts) and (where["of"] > columns or facts.get("block", 0) < columns)


def right_lanes_elsewhere(where: dict, facts: dict) -> bool:
    """For `outside`: in program 0 as many lanes are active as a row has columns, and some of them are beyond its end.

    In a later program the beginning of the row may be wrong, and those mistakes have other ids.
    """
    if (where.get("column") or 0) < 0:
        return False
    return where["program"][0] == 0 and (where["lanes"] or 0) < where["of"] == facts["x"].shape[-1]


def value_formula(test, told=lambda facts: True) -> Detector:
    """Matches a plain value that a known wrong formula gives: test gets the value and the facts of the case.

    The formula must give the value of the answer in every case that ran. told(facts): whether it says anything of a
    case with these facts.
    """
    detect = value(lambda got, facts: told(facts) and test(got, facts))

    def fits(case: Case, evidence: Evidence) -> bool:
        return not told(case.facts) or detect(case, evidence, None)

    return replace(detect, fits=fits, exact=True, by_numbers=True)


def value(test) -> Detector:
    """Matches a plain value: test gets the value and the facts of the case. A test that raises does not match.

    An answer may return anything, so a test may fail with one of the usual errors of a wrong type or length.
    """

    @looks
    def detect(error, value, case) -> bool:
        try:
            return error is None and bool(test(value, case.facts))
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError):
            return False

    return detect


def fault(find) -> Detector:
    """Matches a call that returned, and whose failure is the sentence find(case, evidence)."""

    @looks
    def detect(case, evidence) -> bool:
        found = None if evidence.error else find(case, evidence)
        return found is not None and case.verify(evidence) == found

    return detect


def traffic(formula) -> Detector:
    """Matches the pair (read, written) that formula(m, n), a known wrong count, gives for the m and n of the facts."""

    def test(got, facts):
        want = formula(facts["m"], facts["n"])
        return len(got) == 2 and all(same_number(g, w) for g, w in zip(got, want))

    return replace(value(test), by_numbers=True)


def both(*detectors: Detector) -> Detector:
    """Matches when all these detectors match. Their formulas apply together to the cases that passed."""

    def fits(case: Case, evidence: Evidence) -> bool:
        return all(d.fits(case, evidence) for d in detectors if d.fits is not None)

    return Detector(
        lambda case, evidence, answer: all(d(case, evidence, answer) for d in detectors),
        fits if any(d.fits for d in detectors) else None,
        next((d.weight for d in detectors if d.weight), None),
        max(d.share for d in detectors),
        any(d.exact for d in detectors),
        any(d.by_numbers for d in detectors),
    )


def opposite(detector: Detector) -> Detector:
    """Matches where a detector without a formula does not."""
    return Detector(lambda case, evidence, answer: not detector(case, evidence, answer))


def only_where(condition: Detector, numbers: Detector) -> Detector:
    """A detector of numbers that matches only where a condition does. Its formula still says what it says elsewhere."""
    return replace(numbers, detect=both(condition, numbers).detect)


def wrong_kind(attribute: str) -> Detector:
    """Matches a returned tensor whose attribute, "shape" or "dtype", is not that of the input x."""

    @looks
    def detect(x, value) -> bool:
        return isinstance(value, torch.Tensor) and getattr(value, attribute) != getattr(x, attribute)

    return detect


@looks
def nothing(error, value) -> bool:
    """The function returned None."""
    return error is None and value is None


@looks
def unchanged(x, got, case) -> bool:
    """The output holds the numbers of the input x, which are not the right ones."""
    right = case.facts.get("want")
    return isinstance(x, torch.Tensor) and compare.alike(got, x) and not compare.alike(right, x)


@looks
def input_overwritten(case, evidence) -> bool:
    """A tensor argument has other values after the call."""
    return bool(evidence.args and overwritten(case, evidence))


def overwritten(case: Case, evidence: Evidence) -> list[int]:
    """The tensor arguments that a call changed, numbered from 1. Outputs do not count, and a case may allow it."""
    if case.in_place:
        return []
    sent = [a for a in case.call.args if isinstance(a, (torch.Tensor, Out))]
    pairs = [pair for pair in zip(sent, evidence.args) if isinstance(pair[0], torch.Tensor)]
    return [number for number, (a, b) in enumerate(pairs, 1) if not _unchanged(a, b)]


def _unchanged(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors have the same values; NaN counts as 0."""
    if a.dtype == b.dtype and a.is_floating_point() and a.itemsize > 1 and torch.equal(a, b):
        return True  # the usual case, and quicker
    # In float64, because some dtypes have no comparison; without NaN, because NaN is not equal to itself.
    return torch.equal(a.double().nan_to_num(), b.double().nan_to_num())


@looks
def output_reused(value, second) -> bool:
    """The first result became the right result of the second call, facts["second"]."""
    return second is not None and isinstance(value, torch.Tensor) and compare.alike(value, second)


@looks
def nothing_stored(error, launches, written, got) -> bool:
    """Kernels ran, and none of them stored an element."""
    return error is None and bool(launches) and written == 0 and bool(got.isnan().all())


@looks
def shapes_clash(error) -> bool:
    """The shapes of two blocks cannot be broadcast, or a block does not have the shape of its addresses."""
    return bool(error) and foreign.is_a(error["message"], "blocks-misfit")


@looks
def ragged(x, case) -> bool:
    """The block is wider than the row."""
    return case.facts.get("block", 0) > x.shape[-1]


def no_pad(loss: Detector) -> Detector:
    """Matches where `loss` does, in an answer with a load that has a mask and no `other`.

    Three masked lanes side by side hold inf, -inf and NaN, so a right result of such a case speaks against it.
    """

    def fits(case: Case, evidence: Evidence) -> bool:
        x, got = case.facts.get("x"), output(case, evidence)
        masked = 0 if x is None else -x.shape[-1] % case.facts.get("block", 1)
        return masked < 3 or got is None or bool(got.isnan().any())

    return replace(both(written(syntax.load_without_other), loss), fits=fits, exact=True, by_numbers=False)


@looks
def shared(launches) -> bool:
    """Several programs stored the same element."""
    return any(launch["shared"] for launch in launches)


unshared = opposite(shared)  # no two programs stored the same element


@looks
def lowest_lost(x, like_x) -> bool:
    """Of rows below -1e37, the lowest became zeros or NaN: a value that is no part of the row was its maximum."""
    lost, top = ((like_x == 0) | like_x.isnan()).all(1), x.amax(1)
    return bool((x < -1e37).all() and lost.any() and (lost.all() or top[lost].max() < top[~lost].min()))


@looks
def dead_rows_are_zero(x, like_x) -> bool:
    """Rows without a kept finite entry hold 0, in every column or in some; the softmax of PyTorch holds NaN there."""
    dead = like_x[(x == -torch.inf).all(1)]
    return bool((dead == 0).any() and ((dead == 0) | dead.isnan()).all())


@looks
def rows_constant(x, like_x) -> bool:
    """The elements of each row are one and the same number, not 0 everywhere, in a row of several different values."""
    if x.dim() != 2 or not like_x.isfinite().all():
        return False
    alike = compare.alike(like_x, like_x[:, :1].expand(x.shape))
    return alike and bool((x != x[:, :1]).any() and (like_x != 0).any())


@looks
def all_nan(got) -> bool:
    """The output holds nothing but NaN."""
    return bool(got.isnan().all())


def only_these_nan(lost: torch.Tensor, got: torch.Tensor, x: torch.Tensor) -> bool:
    """Whether NaN was computed in the rows `lost` (bool, M) of got (M×N), and all others hold the softmax of x."""
    return bool(
        lost.any()
        and got[lost].isnan().all()
        and not (compare.never_stored(got).any() or got[~lost].isnan().any())
        and compare.alike(got[~lost], torch.softmax(x[~lost].double(), 1))
    )


@looks
def tail_is_nan(got, evidence) -> bool:
    """The same columns at the end of every row are still NaN, and those before them hold numbers."""
    if got.dim() != 2 or got.shape[1] < 2 or not _unstored(got, evidence):
        return False
    nan = compare.never_stored(got)
    columns = nan.all(dim=0)
    behind = not (columns.int().diff() < 0).any()
    return bool(behind and columns[-1] and not got[:, 0].isnan().any() and torch.equal(nan, columns.expand_as(nan)))


@looks
def first_block_only(got, case, evidence) -> bool:
    """Each row holds numbers in its first block, and is still NaN behind it."""
    block = case.facts.get("block", 0)
    if got.dim() != 2 or not _unstored(got, evidence):
        return False
    return bool(got[:, block:].isnan().all() and not got[:, :block].isnan().any())


def _unstored(got: torch.Tensor, evidence: Evidence) -> bool:
    """Whether some elements of an output may never have been stored. NaN alone does not tell."""
    single = len(evidence.launches) == 1 and not evidence.launches[0]["shared"]
    return not single or evidence.written < got.numel()


@looks
def tail_rows_nan(got) -> bool:
    """The first rows hold numbers, and all behind them are still NaN."""
    if got.dim() != 2 or len(got) < 2:
        return False
    stored = ~compare.never_stored(got)
    first = int(stored.all(dim=1).sum())
    return 0 < first < len(got) and bool(stored[:first].all() and not stored[first:].any() and not got[0].isnan().any())


@looks
def only_first_row(got, case, evidence, answer) -> bool:
    """Every row but the first is still NaN, and the first row holds numbers."""
    return tail_rows_nan(case, evidence, answer) and bool(compare.never_stored(got[1:]).all())
