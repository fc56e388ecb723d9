"""Lesson 12, down to CUDA: a tree, a butterfly, two levels of butterflies, and five kernels in CUDA C++."""

from __future__ import annotations

import functools
import math
import pathlib
import random

import torch

from ..checks import compare, inputs
from ..mistakes.barrier_intervals import COUNTED, PREDICTED
from ..mistakes.cuda import CHUNK_REMARKS, CUDA_KERNEL, TREE_REMARKS, WARP_REMARKS
from ..mistakes.first_cuda import FIRST_KERNELS
from ..mistakes.reductions import BUTTERFLY, LANES_REMARKS, TREE, TWO_LEVEL
from ..reference import barrier_intervals, combines, cuda, reductions, softmax_function
from ..sentence import joined, said
from ..spec import Call, Case, Evidence, Exercise, Helper, Out

_DRIVERS = pathlib.Path(__file__).parent / "drivers"
_LIST_DRIVER = (_DRIVERS / "callers_list.py").read_text(encoding="utf-8")
_LANES_DRIVER = (_DRIVERS / "lanes_of_a_butterfly.py").read_text(encoding="utf-8")
_COMBINES = pathlib.Path(combines.__file__).read_text(encoding="utf-8")


def _tree_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    lists = [
        (said("one number"), [float(rng.randint(2, 99))]),
        (said("two numbers"), [float(v) for v in rng.sample(range(1, 50), 2)]),
        (said("eight numbers"), [v / 4 for v in rng.sample(range(1, 100), 8)]),
        (said("thirty-two numbers"), [float(v) for v in rng.sample(range(-500, 500), 32)]),
        (said("sixty-four numbers"), [float(v) for v in rng.sample(range(-500, 500), 64)]),
        (said("512 numbers"), [float(v) for v in rng.sample(range(-500, 500), 512)]),
    ]
    # A single number is the most special case, so its failure is reported last.
    cases = [_tree_case(label, values, len(values) if len(values) > 1 else 1000) for label, values in lists]
    return [*cases, _list_case([float(v) for v in rng.sample(range(1, 50), 4)])]


def _list_case(values: list[float]) -> Case:
    """The caller's list must be the same after the call."""
    return Case(
        said("four numbers, and then the caller's list again"),
        Call("call", "check_callers_list", (list(values),)),
        verify=lambda e: reductions.list_fault(e.value, values),
        size=2000,
        facts={"callers_list": True, "values": values},
    )


def _tree_case(label: str, values: list[float], size: int) -> Case:
    return Case(
        label,
        Call("call", "tree_reduce", (list(values),)),
        verify=lambda e: reductions.tree_fault(e.value, reductions.tree(values)),
        size=size,
        facts={"values": values},
    )


def _butterfly_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    some = [rng.gauss(0, 3) for _ in range(32)]
    states = [(v, rng.uniform(1, 5)) for v in some]
    empty = (-torch.inf, 0.0)
    lists = [
        (said("two lanes, their sum"), "total", [float(v) for v in rng.sample(range(1, 50), 2)]),
        (said("four lanes, their sum"), "total", [float(rng.randint(1, 9) * 10**i) for i in range(4)]),
        (said("one lane"), "total", [float(rng.randint(2, 99))]),
        (said("eight lanes, their maximum"), "larger", [float(v) for v in rng.sample(range(100), 8)]),
        (said("a warp, its sum"), "total", [float(v) for v in rng.sample(range(1000), 32)]),
        (said("a warp, its maximum"), "larger", some),
        (said("a warp of states, merged"), "merge", states),
        (said("a warp of states, most of them empty"), "merge", [*states[:5], *[empty] * 27]),
        (said("a warp that counts its steps"), "steps", [(0, float(v)) for v in rng.sample(range(100), 32)]),
    ]
    return [_butterfly_case(size, *case) for size, case in enumerate(lists)]


def _butterfly_case(size: int, label: str, combine: str, lanes: list) -> Case:
    want = reductions.butterfly(lanes, getattr(combines, combine), reductions.powers(len(lanes)))[0]
    return Case(
        label,
        Call("call", "butterfly", (list(lanes), Helper(_COMBINES, combine))),
        verify=lambda e: reductions.lanes_fault(e.value, len(lanes), want),
        size=size,
        facts={"lanes": lanes, "combine": combine, "want": want},
    )


def _two_level_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    cases = []
    for size, (label, warps, around) in enumerate([
        (said("two warps"), 2, 0.0),
        (said("one warp"), 1, 0.0),
        (said("four warps, around -200"), 4, -200.0),
        (said("three warps"), 3, 0.0),
        (said("twenty warps"), 20, 0.0),
        (said("a block of 1024 threads"), 32, -200.0),
    ]):  # fmt: skip
        ms = [rng.gauss(around, 3) for _ in range(32 * warps)]
        cases.append(_two_level_case(size, label, ms, [rng.uniform(1, 5) for _ in ms]))
    ms, ds = [rng.gauss(0, 3) for _ in range(128)], [rng.uniform(1, 5) for _ in range(128)]
    gone = [-torch.inf] * 32
    cases.append(
        _two_level_case(
            10, said("four warps, the second one empty"), ms[:32] + gone + ms[64:], ds[:32] + [0.0] * 32 + ds[64:]
        )
    )
    warps = rng.randint(2, 30)
    cases.append(_two_level_case(11, said("{warps} warps, all empty", warps=warps), gone * warps, [0.0] * 32 * warps))
    return [*cases, _in_series_case(rng)]


def _in_series_case(rng: random.Random) -> Case:
    """A block of 1024 threads whose float64 sum tells whether states were merged one after another.

    A sum of 1 stands in the middle, all others are less than half of the last place of 1. In a walk along all threads,
    each of those that comes behind it is lost. In two levels at most 31 are: after that, a warp's sum is large enough.
    How many lanes each butterfly got is a remark, and no evidence.
    """
    threads = reductions.LANES**2
    small = rng.uniform(0.7, 0.95) * 2.0**-53
    ms, ds = [rng.gauss(0, 3)] * threads, [small] * threads
    ds[rng.randint(450, 570)] = 1.0
    want = ms[0], math.fsum(ds)

    def verify(e: Evidence) -> str | None:
        state = e.value[0] if isinstance(e.value, list) else e.value
        if sentence := compare.state(state, want):
            return sentence
        lost = round((want[1] - state[1]) / small)
        # A sum in float32 has lost all of them, in whatever order.
        return (
            said("{lost} of {threads} small states were lost on the way", lost=lost, threads=threads)
            if (_LOST < lost < threads - _LOST)
            else None
        )

    return Case(
        said("states of 1 and of nearly nothing, {threads} threads", threads=threads),
        Call("call", "check_lanes", (ms, ds)),
        verify,
        size=threads + 1,
        facts={"in_series": True, "want": want},
    )


_LOST = 120  # small states; two levels lose 31 at most, and their roundings are worth 60 more


def _two_level_case(size: int, label: str, ms: list[float], ds: list[float]) -> Case:
    want = reductions.merged(ms, ds)
    return Case(
        label,
        Call("call", "two_level", (list(ms), list(ds))),
        verify=lambda e: compare.state(e.value, want),
        size=size,
        facts={"ms": ms, "ds": ds, "want": want},
    )


_FIRST = ("copy_rows", "sum_rows")


def _first_cases(seed: int) -> list[Case]:
    shapes = [
        (said("a column for each thread"), 1, 32, 32),
        (said("fewer columns than threads"), 2, 5, 32),
        (said("more columns than threads"), 2, 70, 32),
        (said("one column"), 3, 1, 64),
        (said("twice as many columns as threads"), 3, 128, 64),
        (said("three warps"), 2, 200, 96),
        (said("many columns for each thread"), 1, random.Random(seed).randint(200, 900), 32),
        (said("a large block"), 1, 1030, 1024),
    ]
    return [
        _first_case(name, label, inputs.randn(m, n, inputs.generator(seed + i)), threads)
        for name in _FIRST
        for i, (label, m, n, threads) in enumerate(shapes)
    ]


def _first_case(name: str, label: str, x: torch.Tensor, threads: int) -> Case:
    """A kernel that stores x, or the sum of each row in all of its columns."""
    (m, n), summed = x.shape, name == "sum_rows"
    want = x.double().sum(1, keepdim=True).expand(m, n) if summed else x.double()
    # A float32 sum of n numbers is off by n roundings of the sum of their sizes at most, whatever the order.
    slack = n * torch.finfo(x.dtype).eps * x.double().abs().sum(1, keepdim=True) if summed else 0.0
    return Case(
        joined("{one}, {two}", [name, _labelled(label, x, threads)]),
        Call("cuda", name, (Out((m, n)), x, n), {"function": name, "threads": threads}, (m,)),
        verify=lambda e: cuda.stored_fault(want, slack, e),
        size=m * n if n > 1 else 4000,  # a single column is the most special case, so it is reported late
        budget=(m * n, m * n),
        unit=m * n,
        group=name,
        facts={"x": x, "out": 0, "threads": threads, "want": want.float()},
    )


# Label, input family, rows, columns, threads of a block.
_MATRICES = [
    (said("randn"), inputs.randn, 1, 5, 32),
    (said("one column"), inputs.randn, 2, 1, 32),
    (said("fewer columns than threads"), inputs.randn, 3, 8, 32),
    (said("a column for each thread"), inputs.randn, 2, 64, 64),
    (said("more columns than threads"), inputs.randn, 2, 100, 32),
    (said("ragged"), inputs.randn, 3, 79, 64),
    (said("values around -200"), inputs.far_below_zero, 2, 40, 64),
    (said("values around -200"), inputs.far_below_zero, 1, 42, 1024),
    ("100 ± 30", inputs.large, 2, 70, 32),
    (said("ascending"), inputs.ascending, 2, 96, 32),
    (said("descending"), inputs.descending, 2, 98, 32),
    (said("first half +200, the rest -200"), inputs.cliff, 2, 128, 32),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 2, 130, 32),
    (said("a first half of -inf"), inputs.leading_minus_inf, 2, 128, 64),
    (said("a warp with nothing but -inf"), inputs.leading_minus_inf, 2, 66, 64),
    (said("one -inf in each row"), inputs.one_minus_inf, 3, 36, 32),
    (said("one outlier in each row"), inputs.outlier, 3, 37, 32),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 64, 64),
    (said("a last half of -inf"), inputs.trailing_minus_inf, 2, 256, 32),
    (said("constant rows"), inputs.constant, 4, 33, 32),
    (said("values of -2.2e38"), inputs.lowest, 2, 36, 64),
    ("7×257", inputs.randn, 7, 257, 128),
    (said("a power of two"), inputs.randn, 2, 2048, 256),
    (said("a long row"), inputs.randn, 1, 4100, 1024),
    (said("values near the lowest float32"), inputs.at_the_end, 2, 36, 64),
]
_PASSES = {"v1": 3, "v2": 2, "v3": 2}  # over the input: as many as the budget of a version allows


def _kernel_cases(seed: int, version: str) -> list[Case]:
    cases = [
        _kernel_case(version, label, family(m, n, inputs.generator(seed + i)), threads)
        for i, (label, family, m, n, threads) in enumerate(_MATRICES)
    ]
    g, n = inputs.generator(seed), random.Random(seed).randint(8_200, 9_900)  # a thread has no 256 registers for them
    cases.append(_kernel_case(version, said("a row too long for registers"), inputs.randn(1, n, g), 32))
    return [*cases, _kernel_case(version, said("blocks in reversed order"), inputs.randn(4, 70, g), 32, "reversed")]


def _labelled(label: str, x: torch.Tensor, threads: int) -> str:
    size = f"{len(x)}×{x.shape[1]}"
    what = label if label == size else joined("{one}, {two}", [label, size])
    return said("{what}, {threads} threads per block", what=what, threads=threads)


def _kernel_case(version: str, label: str, x: torch.Tensor, threads: int, order: str = "forward") -> Case:
    m, n = x.shape
    return Case(
        _labelled(label, x, threads),
        Call("cuda", version, (Out((m, n)), x, n), {"function": f"softmax_{version}", "threads": threads}, (m,), order),
        verify=lambda e: cuda.numbers_fault(x, e) or cuda.version_fault(version, e, n)[1],
        # A single column is the most special case, so it is reported late. The last one is that of the most threads.
        size=min(m * n, 4050 + threads) if n > 1 else 4000,
        budget=(_PASSES[version] * m * n, m * n),
        may_read_less=True,
        least_read=m * n if n > 1 else 0,  # a row of one number has the softmax 1
        unit=m * n,
        facts={"x": x, "out": 0, "threads": threads, "version": version},
        interpreted_only=softmax_function.lowest(x),
    )


_INTERVALS = ("predicted_intervals", "shuffles_by_interval")


def _interval_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    cases = [_prediction_case(warps) for warps in (4, 8, 1, 2, 16, 32)]
    a = rng.randint(1, 9)
    some = [
        (said("two barrier intervals"), [a + 1, a]),
        (said("no barrier"), [a + 2]),
        (said("a barrier, and nothing before it"), [0, a + 1]),
        (said("two barriers with nothing between them"), [a + 1, 0, a]),
        (said("a barrier at the end"), [a, a + 3, 0]),
        (said("any text"), [rng.randint(1, 6) for _ in range(rng.randint(4, 7))]),
    ]
    for size, (label, counts) in enumerate(some):
        cases.append(_count_case(said("{label}, by hand", label=label), barrier_intervals.written(counts), size))
    rebar = barrier_intervals.written([a + 1, a], "rebar_kernel")
    cases.append(_count_case(said("a kernel with `bar` in its name, by hand"), rebar, 0))
    for size, text in enumerate(barrier_intervals.recorded()):
        warps = (
            said("{num_warps} warps", num_warps=text["num_warps"])
            if text["num_warps"] > 1
            else said("{num_warps} warp", num_warps=text["num_warps"])
        )
        label = said(
            "{kernel} for {gpu}, {warps}, Triton {triton}, some shuffles taken out",
            kernel=text["kernel"],
            gpu=text["gpu"],
            warps=warps,
            triton=text["triton"],
        )
        cases.append(_count_case(label, barrier_intervals.thinned(text["ptx"], rng), len(some) + size))
    return cases


def _prediction_case(warps: int) -> Case:
    want = barrier_intervals.predicted(warps)
    return Case(
        f"num_warps={warps}",
        Call("call", "predicted_intervals", (warps,)),
        verify=lambda e: barrier_intervals.fault(e.value, want),
        size=warps if warps > 2 else 100 + warps,  # the prediction for one warp is the most special one
        group="predicted_intervals",
        facts={"num_warps": warps, "want": want},
    )


def _count_case(label: str, ptx: str, size: int) -> Case:
    want = barrier_intervals.shuffles(ptx)
    return Case(
        label,
        Call("call", "shuffles_by_interval", (ptx,)),
        verify=lambda e: barrier_intervals.fault(e.value, want),
        size=size,
        group="shuffles_by_interval",
        facts={"ptx": ptx, "want": want},
    )


EXERCISES = [
    Exercise(
        id="12.1",
        title="tree_reduce",
        names=("tree_reduce",),
        points=1,
        cases=_tree_cases,
        driver=_LIST_DRIVER,
        hints=(
            said("A step adds the upper half of the list to the lower half, and the result is half as long."),
            said(
                "Every state is a list of its own. The first state has all the values, the last state has one number."
            ),
            said(
                "`while len(values) > 1:` a new list, `[values[i] + values[<i plus half of the "
                "length>] for i in range(<half>)]`, and keep it."
            ),
        ),
        mistakes=TREE,
    ),
    Exercise(
        id="12.2",
        title="butterfly",
        names=("butterfly",),
        points=1,
        cases=_butterfly_cases,
        hints=(
            said(
                "In every step each lane combines its value with that of its partner, whose number differs in one bit."
            ),
            said(
                "What does lane 1 read when lane 0 has been changed already? All lanes of a warp read at the same time."
            ),
            said(
                "For the offsets 16, 8, 4, 2, 1 (for 32 lanes): a new list with `combine(<old, own>, "
                "<old, lane ^ offset>)` for every lane."
            ),
        ),
        mistakes=BUTTERFLY,
    ),
    Exercise(
        id="12.3",
        title="two_level",
        names=("two_level",),
        points=1,
        cases=_two_level_cases,
        hints=(
            said("Reduce 32 lanes to one state, twice: first in every warp, then for the states of the warps."),
            said("The second level is a warp too, so it has 32 lanes. Which state changes nothing when it is merged?"),
            said(
                "`butterfly(list(zip(<32 maxima>, <32 sums>)), merge)[0]` for every warp; then the "
                "same for a list of the results, filled up to 32."
            ),
        ),
        mistakes=TWO_LEVEL,
        remarks=LANES_REMARKS,
        driver=_LANES_DRIVER,
    ),
    Exercise(
        id="12.4",
        title=said("copy_rows, sum_rows"),
        names=_FIRST,
        points=1,
        cases=_first_cases,
        groups=_FIRST,
        parts=True,
        kernels=True,
        hints=(
            said(
                "Write down by hand, for a row of 7 columns and a block of 3 threads, which columns "
                "each of the threads 0, 1 and 2 has."
            ),
            said(
                "A thread begins with the column that has its own number. The distance to its next "
                "column is the number of threads. In sum_rows, a thread reads places that other "
                "threads have filled."
            ),
            said(
                "copy_rows: `for (int c = <first>; c < n_cols; c += <how many threads>) y[c] = "
                "<...>;`. sum_rows: the same loop with `mine += <...>;`, then `buffer[<my place>] = "
                "mine;`, then the barrier."
            ),
        ),
        mistakes=FIRST_KERNELS,
        remarks=CHUNK_REMARKS,
    ),
    Exercise(
        id="12.5",
        title="softmax_v1",
        names=("v1",),
        points=1,
        cases=functools.partial(_kernel_cases, version="v1"),
        kernels=True,
        hints=(
            said(
                "Each thread first walks along its own columns, then all threads of the block "
                "combine their results. Between a store to shared memory and a load by another "
                "thread, both have to arrive at a barrier."
            ),
            said(
                "The tree is that of 12.1, once with fmaxf and once with +. Before the second tree, "
                "every thread must have read the result of the first one."
            ),
            said(
                "A tree: `<barrier> for (int half = blockDim.x / 2; half > 0; half /= 2) { if (me < "
                "half) <my place takes in place me + half>; <barrier> }`."
            ),
        ),
        mistakes=CUDA_KERNEL,
        remarks=TREE_REMARKS,
    ),
    Exercise(
        id="12.6",
        title="softmax_v2",
        names=("v2",),
        points=1,
        cases=functools.partial(_kernel_cases, version="v2"),
        kernels=True,
        hints=(
            said("A state of one number v is (v, 1). A thread merges the states of its columns, one after the other."),
            said(
                "The tree is that of version 1 with two arrays: a step merges two places of ms and "
                "ds instead of adding."
            ),
            said(
                "The walk: `merge(m, d, <x of my column>, <d of one number>)`. A step of the tree: "
                "`if (me < half) merge(<my place of ms>, <my place of ds>, <the other m>, <the other "
                "d>);`, then the barrier."
            ),
        ),
        mistakes=CUDA_KERNEL,
        remarks=TREE_REMARKS,
    ),
    Exercise(
        id="12.7",
        title="softmax_v3",
        names=("v3",),
        points=1,
        cases=functools.partial(_kernel_cases, version="v3"),
        kernels=True,
        hints=(
            said("merge_warp is 12.2 with the merge of states. The two levels are those of 12.3."),
            said(
                "Both numbers of the partner have to be fetched before one's own state changes. In "
                "the second level, a lane takes the state of the warp that has the lane's number, or "
                "the empty state."
            ),
            said(
                "A step: `<other m> = __shfl_xor_sync(0xffffffff, m, offset);`, the same for d, then "
                "merge. The levels: `merge_warp(m, d);`, one lane of each warp stores, a barrier, `m "
                "= lane < warps ? <...> : <empty>;`, the same for d, `merge_warp(m, d);`."
            ),
        ),
        mistakes=CUDA_KERNEL,
        remarks=WARP_REMARKS,
    ),
    Exercise(
        id="12.8",
        title=said("predicted_intervals, shuffles_by_interval"),
        names=_INTERVALS,
        points=1,
        cases=_interval_cases,
        groups=_INTERVALS,
        parts=True,
        open_book=said("its first part has six inputs, one for each number of warps; those of the second are drawn"),
        hints=(
            said(
                "A reduction has the two levels of 12.3, and each level is a butterfly. For k "
                "values, halve k until 1 is left: each halving is one step. To count the shuffles of "
                "a text, go through its lines with one counter."
            ),
            said(
                "The maximum comes first, then the sum. There is a barrier between two levels. With "
                "one warp there is no second level, so no barrier is needed. In the text, a barrier "
                "ends one barrier interval and begins the next one."
            ),
            said(
                "`[<first level>, <second level>] * <reductions>`, and one number for one warp. For "
                "a text: `part.count(<how a shuffle begins>)` for every part between two barriers."
            ),
        ),
        mistakes=(*PREDICTED, *COUNTED),
    ),
]
