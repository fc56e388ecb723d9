"""Lesson 05: every row. The grid, the row strides, and a function that anybody can call."""

from __future__ import annotations

import torch

from .. import compare, detectors, inputs
from ..exercise import Call, Case, Evidence, Exercise, Out
from ..row_mistakes import ROW_KERNEL
from ..softmax_mistakes import SOFTMAX_KERNEL

_MATRICES = [
    ("randn", inputs.randn, 2, 4),
    ("ragged", inputs.randn, 3, 5),
    ("one row", inputs.randn, 1, 6),
    ("one column", inputs.randn, 40, 1),
    ("first half -200, the rest +200", inputs.rising_cliff, 3, 11),
    ("around -200", inputs.far_below_zero, 3, 6),
    ("100 ± 30", inputs.large, 3, 7),
    ("ascending", inputs.ascending, 3, 9),
    ("descending", inputs.descending, 3, 9),
    ("first half +200, the rest -200", inputs.cliff, 3, 10),
    ("constant rows", inputs.constant, 4, 11),
    ("one -inf in each row", inputs.one_minus_inf, 4, 12),
    ("one outlier in each row", inputs.outlier, 4, 13),
    ("values of -1e38", inputs.lowest, 4, 14),
    ("a power of two", inputs.randn, 5, 16),
    ("one more than a power of two", inputs.randn, 5, 17),
    ("7×257", inputs.randn, 7, 257),
]


def _block(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _kernel_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        x = family(m, n, inputs.generator(seed + i))
        cases.append(_kernel_case(label, x, order="forward"))
    g = inputs.generator(seed)
    cases += [
        _kernel_case(
            "wide gaps between the input's rows", inputs.row_strided(inputs.randn(3, 6, g)), "forward", y_gap=1
        ),
        _kernel_case(
            "wide gaps between the output's rows", inputs.row_strided(inputs.randn(3, 6, g), 1), "forward", y_gap=2
        ),
        _kernel_case("programs in reversed order", inputs.randn(4, 7, g), "reversed"),
        _kernel_case("programs in shuffled order", inputs.row_strided(inputs.randn(6, 7, g)), "shuffled", y_gap=1),
    ]
    return cases


def _lowest(x: torch.Tensor) -> bool:
    """exp2 with a scaled exponent is a fair way; fused on a GPU it loses all digits at 1e38."""
    return bool((x < -1e37).all())


def _kernel_case(label: str, x: torch.Tensor, order: str, y_gap: int = 0) -> Case:
    m, n = x.shape
    y_stride, block = n + y_gap, _block(n)
    call = Call(
        "launch",
        "softmax_kernel",
        (Out((m, n), strides=(y_stride, 1)), x, y_stride, x.stride(0), n),
        {"BLOCK": block},
        grid=(m,),
        order=order,
    )
    return Case(
        f"{label}, {m}×{n} in blocks of {block}",
        call,
        verify=lambda e: compare.softmax(x, e.args[0]),
        size=m * n,
        budget=(m * n, m * n),
        unit=m * n,
        facts={"x": x, "out": 0, "block": block, "x_stride": x.stride(0), "y_stride": y_stride},
        interpreted_only=_lowest(x),
    )


def _wrapper_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        x = family(m, n, inputs.generator(seed + i))
        cases.append(_wrapper_case(f"{label}, {m}×{n}", x))
    g = inputs.generator(seed)
    cases += [
        _wrapper_case("rows with gaps between them, 3×6", inputs.row_strided(inputs.randn(3, 6, g))),
        _wrapper_case("a transposed view, 4×6", inputs.column_strided(inputs.randn(4, 6, g))),
        _wrapper_case("a long row, 2×4097", inputs.randn(2, 4097, g)),
        _wrapper_case("float64, 2×5", inputs.randn(2, 5, g).double(), size=20_000),
        _refusal_case("one dimension", inputs.randn(1, 5, g)[0], "a 1-D tensor"),
        _refusal_case("three dimensions", inputs.randn(2, 6, g).reshape(2, 2, 3), "a 3-D tensor"),
        _refusal_case("float16", inputs.randn(2, 5, g).half(), "float16"),
        _refusal_case("32-bit integers", torch.arange(6, dtype=torch.int32).reshape(2, 3), "an int32 tensor"),
        _refusal_case("integers", torch.arange(6).reshape(2, 3), "integers"),
    ]
    return cases


def _wrapper_case(label: str, x: torch.Tensor, size: int = 0) -> Case:
    # A view may be copied first, or be refused: both are fair. So only contiguous inputs have a budget.
    # The exercise asks for float32; what does more than that must still be right.
    plain = x.is_contiguous() and x.dtype == torch.float32
    return Case(
        label,
        Call("call", "fused_softmax", (x,)),
        verify=lambda e: _returned(x, e) if plain or not e.error else _refused(x, e, "this input"),
        size=size or x.numel(),
        budget=(x.numel(), x.numel()) if plain else None,
        unit=x.numel(),
        expects_error=not plain,
        interpreted_only=_lowest(x),
        facts={"x": x, "block": _block(x.shape[1]), "x_stride": x.stride(0), "y_stride": x.shape[1]},
    )


def _returned(x: torch.Tensor, evidence: Evidence) -> str | None:
    _, sentence = _launch_fault(x, evidence)
    return sentence or compare.softmax(x, evidence.value)


def _launch_fault(x: torch.Tensor, evidence: Evidence) -> tuple[str, str] | tuple[None, None]:
    """(mistake, sentence) when something is odd about how the kernel was launched."""
    for launch in evidence.launches:
        warps = launch["options"].get("num_warps", 4)
        if warps not in (1, 2, 4, 8, 16, 32):
            return "bad-num-warps", f"the kernel was launched with num_warps={warps!r}"
    if len(evidence.launches) >= max(len(x), 3):
        return "launch-per-row", f"there were {len(evidence.launches)} launches for {len(x)} rows"
    if not evidence.launches and isinstance(evidence.value, torch.Tensor) and x.is_contiguous():
        return "no-kernel", "no kernel was launched"
    return None, None


def _launched(mistake: str):
    def detect(case: Case, evidence: Evidence, answer) -> bool:
        x = case.facts.get("x")
        return x is not None and evidence.error is None and _launch_fault(x, evidence)[0] == mistake

    return mistake, detect


def _refusal_case(label: str, x: torch.Tensor, what: str) -> Case:
    return Case(
        f"an input it cannot take: {label}",
        Call("call", "fused_softmax", (x,)),
        verify=lambda e: _refused(x, e, what),
        size=10_000,
        facts={"refuses": True},
        expects_error=True,
    )


def _refused(x: torch.Tensor, evidence: Evidence, what: str) -> str | None:
    """A ValueError with a sentence; or, for floats, the right answer: doing more than asked is no mistake."""
    error = evidence.error
    if error is None:
        got = evidence.value
        same = isinstance(got, torch.Tensor) and got.shape == x.shape and x.is_floating_point()
        if same and compare.softmax(x.reshape(-1, x.shape[-1]), got.reshape(-1, x.shape[-1])) is None:
            return None
        return f"{what} went through without an error"
    if "ValueError" not in error["kinds"]:
        return f"{what} ends in {error['type']}: {error['message'].strip() or 'without a word'}"
    if "raise" not in error["line"]:
        return f"{what} ends in an accident in the line `{error['line']}`: {error['message']}"
    if len(error["message"].split()) < 3:
        return f"{what} is refused with {error['message']!r}, which does not say what was wrong"
    return None


def _view_assumed_contiguous(case: Case, evidence: Evidence, answer) -> bool:
    """The first input whose rows have gaps between them is read as if they had none."""
    x = case.facts.get("x")
    return x is not None and x.dim() == 2 and x.stride(1) == 1 and x.stride(0) != x.shape[1]


def _columns_apart(case: Case, evidence: Evidence, answer) -> bool:
    x = case.facts.get("x")
    return x is not None and x.dim() == 2 and x.shape[1] > 1 and x.stride(1) != 1


def _grid(test):
    def detect(case: Case, evidence: Evidence, answer) -> bool:
        x = case.facts.get("x")
        return x is not None and any(test(launch["grid"][0], x) for launch in evidence.launches)

    return detect


EXERCISES = [
    Exercise(
        id="5.1",
        title="softmax_kernel",
        names=("softmax_kernel",),
        points=6,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            "The kernel of 4.1 handles one row. Only the two places where a row begins change.",
            "tl.program_id(0) says which row this program has; the row strides say how far apart rows lie.",
            "A row of the input begins at `x_ptr + <which row> * <elements between rows>`.",
        ),
        mistakes=(
            *ROW_KERNEL,
            *SOFTMAX_KERNEL,
        ),
    ),
    Exercise(
        id="5.2",
        title="fused_softmax",
        names=("fused_softmax",),
        points=5,
        cases=_wrapper_cases,
        kernels=True,
        hints=(
            "Look at x first (dimensions, dtype), then make the output, then launch one program a row.",
            "The launch needs the grid, both row strides, the number of columns, BLOCK and num_warps.",
            "`softmax_kernel[(<rows>,)](y, x, y.stride(0), x.stride(0), <columns>, BLOCK=<power of two>, ...)`",
        ),
        mistakes=(
            ("accepts-anything", lambda c, e, a: c.facts.get("refuses") and e.error is None),
            ("wrong-exception", lambda c, e, a: c.facts.get("refuses") and bool(e.error)),
            _launched("bad-num-warps"),
            ("returns-nothing", detectors.nothing),
            ("wrong-shape", detectors.wrong_kind("shape")),
            ("wrong-dtype", detectors.wrong_kind("dtype")),
            _launched("no-kernel"),
            ("grid-of-columns", _grid(lambda g, x: g == x.shape[1] != x.shape[0])),
            ("grid-too-large", lambda c, e, a: bool(e.error) and _grid(lambda g, x: g > x.shape[0])(c, e, a)),
            ("grid-too-small", detectors.both(detectors.tail_rows_nan, _grid(lambda g, x: g < x.shape[0]))),
            ("rows-assumed-adjacent", _view_assumed_contiguous),
            _launched("launch-per-row"),
            ("column-stride", _columns_apart),
            *ROW_KERNEL,
            *SOFTMAX_KERNEL,
        ),
    ),
]
