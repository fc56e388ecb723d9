"""The state of the interpreter: conditions of launches, recordings, and the launch that is running now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .address_space import AddressSpace
from .ledger import Launch, Ledger
from .recorder import Recorder

FEATURES = ("guard", "poison", "ledger", "order", "speed", "bf16", "batch")


class KernelMisuse(TypeError):
    """A use of a kernel that no GPU accepts."""


class EndlessKernel(RuntimeError):
    """One program has made more loads and stores than any loop that ends."""


@dataclass
class LaunchState:
    """Everything that belongs to one launch."""

    executor: object  # the stock GridExecutor; its `fn` is the kernel, or the BatchScheduler in its place
    kernel: str
    arguments: dict  # by parameter name
    options: dict  # such as num_warps
    constexprs: list[str]  # names of parameters
    names: list[str]  # of the tensors among the arguments, in the order in which they are converted
    record: Launch  # for the ledger
    memory: AddressSpace = field(default_factory=AddressSpace)
    grid: tuple[int, int, int] = (1, 1, 1)
    program: tuple[int, int, int] | None = (0, 0, 0)  # None: at this place of the order no program runs
    accesses: int = 0  # of the running program
    padded: bool = False  # whether the running tl.load has an `other`
    in_program: bool = False  # whether code of the kernel is running, and not the interpreter around it
    permutation: list[int] | None = None  # program at each place of the order; None: all, ascending
    patched: set[int] = field(default_factory=set)  # ids of the global namespaces that see the patched language
    seed: int | None = None  # of what is drawn for it, once something is
    patches: Any = None  # caching.LanguagePatches, to be undone after the launch
    scheduler: Any = None  # batching.scheduler.BatchScheduler
    transaction: Any = None  # batching.conflicts.Transaction: of the batched pass that is running


class State:
    """Conditions and recordings for the next launches, and the launch that is running.

    order: "forward", "reversed" or "shuffled". poison: whether masked lanes of a load without `other` hold poison.
    strides, few, blind: as in Call. bfloat16: whether kernels may compute with it. tf32: whether tl.dot rounds float32
    to tf32 where it is not told to keep all bits. magnified: a float is passed further off by so many times the error
    that it has in float32.
    """

    def __init__(self):
        self.bfloat16 = self.tf32 = False
        self.magnified = 0
        self.order = "forward"
        self.poison = True
        self.strides: tuple[tuple[int, ...], ...] = ()
        self.few: tuple[int, tuple[int, ...]] | None = None
        self.blind: tuple[int, int] | None = None
        self.batch = False  # whether batched passes are allowed; install() sets it where their hooks fit
        self.ledger: Ledger | None = None
        self.recorder: Recorder | None = None
        self.launch: LaunchState | None = None
        # Called with the record of each launch before it runs. Returns the kernel to run, None for the launched one.
        self.before_launch: Callable[[Launch], Any] | None = None

    @property
    def transaction(self) -> Any:
        """The transaction of the batched pass that is running, None outside of one."""
        return None if self.launch is None else self.launch.transaction

    def took_a_way(self) -> None:
        """Take note that the running launch depends on what a GPU may do in another way."""
        if self.launch is not None:
            self.launch.record.open = 1


current = State()
