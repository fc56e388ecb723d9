"""The vocabulary: what an exercise is, what a worker is asked, what comes back, and what the verdict looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Out:
    """A tensor that the worker makes and fills with NaN. strides in elements; None means contiguous."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Given:
    """A function of the course, of one matrix. An answer is handed it, or it is run on what the answer returned.

    It runs in a process of its own, so an answer can call it but not look into it. source: the text of its module.
    """

    source: str
    name: str


@dataclass(frozen=True)
class Helper:
    """A small function of the course, as its text. An answer is handed it, runs it, and may look into it."""

    source: str
    name: str


@dataclass(frozen=True)
class Call:
    """One thing to do with an answer.

    kind: "value" reads a name, "call" calls a function, "launch" launches a kernel over `grid`, "cuda" launches the
    kernel kwargs["function"] of a CUDA source over `grid` blocks of kwargs["threads"] threads.
    args: torch tensors (sent with their strides), Out, Given, Helper, or plain values.
    poison: whether masked lanes without a value hold something that shows. Without it they hold 0, as on most GPUs.
    """

    kind: str
    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    grid: tuple[int, ...] = ()
    order: str = "forward"
    poison: bool = True
    trace: bool = False  # whether to record who touched what


@dataclass
class Evidence:
    """What came back from one Call."""

    value: Any = None  # plain value, or torch tensor(s)
    args: list = field(default_factory=list)  # tensor arguments after the call
    error: dict | None = None  # type, message, line, lineno, where
    rows: list = field(default_factory=list)  # ledger: (operation, elements read, elements written)
    read: int = 0  # elements
    written: int = 0  # elements
    bytes: tuple[int, int] = (0, 0)  # read, written; index tensors included
    launches: list = field(default_factory=list)
    torch_ops: list = field(default_factory=list)
    torch_reads: list = field(default_factory=list)  # elements of each tensor argument that PyTorch operations read
    peak: int = 0  # elements of the tensors that PyTorch operations made and that were alive at once, at most
    inside_kernels: list = field(default_factory=list)  # PyTorch operations
    language: list = field(default_factory=list)  # library functions of triton.language
    panels: list = field(default_factory=list)  # of Panel, when it was traced
    ran: bool = True  # False: there was no answer to run, or the process ended
    then: list[Evidence] = field(default_factory=list)  # one for each of the case's `then`


@dataclass(frozen=True)
class Case:
    """One input an answer is run on. `verify` returns None, or a sentence that says where it went wrong."""

    label: str
    call: Call
    verify: Callable[[Evidence], str | None]
    size: int = 0  # elements; the smallest failing case is the one reported
    budget: tuple[int, int] | None = None  # elements read, elements written
    may_read_less: bool = False  # where a mask lets an answer leave out elements that the budget counts
    may_write_less: bool = False  # where it is for the answer to say how many intermediate results it keeps
    unit: int = 0  # M·N, what the ledger is printed in
    facts: dict = field(default_factory=dict)  # what detectors of mistakes look at: x, rows, columns, block, ...
    expects_error: bool = False
    each_once: bool = False  # the budget holds no second look at anything, though it is more than M·N
    may_idle: bool = False  # programs of the check's own launch may have nothing to store
    busy: int | None = None  # how many of them must store something; None means all
    may_call_library: bool = False  # torch.softmax may judge here, and not only be imitated
    then: tuple[Given, ...] = ()  # run on the tensor that the answer returned
    group: str | None = None  # one of the exercise's groups
    alone: bool = False  # in a process of its own, so that no other case can spoil it
    interpreted_only: bool = False  # where a GPU's fused arithmetic may rightly differ


# Looks at a failing case and its evidence; True when they bear the mark of the mistake.
Detector = Callable[["Case", Evidence, "Answer"], bool]


@dataclass(frozen=True)
class Answer:
    """The source text of one answer, and what was odd about where it came from."""

    source: str
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """A numbered task. `cases(seed)` makes its inputs; `mistakes` are (id, detector) in the order they are tried."""

    id: str
    title: str
    names: tuple[str, ...]
    points: float
    cases: Callable[[int], list[Case]]
    hints: tuple[str, str, str]
    mistakes: tuple[tuple[str, Detector], ...] = ()
    kernels: bool = False  # whether a GPU, where there is one, checks it too
    # Cases of a group are worth a share of the points each, if all the others pass. The feedback counts failures by
    # group, and speaks of the first group that has one.
    groups: tuple[str, ...] = ()
    # A text of the course's own that runs in the answer's module, behind the answer: its functions are for cases to
    # call where calling one name of the answer is not enough.
    driver: str = ""
    # Modules of the course that the answer or the driver imports; no others can be imported where an answer runs.
    modules: tuple[str, ...] = ()
    # Modules of PyTorch's that it would import while the answer waits: the process that forks does it once for all.
    imports: tuple[str, ...] = ()
    # With it, the groups are a last step: worth so many points together, and nothing while one of their cases fails.
    last_step: float | None = None
    remarks: tuple[tuple[str, Detector], ...] = ()  # (sentence, detector): what to tell whoever passed
    # Every case has a group, each group is a part of its own, and a part is worth its share when all its cases pass.
    parts: bool = False


@dataclass
class Result:
    """The verdict on one exercise."""

    id: str
    title: str
    status: str  # passed, failed, not_attempted, error, timeout
    score: float
    max_score: float
    cases_passed: int = 0
    cases: int = 0
    mistake: str | None = None
    also: str | None = None  # a second mistake that explains the output as well as the first
    message: str = ""
    ledger: dict | None = None  # read, written, in units of M·N
    budget: tuple[float, float] | None = None  # what `ledger` may be, in the same units
    flags: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    text: str = ""  # what a learner sees

    def record(self) -> dict:
        """The row of results.jsonl."""
        return {
            "id": self.id, "title": self.title, "status": self.status, "score": self.score,
            "max_score": self.max_score, "mistake": self.mistake, "also": self.also, "message": self.message,
            "cases_passed": self.cases_passed, "cases": self.cases, "ledger": self.ledger,
            "budget": list(self.budget) if self.budget else None, "flags": self.flags, "remarks": self.remarks,
        }  # fmt: skip
