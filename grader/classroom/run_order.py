"""The order in which the code cells of a notebook file are read: that of their runs, as a live session has it.

A file says of each cell when it ran last, and nothing about earlier runs. Three rules follow from that:

- The cells that ran come in the order of their execution counts.
- A cell that never ran stands behind all cells above it that ran. It adds the names that no cell that ran defines, and
  changes no other.
- The file's own order holds where no cell ran, and where two cells have one count: such counts are of two sessions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..judge import extract
from ..sentence import fault, said
from ..spec import Checked

DEFINED_TWICE = "defined-twice"  # the kind of a remark that is for the student


@dataclass(frozen=True)
class CodeCell:
    """A code cell of a file. count: its execution count, None if it never ran. checks: shown in its outputs.

    called: what a learner calls it.
    """

    text: str
    count: int | None = None
    checks: tuple[Checked, ...] = ()
    called: str = ""


def in_run_order(cells: list[CodeCell]) -> list[CodeCell]:
    """The cells in the order in which they are read, each with the text that is read of it."""
    if not has_order(cells):
        return cells
    taken = set(extract.definitions([cell.text for cell in cells if cell.count]))
    placed, above = [], 0
    for cell in cells:
        if cell.count:
            above = max(above, cell.count)
            placed.append((cell.count, cell))
        else:
            rest = extract.without(cell.text, taken)
            # First, a cell that is not Python takes no name from a cell that ran.
            placed.append((0 if rest is None else above, replace(cell, text=cell.text if rest is None else rest)))
    return [cell for _, cell in sorted(placed, key=lambda each: each[0])]


def has_order(cells: list[CodeCell]) -> bool:
    """Whether the execution counts say in which order the cells ran."""
    counts = [cell.count for cell in cells if cell.count]
    return 0 < len(counts) == len(set(counts))


def remarks(cells: list[CodeCell], names: dict[str, bool]) -> list[str]:
    """A sentence for each name that a live session may have had otherwise.

    cells: in the file's order. names: required names, and whether their exercise was attempted.
    """
    ran = extract.definitions([cell.text for cell in cells if cell.count])
    never = extract.definitions([cell.text for cell in cells if not cell.count])
    mixed = has_order(cells)
    found = []
    for name, attempted in names.items():
        several = said("{name} is defined {value} times", name=name, value=ran[name] + (0 if mixed else never[name]))
        if mixed and ran[name] > 1:
            found.append(said("{several}: the definition that ran last counts", several=several))
        if mixed and ran[name] and never[name]:
            found.append(said("a cell that never ran defines {name} too: the cell that ran counts", name=name))
        elif mixed and never[name] and attempted:
            found.append(
                said(
                    "only a cell that never ran defines {name}: it counts, and a check in the notebook misses it",
                    name=name,
                )
            )
        elif not mixed and ran[name] + never[name] > 1:
            found.append(
                said(
                    "{several}: the last definition counts, because the cells ran in more than one session",
                    several=several,
                )
                if ran
                else fault(DEFINED_TWICE, "{several}: the last definition counts", several=several)
            )
    return found


def checks(cells: list[CodeCell]) -> dict[str, Checked]:
    """The last check of each exercise that the file shows, by the exercise's id. cells: in the order of their runs."""
    return {check.exercise: check for cell in cells for check in cell.checks}
