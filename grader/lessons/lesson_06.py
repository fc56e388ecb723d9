"""Lesson 06: green tests lie. Inputs that break three kernels, and a test that is run against right and wrong ones."""

from __future__ import annotations

import pathlib
import random

import torch

from ..checks import compare, syntax
from ..mistakes import detectors
from ..spec import Call, Case, Detector, Evidence, Exercise, Given

_KERNELS = pathlib.Path(__file__).parent / "lesson_06_kernels"
_BROKEN = (_KERNELS / "broken.py").read_text(encoding="utf-8")
_RIGHT = (_KERNELS / "right.py").read_text(encoding="utf-8")
_WRONG = (_KERNELS / "wrong.py").read_text(encoding="utf-8")

RIGHT = {
    "reference": "PyTorch's own",
    "one_row": "one program a row",
    "two_rows": "two rows a program",
    "copied": "a copy of the input, then sixteen rows a program",
    "base_two": "powers of two with a scaled exponent",
    "persistent": "four programs for all rows",
    "chunked": "chunks of 1024 columns",
    "tile": "sixteen rows a program",
}

# In the order in which a test should learn to catch them.
WRONG = {
    "that return nan": ("all_nan",),
    "with plausible numbers in the wrong places": ("uniform", "zeros", "halves_swapped"),
    "wrong at some widths": ("no_other", "narrow", "by_fours"),
    "a little wrong everywhere": ("half", "cheap", "epsilon"),
    "wrong on unusual values": ("cleaned", "clamped", "signless"),
    "wrong in some memory layouts": ("rows_adjacent", "columns_adjacent"),
    "wrong at some heights, or for rows that differ a lot": ("whole_groups", "first_row_shift"),
    "that change something else, or remember": ("in_place", "remembered"),
}


def _input_cases(name: str, broken: str):
    def case(label: str, verify, function: Given, size: int) -> Case:
        call = Call("call", name)
        return Case(label, call, verify, size=size, then=(function,), may_call_library=True)

    def cases(seed: int) -> list[Case]:
        fair = case("your input, in a right kernel", lambda e: _unfair(e, name), Given(_RIGHT, "one_row"), size=1)
        exposes = case(
            f"your input, in {broken}",
            lambda e: _unusable(e, name) or _harmless(e, broken),
            Given(_BROKEN, broken),
            size=2,
        )
        return [fair, exposes]

    return cases


def _unusable(evidence: Evidence, name: str) -> str | None:
    """Why what came back is no input for the kernels, None when it is one."""
    x = evidence.value
    if isinstance(x, torch.Tensor) and x.dim() == 2 and x.dtype == torch.float32:
        return None
    if isinstance(x, torch.Tensor):
        returned = f"a tensor of shape {tuple(x.shape)} and {compare.name(x.dtype)}"
    else:
        returned = compare.shown(x)
    return f"{name}() returned {returned}, expected a small float32 matrix"


def _unfair(evidence: Evidence, name: str) -> str | None:
    """Why a right kernel cannot be right on the input, None when it is."""
    if _unusable(evidence, name):
        return _unusable(evidence, name)
    x, right = evidence.value, evidence.then[0]
    if right.error:
        return right.error["message"]
    if not torch.softmax(x.double(), dim=1).isfinite().all():
        row = int((~torch.softmax(x.double(), dim=1).isfinite()).any(dim=1).nonzero()[0])
        return f"row {row} has no softmax: the right answer is nan"
    return compare.softmax(x, right.value)


def _harmless(evidence: Evidence, broken: str) -> str | None:
    x, result = evidence.value, evidence.then[0]
    if result.error or compare.softmax(x, result.value):
        return None
    finite = x[x.isfinite()]
    values = f"values from {finite.min():.4g} to {finite.max():.4g}" if finite.numel() else "no finite value"
    return f"{broken} is right on all of it ({x.shape[0]}×{x.shape[1]}, {values})"


def _test_cases(seed: int) -> list[Case]:
    """Right and wrong kernels in an order that depends on the seed, so that a test cannot know which comes when."""
    kernels = [(f"a right kernel ({style})", Given(_RIGHT, name), None) for name, style in RIGHT.items()]
    for group, names in WRONG.items():
        kernels += [(f"kernel {i} of those {group}", Given(_WRONG, name), group) for i, name in enumerate(names, 1)]
    sizes = list(range(len(kernels)))
    random.Random(seed).shuffle(sizes)
    sizes[0] = -1  # what PyTorch's own result does not pass says most
    return [_test_case(*kernel, size) for kernel, size in zip(kernels, sizes)]


def _test_case(label: str, kernel: Given, group: str | None, size: int) -> Case:
    return Case(
        label,
        Call("call", "test_softmax", (kernel,)),
        verify=lambda e: "your test accepts wrong kernels" if group and not e.error else None,
        size=size,
        expects_error=group is not None,
        may_call_library=True,
        group=group,
        alone=True,
        facts={"reference": kernel.name == "reference"},
    )


def _is_red(case: Case, evidence: Evidence) -> bool:
    return case.group is None and (evidence.error or {}).get("type") == "AssertionError"


@Detector
def _refuses_right(case: Case, evidence: Evidence, answer) -> bool:
    return _is_red(case, evidence) and not case.facts["reference"]


@Detector
def _refuses_reference(case: Case, evidence: Evidence, answer) -> bool:
    return case.facts["reference"] and _is_red(case, evidence)


def _was_told(what: str):
    """A right kernel did not take what the test handed it."""
    return Detector(
        lambda case, evidence, answer: case.group is None and what in (evidence.error or {}).get("message", "")
    )


def _survives(test=None):
    """A wrong kernel got through, and the test is written in a certain way."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer) -> bool:
        return case.group is not None and (test is None or detectors.written(test)(case, evidence, answer))

    return detect


def _survivor(group: str):
    return Detector(lambda case, evidence, answer: case.group == group)


def _then_told(what: str):
    """The kernel did not take what the answer returned."""
    return Detector(lambda c, e, a: bool(e.then and e.then[0].error and what in e.then[0].error["message"]))


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
            ("input-too-large", Detector(lambda c, e, a: "tensor of" in getattr(e.value, "kind", ""))),
            ("input-no-matrix", Detector(lambda c, e, a: e.error is None and bool(_unusable(e, name)))),
            ("input-empty", _then_told("without elements")),
            ("input-too-large", _then_told("more than a check can interpret")),
            ("input-without-softmax", Detector(lambda c, e, a: c.size == 1 and e.error is None)),
            ("input-harmless", Detector(lambda c, e, a: c.size == 2 and e.error is None)),
        ),
    )


# One for each group of wrong kernels.
_NAMES = (
    "test-takes-nan",
    "test-ignores-places",
    "test-few-widths",
    "test-too-loose",
    "test-tame-values",
    "test-few-layouts",
    "test-few-heights",
    "test-looks-once",
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
        groups=tuple(WRONG),
        imports=("torch.distributed.tensor",),  # torch.testing.assert_close asks for its kind of tensors
        hints=(
            "A test is as good as its inputs and as strict as its comparison. Vary one thing at a time: width, height, "
            "memory layout, values.",
            "Compare with float64 and relatively, and look at the input again after the call. Is a second call with "
            "other values of the same shape right as well?",
            "A list of inputs, and for each: `want = torch.softmax(<x in float64>, dim=1)`, then an assert on "
            "`(got - want).abs() <= <share> * want + <next to nothing>`.",
        ),
        mistakes=(
            ("input-empty", _was_told("without elements")),
            ("input-too-large", _was_told("is more than a check can interpret")),
            ("input-no-matrix", _was_told("softmax takes a float32 matrix")),
            ("test-refuses-pytorch", _refuses_reference),
            ("test-refuses-right", _refuses_right),
            ("test-returns", Detector(lambda c, e, a: isinstance(e.value, bool))),
            ("test-calls-nothing", _survives(lambda tree: 0 in syntax.unused_parameters(tree, "test_softmax"))),
            ("test-asserts-nothing", _survives(syntax.asserts_nothing)),
            *zip(_NAMES, map(_survivor, WRONG)),
        ),
    ),
]
