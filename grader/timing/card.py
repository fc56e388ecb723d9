"""The GPU of a race: memory at places of its own, graphs of orders, events behind an empty cache."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import torch

from .. import environment, spec
from ..cuda import device
from ..sentence import Said, message, said
from . import floor, nvidia

Made = Callable[[torch.Tensor, str], object]  # gets a tensor that an order made, and the operator's name
Results = torch.Tensor | tuple[torch.Tensor, ...]  # of a function with one result, and of one with several
Play = Callable[[Made], Results]  # gives the orders; calls Made for each tensor that one makes
Launched = Callable[[tuple[int, ...], int, Sequence], None]  # launches a kernel: grid, threads of a block, arguments


class Replay(Protocol):
    """Orders that can be given again. way: as in a Lap. why: there is no graph. result: of the last run."""

    way: spec.Way
    why: Said | None
    result: Results

    def run(self) -> None:
        """Give the orders."""

    def poison(self, generator: torch.Generator) -> None:
        """Fill all memory that the orders use, and that of the inputs, with bytes that are no result.

        The first time they are no numbers, and then drawn: an order may not begin with what it knows to be there.
        """


_POISON = 0xFF  # of all bytes: no number in any dtype of floating-point numbers
_LEAST_LINES = 1 << 28  # bytes that are read to empty the cache: what is written there leaves it during a run
_ALIGNED, _PLACES = 256, 64  # bytes; inputs begin at one of so many multiples of it
_HIDDEN = 150.0  # µs that the card is busy while Python launches: longer than it takes for a graph
_REST = 0.002  # seconds without work, which a sleeping card does not have: after work, some runs take 1.5 µs longer
_LONGER = 64  # times that, at most, for orders that are given one by one
_LARGE, _COPIES = 1 << 28, 7  # bytes; copies of them, of which the fastest counts
_TUNING = 12  # runs of each configuration


class Cuda:
    """The first GPU that PyTorch finds. Only the course's own text and admitted kernels run in this process."""

    def __init__(self):
        properties = torch.cuda.get_device_properties(0)
        self.device, self._name, self._l2 = torch.device("cuda:0"), properties.name, properties.L2_cache_size
        self.multiprocessors, self.capability = properties.multi_processor_count, (properties.major, properties.minor)
        self._lines = torch.zeros(max(_LEAST_LINES, 4 * self._l2) // 4, device=self.device)
        self._watch = nvidia.Watch(str(getattr(properties, "uuid", "")))
        self._cycles = self._cycles_of(_HIDDEN)
        self._most_cycles = _LONGER * self._cycles
        self._peak = self._measured_peak()  # now: after an error of a kernel, CUDA does nothing more in this process
        environment.give_memory_to_kernels()

    def record(self) -> spec.Card:
        """The card for the rows of a race."""
        self._watch.look()
        notes = self._watch.notes()
        peak, known = self._peak
        if not known:
            notes += (
                said("nobody recorded the peak of this card's memory: its largest copy, and more, stands for it"),
            )
        return spec.Card(self._name, peak, self._l2, notes)

    def _measured_peak(self) -> tuple[float, bool]:
        source = torch.empty(_LARGE, dtype=torch.int8, device=self.device)
        target = torch.empty_like(source)
        return floor.peak(
            self._name, 2e6 * _LARGE / min(self.time(lambda: target.copy_(source))[0] for _ in range(_COPIES))
        )

    def blank(self, shape: tuple[int, ...], dtype: torch.dtype, place: int) -> torch.Tensor:
        """A contiguous tensor in new memory. place: where it begins in it; all of them suit the widest loads."""
        size, step = math.prod(shape), _ALIGNED // dtype.itemsize
        memory = torch.empty(size + _PLACES * step, dtype=dtype, device=self.device)
        return memory[place % _PLACES * step :][:size].view(shape)

    def generator(self, seed: int) -> torch.Generator:
        """A new random generator of this card."""
        return torch.Generator(self.device).manual_seed(seed)

    def prepared(self, play: Play, inputs: Sequence[torch.Tensor]) -> Replay:
        """The orders as a graph; where the card cannot capture them, as they are. inputs: of the orders."""
        used = _Used()
        for each in inputs:
            used.note(each, "")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            play(_nothing)
        torch.cuda.synchronize()
        try:
            return _Graph(play, used)
        except RuntimeError as error:
            torch.cuda.synchronize()
            return _OneByOne(
                play, used, said("the orders cannot be captured as one graph: {error}", error=_first_line(error))
            )

    def time(self, run: Callable[[], object]) -> tuple[float, bool]:
        """(microseconds of the card for one run with an empty cache, whether Python was ahead of the card).

        The card rests, and then sleeps while Python gives the orders. Where it was done before Python, it may have
        waited for an order; it sleeps longer from then on.
        """
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        nvidia.empty_kept_lines()
        self._lines.sum()
        torch.cuda.synchronize()
        time.sleep(_REST)
        torch.cuda._sleep(self._cycles)
        begin.record()
        run()
        end.record()
        ahead = not begin.query()
        end.synchronize()
        if not ahead:
            self._cycles = min(2 * self._cycles, self._most_cycles)
        return 1000 * begin.elapsed_time(end), ahead

    def tune(self, runs: list[Callable[[], object]], tensors: list[torch.Tensor]) -> tuple[int, float]:
        """(place of the fastest run, seconds that it took to find it). tensors: are put back as they were.

        Raises the error of the last run if all of them fail.
        """
        began, kept = time.perf_counter(), [tensor.clone() for tensor in tensors]
        took: list[float] = []
        failed: Exception | None = None
        for run in runs:
            try:
                run()
                took.append(min(self.time(run)[0] for _ in range(_TUNING)))
            except Exception as error:  # a configuration that this card does not take
                failed = error
                took.append(math.inf)
        for tensor, before in zip(tensors, kept):
            tensor.copy_(before)
        torch.cuda.synchronize()
        if failed is not None and min(took) == math.inf:
            raise failed
        return took.index(min(took)), time.perf_counter() - began

    def cuda(self, source: str, function: str) -> Launched:
        """A kernel of a text in CUDA C++. Raises cuda.report.Stopped for one that NVRTC refuses."""
        return device.kernel(source, function)

    def look(self) -> None:
        """See whether the clock is slow, while the card works."""
        self._watch.look()

    def _cycles_of(self, microseconds: float) -> int:
        probe = 1_000_000
        torch.cuda._sleep(probe)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        torch.cuda._sleep(probe)
        end.record()
        end.synchronize()
        return int(probe * microseconds / (1000 * begin.elapsed_time(end)))


def _nothing(tensor: torch.Tensor, name: str) -> None:
    pass


class _Used:
    """The memory of inputs, and that orders make tensors in. Its pool holds it, also what was freed."""

    def __init__(self):
        self._places: dict[int, int] = {}  # bytes by address
        self._filled: list[torch.Tensor] | None = None
        self._first = True

    def note(self, tensor: torch.Tensor, name: str) -> None:
        storage = tensor.untyped_storage()
        self._places[storage.data_ptr()] = max(storage.nbytes(), self._places.get(storage.data_ptr(), 0))
        self._filled = None

    def fill(self, generator: torch.Generator) -> None:
        if self._filled is None:
            places = [place for place in self._places.items() if all(place)]
            self._filled = [torch.as_tensor(_Bytes(*place), device="cuda") for place in places]
        for memory in self._filled:
            memory.fill_(_POISON) if self._first else memory.random_(0, 256, generator=generator)
        self._first = False


class _Bytes:
    """Memory of the card by its address, as PyTorch takes it from other libraries (CUDA Array Interface, version 3)."""

    def __init__(self, address: int, size: int):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


class _Graph:
    """One CUDA graph. Its memory stays where it is, so the result of each run lies in the same place."""

    way: spec.Way = "graph"
    why = None

    def __init__(self, play: Play, used: _Used):
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self.result = play(used.note)
        self.run, self.poison = self._graph.replay, used.fill


class _OneByOne:
    """The orders themselves, in a pool of memory of their own."""

    way: spec.Way = "tape"

    def __init__(self, play: Play, used: _Used, why: Said):
        self._play, self._used, self.why = play, used, why
        self._pool = torch.cuda.MemPool()
        self.poison = used.fill
        self.run()

    def run(self) -> None:
        with torch.cuda.use_mem_pool(self._pool):
            self.result = self._play(self._used.note)


def _first_line(error: Exception) -> str:
    return str(message(error)).strip().split("\n")[0][:160]
