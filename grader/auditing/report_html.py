"""The report of an audit as HTML, for a notebook: faults first, all else folded."""

from __future__ import annotations

import html

from ..language import say
from ..notebook.drawing import escaped
from ..sentence import said
from .findings import Fault
from .report import Report
from .report_text import NAMES, outcomes, remarks, some, where


def page(report: Report) -> str:
    """The whole report."""
    mark = "✓" if report else "✗"
    parts = [f"<p><strong>{mark} {html.escape(report.title())}</strong></p>", *map(_fault, report.faults)]
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left;white-space:nowrap">{escaped(NAMES.get(section, section))}</th>'
        f'<td style="text-align:left">{escaped(words)}</td></tr>'
        for section, words in outcomes(report)
    )
    parts.append(f"<table><tbody>{rows}</tbody></table>")
    for table in report.compiler.tables if report.compiler else ():
        parts.append(_folded(said("machine code on GPUs that are not here"), table._repr_mimebundle_()["text/html"]))
    told = "".join(f"<li>{escaped(sentence)}</li>" for sentence in remarks(report))
    parts.append(_folded(said("cases, refusals, and what was not looked at"), f"<ul>{told}</ul>"))
    return "".join(parts)


def _fault(fault: Fault) -> str:
    lines = "".join(f"<code>{html.escape(f'{where(line)}: {line.text}')}</code><br>" for line in fault.lines)
    case = escaped(said("with {case}", case=fault.case))
    cases = some(fault.also)
    others = said("also with {cases}", cases=cases)
    also = f"<br>{escaped(others)}" if fault.also else ""
    what = f"<strong>{escaped(NAMES[fault.section])}</strong>: {escaped(fault.sentence)}"
    return f'<div style="margin:.5em 0 .5em 1em">✗ {what}<br>{lines}{case}{also}</div>'


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{html.escape(say(title))}</summary>{body}</details>"
