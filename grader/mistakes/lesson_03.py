"""Mistakes in a first kernel."""

from .mistake import Mistake

MISTAKES = [
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
        "stored-in-block-zero",
        "Every program stores into the first block of y.",
        "Which elements did the program load, and which does it store to?",
    ),
    Mistake(
        "positions-stored",
        "What was stored says where elements lie, and not what they hold.",
        "Which function fetches what lies at an address?",
    ),
    Mistake(
        "width-and-stride",
        "The row stride was multiplied by the width of a row or of a block as well.",
        "How many elements lie between the beginnings of two neighbouring rows, and which parameter says so?",
    ),
    Mistake(
        "row-and-column-swapped",
        "The lanes walk down a column: neighbours in the block lie a row stride apart.",
        "Where are two neighbours in a row, and where are two neighbours in a column?",
    ),
    Mistake(
        "addresses-not-mask",
        "As many lanes are on as a row has elements, but their addresses lead out of the tensor.",
        "By hand, for program 0: which element is lane 1 there for, and which address do you compute for it?",
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
]
