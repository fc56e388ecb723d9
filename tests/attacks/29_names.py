# files
"""File and folder names that try to be something else."""

import json

CELL = {"cell_type": "code", "source": "def naive_softmax(x):\n    return x", "metadata": {}, "outputs": []}
NAMES = [
    "=1+1", "-rf", "+1", "@SUM(A1)", "a\nb", "a\tb", "a\rb", "\x1b[31mred", "\u202eybpi", "a\u200bb", "а", "a",
    "x" * 240, "'; DROP TABLE rows; --", "<script>alert(1)<", "%s%n", "$(touch x)", "..", "con", "results.jsonl",
    "]]>", '"quoted"', "a,b;c", "\udcff",
]  # fmt: skip


def make(folder):
    """Write the files."""
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]})
    for name in NAMES:
        (folder / f"{name}.ipynb").write_text(notebook)
    deep = folder
    for _ in range(20):
        deep = deep / ("d" * 100)
    deep.mkdir(parents=True)
    (deep / "x.ipynb").write_text(notebook)
