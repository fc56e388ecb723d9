"""Tables that people and platforms write: CSV with commas, semicolons or tabs, columns found by their headers."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import pathlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..sentence import said

MAX_BYTES = 16 << 20  # a roster of ten thousand has two
_SEPARATORS = ",;\t"
_CHINESE_HEADS = re.compile("姓名|学号|学生|邮箱|邮件|班级|用户名|账号|全名")  # of which one proves the encoding
_OF_EXCEL = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # how .xlsx, .ods and .xls begin


class NotATable(Exception):
    """The file cannot be read as a table. The message says why."""


@dataclass(frozen=True)
class Table:
    """A table. header: the names of its columns; lines: (number of the line in the file, its fields), blank ones left
    out. All fields are without outer spaces, in Unicode's composed form.
    """

    header: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...]

    def columns(self, known: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
        """{name: place of its column}. known: {name: headers of such a column, in lower case}, the first one first."""
        heads = [head.casefold() for head in self.header]
        found = {
            name: next((heads.index(head) for head in among if head in heads), None) for name, among in known.items()
        }
        return {name: at for name, at in found.items() if at is not None}

    def under(self, columns: Mapping[str, int]) -> Iterator[tuple[int, dict[str, str]]]:
        """(number of the line, {name: field}) for each line; a field that the line lacks is empty."""
        for number, fields in self.lines:
            yield number, {name: fields[at] if at < len(fields) else "" for name, at in columns.items()}


def read(file: pathlib.Path) -> Table:
    """The table in a file. Raises NotATable."""
    try:
        with open(file, "rb") as f:
            data = f.read(MAX_BYTES + 1)
    except OSError as error:
        raise NotATable(said("it cannot be read: {strerror}", strerror=error.strerror or error)) from None
    return parse(data)


def parse(data: bytes) -> Table:
    """The table in the bytes of a file, in UTF-8 or UTF-16, or in GBK with Chinese headers. Raises NotATable."""
    if len(data) > MAX_BYTES:
        raise NotATable(said("it is larger than {value} MB", value=MAX_BYTES >> 20))
    if data.startswith(_OF_EXCEL):
        raise NotATable(said("it is a workbook of a spreadsheet program: save it as CSV in UTF-8"))
    try:
        text = data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError:
        text = _of_chinese_excel(data)
    text = re.sub(r'\A"?sep=.?"?\r?\n', "", unicodedata.normalize("NFC", text))  # Excel's own line
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_SEPARATORS, key=first.count))
    found, before = [], 0
    try:
        for fields in reader:
            fields = tuple(field.strip() for field in fields)
            if any(fields):
                found.append((before + 1, fields))
            before = reader.line_num
    except csv.Error as error:
        raise NotATable(said("line {number} cannot be read: {error}", number=before + 1, error=error)) from None
    if not found:
        raise NotATable(said("it is empty"))
    return Table(found[0][1], tuple(found[1:]))


def _of_chinese_excel(data: bytes) -> str:
    """A text in GBK, as Excel in Chinese saves a table as CSV. Raises NotATable where it may be of another language."""
    with contextlib.suppress(UnicodeDecodeError):
        text = data.decode("gb18030")
        if _CHINESE_HEADS.search(text.lstrip().partition("\n")[0]):
            return text
    raise NotATable(said("it is no text in UTF-8: save it again as CSV in UTF-8"))
