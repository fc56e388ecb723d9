"""Numbers of a run beside those of the reference: what is wrong with one result, as a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from ..checks.compare import apart, is_now, never_stored
from ..sentence import joined, said
from ..spec.unstored import MARKS
from .arguments import dtype_name


@dataclass(frozen=True)
class Wrong:
    """One wrong result. sentence: what is wrong. at: index of an element; None for a wrong shape. stored: whether
    anything was stored there."""

    sentence: str
    at: tuple[int, ...] | None = None
    stored: bool = True


def compared(
    name: str, got: torch.Tensor, want: torch.Tensor, error: torch.Tensor, by_pytorch: bool = False
) -> Wrong | None:
    """What is wrong with a result, None if nothing is. name: of the result. want: in float64. error: that is allowed.
    by_pytorch: whether an operator stored the result, from what kernels stored or did not store.

    Where the reference is NaN, any number that was stored is accepted: implementations do not agree on them.
    """
    if got.shape != want.shape:
        return Wrong(
            said("{name} has shape {got}, expected {want}", name=name, got=list(got.shape), want=list(want.shape))
        )
    bad, unstored = wrong_elements(got, want, error)
    if unstored.any():
        bad = unstored
    if not bad.any():
        return None
    at = tuple(int(i) for i in bad.nonzero()[0])
    value, expected = got[at].item(), want[at].item()
    where = f"{name}[{', '.join(map(str, at))}]" if at else name
    parts = []
    if unstored.any():
        parts.append(
            said("{where} is computed from memory that was never stored", where=where)
            if by_pytorch
            else said("{where} was never stored", where=where)
        )
    else:
        digits = apart(float(value), float(expected), 6)
        parts.append(
            said(
                "{where} {is_now}, expected {expected}",
                where=where,
                is_now=is_now(got[at], digits),
                expected=f"{expected:.{digits}g}" if want.is_floating_point() else str(expected),
            )
        )
    if got.numel() > 1:
        parts.append(_how_many(bad, unstored.any()))
    if not unstored.any() and want.is_floating_point() and want.isfinite()[at] and got.double().isfinite()[at]:
        limit = f"{error[at].item():.1g}"
        parts.append(said("off by {off}, and {limit} is allowed", off=f"{abs(value - expected):.2g}", limit=limit))
    return Wrong(joined("{one}; {two}", parts), at, not bool(unstored.any()))


def wrong_elements(got: torch.Tensor, want: torch.Tensor, error: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(which elements are wrong, which were never stored), both of the shape of the result."""
    marked = dtype_name(got.dtype) in MARKS
    unstored = never_stored(got) if marked else torch.zeros(got.shape, dtype=torch.bool)
    rounded = want.to(got.dtype)  # a number may be too large for the dtype
    good = ((got.double() - want.double()).abs() <= error) | (got == rounded)
    good = good | want.isnan() | error.isinf()
    return ~good, unstored


def nan_or_not(got: torch.Tensor, want: torch.Tensor) -> bool:
    """Whether the reference has a NaN where the result has none."""
    return got.shape == want.shape and want.is_floating_point() and bool((want.isnan() & ~got.isnan()).any())


def used(got: torch.Tensor, want: torch.Tensor, error: torch.Tensor) -> float:
    """The largest share of the allowed error that a right result has."""
    if not want.is_floating_point():
        return 0.0
    share = (got.double() - want.double()).abs() / error.clamp(min=1e-300)
    share = share[want.isfinite() & got.double().isfinite() & error.isfinite()]
    return float(share.max()) if share.numel() else 0.0


def _how_many(bad: torch.Tensor, unstored: bool) -> str:
    values = {"count": int(bad.sum()), "of": bad.numel()}
    if bad.ndim < 2:
        return (
            said("so are {count} of {of} elements", **values) if unstored else said("{count} of {of} differ", **values)
        )
    rows = bad.reshape(-1, bad.shape[-1])
    values |= {"rows": int(rows.any(1).sum()), "all": len(rows)}
    columns = rows.any(0).nonzero().reshape(-1)
    values |= {"first": int(columns[0]), "last": int(columns[-1])}
    if unstored:
        return said("so are {count} of {of} elements, in {rows} of {all} rows, columns {first} to {last}", **values)
    return said("{count} of {of} differ, in {rows} of {all} rows, columns {first} to {last}", **values)
