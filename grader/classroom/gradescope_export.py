"""submission_metadata.yml of Gradescope's export: who handed in which folder, and when.

Few lines of it are needed, and no library that reads YAML:

    submission_271:
      :submitters:
      - :name: Ada Lovelace
        :sid: '101'
        :email: ada@example.edu
      :created_at: 2026-11-22 10:15:00.123456789 Z
"""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import dataclass

FILE = "submission_metadata.yml"
_SUBMISSION = re.compile(r"(?P<name>[^\s:#][^:]*):\s*$")
_FIELD = re.compile(r"(?P<indent>\s+)(?P<item>- )?:?(?P<key>\w+):(?:\s+(?P<value>.*))?$")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?\s*(Z|UTC|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True)
class Submitter:
    """A student of a submission. names: sid and email, as far as they are known. handed_in: in UTC."""

    name: str
    names: tuple[str, ...]
    handed_in: str | None = None

    @property
    def key(self) -> str:
        """The name with what tells two students of one name apart, as in "Ada Lovelace_101"."""
        return "_".join([self.name, *self.names[:1]])


def read(data: bytes) -> dict[str, list[Submitter]]:
    """{folder: its submitters}. Lines that say something else are passed over."""
    found: dict[str, list[dict[str, str]]] = {}
    times: dict[str, str | None] = {}
    current, depth, inside = "", 0, False  # inside: the list of submitters. depth: of the fields of a submission
    for line in data.decode("utf-8", "replace").splitlines():
        if top := _SUBMISSION.fullmatch(line):
            current, depth, inside = top["name"].strip("'\" "), 0, False
            found[current] = []
            continue
        field = _FIELD.fullmatch(line)
        if not field or not current:
            continue
        indent, key, value = len(field["indent"]), field["key"], _value(field["value"] or "")
        depth = depth or indent
        if key == "submitters" and indent == depth and not value:
            inside = True
        elif inside and (field["item"] or indent > depth):
            if indent > depth + 4:
                continue
            if field["item"]:
                found[current].append({})
            if found[current]:
                found[current][-1].setdefault(key, value)
        else:
            inside = False
            if key == "created_at" and current not in times and not field["item"] and indent == depth:
                times[current] = _in_utc(value)
    return {
        name: [
            Submitter(
                each.get("name") or each.get("email") or name,
                tuple(filter(None, (each.get("sid"), each.get("email")))),
                times.get(name),
            )
            for each in submitters
        ]
        for name, submitters in found.items()
    }


def _value(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return "" if text in ("null", "~") else text


def _in_utc(text: str) -> str | None:
    found = _TIME.match(text)
    if not found:
        return None
    zone = found[3] if found[3] and found[3] not in ("Z", "UTC") else "+00:00"
    try:
        then = datetime.datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}")
    except ValueError:
        return None
    return then.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
