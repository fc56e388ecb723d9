"""Repeats: some cases run once more with other numbers in the same memory, so that a result kept by address is wrong.

A result that an answer keeps by a tensor's address, shape or identity is right as long as every call has a tensor of
its own. So, for each function of tensors, one case is followed by a call with the very same tensors, and another one by
a call with new tensors at the same addresses; both hold other numbers then.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from ..checks import compare
from ..sentence import said
from ..spec import Case, Evidence, Exercise

_OTHER = 0x5EED  # to the seed of the other numbers
_LARGEST = 20_000  # Case.size: larger ones are slow, or about something else than one call


def with_repeats(exercise: Exercise, cases: list[Case], ordered: list[Case], seed: int) -> list[Case]:
    """The cases in the order of their run, each repeat behind the case that it repeats.

    cases: as the exercise makes them from the seed. ordered: the same ones in the order of their run. The other numbers
    are those that the exercise makes from another seed, so each repeat is verified and counted like any case.
    """
    if not any(map(_takes_tensors, ordered)):
        return ordered
    others = dict(zip(map(id, cases), exercise.cases(seed + _OTHER)))
    repeated: dict[str, int] = {}  # how many cases of each function
    found = []
    for case in ordered:
        found.append(case)
        count, other = repeated.get(case.call.name, 0), others.get(id(case))
        if count < len(_WAYS) and other is not None and _repeatable(case, other):
            repeated[case.call.name] = count + 1
            found.append(_WAYS[count](case, other))
    return found


def _in_the_same_tensors(case: Case, other: Case) -> Case:
    label = said("{label}, then other numbers in the same memory", label=case.label)
    return replace(other, label=label, call=replace(other.call, memory="same"), repeats=case)


def _at_the_same_address(case: Case, other: Case) -> Case:
    label = said("{label}, then another tensor at the same address", label=case.label)
    return replace(other, label=label, call=replace(other.call, memory="address"), repeats=case)


_WAYS = (_in_the_same_tensors, _at_the_same_address)


def _takes_tensors(case: Case) -> bool:
    return case.call.kind == "call" and any(isinstance(arg, torch.Tensor) for arg in case.call.args)


def _repeatable(case: Case, other: Case) -> bool:
    """Whether two cases differ in nothing but the numbers of their tensors, and differ there."""
    if not _takes_tensors(case) or case.expects_error or case.alone or case.size > _LARGEST or case.call.strides:
        return False
    if case.call.name != other.call.name or len(case.call.args) != len(other.call.args):
        return False
    pairs = list(zip(case.call.args, other.call.args))
    tensors = [pair for pair in pairs if isinstance(pair[0], torch.Tensor)]
    return (
        all(isinstance(b, torch.Tensor) and _layout(a) == _layout(b) for a, b in tensors)
        and all(a == b for a, b in pairs if not isinstance(a, torch.Tensor))
        and not all(torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in tensors)
    )


def _layout(x: torch.Tensor) -> tuple:
    return x.dtype, x.shape, x.stride(), x.storage_offset(), x.untyped_storage().nbytes()


def kept_by_address(case: Case, evidence: Evidence, seen: list[tuple[Case, Evidence]]) -> bool:
    """Whether a repeat brought the result of the case that it repeats. seen: the cases that ran, in their order."""
    earlier = next((before for each, before in seen if each is case.repeats), None)
    if earlier is None or evidence.error or earlier.error:
        return False
    a, b = earlier.value, evidence.value
    return isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.shape == b.shape and compare.alike(a, b)
