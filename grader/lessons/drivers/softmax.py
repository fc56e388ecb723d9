"""Shuts the softmax that the course ships, and its choice of a kernel: the answer is to have one of its own.

And asks that one for its choice on a GPU that is not there.
"""

import contextlib
import importlib
from unittest import mock

import torch

from grader.fast import launchers, pick
from grader.gpus import JUDGED


def _shut(*args, **kwargs):
    raise RuntimeError("this is the course's own softmax, or its choice of a kernel")


# Their code is replaced, before the answer can keep it. The shipped softmax begins in softmax._of, along any dimension.
_of = importlib.import_module("grader.fast.softmax")._of  # the package has a function of the name of this module
_of.__code__ = pick.launch.__code__ = pick.route.__code__ = _shut.__code__


def check_choice(m, n, dtype):
    """softmax of an M×N matrix as if kernels were compiled for an NVIDIA GPU. The device notes them and runs none."""
    import answer

    with contextlib.ExitStack() as pretended:
        for where, name, value in (
            (launchers, "on_nvidia", lambda x: True),
            (pick, "on_nvidia", lambda x: True),
            (launchers, "_multiprocessors", lambda device: JUDGED.multiprocessors),
            (torch.cuda, "get_device_capability", lambda device=None: divmod(JUDGED.target[1], 10)),
        ):
            pretended.enter_context(mock.patch.object(where, name, value))
        answer.softmax(torch.empty(m, n, dtype=getattr(torch, dtype), device="cpu"))
