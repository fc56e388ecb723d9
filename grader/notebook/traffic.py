"""traffic(fn, *args): a table and a picture of the elements that each operation of a function moves."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from .. import environment, interpreter
from ..interpreter.ledger import Ledger
from ..language import say, wrap
from ..sentence import joined, listed, said
from .picture import Picture


def traffic(fn, *args, **kwargs):
    """Run fn(*args) once and show what each operation read and wrote, in units of M·N, the elements of the input.

    PyTorch operations are counted when they are dispatched, Triton kernels while they are interpreted. An element
    counts once per instruction, a masked lane never. Prints the table and returns a Picture of it. fn: a function, or a
    list of functions, which are shown below each other.

    >>> traffic(naive_softmax, x)
    """
    runs = [count(f, args, kwargs) for f in (fn if isinstance(fn, (list, tuple)) else [fn])]
    print("\n\n".join(table(run) for run in runs))
    return picture(runs)


@dataclass
class Run:
    """The traffic of one function.

    rows: (operation, elements read, elements written), in the order in which they ran. bytes: (read, written). unit:
    M·N, in elements. kernels: names of the operations that are kernels, and not operators of PyTorch. moves: as
    Ledger.moves. note: a sentence about what the counts leave out.
    """

    name: str
    rows: list[tuple[str, int, int]]
    bytes: tuple[int, int]
    unit: int
    kernels: frozenset[str] = frozenset()
    moves: list[tuple[str, str, int, int]] = field(default_factory=list)
    note: str = ""

    def totals(self) -> tuple[float, float]:
        """(read, written) in units of M·N."""
        return sum(r[1] for r in self.rows) / self.unit, sum(r[2] for r in self.rows) / self.unit


def count(fn, args, kwargs) -> Run:
    """Run a function once and count its traffic. The unit is the size of its largest tensor argument."""
    from . import beside

    plain = beside.uncompiled(fn)
    if environment.interpreted():
        run = counted(plain, args, kwargs)
    else:
        run = beside.run(counted, plain, args, kwargs)
    if plain is not fn:
        run.note = said(
            "{name} is compiled: these are the operators that torch.compile was given, before it joins some",
            name=run.name,
        )
    return run


def counted(fn, args, kwargs) -> Run:
    """As `count`, in this process, which interprets its kernels."""
    import torch

    from ..interpreter.torch_ledger import TorchLedger

    unit = max([a.numel() for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)] + [1])
    ledger = Ledger()
    with interpreter.recording(ledger), TorchLedger(ledger):
        fn(*args, **kwargs)
    kernels = frozenset(launch.kernel for launch in ledger.launches)
    return Run(_name(fn), ledger.rows(), ledger.bytes(), unit, kernels, ledger.moves())


def _name(fn) -> str:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return getattr(fn, "__name__", type(fn).__name__)


def table(run: Run) -> str:
    """The table: elements read and written, one line for each operation, then their sum and the sum in bytes."""
    width = max([len(name) for name, _, _ in run.rows] + [9])
    head = (wrap.padded(say(words), -21) for words in (said("elements read"), said("elements written")))
    lines = ["  ".join([wrap.padded(say(said("operation")), width), *head])]
    rows = [*run.rows, (say(said("in all")), sum(r for _, r, _ in run.rows), sum(w for _, _, w in run.rows))]
    for name, read, written in rows:
        lines.append(f"{wrap.padded(name, width)}  {_amount(read, run.unit)}  {_amount(written, run.unit)}")
    in_bytes = wrap.padded(say(said("in bytes")), width)
    lines.append(f"{in_bytes}  {run.bytes[0]:>21,}  {run.bytes[1]:>21,}")
    return "\n".join(lines + [say(run.note)] * bool(run.note))


def _amount(elements: int, unit: int) -> str:
    return f"{elements:>10,} = {elements / unit:5.2f} MN"


def picture(runs: list[Run]) -> Picture:
    """The bar chart of the runs, with its description."""
    from . import charts

    sentences = joined("{one} {two}", [_sentence(run) for run in runs])
    return Picture(
        said("Bar chart of elements moved, in units of M·N. {sentences}", sentences=sentences),
        lambda: charts.traffic(runs),
    )


def _sentence(run: Run) -> str:
    steps = listed([f"{name} {(r + w) / run.unit:.2f}" for name, r, w in run.rows])
    read, written = run.totals()
    return said(
        "{name}: {steps}; in all {read} read and {written} written.",
        name=run.name,
        steps=steps,
        read=f"{read:.2f}",
        written=f"{written:.2f}",
    )
