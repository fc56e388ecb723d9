"""The softmax that the course ends with, for people who only want the kernel: `from grader.fast import softmax`."""

from .softmax import softmax

__all__ = ["softmax"]
