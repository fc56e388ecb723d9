"""The text of a record, for a notebook, a report and a terminal.

A record is the dictionary of Result.record(), which is also a line of results.jsonl. So all texts come from the same
fields.
"""

from __future__ import annotations

import builtins
import textwrap

from ..mistakes.registry import MISTAKES
from ..spec import STATUS, Error, sign_of

WIDTH = 84  # characters; JupyterLab wraps longer lines on a laptop
_INDENT = " " * 5


def text(record: dict) -> str:
    """The feedback in a notebook: cases and points, the first failure, the named mistake, and one question."""
    lines = [
        _headline(record),
        *(line for flag in record["flags"] for line in _wrapped("! ", flag) if "is not Python" in flag),
    ]
    sign, remarks = sign_of(record["status"]), record["remarks"]
    if record["status"] == "passed":
        lines.append(f"{_INDENT}{sign} {traffic(record, '#.3g') or 'right in every case'}")
        lines += [f"{_INDENT}{sign} {flag}" for flag in record["flags"] if flag.startswith("compiled on")]
        lines += [line for remark in remarks for line in _wrapped("! ", remark)]
    elif record["status"] == "not_attempted":
        lines += _wrapped(f"{sign} ", record["message"])
    else:
        lines += [line for remark in remarks for line in _wrapped(f"{sign_of('passed')} ", remark)]
        lines += _wrapped(f"{sign} ", record["message"])
        lines += _mistake(record)
        if record["ledger"]:
            lines.append(f"{_INDENT}{traffic(record, '#.3g')}")
    return "\n".join(lines)


def lines(record: dict) -> list[str]:
    """The same content for a report, as one line for each statement."""
    found = [f"{mark(record)[1]}: {record['cases_passed']} of {record['cases']} cases, {score(record)} points"]
    found += [record["message"]] if record["message"] else []
    named = mistakes(record)
    for i, each in enumerate(named):
        found += [("Or, with the same numbers: " if i else "") + (each["sentence"] or each["id"])]
    found += [f"Ask yourself: {named[0]['question']}"] if named and named[0]["question"] else []
    found += [traffic(record)] if traffic(record) else []
    return found + record.get("remarks", []) + record["flags"]


def number(value: float) -> str:
    """A score as text, with at most two decimals: 7, 6.5, 3.33."""
    return f"{round(value, 2):g}"


def score(record: dict) -> str:
    """Points of a record, or of a row of records, out of the maximum: 5/7."""
    return f"{number(record['score'])}/{number(record['max_score'])}"


def name(record: dict) -> str:
    """Number and title of an exercise."""
    return f"{record['id']} {record.get('title', '')}".strip()


def mark(record: dict) -> tuple[str, str]:
    """(sign, word) for the status of an exercise. A failure with some points has the sign "~"."""
    sign, word = STATUS.get(record["status"], ("?", str(record["status"])))
    return ("~", f"{word} in part") if sign == "✗" and record["score"] > 0 else (sign, word)


def mistakes(record: dict) -> list[dict]:
    """The named mistakes, as dictionaries with id, sentence and question. A second one fits the same numbers."""
    found = []
    for which in (record.get("mistake"), record.get("also")):
        known = MISTAKES.get(which)
        if known:
            found.append({"id": known.id, "sentence": known.sentence, "question": known.question})
        elif which:
            found.append({"id": which, "sentence": "", "question": ""})
    return found


def traffic(record: dict, digits: str = ".3g") -> str:
    """Elements read and written, in units of M·N, and how many may be; empty where nothing was counted.

    digits: format of the two counts. A notebook keeps their zeros, so that the counts of two checks line up.
    """
    ledger, budget = record.get("ledger"), record.get("budget")
    if not ledger:
        return ""
    moved = [f"{ledger[name]:{digits}} MN" for name in ("read", "written")]
    if budget:
        moved = [f"{count} of {may:.3g}" for count, may in zip(moved, budget)]
    part = f" of {ledger['part']}" if ledger.get("part") else ""
    return f"traffic{part}: read {moved[0]}, wrote {moved[1]}"


def last_line(error: Error) -> str:
    """The most informative line of an error's message: the last one, or the first one of a CUDA error."""
    message_lines = [line for line in error["message"].splitlines() if line.strip()]
    if not message_lines:
        return error["type"]
    return message_lines[0 if message_lines[0].startswith("CUDA error") else -1].strip()[:300]


def error_sentence(error: Error) -> str:
    """The sentence about an exception: its type, its line in the answer, and its message."""
    if error.get("where") or error["type"] == "Stopped":  # these messages already name the place
        return error["message"]
    message = last_line(error)
    at = f" in the line `{error['line']}`" if error["line"] else ""
    # The name of a builtin exception is informative; the name of a library's exception adds nothing to the message.
    kind = error["type"] if hasattr(builtins, error["type"]) else "error"
    return f"{kind}{at}: {message}"


def _headline(record: dict) -> str:
    left = f"{record['id']}  {record['title']}"
    if record["status"] == "not_attempted":
        right = f"not yet · 0 of {record['max_score']:g} points"
    else:
        cases, points = (record["cases_passed"], record["cases"]), (record["score"], record["max_score"])
        right = f"{cases[0]} of {cases[1]} cases · {points[0]:g} of {points[1]:g} points"
    return left + " " * max(2, WIDTH - len(left) - len(right)) + right


def _mistake(record: dict) -> list[str]:
    more = f'hint("{record["id"]}") has more'
    mistake, also = MISTAKES.get(record["mistake"]), MISTAKES.get(record["also"])
    if mistake is None:
        return [*_wrapped("  ", f"This is none of the mistakes that the check knows by name. {more}")]
    lines = _wrapped("  ", mistake.sentence)
    if also:
        lines += _wrapped("  ", f"Or, with the same numbers: {also.sentence}")
    lines += _wrapped("  ", f"Ask yourself: {mistake.question}")
    if len(lines[-1]) + 6 + len(more) <= WIDTH:
        lines[-1] += "      " + more
    else:
        lines.append(f"{_INDENT}  {more}")
    return lines


def _wrapped(mark: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=_INDENT + mark, subsequent_indent=_INDENT + "  ", break_long_words=False
    )
