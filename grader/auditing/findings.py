"""What an audit finds: faults, each with the smallest case that shows it and lines of the kernel, and notes."""

from __future__ import annotations

from dataclasses import dataclass, field

SECTIONS = ("memory", "order", "numbers", "compiler")  # what may cause what is behind it


@dataclass(frozen=True)
class Line:
    """A line of the audited code. file: its path. number: from 1. text: without its indentation."""

    file: str
    number: int
    text: str


@dataclass
class Fault:
    """One fault.

    section: of SECTIONS. sentence: what is wrong, without its full stop. case: the smallest one that shows it, as a
    sentence. size: its elements. lines: of the kernel. also: other cases that show the same. key: faults with the same
    key are the same fault. symptom: what it showed as; a larger case with this symptom is not looked into.
    """

    section: str
    sentence: str
    case: str
    size: int
    lines: tuple[Line, ...] = ()
    key: tuple = ()
    symptom: tuple = ()
    also: list[str] = field(default_factory=list)


class Findings:
    """The faults and notes of one audit, each once."""

    def __init__(self):
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.refusals: dict[str, list[str]] = {}  # cases by the error that the function raised

    def fault(self, new: Fault) -> None:
        """Add a fault. Of two with the same key the smaller one is kept, and the other one is named in `also`."""
        old = next((fault for fault in self.faults if fault.key == new.key), None)
        if old is None:
            self.faults.append(new)
            return
        kept, other = (new, old) if new.size < old.size else (old, new)
        kept.also = [case for case in dict.fromkeys([*old.also, other.case]) if case != kept.case]
        self.faults[self.faults.index(old)] = kept

    def known(self, symptom: tuple, case: str, size: int) -> bool:
        """Whether a case that is no larger has shown this symptom. If so, the new case is named beside it."""
        old = next((fault for fault in self.faults if fault.symptom == symptom), None)
        if old is None or size < old.size:
            return False
        if case not in old.also:
            old.also.append(case)
        return True

    def symptoms(self) -> list[tuple]:
        """Those of all faults."""
        return [fault.symptom for fault in self.faults]

    def absorb(self, symptom: tuple, others: list[tuple]) -> None:
        """Name the cases of faults with other symptoms beside the fault with this one, and drop these faults."""
        kept = next(fault for fault in self.faults if fault.symptom == symptom)
        dropped = [fault for fault in self.faults if fault.symptom in others and fault is not kept]
        kept.also = [*dict.fromkeys([*kept.also, *(case for fault in dropped for case in (fault.case, *fault.also))])]
        self.faults = [fault for fault in self.faults if fault not in dropped]

    def refused(self, error: str, case: str) -> None:
        """Add a case that the function does not take."""
        self.refusals.setdefault(error, []).append(case)

    def note(self, sentence: str) -> None:
        """Add a sentence that is no fault."""
        if sentence not in self.notes:
            self.notes.append(sentence)
