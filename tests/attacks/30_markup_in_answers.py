# files
"""What a student writes ends up in reports: errors, names and lines that are markup somewhere."""

import json

TEXTS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "[x](javascript:alert(1))",
    "=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\\x1b[31m", "]]><x/>", "\\x00\\x0b\\ud800", "{{ 7 * 7 }}", "&lt;",
]  # fmt: skip


def make(folder):
    """Write the files."""
    for number, text in enumerate(TEXTS):
        source = f'def naive_softmax(x):\n    raise ValueError("{text}")  # {text}'
        cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"title": text}, "cells": [cell]}
        (folder / f"text{number}.ipynb").write_text(json.dumps(notebook))
