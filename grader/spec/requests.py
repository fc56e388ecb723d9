"""Requests of warps: what 32 threads that run one load or store together ask of memory. For traces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

SECTOR = 32  # bytes: the unit in which a GPU of NVIDIA fetches memory
WARP = 32  # threads
BANKS = 32  # of shared memory
BANK_WIDTH = 4  # bytes


@dataclass
class MemoryRequests:
    """The requests of one launch to one tensor: all its loads, or all its stores.

    launch: number of the launch, from 1. itemsize: bytes of an element. sectors: that all requests touch. least:
    sectors that would hold the same bytes. program, shown: the first request with the most sectors, as (lane of the
    block, byte from the beginning of the tensor's storage) pairs.
    """

    kernel: str
    launch: int
    grid: list[int]
    tensor: str
    op: Literal["load", "store"]
    itemsize: int
    requests: int = 0
    sectors: int = 0
    least: int = 0
    program: int = 0
    shown: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class SharedRequests:
    """The loads, or the stores, of one line of a CUDA kernel to shared memory, by the thread block that ran first.

    line: of the kernel's text, 0 where unknown. size: bytes of each thread. ways: of all requests, added up. most: ways
    of the worst request. shown: the first request with that many ways, as (thread of the block, word, turn): a word is
    4 bytes, counted from the first that the kernel touches, and the word w is in bank w % 32. Turns count from 0.
    """

    line: int
    op: Literal["load", "store"]
    size: int
    requests: int
    ways: int
    most: int
    shown: list[tuple[int, int, int]]
