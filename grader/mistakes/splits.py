"""Mistakes where several programs share a row: texts, wrong formulas, detectors, tables.

The first launch stores a state (m, d) for each split of a row, as an online softmax makes it (Milakov and Gimelshein
2018, arXiv 1805.02867). The second launch merges the states of a row and stores its softmax.

x is M×N; the states are M×n_splits each. The facts of a case are those of `reference/splits.py`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from ..checks import compare, in_parallel, syntax
from ..reference import splits
from ..sentence import said
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, formula, looks, only_where, opposite, outside, unmasked, written
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several
from .softmax import walks
from .softmax.columns import SOFTMAX_KERNEL
from .softmax.function import FUNCTION
from .softmax.rows import ROW_KERNEL, row_begins

# ---- texts

MISTAKES = [
    Mistake(
        "programs-swapped",
        "Row and split have changed places: the kernel uses the number of the split as the number of the row.",
        "Which number of the grid counts rows, and which counts splits?",
    ),
    Mistake(
        "split-mask",
        "The mask is true for lanes past the end of the row: the last split of a row may reach beyond it.",
        "Which column does the last lane of the last split have?",
    ),
    Mistake(
        "split-zero-only",
        "All programs of a row work on the same split.",
        "At which column does a split begin, and where does your kernel ask which split it has?",
    ),
    Mistake(
        "splits-overlap",
        "Some columns belong to two splits: a program went on into the columns of the next split.",
        "Which is the last column of a split when its length is no multiple of BLOCK?",
        Mutant("9.1", "(start + lanes < split_size)", "(lanes < split_size)"),
        Mutant("9.1", "start + lanes < split_size", "start + lanes <= split_size"),
    ),
    Mistake(
        "splits-begin-elsewhere",
        "The splits do not begin at the columns that the exercise gives them.",
        "A split has 5 columns. At which column does split 2 of row 1 begin, and at which one does your program begin?",
        several("9.1", "split * split_size", "split_size", "split", "row * split_size", "split + split_size"),
    ),
    Mistake(
        "every-nth-column",
        "A split took every n-th column of its row, and not columns that are neighbours.",
        "A split has 5 columns. Which columns of the row does split 0 have, and which does your split 0 load?",
        Mutant("9.1", "split * split_size + start + lanes", "split + (start + lanes) * n_splits"),
    ),
    Mistake(
        "split-not-walked",
        "No column took part: all states are empty.",
        "For which numbers does the loop run, for which lanes is its mask true, and where is the state stored?",
    ),
    Mistake(
        "split-cut-short",
        "Only a part of each split was used: the columns after its last whole block belong to it, too.",
        "How many steps does the walk over a split have, and how many columns does it load?",
    ),
    Mistake(
        "empty-split",
        "A split or a block without any number above -inf turned into NaN.",
        "What is -inf minus -inf, and which state should an empty split have?",
    ),
    Mistake(
        "empty-split-unstored",
        "A split without any number above -inf stored no state.",
        "Which state should an empty split have, and which line stores it?",
        Mutant(
            "9.1",
            "    tl.store(m_ptr",
            '    if m == -float("inf"):\n        return\n    tl.store(m_ptr',
            replayed=False,
        ),
    ),
    Mistake(
        "states-misplaced",
        "An address leads to the state of another row or split, or to none.",
        "How many states are stored before those of row r, and which of this row's states is that of split s?",
    ),
    Mistake(
        "states-left-out",
        "Some states of the row are missing in the merge.",
        "How many states does a row have, and how many lanes load them?",
    ),
    Mistake(
        "states-too-few",
        "A state lies outside its tensor: the tensor is too small, or the kernel got another number of splits.",
        "How many states are there, over all rows and splits, and how many splits does the kernel know of?",
        Mutant("9.3", "((n_rows, n_splits), dtype", "((min(n_rows, 1024), n_splits), dtype", replayed=False),
    ),
    Mistake(
        "states-never-made",
        "Only the second kernel was launched, so nothing stored the states that it loads.",
        "Which kernel stores the states, and which line launches it?",
        Mutant(
            "9.3",
            "    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block, num_warps=8)\n",
            "",
            replayed=False,
        ),
    ),
    Mistake(
        "merged-too-early",
        "The second kernel was launched before the first one had stored the states.",
        "In which order are the two launches, and which of them needs the results of the other?",
        Mutant(
            "9.3",
            "    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block, num_warps=8)\n",
            "",
            then=also(
                "    return y",
                "    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block, num_warps=8)\n"
                "    return y",
            ),
            replayed=False,
        ),
    ),
    Mistake(
        "states-share-memory",
        "Maxima and sums use the same memory, so one of them was stored over the other.",
        "How many tensors for states does your function make, and how many variables refer to them?",
        Mutant(
            "9.3",
            "m, d = (torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device) for _ in range(2))",
            "m = d = torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device)",
        ),
    ),
    Mistake(
        "partials-not-rescaled",
        "The sums of the splits were added without rescaling, but each is relative to the maximum of its own split.",
        "Relative to which maximum may all of them be added?",
    ),
    Mistake(
        "own-split-maximum",
        "The values are relative to the maximum of their split, and the sum is relative to the maximum of the row.",
        "Which maximum does the merged sum belong to?",
    ),
    Mistake(
        "maximum-of-the-tile",
        "The values of a tile are relative to the maximum of that tile, and the sum is relative to the maximum of the "
        "row.",
        "Which maximum does the merged sum belong to, and which name of yours holds it in the loop?",
        Mutant(
            "9.2",
            "        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)\n",
            '        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))\n'
            "        m = tl.max(x, axis=0)\n",
        ),
        Mutant("9.2", "tl.exp(x - m) / d", "tl.exp(x - tl.max(x, axis=0)) / d"),
    ),
    Mistake(
        "own-split-sum",
        "Each split was divided by its own sum, so the row does not sum to 1.",
        "Which columns should add up to 1?",
    ),
    Mistake(
        "own-tile-sum",
        "Each tile was divided by its own sum, so the row does not sum to 1.",
        "Which columns should add up to 1, and which of them does your sum hold?",
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "tl.exp(x - m) / tl.sum(tl.exp(x - m), axis=0)"),
        Mutant(
            "9.2",
            "mask=mask)\n        tl.store",
            'mask=mask, other=-float("inf"))\n        tl.store',
            then=also("tl.exp(x - m) / d", "tl.exp(x - m) / tl.sum(tl.exp(x - m), axis=0)"),
        ),
    ),
    Mistake(
        "one-maximum-for-the-row",
        "The maximum of one split was taken for that of the whole row.",
        "In which splits may the maximum of a row be, and which of them does your kernel look at?",
        several(
            "9.2",
            "m = tl.max(ms, axis=0)",
            "m = tl.load(m_ptr + row * n_splits + split)",
            "m = tl.load(m_ptr + row * n_splits + n_splits - 1)",
            "m = tl.load(m_ptr + row * n_splits)",
        ),
    ),
    Mistake(
        "split-rounded-down",
        "The splits together are shorter than the row: its last columns belong to none of them.",
        "How long are all splits together, for the row named above?",
    ),
    Mistake(
        "one-program-a-row",
        "One program walks along a whole row, so a launch with one row keeps one multiprocessor busy.",
        "How many programs does each of your launches start, and which of them share a row?",
    ),
    Mistake(
        "n-splits-ignored",
        "The number of programs is not the one that the caller asked for.",
        "What should change in your launch when n_splits does?",
    ),
    Mistake(
        "no-grid-barrier",
        "A program reads what another program of the same launch stores, and nothing makes it wait until that is done.",
        "When the first program of a launch begins, which other programs have certainly ended?",
    ),
    Mistake(
        "accumulated-without-atomics",
        "Several programs of a launch read the same element, change it and store it back. On a GPU they do so at the "
        "same time, and the last one to store wins.",
        "Which element could each program store to alone?",
    ),
    Mistake(
        "lanes-without-barrier",
        "A lane touches an element that another lane of its program stores, and nothing orders the two: on a GPU they "
        "are threads, which run at any pace.",
        "Which lane stores this element last, and how does the other one know that it has?",
    ),
    Mistake(
        "split-read-twice",
        "The numbers are right, but each split is read twice.",
        "Which of your lines use the first load and which the second, and could one load serve them all?",
    ),
    Mistake(
        "whole-row-each",
        "Every program does the whole row.",
        "Which columns are those of one split, and where do they begin and end?",
    ),
    Mistake(
        "splits-blocks-apart",
        "The distance between two splits is one block, but a split may be longer or shorter than a block.",
        "At which column does split 1 begin, and at which does split 0 end?",
    ),
    Mistake(
        "only-first-split",
        "Only the first split of each row was used: in the other splits, all lanes were masked.",
        "Which numbers in your mask count from the beginning of the row, and which from the beginning of the split?",
    ),
    Mistake(
        "number-added-to-a-state",
        "A number was added to the sum d of each split.",
        "What is the sum of no numbers, and which number does your kernel store for it?",
    ),
    Mistake(
        "empty-state",
        "The state of a split without any number above -inf is not the one that changes nothing in a merge.",
        "An empty split has no numbers. What are its maximum and its sum?",
    ),
    Mistake(
        "state-not-stored",
        "One of the two numbers of the state was never stored.",
        "How many tensors does the kernel store into?",
    ),
    Mistake(
        "same-number-stored",
        "The same number was stored as the maximum and as the sum.",
        "Which variable holds the maximum at the end of the walk, and which one holds the sum?",
        Mutant("9.1", "+ split, m)", "+ split, d)"),
        Mutant("9.1", "+ split, d)", "+ split, m)"),
    ),
    Mistake(
        "state-put-together",
        "The state does not hold the maximum and the sum themselves, but a number that was made of them.",
        "Which two numbers are the state of a row in lesson 08, and which two do your last lines store?",
        several("9.1", "+ split, m)", "+ split, m + tl.log(d))", "+ split, tl.exp(m))"),
        several("9.1", "+ split, d)", "+ split, tl.log(d))", "+ split, 1 / d)"),
        Mutant("9.1", "+ split, m)", "+ split, m + tl.log(d))", then=also("+ split, d)", "+ split, 1.0)")),
    ),
    Mistake(
        "largest-term-added",
        "Of the exponentials, only the largest one reached the sum.",
        "How many numbers belong to the sum, and which one does your reduction give?",
        Mutant("8.3 8.4 9.1 16.1", "tl.sum(tl.exp(x - shift), axis=0)", "tl.max(tl.exp(x - shift), axis=0)"),
        Mutant("4.1 5.1 5.2 7.1 7.3", "tl.sum(numerator, axis=0)", "tl.max(numerator, axis=0)"),
    ),
    Mistake(
        "stored-in-split-zero",
        "Every program stores into the columns of the first split.",
        "Which column of y does lane 0 of split 1 belong to?",
    ),
    Mistake(
        "sums-not-added",
        "The sums of the splits were not added up to the sum of the row.",
        "Which numbers of the states give the sum of the row, and how?",
    ),
    Mistake(
        "states-unused",
        "The numbers are right, but every program reads x again to compute numbers that the states already hold.",
        "Which results of the first launch can the second launch use?",
    ),
    Mistake(
        "grid-without-splits",
        "In the grid of a launch, the second number is 1 or missing, so every program does split 0.",
        "How many numbers does a program need to know its row and its split, and how many does your grid have?",
        Mutant("9.3", "combine_kernel[grid]", "combine_kernel[(n_rows, 1)]"),
        Mutant("9.3", "partial_kernel[grid]", "partial_kernel[(n_rows, 1)]"),
    ),
    Mistake(
        "grid-beyond-the-splits",
        "The grid of a launch asks for more programs in a row than it has splits.",
        "Which two sizes should the grid have, and which one does your second number give?",
        Mutant("9.3", "grid = (n_rows, n_splits)", "grid = (n_rows, n_cols)", replayed=False),
    ),
    Mistake(
        "states-in-half",
        "The states were kept in half precision, so digits of every sum were lost.",
        "Which dtype do your tensors for the states have, and how many digits does it keep?",
        *(
            Mutant("9.3", "n_splits), dtype=x.dtype, device", f"n_splits), dtype=torch.{half}, device")
            for half in ("float16", "bfloat16")
        ),
    ),
    Mistake(
        "output-not-stored",
        "No kernel stored into the output: it still holds its first values.",
        "Which of the two kernels stores the output, and which line launches it?",
    ),
    Mistake(
        "tl-on-the-host",
        "A function of triton.language was called outside of a kernel, where plain Python runs.",
        "Which module has a function of that name for the host?",
    ),
    Mistake(
        "counted-too-early",
        "A program may read a state before another program has stored it: nothing makes it wait.",
        "What must have happened before a program may count itself as done?",
    ),
    Mistake(
        "one-counter",
        "Only one row was finished: the programs of all rows use the same counter, so only one of all programs is "
        "the last.",
        "Which programs have to be done before a row can be finished, and which counter do they use?",
    ),
    Mistake(
        "waits-for-others",
        "A program waits in a loop for other programs of its launch. Nothing guarantees that these run before it has "
        "ended.",
        "How many programs does a GPU have room for at once, and what happens if the other program is not one of them?",
    ),
]

# ---- wrong formulas: the columns of a split
#
# Each gives the columns that a program takes for those of its split. They may lie beyond the row.


def own_columns(split: int, facts: dict) -> range:
    """The right columns."""
    return range(split * facts["split_size"], (split + 1) * facts["split_size"])


def first_split(split: int, facts: dict) -> range:
    """The columns of split 0, for every split."""
    return own_columns(0, facts)


def first_tile(split: int, facts: dict) -> range:
    """The first tile of the split, without the lanes behind the split."""
    return own_columns(split, facts)[: facts["block"]]


def whole_tiles(split: int, facts: dict) -> range:
    """The tiles that fit into the split, without the rest."""
    return own_columns(split, facts)[: facts["split_size"] // facts["block"] * facts["block"]]


def no_columns(split: int, facts: dict) -> range:
    """No column at all."""
    return range(0)


def all_lanes(split: int, facts: dict) -> range:
    """All lanes of all tiles: the last tile reaches into the next split."""
    begin, tiles = split * facts["split_size"], -(-facts["split_size"] // facts["block"])
    return range(begin, begin + tiles * facts["block"])


def to_the_end(split: int, facts: dict) -> range:
    """From the beginning of the split to the end of the row."""
    return range(split * facts["split_size"], facts["x"].shape[1])


def whole_row(split: int, facts: dict) -> range:
    """The whole row, for every split."""
    return range(facts["x"].shape[1])


def blocks_apart(split: int, facts: dict) -> range:
    """Splits that begin one block after each other."""
    return range(split * facts["block"], split * facts["block"] + facts["split_size"])


def first_split_alone(split: int, facts: dict) -> range:
    """The right columns for split 0, and none for the others."""
    return own_columns(0, facts)[: None if split == 0 else 0]


# ---- wrong formulas: the states of the splits
#
# A formula of states takes the facts of a case and gives (m, d), float32 of shape M×n_splits each.


def walked_states(update=walks.right, columns=own_columns, start=(-torch.inf, 0.0), pad: float = -torch.inf,
                  rows=lambda x: x):  # fmt: skip
    """A formula of states: every split is walked along in tiles with `update`, as in `walks.softmax`.

    columns: the columns of each split. start: the first (m, d). pad: the value of the lanes behind the row and in the
    last tile behind the split. rows: the rows of x that are read.
    """

    def compute(facts: dict) -> tuple[torch.Tensor, torch.Tensor]:
        x, found = rows(facts["x"].float()), []
        for split in range(facts["n_splits"]):
            lanes = list(columns(split, facts))
            inside = torch.tensor([c for c in lanes if c < x.shape[1]], dtype=torch.long)
            line = torch.nn.functional.pad(x[:, inside], (0, len(lanes) - len(inside)), value=pad)
            m, d = (torch.full((len(x), 1), v) for v in start)
            for tile in walks.tiles(line, facts["block"], pad) if lanes else []:
                m, d = update(m, d, tile, tile.amax(1, keepdim=True))
            found.append((m, d))
        return tuple(torch.cat(part, 1) for part in zip(*found))

    return compute


def guarded_update(m, d, tile, top):
    """`walks.right`, where the state stays (-inf, 0) as long as all values are -inf."""
    new = torch.maximum(m, top)
    shift = torch.where(new == -torch.inf, 0.0, new)
    return new, d * torch.exp(m - shift) + torch.exp(tile - shift).sum(1, keepdim=True)


def guarded_tile_maximum(m, d, tile, top):
    """`walks.tile_maximum`, where a tile that is all -inf shifts nothing."""
    shift = torch.where(top == -torch.inf, 0.0, top)
    return top, d * torch.exp(m - shift) + torch.exp(tile - shift).sum(1, keepdim=True)


def unshifted_update(m, d, tile, top):
    """The sum of exp(value), without a shift."""
    return torch.maximum(m, top), d + torch.exp(tile).sum(1, keepdim=True)


def rows_one_apart(x: torch.Tensor) -> torch.Tensor:
    """The rows that begin at element r of x, M×N; inf where they reach beyond x."""
    flat, (m, n) = x.reshape(-1), x.shape
    return torch.stack([flat[r : r + n] for r in range(m)]) if m - 1 + n <= m * n else torch.full_like(x, torch.inf)


def states_formula(compute) -> Detector:
    """Matches when both stored tensors hold the states of a wrong formula, and these are not the right ones."""

    def fits(case: Case, evidence: Evidence) -> bool:
        return _same(evidence.args[:2], compute(case.facts))

    def right(case: Case, evidence: Evidence) -> bool:
        return _same(case.facts["states"], compute(case.facts))

    def weight(case: Case, evidence: Evidence) -> float:
        pairs = zip(evidence.args[:2], case.facts["states"])
        lost = [detectors.loss_weight(got, right) for got, right in pairs if not compare.alike(got, right)]
        return max(lost, default=0.5)  # m that is right says nothing of d

    return detectors.wrong_numbers(fits, right, weight)


def _same(some, others) -> bool:
    return len(some) == len(others) and all(compare.alike(a, b) for a, b in zip(some, others))


# ---- wrong formulas: merges of the right states
#
# A merge takes all right states m and d (float32, M×n_splits each). It gives what each split subtracts from its values,
# and what it divides by: both M×1, or M×n_splits.


def merged(merge):
    """A formula (x, facts) -> y (M×N) of the softmax with this merge."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        m, d = splits.states(x, facts["n_splits"], facts["split_size"])
        shift, total = (t.float().expand(m.shape) for t in merge(m.float(), d.float()))
        which = torch.arange(x.shape[1]) // facts["split_size"]
        return torch.exp(x.float() - shift[:, which]) / total[:, which]

    return compute


def _row_max(m: torch.Tensor) -> torch.Tensor:
    return m.amax(1, keepdim=True)


def _row_sum(m: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
    return (d * torch.exp(m - _row_max(m))).sum(1, keepdim=True)


def sums_not_rescaled(m, d):
    """The sums are added without their factors."""
    return _row_max(m), d.sum(1, keepdim=True)


def factors_inverted(m, d):
    """exp(row's maximum - split's) in place of exp(split's - row's)."""
    return _row_max(m), (d * torch.exp(_row_max(m) - m)).sum(1, keepdim=True)


def own_maximum(m, d):
    """The split's maximum with the row's sum."""
    return m, _row_sum(m, d)


def own_sum(m, d):
    """The row's maximum with the split's sum."""
    return _row_max(m), d


def own_state(m, d):
    """The split's maximum with the split's sum: each split has a softmax of its own."""
    return m, d


def exchanged(m, d):
    """The sums are used as maxima, and the maxima as sums."""
    return _row_max(d), _row_sum(d, m)


def largest_sum(m, d):
    """The largest sum, without its factor."""
    return _row_max(m), d.amax(1, keepdim=True)


def largest_rescaled_sum(m, d):
    """The largest of the rescaled sums."""
    return _row_max(m), (d * torch.exp(m - _row_max(m))).amax(1, keepdim=True)


def factors_alone(m, d):
    """The factors are added, without the sums."""
    return _row_max(m), torch.exp(m - _row_max(m)).sum(1, keepdim=True)


def maxima_added(m, d):
    """The sum of the maxima in place of the largest."""
    shift = m.sum(1, keepdim=True)
    return shift, (d * torch.exp(m - shift)).sum(1, keepdim=True)


def of_row_zero(m, d):
    """The states of row 0 for every row."""
    return _row_max(m)[:1], _row_sum(m, d)[:1]


def maximum_at_least_zero(m, d):
    """Masked lanes hold a maximum of 0."""
    m0 = _row_max(m).clamp(min=0)
    return m0, (d * torch.exp(m - m0)).sum(1, keepdim=True)


def padded(pad: float):
    """The lanes without a state, behind a number of states that is no power of two, hold this maximum."""

    def merge(m, d):
        m0 = _row_max(m)
        m0 = m0.clamp(min=pad) if m.shape[1] & (m.shape[1] - 1) else m0
        return m0, (d * torch.exp(m - m0)).sum(1, keepdim=True)

    return merge


def first_states(count):
    """Only the first count(n_splits) states take part."""

    def merge(m, d):
        kept = count(m.shape[1])
        return _row_max(m[:, :kept]), _row_sum(m[:, :kept], d[:, :kept])

    return merge


# ---- wrong formulas: softmax
#
# A formula takes x and the facts of a case and gives y (M×N). NaN stands for an element that was not stored.


def first_block_of_states(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """Only the first `block` states take part: the lanes are those of a block of columns."""
    return merged(first_states(lambda n: facts["block"]))(x, facts)


def maxima_added_with_pads(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """The sum of the maxima in place of the largest, with -inf from every lane without a state."""
    full = facts["n_splits"] & (facts["n_splits"] - 1) == 0
    return merged(maxima_added)(x, facts) if full else torch.full(x.shape, torch.nan)


def stored_in(columns):
    """The right softmax in the given columns of each split; the other columns are not stored."""

    def compute(x: torch.Tensor, facts: dict) -> torch.Tensor:
        y = torch.full(x.shape, torch.nan, dtype=torch.float64)
        mine = [c for s in range(facts["n_splits"]) for c in columns(s, facts) if c < x.shape[1]]
        y[:, mine] = torch.softmax(x.double(), 1)[:, mine]
        return y

    return compute


def rounded_down(x: torch.Tensor, facts: dict) -> torch.Tensor:
    """A softmax of the columns that splits of ⌊N / n_splits⌋ columns hold; the other columns are not stored."""
    y = torch.full(x.shape, torch.nan, dtype=torch.float64)
    columns = max(x.shape[1] // facts["n_splits"], 1) * facts["n_splits"]
    y[:, :columns] = torch.softmax(x[:, :columns].double(), 1)
    return y


# ---- places of accesses: tests for `outside`

STATE_POINTERS = ("m_ptr", "d_ptr")


def _of_a_state(where: dict, facts: dict) -> bool:
    """The access is one to the states."""
    return where["tensor"] in STATE_POINTERS


def _programs_swapped(where: dict, facts: dict) -> bool:
    """Program (r, s) accesses split r of row s of x, or the states of row s."""
    row, split, _ = where["program"]
    of_a_state = _of_a_state(where, facts)
    began = split * facts["n_splits"] if of_a_state else split * facts["x_stride"] + row * facts["split_size"]
    return row != split and where["first"] == began


def _over_the_row(where: dict, facts: dict) -> bool:
    """A tile begins at its place, or whole blocks later in its split, and some of its lanes are beyond the row."""
    row, split, _ = where["program"]
    stride = facts["x_stride"] if where["op"] == "load" else facts["y_stride"]
    into = where["first"] - row * stride - split * facts["split_size"]
    if where["column"] is not None and where["column"] < 0:
        return False
    return not _of_a_state(where, facts) and 0 <= into < facts["split_size"] and into % facts["block"] == 0


def _state_misplaced(where: dict, facts: dict) -> bool:
    """An access to a state begins elsewhere than at the program's own state, or when loading, at its row's first."""
    row, split, _ = where["program"]
    place = row * facts["n_splits"] + (split if where["op"] == "store" else 0)
    return _of_a_state(where, facts) and where["first"] != place


def _from_split_zero(test):
    """The same test, on the place where the access would be if the program had split 0."""
    return lambda where, facts: test(
        where | {"first": where["first"] - where["program"][1] * facts["split_size"]}, facts
    )


# ---- stored states


def _stored_states(test) -> Detector:
    """Recognises what test(m, d, facts) does in the two tensors (M×n_splits) that 9.1 stores."""

    @looks
    def detect(args, case) -> bool:
        return len(args) > 1 and bool(test(*args[:2], case.facts))

    return detect


def _m_and_d_exchanged(m, d, facts) -> bool:
    """Recognises that m holds the sums, and d the maxima."""
    return compare.alike(m, facts["states"][1]) and compare.alike(d, facts["states"][0])


def _transposed(m, d, facts) -> bool:
    """Recognises the states in the order of splits: those of all rows' split 0 first, then those of split 1."""
    want = facts["states"][0]
    turned = want.t().reshape(want.shape)
    return compare.alike(m, turned) and not compare.alike(want, turned)


def _nan_where_empty(m, d, facts) -> bool:
    """Recognises computed NaN in those splits alone whose first tile has no number above -inf."""
    top, _ = walked_states(guarded_update, first_tile)(facts)
    nan = m.isnan() | d.isnan()
    unstored = compare.never_stored(m) | compare.never_stored(d)
    return nan.any() and not (nan & ((top > -torch.inf) | unstored)).any()


def _unstored_where_empty(m, d, facts) -> bool:
    """Recognises that only splits without a number above -inf have no state."""
    unstored = compare.never_stored(m) | compare.never_stored(d)
    return unstored.any() and not (unstored & (facts["states"][0] > -torch.inf)).any()


def _some_nan(m, d, facts) -> bool:
    """Recognises NaN in any state: not stored, or stored as NaN."""
    return m.isnan().any() or d.isnan().any()


def _wrong_where_empty(m, d, facts) -> bool:
    """Recognises wrong numbers, and no NaN, in those splits alone that have no number above -inf."""
    want = facts["states"]
    empty = want[0] == -torch.inf
    others_right = all(compare.alike(got[~empty], right[~empty]) for got, right in zip((m, d), want))
    return empty.any() and others_right and not (m.isnan() | d.isnan()).any()


def _added(number: float):
    """A test for `_stored_states`: each d is too large by this number, in empty splits and in others."""

    def test(m, d, facts) -> bool:
        top, total = (want.double() for want in facts["states"])
        off = d.double() - total - number
        near = off.abs() <= 0.3 * number + 3e-7 * total  # roundings of d
        return compare.alike(m, top) and bool(near.all()) and bool(off.mean().abs() < 0.3 * number)

    return test


@looks
def _states_right(args, states) -> bool:
    """Recognises right states; used with marks of another fault."""
    return len(args) > 1 and splits.wrong_state(args[:2], states) is None


@looks
def _one_tensor_not_stored(args, written, states) -> bool:
    """Recognises that one of the two tensors was stored, at most once a split, and the other was not."""
    untouched = [bool(t.isnan().all()) for t in args[:2]]
    return sorted(untouched) == [False, True] and written <= states[0].numel()


# ---- softmax and traces


@looks
def _softmax_right(x, got) -> bool:
    """Recognises the right softmax of x; used with marks of another fault."""
    return compare.softmax(x, got) is None


_softmax_wrong = opposite(_softmax_right)
_x_known = looks(lambda x: True)


def _touched(evidence: Evidence, op: str) -> Iterator[tuple[tuple[int, str, int, int], int]]:
    """((launch, tensor, row, column), program) of all accesses in the traced launches; op is "load" or "store"."""
    for panel in evidence.panels:
        if panel.op == op:
            for program, row, first, count in panel.touched:
                for column in range(first, first + count):
                    yield (panel.launch, panel.tensor, row, column), program


@looks
def _x_read_again(x, evidence) -> bool:
    """Recognises that more elements of x were loaded than it has."""
    return splits.read_again(x, evidence) is not None


@looks
def _loaded_from_others(evidence) -> bool:
    """Recognises that a program loads an element that another program of the same launch stores."""
    stored: dict[tuple, set[int]] = {}
    for place, program in _touched(evidence, "store"):
        stored.setdefault(place, set()).add(program)
    return any(stored.get(place, set()) - {program} for place, program in _touched(evidence, "load"))


@looks
def _updated_by_several(evidence) -> bool:
    """Recognises that two programs of a launch load the same element and store into it."""
    who: dict[tuple, dict[str, set[int]]] = {}
    for op in ("load", "store"):
        for place, program in _touched(evidence, op):
            who.setdefault(place, {"load": set(), "store": set()})[op].add(program)
    return any(len(ops["load"] & ops["store"]) > 1 for ops in who.values())


def _stored_columns(test) -> Detector:
    """Recognises what test(columns in order, split, facts) does in the stores into y of every program.

    More programs than x has rows must have stored.
    """

    @looks
    def detect(x, n_splits, case, evidence) -> bool:
        columns: dict[int, list[int]] = {}
        for (_, tensor, _, column), program in _touched(evidence, "store"):
            if tensor == "y_ptr":
                columns.setdefault(program, []).append(column)
        own = [test(sorted(kept), program % n_splits, case.facts) for program, kept in columns.items()]
        return len(own) > len(x) and all(own)

    return detect


def _all_columns(columns: list[int], split: int, facts: dict) -> bool:
    """Recognises stores into every column of the row."""
    return set(columns) == set(range(facts["x"].shape[1]))


def _in_split_zero(columns: list[int], split: int, facts: dict) -> bool:
    """Recognises stores into split 0 alone."""
    return columns[-1] < facts["split_size"]


def _from_own_beginning(columns: list[int], split: int, facts: dict) -> bool:
    """Recognises stores that begin where the program's split begins."""
    return columns[0] == split * facts["split_size"]


@looks
def _loads_beyond_split_zero(split_size, evidence) -> bool:
    """Recognises a load of x behind split 0."""
    loads = (place for place, _ in _touched(evidence, "load") if place[1] == "x_ptr")
    return any(column >= split_size for *_, column in loads)


@looks
def _no_state_loaded(panels) -> bool:
    """Recognises that no program loaded a state."""
    return not any(panel.tensor in STATE_POINTERS and panel.op == "load" for panel in panels)


@looks
def _some_not_stored(written, x) -> bool:
    """Recognises fewer stores than x has elements: then NaN in y was left there, and not stored."""
    return written < x.numel()


# ---- launches and results of a function


def _number_of_programs(test) -> Detector:
    """Recognises right numbers from a number of programs that is not accepted.

    test(programs, rows, splits, launches) selects among these.
    """

    @looks
    def detect(x, n_splits, evidence) -> bool:
        programs = splits.programs_over_the_row(x, evidence)
        accepted = splits.programs_accepted(programs, x, n_splits)
        return not accepted and test(programs, len(x), n_splits, len(evidence.launches))

    return both(_softmax_right, detect)


@looks
def _loaded_by_a_few(x, n_splits, evidence) -> bool:
    """Recognises a part of x that launches of too few programs load."""
    return splits.loaded_by_a_few(x, n_splits, evidence) is not None


@Detector
def _right_with_a_blind_program(case, evidence, answer) -> bool:
    """Recognises a failure where a program loaded zeros: then it loads for show."""
    return "blind" in case.facts and not evidence.error


def _launches_for_each_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    """Recognises at least two launches per row."""
    return programs < rows * n_splits and launches >= 2 * rows > 2


def _one_program_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    """Recognises at most as many programs as rows."""
    return 0 < programs <= rows


def _several_programs_a_row(programs: int, rows: int, n_splits: int, launches: int) -> bool:
    """Recognises more programs than rows."""
    return programs > rows


def _every_grid(test) -> Detector:
    """Recognises test(grid, rows, splits) in every launch, in cases with several splits."""

    @looks
    def detect(launches, x, n_splits) -> bool:
        fits = [test(tuple(launch["grid"][:2]), len(x), n_splits) for launch in launches]
        return n_splits > 1 and len(fits) > 0 and all(fits)

    return detect


def _behind_the_states(where: dict, facts: dict) -> bool:
    """The access is one to the states, and its first lane outside is behind the last of them."""
    return _of_a_state(where, facts) and (where.get("column") or 0) >= 0


def _of_a_state_and_a_split(where: dict, facts: dict) -> bool:
    """The access is one to the states, from a program of a split that there is."""
    return _behind_the_states(where, facts) and not _of_no_split(where, facts)


def _of_no_split(where: dict, facts: dict) -> bool:
    """For `outside`: the second number of the program is the number of no split."""
    return len(where["program"]) > 1 and where["program"][1] >= facts["n_splits"]


@looks
def _one_grid_without_splits(x, n_splits, launches) -> bool:
    """Half of the launches have a program for each split, and the others have one for each row."""
    grids = [tuple(launch["grid"][:2]) for launch in launches]
    both_kinds = n_splits > 1 and {*grids} == {(len(x), n_splits), (len(x), 1)}
    return both_kinds and 2 * grids.count((len(x), 1)) == len(grids)


def _only_launched(*names: str) -> Detector:
    """Matches if these kernels were launched, in this order, and no others, and the output is NaN."""

    launched = looks(lambda launches: tuple(launch["kernel"] for launch in launches) == names)
    return both(launched, detectors.all_nan)


@looks
def _too_few_lanes(launches, n_splits) -> bool:
    """Recognises a launch with SPLITS, the lanes for the states of a row, below n_splits."""
    lanes = (launch["constants"].get("SPLITS") for launch in launches)
    return any(isinstance(n, int) and n < n_splits for n in lanes)


@looks
def _counted_too_early(evidence) -> bool:
    """Recognises atomics that do not order a load behind the store of another program of its launch."""
    return in_parallel.counted_too_early(evidence) is not None


@looks
def _output_not_stored(launches, panels) -> bool:
    """Recognises traced launches that stored into no tensor named y..."""
    stored = any(panel.op == "store" and panel.tensor.startswith("y") for panel in panels)
    return bool(launches and panels) and not stored


# An error where the case expects none.
_unexpected_error = looks(lambda error, case: error is not None and not case.expects_error)


@looks
def _rows_nan_where_empty(x, value, n_splits, split_size) -> bool:
    """Recognises NaN in exactly the rows that have a split without a number above -inf, in all their columns."""
    if compare.kind(value, x) is not None:
        return False
    m, _ = splits.states(x, n_splits, split_size)
    empty = (m == -torch.inf).any(1)
    return bool(empty.any() and value[empty].isnan().all() and not value[~empty].isnan().any())


@looks
def _rows_nan_behind_an_empty_state(x, like_x, error, n_splits, split_size) -> bool:
    """NaN in exactly the rows whose first state is empty: -inf was subtracted from -inf. All others are right."""
    m, _ = splits.states(x, n_splits, split_size)
    return not error and detectors.only_these_nan(m[:, 0] == -torch.inf, like_x, x)


@looks
def _first_columns_right(x, like_x) -> bool:
    """Recognises that the columns before those of NaN are right, or a softmax of their own."""
    first = like_x[:, : int((~like_x[0].isnan()).sum())]
    whole, seen = torch.softmax(x.double(), 1).float(), first.shape[1]
    return compare.softmax(x[:, :seen], first) is None or compare.alike(first, whole[:, :seen])


@looks
def _one_row_finished(got) -> bool:
    """Recognises a single row that holds numbers, and all others are NaN."""
    if got.dim() != 2 or len(got) < 2:
        return False
    return int((~got.isnan()).all(1).sum()) == 1 and int(got.isnan().all(1).sum()) == len(got) - 1


# ---- text patterns


@looks
def _no_program_id_1(source) -> bool:
    """Recognises an answer without program_id(1)."""
    return re.search(r"program_id\(\s*(axis\s*=\s*)?1", source) is None


@looks
def _row_is_axis_0(source) -> bool:
    """Recognises that program_id(0) is assigned to a name with "row" in it, and program_id(1) to any name."""
    asked = re.findall(r"(\w+)\s*=\s*tl\.program_id\((?:axis\s*=\s*)?([01])\)", source)
    return any("row" in name and axis == "0" for name, axis in asked) and any(axis == "1" for _, axis in asked)


@looks
def _without_atomics(source) -> bool:
    """Recognises an answer without atomic operations."""
    return "atomic" not in source


@looks
def _waits_in_a_loop(tree, ran) -> bool:
    """Recognises an answer that never ended, with a `while` in a kernel whose condition loads or uses an atomic."""
    loops = [n for kernel in syntax.kernels(tree) for n in syntax.nodes(kernel) if isinstance(n, ast.While)]
    return not ran and any(re.search(r"tl\.(atomic_|load)", ast.unparse(loop.test)) for loop in loops)


def _load_of_states_without_other(tree: ast.AST) -> bool:
    """Recognises a load of states with a mask and no `other`; the second walk over x needs none."""
    loads = [call for call in syntax.calls(tree, "load") if any(name in ast.unparse(call) for name in STATE_POINTERS)]
    return any(syntax.load_without_other(call) for call in loads) and syntax.load_without_other(tree)


def _language_on_the_host(tree: ast.AST) -> bool:
    """Recognises a call of a function of triton.language outside of all kernels."""
    kernels = {id(n) for kernel in syntax.kernels(tree) for n in syntax.nodes(kernel)}
    called = {ast.unparse(n.func) for n in syntax.nodes(tree) if isinstance(n, ast.Call) and id(n) not in kernels}
    return any(name.startswith("tl.") for name in called - {"tl.constexpr"})


@looks
def _every_sum_is_nan(error, args) -> bool:
    """Every d that was stored is NaN."""
    return not error and bool(args[1].isnan().all())


# ---- tables: (id, detector), in the order in which they are tried


def _wrong_merge(merge) -> Detector:
    """The formula of a wrong merge. A result of nothing but NaN is ignored: most merges give it with an empty state."""
    return only_where(opposite(detectors.all_nan), formula(merged(merge)))


_MERGE = (
    ("partials-not-rescaled", _wrong_merge(sums_not_rescaled)),
    ("factor-inverted", replace(_wrong_merge(factors_inverted), share=0.0)),  # infinite sums in many cases
    ("state-swapped", _wrong_merge(exchanged)),
    ("own-split-maximum", _wrong_merge(own_maximum)),
    ("own-split-sum", _wrong_merge(own_sum)),
    ("own-split-sum", _wrong_merge(own_state)),
    *(("sums-not-added", _wrong_merge(merge)) for merge in (largest_sum, largest_rescaled_sum, factors_alone)),
    ("shift-not-max", replace(formula(merged(maxima_added)), exact=True)),
    ("shift-not-max", replace(formula(maxima_added_with_pads), exact=True)),
    ("states-misplaced", _wrong_merge(of_row_zero)),
    ("pad-zero-wins", formula(merged(maximum_at_least_zero))),
    ("pad-zero-wins", formula(merged(padded(0.0)))),
    *(("pad-finite", formula(merged(padded(pad)))) for pad in (-1e30, -3e38)),
    ("states-left-out", _wrong_merge(first_states(lambda n: 1 << (n.bit_length() - 1)))),
    ("states-left-out", _wrong_merge(first_states(lambda n: n - 1 or 1))),
    ("states-left-out", _wrong_merge(first_states(lambda n: 1))),
    ("states-left-out", formula(first_block_of_states)),
)

_ROW_STRIDES = tuple((name, outside(op, _from_split_zero(row_begins(width)))) for name, op, width in (
    ("stride-in-bytes", "load", lambda f: 4 * f["x_stride"]),
    ("stride-in-bytes", "store", lambda f: 4 * f["y_stride"]),
    ("wrong-row-stride", "load", lambda f: f["y_stride"]),
    ("wrong-row-stride", "store", lambda f: f["x_stride"]),
    ("rows-assumed-adjacent", "load", lambda f: f["x"].shape[1]),
    ("rows-assumed-adjacent", "store", lambda f: f["x"].shape[1]),
))  # fmt: skip

# Without no-pad: `_load_of_states_without_other` takes its place. Where x is not known, the causes of a missing tail
# cannot be told apart, so a case without x has no vote for it.
_SOFTMAX = (
    *(pair for pair in SOFTMAX_KERNEL if pair[0] not in ("no-pad", "tail-missing")),
    ("tail-missing", both(_x_known, detectors.tail_is_nan)),
)

# An access without a mask has no mask that could be true.
_PAST_THE_ROW = {
    op: ((f"no-{op}-mask", both(unmasked(op), outside(op, _over_the_row))), ("split-mask", outside(op, _over_the_row)))
    for op in ("load", "store")
}


def _steps_of_a_whole_row(tree: ast.AST) -> bool:
    """Recognises a loop from 0 to n_cols, by any step but 1."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 3:
            begin, end, _ = map(ast.unparse, loop.iter.args)
            if (begin, end) == ("0", "n_cols"):
                return True
    return False


PARTIAL_REMARKS = (
    (
        said(
            "Your result is right. But each program takes as many steps as the whole row needs, and in most of them "
            "all lanes are masked: so splitting the row saves no time."
        ),
        written(_steps_of_a_whole_row),
    ),
)

PARTIAL_KERNEL = (
    *KERNEL,
    ("programs-swapped", outside("load", _programs_swapped)),
    *_PAST_THE_ROW["load"],
    ("split-zero-only", _no_program_id_1),
    ("states-misplaced", outside("store", _state_misplaced)),
    ("split-read-twice", both(_states_right, _x_read_again)),
    ("state-not-stored", _one_tensor_not_stored),
    *(("number-added-to-a-state", _stored_states(_added(number))) for number in (1.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)),
    ("empty-state", _stored_states(_wrong_where_empty)),
    ("state-swapped", _stored_states(_m_and_d_exchanged)),
    ("states-misplaced", _stored_states(_transposed)),
    ("states-misplaced", both(detectors.shared, _stored_states(_some_nan))),
    ("empty-split", _stored_states(_nan_where_empty)),
    ("empty-split-unstored", _stored_states(_unstored_where_empty)),
    ("not-rescaled", states_formula(walked_states(walks.not_rescaled))),
    ("factor-inverted", both(written(syntax.factor_inverted), _every_sum_is_nan)),
    ("factor-inverted", states_formula(walked_states(walks.factor_inverted))),
    ("both-rescaled", states_formula(walked_states(walks.both_rescaled))),
    ("stale-maximum", states_formula(walked_states(walks.stale_maximum))),
    ("tile-maximum", states_formula(walked_states(walks.tile_maximum))),
    ("tile-maximum", states_formula(walked_states(guarded_tile_maximum))),
    ("start-at-zero", states_formula(walked_states(guarded_update, start=(0.0, 0.0)))),
    ("pad-zero", states_formula(walked_states(guarded_update, pad=0.0))),
    ("sum-of-exp-x", states_formula(walked_states(unshifted_update))),
    *((mistake, states_formula(walked_states(guarded_update, columns))) for mistake, columns in (
        ("splits-overlap", all_lanes),
        ("splits-overlap", to_the_end),
        ("whole-row-each", whole_row),
        ("splits-blocks-apart", blocks_apart),
        ("only-first-split", first_split_alone),
        ("split-zero-only", first_split),
        ("split-not-walked", no_columns),
        ("split-cut-short", first_tile),
        ("start-counted-in-tiles", first_tile),  # the second tile then begins behind the split
    )),
    ("split-cut-short", replace(states_formula(walked_states(guarded_update, whole_tiles)), exact=True)),
    ("row-zero-only", states_formula(walked_states(guarded_update, rows=lambda x: x[:1].expand(x.shape)))),
    ("row-stride-missing", states_formula(walked_states(guarded_update, rows=rows_one_apart))),
    *_ROW_STRIDES,
    ("no-pad", both(written(syntax.load_without_other), _stored_states(_some_nan))),
    ("nothing-stored", detectors.nothing_stored),
)  # fmt: skip

COMBINE_KERNEL = (
    *KERNEL,
    ("no-grid-barrier", _loaded_from_others),
    ("programs-swapped", outside("load", _programs_swapped)),
    *_PAST_THE_ROW["load"],
    *_PAST_THE_ROW["store"],
    ("states-misplaced", outside("load", _state_misplaced)),
    ("dead-row-zero", detectors.dead_rows_are_zero),
    ("inf-minus-inf", replace(_rows_nan_behind_an_empty_state, share=1.0)),
    *_MERGE,
    ("whole-row-each", _stored_columns(_all_columns)),
    ("stored-in-split-zero", both(_stored_columns(_in_split_zero), _loads_beyond_split_zero)),
    ("split-zero-only", both(detectors.shared, formula(stored_in(first_split)))),
    ("split-cut-short", both(_some_not_stored, formula(stored_in(first_tile)))),
    ("split-cut-short", both(_some_not_stored, formula(stored_in(whole_tiles)))),
    ("no-pad", both(written(_load_of_states_without_other), detectors.all_nan)),
    ("splits-overlap", both(detectors.shared, _stored_columns(_from_own_beginning))),
    ("splits-overlap", both(_softmax_right, detectors.shared)),
    ("states-unused", both(_softmax_right, _x_read_again, _no_state_loaded)),
    ("row-read-twice", both(_softmax_right, _x_read_again)),
    *_ROW_STRIDES,
    *ROW_KERNEL,
    *_SOFTMAX,
)

SPLIT_SOFTMAX = (
    *FUNCTION,
    ("no-kernel", looks(lambda error, launches: error is None and not launches)),
    ("tl-on-the-host", both(_unexpected_error, written(_language_on_the_host))),
    ("grid-without-splits", both(_softmax_wrong, _one_grid_without_splits)),
    (
        "grid-without-splits",
        both(_softmax_wrong, _row_is_axis_0, _every_grid(lambda grid, rows, n_splits: grid[1] == 1)),
    ),
    (
        "programs-swapped",
        both(_softmax_wrong, _row_is_axis_0, _every_grid(lambda g, rows, n_splits: g == (n_splits, rows) != g[::-1])),
    ),
    ("grid-beyond-the-splits", outside("store", _of_no_split)),
    ("output-not-stored", both(_without_atomics, _output_not_stored, detectors.all_nan)),
    ("accumulated-without-atomics", both(detectors.shared, _updated_by_several)),
    ("counted-too-early", both(_counted_too_early, opposite(_without_atomics))),
    ("one-counter", both(opposite(_without_atomics), _one_row_finished)),
    ("waits-for-others", replace(_waits_in_a_loop, endless=True)),
    ("no-grid-barrier", both(_without_atomics, _loaded_from_others)),
    ("launch-per-row", _number_of_programs(_launches_for_each_row)),
    ("one-program-a-row", _number_of_programs(_one_program_a_row)),
    ("one-program-a-row", both(_softmax_right, _loaded_by_a_few)),
    ("one-program-a-row", _right_with_a_blind_program),
    ("n-splits-ignored", _number_of_programs(_several_programs_a_row)),
    ("split-rounded-down", formula(rounded_down)),
    ("split-rounded-down", both(detectors.tail_is_nan, _first_columns_right)),
    ("states-left-out", _too_few_lanes),
    ("merged-too-early", _only_launched("combine_kernel", "partial_kernel")),
    ("states-never-made", _only_launched("combine_kernel")),
    ("empty-split", _rows_nan_where_empty),
    ("dead-row-zero", detectors.dead_rows_are_zero),
    ("states-too-few", outside("load", _behind_the_states)),
    ("states-too-few", outside("store", _of_a_state_and_a_split)),
    *_MERGE,
    ("splits-overlap", both(_softmax_right, detectors.shared, opposite(_loaded_from_others))),
    *_ROW_STRIDES,
    *ROW_KERNEL,
    *_SOFTMAX,
)
