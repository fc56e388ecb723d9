"""The rows that lessons show of the recorded GPU, ready to be measured on another one: a function for each lesson.

The functions are those of the records (per_lesson/), of which the texts of the course's answers lie in the grader. So
they are there where solutions/ is not, as in Colab.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..environment import ROOT, has_cupy
from ..sentence import Said, said
from .per_lesson import cuda_kernels, online, residency, routes, solution, splits, tuning

Run = Callable[[], Any]
Make = Callable[[], Run]  # makes a run; compiles what has to be compiled by hand

_RECORDS = {"13": "attention", "14": "routes", "15": "tuning"}  # softmax_on_h200.json has the others
_TOLERANCE = 1e-4  # relative, of float32; 16-bit numbers are compared with attention's own
_MATRIX = 4  # matrices of this size that a function may have at once, its input and result among them
NEEDS_CUPY = {"12"}


@dataclass(frozen=True)
class Ratio:
    """A sentence from the time of the first function over that of the second."""

    names: tuple[str, str]
    sentence: Callable[[float], Said]


@dataclass(frozen=True)
class Heat:
    """Functions that take turns on one input.

    name: of the input. bytes: of the memory that they take. setup: makes the input; returns {name: Make} and a function
    (name, result) -> a sentence if it is wrong. names: {name: as a table shows it}. base: whose time is the unit.
    recorded: {name: µs on the recorded GPU}.
    """

    name: str | Said
    bytes: int
    setup: Callable[[], tuple[dict[str, Make], Callable[[str, Any], Said | None]]]
    names: Mapping[str, str | Said]
    recorded: Mapping[str, float]
    base: str = "copy"
    ratio: Ratio | None = None


def of(lesson: str, mine: tuple) -> tuple[str, Iterator[Heat]]:
    """(name of the recorded GPU, the heats of a lesson). mine: as in own_card. Raises what reading a record raises."""
    name = _RECORDS.get(lesson, "softmax")
    record = json.loads((ROOT / "records" / f"{name}_on_h200.json").read_text(encoding="utf-8"))
    return record["device"], LESSONS[lesson](record, mine)


def _heat(
    m: int, n: int, recorded: Mapping[str, float], makes: Callable[[Any], dict[str, Make]],
    names: Mapping[str, str | Said], ratio: Ratio | None = None,
) -> Heat:  # fmt: skip
    """Softmaxes of an M×N matrix of float32 beside a copy. makes: from the matrix to the functions."""

    def setup():
        import torch

        x = torch.randn(m, n, device="cuda" if torch.cuda.is_available() else "cpu")
        y, want = torch.empty_like(x), torch.softmax(x, dim=1)

        def compare(name: str, got) -> Said | None:
            if name == "copy":
                return None
            fine = isinstance(got, torch.Tensor) and got.shape == want.shape
            if fine and torch.allclose(got, want, rtol=_TOLERANCE, atol=0):
                return None
            return said("its result is not that of torch.softmax, so it was not timed")

        return {"copy": lambda: functools.partial(y.copy_, x)} | makes(x), compare

    shown = {"copy": said("copy")} | names
    return Heat(f"{m}×{n}", _MATRIX * 4 * m * n, setup, shown, recorded, ratio=ratio)


def _ready(function, *args) -> Make:
    """A function that needs no making."""
    return lambda: functools.partial(function, *args)


def _times(rows: list[dict], m: int, n: int, key: Callable[[dict], str] = lambda row: row["what"]) -> dict[str, float]:
    """{key: µs} of the rows of one matrix."""
    return {key(row): row["microseconds"] for row in rows if (row["m"], row["n"]) == (m, n)}


_OF_02 = ((4096, 781), (4096, 2048), (4096, 8192))


def _passes(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lessons 02 and 05: five passes and one. mine: (five, one)."""
    five, one = mine or (solution.answer("1.1", "naive_softmax"), solution.answer("5.2", "fused_softmax"))
    names = {"five passes": said("five passes"), "fused": said("fused")}
    if mine:
        names = {"five passes": said("yours, five passes (1.1)"), "fused": said("yours, one pass (5.2)")}
    for m, n in _OF_02:
        ratio = Ratio(("five passes", "fused"), functools.partial(_of_05, n)) if mine else None
        makes = lambda x: {"five passes": _ready(five, x), "fused": _ready(one, x)}  # noqa: E731
        yield _heat(m, n, _times(record["lessons"]["02"]["results"], m, n), makes, names, ratio)


def _of_05(n: int, times: float) -> Said:
    """The promise of lesson 02, kept or not. n: columns."""
    elements = (8 + 4 / n) / 2  # 8 MN + 4 M elements beside 2 MN
    return said(
        "your five passes take {times} times as long as your one pass; they move {elements} times as many elements",
        times=f"{times:.2f}",
        elements=f"{elements:.2f}",
    )


def _online(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 08: one block, two walks. mine: (online_softmax,)."""
    fused, walks = solution.answer("5.2", "fused_softmax"), solution.answer("8.4", "online_softmax")
    back = solution.answer("8.4", "online_softmax", online.backwards)
    import torch

    functions = {"one block": fused, "online": walks, "online, second walk backwards": back}
    functions["torch.softmax"] = functools.partial(torch.softmax, dim=1)
    names = {
        "one block": said("one block"), "online": said("online, both walks forwards"), "torch.softmax": "torch.softmax",
        "online, second walk backwards": said("online, second walk backwards"),
    }  # fmt: skip
    if mine:
        functions, names = functions | {"online": mine[0]}, names | {"online": said("yours, online")}
    for m, n in ((4096, 4096), (4096, 12672), (2048, 128256)):
        # A block of a row that long takes a minute to compile for an older card.
        some = {name: f for name, f in functions.items() if name != "one block" or n <= _WIDEST_BLOCK}
        makes = lambda x, some=some: {name: _ready(f, x) for name, f in some.items()}  # noqa: E731
        shown = {name: told for name, told in names.items() if name in some}
        yield _heat(m, n, _times(record["lessons"]["08"]["results"], m, n), makes, shown)


_WIDEST_BLOCK = 16384  # columns


def _splits(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 09: several programs for a row. mine: (split_softmax,)."""
    import torch

    split = mine[0] if mine else solution.answer("9.3", "split_softmax")
    counts = [s for s in splits.N_SPLITS if s in (1, 16, 64, 256)]

    def key(row: dict) -> str:
        return row["what"] if row["n_splits"] is None else str(row["n_splits"])

    names: dict[str, str | Said] = {
        str(s): said("yours, {n_splits} splits", n_splits=s) if mine else said("{n_splits} splits", n_splits=s)
        for s in counts
    }
    names["torch.softmax"] = "torch.softmax"
    for m, n in ((1, 4194304), (64, 131072)):

        def makes(x) -> dict[str, Make]:
            found = {str(s): _ready(split, x, s) for s in counts}
            return found | {"torch.softmax": _ready(functools.partial(torch.softmax, dim=1), x)}

        yield _heat(m, n, _times(record["lessons"]["09"]["results"], m, n, key), makes, names)


def _residency(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 10: a row a program, tiles of rows, programs that stay."""
    chosen = ("torch.softmax", "one row", "tile of 1", "tile of 4", "tile of 8", "tile of 32", "persistent")
    names = {what: said("tile of {rows}", rows=what.split()[-1]) if what[:4] == "tile" else what for what in chosen}
    names |= {"one row": said("one row"), "persistent": said("persistent")}
    for m, n in ((32768, 64), (4096, 1000)):

        def makes(x) -> dict[str, Make]:
            import torch

            y = torch.empty_like(x)
            found = residency.ways(x, y)
            return {what: _filled(run, y) for what, _, run in found if what in chosen}

        yield _heat(m, n, _times(record["lessons"]["10"]["results"], m, n), makes, names)


def _filled(run: Run, y) -> Make:
    """A run whose result is what it returns, or what it leaves in y."""
    import torch

    def both():
        returned = run()
        return returned if isinstance(returned, torch.Tensor) else y

    return lambda: both


def _cuda(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 12: the kernels in CUDA C++. mine: the texts of v1, v2 and v3. Without CuPy, only what stands beside."""
    import torch

    fused = solution.answer("5.2", "fused_softmax")
    m, n = cuda_kernels.M, cuda_kernels.N
    own = dict(zip(cuda_kernels.EXERCISES, mine))
    texts = own or {name: solution.answer(exercise, name) for name, exercise in cuda_kernels.EXERCISES.items()}
    names: dict[str, str | Said] = {"torch.softmax": "torch.softmax", "fused_softmax": "fused_softmax"}
    if has_cupy():
        names |= {name: said("yours, {name}", name=name) if mine else name for name in texts}

    def makes(x) -> dict[str, Make]:
        from ..cuda import device

        y = torch.empty_like(x)

        def make(name: str) -> Run:
            kernel = device.kernel(texts[name], f"softmax_{name}")
            return _filled(functools.partial(kernel, (m,), cuda_kernels.THREADS, (y, x, n)), y)()

        found = {"torch.softmax": _ready(functools.partial(torch.softmax, dim=1), x), "fused_softmax": _ready(fused, x)}
        return found | {name: functools.partial(make, name) for name in names if name in texts}

    yield _heat(m, n, _times(record["lessons"]["12"]["results"], m, n), makes, names)


def _attention(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 13: attention of all heads in float16, beside PyTorch's backends."""
    names = {"13.3": "13.3", "flash": "flash", "cuDNN": "cuDNN", "three steps": said("three steps")}
    for row in record["results"]:
        if (row["d"], row["dtype"], row["causal"]) != (64, "float16", False) or row["n"] > 4096:
            continue
        b, h, n, d = row["b"], row["h"], row["n"], row["d"]
        recorded = {name: took for name, took in row["microseconds"].items() if took}
        size = 2 * b * h * n * (4 * d + 3 * n)  # q, k, v, o; scores twice, and room
        setup = functools.partial(_heads, b, h, n, d, record["best"][str(d)])
        title = said("N = {n}, d = {d}, {heads} heads", n=n, d=d, heads=b * h)
        yield Heat(title, size, setup, names, recorded, base="13.3")


def _heads(b: int, h: int, n: int, d: int, launch: list[int]):
    """The setup of a heat of attention."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    flash = solution.given("13_flash_attention.ipynb", "flash_attention", "13.3")
    q, k, v = (torch.randn(b, h, n, d, device="cuda", dtype=torch.float16) for _ in range(3))
    want = scaled_dot_product_attention(q, k, v)

    def peer(backend):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q, k, v)

    def steps():
        return torch.softmax((q @ k.transpose(-1, -2)) * d**-0.5, -1) @ v

    def compare(name: str, got) -> Said | None:
        if torch.allclose(got, want, rtol=2e-2, atol=1e-2):
            return None
        return said("its result is not that of scaled_dot_product_attention, so it was not timed")

    makes = {
        "13.3": _ready(lambda: flash(q, k, v, False, *launch)[0]),
        "flash": _ready(peer, SDPBackend.FLASH_ATTENTION),
        "cuDNN": _ready(peer, SDPBackend.CUDNN_ATTENTION),
        "three steps": _ready(steps),
    }
    return makes, compare


def _routes(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 14: the four launchers, and the softmax that chooses one of them."""
    import torch

    names = dict.fromkeys((*routes.LAUNCHERS, "my_softmax", "torch.softmax"))
    for row in record["lessons"]["14"]["results"]:
        m, n = row["m"], row["n"]
        if row["dtype"] != "float32" or (m, n) not in ((65536, 64), (4096, 4096), (64, 131072)):
            continue
        recorded = {name: took for name, took in row["microseconds"].items() if took}

        def makes(x, recorded=recorded) -> dict[str, Make]:
            y = torch.empty_like(x)
            launchers = {name: solution.answer("14.2", name) for name in routes.LAUNCHERS if name in recorded}
            found = {name: _filled(functools.partial(launch, y, x), y) for name, launch in launchers.items()}
            found["my_softmax"] = _ready(solution.answer("14.2", "my_softmax"), x)
            return found | {"torch.softmax": _ready(functools.partial(torch.softmax, dim=1), x)}

        yield _heat(m, n, recorded, makes, {name: name for name in names if name in recorded})


def _tuning(record: dict, mine: tuple) -> Iterator[Heat]:
    """Lesson 15: rows of a tile and warps."""
    import torch

    def name(row: dict) -> str:
        return f"{row['rows']} {row['num_warps']}"

    for n, wanted in ((64, lambda row: row["num_warps"] <= 8), (4096, lambda row: row["rows"] == 1)):
        rows = [row for row in record["lessons"]["15"]["results"] if (row["dtype"], row["n"]) == ("float32", n)]
        tiles = [row for row in rows if row["kernel"] == "tile" and wanted(row) and "microseconds" in row]
        recorded = {name(row): row["microseconds"] for row in tiles}
        recorded["copy"] = next(row["microseconds"] for row in rows if row["kernel"] == "copy")
        shown = {name(row): said("rows {rows}, warps {num_warps}", **{k: row[k] for k in ("rows", "num_warps")})
                 for row in tiles}  # fmt: skip

        def makes(x, tiles=tiles) -> dict[str, Make]:
            y = torch.empty_like(x)
            kernels = {"tile": solution.answer("14.2", "tile_softmax_kernel")}
            found = {}
            for row in tiles:
                kernel, grid, args, options = tuning.launch(kernels, row, y, x)
                found[name(row)] = _filled(functools.partial(kernel[grid], *args, **options), y)
            return found

        yield _heat(tuning.ELEMENTS // n, n, recorded, makes, shown)


LESSONS: dict[str, Callable[[dict, tuple], Iterator[Heat]]] = {
    "02": _passes, "05": _passes, "08": _online, "09": _splits, "10": _residency, "12": _cuda, "13": _attention,
    "14": _routes, "15": _tuning,
}  # fmt: skip
