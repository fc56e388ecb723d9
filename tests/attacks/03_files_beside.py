# files
"""Files beside a notebook that Python, pytest or the grader would take for their own, and a helper of a neighbour."""

import json

WRONG = "def naive_softmax(x):\n    return x"
RIGHT = "def naive_softmax(x):\n    return x.exp() / x.exp().sum(dim=1, keepdim=True)"
STARTED = "raise SystemExit('started by a file beside a notebook')"
FORGED = {"student": "zz_right", "submission": "zz_right.ipynb", "lesson": "01", "score": 0, "max_score": 4}


def write(folder, source):
    """Write a notebook of one cell into a folder of its own."""
    folder.mkdir()
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    (folder / "01.ipynb").write_text(json.dumps(notebook))


def make(folder):
    """Write the files."""
    write(folder / "modules", WRONG)
    for name in ("torch", "triton", "grader", "sitecustomize", "usercustomize", "conftest"):
        (folder / "modules" / f"{name}.py").write_text(STARTED)
    (folder / "modules" / "start.pth").write_text(f"import sys; {STARTED}")
    write(folder / "results", WRONG)
    (folder / "results" / "results.jsonl").write_text(json.dumps(FORGED) + "\n")
    (folder / "results" / "secret").write_text("a secret of sixteen")
    (folder / "results" / "assignment.toml").write_text('lessons = ["00"]\n')
    (folder / "results" / "overrides.csv").write_text("student,exercise,points,reason\nresults,1.1,2,asked\n")
    write(folder / "helper", "from helper import naive_softmax")
    (folder / "helper" / "helper.py").write_text(RIGHT)
    write(folder / "neighbour", "import sys\nsys.path += ['../helper', 'helper']\nfrom helper import naive_softmax")
