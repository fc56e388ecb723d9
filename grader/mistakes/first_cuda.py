"""The mistakes of a first kernel in CUDA C++, which copies rows or sums them (exercise 12.4).

Facts of a case: x (M×N), want (the right output), out (its index among the arguments), and threads (T). The group of a
case is its kernel: copy_rows or sum_rows.
"""

from __future__ import annotations

import torch

from ..checks import compare
from ..reference.cuda import walked_alone
from ..spec import Answer, Case, Detector, Evidence
from . import cuda, detectors
from .detectors import formula, looks, only_where, outside
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "one-column-of-all",
        "In each group of columns, one for each thread of the block, only one column was stored.",
        "Which columns are those of thread 1, and which columns does your line give it?",
    ),
    Mistake(
        "column-zero-alone",
        "Only column 0 of each row was stored.",
        "Which columns of y should this thread block fill, and which of them does your line store?",
    ),
    Mistake(
        "columns-of-several",
        "Several threads stored the same columns, so some elements were stored more than once.",
        "Thread 0 has column 0. Which is its next column, if every other thread has one in between?",
    ),
    Mistake(
        "columns-exchanged",
        "Each number of a row was stored, and some of them in another column than its own.",
        "Which column does your line load, and into which one does it store?",
    ),
    Mistake(
        "sum-of-nothing",
        "Every sum is 0: no number of the row has reached the total.",
        "Which of your lines puts the sum of a thread into the place that the others read?",
    ),
    Mistake(
        "places-left-out",
        "The sums of some threads were added, and those of other threads were not.",
        "Which sums are added in the end, and of which threads are they?",
    ),
    Mistake(
        "sum-begins-elsewhere",
        "Every sum is off by the same number, whatever the row.",
        "Which number does your sum hold before the first term?",
    ),
    Mistake(
        "own-sum-stored",
        "Each thread stored the sum of its own columns, and not the sum of the row.",
        "Which of your variables knows what the other threads have found?",
    ),
    Mistake(
        "kept-as-int",
        "A number was kept as an int, so the digits after its decimal point were cut off.",
        "Which type does each of your variables have, and which numbers can it hold?",
    ),
]


@looks
def _one_column_of_all(got, threads) -> bool:
    """The stored columns are one of each T neighbours, always the same one, and a row has more columns than that."""
    if got.shape[1] < 2:
        return False
    for row in ~got.isnan():
        places = row.nonzero().flatten()
        if (
            len(places) == 0
            or len(places) == len(row)
            or not (row == (torch.arange(len(row)) % threads == places[0])).all()
        ):
            return False
    return True


@looks
def _column_zero_alone(got) -> bool:
    """Column 0 of each row was stored, and no other one."""
    stored = ~got.isnan()
    return got.shape[1] > 1 and bool(stored[:, 0].all() and not stored[:, 1:].any())


@looks
def _stored_again(got, want, launches) -> bool:
    """The numbers are right, and elements were stored more than once."""
    return bool(launches and launches[0]["options"]["stored_again"]) and compare.alike(got, want)


@looks
def _exchanged(x, got, case) -> bool:
    """Each row of a copy has its own numbers in another order."""
    if case.group != "copy_rows" or got.isnan().any() or torch.equal(got, x):
        return False
    return torch.equal(got.sort(1).values, x.sort(1).values)


def _sums(term):
    """A formula: the sum of each row over term(x, c, T), for columns c and T threads."""

    def compute(x, facts):
        return term(x.double(), torch.arange(x.shape[1]), facts["threads"]).sum(1, keepdim=True).expand(x.shape)

    return compute


def _own_sums(x, facts):
    """In each column the sum of the columns of its thread."""
    owner = torch.arange(x.shape[1]) % facts["threads"]
    sums = torch.zeros(len(x), facts["threads"], dtype=torch.float64).index_add_(1, owner, x.double())
    return sums[:, owner]


def _of_sums(compute) -> Detector:
    """Matches a wrong formula of sum_rows. Sums can cancel out, so a formula must fit in all cases."""
    return only_where(looks(lambda case: case.group == "sum_rows"), formula(compute))


def _windows(x):
    """In each row r the n numbers of x from number r on, as if one row began one number behind the other."""
    return x.flatten().unfold(0, x.shape[1], 1)[: len(x)]


@looks
def _row_stride_missing(x, got, case) -> bool:
    if min(x.shape) < 2:
        return False
    windows = _windows(x.double())
    return compare.alike(got, windows if case.group == "copy_rows" else windows.sum(1, keepdim=True).expand(x.shape))


def _off_by_one_number(case: Case, evidence: Evidence) -> bool:
    got = detectors.output(case, evidence)
    if got is None or not got.isfinite().all():
        return False
    off = got.double() - case.facts["want"].double()
    return bool((off.max() - off.min()) < 1e-3 and off.abs().min() > 1e-2)


def _sum_begins_elsewhere(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return case.group == "sum_rows" and len(case.facts["x"]) > 1 and _off_by_one_number(case, evidence)


def _sums_of_whole_numbers(x, facts):
    """The sum of each row, of which each thread keeps its part as an int."""
    steps = -(-x.shape[1] // facts["threads"])
    own = torch.nn.functional.pad(x.double(), (0, steps * facts["threads"] - x.shape[1])).reshape(len(x), steps, -1)
    parts = torch.zeros(len(x), facts["threads"], dtype=torch.float64)
    for step in own.unbind(1):
        parts = (parts + step).trunc()
    return parts.sum(1, keepdim=True).expand(x.shape)


_LAST = _sums(lambda x, c, threads: torch.where(c >= x.shape[1] - threads, x, 0.0))

# The columns of thread 0, of the last one, of the first warp, of as many threads as blocks, of all but one.
_SOME_THREADS = (
    lambda x, c, threads: torch.where(c % threads == 0, x, 0.0),
    lambda x, c, threads: torch.where(c % threads == threads - 1, x, 0.0),
    lambda x, c, threads: torch.where(c % threads < 32, x, 0.0),
    lambda x, c, threads: torch.where(c % threads < len(x), x, 0.0),
    lambda x, c, threads: torch.where(c % threads > 0, x, 0.0),
    lambda x, c, threads: torch.where(c % threads < threads - 1, x, 0.0),
)


@looks
def _walked_alone(got, want, launches) -> bool:
    """The numbers are right, and one thread reads what many should."""
    return bool(launches and walked_alone(launches[0]["options"], want.shape[1])) and compare.alike(got, want)


FIRST_KERNELS = (
    ("walked-alone", _walked_alone),
    ("barrier-not-called", cuda.barrier_not_called),
    ("parameters-exchanged", cuda.parameters_exchanged),
    ("array-not-shared", cuda.array_not_shared),
    ("thread-of-the-grid", cuda.thread_of_the_grid),
    ("shared-unstored", cuda.UNSTORED),
    ("barrier-divergent", cuda.barrier_in_if),
    ("thread-for-row", outside("any", cuda.thread_for_row)),
    ("thread-beyond-row", outside("any", cuda.beyond_my_row)),
    ("nothing-stored", detectors.nothing_stored),
    ("no-stride-loop", cuda.first_columns_only),
    ("one-column-of-all", _one_column_of_all),
    ("column-zero-alone", _column_zero_alone),
    ("columns-of-several", _stored_again),
    ("columns-exchanged", _exchanged),
    ("own-sum-stored", _of_sums(_own_sums)),
    ("row-stride-missing", _row_stride_missing),
    ("row-of-another", cuda.row_of_another),
    ("sum-of-nothing", _of_sums(_sums(lambda x, c, threads: 0 * x))),
    *(("places-left-out", _of_sums(_sums(term))) for term in _SOME_THREADS),
    ("sum-begins-elsewhere", Detector(_sum_begins_elsewhere, _off_by_one_number, exact=True)),
    ("kept-as-int", _of_sums(_sums_of_whole_numbers)),
    ("sum-subtracted", _of_sums(_sums(lambda x, c, threads: -x))),
    ("sum-overwritten", _of_sums(_LAST)),
    ("no-stride-loop", _of_sums(_sums(lambda x, c, threads: torch.where(c < threads, x, 0.0)))),
    ("columns-counted-again", _of_sums(_sums(lambda x, c, threads: x * (c + 1).clamp(max=threads)))),
    ("columns-counted-again", _of_sums(_sums(lambda x, c, threads: x * threads))),
    ("shared-unstored", cuda.UNSTORED_IN_SOME),
)
