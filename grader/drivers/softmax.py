"""Shuts the softmax that the course ships, and its choice of a kernel: the answer is to have one of its own."""

from grader.fast import pick as _pick


def _shut(*args, **kwargs):
    raise RuntimeError("this is the course's own softmax, or its choice of a kernel")


# Their code is replaced, since an answer may have imported them by name. The shipped softmax ends in pick.launch.
_pick.launch.__code__ = _pick.route.__code__ = _shut.__code__
