"""The misconceptions a check can name: an id, one sentence that says what happened, one question. Never the fix."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A known misconception."""

    id: str
    sentence: str
    question: str


_ALL = [
    # ---- any exercise
    Mistake("todo-left", "A TODO line is still there.", "Which line of your answer still holds the word TODO?"),
    Mistake("earlier-todo", "An earlier exercise comes first.", "Which exercise does the line above name?"),
    Mistake("value-left-out", "The name is there, but it still holds a placeholder.", "What value should it have?"),
    Mistake("name-undefined", "Your answer uses a name that no cell defines.", "Where does that name come from?"),
    Mistake("not-python", "Python cannot read your answer.", "What does the line above the marked one end with?"),
    Mistake(
        "endless", "Your answer did not finish.", "Which loop of yours can go on for ever: does its variable change?"
    ),
    Mistake(
        "out-of-memory",
        "Your answer asked for more memory than the exercise gives.",
        "How many elements does your largest tensor have, for the input named above?",
    ),
    Mistake(
        "exits", "Your answer ends the Python process instead of returning.", "Who calls your function, and what for?"
    ),
    Mistake(
        "returns-nothing",
        "Your function returns nothing.",
        "Which value should the caller get back, and which line hands it over?",
    ),
    Mistake(
        "input-overwritten",
        "The input tensor was changed on the way: its owner may still need it.",
        "Which operation of yours writes into the tensor it was given?",
    ),
    Mistake(
        "library-softmax",
        "The work was left to a library operation, so there is nothing of yours to measure.",
        "Which passes does that one call hide?",
    ),
    # ---- lesson 00
    Mistake("squared", "Every value was multiplied by itself.", "What is twice 3, and what is 3 times 3?"),
    Mistake("added-two", "Two was added to every value.", "What is 10 doubled, and what is 10 plus two?"),
    Mistake("unchanged", "The input came back as it was.", "Which operation changes every element?"),
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
        "The row is loaded from memory more than once.",
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
    Mistake("not-two-numbers", "Two whole numbers were expected.", "What are the two things the docstring promises?"),
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
    Mistake("not-a-number", "This is no number.", "What type does it have?"),
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
    # ---- pads and masks
    Mistake(
        "pad-zero",
        "Masked lanes joined the sum. They were padded with 0, and exp(0 - max) is not 0.",
        "Which value v makes exp(v - max) vanish for every max?",
    ),
    Mistake(
        "no-pad",
        "Masked lanes have no value: the load has a mask and no `other`. A GPU may leave anything there.",
        "What should a lane hold that lies outside the row?",
    ),
    Mistake(
        "pad-finite",
        "A finite pad loses against most rows, not against all: a row can lie below it.",
        "Is there a value that no float is below?",
    ),
    Mistake(
        "pad-wins",
        "The pad is larger than the row's own values, or no number at all, and so becomes the maximum.",
        "What should max do when it meets a masked lane?",
    ),
    Mistake(
        "no-load-mask",
        "The load reads past the end of the row.",
        "Which lanes of the block lie inside the row, and which parameter of tl.load says so?",
    ),
    Mistake(
        "no-store-mask",
        "The store writes past the end of the row, into memory that belongs to somebody else.",
        "Which lanes of the block may be stored?",
    ),
    Mistake(
        "and-or-on-masks",
        "`and` and `or` do not combine masks lane by lane: Python looks at each mask as a whole.",
        "Which operator works on every lane?",
    ),
    Mistake(
        "mask-precedence",
        "& binds tighter than <, so the comparison is not the one you see.",
        "Where do parentheses belong in that condition?",
    ),
    Mistake(
        "tail-missing",
        "Some columns at the end of a row were never stored.",
        "Which columns does your mask switch on, and does every column have a lane?",
    ),
    # ---- rows, strides, grids
    Mistake(
        "row-stride-missing",
        "The kernel begins row r only r elements after row 0: it works on a shifted window.",
        "How far apart in memory are two neighbours in a column?",
    ),
    Mistake(
        "wrong-row-stride",
        "Input and output may have different row strides; here one was used for both.",
        "Which of the two strides says where a row of the output begins?",
    ),
    Mistake(
        "rows-assumed-adjacent",
        "The kernel begins row r after r times the number of columns, but rows may lie further apart.",
        "Which number says how far apart two rows lie?",
    ),
    Mistake(
        "block-for-stride",
        "The kernel begins row r after r whole blocks; a block is wider than a row.",
        "Which number says how far apart two rows lie?",
    ),
    Mistake(
        "stored-in-row-zero",
        "Every program stores into the first row.",
        "How does the address of a store differ from program to program?",
    ),
    Mistake(
        "rows-missing",
        "Only the first rows were written.",
        "For which rows are the lanes of your mask switched on?",
    ),
    Mistake(
        "launch-per-row",
        "Each row got a launch of its own.",
        "How many programs can one launch start, and who tells them apart?",
    ),
    Mistake(
        "stride-in-bytes",
        "The offset is 4 times too large: Triton's pointers count elements, not bytes.",
        "What does x_ptr + 1 point at?",
    ),
    Mistake(
        "row-zero-only",
        "Every program works on the first row.",
        "Where does the kernel ask which program it is?",
    ),
    Mistake(
        "column-stride",
        "The kernel assumes that neighbours in a row are neighbours in memory, for x and for y; here they are not.",
        "What does x.stride() say here, and what could the wrapper do before the launch?",
    ),
    Mistake(
        "grid-too-small",
        "Some rows were never written: too few programs were launched.",
        "How many rows are there, and how many programs?",
    ),
    Mistake(
        "grid-too-large",
        "More programs were launched than there are rows.",
        "Which number of the shape says how many programs you need?",
    ),
    Mistake(
        "grid-of-columns",
        "One program was launched for each column, not for each row.",
        "What does one program compute?",
    ),
    Mistake(
        "stored-twice",
        "The numbers are right, but elements were stored more than once: several programs did the same work.",
        "Which rows does program 1 handle, and which of them does program 0 handle too?",
    ),
    Mistake(
        "bad-num-warps",
        "num_warps must be a power of two, and a GPU takes at most 32.",
        "How many threads does that number stand for?",
    ),
    Mistake(
        "accepts-anything",
        "An input that the kernel cannot take went through without a ValueError.",
        "What does your wrapper know about x before it launches anything?",
    ),
    Mistake(
        "wrong-exception",
        "The input is refused, but not with a ValueError that says what was wrong.",
        "Which exception does Python have for a bad value, and what would help the caller?",
    ),
    # ---- block sizes
    Mistake(
        "block-is-n-cols",
        "The block has exactly as many lanes as the row has columns.",
        "Which sizes does tl.arange accept?",
    ),
    Mistake(
        "block-rounded-down",
        "The block is the power of two below the row's length, so the end of the row has no lane.",
        "Should the block be rounded down or up?",
    ),
    Mistake(
        "block-doubled",
        "A row whose length is a power of two already got a block twice as wide.",
        "What is the smallest power of two that is not less than n_cols, when n_cols is one itself?",
    ),
    Mistake("block-constant", "The block does not depend on the row's length.", "What happens when a row is longer?"),
    Mistake("block-not-int", "The block size is not an int.", "Which type does tl.arange need?"),
    Mistake("no-kernel", "No kernel was launched: PyTorch did the work.", "Which kernel of yours should do the work?"),
    Mistake(
        "wrong-shape",
        "The result does not have the shape of the input.",
        "Which operation of yours changes the shape?",
    ),
    Mistake(
        "wrong-dtype",
        "The result does not have the dtype of the input.",
        "Which dtype does a caller expect who handed you this one?",
    ),
    # ---- lesson 02
    Mistake(
        "five-passes-counted",
        "This is what the five passes move, and not what a single pass does.",
        "Which of the five steps still touch memory when a row stays on the chip from the first to the last?",
    ),
    Mistake(
        "vectors-on-chip",
        "The row maximum and the row sum are counted as if they went out to memory.",
        "Where are they while their row is on the chip?",
    ),
    Mistake("one-row-counted", "This is the traffic of one row.", "How many rows does the matrix have?"),
    Mistake(
        "one-direction",
        "Only one direction is counted.",
        "What else does a softmax do with memory, besides what you counted?",
    ),
    Mistake(
        "two-ratios",
        "Reads and writes were compared each on their own.",
        "How many elements does each version move in all, whatever the direction?",
    ),
    Mistake("ratio-upside-down", "The ratio is the wrong way round.", "Which of the two versions moves more?"),
    Mistake(
        "one-less",
        "This is the ratio less 1. It is also what the writes alone would give.",
        "How many times does the smaller number of elements fit into the larger one?",
    ),
    Mistake(
        "saving-not-ratio",
        "This says how much is saved, and not how many times as much is moved.",
        "What would you get for two versions that move the same, and what should it be?",
    ),
    Mistake(
        "rounded",
        "The number lost its digits on the way.",
        "Which operator or function of yours gives only some of the digits?",
    ),
    Mistake(
        "itemsize-forgotten",
        "These are elements divided by bytes per second.",
        "Which unit is left when elements are divided by bytes per second?",
    ),
    Mistake(
        "float32-assumed",
        "Every element was taken to have four bytes.",
        "Which parameter says how large an element is?",
    ),
    Mistake(
        "bits-not-bytes",
        "The time is off by a factor of 8.",
        "Does the bandwidth count bits or bytes?",
    ),
    Mistake(
        "not-in-seconds",
        "The time is right, but for its unit.",
        "In which unit does the bandwidth come, and in which should the time go?",
    ),
    Mistake(
        "not-a-time",
        "This number is no time.",
        "Bytes on one side, bytes per second on the other: which operation leaves seconds?",
    ),
    Mistake(
        "other-words",
        'One of two words was expected: "memory" or "compute".',
        "What exactly does each return of yours hand back?",
    ),
    Mistake(
        "always-one-answer",
        "Whatever the kernel and the card, the answer is the same.",
        "Which of the three numbers does your function look at?",
    ),
    Mistake(
        "card-left-out",
        "The same kernel gets the same word on every card.",
        "Which two numbers describe the card, and where do they enter?",
    ),
    Mistake(
        "units-do-not-match",
        "Two numbers with different units were compared.",
        "Which unit does each side of your comparison have?",
    ),
    Mistake(
        "faster-side-named",
        "The word names the side that is done first, and not the one that everybody waits for.",
        "For one byte of this kernel, which takes longer: moving it, or the arithmetic that goes with it?",
    ),
    Mistake(
        "claim-missing",
        'A dictionary with the keys "a" to "f" was expected.',
        "Which claim has no entry yet?",
    ),
    Mistake("not-true-or-false", "An entry is neither True nor False.", "Does the claim hold, or does it not?"),
    Mistake(
        "myth-believed",
        "You say that it holds. Many texts say so too.",
        "Which number of your own can you put beside it?",
    ),
    Mistake(
        "truth-doubted",
        "You say that it does not hold. This one is no myth.",
        "Which number of your own supports it?",
    ),
    # ---- lesson 06
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
    # ---- lesson 03
    Mistake(
        "mask-one-too-far",
        "The mask lets one lane too many through.",
        "Counted from 0, which is the first index outside?",
    ),
    Mistake(
        "mask-on-lanes",
        "The lanes of the last program run past the end: inside a program they are counted from 0 again.",
        "Which number says where a lane is in the whole vector, and does your mask look at that one?",
    ),
    Mistake(
        "block-zero-only",
        "Every program works on the first block.",
        "What differs from program to program, and where does your kernel ask for it?",
    ),
    Mistake(
        "blocks-overlap",
        "Each program begins one element after the one before it, not one block.",
        "How many elements do the programs before this one take care of?",
    ),
    Mistake(
        "elements-missing",
        "The last elements were never stored.",
        "For which program and which lanes is your mask true, and is every element among them?",
    ),
    Mistake(
        "pad-zero-wins",
        "The maximum of a row is 0, though no value of the row is: a masked lane won.",
        "What do your masked lanes hold, and which rows lie below that?",
    ),
    Mistake(
        "block-for-number",
        "The store has a whole block of addresses, and a row has one maximum.",
        "How many elements of y belong to one row?",
    ),
    Mistake(
        "output-spaced-like-rows",
        "The results were stored as far apart as the rows of x are, but y holds one number a row.",
        "How far apart in y are the maxima of two neighbouring rows?",
    ),
    Mistake(
        "neighbour-overwritten",
        "A program also stored into the row after its own. What it left there depends on which program ran last.",
        "Which lanes of the store lie outside the program's own row?",
    ),
    # ---- lesson 07
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
        "The sum of the row was rounded to half precision, or made of terms that were.",
        "Which dtype do the terms of your sum have, and the sum itself?",
    ),
    Mistake(
        "another-dtype",
        "The result went through the other half precision before it was stored.",
        "Who knows which dtype the output has: the kernel, or its pointer?",
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
        "The outputs of a long row are about 1/n, and this atol is not small beside that: a wrong row passes.",
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
        "Where does the kernel look at keep?",
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
        "Dropped entries still take part in arithmetic: 0 times inf is NaN, and inf minus a large number is inf.",
        "Which function takes one value or another without computing with either?",
    ),
    Mistake(
        "dropped-as-zero",
        "A dropped entry takes part as the number 0.",
        "Which value can neither win a maximum nor add to the sum?",
    ),
    Mistake(
        "dropped-finite",
        "Dropped entries became some very low number: where nothing else is left, that number has a softmax.",
        "What should a row without a kept entry be, and what does -1e9 minus -1e9 give?",
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
    # ---- lesson 08
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
        "When the maximum rose, the old sum stayed as it was; its terms belong to the old maximum.",
        "By which factor does exp(x - m) change when m changes?",
    ),
    Mistake(
        "one-side-rescaled",
        "One of the two sums was rescaled, the other added as it is.",
        "Which maximum do the terms of each sum belong to?",
    ),
    Mistake(
        "factor-inverted",
        "The factor of the old sum is upside down: a sum grows when the maximum rises.",
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
    Mistake(
        "start-at-one",
        "The sum does not start at 0, and one term too many stays in it.",
        "What is the sum of no terms at all?",
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
    # ---- Triton's own errors, in words
    Mistake(
        "illegal-access",
        "On the GPU the kernel touched memory that is not its own.",
        "Which offset differs between the CPU's run and the GPU's?",
    ),
    Mistake(
        "wrong-device",
        "A kernel on the GPU was given a tensor that lives on the CPU.",
        "On which device does the caller's tensor live, and where was yours made?",
    ),
    Mistake(
        "no-jit",
        "The function was not decorated, so there is no kernel to launch.",
        "What stands in the line above every kernel?",
    ),
    Mistake(
        "block-not-power-of-two",
        "tl.arange takes only lengths that are a power of two.",
        "What is the next power of two above the number of columns?",
    ),
    Mistake(
        "block-not-constexpr",
        "tl.arange needs its length when the kernel is compiled, not when it runs.",
        "Which annotation makes a parameter a compile-time constant?",
    ),
    Mistake(
        "block-too-large",
        "A block may hold 1048576 elements at most.",
        "How could a program walk along a longer row?",
    ),
    Mistake(
        "axis-out-of-range",
        "A block of one row has only one axis.",
        "Which number does the first axis have?",
    ),
    Mistake(
        "max-for-maximum",
        "tl.max reduces one block along an axis; its second argument is that axis.",
        "Which function compares two blocks element by element?",
    ),
    Mistake(
        "torch-in-kernel",
        "A kernel is compiled by Triton: PyTorch, NumPy and math functions do not exist inside.",
        "What is this function called in triton.language?",
    ),
    Mistake(
        "indexing-pointer",
        "Pointers are added to, and blocks are not indexed.",
        "Which expression gives the address of column c of this row?",
    ),
    Mistake(
        "no-grid",
        "A kernel was called like a function.",
        "What stands between the kernel's name and its arguments in a launch?",
    ),
    Mistake(
        "launch-arguments",
        "The launch does not fit the kernel's parameters.",
        "Which parameters does the kernel's signature name, and which did you pass?",
    ),
    Mistake(
        "signature-changed",
        "The parameters are not the ones that the exercise names.",
        "Which names and which order does the exercise give?",
    ),
    Mistake(
        "imported-by-name",
        "A function of triton.language was imported by its bare name; an interpreted kernel does not find it so.",
        "How does the rest of the lesson write that function?",
    ),
    Mistake(
        "plain-global",
        "A kernel may use a global value only when it is a tl.constexpr.",
        "What would tell the compiler that this value never changes?",
    ),
    Mistake(
        "interpret-too-late",
        "Triton was imported before it was told to interpret.",
        "Which cell has to run first after a restart?",
    ),
    Mistake(
        "loop-type-changes",
        "A variable changes its type inside a loop: it starts as a Python number and becomes a tensor.",
        "Which type should it have before the loop?",
    ),
    Mistake(
        "returns-from-kernel",
        "A kernel returns nothing to its caller: only what it stores is kept.",
        "Which pointer should the result be written to?",
    ),
    Mistake(
        "missing-argument",
        "A function was called with too few arguments.",
        "Which arguments does that function take?",
    ),
    Mistake(
        "python-builtin",
        "Python's own max, sum and the like do not work on blocks.",
        "What is this function called in triton.language?",
    ),
    Mistake(
        "grid-not-a-tuple",
        "The grid of a launch is a tuple of numbers, even when it holds one.",
        "How does Python write a tuple with one element?",
    ),
    Mistake(
        "nothing-stored",
        "Nothing was stored: every element still holds the NaN it began with.",
        "Which line hands the result back to memory, and for which lanes?",
    ),
    Mistake(
        "out-of-bounds",
        "No lane of this access is where it should be: the kernel leaves its tensor altogether.",
        "Which lanes of which program compute that address?",
    ),
    Mistake(
        "dtypes-differ",
        "Two tensors of different dtypes met in a function that wants one.",
        "Which dtype does each of the two have, and which of them should change?",
    ),
    Mistake(
        "truth-of-a-tensor",
        "A tensor with several values is neither true nor false.",
        "Is it enough if one of the values is true, or must all of them be?",
    ),
    Mistake(
        "refused-by-compiler",
        "The interpreter ran it, but Triton's compiler does not take it, so no GPU would.",
        "Which line is Python that Triton does not know?",
    ),
]

MISTAKES: dict[str, Mistake] = {m.id: m for m in _ALL}

# What Triton, PyTorch and Python say -> what it means here. The first pattern that fits names the mistake.
_TRANSLATIONS = [
    (r"must be a power of (2|two)|[Ss]hape element.*power of 2", "block-not-power-of-two"),
    (r"arange's arguments must be of type tl\.constexpr|must be.*constexpr", "block-not-constexpr"),
    (r"numel .*exceeds|exceeds triton maximum tensor numel|maximum tensor numel", "block-too-large"),
    (r"axis \[.*\] out of bounds|axis tensor.*|invalid literal for int.*axis", "max-for-maximum"),
    (r"axis -?\d+ (is )?out of bounds|invalid axis|out of bounds for (shape|array)", "axis-out-of-range"),
    (r"is a kernel: launch it with a grid|outside of the scope of a kernel", "no-grid"),
    (r"'function' object is not subscriptable", "no-jit"),
    (r"forget to add @triton\.jit", "imported-by-name"),
    (r"global variable", "plain-global"),
    (r"the launch does not fit", "launch-arguments"),
    (r"the grid of a launch is a tuple", "grid-not-a-tuple"),
    (r"missing .*required positional argument", "missing-argument"),
    (r"0 active drivers", "interpret-too-late"),
    (r"Loop-carried variable|re-assigned to .* in loop", "loop-type-changes"),
    (r"'and' and 'or'|Logical operators", "and-or-on-masks"),
    (r"can't allocate memory|Cannot allocate memory|out of memory|Unable to allocate", "out-of-memory"),
    (r"must be Tensor, not tensor|must be real number, not tensor", "torch-in-kernel"),
    (r"'(int|constexpr|tensor)' object is not (iterable|subscriptable)|unsupported tensor index", "indexing-pointer"),
    (r"computes with a bfloat16 value", "bf16-arithmetic"),
    (r"Expected dtype \['fp32', 'fp64'\] but got (fp16|bf16)", "half-exp"),
    (r"the mask of a (load|store) holds numbers", "mask-of-numbers"),
    (r"num_warps", "bad-num-warps"),
    (r"did not match (Double|Float|Half|BFloat16)|attributes? .dtype.* (is|are) not equal", "dtypes-differ"),
    (r"Boolean value of Tensor with more than one value", "truth-of-a-tensor"),
    (r"^math range error$", "exp-out-of-range"),
    (r"cannot be accessed from Triton", "wrong-device"),
    (r"illegal memory access|not supported on global/shared address space", "illegal-access"),
    (r"size of tensor a \(\d+\) must match", "shapes-do-not-line-up"),
]  # fmt: skip


def from_error(error: dict) -> str | None:
    """The mistake that an exception stands for, None when it could be anything."""
    kind, message = error["type"], error["message"]
    if kind in ("NameError", "UnboundLocalError"):
        return "name-undefined"
    if kind in ("SyntaxError", "IndentationError", "TabError"):
        return "not-python"
    if kind == "RecursionError":
        return "endless"
    if kind in ("SystemExit", "KeyboardInterrupt"):
        return "exits"
    if kind == "MemoryError":
        return "out-of-memory"
    if re.search(r"(?<![\w.])(max|min|sum|abs)\(", error["line"]) and kind == "TypeError":
        return "python-builtin"
    for pattern, mistake in _TRANSLATIONS:
        if re.search(pattern, message):
            return mistake
    return None
