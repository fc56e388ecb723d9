"""Lesson 06, green tests lie: inputs that break three kernels, and a test that runs against right and wrong ones."""

from __future__ import annotations

import pathlib
import random
from collections.abc import Callable

from ..mistakes.testing import CLIPPED, SAMPLED, TIED, mistakes_of_test
from ..reference import testing
from ..sentence import said
from ..spec import Call, Case, Exercise, Given

_KERNELS = pathlib.Path(__file__).parent / "lesson_06_kernels"
_BROKEN = (_KERNELS / "broken.py").read_text(encoding="utf-8")
_RIGHT = (_KERNELS / "right.py").read_text(encoding="utf-8")
_WRONG = (_KERNELS / "wrong.py").read_text(encoding="utf-8")

# name of a right kernel -> its method, for the label of a case
RIGHT = {
    "reference": said("PyTorch's own"),
    "one_row": said("one program for each row"),
    "tile": said("sixteen rows per program"),
    "copied": said("a copy of the input, and the result in its place"),
    "base_two": said("powers of two with a scaled exponent"),
    "chunked": said("chunks of 1024 columns"),
    "online": said("a sum that is rescaled on the way"),
    "doubled": said("float64, rounded at the end"),
}

# kind of wrong kernels -> their names. The feedback is about the first kind that the test accepts.
WRONG = {
    said("returning nan"): ("all_nan",),
    said("with plausible numbers in the wrong places"): ("uniform", "zeros", "halves_swapped"),
    said("wrong for some numbers of columns"): ("no_other", "narrow", "by_fours"),
    said("a little wrong everywhere"): ("half", "cheap", "epsilon"),
    said("wrong in only a few elements"): ("seam", "corner"),
    said("wrong where results are small"): ("fixed",),
    said("wrong on unusual values"): ("cleaned", "clamped", "signless"),
    said("wrong in some memory layouts"): ("rows_adjacent", "columns_adjacent"),
    said("wrong for some numbers of rows, or if rows differ a lot"): ("whole_groups", "first_row_shift"),
    said("changing their input, or remembering an earlier call"): ("in_place", "remembered"),
}


def _input_cases(name: str, broken: str) -> Callable[[int], list[Case]]:
    def case(label: str, verify, kernel: Given, size: int) -> Case:
        call = Call("call", name)
        return Case(label, call, verify, size=size, then=(kernel,), may_call_library=True)

    def cases(seed: int) -> list[Case]:
        return [
            case(
                said("your input, in a right kernel"),
                lambda e: testing.right_kernel_fault(e, name),
                Given(_RIGHT, "one_row"),
                size=1,
            ),
            case(
                said("your input, in {broken}", broken=broken),
                lambda e: testing.broken_kernel_fault(e, name, broken),
                Given(_BROKEN, broken),
                size=2,
            ),
        ]

    return cases


def _test_cases(seed: int) -> list[Case]:
    """Right kernels and then wrong ones, each kind in an order that depends on the seed.

    The smallest failure is the one reported: PyTorch's own result before all others. A test may remember what it saw in
    its process; only a right kernel behind another one, other than PyTorch's, is not the first there.
    """
    reference, *right = [
        (said("a right kernel ({style})", style=style), Given(_RIGHT, name), None) for name, style in RIGHT.items()
    ]
    wrong = [
        (said("kernel {i} of those {group}", i=i, group=group), Given(_WRONG, name), group)
        for group, names in WRONG.items()
        for i, name in enumerate(names, 1)
    ]
    chance = random.Random(seed)
    chance.shuffle(right)
    chance.shuffle(wrong)
    kernels = [reference, *right, *wrong]
    return [_test_case(*kernel, size, not 1 < size <= len(right)) for size, kernel in enumerate(kernels)]


def _test_case(label: str, kernel: Given, group: str | None, size: int, alone: bool) -> Case:
    return Case(
        label,
        Call("call", "test_softmax", (kernel,)),
        verify=lambda e: said("your test accepts wrong kernels") if group and not e.error else None,
        size=size,
        expects_error=group is not None,
        may_call_library=True,
        group=group,
        alone=alone,
        facts={"reference": kernel.name == "reference"},
    )


def _input_exercise(number: int, letter: str, mistakes: tuple, hints: tuple[str, str, str]) -> Exercise:
    name, broken = f"breaks_{letter}", f"softmax_{letter}"
    return Exercise(
        id=f"6.{number}",
        title=name,
        names=(name,),
        points=1,
        cases=_input_cases(name, broken),
        open_book=said("the answer is an input, which breaks a kernel that everybody sees"),
        hints=hints,
        mistakes=mistakes,
    )


EXERCISES = [
    _input_exercise(
        1,
        "a",
        CLIPPED,
        (
            said("The kernel keeps exp from overflowing in a way that is not the row maximum."),
            said("For which values does tl.minimum change anything, and what does the row look like then?"),
            said("A row of two values is enough: `torch.tensor([[<one value>, <another>]])`."),
        ),
    ),
    _input_exercise(
        2,
        "b",
        SAMPLED,
        (
            said(
                "A shift is right if neither an exp(x - shift) nor their sum overflows, and if at "
                "least one of them is not 0. For which rows is the shift of this kernel wrong?"
            ),
            said("The shift is the maximum of the first 64 columns alone. Which values could the other columns hold?"),
            said("Begin with `torch.zeros(1, <number of columns>)` and change one value."),
        ),
    ),
    _input_exercise(
        3,
        "c",
        TIED,
        (
            said("The kernel counts the largest term once."),
            said("How many values of a row can be the largest?"),
            said("Random rows hardly ever contain such a case. Write a short row by hand."),
        ),
    ),
    Exercise(
        id="6.4",
        title="test_softmax",
        names=("test_softmax",),
        points=2,
        cases=_test_cases,
        open_book=said("its kernels, right and wrong ones, lie in the grader; their order is drawn"),
        groups=tuple(WRONG),
        imports=("torch.distributed.tensor", "unittest.mock", "pytest"),  # the first: torch.testing.assert_close
        hints=(
            said(
                "A good test needs varied inputs and a strict comparison. Vary one property at a "
                "time: width, height, memory layout, values."
            ),
            said(
                "Compute the reference in float64, and compare the relative error. Compare the input "
                "before and after the call. Is a second call with other values of the same shape "
                "right as well?"
            ),
            said(
                "A list of inputs, and for each: `want = torch.softmax(<x in float64>, dim=1)`, then "
                "an assert on `(got - want).abs() <= <share> * want + <a tiny number>`."
            ),
        ),
        mistakes=mistakes_of_test(WRONG),
    ),
]
