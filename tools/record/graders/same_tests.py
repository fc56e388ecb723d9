"""The cases of an exercise as a test that any grader can run: the same inputs, the same accuracy, no bytes counted.

Imported by the notebooks that nbgrader and otter grade. Like theirs, it knows nothing of this course's grader: what it
runs lies in cases.pt in the folder that the environment variable SAME_TESTS names.
"""

from __future__ import annotations

import os
import pathlib

os.environ["TRITON_INTERPRET"] = "1"  # as the learners' notebooks do where there is no GPU

import torch

_CASES = torch.load(pathlib.Path(os.environ["SAME_TESTS"]) / "cases.pt")


def right(exercise: str, **names) -> bool:
    """Whether the answer passes all cases of an exercise; names: what the answer defines."""
    return all(_passes(case, names[case["name"]]) for case in _CASES[exercise])


def _passes(case: dict, target) -> bool:
    args = [a.copy_(source) if isinstance(a, torch.Tensor) else a for a, source in map(_copied, case["args"])]
    try:
        if case["kind"] == "launch":
            target[tuple(case["grid"])](*args, **case["kwargs"])
            got = args[0]
        else:
            got = target(*args) if case["kind"] == "call" else target
    except Exception:  # whatever an answer raises
        return case["may_raise"]
    return _equal(case, got)


def _copied(arg):
    """(a tensor with the strides of this one, this one), so that no case changes another's input."""
    return (
        torch.empty_strided(arg.shape, arg.stride(), dtype=arg.dtype) if isinstance(arg, torch.Tensor) else arg
    ), arg


def _equal(case: dict, got) -> bool:
    want = case["want"]
    if not isinstance(want, torch.Tensor):
        return want is not None and got == want
    if not isinstance(got, torch.Tensor) or got.shape != want.shape:
        return False
    return bool(((got.double() - want).abs() <= case["allowed"]).all())
