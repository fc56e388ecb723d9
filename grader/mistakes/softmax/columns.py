"""The mistakes that any row-softmax kernel can meet, in the order they are tried."""

from __future__ import annotations

from ...checks import syntax
from .. import detectors
from ..detectors import both, formula, outside, past_the_row, written
from . import formulas

# What any kernel can meet, whatever it computes.
KERNEL = (
    ("and-or-on-masks", written(syntax.boolean_on_masks)),
    ("mask-precedence", written(syntax.loose_ampersand)),
    ("torch-in-kernel", written(syntax.foreign_module)),
    ("returns-from-kernel", written(syntax.kernel_returns)),
)

SOFTMAX_KERNEL = (
    *KERNEL,
    ("no-store-mask", outside("store", past_the_row)),
    ("no-load-mask", outside("load", past_the_row)),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
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
    ("tail-missing", detectors.tail_is_nan),
)
