"""What the tests of every grader run: the inputs of lessons 04 and 05, what is right, and how far off it may be."""

from __future__ import annotations

import math
import pathlib

import class_of_15
import torch

from grader import lessons
from grader.checks import compare
from grader.spec import Case, Out

_SEED = 20250101


def write(folder: pathlib.Path) -> None:
    """cases.pt for same_tests.py: exercise -> list of cases."""
    chosen = [e for lesson in class_of_15.LESSONS for e in lessons.of_lesson(lesson)]
    torch.save({e.id: [_plain(case) for case in e.cases(_SEED)] for e in chosen}, folder / "cases.pt")


def _plain(case: Case) -> dict:
    call = case.call
    x = next((a for a in call.args if isinstance(a, torch.Tensor)), None)
    plain = {"kind": call.kind, "name": call.name, "args": [_made(a) for a in call.args], "kwargs": call.kwargs}
    plain |= {"grid": list(call.grid), "may_raise": case.expects_error, "want": None, "allowed": None}
    if call.name == "pads":
        plain["want"] = {"a": 0.0, "b": math.inf, "c": math.inf, "d": None}
    elif call.name == "block_size":
        plain["want"] = 1 << (call.args[0] - 1).bit_length()
    elif x is not None and x.dim() and x.is_floating_point():
        plain["want"] = torch.softmax(x.double(), dim=-1)
        plain["allowed"] = compare.softmax_bound(x, x.dtype) * plain["want"] + compare.softmax_slack(x.dtype)
    return plain


def _made(arg):
    if not isinstance(arg, Out):
        return arg
    strides = arg.strides or torch.empty(arg.shape).stride()
    return torch.empty_strided(arg.shape, strides, dtype=getattr(torch, arg.dtype)).fill_(math.nan)
