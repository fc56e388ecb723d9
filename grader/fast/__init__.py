"""The softmax that the course ends with, for people who only want the kernel: `from grader.fast import softmax`.

Runs in: whatever imports it: it is public.
May import: root.
Start reading: softmax.py, then pick.py (which kernel for which shape).
"""

from .softmax import softmax

__all__ = ["softmax"]
