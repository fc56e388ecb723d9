"""Lesson 00: a first exercise, which shows that the check works."""

from __future__ import annotations

import pathlib

import torch

from ..checks import compare, inputs
from ..mistakes import detectors
from ..mistakes.copies import DOUBLED
from ..sentence import said
from ..spec import Call, Case, Exercise

_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "first_result.py").read_text(encoding="utf-8")


def _cases(seed: int) -> list[Case]:
    cases = []
    for label, shape in (
        (said("a vector of 3"), (3,)),
        (said("a vector of 8"), (8,)),
        (said("a matrix of 4×5"), (4, 5)),
    ):
        x = torch.randn(shape, generator=inputs.generator(seed + len(shape)))
        cases.append(
            Case(
                label,
                Call("call", "double", (x,)),
                verify=lambda e, x=x: compare.tensor(e.value, 2 * x, 0.0),
                may_call_library=True,  # there is no softmax in it
                size=x.numel(),
                facts={"x": x},
            )
        )
    x, other = torch.randn(2, 4, 5, generator=inputs.generator(seed))
    again = Case(
        said("two matrices of 4×5, and then the first result again"),
        Call("call", "check_first_result", ("double", x, other)),
        verify=lambda e: compare.tensor(e.value, 2 * x, 0.0),
        may_call_library=True,
        size=1000,
        facts={"x": x, "second": 2 * other},
    )
    return [*cases, again]


EXERCISES = [
    Exercise(
        id="0.1",
        title="double",
        names=("double",),
        points=1,
        cases=_cases,
        driver=_DRIVER,
        hints=(
            said("A function gives its result to the caller with return."),
            said("Arithmetic on a tensor works on every element at once."),
            said("The line has the form `return <a number> * x`."),
        ),
        mistakes=(
            ("returns-nothing", detectors.nothing),
            ("output-reused", detectors.output_reused),
            ("unchanged", detectors.formula(lambda x, f: x)),
            *DOUBLED,
            ("wrong-shape", detectors.wrong_kind("shape")),
            ("wrong-dtype", detectors.wrong_kind("dtype")),
        ),
    )
]
