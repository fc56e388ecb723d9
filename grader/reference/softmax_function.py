"""Cases for softmax kernels and for functions of a matrix that launch them: results, refusals, faults of launches."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable

import torch

from ..checks import compare, inputs
from ..sentence import fault, foreign, said
from ..spec import Call, Case, Evidence


def block(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()


def most_lanes(block: int, longest: int = 5000) -> int:
    """How many lanes a kernel may compute with that was launched with this BLOCK, at least the length of a row.

    longest: columns of the longest row of the exercise. More lanes than BLOCK are a fixed number of them: with so few
    that the longest row does not fit, a kernel walks, as it may, or is wrong there.
    """
    return max(2 * block, (1 << (longest - 1).bit_length()) // 2)


def lowest(x: torch.Tensor) -> bool:
    """Whether all values are near the lowest float32 numbers, those of `inputs.lowest` among them.

    A right answer may use exp2 with a scaled exponent. Fused on a GPU, that loses all digits of such values.
    """
    return bool((x < -1e37).all())


def stored(x: torch.Tensor, got: torch.Tensor, scale: float = 1.0) -> str | None:
    """None when got is the softmax of each row of scale · x, (M, N), or NaN as `compare.scaled_away` says."""
    sentence = compare.softmax(x, got, scale)
    if sentence and compare.kind(got, x) is None and compare.scaled_away(x, got):
        return None
    return sentence


_LARGE = 1_000_000  # elements: one program may well do a few short rows
OF_A_WALK = 32  # loads in the text of a kernel that walks: some unroll a few steps


def kernel_case(label: str, x: torch.Tensor, call: Call, walks: int = 1, facts: dict | None = None, **more) -> Case:
    """A launch that must store the softmax of each row of x in its first argument, an Out with strides.

    walks: how often the kernel may read x. facts: facts for detectors, besides x, out, block and the row strides. more:
    other values for fields of the case.
    """
    strides = {"x_stride": x.stride(0), "y_stride": call.args[0].strides[0]}
    usual = {
        "verify": lambda e: stored(x, e.args[0]),
        "size": x.numel(),
        "budget": (walks * x.numel(), x.numel()),
        "unit": x.numel(),
        "facts": {"x": x, "out": 0, "block": call.kwargs["BLOCK"]} | strides | (facts or {}),
        "interpreted_only": lowest(x),
    }
    return Case(label, call, **usual | more)


def shares(n_rows: int, programs: int) -> tuple[int, int]:
    """(rows of an equal share, rounded up; programs that have a row then: the last ones may have none)."""
    share = -(-n_rows // programs)
    return share, -(-n_rows // share)


def unequal(evidence: Evidence, n_rows: int, programs: int) -> str | None:
    """None when no program stored to more rows than an equal share has, else a sentence.

    Rows that several programs store, and programs without a row, are other faults.
    """
    share, busy = shares(n_rows, programs)
    storing = sum(launch["storing"] for launch in evidence.launches)
    if any(launch["shared"] for launch in evidence.launches) or storing < busy:
        return None
    stores = [panel for panel in evidence.panels if panel.op == "store"]
    rows = Counter(program for program, _ in {run[:2] for panel in stores for run in panel.touched})
    program, count = max(rows.items(), key=lambda item: item[1], default=(0, 0))
    if count <= share:
        return None
    return fault(
        "way",
        "right numbers, but program {program} has {count} rows, and an equal share has {share} at most",
        program=program,
        count=count,
        share=share,
    )


def case(name: str, label: str, x: torch.Tensor, walks: int = 1, size: int = 0) -> Case:
    """A call name(x) that must return the softmax of each row of x. walks: how often the function may read x.

    size: of the failing cases the one with the smallest size is reported; without it, the number of elements.
    """
    # A function may copy a view first, or refuse it. So only contiguous inputs have a budget.
    # The exercise requires float32. A function that takes another dtype must return the right values.
    plain = x.is_contiguous() and x.dtype == torch.float32
    return Case(
        label,
        Call("call", name, (x,)),
        verify=lambda e: _returned(x, e) if plain or not e.error else refused(x, e, said("this input")),
        size=size or x.numel(),
        budget=(walks * x.numel(), x.numel()) if plain else None,
        unit=x.numel(),
        expects_error=not plain,
        interpreted_only=lowest(x),
        facts={"x": x, "block": block(x.shape[1]), "x_stride": x.stride(0), "y_stride": x.shape[1]},
    )


def more_rows_than_an_axis(name: str, seed: int) -> Case:
    """name(x) of more rows than axis 1 or 2 of a grid has programs. Its launches do not run: they may be many, or one
    with a long loop."""
    rows = (1 << 16) + random.Random(seed).randint(1, 999)
    x = inputs.randn(rows, 3, inputs.generator(seed))
    return Case(
        inputs.sized(said("more than 65,536 rows"), rows, 3),
        Call("call", name, (x,), dry=True),
        verify=lambda evidence: compare.kind(evidence.value, x),
        size=x.numel(),
        dear=True,
        interpreted_only=True,
    )


def any_length(seed: int, most: int = 4000) -> int:
    """A drawn length of a row, 18 to `most`, of any order of magnitude: no list has it."""
    return int(18 * (most / 18) ** random.Random(seed).random())


def any_lengths(seed: int, make: Callable[[str, torch.Tensor], Case]) -> list[Case]:
    """Cases of matrices whose sizes are drawn, one of each order of magnitude: no table has the lengths of their rows.

    make: makes the case of a label and a matrix.
    """
    rng, g = random.Random(seed), inputs.generator(seed)
    sizes = [(rng.randint(2, 9), rng.randint(*ends)) for ends in ((18, 99), (100, 999), (1025, 4090))]
    return [make(said("any length"), inputs.randn(m, n, g)) for m, n in sizes]


def empty(label: str, name: str, m: int, n: int, *more) -> Case:
    """A call name(x, *more) of a matrix without elements, m×n: the result has the same shape, with launches or without.

    It has no facts, as there are no numbers that a detector could look at.
    """
    x = torch.empty(m, n)
    return Case(
        label,
        Call("call", name, (x, *more)),
        verify=lambda e: warps_fault(e) or compare.kind(e.value, x),
        size=10**7,  # numbers that are wrong somewhere are reported first
    )


def first_result(name: str, x: torch.Tensor, other: torch.Tensor, *more) -> Case:
    """Calls name(x, *more) and name(other, *more) through the driver first_result.py: the first result must stay.

    x, other: of one shape and dtype.
    """
    return Case(
        said("two matrices of {count}×{shape}, and then the first result again", count=len(x), shape=x.shape[1]),
        Call("call", "check_first_result", (name, x, other, *more)),
        verify=lambda e: compare.softmax(x, e.value),
        size=5_000,
        facts={"second": torch.softmax(other, 1), "x": x, "block": block(x.shape[1])}
        | {"x_stride": x.stride(0), "y_stride": x.shape[1]},
    )


def _returned(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None when the softmax of x was returned, from launches without a fault; else a sentence."""
    _, sentence = launch_fault(x, evidence)
    return sentence or stored(x, evidence.value) or one_program_fault(x, evidence)


def launch_fault(x: torch.Tensor, evidence: Evidence) -> tuple[str, str] | tuple[None, None]:
    """(id of a mistake, sentence) for a fault of the launches: their options, their number; else (None, None)."""
    if sentence := warps_fault(evidence):
        return "bad-num-warps", sentence
    if len(evidence.launches) >= max(len(x), 3):
        return "launch-per-row", said(
            "there were {count} launches for {count2} rows", count=len(evidence.launches), count2=len(x)
        )
    if not evidence.launches and isinstance(evidence.value, torch.Tensor) and x.is_contiguous() and x.numel():
        return "no-kernel", said("no kernel was launched")
    return None, None


def one_program_fault(x: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence for launches of one program each, where many rows of a large matrix had to be done."""
    programs = {math.prod(launch["grid"]) for launch in evidence.launches}
    if programs != {1} or len(x) < 2 or x.numel() < _LARGE:
        return None
    return fault("way", "right numbers, but one program did all {rows} rows", rows=len(x))


def warps_fault(evidence: Evidence) -> str | None:
    """A sentence for the first launch whose number of warps no GPU takes."""
    for launch in evidence.launches:
        warps = launch["options"].get("num_warps", 4)
        if warps not in (1, 2, 4, 8, 16, 32):
            return said("the kernel was launched with num_warps={warps}", warps=repr(warps))
    return None


def without_rows(evidence: Evidence) -> tuple[int, int] | None:
    """(programs, programs that stored anything) of the first launch in which some stored nothing."""
    for launch in evidence.launches:
        programs = math.prod(launch["grid"])
        if launch["storing"] < programs:
            return programs, launch["storing"]
    return None


def idle_fault(evidence: Evidence) -> str | None:
    """A sentence for programs that stored nothing."""
    if idle := without_rows(evidence):
        return fault(
            "way", "right numbers, but of {idle} programs only {idle2} stored anything", idle=idle[0], idle2=idle[1]
        )
    return None


def refusals(name: str, g: torch.Generator, *more) -> list[Case]:
    """Inputs that a function of float32 matrices must refuse. Of other dimensions, the right result will do as well.

    more: its other arguments.
    """
    whole = torch.randperm(6, generator=g).reshape(2, 3)
    unfit = [
        (said("one dimension"), inputs.randn(1, 5, g)[0], said("a 1-D tensor")),
        (said("three dimensions"), inputs.randn(2, 6, g).reshape(2, 2, 3), said("a 3-D tensor")),
        (said("four dimensions"), inputs.randn(2, 6, g).reshape(1, 2, 2, 3), said("a 4-D tensor")),
        ("float16", inputs.randn(2, 5, g).half(), "float16"),
        ("bfloat16", inputs.randn(2, 5, g).bfloat16(), "bfloat16"),
        ("float64", inputs.randn(2, 5, g).double(), "float64"),
        (said("32-bit integers"), whole.int(), said("an int32 tensor")),
        (said("integers"), whole, said("integers")),
    ]
    return [_refusal(name, label, x, what, more) for label, x, what in unfit]


def _refusal(name: str, label: str, x: torch.Tensor, what: str, more: tuple) -> Case:
    """A call with one such input. what: the input, for the sentence.

    A float32 tensor of other dimensions may have the right result; another dtype must be refused.
    """
    right = x if x.dtype == torch.float32 else None
    return Case(
        said("an input it cannot take: {label}", label=label),
        Call("call", name, (x, *more)),
        verify=lambda e: refused(right, e, what),
        size=10_000,
        facts={"refuses": True},
        expects_error=True,
    )


def refused(x: torch.Tensor | None, evidence: Evidence, what: str, kinds=("ValueError",)) -> str | None:
    """None when the answer itself raised one of these errors, with words in any language, else a sentence.

    what: the input, for the sentence. kinds: names of exception types; a subclass of one counts, too.

    The right softmax of a floating-point x is accepted, too: a function may take more than the exercise requires. With
    None for x no result is right.
    """
    error = evidence.error
    if error is None:
        got = evidence.value
        same = x is not None and isinstance(got, torch.Tensor) and got.shape == x.shape and x.is_floating_point()
        if same and compare.softmax(x.reshape(-1, x.shape[-1]), got.reshape(-1, x.shape[-1])) is None:
            return None
        return said("{what} went through without an error", what=what)
    if error.get("where"):
        return error["message"]
    if not set(kinds) & set(error["kinds"]):
        return said(
            "{what} ends in {type}: {value}",
            what=what,
            type=error["type"],
            value=foreign.of_error(error) if error["message"].strip() else said("no message"),
        )
    if not error["raised"]:
        return said(
            "{what} ends in an error that you did not raise, in the line `{line}`: {message}",
            what=what,
            line=error["line"],
            message=foreign.of_error(error),
        )
    if not error["message"].strip():
        return said("{what} is refused without a message that says what was wrong", what=what)
    if not any(character.isalpha() for character in error["message"]):
        return said(
            "{what} is refused with {message}, which does not say what was wrong",
            what=what,
            message=repr(error["message"]),
        )
    return None
