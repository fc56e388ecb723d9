"""Mistakes of CUDA kernels: barriers, shared memory, shuffles, loads of four."""

from .mistake import Mistake

MISTAKES = [
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
        "shared-unstored",
        "Shared memory was read where no thread of the block had stored, and what was found there is no number.",
        "Which places are filled before that line, and which of them does it read?",
    ),
    Mistake(
        "reduced-in-series",
        "The numbers are right, but one thread goes through what all the others left, one after the other.",
        "How many steps does a tree take for as many numbers?",
    ),
    Mistake(
        "no-shuffle",
        "The numbers are right, but the lanes of a warp never exchange their states.",
        "How does a lane get at what its partner holds, without shared memory?",
    ),
    Mistake(
        "stored-again",
        "The numbers are right, but an element is stored more than once.",
        "Which columns does the loop over single columns go through when float4s hold them all?",
    ),
    Mistake(
        "tree-threads",
        "In one step of the tree, a thread changes a place that another thread reads in that step.",
        "Which threads work in this step, and whose places do they read?",
    ),
    Mistake(
        "columns-twice",
        "Columns that a float4 holds were counted once more, one by one.",
        "At which column does the loop over single columns begin when n_cols is a multiple of four?",
    ),
    Mistake(
        "columns-never-read",
        "Some columns were never read: those that no float4 holds.",
        "Who goes through a row whose length is no multiple of four?",
    ),
    Mistake(
        "second-tree-maxima",
        "The second tree still holds the maxima.",
        "What is in shared memory when the second tree begins?",
    ),
    Mistake(
        "sum-of-differences",
        "The differences x - max were added as they are; exp is missing.",
        "Which terms does the denominator of a softmax add?",
    ),
    Mistake(
        "single-state",
        "A single number was merged with a sum of 0, and so it counts for nothing.",
        "What is the d of one number?",
    ),
    Mistake(
        "tree-result-unread",
        "The sums of all threads were added, but each of them belongs to the maximum of its own thread.",
        "Where does a thread find the maximum of the row when the first tree is done?",
    ),
    Mistake(
        "tree-step-missing",
        "One step of the tree is missing, so half of the threads were left out.",
        "How many places are still to be added up when half is 1?",
    ),
    Mistake(
        "sum-overwritten",
        "Each thread kept only the last of its terms.",
        "What happens to the sum so far when the next column comes?",
    ),
    Mistake(
        "merged-not-stored",
        "The whole block goes on with what thread 0 found alone: nothing that was merged has reached shared memory.",
        "Where does the merged state have to stand, so that the next step finds it?",
    ),
    Mistake(
        "own-sum-for-partner",
        "The partner's maximum was merged with one's own sum.",
        "Which two numbers belong to the state of the partner?",
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
        "cuda-not-allowed",
        "The compiler understands the line, and does not allow it.",
        "Which name in it is not known there, or not of the kind that is wanted?",
    ),
    Mistake(
        "kernel-not-found",
        "The text compiles, but a launch looks for its kernel by name and finds none.",
        "What stands before the kernel's name in the line that the exercise gives?",
    ),
]
