"""Lesson 10: many short rows. A tile of rows for each program, programs that walk over rows, and their number."""

from __future__ import annotations

import pathlib
import random
from dataclasses import replace

import torch

from ..checks import inputs
from ..mistakes.residency import RESIDENCY
from ..mistakes.softmax.columns import SOFTMAX_PLACES
from ..mistakes.softmax.persistent import PERSISTENT
from ..mistakes.softmax.tiles import TILE
from ..mistakes.wide_loads import WIDE
from ..reference import far_rows, residency, softmax_function, wide_loads
from ..sentence import joined, said
from ..spec import Call, Case, Exercise, Out

_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "first_result.py").read_text(encoding="utf-8")

_TILES = [  # label, family of inputs, rows, columns, rows of a tile
    (said("ragged both ways"), inputs.randn, 3, 3, 2),
    (said("as many rows as columns"), inputs.randn, 4, 4, 4),
    (said("as many rows as columns, ragged both ways"), inputs.randn, 7, 3, 4),
    (said("ragged columns"), inputs.randn, 4, 5, 2),
    (said("ragged rows"), inputs.randn, 7, 4, 2),
    (said("fewer rows than a tile has"), inputs.randn, 3, 8, 16),
    (said("one row per program"), inputs.randn, 3, 10, 1),
    (said("one row"), inputs.randn, 1, 20, 4),
    (said("one column"), inputs.randn, 30, 1, 4),
    (said("rows far apart"), inputs.rows_apart, 7, 5, 4),
    (said("around -200"), inputs.far_below_zero, 5, 6, 4),
    ("100 ± 30", inputs.large, 5, 7, 4),
    (said("ascending"), inputs.ascending, 6, 9, 4),
    (said("descending"), inputs.descending, 6, 9, 4),
    (said("first half +200, the rest -200"), inputs.cliff, 6, 10, 4),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 6, 11, 4),
    (said("constant rows"), inputs.constant, 6, 12, 4),
    (said("one -inf in each row"), inputs.one_minus_inf, 6, 13, 4),
    (said("one outlier in each row"), inputs.outlier, 6, 14, 4),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 6, 14, 4),
    (said("values of -2.2e38"), inputs.lowest, 6, 15, 4),
    (said("one more than a power of two"), inputs.randn, 6, 17, 8),
    ("37×257", inputs.randn, 37, 257, 8),
    (said("values near the lowest float32"), inputs.at_the_end, 6, 14, 4),
    (said("no lane to spare, first half +200, the rest -200"), inputs.cliff, 4, 8, 4),
]


def _tile_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n, rows) in enumerate(_TILES):
        cases.append(_tile_case(label, family(m, n, inputs.generator(seed + i)), rows))
    g = inputs.generator(seed)
    wide, close = inputs.row_strided(inputs.randn(5, 6, g)), inputs.row_strided(inputs.randn(5, 6, g), 1)
    length = softmax_function.any_length(seed)
    cases += [
        _tile_case(said("wide gaps between the input's rows"), wide, 2, y_gap=1),
        _tile_case(said("wide gaps between the output's rows"), close, 2, y_gap=2),
        _tile_case(said("programs in reversed order"), inputs.randn(7, length, g), 2, order="reversed"),
        _tile_case(said("programs in shuffled order"), inputs.row_strided(inputs.randn(9, 6, g)), 2, 1, "shuffled"),
        _tile_case(said("rows 20000 elements apart"), inputs.row_strided(inputs.randn(5, 6, g), 19_994), 2, 19_994),
        far_rows.case(lambda label: _tile_case(label, inputs.randn(5, 6, g), 2)),
    ]
    return cases


def _tile_case(label: str, x: torch.Tensor, rows: int, y_gap: int = 0, order: str = "forward") -> Case:
    (m, n), block = x.shape, softmax_function.block(x.shape[1])
    return softmax_function.kernel_case(
        said("{label}, {m}×{n} in tiles of {rows}×{block}", label=label, m=m, n=n, rows=rows, block=block),
        x,
        Call(
            "launch",
            "tile_softmax_kernel",
            (Out((m, n), strides=(n + y_gap, 1)), x, n + y_gap, x.stride(0), m, n),
            {"ROWS": rows, "BLOCK": block},
            grid=(-(-m // rows),),
            order=order,
        ),
        facts={"tile": rows},
        tile=rows * block,
        largest=2 * rows * block,
    )


_WALKS = [  # label, family of inputs, rows, columns, programs
    (said("more rows than programs"), inputs.randn, 5, 3, 3),
    (said("one program"), inputs.randn, 3, 6, 1),
    (said("a program for each row"), inputs.randn, 5, 4, 5),
    (said("more programs than rows"), inputs.randn, 3, 7, 5),
    (said("the same number of rows for each"), inputs.randn, 6, 4, 3),
    (said("one column, many rows"), inputs.randn, 270, 1, 2),
    (said("one row"), inputs.randn, 1, 31, 4),
    (said("rows far apart, down and up again"), inputs.down_and_up, 6, 5, 2),
    (said("around -200"), inputs.far_below_zero, 5, 7, 2),
    ("100 ± 30", inputs.large, 5, 9, 3),
    (said("ascending"), inputs.ascending, 5, 10, 3),
    (said("descending"), inputs.descending, 5, 10, 3),
    (said("first half +200, the rest -200"), inputs.cliff, 5, 11, 3),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 5, 12, 3),
    (said("constant rows"), inputs.constant, 5, 13, 3),
    (said("one -inf in each row"), inputs.one_minus_inf, 5, 14, 3),
    (said("one outlier in each row"), inputs.outlier, 5, 15, 3),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 5, 15, 3),
    (said("values of -2.2e38"), inputs.lowest, 6, 15, 4),
    (said("one more than a power of two"), inputs.randn, 7, 17, 3),
    ("37×129", inputs.randn, 37, 129, 8),
    (said("values near the lowest float32"), inputs.at_the_end, 6, 14, 4),
    (said("no lane to spare, first half +200, the rest -200"), inputs.cliff, 5, 8, 3),
]


def _walk_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n, programs) in enumerate(_WALKS):
        cases.append(_walk_case(label, family(m, n, inputs.generator(seed + i)), programs))
    g = inputs.generator(seed)
    wide, close = inputs.row_strided(inputs.randn(5, 6, g)), inputs.row_strided(inputs.randn(5, 6, g), 1)
    length = softmax_function.any_length(seed)
    cases += [
        _walk_case(said("wide gaps between the input's rows"), wide, 3, y_gap=1),
        _walk_case(said("wide gaps between the output's rows"), close, 3, y_gap=2),
        _walk_case(said("programs in reversed order"), inputs.randn(7, length, g), 3, order="reversed"),
        _walk_case(said("programs in shuffled order"), inputs.row_strided(inputs.randn(9, 6, g)), 4, 1, "shuffled"),
        far_rows.case(lambda label: _walk_case(label, inputs.randn(5, 6, g), 2)),
    ]
    return cases


def _walk_case(label: str, x: torch.Tensor, programs: int, y_gap: int = 0, order: str = "forward") -> Case:
    m, n = x.shape
    case = softmax_function.kernel_case(
        (
            said("{label}, {m}×{n} with {programs} programs", label=label, m=m, n=n, programs=programs)
            if programs > 1
            else said("{label}, {m}×{n} with {programs} program", label=label, m=m, n=n, programs=programs)
        ),
        x,
        Call(
            "launch",
            "persistent_softmax_kernel",
            (Out((m, n), strides=(n + y_gap, 1)), x, n + y_gap, x.stride(0), m, n),
            {"BLOCK": softmax_function.block(n)},
            grid=(programs,),
            order=order,
            trace=True,
        ),
        facts={"programs": programs},
        tile=softmax_function.block(n),
        largest=2 * softmax_function.block(n),
        loads=softmax_function.OF_A_WALK,
        busy=softmax_function.shares(m, programs)[1],
    )
    return replace(
        case, verify=lambda e: case.verify(e) or softmax_function.unequal(e, m, programs), dear=m // programs > 100
    )


def _residency_cases(seed: int) -> list[Case]:
    """Each kernel is (device, registers of a thread, bytes of shared memory, warps)."""
    rng = random.Random(seed)
    kernels = [
        ("H200", 64, 0, 8),  # registers are the scarcest stock
        ("H200", 30, 49152, 4),  # shared memory
        ("H200", 20, 0, 8),  # threads
        ("H200", 20, 10000, 1),  # shared memory, no multiple of 1 KB
        ("H200", 16, 0, 1),  # programs
        ("H200", 33, 16, 4),  # registers, but only if they are counted in units
        ("H200", 49, 0, 2),  # registers, but only if each warp has whole units
        ("H200", 128, 1024, 16),
        ("T4", 32, 0, 4),
        ("T4", 16, 0, 1),  # programs, fewer than an H200 has places for
        ("T4", 40, 20000, 4),
        (said("warps of 64"), 84, 0, 4),
        (said("warps of 64"), 24, 16384, 2),
        (said("warps of 64"), 16, 0, 4),  # threads
        ("T4", 32, 21845, 1),  # shared memory, which is no multiple of anything
        (said("RX 7900"), 16, 0, 1),  # places for 64 programs
        (said("RX 7900"), 100, 0, 4),  # units of registers that are no power of two
        (said("RTX 4090"), 20, 0, 32),  # threads, with a remainder
    ]
    kernels += [residency.any_kernel(rng) for _ in range(4)]
    cases = [_residency_case(name, residency.drawn(name, rng), *rest) for name, *rest in dict.fromkeys(kernels)]
    h200 = residency.drawn("H200", rng)
    return [
        *cases,
        _residency_case(said("H200, but the compiler reports nothing"), h200, None, 0, 4),
        _residency_case(said("H200, but the compiler reports nothing"), h200, 0, 0, 4),
        _residency_case(said("a backend that reports nothing"), {}, rng.randint(20, 60), 0, 4),
        _residency_case(said("little shared memory"), h200 | {"max_shared_mem": 8192}, 32, 1000, 1),
        _residency_case(
            said("T4, but with 0 for max_shared_mem"), residency.lacking(rng, "max_shared_mem", 0), 40, 0, 4
        ),
        _residency_case(
            said("a backend that reports other things"),
            {"max_shared_mem": 196608, "num_aicore": rng.randint(16, 48)},
            32,
            0,
            4,
        ),
        _residency_case(
            said("a backend that reports zeros"), dict.fromkeys(residency.KEYS, 0), rng.randint(20, 60), 0, 4
        ),
        *(
            _residency_case(
                said("T4, but without {key}", key=key), residency.lacking(rng, key), rng.randint(33, 63), 0, 4
            )
            for key in residency.KEYS
        ),
        *(
            _residency_case(
                said("T4, but with 0 for {key}", key=key), residency.lacking(rng, key, 0), rng.randint(33, 63), 512, 4
            )
            for key in residency.KEYS
        ),
        _asked_twice(rng),
    ]


def _asked_twice(rng: random.Random) -> Case:
    """The same properties for two calls: a call that changes them has another second result."""
    kernel = (residency.drawn("T4", rng), 40, 512, 4)
    want = [residency.right(*kernel)] * 2
    return Case(
        said("T4, asked twice with the same props"),
        Call("call", "check_both_results", ("resident_programs", *kernel)),
        verify=lambda e: residency.verify_both(e.value, want),
        size=2,
        facts={"kernel": kernel, "known": False, "want": want, "twice": True},
    )


def _residency_case(device: str, props: dict, n_regs: int | None, shared: int, num_warps: int) -> Case:
    want = residency.right(props, n_regs, shared, num_warps)
    known = residency.known(props, n_regs)
    return Case(
        joined("{one}, {two}", [device, f"n_regs={n_regs}, shared={shared}, num_warps={num_warps}"]),
        Call("call", "resident_programs", (props, n_regs, shared, num_warps)),
        verify=lambda e: residency.verify(e.value, want),
        size=0 if known else 1,  # a failure on a complete device is reported first
        facts={"kernel": (props, n_regs, shared, num_warps), "known": known, "want": want},
    )


_BRAIN, _SINGLE = torch.bfloat16, torch.float32
_WIDE = [  # label, family of inputs, rows, columns, dtype, whether the machine code is judged
    (said("randn"), inputs.randn, 5, 7, _SINGLE, False),
    (said("one element"), inputs.randn, 1, 1, _BRAIN, False),
    (said("one column"), inputs.randn, 130, 1, _SINGLE, False),
    ("100 ± 30", inputs.large, 9, 13, _BRAIN, False),
    (said("around -200"), inputs.far_below_zero, 11, 48, _SINGLE, False),
    (said("first half +200, the rest -200"), inputs.cliff, 6, 33, _SINGLE, False),
    (said("one -inf in each row"), inputs.one_minus_inf, 7, 65, _BRAIN, False),
    (said("one outlier in each row"), inputs.outlier, 3, 257, _SINGLE, False),
    (said("values of -2.2e38"), inputs.lowest, 3, 14, _SINGLE, False),
    (said("values near the lowest float32"), inputs.at_the_end, 3, 13, _SINGLE, False),
    (said("short rows"), inputs.randn, 21, 64, _SINGLE, True),
    (said("short rows"), inputs.randn, 22, 64, _BRAIN, True),
    (said("odd rows"), inputs.randn, 3, 1021, _SINGLE, True),
    (said("odd rows"), inputs.last_outliers, 3, 1023, _BRAIN, False),
    (said("rows of a power of two"), inputs.ascending, 3, 1024, _SINGLE, False),
    (said("rows of a power of two"), inputs.descending, 4, 1024, _BRAIN, True),
    (said("long rows"), inputs.randn, 17, 8192, _SINGLE, True),
    (said("long odd rows"), inputs.large, 2, 8191, _SINGLE, False),
    (said("rows of 1 KB"), inputs.randn, 5, 256, _SINGLE, False),  # fewer bytes than four loads of a warp
    (said("rows of 64 bytes"), inputs.randn, 100, 16, _SINGLE, True),
    (said("many rows"), inputs.randn, 9001, 4, _SINGLE, False),  # more tiles than programs of a grid of a few hundred
]


def _wide_cases(seed: int) -> list[Case]:
    twice = softmax_function.first_result("wide_softmax", *inputs.randn(6, 7, inputs.generator(seed)).split(3))
    rng, g = random.Random(seed), inputs.generator(seed)
    # Rows of such lengths begin at multiples of 16 elements, so that they can be loaded 16 bytes at a time.
    drawn = [
        (16 * rng.randint(5, 60), _SINGLE),
        (16 * rng.randint(5, 120), _BRAIN),
        (16 * rng.randint(80, 250), _SINGLE),
    ]
    return [
        *(
            wide_loads.case(label, family(m, n, inputs.generator(seed + i)).to(dtype), machine)
            for i, (label, family, m, n, dtype, machine) in enumerate(_WIDE)
        ),
        *(
            wide_loads.case(said("any multiple of 16"), inputs.randn(rng.randint(5, 30), n, g).to(dtype), True)
            for n, dtype in drawn
        ),
        twice,
    ]


EXERCISES = [
    Exercise(
        id="10.1",
        title="tile_softmax_kernel",
        names=("tile_softmax_kernel",),
        points=2,
        cases=_tile_cases,
        kernels=True,
        hints=(
            said("The kernel of 5.1 with one more axis: ROWS row numbers downwards, BLOCK column numbers across."),
            said(
                "A block with one value for each row needs the shape [ROWS, 1], and a block with one "
                "value for each column [1, BLOCK]. What shape does tl.max(x, axis=1) have?"
            ),
            said(
                "`x_ptr + <rows>[:, None] * <stride> + <cols>[None, :]`, a mask of the shape `(<rows "
                "inside>)[:, None] & (<columns inside>)[None, :]`, and `tl.max(x, axis=1)[<to a "
                "column>]`."
            ),
        ),
        mistakes=(*TILE, *SOFTMAX_PLACES),
    ),
    Exercise(
        id="10.2",
        title="persistent_softmax_kernel",
        names=("persistent_softmax_kernel",),
        points=3,
        cases=_walk_cases,
        kernels=True,
        hints=(
            said("Put a loop around the kernel of 5.1: only the row changes from step to step."),
            said(
                "There are P programs. In each step of their loops, all of them together do P rows. "
                "tl.num_programs(0) is P."
            ),
            said(
                "`for row in range(<my first row>, <end>, <how many rows all programs take at once>):`, and 5.1 inside."
            ),
        ),
        mistakes=(*PERSISTENT, *SOFTMAX_PLACES),
    ),
    Exercise(
        id="10.3",
        title="resident_programs",
        names=("resident_programs",),
        points=2,
        cases=_residency_cases,
        driver=_DRIVER,
        hints=(
            said(
                "For each of the four resources of one multiprocessor, compute for how many programs "
                "it suffices. The smallest number decides."
            ),
            said("A program has num_warps warps. A warp has warpSize threads, and its registers come in whole units."),
            said(
                "`<registers of a warp> = <units, rounded up> * <size of a unit>`, then `min(<four "
                "numbers of programs>) * <multiprocessors>`; and before that, return 32 if an entry "
                "is missing."
            ),
        ),
        mistakes=RESIDENCY,
    ),
    Exercise(
        id="10.4",
        title="wide_softmax",
        names=("wide_softmax",),
        points=2,
        cases=_wide_cases,
        driver=_DRIVER,
        kernels=True,
        hints=(
            said(
                "A load is 16 bytes wide where the tile has 16 bytes or more for each thread. ROWS "
                "and num_warps decide."
            ),
            said(
                "A warp loads 32 · 16 = 512 bytes with one instruction. How many rows of 64 float32 "
                "are that, and how many of bfloat16? And a long row: how many such loads does a "
                "thread make before its registers run out?"
            ),
            said(
                "`ROWS = <...> // <bytes of a row of the block>`, at least 1. `num_warps = <bytes of "
                "the tile> // <...>`, between 1 and 32: a thread makes a few loads."
            ),
        ),
        mistakes=WIDE,
    ),
]
