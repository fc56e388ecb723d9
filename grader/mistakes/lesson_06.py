"""Mistakes in inputs and tests."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "input-no-matrix",
        "The kernels take a matrix of float32 numbers, and this is none.",
        "How many dimensions and which dtype does your tensor have?",
    ),
    Mistake(
        "input-too-large",
        "This input is too large for kernels that are interpreted.",
        "How small can an input be that still shows the difference?",
    ),
    Mistake(
        "input-harmless",
        "On this input the wrong kernel is right.",
        "Which line of it is not what softmax does, and for which values does that line matter?",
    ),
    Mistake(
        "test-refuses-right",
        "The test is red on a kernel that is right: float32 rounds, and no two kernels round alike.",
        "By how much may two right results differ, relative to their size?",
    ),
    Mistake(
        "input-empty",
        "The matrix has no elements.",
        "How many rows and how many columns does your input have?",
    ),
    Mistake(
        "input-without-softmax",
        "On this input even a right kernel has no numbers to give.",
        "What is the softmax of that row, computed by hand?",
    ),
    Mistake(
        "test-refuses-pytorch",
        "The test is red even on PyTorch's own result: too strict for float32, or compared with something else.",
        "What does your comparison make of rounding, of a right value that is 0, and of a row of -inf?",
    ),
    Mistake(
        "test-calls-nothing",
        "The test never uses the function that it is given.",
        "Which line of your test runs the softmax under test?",
    ),
    Mistake(
        "test-takes-nan",
        "A kernel passes that returns nan everywhere.",
        "Is nan > 0.1 true, and is nan < 0.1?",
    ),
    Mistake(
        "test-returns",
        "The test hands its verdict back, and nobody looks at what a test returns.",
        "What does a test do when it is not content?",
    ),
    Mistake(
        "test-asserts-nothing",
        "Nothing in the test can fail.",
        "Which statement of yours would stop the test if the numbers were wrong?",
    ),
    Mistake(
        "test-few-widths",
        "Kernels that are wrong only for some numbers of columns pass.",
        "How many columns do your inputs have, and what do those numbers have in common?",
    ),
    Mistake(
        "test-few-heights",
        "Kernels that are wrong only for some numbers of rows, or for rows that differ a lot, pass.",
        "How many rows do your inputs have, and how much do the rows of one input differ?",
    ),
    Mistake(
        "test-few-layouts",
        "Kernels that are wrong only for some memory layouts pass.",
        "Where do the neighbours of an element of your inputs lie in memory?",
    ),
    Mistake(
        "test-tame-values",
        "Kernels that are wrong only on unusual values pass.",
        "What are the smallest, the largest and the strangest values your inputs hold?",
    ),
    Mistake(
        "test-too-loose",
        "Kernels whose every result is off by a small share pass.",
        "How large is a typical result, and how large an error does your comparison allow?",
    ),
    Mistake(
        "test-ignores-places",
        "Kernels pass whose results have little to do with the input.",
        "What does your test compare, element by element, and how large is what it compares?",
    ),
    Mistake(
        "test-looks-once",
        "Kernels pass that are right at first sight and do harm besides, or are wrong later.",
        "What else could a call change, and would a second call with other values tell?",
    ),
]
