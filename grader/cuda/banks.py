"""The requests of warps to shared memory, and their ways, from the addresses of a launch.

The runtime keeps each access of the thread block that runs first. Threads of a warp run in step on a GPU. So the
accesses of one instruction are one request if the threads have met equally often, and have run the instruction equally
often since. Atomics are left out: a GPU serves them one by one.
"""

from __future__ import annotations

import ctypes
from collections import Counter, defaultdict
from collections.abc import Callable

from ..spec import SharedRequests
from ..spec.requests import BANK_WIDTH, BANKS, WARP

_MOST = 1 << 18  # accesses
_NAMES = {0: "load", 1: "store"}  # Access in state.h


class Watched(ctypes.Structure):
    """The runtime's record of one access: `Watched` in state.h."""

    _fields_ = [
        ("code", ctypes.c_uint64), ("offset", ctypes.c_int64), ("thread", ctypes.c_int32), ("size", ctypes.c_int32),
        ("access", ctypes.c_int32), ("clock", ctypes.c_uint32),
    ]  # fmt: skip


def watch(runtime: ctypes.CDLL, wanted: bool):
    """Make the runtime keep the accesses of the next launch. Returns the place of the records, None if not wanted."""
    room = (Watched * _MOST)() if wanted else None
    ctypes.c_void_p.in_dll(runtime, "watched").value = ctypes.addressof(room) if wanted else None
    ctypes.c_int64.in_dll(runtime, "most_watched").value = _MOST
    return room


def requests(runtime: ctypes.CDLL, records, line_of: Callable[[int], int]) -> list[SharedRequests]:
    """The requests of the last launch, by line of the kernel. records: of `watch`. line_of: line of an instruction."""
    if records is None:
        return []
    kept = records[: ctypes.c_int64.in_dll(runtime, "n_watched").value]
    begin = min((each.offset for each in kept), default=0)
    turns, grouped = Counter(), defaultdict(list)
    for each in kept:
        if each.access in _NAMES:
            turn = each.thread, each.clock, each.code
            grouped[each.code, each.thread // WARP, each.clock, turns[turn], each.access, each.size].append(
                (each.thread, each.offset - begin)
            )
            turns[turn] += 1
    lines = {code: line_of(code) for code in dict.fromkeys(code for code, *_ in grouped)}
    found: dict[tuple, SharedRequests] = {}
    for (code, _, _, _, access, size), places in grouped.items():
        key = lines[code], access, size
        entry = found.setdefault(key, SharedRequests(lines[code], _NAMES[access], size, 0, 0, 0, []))
        most, shown = ways(places, size)
        entry.requests += 1
        entry.ways += most
        if most > entry.most:
            entry.most, entry.shown = most, shown
    return [found[key] for key in sorted(found)]


def ways(places: list[tuple[int, int]], size: int) -> tuple[int, list[tuple[int, int, int]]]:
    """(ways of a request, its accesses as in SharedRequests.shown). places: (thread, byte) pairs. size: of a thread.

    A bank serves one word at a time, to all threads that ask for it. The ways are the most words that one bank has to
    serve (CUDA C++ Programming Guide, "Shared Memory"). A request of 8 bytes per thread is served in halves, one of 16
    in quarters: no bank can serve two words at once, and these are not conflicts.
    """
    part_of = WARP * BANK_WIDTH // max(size, BANK_WIDTH)
    queues = defaultdict(lambda: defaultdict(list))  # by part and bank: its words
    asked = []
    for thread, byte in places:
        for word in range(byte // BANK_WIDTH, (byte + size - 1) // BANK_WIDTH + 1):
            part = thread % WARP // part_of
            queue = queues[part][word % BANKS]
            if word not in queue:
                queue.append(word)
            asked.append((thread, word, part, queue.index(word)))
    longest = {part: max(map(len, banks.values())) for part, banks in queues.items()}
    begins = {part: sum(n for before, n in longest.items() if before < part) for part in longest}
    return max(longest.values()), [(thread, word, begins[part] + at) for thread, word, part, at in asked]
