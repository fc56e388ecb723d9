"""Mistakes of a softmax kernel with float16 or bfloat16 input and output: early, repeated or missing conversions."""

from __future__ import annotations

import re

import torch

from ...sentence import said
from .. import detectors
from ..detectors import looks, written_like
from ..mistake import Mistake
from ..mutant import Mutant, also, several

_CASTS = [f".to({half}).to(tl.float32)" for half in ("tl.float16", "tl.bfloat16", "x_ptr.dtype.element_ty")]
_SUM = "axis=0)\n    y"


def _cast(old: str, new: str, casts=_CASTS, then=lambda cast: None) -> list[Mutant]:
    """A mutant for each cast to half precision and back, which takes the place of CAST in `new`."""
    return [Mutant("7.1", old, new.replace("CAST", cast), then=then(cast)) for cast in casts]


def _sum_cast(cast: str) -> Mutant:
    """A further change: the sum of the terms is rounded, too."""
    return also(_SUM, f"axis=0){cast}\n    y")


def _scaled_difference(cast: str) -> Mutant:
    """A further change: the difference is rounded, and scaled after that."""
    return also("tl.exp(x - row_max)", f"tl.exp(SCALE * (x - row_max){cast})")


MISTAKES = [
    Mistake(
        "bf16-arithmetic",
        "bfloat16 arithmetic keeps 8 significant bits on a GPU; interpreted, it would compute with the bit patterns.",
        "In which dtype should the differences, the exponentials and the sum be, and which line should change the "
        "dtype?",
    ),
    Mistake(
        "half-exp",
        "tl.exp takes float32 and float64, and this block is in half precision.",
        "Which dtype does the block have, and in which line could it change?",
    ),
    Mistake(
        "computed-before-cast",
        "A number was rounded to half precision before exp, and exp makes that rounding error larger.",
        "Which dtype does each of your numbers have between the load and exp?",
        *_cast("x * SCALE", "(x * SCALE)CAST"),
        *_cast("tl.exp(x - row_max)", "tl.exp((x - row_max)CAST)"),
        *_cast("x * SCALE", "x", then=_scaled_difference),
        *_cast(
            "float32)", "float32)\n    x = (x * 1.4426950408889634)CAST", then=lambda _: also("tl.exp(", "tl.exp2(")
        ),
    ),
    Mistake(
        "cast-back-early",
        "The numerator was rounded to half precision, and then the quotient was rounded again.",
        "How often is a value rounded to half precision on its way to the store, and how often is necessary?",
        *_cast("numerator / ", "numeratorCAST / "),
        *_cast("row_max)", "row_max)CAST"),
        *_cast("row_max)", "row_max)CAST", then=_sum_cast),
    ),
    Mistake(
        "low-precision-sum",
        "The sum of the row, its inverse, or the terms of the sum were rounded to half precision.",
        "Which dtype do the terms of your sum have, and the sum itself?",
        *_cast("tl.sum(numerator", "tl.sum(numeratorCAST"),
        *_cast("tl.sum(numerator", "tl.sum(numeratorCAST", then=_sum_cast),
        *_cast(_SUM, "axis=0)CAST\n    y"),
        *_cast("/ denominator", "* (1 / denominator)CAST"),
    ),
    Mistake(
        "scale-left-out",
        "The values were not multiplied by SCALE before exp.",
        "Of which numbers should the rows of y be the softmax, and which line makes them?",
        Mutant("7.1", "x * SCALE", "x"),
        Mutant("7.1", "x * SCALE", "x", then=also("numerator / denominator", "numerator / denominator * SCALE")),
    ),
    Mistake(
        "scale-not-once",
        "The values met SCALE twice, or were divided by it.",
        "How often does a value meet SCALE on its way to exp, and in which operation?",
        Mutant("7.1", "tl.exp(x - row_max)", "tl.exp((x - row_max) * SCALE)"),
        several("7.1", "x * SCALE", "x * SCALE * SCALE", "x / SCALE"),
    ),
    Mistake(
        "another-dtype",
        "The result was cast to the other half precision before it was stored.",
        "Which value of the kernel knows the dtype of the output?",
        *_cast("y, mask", "yCAST, mask", _CASTS[:2]),
    ),
    Mistake(
        "row-in-another-dtype",
        "The row was cast to the other half precision: float16 does not have the range of bfloat16, and bfloat16 "
        "does not have the digits of float16.",
        "Which dtype has the range of both and the digits of both?",
        *_cast(".to(tl.float32)", "CAST", _CASTS[:2]),
    ),
    Mistake(
        "pointer-cast",
        "A pointer was cast to a pointer of another dtype. This converts no number: the bytes of the elements are "
        "read as numbers of that dtype.",
        "Which of the two has to become float32: the address of an element, or its value after the load?",
    ),
    Mistake(
        "clamped",
        "Different values got the same result: all values beyond some border were replaced by the border.",
        "How large can a bfloat16 number be, and which of your lines limits it?",
    ),
]


@looks
def _clamped(x, like_x) -> bool:
    """Several values share the largest output of a row, and the right output of one of them is close to 0.

    Only inputs with a value beyond the range of float16 count.
    """
    want = torch.softmax(x.double(), 1)
    alike = (like_x > 0) & (like_x == like_x.amax(1, keepdim=True))
    return bool((x.abs() > 65504).any() and (alike & (want < 1e-6)).any() and (alike.sum(1) > 1).any())


HALF_REMARKS = (
    (
        said(
            "No line of your kernel casts. The result is right, because tl.max gives float32 for a block in half "
            "precision, and so the difference is float32, and its product with SCALE as well. A product before the "
            "difference would be in half precision."
        ),
        looks(lambda source: not re.search(r"float32|float64|fp32|fp64|\bcast\(", source)),
    ),
)

HALF_KERNEL = (
    # A pointer to elements of one fixed dtype. The inputs have two, so it is wrong for one of them.
    ("pointer-cast", written_like("_.pointer_type(_._, ...)")),
    ("no-pad", detectors.no_pad(detectors.all_nan)),
    ("clamped", _clamped),
)
