"""Mistakes in the formula, in counting what it moves, and in where it overflows."""

from ..mistake import Mistake

MISTAKES = [
    # ---- the formula
    Mistake(
        "no-max",
        "exp left the range of float32: too large a number gives inf, too small a one gives 0.",
        "What can you subtract from every value of a row without changing its softmax?",
    ),
    Mistake(
        "shift-not-max",
        "The shift is not the row's maximum, so the exponents can leave the range of float32.",
        "Which shift makes the largest exponent exactly 0?",
    ),
    Mistake(
        "shift-global-max",
        "One maximum was taken for the whole matrix: a row far below it underflows to 0.",
        "Whose maximum does each row need?",
    ),
    Mistake(
        "sum-of-x",
        "The numerator was divided by the sum of the values themselves.",
        "Which quantity has to add up so that the row's outputs sum to 1?",
    ),
    Mistake(
        "no-division", "The exponentials are right, but the row does not sum to 1.", "What does a row of yours sum to?"
    ),
    Mistake(
        "logarithm-lost",
        "The logarithm of the sum was added to a maximum so large that float32 has no digit left for it.",
        "In which order could you subtract the two, so that the large numbers cancel first?",
    ),
    Mistake("base-two", "These are powers of 2, not of e.", "By which factor do the exponents of 2 and of e differ?"),
    Mistake(
        "wrong-axis",
        "Columns were normalised instead of rows.",
        "Along which dimension do the values of one row lie?",
    ),
    Mistake(
        "shapes-do-not-line-up",
        "Two shapes do not line up: PyTorch matches them from the last dimension backwards.",
        "What shape has the vector with one value a row, and what does it line up with?",
    ),
    Mistake(
        "shift-upside-down",
        "The difference is the wrong way round: small values get the large shares.",
        "Which of the two should be subtracted from the other?",
    ),
    Mistake("no-exp", "The shifted values were used as they are.", "Which of the steps is missing?"),
    Mistake(
        "division-upside-down",
        "The division is the wrong way round.",
        "Which of the two is larger, for a share below 1?",
    ),
    Mistake(
        "divided-by-count",
        "The numerator was divided by the number of columns.",
        "Do the numerators of a row add up to that number?",
    ),
    Mistake("wrong-numerator", "The row itself was divided, and not its exponentials.", "What stands above the line?"),
    # ---- traffic
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
    Mistake(
        "vectors-forgotten",
        "The passes over the whole matrix are counted, but not every vector of M elements.",
        "What do the row maximum and the row sum cost to write, and to read again?",
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
    # ---- overflow
    Mistake(
        "fifty-overflows",
        "exp(50) is about 5e21: float32 holds that easily.",
        "What is the largest float32, and which exponent reaches it?",
    ),
    Mistake(
        "last-finite",
        "At this integer exp is still finite: you have the last one that fits.",
        "What does exp give one step further?",
    ),
    Mistake(
        "not-first",
        "exp is infinite here, but it already was for a smaller integer.",
        "What does exp give one step before?",
    ),
    Mistake("dtypes-swapped", "The two dtypes have changed places.", "Which of the two dtypes reaches larger numbers?"),
    Mistake(
        "not-a-number",
        "A plain Python number was expected: an int or a float.",
        "What type does yours have?",
    ),
    Mistake(
        "not-an-integer",
        "The border itself is not asked for, but the first integer beyond it.",
        "Which integer is the first one above the value you found?",
    ),
    Mistake(
        "wrong-keys",
        'A dictionary with the keys "float32" and "float16" was expected.',
        "What does the check look up in your dictionary?",
    ),
]
