"""Lesson 03: pointers and masks. The elements of a program, the value of masked lanes, the order of programs."""

from __future__ import annotations

import torch

from ..checks import compare, inputs
from ..mistakes.copies import COPY, MAXIMUM, REPAIR, ROWS, SERIAL_REMARKS
from ..reference import softmax_function
from ..sentence import said
from ..spec import Call, Case, Exercise, Out

# (elements, lanes of a block). In the smallest ragged vectors at least two lanes are outside: so a mask with one lane
# too many differs from no mask at all.
_SPECIAL = said(", among them 0, inf and NaN")
_VECTORS = [(4, 4), (8, 8), (3, 8), (16, 8), (13, 8), (20, 8), (64, 16), (37, 16), (1000, 128)]


def _copy_cases(seed: int) -> list[Case]:
    cases = [_copy_case(n, block, "forward", seed) for n, block in _VECTORS]
    cases += [_copy_case(27, 8, order, seed) for order in ("reversed", "shuffled")]
    return [*cases, _copy_case(29, 8, "forward", seed, inputs.special)]


def _copy_case(n: int, block: int, order: str, seed: int, family=inputs.randn) -> Case:
    x = family(1, n, inputs.generator(seed + n))[0]
    programs = -(-n // block)
    call = Call("launch", "copy_kernel", (Out((n,)), x, n), {"BLOCK": block}, grid=(programs,), order=order)
    count = said("1 program") if programs == 1 else said("{programs} programs", programs=programs)
    return Case(
        said(
            "{n} elements{value}, {count} of {block} lanes{in_order}",
            n=n,
            value=_SPECIAL if family is inputs.special else "",
            count=count,
            block=block,
            in_order=_in_order(order),
        ),
        call,
        verify=lambda e: compare.tensor(e.args[0], x, 0.0),
        size=n * (1 + (programs > 1)),  # a failure in one program is reported first
        budget=(n, n),
        unit=n,
        facts={"x": x, "want": x, "out": 0, "block": block},
    )


_ORDERS = {"reversed": said(", programs in reversed order"), "shuffled": said(", programs in shuffled order")}


def _in_order(order: str) -> str:
    """The order of the programs, as the end of a label."""
    return _ORDERS.get(order, "")


def _row_cases(kernel: str, matrices, seed: int, rows) -> list[Case]:
    """One case for each matrix (label, family of inputs, rows, columns, lanes, gap between rows, order of programs).

    rows(x): the right output for x, of shape (M, N) or (M,).
    """
    cases = []
    for i, (label, family, m, n, block, gap, order) in enumerate(matrices):
        x = family(m, n, inputs.generator(seed + i))
        x = inputs.row_strided(x, gap) if gap else x
        label = said(
            "{label}, {m}×{n} in blocks of {block}{in_order}",
            label=label,
            m=m,
            n=n,
            block=block,
            in_order=_in_order(order),
        )
        cases.append(_row_case(kernel, label, x, block, order, rows))
    return cases


def _row_case(kernel: str, label: str, x, block: int, order: str, rows, spare: int = 0, poison: bool = True) -> Case:
    """A launch with one program for each row of x, of shape (M, N).

    spare: rows at the end of the output that no program may store to. poison: as in Call.
    """
    (m, n), stride, want = x.shape, x.stride(0), rows(x)
    out = Out((m + spare, n), strides=(stride, 1)) if want.dim() == 2 else Out((m,))
    call = Call("launch", kernel, (out, x, stride, n), {"BLOCK": block}, grid=(m,), order=order, poison=poison)
    return Case(
        label,
        call,
        verify=lambda e: compare.tensor(e.args[0][:m], want, 0.0),
        size=m * n,
        budget=(m * n, want.numel()),
        largest=softmax_function.most_lanes(block, _LONGEST),
        unit=m * n,
        facts={
            "x": x, "want": want, "out": 0, "block": block, "rows": rows, "spare": spare,
            "x_stride": stride, "y_stride": stride if want.dim() == 2 else 1,
        },
    )  # fmt: skip


# No block has 4 lanes: r · BLOCK · row_stride would equal r · 4 · row_stride, a row stride in bytes.
_MATRICES = [
    (said("one full row"), inputs.randn, 1, 8, 8, 0, "forward"),
    (said("full rows"), inputs.randn, 2, 8, 8, 0, "forward"),
    (said("ragged"), inputs.randn, 3, 5, 8, 0, "forward"),
    (said("gaps between the rows"), inputs.randn, 3, 6, 8, 3, "forward"),
    (said("one column"), inputs.randn, 30, 1, 8, 0, "forward"),
    (said("a block much wider than the row"), inputs.randn, 5, 7, 32, 0, "forward"),
    (said("more columns than a warp has threads"), inputs.randn, 4, 33, 64, 2, "forward"),
    (said("gaps between the rows"), inputs.randn, 6, 9, 16, 1, "reversed"),
    (said("ragged"), inputs.randn, 7, 10, 16, 0, "shuffled"),
]
_LONGEST = 600  # columns: some answers sort them
_LONG = (said("long rows"), inputs.randn, 2, _LONGEST, 1024, 0, "forward")
_COPIED = [*_MATRICES, (said("values, among them 0, inf and NaN"), inputs.special, 4, 9, 16, 0, "forward"), _LONG]
_MAXIMA = [
    *_MATRICES,
    (said("ragged, around -200"), inputs.far_below_zero, 3, 6, 8, 0, "forward"),
    (said("ragged, values of -2.2e38"), inputs.lowest, 4, 6, 8, 0, "forward"),
    (said("ragged, only -inf"), lambda m, n, g: torch.full((m, n), -torch.inf), 5, 6, 8, 0, "forward"),
    (said("full rows, around -200"), inputs.far_below_zero, 2, 8, 8, 0, "forward"),
    (said("ascending"), inputs.ascending, 4, 11, 16, 0, "forward"),
    (said("descending"), inputs.descending, 4, 12, 16, 0, "forward"),
    (said("values up to 2.2e38"), lambda m, n, g: -inputs.lowest(m, n, g), 3, 13, 16, 0, "forward"),
    # A pad that is told from the values by its number takes values of the same number with it.
    (said("values of at most 0"), lambda m, n, g: inputs.randn(m, n, g).clamp(max=0), 5, 5, 8, 0, "forward"),
    (said("ragged, one inf in each row"), lambda m, n, g: -inputs.one_minus_inf(m, n, g), 4, 10, 16, 0, "forward"),
    _LONG,
]


def _copy_rows_cases(seed: int) -> list[Case]:
    return _row_cases("copy_rows_kernel", _COPIED, seed, lambda x: x.clone())


def _row_max_cases(seed: int) -> list[Case]:
    # A product with the mask turns inf and NaN in masked lanes into NaN, which tl.max leaves out; 0 stays 0, and wins.
    low, label = inputs.far_below_zero(4, 6, inputs.generator(seed)), said("ragged, around -200, zeros in masked lanes")
    zeros = _row_case(
        "row_max_kernel",
        said("{label}, 4×6 in blocks of 8", label=label),
        low,
        8,
        "forward",
        lambda x: x.amax(1),
        poison=False,
    )
    return [*_row_cases("row_max_kernel", _MAXIMA, seed, lambda x: x.amax(1)), zeros]


def _twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def _repaired_cases(seed: int) -> list[Case]:
    g = inputs.generator(seed)
    roomy = [
        _row_case(
            "repaired_kernel",
            said("a spare row at the end, {m}×{n} in blocks of 8{in_order}", m=m, n=n, in_order=_in_order(order)),
            inputs.randn(m, n, g), 8, order, _twice, spare=1,
        )
        for m, n, order in [(2, 5, "reversed"), (3, 5, "forward"), (5, 6, "shuffled")]
    ]  # fmt: skip
    return roomy + _row_cases("repaired_kernel", _COPIED, seed, _twice)


EXERCISES = [
    Exercise(
        id="3.1",
        title="copy_kernel",
        names=("copy_kernel",),
        points=2,
        cases=_copy_cases,
        kernels=True,
        hints=(
            said("Each program has BLOCK elements of its own: which is the first of them, in program 2?"),
            said(
                "tl.program_id(0) is the number of the program; the numbers of its lanes are added "
                "to the first element of the program."
            ),
            said(
                "`offsets = <number of the program> * <lanes per program> + tl.arange(0, BLOCK)`, "
                "and the mask compares those offsets with n."
            ),
        ),
        mistakes=COPY,
        remarks=SERIAL_REMARKS,
    ),
    Exercise(
        id="3.2",
        title="copy_rows_kernel",
        names=("copy_rows_kernel",),
        points=2,
        cases=_copy_rows_cases,
        kernels=True,
        hints=(
            said(
                "A program has one row. Only two things change: the first element of the block, and "
                "the lanes that are inside."
            ),
            said(
                "How many elements after the beginning of row 0 does row 2 begin? And how many lanes "
                "of a block have a column?"
            ),
            said(
                "`x_ptr + <which row> * <elements from row to row> + <lanes>`; the mask compares the "
                "lanes with the number of columns."
            ),
        ),
        mistakes=ROWS,
    ),
    Exercise(
        id="3.3",
        title="row_max_kernel",
        names=("row_max_kernel",),
        points=2,
        cases=_row_max_cases,
        kernels=True,
        hints=(
            said("Load the row as before, reduce the block to one number, store that number."),
            said(
                "Masked lanes take part in the maximum. What can they hold that never wins, not even "
                "against a row of very low values? And how many elements of y belong to a row?"
            ),
            said(
                "`tl.load(<addresses>, mask=<mask>, other=<a value below every float>)`, "
                "`tl.max(<block>, axis=0)`, and `tl.store(y_ptr + <which row>, <number>)`."
            ),
        ),
        mistakes=MAXIMUM,
        remarks=SERIAL_REMARKS,
    ),
    Exercise(
        id="3.4",
        title="repaired_kernel",
        names=("repaired_kernel",),
        points=1,
        cases=_repaired_cases,
        kernels=True,
        hints=(
            said("Every program must touch its own row and nothing else; then the order cannot matter."),
            said(
                "Look at the trace: which lanes of program 0 are in row 1? Are they masked in the "
                "load, and in the store?"
            ),
            said("`tl.store(<addresses>, <values>, mask=<which lanes?>)` is the form of the line that changes."),
        ),
        mistakes=REPAIR,
    ),
]
