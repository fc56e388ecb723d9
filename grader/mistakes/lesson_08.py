"""Mistakes in a walk along a row in tiles."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "not-a-state",
        "A state is two numbers: the maximum, and the sum that belongs to it.",
        "What does the docstring promise to return?",
    ),
    Mistake("state-swapped", "The two numbers have changed places.", "In which order does the docstring name them?"),
    Mistake(
        "walked-twice",
        "The maximum is there, and nothing was left for the sum: the numbers can be walked along only once.",
        "What do you know of the sum while you are still looking for the maximum?",
    ),
    Mistake(
        "not-rescaled",
        "A sum was added as it is, though its terms belong to another maximum.",
        "By which factor does exp(x - m) change when m changes?",
    ),
    Mistake(
        "maximum-not-kept",
        "The new maximum is used once and then forgotten: the next step starts from the old one.",
        "What does m hold when the next value comes?",
    ),
    Mistake(
        "wider-than-a-tile",
        "An access has more lanes than the launch gave the kernel: this is one block again, and not a walk in tiles.",
        "What happens to your kernel when the row grows beyond that width?",
    ),
    Mistake(
        "one-side-rescaled",
        "One of the two sums was rescaled, the other added as it is.",
        "Which maximum do the terms of each sum belong to?",
    ),
    Mistake(
        "factor-inverted",
        "The factor is upside down: with yours, a sum grows when the maximum rises.",
        "Is exp(x - m) larger or smaller after m has risen?",
    ),
    Mistake(
        "both-rescaled",
        "The new terms were rescaled together with the old ones.",
        "Which maximum do the new terms belong to already?",
    ),
    Mistake(
        "stale-maximum",
        "The new terms are taken relative to the old maximum.",
        "Which maximum should all terms of the new sum belong to?",
    ),
    Mistake(
        "tile-maximum",
        "The maximum kept is that of the newest part alone: it can go down, and then the old sum's factor explodes.",
        "What is the largest value of everything seen so far?",
    ),
    Mistake(
        "start-at-zero",
        "The walk starts with a maximum of 0, which no value below 0 ever beats.",
        "What is the maximum of no values at all?",
    ),
    Mistake("maxima-added", "The two maxima were added.", "What is the largest value of both parts together?"),
    Mistake(
        "inf-minus-inf",
        "-inf minus -inf has no value, and NaN never goes away again.",
        "What is the factor of a sum that is still empty?",
    ),
    Mistake(
        "exp-out-of-range",
        "exp was asked for a number that no float holds.",
        "Which of your exponents can be positive, and is that one a difference to the maximum?",
    ),
    Mistake(
        "first-tile-minus-inf",
        "Rows that begin with a whole tile of -inf become NaN, though the rest of the row has a softmax.",
        "What is exp(m - new m) while both are still -inf?",
    ),
    Mistake(
        "tile-mask",
        "The last tile reaches past the end of the row: its mask does not know where the tile begins.",
        "Which column does lane 0 of the last tile have?",
    ),
    Mistake(
        "last-tile-maximum",
        "The second walk uses the maximum of the last tile.",
        "Which maximum does the final sum belong to?",
    ),
    Mistake("only-first-tile", "Only the first tile of each row was stored.", "How many tiles does a row have?"),
    Mistake(
        "last-tile-missing",
        "The end of each row was never stored: the tiles that fit are done, the rest is not.",
        "How many steps does your loop take when the last tile is only partly filled?",
    ),
    Mistake(
        "walks-too-many",
        "The numbers are right, but the row is walked along more often than twice.",
        "Which two walks are needed, and what does each of them find out?",
    ),
]
