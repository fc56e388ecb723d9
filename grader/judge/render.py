"""A Result in words: what ran, where it went wrong, which mistake it looks like, one question."""

from __future__ import annotations

import builtins
import textwrap

from ..mistakes.registry import MISTAKES
from ..spec import Result

WIDTH = 84  # characters; JupyterLab breaks longer lines on a laptop
_INDENT = " " * 5


def render(result: Result) -> Result:
    """Fill in result.text and return the result."""
    lines = [
        _headline(result),
        *(line for flag in result.flags for line in _wrapped("! ", flag) if "is not Python" in flag),
    ]
    if result.status == "passed":
        lines.append(f"{_INDENT}✓ {_traffic(result)}" if result.ledger else f"{_INDENT}✓ right in every case")
        lines += [f"{_INDENT}✓ {flag}" for flag in result.flags if flag.startswith("compiled on")]
        lines += [line for remark in result.remarks for line in _wrapped("! ", remark)]
    elif result.status == "not_attempted":
        lines += _wrapped("· ", result.message)
    else:
        lines += [line for remark in result.remarks for line in _wrapped("✓ ", remark)]
        lines += _wrapped("✗ ", result.message)
        lines += _mistake(result)
        if result.ledger:
            lines.append(f"{_INDENT}{_traffic(result)}")
    result.text = "\n".join(lines)
    return result


def _headline(result: Result) -> str:
    left = f"{result.id}  {result.title}"
    if result.status == "not_attempted":
        right = f"not yet · 0 of {result.max_score:g} points"
    else:
        right = f"{result.cases_passed} of {result.cases} cases · {result.score:g} of {result.max_score:g} points"
    return left + " " * max(2, WIDTH - len(left) - len(right)) + right


def _mistake(result: Result) -> list[str]:
    more = f'hint("{result.id}") has more'
    mistake, also = MISTAKES.get(result.mistake), MISTAKES.get(result.also)
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


def _traffic(result: Result) -> str:
    read, written = result.ledger["read"], result.ledger["written"]
    of = f"traffic of {result.ledger['part']}" if "part" in result.ledger else "traffic"
    if result.budget is None:
        return f"{of}: read {read:.2f} MN, wrote {written:.2f} MN"
    may_read, may_write = result.budget
    return f"{of}: read {read:#.3g} MN of {may_read:.3g}, wrote {written:#.3g} MN of {may_write:.3g}"


def last_line(error: dict) -> str:
    """The line of an error's message that says most: the last one, where CUDA adds advice the first."""
    lines = [line for line in error["message"].splitlines() if line.strip()]
    if not lines:
        return error["type"]
    return lines[0 if lines[0].startswith("CUDA error") else -1].strip()[:300]


def error_sentence(error: dict) -> str:
    """What an exception says, and the line of the answer it came from."""
    if error.get("where") or error["type"] == "Stopped":  # of a CUDA kernel: it says its line already
        return error["message"]
    message = last_line(error)
    at = f" in the line `{error['line']}`" if error["line"] else ""
    # The name of Python's own exception says something; that of a library's class, nothing that the message does not.
    kind = error["type"] if hasattr(builtins, error["type"]) else "error"
    return f"{kind}{at}: {message}"
