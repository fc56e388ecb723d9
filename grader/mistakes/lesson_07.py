"""Mistakes with dtypes, tolerances and entries left out."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "bf16-arithmetic",
        "bfloat16 arithmetic keeps 8 significant bits on a GPU; interpreted, it would compute with the bit patterns.",
        "In which dtype should the differences, the exponentials and the sum be, and from which line on?",
    ),
    Mistake(
        "half-exp",
        "tl.exp takes float32 and float64, and this block is still in half precision.",
        "Which dtype does the block have, and in which line could it change?",
    ),
    Mistake(
        "computed-before-cast",
        "Something was computed in half precision before the cast: its rounding error is multiplied on its way "
        "through exp.",
        "Which operation stands between your load and your cast?",
    ),
    Mistake(
        "cast-back-early",
        "The numerator was rounded to half precision, and the quotient once more.",
        "How many roundings to half precision does a value meet on its way, and how many must it?",
    ),
    Mistake(
        "low-precision-sum",
        "The sum of the row, or 1 over it, was rounded to half precision, or made of terms that were.",
        "Which dtype do the terms of your sum have, and the sum itself?",
    ),
    Mistake(
        "another-dtype",
        "The result went through the other half precision before it was stored.",
        "Who knows which dtype the output has: the kernel, or its pointer?",
    ),
    Mistake(
        "row-in-another-dtype",
        "The row went through the other half precision: bfloat16's range does not fit into float16, and float16's "
        "digits do not fit into bfloat16.",
        "Which dtype has the range of both and the digits of both?",
    ),
    Mistake(
        "clamped",
        "Values that differ came out alike, as if all beyond some border were the same.",
        "How large can a bfloat16 be, and which line of yours does not let it?",
    ),
    Mistake(
        "tolerance-not-numbers",
        "Two numbers were expected, rtol and atol, neither of them negative.",
        "What are the two things the docstring promises?",
    ),
    Mistake(
        "tolerance-zero",
        "No difference at all is allowed, and even a right result is rounded.",
        "By how much may a value move when it is rounded to this dtype?",
    ),
    Mistake(
        "tolerances-swapped",
        "The two numbers have changed places: the other way round, they pass here.",
        "Which of the two is multiplied by the expected value?",
    ),
    Mistake(
        "one-tolerance",
        "The same tolerance was given for every dtype.",
        "How many digits does each of the three dtypes have?",
    ),
    Mistake(
        "atol-vacuous",
        "The outputs of a row of n are about 1/n, and this atol is not small beside that: a wrong row passes.",
        "How large is the largest output of the row named above, and how large is your atol?",
    ),
    Mistake(
        "rtol-loose",
        "This rtol is far beyond what rounding does: a wrong row passes, whatever atol is.",
        "By which part of itself does rounding to this dtype move a value?",
    ),
    Mistake(
        "subnormals-forgotten",
        "Values below float16's smallest normal number lie a fixed distance apart, however small they are.",
        "How far apart are two neighbours there, and which of your two numbers must cover half of it?",
    ),
    Mistake(
        "tolerance-strict",
        "A careful result is refused: its rounding alone is more than this tolerance allows.",
        "What is the relative error of float32 arithmetic on such a row, and of rounding its result to this dtype?",
    ),
    Mistake(
        "mask-of-numbers",
        "A load or store takes a mask of true and false, and this one holds numbers: `&` with an int8 block is int8.",
        "Which comparison turns keep into true and false?",
    ),
    Mistake(
        "keep-ignored",
        "Every entry takes part, the dropped ones too.",
        "Where does the kernel look at keep, and what becomes of the answer?",
    ),
    Mistake(
        "keep-inverted",
        "Exactly the wrong entries were left out.",
        "Which of its two values does keep have for an entry that takes part?",
    ),
    Mistake(
        "keep-row-stride",
        "The kernel looks for a row of keep in the wrong place.",
        "How far apart do two rows of keep lie, and which parameter says so?",
    ),
    Mistake(
        "dropped-after-exp",
        "The row maximum was taken over all entries, so a dropped one can be the maximum and push the others to 0.",
        "At which of the steps does a dropped entry first have a say?",
    ),
    Mistake(
        "dropped-by-arithmetic",
        "Dropped entries still take part in arithmetic: 0 times inf is NaN, inf plus -inf too, inf minus 1e9 is inf.",
        "Which function takes one value or another without computing with either?",
    ),
    Mistake(
        "dropped-in-the-sum",
        "The dropped entries were counted in the sum, so what is left for the others is too little.",
        "What should the kept entries of a row sum to, and at which step is a dropped one still there?",
    ),
    Mistake(
        "whole-block-asked",
        "`if` and `not` ask a whole block one question: neither of them chooses lane by lane.",
        "Which function takes one value or another for each lane?",
    ),
    Mistake(
        "bits-of-a-number",
        "`~` flips every bit of a number: of 1 it makes -2, and that is as true as 1.",
        "Which comparison turns keep into true and false?",
    ),
    Mistake(
        "dropped-as-zero",
        "A dropped entry takes part as the number 0.",
        "Which value can neither win a maximum nor add to the sum?",
    ),
    Mistake(
        "dropped-finite",
        "Dropped entries became some very low number: where nothing else is left, that number has a softmax.",
        "What should a row without a kept entry be, and what is that number minus itself?",
    ),
    Mistake(
        "dead-row-zero",
        "A row with nothing to share came out as zeros. That is a policy too, but not the one stated here.",
        "What does the lesson say such a row holds?",
    ),
    Mistake(
        "dropped-not-zero",
        "The kept entries are right, but a dropped one does not hold 0.",
        "What is stored where keep is 0?",
    ),
]
