"""The report of an audit as text."""

from __future__ import annotations

import os
import re

from ..language import say, wrap
from ..sentence import Said, joined, listed, said
from .findings import Fault, Line
from .report import Report

_WIDTH = 100
_CELL = re.compile(r"(?:ipykernel_\d+[/\\]|ipython-input-)[^/\\]*$")  # the file of a cell, by its name
_MOST = 3  # further cases that are named
NAMES = {
    "numbers": said("numbers"),
    "memory": said("memory"),
    "order": said("order"),
    "compiler": said("compiler"),
}
_WELL = {
    "memory": said(
        "no access out of bounds, no masked lane without a value in a result, nothing unstored, no input changed"
    ),
    "order": said("no program touches what another one stores"),
    "compiler": said("accepts every launch"),
}
KINDS = {
    "given": said("as given"),
    "size": said("other sizes"),
    "layout": said("other places in memory"),
    "dtype": said("other dtypes"),
    "values": said("other numbers"),
    "long": said("long sums"),
    "empty": said("no rows"),
    "again": said("the same memory again"),
    "far": said("far rows"),
    "tuned": said("other configurations"),
}


def text(report: Report) -> str:
    """The whole report."""
    lines = [report.title(), ""]
    for fault in report.faults:
        lines += [*_fault(fault), ""]
    for section, words in outcomes(report):
        lines += wrap.wrap(say(words), _WIDTH, f"{wrap.padded(say(NAMES.get(section, section)), 10)} ", " " * 11)
    for table in report.compiler.tables if report.compiler else ():
        lines += ["", *(f"  {line}" for line in repr(table).splitlines())]
    if told := remarks(report):
        lines += [""]
        for sentence in told:
            lines += wrap.wrap(say(sentence), _WIDTH, "- ", "  ")
    return "\n".join(lines)


def outcomes(report: Report) -> list[tuple[str, str]]:
    """(section, a sentence) of each section: that it found nothing, or how many faults."""
    found = []
    for section in ("numbers", "memory", "order", "compiler"):
        if section == "compiler" and not report.compiled():
            continue
        faults = len(report.of(section))
        if faults:
            found.append((section, said("✗ {count} of the faults above", count=faults)))
        elif section in ("memory", "order") and not report.launched:
            found.append((section, said("nothing to look at: it launched no Triton kernel")))
        elif report.counts.total():
            found.append((section, said("✓ {well}", well=_well(section, report))))
    if report.traffic is not None and report.traffic.total():
        found.append((said("bytes"), _bytes(report)))
    return found


def _well(section: str, report: Report) -> str:
    if section != "numbers":
        return _WELL[section]
    if report.faults:
        return said("no other wrong numbers than those of the faults above")
    return said(
        "within the error that dtypes and lengths allow; the largest share of it was {share} %",
        share=f"{100 * report.counts.used:.0f}",
    )


def remarks(report: Report) -> list[str]:
    """All else that is to be said: notes, refusals, what was not looked at, and how to repeat it."""
    told = [*report.notes]
    for error, cases in report.refusals.items():
        told.append(said("refuses {cases}, with {error}", cases=some(cases), error=error))
    kinds = [said("{kind} {count}", kind=KINDS[kind], count=count) for kind, count in report.counts.cases.items()]
    told.append(said("cases: {kinds}", kinds=listed(kinds)))
    if count := report.counts.without_reference:
        told.append(said("cases left out, because the reference refuses them: {count}", count=count))
    if report.unseen:
        told.append(said("not looked at: {list}", list=joined("{one}; {two}", report.unseen)))
    told.append(said("seed={seed} repeats it; it took {seconds} s", seed=report.seed, seconds=f"{report.seconds:.1f}"))
    return told


def some(cases: list[str]) -> Said | str:
    """A few cases, and the number of all others."""
    named = joined("{one}; {two}", cases[:_MOST])
    if len(cases) <= _MOST:
        return named
    return said("{named}, and {count} more", named=named, count=len(cases) - _MOST)


def where(line: Line) -> str:
    """A line of a kernel with its file and number. The file is relative to the current folder where that is shorter.

    A cell of a notebook has no file; IPython gives it a name that tells nobody anything.
    """
    if _CELL.search(line.file):
        return say(said("line {number} of its cell", number=line.number))
    path = min(line.file, os.path.relpath(line.file), key=len)
    return f"{path}:{line.number}"


def _fault(fault: Fault) -> list[str]:
    lines = wrap.wrap(
        say(said("{section}: {what}", section=NAMES[fault.section], what=fault.sentence)), _WIDTH, "✗ ", "  "
    )
    for line in fault.lines:
        lines.append(f"    {where(line)}: {line.text}")
    lines += wrap.wrap(say(said("with {case}", case=fault.case)), _WIDTH, "    ", "    ")
    if fault.also:
        cases = some(fault.also)
        lines += wrap.wrap(say(said("also with {cases}", cases=cases)), _WIDTH, "    ", "    ")
    return lines


def _bytes(report: Report) -> str:
    traffic = report.traffic
    parts = []
    for each in traffic.tensors:
        if each.read and each.written:
            template = said(
                "{name} read {read} and written {write} times",
                name=each.name,
                read=_times(each.read, each.size),
                write=_times(each.written, each.size),
            )
        elif each.read or each.written:
            template = (
                said("{name} read {read} times", name=each.name, read=_times(each.read, each.size))
                if each.read
                else said("{name} written {write} times", name=each.name, write=_times(each.written, each.size))
            )
        else:
            template = said("{name} not touched", name=each.name)
        parts.append(template)
    if any(traffic.others):
        parts.append(
            said(
                "other memory: {read} bytes read, {written} written",
                read=f"{traffic.others[0]:,}",
                written=f"{traffic.others[1]:,}",
            )
        )
    told = said(
        "{total} moved, {times} times the least that inputs and results need ({parts})",
        total=said("{count} bytes", count=f"{traffic.total():,}"),
        times=_times(traffic.total(), traffic.least()),
        parts=listed(parts),
    )
    if report.traffic_of:
        told = said("{told}; counted with {case}", told=told, case=report.traffic_of)
    times = [f"{name} {_time(seconds)}" for name, seconds in traffic.seconds(report.gpus).items()]
    if not times:
        return told
    return said("{told}; at the peak of its memory, a GPU takes for them: {gpus}", told=told, gpus=listed(times))


def _times(moved: int, size: int) -> str:
    return f"{moved / max(size, 1):.2f}"


def _time(seconds: float) -> str:
    for unit, name in ((1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"
