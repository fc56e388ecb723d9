"""Mistakes with several rows a program, and in counting the programs that fit on a GPU."""

from .mistake import Mistake

MISTAKES = [
    # ---- a tile of rows
    Mistake(
        "lined-up-with-columns",
        "A block with one value a row met a tile and was lined up with its columns, or with nothing.",
        "Which shape does that block have, and which one would line up with the rows of the tile?",
    ),
    Mistake(
        "column-numbers-stood-up",
        "A reduction left one number a column, and [:, None] set them up as if there were one a row.",
        "Which axis did the reduction take away, and which one is left?",
    ),
    Mistake(
        "tile-roles-swapped",
        "Rows and columns have changed places, in an address or in a mask.",
        "Which of your two index blocks counts rows, and which stride and which limit belong to it?",
    ),
    Mistake(
        "whole-tile-reduced",
        "The reduction took in the whole tile, so its rows share one number.",
        "How many maxima does a tile have, and how many sums?",
    ),
    Mistake(
        "rows-past-the-end",
        "The access goes on past the last row.",
        "How many rows are left for the last program, and what tells its lanes so?",
    ),
    Mistake(
        "columns-past-the-end",
        "The access has a mask, and goes on past the last column all the same.",
        "Which of the matrix's two edges does your mask know?",
    ),
    Mistake(
        "columns-a-stride-apart",
        "Neighbours in a row were looked for a whole row stride apart.",
        "How far apart in memory are two neighbours in a row, and how far two neighbours in a column?",
    ),
    Mistake(
        "mask-or",
        "The mask lets a lane through that has a row but no column, or a column but no row.",
        "Which of your two conditions must hold for an element to exist: one of them, or both?",
    ),
    Mistake(
        "tiles-apart",
        "A program begins further on than the tile before it ends, so the rows in between have no program.",
        "At which row does program 1 begin, and how many rows does program 0 have?",
    ),
    Mistake(
        "first-tile-only",
        "Every program works on the first tile of rows.",
        "Which row does the tile of program 1 begin with?",
    ),
    Mistake(
        "tiles-overlap",
        "Each program begins one row after the one before it, but has several rows.",
        "How many rows do the programs before this one take care of?",
    ),
    # ---- a walk from row to row
    Mistake(
        "one-row-each",
        "Each program did one row, and then stopped.",
        "Who takes care of the rows after that, when there are fewer programs than rows?",
    ),
    Mistake(
        "row-of-the-program",
        "The loop goes on to the next row, but an address stays at the row that the program began with.",
        "Which variable changes from step to step, and which addresses look at it?",
    ),
    Mistake(
        "programs-share-rows",
        "All programs walk over the same rows, and the rows in between belong to nobody.",
        "Which row should program 1 begin with?",
    ),
    Mistake(
        "last-rows-missing",
        "The rows were divided evenly, and the few that are left over have no program.",
        "How many rows would each program take if 5 rows were shared by 3 programs?",
    ),
    Mistake(
        "stored-after-the-loop",
        "Each program loaded all of its rows, and stored only the last of them.",
        "Which lines belong to every row, and which of them stand behind the loop?",
    ),
    Mistake(
        "mask-moves-with-the-row",
        "The mask gets smaller from row to row, as if the number of the row were part of the column's.",
        "Which columns does row 1 have, and does that depend on the row?",
    ),
    Mistake(
        "rows-left-out",
        "Some rows were taken by no program.",
        "Which row does each program take next, and where does each of them stop?",
    ),
    Mistake(
        "carried-to-the-next-row",
        "The maximum or the sum of one row lived on, and the program's next row got it as well.",
        "What should each variable of the loop hold when a new row begins?",
    ),
    # ---- how many programs fit
    Mistake(
        "divided-by-zero",
        "A kernel may use no shared memory at all, and then that stock was divided by zero.",
        "How many programs can be there at once as far as a stock goes that none of them uses?",
    ),
    Mistake(
        "fallback-missing",
        "Where an entry of props or n_regs is missing or 0, be it only one, a fixed number of programs was agreed.",
        "Which number does the docstring name, and which entries does your answer look at before it computes?",
    ),
    Mistake(
        "programs-not-whole",
        "A grid takes whole numbers, and this is none.",
        "Which operator divides whole numbers and leaves a whole number?",
    ),
    Mistake(
        "one-multiprocessor",
        "This is the number for a single multiprocessor.",
        "How many multiprocessors does the device have?",
    ),
    Mistake(
        "multiprocessors-pooled",
        "The stocks of all multiprocessors were thrown together, as if a program could lie on two of them.",
        "What happens to the remainder that is left on each multiprocessor?",
    ),
    Mistake(
        "largest-limit",
        "The most plentiful stock was asked, and not the scarcest.",
        "What does a multiprocessor run out of first?",
    ),
    Mistake(
        "programs-rounded-up",
        "The number of programs was rounded up, and the last of them only fits in part.",
        "Can a program start with a part of what it takes?",
    ),
    Mistake(
        "warps-of-32",
        "A warp was taken to have 32 threads, and on this device it has more.",
        "Which entry of props says how many threads a warp has?",
    ),
    Mistake(
        "registers-not-in-units",
        "The registers were counted one by one, but a warp gets them in whole units.",
        "How many registers does a warp take up that needs one more than a unit has?",
    ),
    Mistake(
        "units-rounded-down",
        "The part of a unit that was left over at the end was dropped, but a warp needs those registers, too.",
        "How many registers does a warp take up that needs one more than a unit has?",
    ),
    Mistake(
        "units-of-another",
        "The registers were rounded up to whole units, but not those of one warp.",
        "Who is given whole units: a thread, a warp, or a program?",
    ),
    Mistake(
        "numbers-of-one-device",
        "A number of the H200 was used, and this device has another.",
        "Which number in your code would be different on another device, and which entry of props holds it?",
    ),
    Mistake(
        "shared-zero-counted",
        "A kernel that takes no shared memory got a number as if something were missing.",
        "`shared` is 0: is that a gap, a limit, or neither?",
    ),
    Mistake(
        "registers-undercounted",
        "More programs were counted than there are registers for: n_regs is what one thread takes.",
        "How many threads does a program have, from num_warps and warpSize?",
    ),
    Mistake(
        "shared-memory-ignored",
        "More programs were counted than there is shared memory for.",
        "Which parameter says how many bytes of it one program takes?",
    ),
    Mistake(
        "thread-limit-ignored",
        "More programs were counted than a multiprocessor has room for threads.",
        "Which entry of props limits the threads, and how many does one program bring?",
    ),
    Mistake(
        "program-limit-ignored",
        "More programs were counted than a multiprocessor takes, however small they are.",
        "Which entry of props have you not used yet?",
    ),
]
