"""The state of the interpreter: how launches run, who records them, and the launch that is running now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .address_space import AddressSpace
from .ledger import Ledger
from .recorder import Recorder

if TYPE_CHECKING:
    from .batching.conflicts import Transaction
    from .batching.scheduler import BatchScheduler
    from .caching import LanguagePatches

FEATURES = ("guard", "poison", "ledger", "order", "speed", "bf16", "batch")


class KernelMisuse(TypeError):
    """A kernel was called in a way that no GPU would take."""


@dataclass
class LaunchState:
    """Everything that belongs to one launch. It is pushed and popped as one object, since launches may nest."""

    executor: object  # the stock interpreter's; its `fn` is the kernel, or the scheduler in its place
    kernel: str
    arguments: dict  # by parameter name
    options: dict  # such as num_warps
    constexprs: list[str]  # names of parameters
    names: list[str]  # of the tensors among the arguments, in the order in which they are converted
    memory: AddressSpace = field(default_factory=AddressSpace)
    grid: tuple[int, int, int] = (1, 1, 1)
    program: tuple[int, int, int] = (0, 0, 0)
    permutation: list[int] | None = None  # of the programs; None: upwards
    patched: set[int] = field(default_factory=set)  # ids of namespaces that are known to see triton.language
    patches: LanguagePatches | None = None  # to be taken back after the launch
    scheduler: BatchScheduler | None = None
    transaction: Transaction | None = None  # of the pass that runs many programs at once, while it does


class State:
    """Conditions and recordings of the launches to come, and the launch that is running."""

    def __init__(self):
        self.order = "forward"
        self.poison = True
        self.batch = False  # whether many programs may run at once: where the hooks for it fit
        self.ledger: Ledger | None = None
        self.recorder: Recorder | None = None
        self.launch: LaunchState | None = None

    @property
    def transaction(self) -> Transaction | None:
        """The pass that runs many programs at once, None outside of one."""
        return None if self.launch is None else self.launch.transaction


current = State()
