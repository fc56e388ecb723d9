"""What the interpreter's hooks know while a kernel runs."""

from __future__ import annotations

from .address_space import Memory
from .ledger import Ledger
from .recorder import Recorder

FEATURES = ("guard", "poison", "ledger", "order", "speed", "bf16", "batch")


class KernelMisuse(TypeError):
    """A kernel was called in a way that no GPU would take."""


class Watch:
    """What the hooks know while a kernel runs."""

    def __init__(self):
        self.memory: Memory | None = None
        self.names: list[str] = []  # of the launch's tensors, in the order they are converted
        self.pending: tuple | None = None  # arguments, options and executor, until the grid is known
        self.grid = (1, 1, 1)
        self.program = (0, 0, 0)
        self.order = "forward"
        self.poison = True
        self.permutation: list[int] | None = None
        self.ledger: Ledger | None = None
        self.recorder: Recorder | None = None
        self.patched: set[int] = set()  # identities of namespaces that are known to see triton.language
        self.patches = None  # of triton.language, to be taken back after the launch
        self.batch = False  # whether programs may run many at once: where its hooks fit
        self.lockstep = None  # of the launch
        self.journal = None  # of the pass that runs many programs at once, while it does

    @property
    def in_kernel(self) -> bool:
        """Whether a kernel is being interpreted right now."""
        return self.memory is not None


watch = Watch()
