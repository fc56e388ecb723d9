"""The worker's side: compile the text of a CUDA kernel for the CPU, run it with every access watched, count."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import random
import re

from ..interpreter.ledger import Entry, Launch, Ledger
from . import report, tools

_libraries: dict[str, ctypes.CDLL] = {}


class Tensor(ctypes.Structure):
    """What the runtime knows of one tensor."""

    _fields_ = [
        ("base", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("read", ctypes.c_int64), ("written", ctypes.c_int64),
        ("shared", ctypes.c_int64), ("owner", ctypes.c_void_p),
    ]  # fmt: skip


class Counts(ctypes.Structure):
    """What the runtime counted in one launch."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "barriers", "warp_operations", "blocks_storing", "widest", "most_loads", "stored_again",
            "unstored", "thread", "block",
        )
    ]  # fmt: skip


def launch(source: str, ledger: Ledger, grid: tuple[int, ...], order: str, args, function: str, threads: int) -> None:
    """Run one kernel of a CUDA source over `grid` blocks of `threads` threads, on torch tensors and integers.

    Raises memory.OutOfBounds or report.Stopped where the kernel does what no kernel may.
    """
    runtime, kernel = _runtime(), compiled(source)
    library = pathlib.Path(kernel._name).stem
    if not hasattr(kernel, function):
        first = f'extern "C" __global__ void {function}(...)'
        raise report.Stopped(f"there is no kernel {function}: its first line is {first}")
    tensors = {}  # name -> tensor, in the order of the arguments
    given = []
    for name, arg in zip(parameters(source, function, len(args)), args):
        if hasattr(arg, "data_ptr"):
            given.append(runtime.cpu_tensor(len(tensors), arg.nbytes))
            ctypes.memmove(given[-1], arg.data_ptr(), arg.nbytes)
            tensors[name] = arg
        else:
            given.append(arg)
    blocks = list(range(grid[0]))
    if order != "forward":
        blocks = blocks[::-1] if order == "reversed" else random.Random(len(blocks)).sample(blocks, len(blocks))
    stopped = runtime.cpu_launch(
        ctypes.cast(getattr(kernel, function), ctypes.c_void_p), ctypes.cast(kernel.cpu_anchor, ctypes.c_void_p),
        (ctypes.c_int64 * 6)(*given), len(blocks), threads, (ctypes.c_int * len(blocks))(*blocks),
    )  # fmt: skip
    _record(runtime, source, library, ledger, Launch(function, grid, {"threads": threads}, {}, {}), tensors)
    if stopped:
        report.fail(report.Event.in_dll(runtime, "event"), source, library, list(tensors.items()))


def _record(runtime, source: str, library: str, ledger: Ledger, launch: Launch, tensors: dict) -> None:
    """Keep what the runtime counted, and copy what the kernel stored back into the tensors."""
    counts = Counts.in_dll(runtime, "counts")
    for name in ("barriers", "warp_operations", "most_loads", "stored_again"):
        launch.options[name] = getattr(counts, name)
    launch.options["loaded_back"] = 0  # elements of tensors that the kernel stores to
    launch.options["unstored"] = report.unstored(counts, source, library) if counts.unstored else ""
    launch.storing_programs = set(range(counts.blocks_storing))
    launch.widest = counts.widest // 4  # one thread's widest access, in float32
    ledger.begin_launch(launch)
    for seen, (name, tensor) in zip((Tensor * len(tensors)).in_dll(runtime, "tensors"), tensors.items()):
        item = tensor.element_size()
        launch.shared += seen.shared
        launch.options["loaded_back"] += seen.read // item if seen.written else 0
        ledger.entries.append(Entry(launch.kernel, name, seen.read // item, seen.written // item, item))
        ctypes.memmove(tensor.data_ptr(), seen.base, seen.bytes)


def parameters(source: str, function: str, count: int) -> list[str]:
    """The names of a kernel's parameters; made-up ones where the text names fewer of them."""
    found = re.search(rf"\b{re.escape(function)}\s*\(([^)]*)\)", source)
    names = [p.split()[-1].strip("*&") for p in found[1].split(",") if p.split()] if found else []
    return names[:count] + [f"argument {i}" for i in range(len(names), count)]


def compiled(source: str) -> ctypes.CDLL:
    """The library that a CUDA source makes. Raises report.Stopped with the first thing that the compiler objects to."""
    if not isinstance(source, str):
        raise report.Stopped(f"the text of a kernel was expected, not a {type(source).__name__}")
    source = report.without_includes(source)
    if source not in _libraries:
        name = f"kernel{len(_libraries)}"
        said = tools.build(name, source)
        if said:
            raise report.refused(said, source)
        try:
            _libraries[source] = ctypes.CDLL(os.path.abspath(f"{name}.so"))
        except OSError:
            raise report.Stopped("the compiler refuses the kernel: a function is declared and never defined") from None
    return _libraries[source]


@functools.cache
def _runtime() -> ctypes.CDLL:
    """What runs kernels. Where it is not there yet it is compiled, which takes a fifth of a second."""
    path, said = tools.runtime()
    if said:
        raise report.Stopped(f"g++ does not compile what runs the kernels: {said.splitlines()[0]}")
    # Global: kernels find in it what they call.
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    library.cpu_tensor.restype = ctypes.c_void_p
    library.cpu_tensor.argtypes = ctypes.c_int, ctypes.c_int64
    return library
