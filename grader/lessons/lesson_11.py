"""Lesson 11, backward: the gradient of a softmax, its kernel, and a torch.autograd.Function."""

from __future__ import annotations

import pathlib

import torch

from ..checks import compare, inputs
from ..mistakes import detectors
from ..mistakes.autograd import FUNCTION
from ..mistakes.gradient import GRADIENT, GRADIENT_KERNEL, OTHER_METHODS
from ..mistakes.softmax.function import STRIDES_EXCHANGED, WRAPPER
from ..reference import autograd, far_rows, gradient, softmax_function
from ..sentence import joined, said
from ..spec import Call, Case, Exercise, Out

_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "gradient.py").read_text(encoding="utf-8")


def _constant(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One random number for each row. The gradient of such a dy is 0."""
    return torch.randn(m, 1, generator=g).expand(m, n).contiguous()


def _ones(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The dy of the loss y.sum()."""
    return torch.ones(m, n)


def _one_place(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """A single 1 in each row: the loss uses one output of the row."""
    return torch.eye(n)[torch.arange(m) % n]


def _large(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Normal values with a standard deviation of 10000."""
    return 1e4 * torch.randn(m, n, generator=g)


def _decided(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Values so far apart that one output of each row is 1 and the others underflow to 0."""
    return 1000 * inputs.randn(m, n, g)


# Label, input family of x, input family of dy, rows, columns. y is the softmax of x.
_MATRICES = [
    (said("a random dy"), inputs.randn, inputs.randn, 2, 3),
    (said("one row"), inputs.randn, inputs.randn, 1, 8),
    (said("one column"), inputs.randn, inputs.randn, 20, 1),
    (said("dy of ones"), inputs.randn, _ones, 3, 7),
    (said("dy constant in each row"), inputs.randn, _constant, 3, 8),
    (said("as many rows as columns"), inputs.randn, inputs.randn, 5, 5),
    (said("dy of one 1 in each row"), inputs.randn, _one_place, 4, 7),
    (said("equal outputs"), inputs.constant, inputs.randn, 4, 8),
    (said("half of the outputs 0"), inputs.cliff, inputs.randn, 4, 9),
    (said("one output of 1, the others 0"), _decided, inputs.randn, 5, 8),
    (said("one output near 1"), inputs.outlier, inputs.randn, 4, 11),
    (said("dy of some 10000"), inputs.randn, _large, 4, 12),
    (said("many rows"), inputs.randn, inputs.randn, 130, 3),
    (said("long rows"), inputs.randn, inputs.randn, 7, 257),
]

# Label, input family, rows, columns, for the forward direction alone.
_FORWARD = [
    (said("randn"), inputs.randn, 2, 3),
    (said("one row"), inputs.randn, 1, 6),
    (said("one column"), inputs.randn, 20, 1),
    (said("values around -200"), inputs.far_below_zero, 3, 6),
    (said("first half +200, the rest -200"), inputs.cliff, 3, 10),
    (said("one -inf in each row"), inputs.one_minus_inf, 4, 12),
    (said("long rows"), inputs.randn, 7, 257),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 13),
    (said("very long rows"), inputs.randn, 1, 16385),
]


def _formula_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, x, dy, m, n) in enumerate(
        [*_MATRICES, (said("very long rows"), inputs.randn, inputs.randn, 2, 2048)]
    ):
        g = inputs.generator(seed + i)
        y, dy = torch.softmax(x(m, n, g), 1), dy(m, n, g)
        case = Case(
            inputs.sized(label, m, n),
            Call("call", "softmax_backward", (y, dy)),
            verify=lambda e, y=y, dy=dy: compare.gradient(y, dy, e.value) or gradient.other_method(y, e),
            size=m * n,
            facts=gradient.facts(y, y, dy),
            may_call_library=True,  # verify reports the call, once the numbers are right
        )
        cases.append(case)
    return cases


def _kernel_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, x, dy, m, n) in enumerate(_MATRICES):
        g = inputs.generator(seed + i)
        cases.append(_kernel_case(label, torch.softmax(x(m, n, g), 1), dy(m, n, g)))
    g = inputs.generator(seed)

    def pair(m: int, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.softmax(inputs.randn(m, n, g), 1), inputs.randn(m, n, g)

    def gaps(y_gap: int, dy_gap: int) -> tuple[torch.Tensor, torch.Tensor]:
        y, dy = pair(3, 6)
        return inputs.row_strided(y, y_gap), inputs.row_strided(dy, dy_gap)

    y, dy = pair(4, 5)
    x64, dy64 = (inputs.randn(4, 6, g).double() / 3 for _ in range(2))  # with digits that float32 does not have
    cases += [
        _kernel_case("ragged", *pair(3, 5)),
        _kernel_case(said("gaps between the rows of dx"), *pair(3, 6), dx_gap=2),
        _kernel_case(said("gaps between the rows of y"), *gaps(3, 0)),
        _kernel_case(said("gaps between the rows of dy"), *gaps(0, 3)),
        _kernel_case(said("three strides"), *gaps(2, 3), dx_gap=1),
        _kernel_case(said("all rows of dy one row in memory"), y, dy[:1].expand(4, 5)),
        # The softmax is computed in float64: a float32 row sums to 1 only roughly, and a right answer may rely on 1.
        _kernel_case("float64", torch.softmax(x64, 1), dy64),
        _kernel_case(said("programs in reversed order"), *pair(4, softmax_function.any_length(seed)), order="reversed"),
        _kernel_case(said("programs in shuffled order"), *pair(6, 7), dx_gap=1, order="shuffled"),
        _kernel_case(said("rows of 5000"), *pair(2, 5000)),
        far_rows.case(
            lambda label: _kernel_case(label, *pair(5, 6)),
            {"dx": (0, 3), "y": (1, 4), "dy": (2, 5)},
            lambda strides: {"strides": strides},
        ),
    ]
    return cases


def _kernel_case(label: str, y: torch.Tensor, dy: torch.Tensor, dx_gap: int = 0, order: str = "forward") -> Case:
    m, n = y.shape
    block, strides = softmax_function.block(n), {"dx": n + dx_gap, "y": y.stride(0), "dy": dy.stride(0)}
    dx = Out((m, n), compare.name(y.dtype), (strides["dx"], 1))
    return Case(
        said("{label}, {m}×{n} in blocks of {block}", label=label, m=m, n=n, block=block),
        Call(
            "launch",
            "softmax_backward_kernel",
            (dx, y, dy, *strides.values(), n),
            {"BLOCK": block},
            grid=(m,),
            order=order,
        ),
        verify=lambda e: compare.gradient(y, dy, e.args[0]),
        size=m * n,
        budget=(2 * m * n, m * n),
        largest=softmax_function.most_lanes(block),
        unit=m * n,
        each_once=True,
        facts=gradient.facts(y, y, dy) | {"out": 0, "block": block, "strides": strides},
    )


def _function_cases(seed: int) -> list[Case]:
    g = inputs.generator(seed)
    cases = [
        softmax_function.case(
            "check_forward", said("forward, {label}, {m}×{n}", label=label, m=m, n=n), family(m, n, g)
        )
        for label, family, m, n in _FORWARD
    ]
    cases.append(
        softmax_function.case(
            "check_forward", said("forward, rows with gaps"), inputs.row_strided(inputs.randn(3, 6, g))
        )
    )
    for i, (label, x, dy, m, n) in enumerate(
        [*_MATRICES, (said("very long rows"), inputs.randn, inputs.randn, 1, 16385)]
    ):
        g = inputs.generator(seed + i)
        cases.append(autograd.backward_case(inputs.sized(label, m, n), x(m, n, g), dy(m, n, g)))

    def pair(m: int, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        return inputs.randn(m, n, g), inputs.randn(m, n, g)

    x, dy = pair(3, 5)
    row_strided, column_strided = inputs.row_strided, inputs.column_strided
    views = [
        (said("dy one number, expanded"), x, dy[:1, :1].expand(3, 5)),
        (said("dy one row, expanded"), x, dy[:1].expand(3, 5)),
        (said("dy one column, expanded"), x, dy[:, :1].expand(3, 5)),
        (said("dy a transposed view"), x, column_strided(dy)),
        (said("gaps between the rows of dy"), x, row_strided(dy)),
        (said("gaps between the rows of x"), row_strided(x), dy),
        (said("x a transposed view"), column_strided(x), dy),
        (said("x every other column"), inputs.every_other_column(x), dy),
        (said("x one column, expanded"), inputs.expanded(x), dy),
        ("float64", x.double() / 3, dy.double() / 3),
    ]
    cases += [autograd.backward_case(joined("{one}, {two}", [label, "3×5"]), x, dy) for label, x, dy in views]
    return [
        *cases,
        autograd.gradient_case(said("the same backward a second time"), "check_second_gradient", "second", *pair(3, 6)),
        autograd.gradient_case(
            said("another forward before backward"), "check_first_of_two", said("first of two"), *pair(3, 6)
        ),
        autograd.first_output_case(*pair(3, 6)),
        autograd.first_gradient_case(*pair(3, 6)),
        autograd.output_case(*pair(3, 6)),
        autograd.changed_output_case(*pair(3, 6)),
        autograd.kept_case(pair(4, 6)[0]),
        *softmax_function.any_lengths(
            seed,
            lambda label, x: autograd.backward_case(inputs.sized(label, *x.shape), x, inputs.randn(*x.shape, g)),
        ),
        far_rows.of_function(
            autograd.backward_case(said("x with rows more than 2^30 elements apart"), *pair(3, 6)), 0, may_refuse=True
        ),
        far_rows.of_function(
            autograd.backward_case(said("dy with rows more than 2^30 elements apart"), *pair(3, 6)), 1
        ),
    ]


EXERCISES = [
    Exercise(
        id="11.1",
        title="softmax_backward",
        names=("softmax_backward",),
        points=2,
        cases=_formula_cases,
        hints=(
            said(
                "dx[j] is a sum over i: dy[i] times the Jacobian's element in row i and column j. "
                "Which part of the sum comes from diag(y), and which part comes from the outer "
                "product?"
            ),
            said(
                "diag(y) gives y·dy. The outer product gives y times one number for each row: a sum "
                "over all outputs of the row."
            ),
            said("`y * (dy - <one number for each row, kept as a column>)`"),
        ),
        mistakes=(
            ("input-overwritten", detectors.input_overwritten),
            ("returns-nothing", detectors.nothing),
            ("wrong-dtype", detectors.wrong_kind("dtype")),
            ("wrong-shape", detectors.wrong_kind("shape")),
            *OTHER_METHODS,
            *GRADIENT,
        ),
    ),
    Exercise(
        id="11.2",
        title="softmax_backward_kernel",
        names=("softmax_backward_kernel",),
        points=3,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            said(
                "The kernel of 5.1 with two loads in place of one. After the loads, the kernel "
                "computes the formula of 11.1 and stores the result."
            ),
            said("Three tensors, three strides. A lane outside the row should add 0 to the sum of the products."),
            said(
                "Two lines of the form `tl.load(<pointer> + row * <its stride> + cols, mask=mask, "
                "other=<pad>)`, then `tl.sum(<products>, axis=0)`."
            ),
        ),
        mistakes=GRADIENT_KERNEL,
    ),
    Exercise(
        id="11.3",
        title="Softmax",
        names=("Softmax",),
        points=2,
        cases=_function_cases,
        kernels=True,
        driver=_DRIVER,
        imports=("torch.fx.experimental.symbolic_shapes",),  # torch.autograd.grad imports it
        hints=(
            said(
                "forward is 5.2 without the errors, and with a line that keeps a tensor for "
                "backward. backward is a launch, too."
            ),
            said(
                "ctx.save_for_backward takes tensors, ctx.saved_tensors is a tuple of them. What "
                "does dy.stride() say about a dy that was expanded from one number?"
            ),
            said(
                "In backward: `y, = ctx.saved_tensors`, then dy with strides that the kernel takes, "
                "then `softmax_backward_kernel[(<rows>,)](dx, y, dy, <three strides>, <columns>, "
                "BLOCK=...)`, then return."
            ),
        ),
        mistakes=(("output-reused", detectors.output_reused), STRIDES_EXCHANGED, *FUNCTION, *WRAPPER, *GRADIENT_KERNEL),
    ),
]
