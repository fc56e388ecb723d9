"""Mistakes in the number of elements that an answer moves, and in counting them."""

from .mistake import Mistake

MISTAKES = [
    # ---- measured
    Mistake(
        "more-traffic",
        "The numbers are right, but more elements were moved than necessary.",
        "Which of your operations reads or writes something that need not move?",
    ),
    Mistake(
        "less-traffic",
        "The numbers are right, but this is not the algorithm of the exercise: it moves less.",
        "Which pass is missing or merged with another one, or reads only a part of the matrix?",
    ),
    Mistake(
        "row-read-twice",
        "The same elements are loaded from memory more than once.",
        "Which two loads bring the same element: two lines of one program, or loads of two programs?",
    ),
    Mistake(
        "intermediate-stored",
        "More is written to memory than the output: an intermediate result, or the same elements more than once.",
        "Which elements does each of your stores write, and how often does it run?",
    ),
    # ---- counted
    Mistake(
        "vectors-forgotten",
        "The passes over the whole matrix are counted, but not every vector of M elements.",
        "How many elements are moved to write the row maximum and the row sum, and to read them again?",
    ),
    Mistake(
        "matrix-miscounted",
        "For a large matrix, the count is off by more than a few vectors.",
        "How many elements does the matrix have, how often is each of them moved in that direction, and which of your "
        "terms say so?",
    ),
    Mistake(
        "vectors-miscounted",
        "The count is off by a few vectors or single numbers.",
        "Are all rows and columns of the matrix counted, and what is moved besides it?",
    ),
    Mistake(
        "vectors-of-n",
        "The vectors are counted with one element per column.",
        "Does the maximum belong to a row or to a column, and how many of those are there?",
    ),
    Mistake(
        "read-written-swapped", "Reads and writes have changed places.", "In which order does the docstring name them?"
    ),
    Mistake(
        "seven-mn",
        "7 MN is a number often quoted for the five passes; count the reads of each line again.",
        "How many of the five operations read the whole matrix?",
    ),
    Mistake(
        "bytes-not-elements",
        "These are bytes; the exercise counts elements.",
        "How many bytes does one float32 take?",
    ),
    Mistake(
        "fused-counted",
        "This is the traffic of a single pass.",
        "How often does each of the five lines touch memory?",
    ),
    Mistake(
        "not-two-numbers",
        "Two plain Python numbers were expected: a tuple (read, written).",
        "Which two numbers does the docstring promise?",
    ),
]
