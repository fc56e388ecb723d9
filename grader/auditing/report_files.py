"""The report of an audit as files for other programs: JUnit XML and JSON."""

from __future__ import annotations

import json
import os
from xml.etree import ElementTree

from ..language import say
from .findings import Fault
from .report import Report
from .report_text import NAMES, text, where

_SECTIONS = ("numbers", "memory", "order", "compiler")


def junit(report: Report) -> bytes:
    """JUnit XML: a test suite for the function, a test case for each section, a failure for each fault."""
    suites = ElementTree.Element("testsuites", name="audit")
    cases = [section for section in _SECTIONS if section != "compiler" or report.compiled()]
    counts = {"tests": len(cases), "failures": sum(bool(report.of(section)) for section in cases)}
    counts |= {"errors": int(not report.counts.total()), "skipped": 0}
    suite = ElementTree.SubElement(suites, "testsuite", name=report.function, time=f"{report.seconds:.3f}")
    for element in (suites, suite):
        for name, count in counts.items():
            element.set(name, str(count))
    for section in cases:
        case = ElementTree.SubElement(suite, "testcase", name=say(NAMES[section]), classname=report.function)
        faults = report.of(section)
        if faults:
            failure = ElementTree.SubElement(case, "failure", message=_clean(say(faults[0].sentence)))
            failure.text = _clean("\n\n".join(map(_told, faults)))
        elif not report.counts.total():
            ElementTree.SubElement(case, "error", message=_clean(report.title()))
    ElementTree.SubElement(suite, "system-out").text = _clean(text(report))
    return ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)


def as_json(report: Report) -> str:
    """The report as JSON: what was found as data, with sentences in the language in use."""
    traffic = report.traffic
    found = {
        "function": report.function,
        "reference": report.reference,
        "right": bool(report),
        "cases": dict(report.counts.cases),
        "faults": [_data(fault) for fault in report.faults],
        "notes": [say(note) for note in report.notes],
        "refusals": {error: [say(case) for case in cases] for error, cases in report.refusals.items()},
        "not_looked_at": [say(sentence) for sentence in report.unseen],
        "bytes": traffic and {each.name: {"read": each.read, "written": each.written} for each in traffic.tensors},
        "seed": report.seed,
        "seconds": round(report.seconds, 3),
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _data(fault: Fault) -> dict:
    return {
        "section": fault.section,
        "sentence": say(fault.sentence),
        "case": say(fault.case),
        "also": [say(case) for case in fault.also],
        "lines": [{"file": os.path.relpath(line.file), "line": line.number, "text": line.text} for line in fault.lines],
    }


def _told(fault: Fault) -> str:
    return "\n".join([say(fault.sentence), *(f"{where(line)}: {line.text}" for line in fault.lines), say(fault.case)])


def _clean(words: str) -> str:
    """Without the characters that XML does not allow."""
    return "".join(c for c in words if c in "\t\n" or ord(c) >= 32)
