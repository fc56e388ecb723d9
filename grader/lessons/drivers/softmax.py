"""Shuts the softmax that the course ships, and its choice of a kernel: the answer is to have one of its own.

And asks that one for its choice on a GPU that is not there.
"""

import contextlib as _contextlib
from unittest import mock as _mock

import answer as _answer
import torch as _torch

from grader.fast import launchers as _launchers
from grader.fast import pick as _pick
from grader.interpreter import instead_of_running as _instead_of_running

_MULTIPROCESSORS = 132


def _shut(*args, **kwargs):
    raise RuntimeError("this is the course's own softmax, or its choice of a kernel")


# Their code is replaced, since an answer may have imported them by name. The shipped softmax ends in pick.launch.
_pick.launch.__code__ = _pick.route.__code__ = _shut.__code__


def check_choice(m, n, dtype):
    """The kernels that softmax launches for an M×N matrix where they are compiled for an NVIDIA GPU. None runs.

    A kernel that is not the course's has the name "own".
    """
    names = []

    def tell(kernel):
        shipped = kernel.__module__.startswith("grader.fast")
        names.append(kernel.__name__ if shipped else "own")

    with _contextlib.ExitStack() as pretended:
        for where, name, value in (
            (_launchers, "on_nvidia", lambda x: True),
            (_pick, "on_nvidia", lambda x: True),
            (_launchers, "_multiprocessors", lambda device: _MULTIPROCESSORS),
            (_torch.cuda, "get_device_capability", lambda device=None: (9, 0)),
        ):
            pretended.enter_context(_mock.patch.object(where, name, value))
        pretended.enter_context(_instead_of_running(tell))
        _answer.softmax(_torch.empty(m, n, dtype=getattr(_torch, dtype)))
    return list(dict.fromkeys(names))
