"""A zip of texts, the same bytes for the same texts."""

from __future__ import annotations

import io
import pathlib
import zipfile
from collections.abc import Mapping

from .entries import write as write_file


def write(to: pathlib.Path, files: Mapping[str, str]) -> None:
    """Write {name: text} as a zip. Raises OSError."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    write_file(to, data.getvalue())
