"""Rows that several programs share: the states of their splits, and what is asked of a function that splits them."""

from __future__ import annotations

from collections import Counter

import torch

from ..checks import compare
from ..spec import Evidence


def states(x: torch.Tensor, n_splits: int, split_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(m, d) of each split of each row, float64 of shape (M, n_splits); of an empty split (-inf, 0)."""
    wide = torch.nn.functional.pad(x.double(), (0, n_splits * split_size - x.shape[1]), value=-torch.inf)
    parts = wide.reshape(len(x), n_splits, split_size)
    m = parts.amax(2)
    return m, torch.exp(parts - m.clamp(min=-1e300)[..., None]).sum(2)


def wrong_state(got: list[torch.Tensor], want: tuple[torch.Tensor, torch.Tensor]) -> str | None:
    """None when got holds the states that were wanted, else a sentence about the first that differs."""
    good = [g.double() == w for g, w in zip(got, want)]
    good[1] |= (got[1].double() - want[1]).abs() <= 1e-4 * want[1]
    bad = ~(good[0] & good[1])
    if not bad.any():
        return None
    row, split = (int(i) for i in bad.nonzero()[0])
    name, g, w = next((n, g, w) for n, g, w, fine in zip("md", got, want, good) if not fine[row, split])
    return f"{name} of row {row}, split {split} is {g[row, split].item():.6g}, expected {w[row, split].item():.6g}"


def returned(x: torch.Tensor, n_splits: int, evidence: Evidence) -> str | None:
    """None when the softmax of x came back, from launches that share a row among n_splits programs; or a sentence."""
    sentence = compare.softmax(x, evidence.value) or stored_by_several(evidence) or counted_too_early(evidence)
    if sentence:
        return sentence
    if not evidence.launches:
        return "no kernel was launched"
    programs = programs_over_the_row(x, evidence)
    if not as_asked(programs, x, n_splits):
        asked = f"{len(x)} row{'s' * (len(x) > 1)} in {n_splits} split{'s' * (n_splits > 1)}"
        working = "1 program that stores" if programs == 1 else f"{programs} programs that store"
        return f"right numbers, but a launch over the whole of x has {working} anything, for {asked}"
    return None


def as_asked(programs: int, x: torch.Tensor, n_splits: int) -> bool:
    """Whether so many programs are a fair number for n_splits splits of each row.

    Short splits may be rounded up to whole blocks, so that fewer programs do; long ones leave no reason to.
    """
    asked = len(x) * n_splits
    return programs == asked or (programs < asked and x.shape[1] // n_splits < 8192)


def programs_over_the_row(x: torch.Tensor, evidence: Evidence) -> int:
    """How many programs share the work on x: of the kernels that read all of it, in the launch where fewest store."""
    reads = Counter()
    for name, read, _ in evidence.rows:
        reads[name] += read
    launches = [launch for launch in evidence.launches if reads[launch["kernel"]] >= x.numel()]
    return min((launch["storing"] for launch in launches), default=0)


def stored_by_several(evidence: Evidence) -> str | None:
    """None when every element was stored by one program of a launch, or by atomics; else a sentence."""
    for launch in evidence.launches:
        if launch["shared"]:
            times = "once" if launch["shared"] == 1 else f"{launch['shared']} times"
            return (
                f"right numbers here, where programs run one after the other, but {times} a program "
                f"of {launch['kernel']} stores into an element that another one had stored into"
            )
    return None


def counted_too_early(evidence: Evidence) -> str | None:
    """None when every program that loads what another one of its launch stored knows by an atomic that it is there."""
    for launch in evidence.launches:
        if launch["early"]:
            return (
                f"right numbers here, where programs run one after the other, but {launch['kernel']} loads elements "
                "that another program of the launch stored after its last atomic operation, or without one"
            )
    return None


def read_again(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None when no element of x_ptr was loaded twice, else a sentence. Needs a trace."""
    loads = [panel for panel in evidence.panels if panel.tensor == "x_ptr" and panel.op == "load"]
    elements = sum(count for panel in loads for *_, count in panel.touched)
    return (
        f"right numbers, but {elements} elements of x are read, and it has {x.numel()}"
        if elements > x.numel()
        else None
    )


def touched(evidence: Evidence, op: str):
    """(place, program) of every element that a program of a traced launch touched; op is "load" or "store"."""
    for panel in evidence.panels:
        if panel.op == op:
            for program, row, first, count in panel.touched:
                for column in range(first, first + count):
                    yield (panel.launch, panel.tensor, row, column), program
