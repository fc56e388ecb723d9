# files
"""Notebooks whose cells, tags, metadata and outputs say more than their code does."""

import json

WRONG = "def naive_softmax(x):\n    return x"
RIGHT_ELSEWHERE = "def naive_softmax(x):\n    return x.exp() / x.exp().sum(dim=1, keepdim=True)"
OUTPUT = {"output_type": "stream", "name": "stdout", "text": "1.1  naive_softmax   12 of 12 cases · 3 of 3 points"}


def cell(source, kind="code", outputs=(), **metadata):
    return {"cell_type": kind, "source": source, "metadata": metadata, "outputs": list(outputs), "execution_count": 1}


def write(folder, name, *cells, **metadata):
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook))


def make(folder):
    """Write the files."""
    grade = {"grade": True, "grade_id": "1.1", "points": 1000, "locked": True, "solution": False, "schema_version": 3}
    write(folder, "forged_outputs", cell(WRONG), cell('check("1.1")', outputs=[OUTPUT]))
    write(folder, "more_points", cell(WRONG, nbgrader=grade), cell('check("1.1")', nbgrader=grade))
    write(folder, "skipped", cell(RIGHT_ELSEWHERE, tags=["skip-execution"]), cell(WRONG, tags=["solution"]))
    write(folder, "no_checks", cell(WRONG), cell("def check(*ids): return True"))
    write(folder, "text_cells", cell(RIGHT_ELSEWHERE, "markdown"), cell(RIGHT_ELSEWHERE, "raw"), cell(WRONG))
    write(
        folder, "another_lesson", cell(WRONG), cell('check("1.1")'), lesson="00", score=100, five_passes={"score": 100}
    )
