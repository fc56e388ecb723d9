"""Compiles the text of a CUDA kernel for the CPU and runs it in the worker; every access is checked and counted."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import random
import re

import numpy as np

from ..interpreter.ledger import Entry, Launch, Ledger
from ..sentence import fault, foreign, said
from ..spec import Unreadable
from ..spec.unstored import MARKS
from . import banks, report, tools

_libraries: dict[str, ctypes.CDLL | report.Stopped] = {}


class Tensor(ctypes.Structure):
    """The runtime's record of one tensor: `Tensor` in state.h."""

    _fields_ = [
        ("base", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("read", ctypes.c_int64), ("written", ctypes.c_int64),
        ("shared", ctypes.c_int64), ("owner", ctypes.c_void_p),
    ]  # fmt: skip


class Counts(ctypes.Structure):
    """The runtime's counts of one launch: `Counts` in state.h."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in (
            "barriers", "blocks_storing", "widest", "shuffles", "most_loads", "stored_again",
            "most_read", "narrow", "unstored", "thread", "block", "thread_steps", "warp_steps",
            "most_atomics", "most_shuffles",
        )
    ]  # fmt: skip


def launch(
    source: str, ledger: Ledger, grid: tuple[int, ...], order: str, args, function: str, threads: int, requests=False
) -> None:
    """Run one kernel of a CUDA source over `grid` blocks of `threads` threads.

    order: of the blocks, "forward", "reversed" or "shuffled". args: up to six torch tensors on the CPU and integers.
    requests: whether to enter the requests to shared memory into the ledger.
    Raises OutOfBounds for a wrong access or a race, report.Stopped for any other fault.
    """
    runtime, kernel = _runtime(), with_kernel(source, function)
    library = pathlib.Path(kernel._name).stem
    tensors = {}  # name -> tensor, in the order of the arguments
    given = []
    for name, arg in zip(parameters(source, function, len(args)), args):
        if hasattr(arg, "data_ptr"):
            given.append(runtime.cpu_tensor(len(tensors), arg.nbytes))
            tensors[name] = arg
            ctypes.memmove(_seen(runtime, tensors)[-1].base, arg.data_ptr(), arg.nbytes)
        else:
            given.append(arg)
    blocks = list(range(grid[0]))
    if order != "forward":
        blocks = blocks[::-1] if order == "reversed" else random.Random(len(blocks)).sample(blocks, len(blocks))
    watched = banks.watch(runtime, requests)
    stopped = runtime.cpu_launch(
        ctypes.cast(getattr(kernel, function), ctypes.c_void_p), ctypes.cast(kernel.cpu_anchor, ctypes.c_void_p),
        (ctypes.c_int64 * 6)(*given), len(blocks), threads, (ctypes.c_int * len(blocks))(*blocks),
    )  # fmt: skip
    _record(runtime, source, library, ledger, Launch(function, grid, {"threads": threads}, {}, {}), tensors)
    ledger.shared_requests += banks.requests(runtime, watched, lambda code: tools.line(library, code))
    if stopped:
        report.fail(report.Event.in_dll(runtime, "event"), source, library, list(tensors.items()))


def _record(runtime, source: str, library: str, ledger: Ledger, launch: Launch, tensors: dict) -> None:
    """Enter the runtime's counts into the ledger, and copy its memory back into the tensors."""
    counts = Counts.in_dll(runtime, "counts")
    names = "barriers shuffles most_loads stored_again most_read narrow thread_steps warp_steps"
    for name in [*names.split(), "most_atomics", "most_shuffles"]:
        launch.options[name] = getattr(counts, name)
    launch.options["loaded_back"] = 0  # elements read from tensors that the kernel also stores to
    launch.options["unstored"] = report.unstored(counts, source, library) if counts.unstored else ""
    launch.storing_programs = set(range(counts.blocks_storing))
    launch.widest = counts.widest // 4  # the widest access of a thread, in float32 elements
    ledger.begin_launch(launch)
    for seen, (name, tensor) in zip(_seen(runtime, tensors), tensors.items()):
        item = tensor.element_size()
        launch.shared += seen.shared
        launch.options["loaded_back"] += seen.read // item if seen.written else 0
        ledger.entries.append(Entry(launch.kernel, name, seen.read // item, seen.written // item, item))
        ctypes.memmove(tensor.data_ptr(), seen.base, seen.bytes)
        if seen.written:
            _mark_computed(tensor, seen.owner)


def _mark_computed(tensor, owner: int) -> None:
    """Give elements that were stored, and still have the first mark of unstored memory, the second one.

    By NumPy, because operations of PyTorch would be counted.
    """
    integers, never, loaded = MARKS.get(str(tensor.dtype).removeprefix("torch."), ("", 0, 0))
    if integers == "int32":
        place = ctypes.c_int32 * tensor.numel()
        bits, owners = (np.frombuffer(place.from_address(at), np.int32) for at in (tensor.data_ptr(), owner))
        bits[(owners >= 0) & (bits == never)] = loaded


def _seen(runtime, tensors: dict):
    return (Tensor * len(tensors)).in_dll(runtime, "tensors")


def parameters(source: str, function: str, count: int) -> list[str]:
    """The names of the first `count` parameters of a kernel; "argument i" where the text has fewer."""
    found = re.search(rf"\b{re.escape(function)}\s*\(([^)]*)\)", source)
    names = [p.split()[-1].strip("*&") for p in found[1].split(",") if p.split()] if found else []
    return names[:count] + [said("argument {i}", i=i) for i in range(len(names), count)]


def with_kernel(source: str, function: str) -> ctypes.CDLL:
    """The compiled library of a CUDA source that has this kernel. Raises report.Stopped."""
    _runtime()  # whose functions the library calls
    library = compiled(source)
    if not hasattr(library, function):
        raise report.no_kernel(function)
    return library


def compiled(source: str) -> ctypes.CDLL:
    """The compiled library of a CUDA source, cached by its text. Raises report.Stopped where it does not compile."""
    if not isinstance(source, str):
        kind = source.kind if isinstance(source, Unreadable) else type(source).__name__
        raise report.Stopped(
            fault("no-text", "the text of a kernel was expected, not an object of the type {kind}", kind=kind)
        )
    source = report.without_includes(source)
    if source not in _libraries:
        _libraries[source] = _built(f"kernel{len(_libraries)}", source)
    library = _libraries[source]
    if isinstance(library, report.Stopped):
        raise library.with_traceback(None)
    return library


def _built(name: str, source: str) -> ctypes.CDLL | report.Stopped:
    output = tools.build(name, source)
    if output:
        return report.refused(output, source)
    try:
        return _loaded(os.path.abspath(f"{name}.so"))
    except OSError:
        return report.Stopped(said("the compiler refuses the kernel: it cannot be loaded"))


def _loaded(path: str, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """Raises tools.Unavailable where the machine refuses to load any library, otherwise OSError."""
    try:
        return ctypes.CDLL(path, mode)
    except OSError as error:
        if not foreign.is_a(str(error), "not-mapped"):
            raise
        raise tools.Unavailable(
            said(
                "what g++ compiled cannot be loaded: is the folder for temporary files (TMPDIR) mounted noexec? "
                "({error})",
                error=error,
            )
        ) from None


@functools.cache
def _runtime() -> ctypes.CDLL:
    """The library that runs kernels. If the worker has not prepared one, it is compiled here, which takes 0.2 s."""
    path, output = tools.runtime()
    if output:
        raise tools.Unavailable(
            said("g++ does not compile what runs the kernels: {splitlines}", splitlines=output.splitlines()[0])
        )
    # RTLD_GLOBAL: the libraries of kernels call functions of this one.
    library = _loaded(path, ctypes.RTLD_GLOBAL)
    library.cpu_tensor.restype = ctypes.c_void_p
    library.cpu_tensor.argtypes = ctypes.c_int, ctypes.c_int64
    return library
