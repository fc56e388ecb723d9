"""The order of programs, which no GPU promises: the same call with the programs in other orders, and races in it."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..sentence import said
from .arguments import Arguments
from .kernel_lines import Line, Witness
from .one_run import Run, run

_ORDERS = ("reversed", "shuffled")
_FEW = 1 << 12  # elements of the arguments of a case that runs in more orders than one


def examine(
    function, make: Callable[[], Arguments], forward: Run, tell: Callable[[str, tuple[Line, ...], str], None]
) -> None:
    """Run a call in other orders. tell: gets a sentence, lines of the kernel, and the kind of each fault."""
    if not any(launch.shared for launch in forward.launches) and not forward.ledger.orders_matter:
        return  # no program touches what another one stores
    orders = _ORDERS if forward.arguments.size() <= _FEW else _ORDERS[:1]
    runs = {order: run(function, make(), order) for order in orders}
    everything = [forward, *runs.values()]
    raced = [done for done in everything if any(launch.shared or launch.early for launch in done.launches)]
    if raced:
        order = next((name for name, done in runs.items() if done is raced[0]), "forward")
        _tell_race(function, make, order, tell)
        return
    for order, done in runs.items():
        if done.error is not None or not all(map(same, done.results, forward.results)):
            atomic = any(launch.atomics for launch in forward.launches)
            if done.error is None and atomic:
                continue  # sums of floating-point numbers depend on their order, and were compared with the reference
            tell(
                said(
                    "the result is another one when the programs run in another order ({order})", order=_called(order)
                ),
                (),
                "order",
            )
            return


def _tell_race(function, make, order: str, tell) -> None:
    witness = Witness()
    run(function, make(), order, recorder=witness)
    found = witness.race()
    if found is None:
        return
    other, store = found
    values = {"one": other.program, "two": store.program, "tensor": store.tensor}
    if other.op == "store":
        told = said("programs {one} and {two} both store to the same element of {tensor}", **values)
        tell(told, tuple(dict.fromkeys((other.line, store.line))), "stored-twice")
    else:
        told = said(
            "program {one} loads an element of {tensor} that program {two} stores, and nothing orders the two", **values
        )
        tell(told, tuple(dict.fromkeys((other.line, store.line))), "race")


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two results have the same numbers, NaN where the other has NaN."""
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _called(order: str) -> str:
    return {"reversed": said("reversed"), "shuffled": said("shuffled")}[order]
