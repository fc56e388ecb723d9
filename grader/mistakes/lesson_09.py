"""Mistakes where several programs share a row."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "programs-swapped",
        "Row and split have changed places: the kernel asks for the row where it is told the split.",
        "Which number of the grid counts rows, and which counts splits?",
    ),
    Mistake(
        "split-mask",
        "Lanes beyond the end of the row are still on: the last split of a row may reach over it.",
        "Which column does the last lane of the last split have?",
    ),
    Mistake(
        "split-zero-only",
        "Every program works on the first split of its row.",
        "At which column does a split begin, and where does your kernel ask which split it has?",
    ),
    Mistake(
        "splits-overlap",
        "Some columns belong to two splits: a program went on where the next one's columns begin.",
        "Which is the last column of a split when no block divides its length?",
    ),
    Mistake(
        "split-cut-short",
        "Each split was walked along only in part: what is behind its whole blocks belongs to it too.",
        "How many steps does a walk over a split take, and how many of its columns does it meet?",
    ),
    Mistake(
        "empty-split",
        "A split or a block without any number above -inf turned into NaN.",
        "What is -inf minus -inf, and which state should nothing at all have?",
    ),
    Mistake(
        "states-misplaced",
        "A state is not where it belongs: it was stored, or looked for, in another row's or another split's place.",
        "How many states lie before those of row r?",
    ),
    Mistake(
        "states-left-out",
        "Some states of the row never took part in the merge.",
        "How many states does a row have, and how many lanes look at them?",
    ),
    Mistake(
        "states-too-few",
        "The tensor of the states has no place for all of them.",
        "How many programs store a state, over all rows and splits?",
    ),
    Mistake(
        "partials-not-rescaled",
        "The sums of the splits were added as they are, but each belongs to the maximum of its own split.",
        "Relative to which maximum may all of them be added?",
    ),
    Mistake(
        "own-split-maximum",
        "The values were taken relative to their own split's maximum, the sum relative to the row's.",
        "Which maximum does the merged sum belong to?",
    ),
    Mistake(
        "own-split-sum",
        "Each split was divided by its own sum, so the row does not sum to 1.",
        "Which columns should add up to 1?",
    ),
    Mistake(
        "split-rounded-down",
        "The splits together are shorter than the row: its last columns belong to none of them.",
        "How long are all splits together when n_splits does not divide the row?",
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
        "Which programs have certainly ended before the first program of a launch begins?",
    ),
    Mistake(
        "accumulated-without-atomics",
        "Several programs of a launch read the same element, change it and store it back. On a GPU they do so at the "
        "same time, and the last one to store wins.",
        "Which element could each program have for itself?",
    ),
]
