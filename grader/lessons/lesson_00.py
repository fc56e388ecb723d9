"""Lesson 00: does the bench work?"""

from __future__ import annotations

import torch

from .. import compare, detectors, inputs
from ..exercise import Call, Case, Exercise


def _cases(seed: int) -> list[Case]:
    cases = []
    for n in (1, 4, 7):
        x = torch.randn(n, generator=inputs.generator(seed + n))
        cases.append(
            Case(
                f"a vector of {n}",
                Call("call", "double", (x,)),
                verify=lambda e, x=x: compare.tensor(e.value, 2 * x, 0.0),
                size=n,
                facts={"x": x},
            )  # fmt: skip
        )
    return cases


EXERCISES = [
    Exercise(
        id="0.1",
        title="double",
        names=("double",),
        points=1,
        cases=_cases,
        hints=(
            "A function hands its result back with return.",
            "Arithmetic on a tensor works on every element at once.",
            "The line has the shape `return <something> * x`.",
        ),
        mistakes=(
            ("returns-nothing", detectors.nothing),
            ("squared", detectors.formula(lambda x, f: x * x)),
            ("unchanged", detectors.formula(lambda x, f: x)),
        ),
    )
]
