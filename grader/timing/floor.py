"""The floor: the time below which the bytes that an exercise has to move cannot have moved.

A copy is none: PyTorch's own copy of many short rows is slower than honest kernels. The peak of the card's memory is.
"""

from __future__ import annotations

from ..gpus import GPUS, Gpu
from ..spec import Card

# What a card may move beyond the copy that was measured: a card without a record may have a slow copy, and one with a
# record may be a newer model of the same name.
_UNKNOWN, _KNOWN = 1.25, 1.1


def record_of(name: str) -> Gpu | None:
    """The record of a card that PyTorch calls so, such as "NVIDIA H200" or "Tesla T4"; None for one without."""
    words = name.replace("-", " ").split()
    found = [gpu for gpu in GPUS.values() if all(word in words for word in gpu.name.split())]
    return max(found, key=lambda gpu: len(gpu.name), default=None)


def peak(name: str, copied: float) -> tuple[float, bool]:
    """(bytes/s that no kernel can exceed, whether they are those of a data sheet).

    name: of the card. copied: bytes/s of a large copy on it, read and written.
    """
    gpu = record_of(name)
    if gpu is None or gpu.bandwidth is None:
        return _UNKNOWN * copied, False
    return max(gpu.bandwidth, _KNOWN * copied), gpu.bandwidth >= _KNOWN * copied


def microseconds(read: int, written: int, card: Card) -> float:
    """The least time for so many bytes. Those written last may still be in the cache when the clock stops."""
    return 0.0 if not card.peak else 1e6 * (read + max(0, written - card.l2)) / card.peak
