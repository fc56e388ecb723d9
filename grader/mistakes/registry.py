"""Every mistake that a check can name, by id."""

from __future__ import annotations

from . import (
    anywhere,
    attention,
    kernels,
    lesson_02,
    lesson_03,
    lesson_06,
    lesson_07,
    lesson_08,
    lesson_10,
    lesson_11,
    lesson_12,
    lesson_12_kernels,
    lesson_14,
    splits,
    triton,
)
from .mistake import Mistake
from .softmax import texts

_ALL = (
    anywhere, texts, kernels, triton, lesson_02, lesson_03, lesson_06, lesson_07, lesson_08, splits, lesson_10,
    lesson_11, lesson_12, lesson_12_kernels, attention, lesson_14,
)  # fmt: skip
MISTAKES: dict[str, Mistake] = {mistake.id: mistake for part in _ALL for mistake in part.MISTAKES}
