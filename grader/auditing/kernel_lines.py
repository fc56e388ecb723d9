"""The lines of the audited code: of an error, of the stores to an element, of two accesses that race."""

from __future__ import annotations

import ast
import ctypes
import inspect
import linecache
import sys
import textwrap
import traceback
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..interpreter.address_space import WINDOW_BITS
from ..interpreter.recorder import Recorder
from ..notebook.kernel_line import is_theirs
from ..spec import called
from ..spec.unstored import MARKS
from .findings import Line

# By bytes of an element: the marks of memory that nothing was stored to.
_NEVER = {size: {never for bits, never, _ in MARKS.values() if bits == f"int{8 * size}"} for size in (2, 4, 8)}


def of_error(error: BaseException) -> tuple[Line, ...]:
    """The innermost line of the audited code that an error went through; none where there is no such line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_theirs(frame.filename)]
    return (line_at(frames[-1].filename, frames[-1].lineno),) if frames else ()


def line_at(file: str, number: int) -> Line:
    """A line of a file."""
    return Line(file, number, linecache.getline(file, number).strip())


@dataclass(frozen=True)
class Access:
    """One access of one program to one element. program: its name. step: its place among all accesses of the run.
    atomic: whether it is the load or the store of an atomic operation."""

    op: str
    program: str
    tensor: str
    launch: int
    line: Line
    step: int
    atomic: bool


class Witness(Recorder):
    """A recorder that keeps who touched each byte address, from which line. For runs that are small: it is slow."""

    def __init__(self):
        super().__init__()
        self.accesses: dict[int, list[Access]] = defaultdict(list)  # by real address
        self.masked: dict[Line, str] = {}  # loads that left lanes out: their tensors, by line
        self.unstored: dict[Line, str] = {}  # loads of floating-point numbers that nothing had stored, likewise
        self._number, self._grid = 0, ()

    def begin_launch(self, kernel: str, grid) -> None:
        """Keep the accesses from now on for the next launch."""
        self._number, self._grid = self._number + 1, tuple(grid)

    def access(self, op: str, addresses: np.ndarray, mask: np.ndarray, regions, program: int) -> None:
        """Keep one load or store."""
        self._step += 1
        line = _running_line()
        if line is None:
            return
        mask = np.broadcast_to(mask, addresses.shape)
        active, name = addresses[mask], called(np.unravel_index(program, self._grid), self._grid)
        for index in np.unique(active >> np.uint64(WINDOW_BITS)).tolist():
            if not 1 <= index <= len(regions):
                continue
            region = regions[index - 1]
            mine = active[(active >> np.uint64(WINDOW_BITS)) == index]
            real = region.to_real(mine[region.elements(mine)[1]])
            access = Access(op, name, region.name, self._number, line, self._step, self.in_atomic)
            places = np.unique(real).tolist()
            for address in places:
                self.accesses[address].append(access)
            if op == "load" and region.floating and _any_unstored(places, region.itemsize):
                self.unstored.setdefault(line, region.name)
        if op == "load" and not mask.all():
            self.masked.setdefault(line, _name(addresses, regions))

    def stores(self, address: int) -> list[Access]:
        """The stores to an element, in the order in which they ran."""
        return [access for access in self.accesses.get(address, ()) if access.op == "store"]

    def stores_to(self, tensor, at: tuple[int, ...]) -> list[Access]:
        """The stores to the element of a tensor that has this index."""
        place = sum(i * stride for i, stride in zip(at, tensor.stride()))
        return self.stores(tensor.data_ptr() + place * tensor.element_size())

    def lines_of(self, tensor, at: tuple[int, ...]) -> tuple[Line, ...]:
        """The line that stored an element of a tensor last; those of all stores to its memory where none stored it."""
        if stored := self.stores_to(tensor, at):
            return (stored[-1].line,)
        memory = _memory(tensor)
        return tuple(
            dict.fromkeys(s.line for address in self.accesses if address in memory for s in self.stores(address))
        )

    def lines_beside(self, tensors) -> tuple[Line, ...]:
        """The lines of the stores to memory of none of these tensors."""
        known = [_memory(tensor) for tensor in tensors]
        stores = (s for a in self.accesses if not any(a in memory for memory in known) for s in self.stores(a))
        return tuple(dict.fromkeys(s.line for s in stores))

    def race(self) -> tuple[Access, Access] | None:
        """Two accesses of two programs of one launch to one element, of which the second one stores.

        Two stores come first, then a load and a store. Two atomic operations do not race.
        """
        meetings = []
        for address, accesses in self.accesses.items():
            for store in (access for access in accesses if access.op == "store"):
                for other in accesses:
                    if other.atomic and store.atomic:
                        continue
                    if (other.launch, other.program != store.program) == (store.launch, True):
                        meetings.append((other.op == "load", min(other.step, store.step), address, other, store))
                        break
        if not meetings:
            return None
        return min(meetings, key=lambda meeting: meeting[:3])[3:]


def _any_unstored(addresses: list[int], size: int) -> bool:
    """Whether memory at one of these real addresses has a mark. size: bytes of an element."""
    marks = _NEVER.get(size, ())
    return any(int.from_bytes(ctypes.string_at(address, size), sys.byteorder) in marks for address in addresses)


def _memory(tensor) -> range:
    """The addresses of a tensor's bytes, gaps included."""
    begin = tensor.untyped_storage().data_ptr()
    return range(begin, begin + tensor.untyped_storage().nbytes())


def without_other(witness: Witness) -> list[tuple[Line, str]]:
    """The loads of a run that left lanes out and give them no value: (line, tensor)."""
    return [(line, tensor) for line, tensor in witness.masked.items() if _lacks_other(line)]


def _lacks_other(line: Line) -> bool:
    """Whether a line has a tl.load with a mask and without `other`."""
    lines = linecache.getlines(line.file)
    for end in range(line.number, min(line.number + 8, len(lines)) + 1):  # a call may go over several lines
        try:
            tree = ast.parse(textwrap.dedent("".join(lines[line.number - 1 : end])))
        except SyntaxError:
            continue
        return any(_is_bare_load(node) for node in ast.walk(tree))
    return False


def _is_bare_load(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "load"):
        return False
    keywords = {keyword.arg for keyword in node.keywords}
    return ("mask" in keywords or len(node.args) > 1) and "other" not in keywords and len(node.args) < 3


def _running_line() -> Line | None:
    """The line of the audited code that is running now."""
    frame = sys._getframe(2)
    while frame is not None and not is_theirs(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else line_at(frame.f_code.co_filename, frame.f_lineno)


def _name(addresses: np.ndarray, regions) -> str:
    index = int(addresses.reshape(-1)[0] >> np.uint64(WINDOW_BITS))
    return regions[index - 1].name if 1 <= index <= len(regions) else ""


def called_as(function) -> str:
    """The name of a function."""
    while hasattr(function, "func"):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)


def first_line(function) -> tuple[Line, ...]:
    """The line with the name of a kernel or a function; none for one whose text is not known."""
    try:
        lines, start = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function)
    except (OSError, TypeError):
        return ()
    at = next((i for i, text in enumerate(lines) if text.lstrip().startswith("def ")), 0)
    return (Line(file, start + at, lines[at].strip()),)
