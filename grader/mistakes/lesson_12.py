"""Mistakes of threads that share a row: trees, butterflies, two levels of them."""

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
    Mistake(
        "tree-mirror",
        "Each number was added to its mirror image, counted from the end. The sum is right, but these are other steps.",
        "Which number does the example add to the first one?",
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
    Mistake(
        "butterfly-too-far",
        "A partner was looked for behind the last lane.",
        "What is the largest offset for a list of four lanes?",
    ),
    Mistake(
        "butterfly-itself",
        "Every lane was combined with itself, too.",
        "Who is the partner of a lane when the offset is 0?",
    ),
    Mistake(
        "butterfly-in-series",
        "The values are right, but they were combined one after the other.",
        "How many lanes has a lane heard of after one step, and after two?",
    ),
    # ---- two levels
    Mistake(
        "warp-is-a-list",
        "A warp's result was taken as it is: a list with the state of every lane. One state was needed.",
        "How many lanes of a warp hold its result, and how many of them do you need?",
    ),
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
]
