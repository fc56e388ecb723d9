"""Mistakes of threads that share a row: trees, butterflies, barriers, shared memory."""

from .mistake import Mistake

MISTAKES = [
    # ---- a tree
    Mistake(
        "tree-only-result",
        "The result came back alone, without the states on the way to it.",
        "Which lists does a step make and throw away again?",
    ),
    Mistake(
        "tree-result-bare",
        "The last state is a number; the others are lists.",
        "What is a list called that has one number in it?",
    ),
    Mistake(
        "tree-one-list",
        "All states are one and the same list, which went on changing after it was kept.",
        "How many lists does your function make, and how many does it return?",
    ),
    Mistake(
        "tree-neighbours",
        "Neighbours were added to each other. The sum is right, but these are the steps of another tree.",
        "How far apart are the two numbers that the example adds first?",
    ),
    Mistake(
        "tree-not-halved",
        "The sums stand in the lower half, and the upper half came along once more.",
        "How many numbers are of use after a step?",
    ),
    Mistake(
        "tree-states-missing",
        "Every state that came back is right, but not all of them are there.",
        "How many states are there for eight numbers, the numbers themselves included?",
    ),
    # ---- a butterfly
    Mistake(
        "not-lanes", "A list with one value for each lane was expected.", "How many lanes hold the result at the end?"
    ),
    Mistake(
        "combine-ignored",
        "The lanes were added, whatever function was asked for.",
        "Where does your function call combine?",
    ),
    Mistake(
        "butterfly-in-place",
        "Lanes were changed while others of the same step still had to read them.",
        "Which value does the partner of lane 0 get when lane 0 was changed first?",
    ),
    Mistake(
        "butterfly-step-missing",
        "One step is missing, so a lane knows only half of the others.",
        "Which offsets does it take until lane 0 has heard of every lane?",
    ),
    Mistake(
        "butterfly-offsets",
        "The offsets are not powers of two, so some lanes are counted more than once.",
        "Which single bit do the numbers of two partners differ in, in each step?",
    ),
    Mistake(
        "butterfly-lane-zero",
        "Lane 0 has the result, and other lanes go on with something else.",
        "Which lanes receive a value in each step, and whose?",
    ),
    # ---- two levels
    Mistake(
        "warps-not-merged",
        "Each warp has its state, but the states of the warps were never merged.",
        "How does one warp learn what another one found?",
    ),
    Mistake(
        "threads-not-merged",
        "Every thread went on with what it found in its own columns.",
        "Whose maximum and whose sum does the softmax of a row need?",
    ),
    Mistake(
        "thread-maximum",
        "Each thread took its values relative to its own maximum, and the sum belongs to that of the row.",
        "Which maximum does the merged sum belong to?",
    ),
    Mistake(
        "states-pad-zero",
        "A lane without a warp behind it holds a maximum of 0, and that is a number like any other.",
        "Which state changes nothing when it is merged?",
    ),
    Mistake(
        "states-repeated",
        "Some states were merged more than once: their sum counts several times.",
        "What does a lane hold that has no warp behind it?",
    ),
    Mistake(
        "warps-unpadded",
        "The list that the second level was given is no full warp, and a partner was looked for behind its end.",
        "How many lanes does a warp have, however many warps there are?",
    ),
    # ---- a block
    Mistake(
        "barrier-missing",
        "One thread reads what another one stores, and nothing makes it wait until that has happened.",
        "Between which two lines of yours does every thread have to have arrived?",
    ),
    Mistake(
        "shared-reused",
        "A place in shared memory is stored to again while other threads may still want to read what was there.",
        "What does the slowest thread still have to read when the fastest one goes on?",
    ),
    Mistake(
        "shared-two-writers",
        "Several threads store different values to one place, and which of them stays is a matter of luck.",
        "Which thread should that place belong to?",
    ),
    Mistake(
        "barrier-divergent",
        "Some threads wait at a barrier that others never reach.",
        "Which condition stands around that barrier, and is it the same for all threads of the block?",
    ),
    Mistake(
        "shuffle-divergent",
        "A shuffle names lanes that are not there when it happens.",
        "Which lanes does the mask name, and which of them come to that line?",
    ),
    Mistake(
        "shared-too-small",
        "An array is shorter than what is kept in it: a block may have 1024 threads, and a warp 32 of them.",
        "How many threads, or warps, want a place in that array?",
    ),
    Mistake(
        "shared-too-large",
        "A block has only so much shared memory, and the arrays take more.",
        "How many places does a block of 1024 threads need?",
    ),
    Mistake(
        "too-many-barriers",
        "The numbers are right, but the whole block meets for every step of the reduction.",
        "Which steps take place among the 32 lanes of a warp, which can hand values to each other directly?",
    ),
    Mistake(
        "no-float4",
        "The numbers are right, but every access moves one float.",
        "What could a thread load when a row begins at a multiple of 16 bytes?",
    ),
    Mistake(
        "misaligned",
        "An access of several floats began where a GPU allows none to begin.",
        "At which addresses do the rows begin when n_cols is no multiple of four?",
    ),
    Mistake(
        "float4-tail",
        "The last columns of a row were never stored: those that are left when all groups of four are done.",
        "Which columns does no group of four hold?",
    ),
    Mistake(
        "no-stride-loop",
        "Each thread did one step, and the columns behind that have nobody.",
        "Which columns belong to thread 0 when the row has more columns than the block has threads?",
    ),
    Mistake(
        "thread-beyond-row",
        "A thread worked on a column that its row does not have.",
        "What should a thread do that has no column left?",
    ),
    Mistake(
        "thread-for-row",
        "The number of the thread was used for the row.",
        "Which of the two numbers says which row this is: that of the block, or that of the thread?",
    ),
    Mistake(
        "cuda-outside",
        "A thread computed an address outside of the matrix.",
        "Which row and which column should that thread have, and what does your line make of them?",
    ),
    Mistake(
        "wild-address",
        "A pointer leads to nothing that the kernel was given.",
        "What was the pointer in that line set to?",
    ),
    Mistake(
        "cuda-does-not-compile",
        "The compiler cannot read the kernel.",
        "What does that line lack, or the one above it?",
    ),
    Mistake(
        "kernel-not-found",
        "The text compiles, but a launch looks for its kernel by name and finds none.",
        "What stands before the kernel's name in the line that the exercise gives?",
    ),
]
