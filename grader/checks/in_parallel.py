"""The programs of a launch beside each other: what is right only while they run one after the other."""

from __future__ import annotations

from ..sentence import said
from ..spec import Evidence


def stored_by_several(evidence: Evidence) -> str | None:
    """None where one program of a launch stored each element, or atomics did; else a sentence."""
    for launch in evidence.launches:
        if launch["shared"]:
            what = (
                said("an element is")
                if launch["shared"] == 1
                else said("{shared} elements are", shared=launch["shared"])
            )
            return said(
                "right numbers here, where programs run one after the other, but {what} stored by "
                "two programs of {kernel}",
                what=what,
                kernel=launch["kernel"],
            )
    return None


def overtaken(evidence: Evidence) -> str | None:
    """None where barriers order the accesses of the lanes of a program to each element; else a sentence."""
    for launch in evidence.launches:
        if launch["overtaken"]:
            return said(
                "right numbers here, where lanes run in step, but in {kernel} lanes touch elements that other lanes of "
                "their program store, {times} times without a barrier in between",
                kernel=launch["kernel"],
                times=launch["overtaken"],
            )
    return None


def counted_too_early(evidence: Evidence) -> str | None:
    """None where an atomic orders each load behind the store of another program of its launch; else a sentence."""
    for launch in evidence.launches:
        if launch["early"]:
            return said(
                "right numbers here, where programs run one after the other, but {kernel} loads "
                "elements that another program of the launch stored after its last atomic operation, "
                "or without one",
                kernel=launch["kernel"],
            )
    return None
