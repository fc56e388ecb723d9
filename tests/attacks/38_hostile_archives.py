# files
"""Zip files that lie about what they hold, or hold more than is read. Most hold a notebook beside it."""

import json
import struct
import warnings
import zipfile

CELL = {"cell_type": "code", "source": "def naive_softmax(x):\n    return x", "metadata": {}, "outputs": []}
GOOD = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]})
LARGE = 65 << 20


def pack(path, members, method=zipfile.ZIP_DEFLATED):
    """Write a zip file of (name, data)."""
    with zipfile.ZipFile(path, "w", method) as z, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of duplicate names
        for name, data in members:
            z.writestr(name, data)


def change(path, name, at, form, value):
    """Overwrite a field of a member's entry in the directory. at: of the entry, in bytes."""
    data = bytearray(path.read_bytes())
    entry = data.rindex(name.encode()) - 46
    struct.pack_into(form, data, entry + at, value)
    path.write_bytes(data)


def make(folder):
    """Write the files."""
    good = ("good.ipynb", GOOD)
    pack(folder / "many.zip", [(f"{n}.ipynb", GOOD) for n in range(10_001)])
    pack(folder / "bomb.zip", [good, ("bomb.ipynb", bytes(LARGE))])
    pack(folder / "twice.zip", [good, ("x.ipynb", GOOD), ("x.ipynb", "{}")])
    pack(folder / "names.zip", [good, ("n" * 60_000 + ".ipynb", GOOD), ("d/" * 20_000 + "x.ipynb", GOOD)])
    pack(folder / "bzip2.zip", [("x.ipynb", bytes(LARGE))], zipfile.ZIP_BZIP2)
    pack(folder / "lzma.zip", [("x.ipynb", bytes(LARGE))], zipfile.ZIP_LZMA)
    pack(folder / "inner.zip", [good])
    pack(folder / "nested.zip", [good, ("inner.zip", (folder / "inner.zip").read_bytes())])
    for name, at, form, value in (
        ("locked", 8, "<H", 1), ("method", 10, "<H", 97), ("smaller", 24, "<I", 10), ("larger", 24, "<I", 1 << 20),
        ("elsewhere", 42, "<I", 5), ("huge", 24, "<I", 0xFFFFFFF0),
    ):  # fmt: skip
        pack(folder / f"{name}.zip", [good, ("x.ipynb", bytes(LARGE))])
        change(folder / f"{name}.zip", "x.ipynb", at, form, value)
    pack(folder / "overlap.zip", [good, *((f"{n}.ipynb", "0" * 999) for n in range(9))], zipfile.ZIP_STORED)
    for n in range(9):
        for at in (20, 24):
            change(folder / "overlap.zip", f"{n}.ipynb", at, "<I", 5000)
    pack(folder / "version.zip", [good])
    change(folder / "version.zip", "good.ipynb", 6, "<H", 999)
    pack(folder / "directory.zip", [good])
    data = bytearray((folder / "directory.zip").read_bytes())
    struct.pack_into("<I", data, len(data) - 10, 0xFFFFFF00)  # the size of the directory
    (folder / "directory.zip").write_bytes(data)
