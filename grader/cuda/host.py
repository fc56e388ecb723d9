"""Compiles the text of a CUDA kernel for the CPU and runs it in the worker; every access is checked and counted."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import random
import re
import zlib

import numpy as np

from ..interpreter.ledger import Entry, Launch, Ledger
from ..sentence import fault, foreign, said
from ..spec import Call, Unreadable
from ..spec.unstored import MARKS
from . import banks, functions, headers, kernel_text, readers, report, tools

_texts: dict[tuple[str, int], str | report.Stopped] = {}
_libraries: dict[str, ctypes.CDLL | report.Stopped] = {}
_MOST_TEXTS = 6  # that compilers make of one source: each costs half a second
_ABOVE = 0x5EAF00D  # bits
_UNSTORED = (0, 0), (0x7F800000, 0x7FC00000)  # what many GPUs have there; inf and NaN, because fmaxf ignores NaN


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
            "most_atomics", "most_shuffles", "clocks", "atomics",
        )
    ]  # fmt: skip


class Open(ctypes.Structure):
    """What CUDA leaves open, for one launch: `Open` in state.h."""

    _fields_ = [
        ("unstored", ctypes.c_uint32 * 2),
        ("clock", ctypes.c_int64),
        ("pace", ctypes.c_int64),
        ("order", ctypes.c_int64),
    ]


def launch(source: str, ledger: Ledger, call: Call) -> None:
    """Run the kernel that a call asks for; source: the text with it.

    Raises OutOfBounds for a wrong access or a race, report.Stopped for any other fault.
    """
    grid, args, function, threads = call.grid, call.args, call.kwargs["function"], call.kwargs["threads"]
    number = _drawn(args) * 2 + call.poison
    reader = _reader(source, number)
    runtime, kernel = _runtime(), with_kernel(source, function, reader)
    _keep_bounds(kernel, function, threads)
    _keep_parameters(source, function, reader, args)
    library = pathlib.Path(kernel._name).stem
    _leave_open(Open.in_dll(runtime, "open_to"), number)
    tensors = {}  # name -> tensor, in the order of the arguments
    given = []
    for name, arg in zip(parameters(source, function, len(args)), args):
        if hasattr(arg, "data_ptr"):
            given.append(runtime.cpu_tensor(len(tensors), arg.nbytes))
            tensors[name] = arg
            ctypes.memmove(_seen(runtime, tensors)[-1].base, arg.data_ptr(), arg.nbytes)
        else:
            given.append(_integer(arg))
    blocks = list(range(grid[0]))
    if call.order != "forward":
        blocks = blocks[::-1] if call.order == "reversed" else random.Random(len(blocks)).sample(blocks, len(blocks))
    watched = banks.watch(runtime, call.requests)
    stopped = runtime.cpu_launch(
        ctypes.cast(getattr(kernel, function), ctypes.c_void_p), ctypes.cast(kernel.cpu_anchor, ctypes.c_void_p),
        (ctypes.c_int64 * 6)(*given, *[_integer(0)] * (6 - len(given))), len(blocks), threads,
        (ctypes.c_int * len(blocks))(*blocks),
    )  # fmt: skip
    record = Launch(function, grid, {"threads": threads}, {}, {})
    record.options["reader"] = readers.named(reader) if _depends(source, reader) else ""
    _record(runtime, source, library, ledger, record, tensors)
    ledger.shared_requests += banks.requests(runtime, watched, lambda code: tools.line(library, code))
    if stopped:
        report.fail(report.Event.in_dll(runtime, "event"), source, library, list(tensors.items()))


def _integer(number: int) -> int:
    """A register with an integer of 32 bits. What lies in its other half is open: a launch passes 32 bits."""
    return _ABOVE << 32 | number & 0xFFFFFFFF


def _keep_bounds(kernel: ctypes.CDLL, function: str, threads: int) -> None:
    """Raise report.Stopped where a kernel says that its blocks have fewer threads: a GPU refuses the launch."""
    try:
        most = ctypes.c_int.in_dll(kernel, functions.MOST_THREADS + function).value
    except ValueError:  # it says nothing
        return
    if threads > most:
        raise report.Stopped(
            said(
                "the kernel says that a block has {most} threads at most, and it is launched with {threads}",
                most=most,
                threads=threads,
            )
        )


def _keep_parameters(source: str, function: str, reader: int, args) -> None:
    """Raise report.Stopped where a kernel takes other arguments than those of the launch, as far as its text tells."""
    text = _read(headers.left_out(source), reader)
    taken = functions.parameters(kernel_text.words(text), function) if isinstance(text, str) else None
    if taken is None:
        return
    if len(taken) != len(args):
        raise report.Stopped(
            said("the kernel has {taken} parameters, and a launch gives it {given}", taken=len(taken), given=len(args))
        )
    for words, arg in zip(taken, args):
        if not hasattr(arg, "data_ptr") and not functions.is_an_int(words):
            raise report.Stopped(
                said(
                    "the kernel's parameter is `{parameter}`, and it is launched with an integer of 32 bits",
                    parameter=" ".join(words),
                )
            )


def _record(runtime, source: str, library: str, ledger: Ledger, launch: Launch, tensors: dict) -> None:
    """Enter the runtime's counts into the ledger, and copy its memory back into the tensors."""
    counts = Counts.in_dll(runtime, "counts")
    names = "barriers shuffles most_loads stored_again most_read narrow thread_steps warp_steps"
    for name in [*names.split(), "most_atomics", "most_shuffles", "clocks"]:
        launch.options[name] = getattr(counts, name)
    ways = counts.unstored, counts.clocks, launch.options["reader"], counts.atomics > 1
    launch.open = int(any(ways))
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
    """The names of the first `count` parameters of a kernel; "argument i" where the text has fewer, or equal ones."""
    taken = rf"\b{re.escape(function)}\s*\(([^)]*)\)"
    found = re.search(taken + r"\s*\{", source) or re.search(taken, source)
    names = [p.split()[-1].strip("*&") for p in found[1].split(",") if p.split()] if found else []
    names = names if len(set(names)) == len(names) else []
    return names[:count] + [said("argument {i}", i=i) for i in range(len(names), count)]


def _leave_open(it: Open, number: int) -> None:
    """Draw what CUDA leaves open."""
    drawn = random.Random(number)
    it.unstored[:] = _UNSTORED[number % 2]
    # A clock counts from the start of the GPU. Nobody knows how far it is, nor what lies between two readings.
    it.clock, it.pace = (int(2.0 ** drawn.uniform(0, most)) for most in (60, 20))
    it.order = 0 if number % 2 else 1 + number // 2  # messages tell of the first threads first


def _drawn(args) -> int:
    """A number that the numbers of the tensors draw."""
    return zlib.crc32(
        b"".join(ctypes.string_at(arg.data_ptr(), arg.nbytes) for arg in args if hasattr(arg, "data_ptr"))
    )


def with_kernel(source: str, function: str, reader: int) -> ctypes.CDLL:
    """The library of a CUDA source that has this kernel, as a compiler reads it. Raises report.Stopped.

    reader: the number of the compiler, as in readers.arguments.
    """
    _runtime()  # whose functions the library calls
    library = _compiled(source, reader)
    if not hasattr(library, function):
        raise report.no_kernel(function)
    return library


def _reader(source, number: int) -> int:
    """The compiler that reads a source for a launch: `number`, or one before where many have read another text each.

    It is always the same where the source does not ask.
    """
    if not isinstance(source, str) or not kernel_text.asks(source := headers.left_out(source)):
        return 0
    before = {text: reader for (of, reader), text in _texts.items() if of == source and text in _libraries}
    if len(before) < _MOST_TEXTS or _read(source, number) in before:
        return number
    return list(before.values())[number % len(before)]


def _depends(source: str, reader: int) -> bool:
    """Whether another compiler reads another text."""
    source = headers.left_out(source)
    return kernel_text.asks(source) and _read(source, reader) != _read(source, reader ^ 1)


def _read(source: str, reader: int) -> str | report.Stopped:
    if (source, reader) not in _texts:
        text, output = tools.read(source, reader)
        _texts[source, reader] = report.refused(output, source) if output else text
    return _texts[source, reader]


def _compiled(source: str, reader: int) -> ctypes.CDLL:
    """The compiled library of a CUDA source, cached by its text. Raises report.Stopped where it does not compile."""
    if not isinstance(source, str):
        kind = source.kind if isinstance(source, Unreadable) else type(source).__name__
        raise report.Stopped(
            fault("no-text", "the text of a kernel was expected, not an object of the type {kind}", kind=kind)
        )
    source = headers.left_out(source)
    library = text = _read(source, reader)
    if isinstance(text, str):
        if text not in _libraries:
            _libraries[text] = _built(f"kernel{len(_libraries)}", text, source)
        library = _libraries[text]
    if isinstance(library, report.Stopped):
        raise library.with_traceback(None)
    return library


def _built(name: str, text: str, source: str) -> ctypes.CDLL | report.Stopped:
    output = tools.build(name, text)
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
