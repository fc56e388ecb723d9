"""The mistakes of a softmax that chooses a kernel by shape and dtype: texts and detectors.

The facts of a case are described in reference/routing.py.
"""

from __future__ import annotations

from ..checks import syntax
from ..reference.routing import (
    MAX_ELEMENTS,
    MIN_PROGRAMS,
    OF_A_THREAD,
    REFUSALS,
    held_by_a_thread,
    loaded_by_a_few,
    refused_late,
    short_row_read_twice,
    short_rows_alone,
    widest,
    working_programs,
)
from ..sentence import foreign
from ..spec import Answer, Case, Detector, Evidence
from .detectors import both, looks, written
from .mistake import Mistake
from .mutant import Mutant
from .softmax.function import WRAPPER

MISTAKES = [
    Mistake(
        "shipped-called",
        "Your function called the course's own softmax, or its function that chooses. The choice should be yours.",
        "Which of the launchers would you call for this matrix, and why?",
    ),
    Mistake(
        "needs-nvidia",
        "A launcher was chosen that cannot run on this device, or not for this matrix.",
        "Which two functions say what this device can do?",
    ),
    Mistake(
        "beyond-the-registers",
        "A program holds so many elements at once that its registers do not suffice.",
        "Where does the compiler keep a block that does not fit into registers, and how often is that block moved "
        "then?",
        (
            Mutant("14.2", "n_cols <= 32768", "n_cols <= 65536", replayed=False),
            Mutant("14.2", "rows = max(2048 // block, 1)", "rows = 64", replayed=False),
        ),
    ),
    Mistake(
        "too-few-threads",
        "A program has so few threads for its block that each of them holds more numbers than it has registers.",
        "How many elements does the block have, and how many threads does the launch have?",
        (Mutant("14.2", "num_warps=warps", "num_warps=2", replayed=False),),
    ),
    Mistake(
        "row-longer-than-block",
        "A kernel that holds a whole row in one block got rows that are longer than its block.",
        "Which of your kernels can take a row of any length, and how long is this one?",
    ),
    Mistake(
        "short-rows-alone",
        "Each very short row got a program of its own, most of whose threads have nothing to do.",
        "Which of your kernels gives a program several rows, and which rows are short enough for it?",
        (Mutant("14.2", "n_cols <= 1024", "32 < n_cols <= 1024", replayed=False),),
    ),
    Mistake(
        "too-few-programs",
        "A matrix of very few rows got so few programs that most of the device has nothing to do.",
        "How many programs does a GPU with 132 multiprocessors need before all of them work?",
        (Mutant("14.2", "n_rows >= 512", "n_rows >= 1", replayed=False),),
    ),
    Mistake(
        "not-a-launcher",
        "Your choice returned an object that cannot be called.",
        "For the matrix named above: which line of your choice returns, and what?",
        (Mutant("14.2", "by_walks if n_rows >= 512 else by_splits", "{512: by_walks}.get(n_rows)", replayed=False),),
    ),
    Mistake(
        "own-kernel-chosen",
        "The last point is for a choice among the kernels of `pick`, and a kernel of your own was launched.",
        "Which kernel of `pick` suits the matrix named above, and when would you use it?",
    ),
    Mistake(
        "row-not-held",
        "A short row goes to several programs, or is read twice, although one program can hold it.",
        "Which launchers keep a whole row of this length in the registers of one program?",
        (Mutant("14.2", "if n_cols <= 32768:", "if n_rows * n_cols <= 32768:", replayed=False),),
    ),
    Mistake(
        "vectors-unused",
        "Rows of 16-bit numbers that do not begin at a boundary are loaded element by element.",
        "Which launcher cuts its rows at the boundaries, and what does `pick.aligned` say of this matrix?",
        (Mutant("14.3", "not pick.aligned(x)", "n % 2", replayed=False),),
    ),
    Mistake(
        "pairs-unused",
        "In a long row of 16-bit numbers, each number takes a whole register, or is read twice.",
        "Which launchers keep two such numbers in a register, and which function says whether they may?",
    ),
    Mistake(
        "sharing-unused",
        "Long rows of a large matrix are read twice on a device whose programs could share a row.",
        "Which launcher reads rows of any length once, and which function says whether it may?",
    ),
    Mistake(
        "gaps-not-taken",
        "A launcher was chosen that takes only matrices without gaps between the rows, and this matrix has gaps.",
        "What does the lesson say about the rows that this launcher takes, and which question to x tells it?",
    ),
    Mistake(
        "half-refused",
        "A 16-bit matrix was refused, though the exercise promises it.",
        "Which dtypes does the docstring name, and which of your lines looks at the dtype?",
        (
            Mutant(
                "14.2",
                "x.dtype not in (torch.float32, torch.float16, torch.bfloat16)",
                "x.dtype != torch.float32",
                replayed=False,
            ),
        ),
    ),
    Mistake(
        "view-refused",
        "A matrix was refused because of its strides.",
        "What could your function do first, so that its kernels find the columns next to each other?",
    ),
    Mistake(
        "unfit-accepted",
        "The function took an input that it should refuse, and raised no error.",
        "What do you know about x before you launch anything?",
    ),
    Mistake(
        "noticed-only",
        "Your function notices that it cannot take x, and then goes on.",
        "What does Python have to stop a function and tell its caller why?",
    ),
    Mistake(
        "unfit-without-a-word",
        "The input is refused, but not with a ValueError or TypeError that has a sentence.",
        "What would help a caller who passed this by mistake?",
    ),
    Mistake(
        "refused-too-late",
        "The input is refused, but only after kernels have run.",
        "Which lines of your function come before the test, and what do they do with such an input?",
    ),
    Mistake(
        "unfit-accident",
        "For this input, an error happens that your function does not raise itself.",
        "Which of your lines is the first to test x?",
    ),
]


def _unfit(*more) -> Detector:
    """Matches a case of an unfit input for whose evidence all of these tests hold."""
    return Detector(lambda c, e, a: "unfit" in c.facts and all(test(e) for test in more))


def _deliberate(evidence: Evidence) -> bool:
    """Whether the answer raised the error itself."""
    return evidence.error is not None and evidence.error["raised"]


def _refused(test) -> Detector:
    """Matches a matrix x that the answer refused although it should be taken, and for which test(x) holds."""

    @looks
    def detect(error, x) -> bool:
        return error is not None and error["raised"] and bool(set(REFUSALS) & set(error["kinds"])) and test(x)

    return detect


@looks
def _no_launcher(error) -> bool:
    """The answer called None, a string, a tuple or a bool as if it were a launcher."""
    return bool(error) and foreign.is_a(error["message"], "not-callable", "NoneType", "str", "tuple", "bool")


# Shipped kernels that keep a whole row in the registers of a program.
_HOLD_A_ROW = frozenset({"tile_kernel", "two_blocks_kernel", "odd_kernel", "pair_row_kernel"})


@looks
def _never_fits(value, error, case) -> bool:
    """A launcher that holds a whole row in one program was chosen for rows that fit no program."""
    held = isinstance(value, list) and set(value) & _HOLD_A_ROW
    return case.facts.get("choice") == "sharing-unused" and not error and bool(held)


def _chosen(mistake: str) -> tuple[str, Detector]:
    """The mistake, with a detector that matches a wrong choice in a case that names this mistake."""
    return mistake, Detector(lambda c, e, a: c.facts.get("choice") == mistake and not e.error)


@looks
def _row_read_twice(x, evidence) -> bool:
    """A matrix of short rows was read twice."""
    return short_row_read_twice(x, evidence)


@looks
def _too_many_elements(error, evidence) -> bool:
    """One program held more elements at once than its registers hold beside the computation."""
    return not error and widest(evidence) > MAX_ELEMENTS


@Detector
def _too_few_programs(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Too few programs shared a single very long row, or a part of the work on it."""
    if not case.facts.get("alone") or evidence.error:
        return False
    return working_programs(evidence) < MIN_PROGRAMS or bool(loaded_by_a_few(case.facts["x"], evidence))


@looks
def _too_few_threads(error, evidence) -> bool:
    """One access brought more elements to a thread than it has registers."""
    return not error and held_by_a_thread(evidence) > OF_A_THREAD


@looks
def _row_longer_than_block(x, error, launches, read, written) -> bool:
    """One launch read and wrote as many columns of each row as a block has, and the rows have more."""
    if error or len(launches) != 1 or not x.is_contiguous():
        return False
    sizes = [value for value in launches[0]["constants"].values() if type(value) is int]
    return any(size < x.shape[1] and len(x) * size == read == written for size in sizes)


@looks
def _gaps_not_taken(launches, case) -> bool:
    """`odd` ran on a matrix with gaps between its rows."""
    x, kernels = case.facts.get("x"), [launch["kernel"] for launch in launches]
    return x is not None and not x.is_contiguous() and "odd_kernel" in kernels


@looks
def _short_rows_alone(x, error, evidence) -> bool:
    """Many very short rows had a program each."""
    return not error and short_rows_alone(x, evidence)


_REFUSALS_OF_IT = (
    ("noticed-only", both(_unfit(), written(syntax.prints_only))),
    ("unfit-accepted", _unfit(lambda e: e.error is None)),
    ("unfit-without-a-word", _unfit(_deliberate, lambda e: not refused_late(e))),
    ("refused-too-late", _unfit(_deliberate, refused_late)),
    ("unfit-accident", _unfit(lambda e: bool(e.error))),
    ("not-a-launcher", _no_launcher),
)
_ROUTES = (
    ("row-not-held", _row_read_twice),
    ("half-refused", _refused(lambda x: x.element_size() == 2)),
    ("view-refused", _refused(lambda x: not x.is_contiguous())),
    ("beyond-the-registers", _too_many_elements),
    ("too-few-programs", _too_few_programs),
)
# The learner's own kernels.
ROUTE = (
    *_REFUSALS_OF_IT,
    *_ROUTES,
    ("too-few-threads", _too_few_threads),
    ("row-longer-than-block", _row_longer_than_block),
    ("short-rows-alone", _short_rows_alone),
    *WRAPPER,
)


# The shipped ones.
@looks
def _own_chosen(choice, value, error) -> bool:
    """A kernel of the answer's own is among those that it would launch."""
    return not error and isinstance(value, list) and "own" in value


PICK = (
    *_REFUSALS_OF_IT,
    ("own-kernel-chosen", _own_chosen),
    ("gaps-not-taken", _gaps_not_taken),
    ("beyond-the-registers", _never_fits),
    *(_chosen(mistake) for mistake in ("row-not-held", "vectors-unused", "pairs-unused", "sharing-unused")),
    *_ROUTES[:4],
    _chosen("beyond-the-registers"),
    *_ROUTES[4:],
    *WRAPPER,
)
