"""The report of an audit: true where no fault was found. It prints as text, and a notebook shows it as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..language import say
from ..sentence import counted, said
from .compiled_for import CompilersView
from .examination import Counts
from .findings import Fault
from .moved import Traffic


class FaultsFound(AssertionError):
    """An audit found faults. Its message is the report."""


@dataclass
class Report:
    """What one audit found.

    function, reference: their names. faults: worst first. notes: what is no fault. refusals: {error of the function:
    cases that it does not take}. unseen: what the audit could not look at. traffic: bytes of one call, None where no
    call ended well; traffic_of: this call in words. compiler: None where nothing was compiled. gpus: those to
    compile for. seconds: that it took. launched: whether any call launched a kernel.
    """

    function: str
    reference: str
    faults: list[Fault]
    notes: list[str]
    refusals: dict[str, list[str]]
    unseen: list[str]
    counts: Counts
    traffic: Traffic | None
    traffic_of: str
    compiler: CompilersView | None
    gpus: tuple[str, ...]
    seed: int
    seconds: float = field(compare=False, default=0.0)
    launched: bool = True

    def __bool__(self) -> bool:
        return not self.faults and self.counts.total() > 0

    def __repr__(self) -> str:
        from .report_text import text

        return text(self)

    def _repr_html_(self) -> str:
        from .report_html import page

        return page(self)

    def raise_for_faults(self) -> None:
        """Raise FaultsFound, an AssertionError whose message is the report, where the report is not true."""
        __tracebackhide__ = True  # pytest shows the line of the test
        if not self:
            raise FaultsFound(repr(self))

    def compiled(self) -> bool:
        """Whether the compiler has said anything of a launch."""
        return self.compiler is not None and bool(self.compiler.tables or self.compiler.refused)

    def of(self, section: str) -> list[Fault]:
        """The faults of one section."""
        return [fault for fault in self.faults if fault.section == section]

    def title(self) -> str:
        """The outcome in one sentence."""
        cases = self.counts.total()
        values = {"function": self.function, "reference": self.reference, "cases": counted(cases, "case")}
        if not cases:
            return say(said("{function} against {reference}: nothing could be looked at", **values))
        if not self.faults:
            return say(said("{function} against {reference}: no fault in {cases}", **values))
        values["faults"] = counted(len(self.faults), "fault")
        return say(said("{function} against {reference}: {faults}, in {cases}", **values))
