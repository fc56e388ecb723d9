"""Comparisons of the values of an answer with float64. A comparison returns None, or a sentence: place and error."""

from __future__ import annotations

import math
from fractions import Fraction

import torch

from ..sentence import Said, fault, joined, said
from ..spec import Unreadable
from ..spec.unstored import MARKS
from .bounds import HALF, gradient_bound, least_bound, softmax_bound, softmax_slack


def softmax(x: torch.Tensor, got, scale: float = 1.0) -> str | None:
    """None when got is the row-wise softmax of scale · x, both of shape (M, N), else a sentence about its first fault.

    NaN is right where the softmax in float64 is NaN.
    """
    wrong_kind = kind(got, x)
    if wrong_kind:
        return wrong_kind
    x = scale * x.double()
    want = torch.softmax(x, dim=-1)
    error = (got.double() - want).abs()
    slack = softmax_slack(got.dtype)
    # The bound is smallest at the maximum. Most answers are within it everywhere, and this test is quick.
    if (error <= least_bound(x.shape[-1], got.dtype) * want + slack).all():
        return None
    good = error <= softmax_bound(x, got.dtype) * want + slack
    good |= _computed_nan(got) & want.isnan()
    if good.all():
        return None
    return place(got, want, good)


def scaled_away(x: torch.Tensor, got: torch.Tensor) -> bool:
    """Whether got is NaN in row 0, and all values of x are so low that they are -inf when scaled by log2(e).

    A right answer may use exp2 with a scaled exponent, and has NaN there. Row 0 tells it from a wrong one, whose NaN is
    in the other rows alone (`inputs.at_the_end`).
    """
    return bool((x < -2.359e38).all() and got[0].isnan().all())


def gradient(y: torch.Tensor, dy: torch.Tensor, got, off: torch.Tensor | float = 0.0) -> str | None:
    """None when got is y · (dy - Σ y · dy) row by row, all of shape (M, N), else a sentence.

    off: the relative error of y, as in `gradient_bound`.
    """
    wrong_kind = kind(got, dy)
    if wrong_kind:
        return wrong_kind
    want = softmax_gradient(y, dy)
    allowed = gradient_bound(y, dy, got.dtype, off)
    good = (got.double() - want).abs() <= allowed
    if good.all():
        return None
    row = int((~good).any(dim=1).nonzero()[0])
    column = int((~good[row]).nonzero()[0])
    value, expected = got[row, column].item(), want[row, column].item()
    if abs(expected) <= allowed[row, column]:
        expected = 0.0
    digits = apart(value, expected, 6 if abs(value - expected) < 0.01 * abs(expected) else 4)
    which = said("the row") if len(good) == 1 else said("row {row}", row=row)
    element = said(
        "{which}, column {column} {is_now}, expected {expected}",
        which=which,
        column=column,
        is_now=is_now(got[row, column], digits),
        expected=f"{expected:.{digits}g}",
    )
    count = said("{sum} of {numel} values differ", sum=int((~good).sum()), numel=good.numel())
    total = got[row].double().sum().item()
    if abs(total) <= allowed[row].sum() or total != total:
        return joined("{one}; {two}", [element, count])
    return said(
        "{element}; {count}, and the row sums to {total}, expected 0",
        element=element,
        count=count,
        total=f"{total:.4g}",
    )


def softmax_gradient(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """y · (dy - Σ y · dy) row by row, float64: the gradient of a softmax with output y, for the gradient dy of y.

    The Jacobian of a row is diag(y) - y yᵀ.
    """
    y, dy = y.double(), dy.double()
    return y * (dy - (y * dy).sum(-1, keepdim=True))


def state(got, want: tuple[float, float]) -> str | None:
    """None when got is the state (m, d) of some values, maximum and sum of exp(x - m), else a sentence."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return said("{shown} came back, expected two numbers (m, d)", shown=shown(got))
    for name, g, w in zip("md", got, want):
        if not same_number(g, w, rel=1e-5):
            digits = apart(g, w, 6) if isinstance(g, float) else 6
            return said(
                "{name} is {value}, expected {w}",
                name=name,
                value=f"{g:.{digits}g}" if isinstance(g, float) else shown(g),
                w=f"{w:.{digits}g}",
            )
    return None


def kind(got, like: torch.Tensor) -> str | None:
    """None when got is a tensor of the shape and dtype of `like`, else a sentence."""
    if got is None:
        return said("the function returned None")
    if not isinstance(got, torch.Tensor):
        # Not the entries of a list: a tensor of one number has arrived as that number.
        row = (
            said("a {name} of length {count}", name=type(got).__name__, count=len(got))
            if isinstance(got, (list, tuple))
            else ""
        )
        return fault("no-tensor", "{value} came back instead of a tensor", value=row or shown(got))
    if got.shape != like.shape:
        return said("the result has shape {tuple}, expected {tuple2}", tuple=tuple(got.shape), tuple2=tuple(like.shape))
    if got.dtype != like.dtype:
        return said("the result is {name}, expected {name2}", name=name(got.dtype), name2=name(like.dtype))
    return None


def place(got: torch.Tensor, want: torch.Tensor, good: torch.Tensor) -> str:
    """A sentence about the first wrong row: its sum, and its first wrong value. good: bool, of the shape of got."""
    row = int((~good).any(dim=1).nonzero()[0])
    column = int((~good[row]).nonzero()[0])
    which = said("the row") if len(good) == 1 else said("row {row}", row=row)
    value, expected = got[row, column].item(), want[row, column].item()
    total = got[row].double().sum().item()
    # The right sum is computed from rounded values: it is not quite 1 in half precision, and may be NaN.
    if abs(total - want[row].to(got.dtype).double().sum().item()) > max(1e-3, torch.finfo(got.dtype).eps):
        return said(
            "{which} sums to {total}, expected 1; its column {column} is {value}, expected {expected}",
            which=which,
            total=f"{total:.4g}",
            column=column,
            value=f"{value:.4g}",
            expected=f"{expected:.4g}",
        )
    digits = apart(value, expected, 6 if abs(value - expected) < 0.01 * abs(expected) else 4)
    count = said("{sum} of {numel} values differ", sum=int((~good).sum()), numel=good.numel())
    element = said(
        "column {column} {is_now}, expected {expected}",
        column=column,
        is_now=is_now(got[row, column], digits),
        expected=f"{expected:.{digits}g}",
    )
    halves = abs(value - expected) / abs(expected) * 2 / torch.finfo(got.dtype).eps if expected else torch.inf
    if got.dtype in HALF and 1 < halves < 10:
        element = said(
            "{element} (off by {halves} times half of eps; one rounding is 1 at most)",
            element=element,
            halves=f"{halves:.3g}",
        )
    if total != total:
        return said("{which}, {element}; {count}", which=which, element=element, count=count)
    return said(
        "{which}, {element}; {count}, the row sums to {total}",
        which=which,
        element=element,
        count=count,
        total=f"{total:.4g}",
    )


def tensor(got, want: torch.Tensor, rtol: float, atol: torch.Tensor | float = 0.0) -> str | None:
    """None when got equals want (same shape and dtype) to a relative error of rtol, else a sentence.

    atol: absolute error besides, a number or of the shape of want, where the arithmetic explains one: the difference of
    two terms of size s is off by some eps times s, however small it is. Infinities must be equal, and NaN is right
    where want is NaN.
    """
    wrong_kind = kind(got, want)
    if wrong_kind:
        return wrong_kind
    good = (got.double() - want.double()).abs() <= rtol * want.double().abs() + atol
    good = (good & want.isfinite()) | (got == want) | (_computed_nan(got) & want.isnan())
    if good.all():
        return None
    at = tuple(int(i) for i in (~good).nonzero()[0])
    where = (
        said("row {at}, column {at2}", at=at[0], at2=at[1])
        if len(at) == 2
        else said("element {value}", value=at[0] if len(at) == 1 else at)
    )
    expected = want[at].item()
    digits = apart(got[at].item(), expected, 6)
    return said(
        "{where} {is_now}, expected {expected}",
        where=where,
        is_now=is_now(got[at], digits),
        expected=f"{expected:.{digits}g}",
    )


def unstored_loaded(got: torch.Tensor) -> bool:
    """Whether a value was computed from memory that nothing was stored to."""
    integers, _, loaded = MARKS.get(name(got.dtype), ("", 0, 0))
    return bool(integers) and bool((got.contiguous().view(getattr(torch, integers)) == loaded).any())


def never_stored(got: torch.Tensor) -> torch.Tensor:
    """Where nothing was stored to, of got's shape. Of a dtype without a mark: where got is NaN."""
    integers, never, _ = MARKS.get(name(got.dtype), ("", 0, 0))
    return got.contiguous().view(getattr(torch, integers)) == never if integers else got.isnan()


def _computed_nan(got: torch.Tensor) -> torch.Tensor:
    """Where got is NaN and something was stored. A dtype without a mark does not tell, and then all NaN counts."""
    nan = got.isnan()
    return nan & ~never_stored(got) if name(got.dtype) in MARKS else nan


def apart(value: float, expected: float, least: int) -> int:
    """The number of digits with which two numbers that differ also look different, `least` if that is enough."""
    return next((d for d in (least, 6, 9, 17) if d >= least and f"{value:.{d}g}" != f"{expected:.{d}g}"), least)


def is_now(element: torch.Tensor, digits: int) -> str:
    """A phrase for the value of one element, and for memory that nothing was stored to."""
    integers, never, loaded = MARKS.get(name(element.dtype), ("", 0, 0))
    bits = element.view(getattr(torch, integers)).item() if integers else None
    if bits == never:
        return said("was never stored")
    item = f"{element.item():.{digits}g}" if element.is_floating_point() else str(element.item())
    if bits == loaded:
        return said("is {item}, from memory that was never stored to", item=item)
    return said("is {item}", item=item)


def same_number(a, b, rel: float = 1e-9) -> bool:
    """Whether two plain values are the same number, to a relative error of rel. A bool is no number."""
    if isinstance(a, bool) or isinstance(b, bool) or not all(isinstance(v, (int, float, Fraction)) for v in (a, b)):
        return False
    try:
        return a == b or math.isclose(a, b, rel_tol=rel)
    except OverflowError:  # an integer too large for a float
        return False


def two_numbers(got, want: tuple[int, int]) -> str | None:
    """None when got is the pair (read, written) of `want`, else a sentence."""
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return said("{shown} came back, expected two numbers (read, written)", shown=shown(got))
    if all(same_number(g, w) for g, w in zip(got, want)):
        return None
    wrong = [word for word, g, w in zip((said("read"), said("written")), got, want) if not same_number(g, w)]
    # The sentence leaves out the expected number: the exercise is to count it.
    return said(
        "{shown} came back; the number of elements {list} is not right",
        shown=shown(tuple(got)),
        list=joined("{one} and {two}", wrong),
    )


def shown(value) -> str:
    """A plain value for a sentence, at most 60 characters."""
    text = _unreadable(value.kind) if isinstance(value, Unreadable) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _unreadable(kind: str) -> Said:
    if isinstance(kind, Said):  # more than the name of a type
        return said("an object of the type {what}", what=kind)
    return said("an object of the type {kind}", kind=kind)


def alike(got, want: torch.Tensor, rtol: float = 1e-4) -> bool:
    """Whether got has the numbers of a known formula, NaN and inf included. It names mistakes; it accepts no answer.

    rtol: the relative error for float32 and float64; for half precision it is eps of the dtype.
    """
    if not isinstance(got, torch.Tensor) or got.shape != want.shape or got.is_complex():
        return False
    slack = 1e-37
    if got.dtype in HALF:
        rtol, slack = torch.finfo(got.dtype).eps, softmax_slack(got.dtype)
    got, want = got.double(), want.double()
    same = ((got - want).abs() <= rtol * want.abs() + slack) & want.isfinite()
    return bool((same | (got == want) | (got.isnan() & want.isnan())).all())


def name(dtype: torch.dtype) -> str:
    """The name of a dtype without its module: float32."""
    return str(dtype).removeprefix("torch.")
