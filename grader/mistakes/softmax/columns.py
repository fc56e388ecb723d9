"""Mistakes of any row-wise softmax: the formula, and the columns of a row in a kernel."""

from __future__ import annotations

import ast

from ...checks import syntax
from ...checks.examples import like
from .. import detectors
from ..detectors import both, formula, outside, past_the_row, right_lanes_elsewhere, too_many_lanes, unmasked, written
from ..kernels import KERNEL
from ..mistake import Mistake
from ..mutant import Mutant, also, several
from . import formulas, shares

_ALONG_AXIS_0 = also("r[:, None]", "r[None, :]")

MISTAKES = [
    Mistake(
        "no-max",
        "exp left the range of float32: for a large number it gives inf, and for a very low one it gives 0.",
        "Which number does exp get for a value, and is the largest of the row subtracted in it?",
        Mutant(
            "8.3",
            "d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)",
            "d + tl.sum(tl.exp(x), axis=0)",
            then=also("tl.exp(x - m)", "tl.exp(x)"),
        ),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "tl.exp(x - ", "tl.exp(x - 0 * "),
        Mutant("16.1", "new = tl.maximum(m, tl.max(x, axis=0))", "new = 0.0"),
    ),
    Mistake(
        "subtracted-from-itself",
        "Each value was subtracted from itself: the shift is the whole row, and not one number of it.",
        "How many numbers does a row have left after its maximum was taken?",
        Mutant("4.1 5.1", "tl.exp(x - row_max)", "tl.exp(x - x)"),
    ),
    Mistake(
        "shift-after-exp",
        "The maximum was subtracted from the exponentials, and not from the exponents.",
        "Which numbers can exp take without overflow?",
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "tl.exp(x - ", "(tl.exp(x) - "),
    ),
    Mistake(
        "shift-added",
        "The maximum was added, but it should be subtracted.",
        "What does exp(x + max) do to the largest value of a row?",
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "tl.exp(x - ", "tl.exp(x + "),
        Mutant("8.1", "math.exp(x - new)", "math.exp(x + new)"),
        Mutant("8.3 9.2", "tl.exp(x - m)", "tl.exp(x + m)"),
        Mutant("8.3 9.1 16.1", "tl.exp(x - shift)", "tl.exp(x + shift)"),
        Mutant("13.2 13.3", "tl.exp(s - new[:, None])", "tl.exp(s + new[:, None])"),
        Mutant("13.1", "torch.exp(s - new)", "torch.exp(s + new)"),
    ),
    Mistake(
        "shift-not-max",
        "The shift is not the row's maximum, so exp can leave the range of float32.",
        "Which shift makes the largest exponent exactly 0?",
        several("8.3 16.1", "tl.max(x, axis=0)", "tl.min(x, axis=0)", "tl.sum(x, axis=0)"),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "tl.max(x", "tl.min(x"),
        Mutant("7.3", "tl.max(x", "tl.max(tl.where(keep != 0, x, 0.0)"),
        Mutant("4.1 5.1", "tl.max(x", "tl.max(tl.exp(x)"),
        Mutant(
            "7.1",
            "    x = x * SCALE\n    row_max = tl.max(x, axis=0)",
            "    row_max = tl.max(x, axis=0)\n    x = x * SCALE",
        ),
        several(
            "4.1 5.1 5.2 7.1 7.3 10.1 10.2",
            "tl.max(x",
            'tl.min(tl.where(mask, x, float("inf"))',
            "tl.sum(x",
            "1 / n_cols * tl.sum(tl.where(mask, x, 0.0)",
            "tl.sum(tl.where(cols == 0, x, 0.0)",
        ),
    ),
    Mistake(
        "shift-of-columns",
        "A maximum of each column was subtracted, so the values of one row were shifted by different numbers.",
        "How many maxima does a row need, and which dimension has your maximum lost?",
        Mutant("10.1", "tl.max(x, axis=1)", "tl.max(x, axis=0)", then=also("row_max[:, None]", "row_max[None, :]")),
    ),
    Mistake(
        "fixed-shift",
        "The same number was subtracted in every row, but the largest value differs from row to row.",
        "What does exp give if all values of a row are far above your number, and what if all are far below it?",
        Mutant("4.1 5.1 5.2 7.1 7.3", "tl.exp(x - row_max)", "tl.exp(x - 100.0)", replayed=False),
        Mutant("10.1", "tl.exp(x - row_max[:, None])", "tl.exp(x - 100.0)", replayed=False),
        Mutant("10.2", "tl.exp(x - tl.max(x, axis=0))", "tl.exp(x - 100.0)", replayed=False),
    ),
    Mistake(
        "shift-global-max",
        "One maximum was taken for the whole matrix: values far below it underflow to 0.",
        "Whose maximum does each row need?",
    ),
    Mistake(
        "sum-of-the-matrix",
        "One sum was taken for the whole matrix, so all elements together sum to 1, and not each row.",
        "How many sums does a matrix with 4 rows need?",
    ),
    Mistake(
        "sum-of-x",
        "The values or their distances to the maximum were added up, and not their exponentials.",
        "Which terms must the sum have, so that the outputs of a row sum to 1?",
        several("8.1", "math.exp(x - new)", "x", "x - new"),
        several("8.1", "d * math.exp(m - new) + math.exp(x - new)", "d + x", "d + x - new"),
        several("8.3 8.4 9.1", "tl.sum(tl.exp(x - shift), axis=0)", "tl.sum(x, axis=0)", "tl.sum(x - shift, axis=0)"),
        Mutant("16.1", "tl.sum(tl.exp(x - shift), axis=0)", "tl.sum(x, axis=0)"),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "tl.sum(numerator", "tl.sum(x"),
        Mutant("4.1 5.1 5.2 7.1 7.3", "tl.sum(numerator", "tl.sum(x - row_max"),
        Mutant("10.1", "tl.sum(numerator", "tl.sum(x - row_max[:, None]"),
        Mutant("10.2", "tl.sum(numerator", "tl.sum(x - tl.max(x, axis=0)"),
    ),
    Mistake(
        "no-division",
        "The exponentials are right, but the row does not sum to 1.",
        "What does a row of yours sum to?",
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "tl.exp(x - m)"),
        Mutant("4.1 5.1 5.2 7.1 7.3", "numerator / denominator", "numerator"),
        Mutant("10.1", "numerator / denominator[:, None]", "numerator"),
        Mutant("10.2", "numerator / tl.sum(numerator, axis=0)", "numerator"),
    ),
    Mistake(
        "product-for-quotient",
        "The numerator was multiplied by the sum.",
        "By what must each numerator shrink, so that the row sums to 1?",
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "numerator / ", "numerator * "),
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "tl.exp(x - m) * d"),
        Mutant("13.2 13.3", "o / l[:, None]", "o * l[:, None]"),
        Mutant("13.1", "o / l", "o * l"),
    ),
    Mistake(
        "difference-for-quotient",
        "The sum was subtracted from the numerator.",
        "By which operation do all numerators of a row shrink by the same factor?",
        Mutant("4.1 5.1", "numerator / denominator", "numerator - denominator"),
    ),
    Mistake(
        "logarithm-lost",
        "The logarithm of the sum was added to a very large maximum, and rounding in float32 removed it.",
        "In which order could you subtract the two, so that the large numbers cancel first?",
        Mutant("4.1 5.1 5.2 7.1 7.3", "numerator / denominator", "tl.exp(x - (row_max + tl.log(denominator)))"),
        Mutant("8.3 8.4 9.2", "tl.exp(x - m) / d", "tl.exp(x - (m + tl.log(d)))"),
        Mutant("10.1", "numerator / denominator[:, None]", "tl.exp(x - (row_max + tl.log(denominator))[:, None])"),
        Mutant(
            "10.2",
            "numerator / tl.sum(numerator, axis=0)",
            "tl.exp(x - (tl.max(x, axis=0) + tl.log(tl.sum(numerator, axis=0))))",
        ),
    ),
    Mistake(
        "base-two",
        "These are powers of 2, not of e.",
        "By which factor do the exponents of 2 and of e differ?",
        Mutant("8.3 8.4", "tl.exp(", "tl.exp2(", 3),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2 16.2", "tl.exp(", "tl.exp2("),
        Mutant("8.3 9.2", "tl.exp(x - m)", "tl.exp2(x - m)"),
        Mutant("8.3 9.1 16.1", "tl.exp(x - shift)", "tl.exp2(x - shift)"),
        Mutant("8.1", "math.exp(x - new)", "2.0 ** (x - new)"),
        Mutant("8.1", "math.exp(m - new) + math.exp(x - new)", "2.0 ** (m - new) + 2.0 ** (x - new)"),
    ),
    Mistake(
        "wrong-axis",
        "Columns were normalised instead of rows.",
        "Which dimension do you walk along to visit the values of one row?",
        Mutant("10.1", "axis=1)", "axis=0)", 2, then=also("x[:, None]", "x[None, :]", then=_ALONG_AXIS_0)),
        Mutant("10.1", "tl.sum(numerator, axis=1)", "tl.sum(numerator, axis=0)", then=_ALONG_AXIS_0),
    ),
    Mistake(
        "shapes-do-not-line-up",
        "Two shapes do not fit each other in this line.",
        "Which shape does each of the two have, and which dimension of the one belongs to which of the other?",
    ),
    Mistake(
        "shift-upside-down",
        "The exponents have the wrong sign: small values get the large exponentials.",
        "Which value of a row should get the largest exponential, and which exponent does your code give it?",
        Mutant("8.3 8.4 9.2", "tl.exp(x - m)", "tl.exp(m - x)"),
        Mutant("9.1 16.1", "tl.exp(x - shift)", "tl.exp(shift - x)"),
        Mutant("8.3 8.4", "tl.exp(x - shift)", "tl.exp(shift - x)", then=also("tl.exp(x - m)", "tl.exp(m - x)")),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2 16.2", "tl.exp(x - ", "tl.exp(-x + "),
        Mutant("13.2 13.3", "tl.exp(s - new[:, None])", "tl.exp(new[:, None] - s)"),
        Mutant("13.1", "torch.exp(s - new)", "torch.exp(new - s)"),
        Mutant("8.1", "math.exp(x - new)", "math.exp(new - x)"),
    ),
    Mistake(
        "no-exp",
        "The shifted values were used as they are.",
        "Which of the steps is missing?",
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "(x - m) / d"),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2 16.2", "tl.exp(x - ", "(x - "),
        Mutant("13.2 13.3", "tl.exp(s - new[:, None])", "s - new[:, None]"),
        Mutant("13.1", "torch.exp(s - new)", "s - new"),
        Mutant("13.4", "tl.exp(s - lse[:, None])", "s - lse[:, None]", 2),
    ),
    Mistake(
        "division-upside-down",
        "The division is the wrong way round.",
        "Which of the two is a sum over a row, and which is the term that is divided by it?",
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "d / tl.exp(x - m)"),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "numerator / ", "1 / numerator * "),
        Mutant("13.2 13.3", "o / l[:, None]", "l[:, None] / o"),
        Mutant("13.1", "o / l", "l / o"),
    ),
    Mistake(
        "divided-by-count",
        "The numerator was divided by the number of columns.",
        "Do the numerators of a row add up to that number?",
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "tl.exp(x - m) / n_cols"),
        Mutant("4.1 5.1 5.2 7.1 7.3", "numerator / denominator", "numerator / n_cols"),
        Mutant("10.1", "denominator[:, None]", "n_cols"),
        Mutant("10.2", "tl.sum(numerator, axis=0)", "n_cols"),
    ),
    Mistake(
        "wrong-numerator",
        "The values or their distances to the maximum were divided, and not their exponentials.",
        "Which number is divided in the formula, and which number does your line divide?",
        Mutant("4.1 5.1", "numerator / denominator", "(x - row_max) / denominator"),
        Mutant("8.3 8.4", "tl.exp(x - m) / d", "x / d"),
        Mutant("4.1 5.1 5.2 7.1 7.3 10.1 10.2", "numerator / ", "x / "),
    ),
    Mistake(
        "divided-by-maximum",
        "The numerator was divided by the maximum, and not by the sum.",
        "Which number do the numerators of a row add up to?",
        Mutant("8.3 8.4 9.2", "tl.exp(x - m) / d", "tl.exp(x - m) / m"),
        Mutant("4.1 5.1", "numerator / denominator", "numerator / row_max"),
        Mutant("13.1", "o / l", "o / m"),
        Mutant("13.2 13.3", "o / l[:, None]", "o / m[:, None]"),
    ),
    Mistake(
        "divided-by-mean",
        "The numerator was divided by the mean of the exponentials, so a row sums to the number of its columns.",
        "What should the shares of a row add up to, and what do yours add up to?",
        Mutant("8.3 8.4 9.2", "tl.exp(x - m) / d", "tl.exp(x - m) / (d / n_cols)"),
        Mutant("7.1 7.3", "tl.sum(numerator, axis=0)", "(tl.sum(numerator, axis=0) / n_cols)"),
        Mutant("4.1 5.1", "numerator / denominator", "numerator / (denominator / n_cols)"),
    ),
    Mistake(
        "quotient-for-shift",
        "The values were divided by the maximum inside exp, and the maximum should be subtracted there.",
        "Which operation inside exp makes all results of exp smaller by one and the same factor?",
        Mutant("4.1 5.1", "tl.exp(x - row_max)", "tl.exp(x / row_max)"),
    ),
    Mistake(
        "logarithm-kept",
        "These are the logarithms of the shares, and not the shares.",
        "Which of your operations takes a logarithm, and which one undoes it?",
        Mutant("4.1 5.1 7.1 7.3", "numerator / denominator", "x - row_max - tl.log(denominator)"),
        Mutant("10.1", "numerator / denominator[:, None]", "x - row_max[:, None] - tl.log(denominator)[:, None]"),
    ),
    Mistake(
        "shifts-differ",
        "Different numbers were subtracted in the numerator and in the denominator, so each row is wrong by a factor.",
        "Which number is subtracted inside the exponentials of the sum, and which one in the numerator?",
        Mutant("4.1 5.1", "numerator / denominator", "tl.exp(x) / denominator"),
        Mutant("4.1 5.1", "tl.sum(numerator, axis=0)", "tl.sum(tl.exp(x), axis=0)"),
    ),
    Mistake(
        "sum-stored",
        "Every element is the sum of its row, and not a share of it.",
        "Which of your names holds the shares, and which holds their sum?",
    ),
    Mistake(
        "sums-so-far",
        "Each element was divided by the sum of the row up to its own column, and not by the sum of the whole row.",
        "How many different numbers does your denominator hold, and how many sums has one row?",
        Mutant("4.1 5.1 5.2 7.1 7.3 10.2", "tl.sum(numerator, axis=0)", "tl.cumsum(numerator, axis=0)"),
    ),
    Mistake(
        "divided-by-itself",
        "Every element is 1, as if it had been divided by itself.",
        "Which variable is the numerator of your division, and which one is the denominator?",
    ),
    Mistake(
        "all-alike",
        "Every element of a row holds the same number.",
        "What does each lane hold before and after the division, and what does the store take?",
    ),
    Mistake(
        "number-added-to-the-sum",
        "A small number was added to the sum before the division, so every share is too small.",
        "What is exp(value - max) for the largest value of a row, and how small can the sum become?",
        *(Mutant("13.1", "return o / l", f"return o / (l + {number})") for number in ("1e-3", "1e-4", "1e-5")),
        *(Mutant("13.2", "o / l[:, None]", f"o / (l[:, None] + {number})") for number in ("1e-2", "1e-3", "1e-4")),
    ),
    Mistake(
        "not-divided-by-its-sum",
        "The numbers of a row are in the right proportion to each other, but they do not add up to 1.",
        "What do the numbers of your row add up to, and by which number is each of them divided?",
    ),
    Mistake(
        "shares-of-other-numbers",
        "The rows sum to 1, but with wrong shares: the numerators are not exp(x - max), or they come from other "
        "values, or not all of a row are divided by the same number, or shares were changed after the division.",
        "Which line makes the numerators, which values does it read, by what is each divided, and what should the "
        "largest of them be?",
    ),
]


def _one_lane_too_many(where: dict, facts: dict) -> bool:
    """For `outside`: one lane more is active than a row has columns, it alone is outside, and a mask made it so."""
    columns = facts["x"].shape[-1]
    return past_the_row(where, facts) and where["lanes"] == 1 and where["of"] == columns + 1 < facts.get("block", 0)


def _shifted_by_no_maximum(tree: ast.AST) -> bool:
    """A kernel takes exp(a - b), where b is a sum, a minimum, or the maximum of absolute values."""
    for kernel in syntax.kernels(tree):
        values = dict(syntax.assigned(kernel))
        for call in like(kernel, "_.exp(_ - _)"):
            shift = values.get(getattr(call.args[0].right, "id", ""), call.args[0].right)
            if any(syntax.calls(shift, name) for name in ("sum", "min", "abs")):
                return True
    return False


# Asked last: how the shares of a row are wrong, where nothing says why.
UNEXPLAINED = (
    ("not-divided-by-its-sum", shares.of_factors(shares.scaled, shares.proportional)),
    ("shares-of-other-numbers", shares.shares_of_other_numbers),
)

# What a kernel did to memory, how it is written, and numbers with nothing of the row left. Exercises whose mistakes are
# mutants need no more.
SOFTMAX_PLACES = (
    *KERNEL,
    ("addresses-not-mask", outside("any", right_lanes_elsewhere)),
    ("mask-one-too-far", outside("any", _one_lane_too_many)),
    ("no-store-mask", both(unmasked("store"), outside("store", too_many_lanes))),
    ("no-load-mask", both(unmasked("load"), outside("load", too_many_lanes))),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-pad", detectors.no_pad(detectors.all_nan)),
    ("fixed-shift", written(syntax.shifted_by_a_constant)),
    ("shift-not-max", both(written(_shifted_by_no_maximum), detectors.all_nan)),
    ("output-read-as-input", both(written(syntax.loads_from_output), detectors.all_nan)),
    ("tail-missing", detectors.tail_is_nan),
    ("sum-stored", formula(formulas.row_sum_everywhere)),
    ("product-for-quotient", formula(formulas.times_the_sum)),
    ("divided-by-itself", formula(formulas.ones)),
    ("all-alike", detectors.rows_constant),
    *(("number-added-to-the-sum", shares.summand(extra)) for extra in (1e-2, 1e-3, 1e-4, 1e-5)),
    *UNEXPLAINED,
)

SOFTMAX_KERNEL = (
    *SOFTMAX_PLACES,
    ("pad-finite", both(detectors.ragged, detectors.lowest_lost)),
    ("pad-finite", formula(formulas.pad_lowest)),
    ("pad-zero", formula(formulas.pad_zero)),
    ("no-max", formula(formulas.no_max)),
    ("sum-of-x", formula(formulas.sum_of_x)),
    ("sum-of-x", formula(formulas.sum_of_shifted)),
    ("shift-upside-down", formula(formulas.shift_upside_down)),
    ("no-exp", formula(formulas.no_exp)),
    ("no-division", formula(formulas.no_division)),
    ("logarithm-lost", formula(formulas.logarithm_lost)),
    ("division-upside-down", formula(formulas.division_upside_down)),
    ("divided-by-count", formula(formulas.divided_by_count)),
    ("wrong-numerator", formula(formulas.wrong_numerator)),
    ("base-two", formula(formulas.base_two)),
    ("shift-not-max", formula(formulas.shifted_by(lambda x: x.mean(1, keepdim=True)))),
    ("shift-not-max", formula(formulas.shifted_by(lambda x: x.amin(1, keepdim=True)))),
)
