"""A zip of texts, the same bytes for the same texts."""

from __future__ import annotations

import io
import pathlib
import zipfile
from collections.abc import Mapping

from .entries import write as write_file


def write(to: pathlib.Path, files: Mapping[str, str | bytes]) -> None:
    """Write {name: text or bytes} as a zip. Raises OSError."""
    write_file(to, packed(files))


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """{name: text or bytes} as a zip."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            content = text.encode("utf-8", "replace") if isinstance(text, str) else text
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()
