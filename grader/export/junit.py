"""JUnit XML: a test suite for each file, a test case for each exercise."""

from __future__ import annotations

import pathlib
from xml.etree import ElementTree

from ..judge import render
from ..language import say
from ..sentence import counted, said
from .entries import Entry, remarks, write

TO = "results.xml"
# A wrong answer is a failure. An answer that could not be judged is an error. One that is not attempted is skipped.
_ELEMENT = {"failed": "failure", "error": "error", "timeout": "error", "not_attempted": "skipped"}


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file. Returns sentences about the result. Raises OSError."""
    suites = ElementTree.Element("testsuites", name="Five Passes to One")
    for entry in entries:
        _suite(suites, entry)
    suites.set("time", f"{sum(entry.row['seconds'] for entry in entries):.3f}")
    for attribute in ("tests", "failures", "errors", "skipped"):
        suites.set(attribute, str(sum(int(suite.get(attribute)) for suite in suites)))
    write(to, ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True))
    return [said("{suites} in {to}", suites=counted(len(entries), "suite"), to=to)]


def _suite(suites: ElementTree.Element, entry: Entry) -> None:
    row = entry.row
    suite = ElementTree.SubElement(suites, "testsuite", name=row["submission"], time=f"{row['seconds']:.3f}")
    properties = ElementTree.SubElement(suite, "properties")
    values = {"student": entry.student, "lesson": row["lesson"] or "", "counts": "yes" if entry.counts else "no"}
    values |= {"handed_in_utc": row["handed_in"] or "", "score": render.score(row), "isolation": row["isolation"]}
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    found = []
    if not row["exercises"]:
        case = _case(suite, say(said("the file")), entry, row["seconds"])
        kind = "skipped" if row["instead"] is not None else "error"
        found.append(ElementTree.SubElement(case, kind, message="; ".join(map(say, remarks(entry)))).tag)
    for exercise in row["exercises"]:
        case = _case(suite, render.name(exercise), entry, exercise["seconds"])
        kind = _ELEMENT.get(exercise["status"])
        if kind:
            element = ElementTree.SubElement(case, kind, message=say(exercise["message"]))
            element.text = "\n".join(render.lines(exercise))
            found.append(kind)
    if remarks(entry):
        ElementTree.SubElement(suite, "system-out").text = "\n".join(map(say, remarks(entry)))
    counts = {"tests": len(row["exercises"]) or 1, "failures": found.count("failure")}
    counts |= {"errors": found.count("error"), "skipped": found.count("skipped")}
    for name, count in counts.items():
        suite.set(name, str(count))


def _case(suite: ElementTree.Element, name: str, entry: Entry, seconds: float | None) -> ElementTree.Element:
    """A test case. seconds: None in results of an older grader, which took no times."""
    case = ElementTree.SubElement(suite, "testcase", name=name, classname=entry.student)
    if seconds is not None:
        case.set("time", f"{seconds:.3f}")
    return case
