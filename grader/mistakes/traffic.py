"""Mistakes in the number of elements that an answer moves, and in counting them."""

from .mistake import Mistake

MISTAKES = [
    # ---- measured
    Mistake(
        "more-traffic",
        "The numbers are right, but more was moved than it takes.",
        "Which of your operations reads or writes something that need not move?",
    ),
    Mistake(
        "less-traffic",
        "The numbers are right, but this is not the algorithm asked for: it moves less.",
        "Which of the passes did you merge?",
    ),
    Mistake(
        "row-read-twice",
        "The same elements are loaded from memory more than once.",
        "Where does the first load's result live after the first use?",
    ),
    Mistake(
        "intermediate-stored",
        "An intermediate result is written to memory and not only the output.",
        "Who reads that intermediate, and does it have to leave the chip for that?",
    ),
    # ---- counted
    Mistake(
        "vectors-forgotten",
        "The passes over the whole matrix are counted, but not every vector of M elements.",
        "What do the row maximum and the row sum cost to write, and to read again?",
    ),
    Mistake(
        "matrix-miscounted",
        "The elements of the whole matrix are counted too often, too rarely, or not as m times n.",
        "How many elements does the matrix have, and how often does each of them travel in that direction?",
    ),
    Mistake(
        "vectors-miscounted",
        "The elements of the matrix are counted right, and the count is off by a few vectors or single numbers.",
        "What moves besides the matrix, if anything does, and how many elements does it have?",
    ),
    Mistake(
        "vectors-of-n",
        "The vectors are counted with one element a column.",
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
        "What are the two things the docstring promises?",
    ),
]
