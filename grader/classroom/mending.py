"""Files that are almost notebooks: read where that can be done without a guess about the answers, else named.

What was mended is a sentence for a person. What cannot be read has a sentence too: the cause, its line, and what to
hand in instead. It is written to the student, who gets it as it is.
"""

from __future__ import annotations

import json
import re

from ..sentence import said

# What other programs write, by its first bytes.
_OTHERS = (
    (b"PK\x03\x04", said("a zip file or a document of an office program")),
    (b"%PDF", said("a PDF")),
    (b"\x1f\x8b", said("a file packed by gzip")),
    (b"Rar!", said("a RAR archive")),
    (b"7z\xbc\xaf", said("a 7-Zip archive")),
)
_PAGE = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>\s*([^<]{1,100})", re.IGNORECASE)
_LINK = re.compile(r"\s*(?:\[InternetShortcut\]\s*URL=)?https?://\S+\s*", re.IGNORECASE)
_MARKER = re.compile(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)
# A string of JSON, a bracket of its own, or the name of what a notebook holds beside its cells' texts.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_HEAVY = re.compile(rb'"(?:outputs|attachments)"\s*:\s*(?=[\[{])')
_SHOWN = 60  # characters of a title


class Unreadable(Exception):
    """A file holds no notebook that can be read. The message is a sentence."""


def decoded(data: bytes) -> tuple[str, list[str]]:
    """(the text of a file, sentences about its encoding).

    UTF-8, UTF-16 and UTF-32 are read, with or without a byte order mark; else Windows' encodings of Western Europe and
    of China, in this order. Raises Unreadable.
    """
    for start, kind in _OTHERS:
        if data.startswith(start):
            raise Unreadable(said("the file is {kind} under another name. Hand in the notebook itself", kind=kind))
    try:
        text, remarks = data.decode(json.detect_encoding(data)), []
    except UnicodeDecodeError as error:
        text, name = _of_windows(data)
        line = data.count(b"\n", 0, error.start) + 1
        remarks = [said("line {line} is no UTF-8: the file was read as {name}", line=line, name=name)]
    if _PAGE.match(text[:10_000]):
        title = _TITLE.search(text[:10_000])
        what = said('a web page, "{title}"', title=title[1].strip()[:_SHOWN]) if title else said("a web page")
        raise Unreadable(
            said(
                "the file is {what}, which a browser saved in place of the notebook. Sign in, download the notebook "
                "itself (File > Download > .ipynb), and hand that in",
                what=what,
            )
        )
    if _LINK.fullmatch(text[:2000]):
        raise Unreadable(said("the file holds only a link. Hand in the notebook that it leads to"))
    return text, remarks


def _of_windows(data: bytes) -> tuple[str, str]:
    """(text, name of the encoding). Raises Unreadable where the bytes are no text."""
    if not re.search(rb"[\x00-\x08\x0e-\x1f]", data):
        for name in ("cp1252", "gb18030"):
            try:
                text = data.decode(name)
            except UnicodeDecodeError:
                continue
            # In GB 18030 a character may end in a backslash, which another encoding reads as one.
            if name == "gb18030" or not _is_json_start(data) or _loads(text):
                return text, name
    raise Unreadable(
        said("the file is no text in UTF-8. Save the notebook again in Jupyter, and hand that in")
        if not _is_json_start(data)
        else said("the file is no notebook: it cannot be read as JSON, nor as text. Hand in the original file")
    )


def _is_json_start(data: bytes) -> bool:
    return data.lstrip()[:1] == b"{"


def _loads(text: str) -> bool:
    try:
        json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def without_conflicts(text: str) -> tuple[str, list[str]]:
    """(the text with the first side of each conflict of git, sentences). Half a conflict stays as it is."""
    if not _MARKER.search(text):
        return text, []
    kept, held, began = [], [], []  # held: the lines of a conflict that is not over
    side = ""  # of a conflict: the first one, git's common ancestor, the second one
    for number, line in enumerate(text.split("\n"), 1):
        mark = line[:7] if line[7:8] in ("", " ", "\r") else ""
        if mark == "<<<<<<<" and not side:
            side, held = "first", [line]
            began.append(number)
            first: list[str] = []
        elif mark == ">>>>>>>" and side == "second":
            kept += first
            side = ""
        elif side:
            held.append(line)
            if mark == "|||||||" and side == "first":
                side = "ancestor"
            elif mark == "=======" and side != "second":
                side = "second"
            elif side == "first":
                first.append(line)
        else:
            kept.append(line)
    if side:
        kept += held
        began.pop()
    if not began:
        return text, []
    return "\n".join(kept), [
        said(
            "a conflict of git was not resolved, from line {lines} on: its first side was read. Resolve it, "
            "if the other one was meant, and hand that in",
            lines=", ".join(map(str, began[:5])),
        )
    ]


def notebook(text: str) -> tuple[object, list[str]]:
    """(the JSON data of a notebook's text, sentences about what was mended). Raises Unreadable, and RecursionError."""
    text, remarks = without_conflicts(text)
    text = text.lstrip("\ufeff \t\r\n")
    try:
        data, end = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        raise Unreadable(_why(text, error)) from None
    if text[end:].strip("\x00 \t\r\n"):
        line = text.count("\n", 0, end) + 1
        remarks.append(said("behind the notebook, in line {line}, the file goes on: that was not read", line=line))
    return data, remarks


def _why(text: str, error: ValueError) -> str:
    """Why a text is no JSON, and what to ask for."""
    line = getattr(error, "lineno", None)
    at = getattr(error, "pos", 0)
    marker = _MARKER.search(text)
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        return said(
            "the file is no notebook: it cannot be read as JSON, with half a conflict of git in line {line}. Resolve "
            "it, and hand in the file after that",
            line=line,
        )
    if text[:1] == "{" and ('"cells"' in text or '"nbformat"' in text) and _ends_early(text, at):
        last = text.rstrip().count("\n") + 1
        return said(
            "the file is no notebook: it cannot be read as JSON, because it ends in the middle, in line {last}. It was "
            "cut off: hand in the whole file",
            last=last,
        )
    if line is None:
        return said("the file is no notebook: it cannot be read as JSON. Hand in the original file")
    return said(
        "the file is no notebook: it cannot be read as JSON, from line {line} on. Hand in the original file",
        line=line,
    )


def _ends_early(text: str, at: int) -> bool:
    """Whether JSON stops at the end of a text, or in a string that never ends."""
    return not text[at:].strip() or (text[at] == '"' and "\n" not in text[at:].rstrip("\n")[1:])


def without_outputs(data: bytes) -> bytes:
    """The bytes of a notebook with empty outputs and attachments, which hold most of the bytes of a large one."""
    kept, at = [], 0
    while found := _HEAVY.search(data, at):
        end = _closing(data, found.end())
        if end is None:
            break
        kept.append(data[at : found.end()])
        kept.append(b"[]" if data[found.end() : found.end() + 1] == b"[" else b"{}")
        at = end
    kept.append(data[at:])
    return b"".join(kept)


def _closing(data: bytes, start: int) -> int | None:
    """The place behind the bracket that closes the one at `start`; None if there is none."""
    depth = 0
    for token in _TOKEN.finditer(data, start):
        if token[0] in (b"[", b"{"):
            depth += 1
        elif token[0] in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                return token.end()
    return None
