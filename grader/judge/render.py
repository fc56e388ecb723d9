"""The text of a record, for a notebook, a report and a terminal.

A record is the dictionary of Result.record(), which is also a line of results.jsonl. So all texts come from the same
fields.
"""

from __future__ import annotations

import builtins
import html
from typing import NamedTuple

from ..language import say, wrap
from ..mistakes.registry import MISTAKES
from ..sentence import fault, foreign, joined, kind_of, said
from ..spec import STATUS, Error, sign_of

WIDTH = 84  # characters; JupyterLab wraps longer lines on a laptop
_INDENT = " " * 5
_COLOURS = {"✓": "#1a7f37", "✗": "#cf222e", "~": "#9a6700", "·": "#59636e"}  # of the signs of `mark`


def text(record: dict, more: str = "") -> str:
    """The feedback in a notebook: cases and points, the first failure, the named mistake, and one question.

    more: the sentence about how hints are shown, where that is not by hint().
    """
    name, counts = _headline(record)
    headline = name + " " * max(2, WIDTH - wrap.columns(name + counts)) + counts
    return "\n".join([headline, *(line for sign, says in _sentences(record, more) for line in _wrapped(sign, says))])


def html_text(record: dict) -> str:
    """The same feedback as HTML: sign and word of the verdict, in white on its colour, and then the words of `text`.

    All other text has the colour of the page, so that it can be read in any theme.
    """
    sign, word = mark(record)
    colour = _COLOURS[sign]
    name, counts = (html.escape(part) for part in _headline(record))
    badge = f"background:{colour};color:#fff;print-color-adjust:exact;border-radius:3px;padding:0 .5em"
    headline = f'<b style="{badge}">{sign} {word}</b> <b>{name}</b> <span style="margin-left:auto">{counts}</span>'
    return (
        f'<div style="border-left:4px solid {colour};padding:.2em .8em;max-width:50em;line-height:1.5">'
        f'<div style="display:flex;flex-wrap:wrap;gap:0 1em">{headline}</div>'
        '<div style="padding-left:1.2em;text-indent:-1.2em;white-space:pre-wrap;overflow-wrap:anywhere">'
        f"{''.join(_div(*each) for each in _sentences(record))}</div></div>"
    )


def _div(sign: str, says: str) -> str:
    """A sentence in HTML. Where it has no sign, it begins below the sentences of the others."""
    indent = "" if sign.strip() else ' style="text-indent:0"'
    return f"<div{indent}>{html.escape(sign.lstrip() + says)}</div>"


def _sentences(record: dict, more: str = "") -> list[tuple[str, str]]:
    """(sign, sentence) for each statement below the headline."""
    status = "not_attempted" if record["mistake"] == "todo-left" else record["status"]
    sign, remarks = f"{sign_of(status)} ", record["remarks"]
    found = [("! ", flag) for flag in record["flags"] if kind_of(flag) == "cells" and flag != record["message"]]
    if record["status"] == "passed":
        found.append((sign, _traffic(record, "#.3g") or said("right in every case")))
        found += [(sign, flag) for flag in record["flags"] if kind_of(flag) == "compiled"]
        return _said(found + [("! ", remark) for remark in remarks])
    if record["status"] == "not_attempted":
        return _said([*found, (sign, record["message"])])
    found += [(f"{sign_of('passed')} ", remark) for remark in remarks]
    found += [(sign, record["message"]), *(("  ", says) for says in _mistake(record, more))]
    return _said(found + ([("", _traffic(record, "#.3g"))] if record["ledger"] else []))


def _said(sentences: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(sign, say(sentence)) for sign, sentence in sentences]


def lines(record: dict) -> list[str]:
    """The same content for a report, as one line for each statement."""
    scored = said("{score} {points}", score=score(record), points=points(record))
    found = [joined("{one}: {two}", [_word(record), joined("{one}, {two}", [cases(record), scored])])]
    found += [record["message"]] if record["message"] else []
    named = _named(record)
    found += [each.sentence or each.id for each in named]
    found += [said("Ask yourself: {question}", question=named[0].question)] if named and named[0].question else []
    found += [_traffic(record)] if record.get("ledger") else []
    return [say(line) for line in found + record.get("remarks", []) + record["flags"]]


def number(value: float) -> str:
    """A score as text, with at most two decimals: 7, 6.5, 3.33."""
    return f"{round(value, 2):g}"


def cases(record: dict) -> str:
    """The number of cases that passed, and of those that did not run: 7 of 27 cases, 15 not run."""
    values = {"passed": record["cases_passed"], "cases": record["cases"]}
    if record.get("cases_left"):
        return said("{passed} of {cases} cases, {left} not run", **values, left=record["cases_left"])
    return said("{passed} of {cases} cases", **values)


def score(record: dict) -> str:
    """Points of a record, or of a row of records, out of the maximum: 5/7."""
    return f"{number(record['score'])}/{number(record['max_score'])}"


def points(record: dict) -> str:
    """The unit of an exercise's score, by its maximum: "point", "points" or "bonus points"."""
    if record["max_score"] == 1:
        return said("bonus point") if record.get("bonus") else said("point")
    return said("bonus points") if record.get("bonus") else said("points")


def name(record: dict) -> str:
    """Number and title of an exercise."""
    return f"{record['id']} {say(record.get('title', ''))}".strip()


def mark(record: dict) -> tuple[str, str]:
    """(sign, word) for the status of an exercise. A failure with some points has the sign "~"."""
    sign = sign_of(record["status"])
    in_part = record.get("mistake") == "todo-left" or (sign == "✗" and record["score"] > 0)
    return "~" if in_part else sign, say(_word(record))


def _word(record: dict) -> str:
    if record.get("mistake") == "todo-left":
        return said("right so far")
    sign, word = STATUS.get(record["status"], ("?", str(record["status"])))
    return said("{word} in part", word=word) if sign == "✗" and record["score"] > 0 else word


def mistakes(record: dict) -> list[dict]:
    """The named mistakes, as dictionaries with id, sentence and question. A second one gives the same result."""
    return [{"id": each.id, "sentence": say(each.sentence), "question": say(each.question)} for each in _named(record)]


def known(mistake: str) -> dict:
    """A named mistake by itself, as a dictionary with id, sentence and question; these are "" for an unknown id."""
    found = MISTAKES.get(mistake)
    if found is None:
        return {"id": mistake, "sentence": "", "question": ""}
    return {"id": mistake, "sentence": say(found.sentence), "question": say(found.question)}


class _Named(NamedTuple):
    id: str
    sentence: str
    question: str


def _named(record: dict) -> list[_Named]:
    found = []
    for which in (record.get("mistake"), record.get("also")):
        known = MISTAKES.get(which)
        if known and found:
            sentence = said(
                "It may also be this mistake, which gives the same result: {sentence}", sentence=known.sentence
            )
        elif known and record.get("by_numbers"):
            sentence = said("This mistake gives the same result: {sentence}", sentence=known.sentence)
        else:
            sentence = known.sentence if known else ""
        if which:
            found.append(_Named(which, sentence, known.question if known else ""))
    return found


def traffic(record: dict, digits: str = ".3g") -> str:
    """Elements read and written, in units of M·N, and how many may be; empty where nothing was counted.

    digits: format of the two counts. A notebook keeps their zeros, so that the counts of two checks line up.
    """
    return say(_traffic(record, digits))


def _traffic(record: dict, digits: str = ".3g") -> str:
    ledger, budget = record.get("ledger"), record.get("budget")
    if not ledger:
        return ""
    counts = [format(ledger[name], digits).removesuffix(".") for name in ("read", "written")]
    part, (read, written) = ledger.get("part"), counts
    if not budget:
        values = {"moved": f"{read} MN", "moved2": f"{written} MN"}
        if part:
            return said("traffic of {part}: read {moved}, wrote {moved2}", part=part, **values)
        return said("traffic: read {moved}, wrote {moved2}", **values)
    values = {"read": read, "written": written, "may": f"{budget[0]:.3g}", "may2": f"{budget[1]:.3g}"}
    if part:
        return said("traffic of {part}: read {read} MN of {may}, wrote {written} MN of {may2}", part=part, **values)
    return said("traffic: read {read} MN of {may}, wrote {written} MN of {may2}", **values)


def error_sentence(error: Error) -> str:
    """The sentence about an exception: its type, its line in the answer, and its message."""
    if error.get("where") or error["type"] == "Stopped":  # these messages already name the place
        if not error["line"] or kind_of(error["message"]) != "whole":  # and those about CUDA C++ the line, too
            return error["message"]
        values = {"sentence": error["message"], "line": error["line"]}
        return fault("whole", "{sentence} The line is `{line}`.", **values)
    message = foreign.last_line(error)
    message = message if error.get("raised") else foreign.recognised(message)
    # The name of a builtin exception is informative; the name of a library's exception adds nothing to the message.
    kind = error["type"] if hasattr(builtins, error["type"]) else "error"
    builtin = kind == error["type"]
    kind = kind if builtin else said("error")
    if message == kind or (kind, message) == ("SystemExit", "None"):
        return said("{kind} in the line `{line}`", kind=kind, line=error["line"]) if error["line"] else kind
    if not error["line"]:
        return said("{kind}: {said}", kind=kind, said=message) if builtin else said("error: {said}", said=message)
    return said("{kind} in the line `{line}`: {said}", kind=kind, line=error["line"], said=message)


def _headline(record: dict) -> tuple[str, str]:
    """(number and title, cases and points)."""
    name = f"{record['id']}  {say(record['title'])}"
    most = f"{record['max_score']:g}"
    most = said("of {most} bonus points", most=most) if record.get("bonus") else said("of {most} points", most=most)
    if record["status"] == "not_attempted":
        return name, say(said("not yet · 0 {most}", most=most))
    scored = said("{score} {points}", score=f"{record['score']:g}", points=most)
    return name, say(joined("{one} · {two}", [cases(record), scored]))


def _mistake(record: dict, more: str) -> list[str]:
    more = more or said('hint("{id}") shows hints', id=record["id"])
    named = _named(record)
    if record["mistake"] not in MISTAKES:
        return [said("The check does not recognise the mistake."), more]
    return [
        *(each.sentence for each in named),
        said("Ask yourself: {question}", question=named[0].question),
        more,
    ]


def _wrapped(sign: str, says: str) -> list[str]:
    return wrap.wrap(says, WIDTH, _INDENT + sign, _INDENT + "  ")
