"""Lesson 06: green tests lie. Inputs that break three kernels, and a test that is run against right and wrong ones."""

from __future__ import annotations

import pathlib
import random

import torch

from .. import compare, detectors, syntax
from ..exercise import Call, Case, Evidence, Exercise, Given
from ..wire import Unreadable

_KERNELS = pathlib.Path(__file__).parent.parent / "kernels"
_BROKEN = (_KERNELS / "broken.py").read_text(encoding="utf-8")
_RIGHT = (_KERNELS / "right.py").read_text(encoding="utf-8")
_WRONG = (_KERNELS / "wrong.py").read_text(encoding="utf-8")

RIGHT = {
    "one_row": "one program a row",
    "two_rows": "two rows a program",
    "copied": "a copy of the input, then sixteen rows a program",
    "base_two": "powers of two with a scaled exponent",
    "persistent": "four programs for all rows",
    "chunked": "chunks of 1024 columns",
    "tile": "sixteen rows a program",
}

WRONG = {
    "wrong at some widths": ("no_other", "narrow", "by_fours"),
    "wrong at some heights": ("whole_groups", "first_row_shift"),
    "wrong in some memory layouts": ("rows_adjacent", "columns_adjacent"),
    "wrong on unusual values": ("cleaned", "clamped", "signless"),
    "a little wrong everywhere": ("half", "cheap", "epsilon"),
    "with plausible numbers in the wrong places": ("uniform", "zeros", "halves_swapped"),
    "with side effects or a memory": ("in_place", "remembered"),
}


def _input_cases(name: str, broken: str):
    call = Call("call", name)

    def cases(seed: int) -> list[Case]:
        return [
            Case(
                "a right kernel is run on your input",
                call,
                verify=_fair,
                size=1,
                then=(Given(_RIGHT, "one_row"),),
                may_call_library=True,
            ),
            Case(
                f"{broken} is run on your input",
                call,
                verify=lambda e: _not_a_matrix(e) or _harmless(e, broken),
                size=2,
                then=(Given(_BROKEN, broken),),
                may_call_library=True,
            ),
        ]

    return cases


def _not_a_matrix(evidence: Evidence) -> str | None:
    x = evidence.value
    if isinstance(x, torch.Tensor) and x.dim() == 2 and x.dtype == torch.float32 and x.numel():
        return None
    if isinstance(x, torch.Tensor):
        return f"a tensor of shape {tuple(x.shape)} and {compare.name(x.dtype)} came back, expected a float32 matrix"
    return f"{'a ' + x.kind if isinstance(x, Unreadable) else repr(x)} came back, expected a float32 matrix"


def _fair(evidence: Evidence) -> str | None:
    if _not_a_matrix(evidence):
        return _not_a_matrix(evidence)
    right = evidence.then[0]
    if right.error:
        return right.error["message"]
    return compare.softmax(evidence.value, right.value)


def _harmless(evidence: Evidence, broken: str) -> str | None:
    x, result = evidence.value, evidence.then[0]
    if result.error or compare.softmax(x, result.value):
        return None
    finite = x[x.isfinite()]
    values = f"values from {finite.min():.4g} to {finite.max():.4g}" if finite.numel() else "no finite value"
    return f"{broken} is right on all of it ({x.shape[0]}×{x.shape[1]}, {values})"


def _test_cases(seed: int) -> list[Case]:
    """Right and wrong kernels in an order that depends on the seed, so that a test cannot know which comes when."""
    cases = [
        Case(
            f"a right kernel ({style})",
            Call("call", "test_softmax", (Given(_RIGHT, name),)),
            verify=lambda e: None,
            may_call_library=True,
        )
        for name, style in RIGHT.items()
    ]
    for group, names in WRONG.items():
        cases += [
            Case(
                f"a kernel that is {group}, number {number}",
                Call("call", "test_softmax", (Given(_WRONG, name),)),
                verify=lambda e: None if e.error else "your test accepts wrong kernels",
                expects_error=True,
                may_call_library=True,
                group=group,
            )
            for number, name in enumerate(names, 1)
        ]
    random.Random(seed).shuffle(cases)
    return cases


def _refuses_right(case: Case, evidence: Evidence, answer) -> bool:
    return case.group is None and (evidence.error or {}).get("type") == "AssertionError"


def _was_told(what: str):
    """A right kernel did not take what the test handed it."""
    return lambda case, evidence, answer: case.group is None and what in (evidence.error or {}).get("message", "")


def _survivor(group: str):
    return lambda case, evidence, answer: case.group == group


def _input_exercise(number: int, letter: str, hints: tuple[str, str, str]) -> Exercise:
    name, broken = f"breaks_{letter}", f"softmax_{letter}"
    return Exercise(
        id=f"6.{number}",
        title=name,
        names=(name,),
        points=1,
        cases=_input_cases(name, broken),
        hints=hints,
        mistakes=(
            ("returns-nothing", detectors.nothing),
            ("input-no-matrix", lambda c, e, a: e.error is None and bool(_not_a_matrix(e))),
            ("input-too-large", lambda c, e, a: bool(e.then) and bool(e.then[0].error)),
            ("input-harmless", lambda c, e, a: c.size == 2 and e.error is None),
        ),
    )


EXERCISES = [
    _input_exercise(
        1,
        "a",
        (
            "The kernel keeps exp from overflowing in a way that is not the row maximum.",
            "For which values does tl.minimum change anything, and what does the row look like then?",
            "A row of two values is enough: `torch.tensor([[<one value>, <another>]])`.",
        ),
    ),
    _input_exercise(
        2,
        "b",
        (
            "Any shift is right as long as exp stays in its range. When does this one not keep it there?",
            "The shift looks at a part of the row. What can the rest of the row hold?",
            "Begin with `torch.zeros(1, <a width>)` and change one value.",
        ),
    ),
    _input_exercise(
        3,
        "c",
        (
            "The kernel counts the largest term once.",
            "How many values of a row can be the largest?",
            "Random values hardly ever do it. Write a short row by hand.",
        ),
    ),
    Exercise(
        id="6.4",
        title="test_softmax",
        names=("test_softmax",),
        points=4,
        cases=_test_cases,
        hints=(
            "A test is as good as its inputs and as strict as its comparison. Vary one thing at a time: width, height, "
            "memory layout, values.",
            "Compare with float64 and relatively, and look at the input again after the call. Is a second call with "
            "other values of the same shape right as well?",
            "A list of inputs, and for each: `want = torch.softmax(<x in float64>, dim=1)`, then an assert on "
            "`(got - want).abs() <= <share> * want + <next to nothing>`.",
        ),
        mistakes=(
            ("input-too-large", _was_told("is more than a check can interpret")),
            ("input-no-matrix", _was_told("softmax takes a float32 matrix")),
            ("test-refuses-right", _refuses_right),
            ("test-returns", lambda c, e, a: isinstance(e.value, bool)),
            ("test-asserts-nothing", detectors.written(syntax.asserts_nothing)),
            ("test-few-widths", _survivor("wrong at some widths")),
            ("test-few-heights", _survivor("wrong at some heights")),
            ("test-few-layouts", _survivor("wrong in some memory layouts")),
            ("test-tame-values", _survivor("wrong on unusual values")),
            ("test-too-loose", _survivor("a little wrong everywhere")),
            ("test-ignores-places", _survivor("with plausible numbers in the wrong places")),
            ("test-looks-once", _survivor("with side effects or a memory")),
        ),
    ),
]
