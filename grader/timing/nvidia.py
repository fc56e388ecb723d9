"""What only NVIDIA's driver knows: lines of the cache that were told to stay, and why a clock is slow.

Both libraries belong to the driver. Where one is missing, nothing is said.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pathlib

from ..sentence import Said, said

# NVML API Reference, nvmlClocksEventReasons: power cap, hardware slowdown, heat (software and hardware), power brake.
_SLOWED = {
    0x04: said("its power limit"),
    0x08: said("its hardware"),
    0x20: said("its temperature"),
    0x40: said("its temperature"),
    0x80: said("its power supply"),
}
_MOST = 64  # processes to count


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("memory", ctypes.c_ulonglong),
        ("gpu", ctypes.c_uint),
        ("compute", ctypes.c_uint),
    ]


@functools.cache
def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def empty_kept_lines() -> None:
    """Let the L2 cache forget which lines were to stay (CUDA Driver API, cuCtxResetPersistingL2Cache)."""
    driver = _library("libcuda.so.1")
    if driver is not None and hasattr(driver, "cuCtxResetPersistingL2Cache"):
        driver.cuCtxResetPersistingL2Cache()


def _ancestors() -> set[int]:
    """This process and those that started it: a notebook, which waits while its answer races."""
    found, pid = set(), os.getpid()
    while pid > 1 and pid not in found:
        found.add(pid)
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = pathlib.Path("/proc", str(pid), "status").read_text().splitlines()
            pid = next(int(line.split()[1]) for line in lines if line.startswith("PPid:"))
    return found


class Watch:
    """NVML's view of one card. uuid: of the card, as PyTorch has it. others: processes that use it too."""

    def __init__(self, uuid: str):
        self._library = _library("libnvidia-ml.so.1")
        self._handle = ctypes.c_void_p()
        self._slowed = 0
        self.others = 0
        found = False
        if self._library is not None:
            with contextlib.suppress(AttributeError):
                found = self._library.nvmlInit_v2() == 0 and not self._library.nvmlDeviceGetHandleByUUID(
                    f"GPU-{uuid.removeprefix('GPU-')}".encode(), ctypes.byref(self._handle)
                )
        self._found = found

    def look(self) -> None:
        """Take note of what slows the clock now, and of other processes that compute on the card."""
        if not self._found:
            return
        reasons = ctypes.c_ulonglong()
        for name in ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"):
            ask = getattr(self._library, name, None)
            if ask is not None and ask(self._handle, ctypes.byref(reasons)) == 0:
                self._slowed |= reasons.value
                break
        ask = getattr(self._library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        count, room = ctypes.c_uint(_MOST), (_Process * _MOST)()
        if ask is not None and ask(self._handle, ctypes.byref(count), ctypes.byref(room)) == 0:
            found = {each.pid for each in room[: count.value]}
            if os.getpid() in found:  # in a container, the numbers are those of the machine, and nobody is known
                self.others = max(self.others, len(found - _ancestors()))

    def notes(self) -> tuple[Said, ...]:
        """Sentences about what `look` saw."""
        found = [
            said("the card slowed its clock down: {why}", why=why) for bit, why in _SLOWED.items() if self._slowed & bit
        ]
        if self.others > 0:
            found.append(
                said("other processes have this card open too ({count}): times may be longer", count=self.others)
            )
        return tuple(dict.fromkeys(found))
