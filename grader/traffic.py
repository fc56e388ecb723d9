"""traffic(fn, *args): what a function moves, line by line, as a table and a picture."""

from __future__ import annotations

from . import device, interpreter
from .ledger import Ledger


def traffic(fn, *args, **kwargs):
    """Run fn(*args) once and show what each operation read and wrote, in elements of the first tensor: M·N.

    PyTorch operations are counted as they are dispatched, Triton kernels as they are interpreted: every element once
    per instruction, masked lanes never. Prints the table and returns a picture of it.

    >>> traffic(naive_softmax, x)
    """
    import torch

    from .torch_ledger import TorchLedger

    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    unit = max((t.numel() for t in tensors), default=1) or 1
    ledger = Ledger()
    with interpreter.recording(ledger), TorchLedger(ledger):
        fn(*args, **kwargs)
    name = getattr(fn, "__name__", "fn")
    if not device.interpreted():
        print("Kernels compiled for the GPU are not counted here: start with TRITON_INTERPRET=1 to count them.")
    print(table(ledger, unit))
    return Picture(name, ledger, unit)


def table(ledger: Ledger, unit: int) -> str:
    """One line an operation: elements read and written, in units of M·N, and the sum in bytes."""
    rows = ledger.rows()
    width = max([len(r[0]) for r in rows] + [9])
    lines = [f"{'operation':<{width}}   read       written"]
    lines += [f"{name:<{width}}   {read / unit:5.2f} MN   {written / unit:5.2f} MN" for name, read, written in rows]
    read, written = ledger.totals()
    lines.append(f"{'in all':<{width}}   {read / unit:5.2f} MN   {written / unit:5.2f} MN")
    read_bytes, written_bytes = ledger.bytes()
    lines.append(f"{'in bytes':<{width}}   {read_bytes:,} read, {written_bytes:,} written")
    return "\n".join(lines)


class Picture:
    """A ledger as a picture. Notebooks draw it; elsewhere it is its own description."""

    def __init__(self, name: str, ledger: Ledger, unit: int):
        self.name, self.ledger, self.unit = name, ledger, unit

    def __repr__(self) -> str:
        read, written = self.ledger.totals()
        steps = ", ".join(f"{n} reads {r / self.unit:.2f} and writes {w / self.unit:.2f}" for n, r, w in self.ledger.rows())
        return (
            f"Bar chart of {self.name}'s traffic in units of M·N: {steps}; "
            f"together {read / self.unit:.2f} read and {written / self.unit:.2f} written."
        )  # fmt: skip

    def _repr_mimebundle_(self, include=None, exclude=None):
        from . import draw

        return (
            {"text/plain": repr(self), "image/png": draw.png(draw.traffic(self.name, self.ledger, self.unit))},
            {"image/png": {"alt": repr(self)}},
        )
