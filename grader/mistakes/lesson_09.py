"""Mistakes where several programs share a row."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "programs-swapped",
        "Row and split have changed places: the kernel takes for the row what the grid counts as the split.",
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
        "Which programs have certainly ended before the first program of a launch begins?",
    ),
    Mistake(
        "accumulated-without-atomics",
        "Several programs of a launch read the same element, change it and store it back. On a GPU they do so at the "
        "same time, and the last one to store wins.",
        "Which element could each program have for itself?",
    ),
    Mistake(
        "split-read-twice",
        "The numbers are right, but each split is read twice: once for its maximum, once for its sum.",
        "Can the sum be kept while the maximum still moves?",
    ),
    Mistake(
        "whole-row-each",
        "Every program does the whole row.",
        "Which columns are those of one split, and where do they begin and end?",
    ),
    Mistake(
        "splits-blocks-apart",
        "Splits begin one block after each other, but a split may be longer than a block, or shorter.",
        "At which column does split 1 begin, and at which does split 0 end?",
    ),
    Mistake(
        "only-first-split",
        "Only the first split of each row was taken in: the programs of the others found all their lanes switched off.",
        "Which numbers of your mask are counted from the beginning of the row, and which from that of the split?",
    ),
    Mistake(
        "empty-state",
        "The state of a split without any number above -inf is not the one that changes nothing in a merge.",
        "Which maximum do no numbers at all have, and what is their sum?",
    ),
    Mistake(
        "state-not-stored",
        "One of the two numbers of the state was never stored.",
        "How many tensors does the kernel store into?",
    ),
    Mistake(
        "stored-in-split-zero",
        "Every program stores into the columns of the first split.",
        "Which column of y does lane 0 of split 1 belong to?",
    ),
    Mistake(
        "sums-not-added",
        "The sums of the splits were not added up to that of the row.",
        "Which of the states' numbers make the sum of the row, and what is done with them?",
    ),
    Mistake(
        "states-unused",
        "The numbers are right, but every program walks along x again for what the states already say.",
        "What did the first launch leave for the second?",
    ),
    Mistake(
        "grid-without-splits",
        "The grid has one number, so every program believes that it has split 0.",
        "How many numbers does a program need to know its row and its split, and how many does your grid have?",
    ),
    Mistake(
        "output-not-stored",
        "No kernel stored into the output: it still holds what it was made with.",
        "Which of the two kernels stores the output, and which line launches it?",
    ),
    Mistake(
        "refuses-too-much",
        "An input was refused that the function should take.",
        "Which rows and which numbers of splits does the exercise allow?",
    ),
    Mistake(
        "tl-on-the-host",
        "A function of triton.language was called outside of a kernel, where plain Python runs.",
        "Which module has a function of that name for the host?",
    ),
    Mistake(
        "counted-too-early",
        "A program may read a state before it is stored: nothing tells it that the program which stores it got so far.",
        "What must have happened before a program may count itself as done?",
    ),
    Mistake(
        "one-counter",
        "Only one row was finished: the programs of all rows count together, so that one of them alone comes last.",
        "Which programs have to be done before a row can be finished, and where do they count?",
    ),
    Mistake(
        "waits-for-others",
        "A program waits in a loop for others of its launch, and these may start only after it has ended.",
        "How many programs does a GPU have room for at once, and what if the one waited for is not among them?",
    ),
]
