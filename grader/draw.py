"""Pictures, drawn from ledgers of real runs: legible without colour, in print and on a phone."""

from __future__ import annotations

import base64
import io

from .ledger import Ledger

_READ = {"color": "#4477aa", "edgecolor": "black", "linewidth": 0.8}
_WRITTEN = {"color": "#eecc66", "edgecolor": "black", "linewidth": 0.8, "hatch": "///"}


def traffic(name: str, ledger: Ledger, unit: int):
    """A bar for each operation, as long as what it moves, in units of M·N. Returns a matplotlib figure."""
    return compare([(name, ledger, unit)])


def compare(runs: list[tuple[str, Ledger, int]]):
    """The same, for several functions below each other on one scale."""
    from matplotlib.figure import Figure

    bars = []
    for name, ledger, unit in runs:
        rows = ledger.rows()
        bars += [(op, read / unit, written / unit) for op, read, written in rows]
        if len(rows) > 1:
            read, written = ledger.totals()
            bars.append((f"{name}\nin all", read / unit, written / unit))
    figure = Figure(figsize=(6.4, 0.9 + 0.46 * len(bars)), dpi=110, layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for y, (_, read, written) in enumerate(bars):
        axes.barh(y, read, **_READ, label="read" if y == 0 else None)
        axes.barh(y, written, left=read, **_WRITTEN, label="written" if y == 0 else None)
        axes.text(read + written, y, f" {read + written:.2f}", va="center", fontsize=11)
    axes.set_yticks(range(len(bars)), [b[0] for b in bars], fontsize=11)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18 * max((b[1] + b[2] for b in bars), default=1))
    axes.set_xlabel("elements moved, in units of M·N", fontsize=11)
    axes.tick_params(axis="x", labelsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", fontsize=11, frameon=True)
    return figure


def png(figure) -> str:
    """The figure as base64 PNG, without a date or a version inside, so that equal runs give equal bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode()
