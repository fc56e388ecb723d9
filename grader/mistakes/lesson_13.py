"""Mistakes in attention, walked along in tiles of keys."""

from .mistake import Mistake

MISTAKES = [
    Mistake(
        "accumulator-not-rescaled",
        "When the maximum rose, the sum of the weights was rescaled, and the accumulator was not.",
        "Relative to which maximum are the weights that went into o so far?",
    ),
    Mistake(
        "divided-at-every-tile",
        "The accumulator was divided before the walk was over, and added to afterwards as if it had not been.",
        "What would o have to be multiplied by before the next tile may be added to it?",
    ),
    Mistake(
        "factor-without-exp",
        "The factor is the ratio of the two maxima, and not a power of e.",
        "What is exp(s - new) divided by exp(s - m)?",
    ),
    Mistake(
        "start-finite",
        "The walk starts with a maximum that scores can lie below.",
        "What is the maximum of no values at all?",
    ),
    Mistake(
        "maximum-of-first-tile",
        "The maximum is that of the first tile, whatever the others hold.",
        "Which scores should m know of after the second tile?",
    ),
    Mistake(
        "weights-not-summed",
        "The output was divided by a sum of maxima: of each tile, only the largest weight went into l.",
        "Which weights is o made of, and which of them are in l?",
    ),
    Mistake(
        "last-tile-sum",
        "The output was divided by the sum of the newest tile alone.",
        "Which keys do the weights in o come from, and which of them are in l?",
    ),
    Mistake(
        "not-normalised",
        "The accumulator was never divided: the weights of a query do not sum to 1.",
        "What comes out when every row of v holds ones, and what should?",
    ),
    Mistake(
        "scale-forgotten",
        "The scores went into exp without the scale.",
        "What stands between q kᵀ and the softmax in the formula?",
    ),
    Mistake(
        "scaled-twice",
        "The scores were multiplied by the square of the scale; dividing by the number of columns does the same.",
        "Where does a score meet the scale on its way, and how often?",
    ),
    Mistake(
        "scale-upside-down",
        "The scores were divided by the scale.",
        "Should scores of longer vectors become larger or smaller by it?",
    ),
    Mistake(
        "scale-of-its-own",
        "The kernel works out a scale of its own and leaves the one it was given.",
        "What is the parameter scale for?",
    ),
    Mistake(
        "dot-shapes",
        "The shapes of a matrix product do not fit: the first has more or fewer columns than the second has rows.",
        "Which shape do the scores of a tile have, and which two shapes make it?",
    ),
    Mistake(
        "keys-left-out",
        "Some tiles of keys never had a say.",
        "Which keys does each step of your loop look at, and which are met by none?",
    ),
    Mistake(
        "keys-read-again",
        "The numbers are right, but keys or values are read more than once.",
        "What do you need of the earlier tiles when a new one arrives?",
    ),
    Mistake(
        "scores-stored",
        "As many numbers were kept at once as there are scores, which is what the walk should avoid.",
        "Which tensors of yours grow with the number of keys?",
    ),
    Mistake(
        "past-pytorch",
        "Numbers were taken out of their tensors, by .numpy() or .tolist(), to where nothing is counted.",
        "Which operations of PyTorch would do the same?",
    ),
    Mistake(
        "shape-not-a-tuple",
        "A shape is a tuple, even with one size.",
        "How does Python write a tuple with one element, and how one with two?",
    ),
    Mistake(
        "dtype-missing",
        "tl.zeros and tl.full also want a dtype.",
        "Which type should the numbers of that block have?",
    ),
    Mistake(
        "loop-over-a-block",
        "A loop needs one number for its end, not a block of them.",
        "How far does the program have to walk, all its queries taken together?",
    ),
    Mistake(
        "matmul-in-kernel",
        "@ is PyTorch's product; blocks of a kernel have a function for it.",
        "Which function of triton.language multiplies two blocks?",
    ),
    Mistake(
        "strides-exchanged",
        "A tensor was addressed with the row stride of another one.",
        "Which stride belongs to which pointer?",
    ),
    Mistake(
        "keys-past-the-end",
        "The last tile reaches on behind the last key.",
        "How many keys are left for the last tile, and what tells its lanes so?",
    ),
    Mistake(
        "zero-times-nan",
        "Rows of v that do not exist held anything, and a weight of 0 does not help: 0 times NaN is NaN.",
        "What should a masked lane of v hold, so that 0 times it is 0?",
    ),
    Mistake(
        "absent-keys-weigh",
        "Keys that do not exist have a weight, and one that is no number makes NaN of the whole query.",
        "What is the score of a lane behind the last key?",
    ),
    Mistake(
        "keys-for-values",
        "The weights were given to the rows of k, and v has no say.",
        "Which pointer does each of your loads begin with?",
    ),
    Mistake(
        "hidden-as-zero",
        "Hidden keys have the score 0, which has a weight like any other.",
        "Which score can neither win a maximum nor add to the sum?",
    ),
    Mistake(
        "hidden-after-exp",
        "The maximum was taken over hidden keys as well, so one of them can push the others' weights to 0.",
        "At which of the steps does a hidden key first have a say?",
    ),
    Mistake(
        "hidden-in-the-sum",
        "Hidden keys were counted in l, so what is left for the others is too little.",
        "What should the weights of a query sum to, and at which step is a hidden key still there?",
    ),
    Mistake(
        "causal-places-of-a-block",
        "Places inside a block were compared, and not the numbers of queries and keys.",
        "Which query stands first in program 1, and which key first in the second tile?",
    ),
    Mistake(
        "causal-ignored",
        "Queries look at keys that come after them.",
        "Which keys may query 0 look at when CAUSAL is on?",
    ),
    Mistake(
        "causal-off-by-one",
        "The border between seen and hidden keys is one key off.",
        "Does a query look at the key that has its own number?",
    ),
    Mistake(
        "causal-inverted",
        "Exactly the wrong keys are hidden: queries look ahead and not back.",
        "Which of the two numbers is the larger one, a query's or that of a key which it may look at?",
    ),
    Mistake(
        "half-products",
        "The numbers have about three digits: the blocks were turned into half precision before a product.",
        "Which dtype do q, k and v have, and which does tl.dot get from you?",
    ),
    Mistake(
        "tf32",
        "The numbers have about three digits: the products were made in tf32.",
        "Which argument of tl.dot says how exact its inputs are taken?",
    ),
]
