"""Mistakes of online softmax: the state (m, d), the merge of two states, and a kernel that walks in tiles."""

from __future__ import annotations

import ast
import math

from ...checks import syntax
from .. import detectors
from ..detectors import both, looks, outside, value, written
from ..mistake import Mistake
from ..mutant import Mutant, also, several
from .columns import SOFTMAX_PLACES
from .rows import ROW_PLACES

_LOADED = 'x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))\n'

_LOAD = 'x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))'
# The step of 13.2, and of 13.3, in which the accumulator grows.
_PV, _PV_HALF = 'tl.dot(p, v, input_precision="ieee")', "tl.dot(p.to(v.dtype), v)"

MISTAKES = [
    # ---- a state, and the merge of two
    Mistake(
        "not-a-state",
        "A state is two numbers: the maximum, and the sum that belongs to it.",
        "What does the docstring promise to return?",
    ),
    Mistake(
        "state-swapped",
        "The two numbers have changed places.",
        "In which order does the description name them, and in which order do you pass, store or return them?",
        Mutant("8.1", "return m, d", "return d, m"),
        Mutant(
            "8.2",
            "return m, 0.0",
            "return 0.0, m",
            then=also(
                "return m, da * math.exp(ma - m) + db * math.exp(mb - m)",
                "return da * math.exp(ma - m) + db * math.exp(mb - m), m",
            ),
        ),
    ),
    Mistake(
        "walked-twice",
        "The maximum is right, but the sum got no numbers: you can walk along the numbers only once.",
        "What do you know of the sum while you are still looking for the maximum?",
    ),
    Mistake(
        "not-rescaled",
        "A sum was added without rescaling, but its terms are relative to another maximum.",
        "By which factor does exp(x - m) change when m changes?",
        Mutant("8.1", "d * math.exp(m - new)", "d"),
        Mutant("8.2", "da * math.exp(ma - m) + db * math.exp(mb - m)", "da + db"),
        Mutant("8.3 8.4 16.1", "d * tl.exp(m - shift)", "d"),
    ),
    Mistake(
        "maximum-not-kept",
        "The maximum of a step is not kept: the next step starts with the old one.",
        "What does m hold when the next value comes?",
        Mutant("8.1 8.3 9.1", "        m = new\n", ""),
    ),
    Mistake(
        "one-side-rescaled",
        "One of the two sums was rescaled, and the other was added without rescaling.",
        "Which maximum do the terms of each sum belong to?",
        Mutant("8.2", "da * math.exp(ma - m)", "da"),
        Mutant("8.2", "db * math.exp(mb - m)", "db"),
    ),
    Mistake(
        "factor-inverted",
        "The factor is inverted: with your factor, a sum grows when the maximum grows.",
        "Is exp(x - m) larger or smaller when m is larger?",
        Mutant("8.1", "math.exp(m - new)", "math.exp(new - m)"),
        Mutant("8.1", "d * math.exp(m - new)", "d * math.exp(new - m if d else 0.0)"),
        Mutant("8.1", "if new > -math.inf:", "if True:", then=also("math.exp(m - new)", "math.exp(new - m)")),
        Mutant("8.2", "math.exp(ma - m) + db * math.exp(mb - m)", "math.exp(m - ma) + db * math.exp(m - mb)"),
        several("8.3 8.4 16.1", "tl.exp(m - shift)", "tl.exp(shift - m)", "tl.where(d == 0.0, 1.0, tl.exp(shift - m))"),
    ),
    Mistake(
        "both-rescaled",
        "The new terms were rescaled together with the old ones.",
        "Which maximum do the new terms belong to already?",
        several(
            "8.1",
            "d * math.exp(m - new) + math.exp(x - new)",
            "(d + math.exp(x - new)) * math.exp(m - new)",
            "(d + math.exp(x - new)) * (math.exp(m - new) if d else 1.0)",
        ),
        several(
            "8.3 8.4 16.1",
            "d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)",
            "(d + tl.sum(tl.exp(x - shift), axis=0)) * tl.exp(m - shift)",
            "(d + tl.sum(tl.exp(x - shift), axis=0)) * tl.where(d == 0.0, 1.0, tl.exp(m - shift))",
        ),
        Mutant("13.2", f"o * factor[:, None] + {_PV}", f"(o + {_PV}) * factor[:, None]"),
        Mutant("13.3", f"o * factor[:, None] + {_PV_HALF}", f"(o + {_PV_HALF}) * factor[:, None]"),
    ),
    Mistake(
        "stale-maximum",
        "The new terms are taken relative to the old maximum.",
        "Which maximum should all terms of the new sum belong to?",
        several(
            "8.1",
            "math.exp(x - new)",
            "math.exp(x - m)",
            "(math.exp(x - m) if m > -math.inf else math.inf)",
            "math.exp(x - m if d else 0.0)",
        ),
        several("8.3 8.4 16.1", "tl.exp(x - shift)", "tl.exp(x - m)", "tl.exp(x - tl.where(d == 0.0, shift, m))"),
    ),
    Mistake(
        "tile-maximum",
        "The maximum belongs to the newest values alone, so it can be smaller than values of before.",
        "What is the largest value of everything seen so far?",
        Mutant("8.1", "new = max(m, x)", "new = x"),
        Mutant(
            "8.1",
            "new = max(m, x)",
            "new = x",
            then=also("math.exp(m - new)", "(math.exp(m - new) if m - new < 700 else math.inf)"),
        ),
        Mutant("8.3 16.1", "tl.maximum(m, tl.max(x, axis=0))", "tl.max(x, axis=0)"),
        Mutant("13.2 13.3", "tl.maximum(m, tl.max(s, axis=1))", "tl.max(s, axis=1)"),
    ),
    Mistake(
        "newest-kept",
        "The newest number was kept as the maximum, but a number before it can be larger.",
        "What does m hold after the numbers 3 and 1?",
        Mutant("8.1", "m = new", "m = x"),
    ),
    Mistake(
        "start-at-zero",
        "The walk starts with a maximum of 0, which no value below 0 ever beats.",
        "What is the maximum of no values at all?",
        Mutant("8.1", "m, d = -math.inf", "m, d = 0.0"),
        Mutant("8.3 16.1", 'm = -float("inf")', "m = 0.0"),
    ),
    Mistake(
        "shift-kept",
        "After tiles with only -inf, the shift of 0 was kept as if it were their maximum.",
        "Which of the two numbers must the next tile be compared with: the shift or the maximum?",
        Mutant("8.3 16.1", "m = new", "m = shift"),
    ),
    Mistake(
        "shift-too-high",
        "The shift never becomes smaller than a number of your kernel, and some rows lie far below that number.",
        "How large is the exponential of each value of such a row?",
        several(
            "8.3 16.1",
            'tl.where(new == -float("inf"), 0.0, new)',
            "tl.maximum(new, -1e30)",
            "tl.maximum(new, -1e4)",
            "tl.maximum(new, 0.0)",
        ),
    ),
    Mistake(
        "start-too-high",
        "The walk starts with a maximum that some rows never reach.",
        "What is the maximum of no values at all?",
        several("8.1", "m, d = -math.inf", "m, d = 1.0", "m, d = -1000.0", "m, d = -1e9", "m, d = math.inf"),
        several("8.3 16.1", 'm = -float("inf")', "m = 1.0", "m = -1e30", 'm = float("inf")'),
        Mutant("8.3", 'm = -float("inf")', "m = -3e38"),
        Mutant("9.1", 'm = -float("inf")', 'm = float("inf")'),
        several("8.1", "m, d = -math.inf", "m, d = -10000.0", "m, d = -1e30"),
    ),
    Mistake(
        "start-sum-not-zero",
        "The walk starts with a sum that is not 0.",
        "What is the sum of no terms at all?",
        Mutant("8.1", "-math.inf, 0.0", "-math.inf, 1.0"),
    ),
    Mistake(
        "minus-inf-counted",
        "A value of -inf added 1 to the sum, as if it were the maximum of numbers.",
        "What does a value of -inf add to the sum, and what is the sum before the first number?",
        Mutant("8.1", "if new > -math.inf:", "if m == -math.inf:\n            d = 1.0\n        else:"),
    ),
    Mistake(
        "sum-cleared-by-inf",
        "A value of -inf cleared the sum of the values before it.",
        "What does a value of -inf add to the sum, and what should happen to the sum before it?",
        Mutant("8.1", "if new > -math.inf:", "if x == -math.inf:\n            d = 0.0\n        else:"),
    ),
    Mistake(
        "one-for-each",
        "Every value added 1 to the sum, but only a value as large as the maximum should add 1.",
        "What does a value far below the maximum add to the sum?",
        Mutant("8.1", "math.exp(x - new)", "1.0"),
        Mutant("8.1", "d * math.exp(m - new) + math.exp(x - new)", "d + 1.0"),
    ),
    Mistake(
        "new-maximum-not-counted",
        "A value that becomes the maximum adds nothing to the sum.",
        "What is exp(x - m) for the value that is the maximum?",
        Mutant("8.1", "math.exp(x - new)", "(math.exp(x - new) if x <= m else 0.0)"),
    ),
    Mistake(
        "first-number-not-counted",
        "The first number added nothing to the sum: your condition looks at the maximum of the numbers before it.",
        "What are m and your new maximum at the first number, and which of the two does your condition compare?",
        Mutant("8.1", "if new > -math.inf:", "if m > -math.inf:"),
    ),
    Mistake(
        "equal-number-skipped",
        "A number that equals the maximum so far added nothing to the sum.",
        "What is the sum of exp(x - m) for two equal numbers?",
        Mutant("8.1", "        new =", "        if x == m:\n            continue\n        new ="),
    ),
    Mistake(
        "walk-ended-early",
        "The walk ended before the last number.",
        "Which line ends your loop, for which number is it reached, and which numbers come after that one?",
        Mutant("8.1", "        m = new\n    return m, d", "        m = new\n        return m, d\n    return m, d"),
        several(
            "8.1",
            "        new =",
            "        if x == -math.inf:\n            return m, d\n        new =",
            "        if x == -math.inf:\n            return x, 0.0\n        new =",
        ),
    ),
    Mistake(
        "larger-taken-for-granted",
        "Your function assumes which of the two parts has the larger maximum, and it can be the other one.",
        "What does your line do when the other part holds the larger value?",
        several(
            "8.2",
            "da * math.exp(ma - m) + db * math.exp(mb - m)",
            "(da * math.exp(ma - mb) + db if mb > -math.inf else da)",
            "(da + db * math.exp(mb - ma) if ma > -math.inf else db)",
        ),
    ),
    Mistake(
        "one-factor-for-both",
        "Both sums were multiplied by the same factor.",
        "One part already has the maximum of both parts together. What is the factor of this part?",
        several(
            "8.2",
            "da * math.exp(ma - m) + db * math.exp(mb - m)",
            "(da + db) * math.exp(min(ma, mb) - m)",
            "(da + db) * (math.exp(-abs(ma - mb)) if min(ma, mb) > -math.inf else 1.0)",
        ),
    ),
    Mistake(
        "larger-sum-kept",
        "One of the two sums was kept, and the terms of the other are missing.",
        "How many terms does the sum of both parts together have?",
        several(
            "8.2",
            "da * math.exp(ma - m) + db * math.exp(mb - m)",
            "max(da, db)",
            "max(da * math.exp(ma - m), db * math.exp(mb - m))",
            "(da if ma >= mb else db)",
        ),
    ),
    Mistake(
        "equal-maxima",
        "Where both maxima are the same, one of the two sums was left out.",
        "What is the sum of two parts whose maxima are equal?",
        several(
            "8.2",
            "    return m, da",
            "    if ma == mb:\n        return a\n    return m, da",
            "    if ma == mb:\n        return b\n    return m, da",
        ),
    ),
    Mistake(
        "empty-side-wins",
        "One part held nothing, and the sum of the other was lost with it.",
        "Which state is right when only one of the two parts is empty?",
        several(
            "8.2",
            "if m == -math.inf:",
            "if ma == -math.inf or mb == -math.inf:",
            "if ma == -math.inf:",
            "if mb == -math.inf:",
        ),
        Mutant("8.2", "if m == -math.inf:\n        return m", "if -math.inf in a + b:\n        return -math.inf"),
    ),
    Mistake(
        "nothing-merged-wrongly",
        "Two empty parts together are not the empty state.",
        "What is the maximum of no numbers, and what is their sum?",
        several("8.2", "return m, 0.0", "return 0.0, 0.0", "return m, 1.0"),
    ),
    Mistake(
        "maxima-added",
        "The two maxima were added.",
        "What is the largest value of both parts together?",
        Mutant("8.2", "max(ma, mb)", "ma + mb"),
        Mutant("8.2", "max(ma, mb)", "ma + mb", then=also("da * math.exp(ma - m) + db * math.exp(mb - m)", "da + db")),
    ),
    Mistake(
        "smaller-kept",
        "One of the two values is kept, but it is not always the larger one.",
        "Relative to which of the two does no exponential exceed 1?",
        Mutant("8.2", "max(ma, mb)", "min(ma, mb)"),
        Mutant("8.1", "max(m, x)", "min(m, x)", then=also("-math.inf, 0.0", "math.inf, 0.0")),
        Mutant(
            "8.1",
            "max(m, x)",
            "min(m, x)",
            then=also("-math.inf, 0.0", "math.inf, 0.0", then=also("new > -math.inf", "new < math.inf")),
        ),
    ),
    Mistake(
        "maximum-stays-low",
        "The maximum is still -inf after the walk, although the row holds numbers.",
        "If m is -inf, and the first tile has the maximum 3: which number does your line make of the two?",
        Mutant("8.3 8.4 9.1 16.1", "tl.maximum(m, tl.max(x, axis=0))", "m + tl.max(x, axis=0)"),
        Mutant("8.3 9.1 16.1", "tl.maximum(m,", "tl.minimum(m,"),
    ),
    Mistake(
        "state-unchanged",
        "The state is still the one that the walk began with: no number changed it.",
        "For the first number: what are m and d after your lines, and which line changes them?",
        Mutant("8.1", "max(m, x)", "min(m, x)"),
        Mutant("8.1", "in xs:", "in ():"),
    ),
    Mistake(
        "small-part-dropped",
        "A part was left out because its maximum is far below the other one, but its sum can have very many terms.",
        "How many terms may a part of a row have, and what is the sum of a billion tiny terms?",
        Mutant(
            "8.2",
            "    return m, da",
            "    if abs(ma - mb) > 20:\n        return a if ma > mb else b\n    return m, da",
        ),
    ),
    Mistake(
        "weights-swapped",
        "A sum was rescaled with the factor of the other part.",
        "To which maximum do the terms of each sum belong?",
        Mutant("8.2", "math.exp(ma - m) + db * math.exp(mb - m)", "math.exp(mb - m) + db * math.exp(ma - m)"),
        Mutant("8.2", "math.exp(ma - m) + db", "math.exp(mb - m) + db"),
        Mutant("8.2", "db * math.exp(mb - m)", "db * math.exp(ma - m)"),
    ),
    Mistake(
        "terms-missing",
        "The sum never receives the terms of the new values.",
        "What does each value add to the sum?",
        Mutant("8.1", " + math.exp(x - new)", ""),
        Mutant("8.3 9.1 16.1", " + tl.sum(tl.exp(x - shift), axis=0)", ""),
        Mutant("13.1", " + p.sum(dim=1, keepdim=True)", ""),
        Mutant("13.1", " + p @ v[start : start + tile]", ""),
        Mutant("13.2 13.3", " + tl.sum(p, axis=1)", ""),
    ),
    Mistake(
        "terms-unshifted",
        "The new terms are exponentials without the shift that the old sum has.",
        "Relative to which maximum are the terms of the new sum?",
        Mutant("8.1", "math.exp(x - new)", "math.exp(x)"),
        Mutant("8.3 16.1", "tl.exp(x - shift)", "tl.exp(x)"),
        Mutant("13.3", "tl.exp(s - new[:, None])", "tl.exp(s)"),
        Mutant("13.1", "torch.exp(s - new)", "torch.exp(s)"),
    ),
    Mistake(
        "sum-of-exp-x",
        "The terms of the sum are exp(x): no maximum was subtracted from the values.",
        "What is exp(x - m) for the value that is the maximum?",
        Mutant("8.1", "d * math.exp(m - new) + math.exp(x - new)", "d + math.exp(x)"),
    ),
    Mistake(
        "sum-restarted",
        "At a new maximum the sum starts again with 1, and the terms before it are lost.",
        "What is a term exp(x - old maximum) worth when the maximum becomes larger?",
        Mutant("8.1", "d * math.exp(m - new)", "(d if new == m else 0.0)"),
    ),
    Mistake(
        "old-sum-lost",
        "The old sum is lost at every step.",
        "What does the sum hold after the second step, and where are the terms of the first step?",
        Mutant("8.1", "d * math.exp(m - new) + ", ""),
        Mutant("8.3 9.1 16.1", "d * tl.exp(m - shift) + ", ""),
        Mutant("13.1", "l * factor + ", "", then=also("o * factor + ", "")),
        Mutant("13.2 13.3", "l * factor + ", "", then=also("o * factor[:, None] + ", "")),
    ),
    Mistake(
        "one-walk-elsewhere",
        "One of the two walks reads other elements than those of the program's own row.",
        "Which elements does each of your two loads read in program 1?",
        *(
            Mutant("8.3", f"{_LOAD}{behind}", f"{_LOAD.replace('row * x_row_stride + ', rows)}{behind}")
            for behind in ("\n        new", "\n        tl.store")
            for rows in ("", "row + ")
        ),
    ),
    Mistake(
        "one-sum-lost",
        "Only one of the two sums reached the result.",
        "Which values does each of the two sums count, and which of them should the result count?",
        Mutant("8.2", "da * math.exp(ma - m) + ", ""),
        Mutant("8.2", " + db * math.exp(mb - m)", ""),
    ),
    Mistake(
        "factor-for-sum",
        "The factor was added to the sum, and the sum that it should multiply is missing.",
        "What should the factor be multiplied by?",
        Mutant("8.1", "d * math.exp(m - new)", "math.exp(m - new)"),
        Mutant("8.3 9.1 16.1", "d * tl.exp(m - shift)", "tl.exp(m - shift)"),
        Mutant("13.1 13.2 13.3", "l * factor", "factor"),
        Mutant("13.1", "o * factor", "factor"),
        Mutant("13.2 13.3", "o * factor[:, None]", "factor[:, None]"),
        Mutant("8.2", "da * math.exp(ma - m)", "math.exp(ma - m)"),
        Mutant("8.2", "db * math.exp(mb - m)", "math.exp(mb - m)"),
    ),
    Mistake(
        "start-counted-in-tiles",
        "The first column of a tile was multiplied by BLOCK, as if it were the number of the tile.",
        "Which values does start take if BLOCK is 4 and the row has 7 columns?",
        Mutant("8.3", "cols = start + lanes", "cols = start * BLOCK + lanes", times=2),
        Mutant(
            "8.3",
            f"cols = start + lanes\n        {_LOAD}\n        new",
            f"cols = start * BLOCK + lanes\n        {_LOAD}\n        new",
        ),
        Mutant("9.1", "start + lanes", "start * BLOCK + lanes", times=2),
    ),
    Mistake(
        "sums-multiplied",
        "Two numbers that belong in one sum were multiplied.",
        "What does each of the two numbers count, and how many terms do they count together?",
        Mutant("8.1", "math.exp(m - new) + math.exp(x - new)", "math.exp(m - new) * math.exp(x - new)"),
        Mutant("8.2", "math.exp(ma - m) + db", "math.exp(ma - m) * db"),
    ),
    Mistake(
        "scaled-to-the-other",
        "Each sum was scaled to the maximum of the other part, and not to the maximum of both.",
        "To which maximum must both sums belong before they are added?",
        Mutant("8.2", "math.exp(ma - m)", "math.exp(ma - mb)", then=also("math.exp(mb - m)", "math.exp(mb - ma)")),
        Mutant("8.2", "math.exp(ma - m)", "math.exp(mb - ma)", then=also("math.exp(mb - m)", "math.exp(ma - mb)")),
    ),
    Mistake(
        "guard-on-the-old-maximum",
        "The guard asks the old maximum. That one is -inf before the first numbers, too, so their sum has no shift.",
        "Which of your two maxima is -inf only if there was no number above -inf at all?",
        Mutant("8.3 8.4 9.1 16.1", 'tl.where(new == -float("inf")', 'tl.where(m == -float("inf")'),
    ),
    Mistake(
        "maxima-divided",
        "The exponential was taken of the quotient of two maxima, and not of their difference.",
        "By which factor does exp(x - m) change when m changes?",
        several("8.1", "math.exp(m - new)", "math.exp(m / new)", "math.exp(new / m)"),
        Mutant("8.2", "math.exp(ma - m)", "math.exp(ma / m)", then=also("math.exp(mb - m)", "math.exp(mb / m)")),
        Mutant("8.3 8.4 16.1", "tl.exp(m - shift)", "tl.exp(m / shift)"),
    ),
    Mistake(
        "sums-unused",
        "Neither of the two old sums is in the result.",
        "What does each of the two sums count, and what should happen to it?",
        Mutant("8.2", "da * math.exp(ma - m) + db * math.exp(mb - m)", "math.exp(ma - m) + math.exp(mb - m)"),
    ),
    Mistake(
        "factor-of-another",
        "A sum was multiplied by a wrong factor. The right one is exp(its own maximum - the new maximum).",
        "By which factor does exp(x - m) change when m changes?",
        several("8.1", "math.exp(m - new)", "math.exp(m)", "math.exp(new)", "math.exp(m + new)", "math.exp(d - new)"),
        Mutant("8.2", "math.exp(ma - m)", "math.exp(ma)", then=also("math.exp(mb - m)", "math.exp(mb)")),
        several("8.2", "math.exp(ma - m)", "math.exp(ma)", "math.exp(ma + m)", "math.exp(da - m)", "math.exp(m)"),
        several("8.2", "math.exp(ma - m)", "2.0 ** (ma - m)", "(ma - m)"),
        several("8.2", "math.exp(mb - m)", "math.exp(mb)", "math.exp(mb + m)", "math.exp(mb - ma)", "math.exp(db - m)"),
        several(
            "8.3 9.1 16.1",
            "tl.exp(m - shift)",
            "tl.exp(m)",
            "tl.exp(m + shift)",
            "tl.exp(d - shift)",
            "tl.exp2(m - shift)",
        ),
        several("9.2", "tl.exp(ms - m)", "tl.exp(ms)", "tl.exp(m)", "tl.exp(ds - m)", "tl.exp2(ms - m)"),
        several(
            "13.1",
            "torch.exp(m - new)",
            "torch.exp(m)",
            "torch.exp(new)",
            "torch.exp(m + new)",
            "torch.exp(l - new)",
            "torch.exp2(m - new)",
        ),
        Mutant("13.1 13.2 13.3", "l * factor", "l * new"),
        Mutant("13.1", "o * factor", "o * new"),
        several("13.2 13.3", "tl.exp(m - new)", "tl.exp(m)", "tl.exp(l - new)", "tl.exp(m + new)", "tl.exp2(m - new)"),
        Mutant("13.2 13.3", "o * factor[:, None]", "o * new[:, None]"),
        Mutant("13.3", "o * factor[:, None]", "o * factor[None, :]"),
        several("8.1", "math.exp(m - new)", "2.0 ** (m - new)", "math.exp(m - x)", "math.exp(x - new)"),
        several("8.2", "math.exp(mb - m)", "2.0 ** (mb - m)", "math.exp(da - m)"),
        Mutant("8.3 9.1 16.1", "tl.exp(m - shift)", "tl.exp(shift)"),
    ),
    Mistake(
        "one-added",
        "1 was added to the sum, but each of the two sums already counts all terms of its part.",
        "How many terms does the sum of both parts have, and in which of the two sums is each of them?",
        Mutant("8.2", "return m, da", "return m, 1.0 + da"),
    ),
    Mistake(
        "factor-on-new-terms",
        "The factor multiplied the new terms, and the old sum is the one that needs it.",
        "Which of the two sums is relative to an older maximum?",
        Mutant("8.1", "d * math.exp(m - new) + math.exp(", "d + math.exp(m - new) * math.exp("),
        Mutant("8.3 8.4 16.1", "d * tl.exp(m - shift) + tl.sum(", "d + tl.exp(m - shift) * tl.sum("),
        Mutant("13.1", "l * factor + p.sum(", "l + factor * p.sum("),
    ),
    Mistake(
        "only-new-maxima-added",
        "A number that is no new maximum added nothing to the sum.",
        "Which term belongs to a number that is smaller than the maximum so far?",
        Mutant("8.1", "if new > -math.inf:", "if new > m:"),
    ),
    Mistake(
        "factor-added",
        "The factor was added to the old sum, but it should make that sum smaller.",
        "By which operation do all terms of a sum become smaller by the same factor?",
        Mutant("8.1", "d * math.exp(m - new)", "d + math.exp(m - new)"),
        Mutant("8.1", "d * math.exp(m - new) + math.exp(x - new)", "d + math.exp(m - new)"),
        Mutant("8.3 9.1 16.1", "d * tl.exp(m - shift)", "d + tl.exp(m - shift)"),
        Mutant("13.1 13.2 13.3", "l * factor", "l + factor"),
        Mutant("8.2", "da * math.exp(ma - m)", "da + math.exp(ma - m)"),
        Mutant("8.2", "db * math.exp(mb - m)", "db + math.exp(mb - m)"),
        Mutant("13.2 13.3", "o * factor[:, None]", "o + factor[:, None]"),
        Mutant("13.1", "o * factor", "o + factor"),
    ),
    Mistake(
        "terms-of-own-maximum",
        "The terms of a tile are relative to the tile's own maximum, and the sum that they join is not.",
        "Which maximum do all terms of one sum have to be relative to?",
        Mutant("8.3 8.4 9.1 16.1", "tl.exp(x - shift)", "tl.exp(x - tl.max(x, axis=0))"),
        Mutant("8.3 9.1 16.1", "tl.exp(x - shift)", "tl.exp(x - tl.maximum(tl.max(x, axis=0), -3e38))"),
        Mutant("13.1", "torch.exp(s - new)", "torch.exp(s - s.amax(dim=1, keepdim=True))"),
        Mutant("13.2 13.3", "tl.exp(s - new[:, None])", "tl.exp(s - tl.max(s, axis=1)[:, None])"),
    ),
    Mistake(
        "guard-inverted",
        "A guard for -inf works the wrong way round: it changes ordinary numbers.",
        "For which states is its condition true, and which value does it choose then?",
        Mutant("8.2", "if m == -math.inf:", "if m != -math.inf:"),
        Mutant("8.3 9.1 16.1", 'tl.where(new == -float("inf")', 'tl.where(new != -float("inf")'),
    ),
    Mistake(
        "tile-start-missing",
        "A walk looks at the first tile again and again.",
        "Which column does lane 0 have in the second step?",
        Mutant("8.3", "cols = start + lanes", "cols = lanes", 2),
        Mutant("16.1 16.2", "cols = start + lanes", "cols = lanes"),
        Mutant("16.2", "row * x_row_stride + cols", "row * x_row_stride + lanes"),
        Mutant("16.2", "dx_row_stride + cols", "dx_row_stride + lanes"),
        Mutant(
            "8.3",
            "d = 0.0\n    for start in range(0, n_cols, BLOCK):\n        cols = start + lanes",
            "d = 0.0\n    for start in range(0, n_cols, BLOCK):\n        cols = lanes",
        ),
        Mutant("8.3", "x_row_stride + cols, mask", "x_row_stride + lanes, mask", 2),
        Mutant("8.3", f"{_LOADED}        new", f"{_LOADED}        new".replace("+ cols", "+ lanes")),
        Mutant("8.3", f"{_LOADED}        tl.store", f"{_LOADED}        tl.store".replace("+ cols", "+ lanes")),
        Mutant("13.4", "keys = (start + tl.arange(0, BLOCK_N))", "keys = tl.arange(0, BLOCK_N)"),
        Mutant("9.1", "split * split_size + start + lanes", "split * split_size + lanes"),
        Mutant(
            "9.1",
            "split * split_size + start + lanes",
            "split * split_size + lanes",
            then=also("start + lanes < split_size", "lanes < split_size"),
        ),
        Mutant("13.4", "rows = (start + tl.arange(0, BLOCK_M))", "rows = tl.arange(0, BLOCK_M)"),
    ),
    Mistake(
        "inf-minus-inf",
        "-inf minus -inf is NaN, and every later result with NaN is NaN.",
        "In which of your differences can both numbers be -inf?",
        Mutant("8.1", "        if new > -math.inf:\n    ", ""),
        Mutant("8.2", "    if m == -math.inf:\n        return m, 0.0\n", ""),
    ),
    Mistake(
        "exp-out-of-range",
        "The result of exp is larger than any float.",
        "Which of your exponents can be positive, and should it be the difference to the maximum?",
    ),
    # ---- a kernel that walks in tiles
    Mistake(
        "wider-than-a-tile",
        "An access or a block has more elements than a tile: this is one block for all there is, and not a walk in "
        "tiles.",
        "What happens to your kernel when there is more than such a block holds?",
    ),
    Mistake(
        "more-lanes-than-the-block",
        "The number of lanes stands in the text of the kernel, and a launch with a smaller BLOCK does not change it.",
        "How many lanes does your kernel have if it is launched with BLOCK = 16, and which line says so?",
    ),
    Mistake(
        "unrolled-to-a-length",
        "The kernel has a load for each step of its walk, because the compiler unrolls the loop: the longest row that "
        "it can walk stands in its text.",
        "Which loop runs as often as a number says that is known only at the launch?",
    ),
    Mistake(
        "first-tile-minus-inf",
        "Rows that begin with a whole tile of -inf become NaN, though the rest of the row has a softmax.",
        "What is exp(m - new m) while both are still -inf?",
        Mutant("8.3 16.1", 'tl.where(new == -float("inf"), 0.0, new)', "new"),
    ),
    Mistake(
        "tile-mask",
        "The last tile goes past the end of the row: no mask stops it at the last column.",
        "Which lanes of the last tile have a column of the row?",
        Mutant("8.3", "mask=cols < n_cols, other", "mask=lanes < n_cols, other", 2, replayed=False),
        Mutant("8.3", "mask=cols < n_cols", "mask=lanes < n_cols", 3, replayed=False),
    ),
    Mistake(
        "last-tile-maximum",
        "The second walk uses the maximum of the last tile.",
        "Which maximum does the final sum belong to?",
        Mutant(
            "8.3 8.4",
            "        m = new\n",
            "        m = new\n        last = tl.max(x, axis=0)\n",
            then=also("tl.exp(x - m)", "tl.exp(x - last)"),
        ),
    ),
    Mistake(
        "own-maximum",
        "The second walk shifts each tile by that tile's own maximum.",
        "Which maximum does the final sum belong to?",
        Mutant("8.3 8.4", "tl.exp(x - m)", "tl.exp(x - tl.max(x, axis=0))"),
    ),
    Mistake(
        "last-tile-again",
        "The second walk stores the values of the last tile again and again.",
        "Which values does your second walk use in its first step, and which line loaded them?",
        Mutant(
            "8.3 8.4",
            '        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))\n'
            "        tl.store",
            "        tl.store",
        ),
    ),
    Mistake(
        "stored-too-early",
        "A tile was stored with the maximum and the sum so far, before the walk had reached the other columns.",
        "When are the maximum and the sum of the whole row known?",
        Mutant(
            "8.3",
            "    for start in range(0, n_cols, BLOCK):\n        cols = start + lanes\n        x = tl.load("
            'x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))\n        tl.store',
            "        tl.store",
        ),
    ),
    Mistake(
        "state-exchanged",
        "Maximum and sum have changed places in the last step: the sum was subtracted, and the maximum is the divisor.",
        "Which of the two numbers is subtracted in the exponent, and which one is the divisor?",
        Mutant("8.3 8.4 9.2", "tl.exp(x - m) / d", "tl.exp(x - d) / m"),
    ),
    Mistake(
        "last-column-not-summed",
        "The sum of each row lacks its last column: the first walk left it out.",
        "For which lanes is the mask of the first walk true, and which column does the last of them have?",
        Mutant(
            "8.3",
            "d = 0.0\n    for start in range(0, n_cols, BLOCK):\n        cols = start + lanes\n"
            "        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols,",
            "d = 0.0\n    for start in range(0, n_cols, BLOCK):\n        cols = start + lanes\n"
            "        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols - 1,",
        ),
    ),
    Mistake(
        "second-walk-unshifted",
        "The second walk takes the exponentials without the shift that their sum has.",
        "Which maximum do the terms of the final sum belong to?",
        Mutant("8.3 8.4 9.2", "tl.exp(x - m)", "tl.exp(x)"),
    ),
    Mistake(
        "only-first-tile",
        "Only the first tile of each row was stored.",
        "How many tiles does a row have?",
        Mutant(
            "8.3",
            "        m = new\n    for start in range(0, n_cols, BLOCK):",
            "        m = new\n    for start in range(0, BLOCK, BLOCK):",
        ),
    ),
    Mistake(
        "last-tile-missing",
        "The end of each row was never stored: only whole tiles were.",
        "How many steps does your loop take when the last tile is only partly filled?",
        Mutant(
            "8.3",
            "        m = new\n    for start in range(0, n_cols, BLOCK):",
            "        m = new\n    for start in range(0, n_cols // BLOCK * BLOCK, BLOCK):",
        ),
        Mutant("8.3", "range(0, n_cols, BLOCK)", "range(0, n_cols // BLOCK * BLOCK, BLOCK)", 2),
    ),
    Mistake(
        "tail-not-summed",
        "The sum lacks the end of the row: the first walk ends with the last full tile.",
        "How many steps does the first loop take when the last tile is only partly filled?",
        Mutant(
            "8.3",
            "d = 0.0\n    for start in range(0, n_cols, BLOCK):",
            "d = 0.0\n    for start in range(0, n_cols // BLOCK * BLOCK, BLOCK):",
        ),
    ),
    Mistake(
        "walks-too-many",
        "The numbers are right, but elements are read more often than two walks along the row need.",
        "Which two walks are needed, and which numbers does each of them compute?",
    ),
    Mistake(
        "state-mixed-up",
        "In one place, a number of the state stands where another one belongs.",
        "Which of your names hold a maximum, and which hold a sum?",
        several("8.1", "return m, d", "return d, d", "return m, m"),
        Mutant("8.1", "m = new", "m = d"),
        Mutant("8.1", "max(m, x)", "max(d, x)"),
        Mutant("8.1", "d * math.exp(m - new)", "m * math.exp(m - new)"),
        Mutant("8.1", "math.exp(m - new)", "math.exp(m - d)"),
        several("8.2", "(ma, da), (mb, db) = a, b", "(da, ma), (mb, db) = a, b", "(ma, da), (db, mb) = a, b"),
        several("8.2", "max(ma, mb)", "max(da, mb)", "max(ma, da)", "max(ma, db)"),
        several("8.2", "da * math.exp(ma - m)", "ma * math.exp(ma - m)", "mb * math.exp(ma - m)"),
        several("8.2", "db * math.exp(mb - m)", "mb * math.exp(mb - m)", "da * math.exp(mb - m)"),
        Mutant("8.2", "return m, da", "return ma, da"),
    ),
    Mistake(
        "one-state-twice",
        "One of the two states was used twice, and the other one not at all.",
        "Which of the two parts of the row does each of your names come from?",
        several("8.2", "(ma, da), (mb, db) = a, b", "(ma, da), (mb, db) = a, a", "(ma, da), (mb, db) = b, b"),
    ),
]


_NOT_A_STATE = ("not-a-state", value(lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2))

_SUM_IS_NAN = value(lambda v, f: math.isnan(v[1]))

_NAN_WITHOUT_NUMBERS = value(lambda v, f: f["want"][0] == -math.inf and math.isnan(v[1]))

# The state of a list of numbers (8.1). facts: xs, want.
NORMALIZER = (
    ("returns-nothing", detectors.nothing),
    _NOT_A_STATE,
    ("factor-inverted", both(written(syntax.factor_inverted), _SUM_IS_NAN)),
    ("factor-without-exp", both(written(syntax.factor_without_exp), _SUM_IS_NAN)),
    ("stale-maximum", both(written(syntax.stale_maximum), _SUM_IS_NAN)),
    ("sum-of-exp-x", both(written(syntax.exp_of_a_number), _SUM_IS_NAN)),
    ("inf-minus-inf", _NAN_WITHOUT_NUMBERS),
    ("start-too-high", value(lambda v, f: -math.inf == f["want"][0] < v[0] < 0)),
    ("walked-twice", both(written(syntax.parameter_used_again), value(lambda v, f: v == (f["want"][0], 0)))),
)

# The merge of two states (8.2). facts: a, b, want.
MERGE = (("returns-nothing", detectors.nothing), _NOT_A_STATE)


def _start_times_block(tree: ast.AST) -> bool:
    """For `written`: in a loop whose variable counts columns, this variable is multiplied by a constant's name."""
    return any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)
        and ast.unparse(loop.target) in {ast.unparse(n.left), ast.unparse(n.right)}
        for loop in syntax.nodes(tree) if isinstance(loop, ast.For) for n in syntax.nodes(loop)
    )  # fmt: skip


@looks
def _several_tiles(x, case) -> bool:
    """The row has more columns than a tile."""
    return x.shape[1] > case.facts.get("block", x.shape[1])


def _behind_the_last_tile(where: dict, facts: dict) -> bool:
    """For `outside`: a row of several tiles was left at its end."""
    return facts["x"].shape[1] > facts["block"] and (where.get("column") or 0) >= facts["x"].shape[1]


# A kernel that walks along each row in tiles, with any number of lanes (8.4).
TILED_WALK = (
    ("tile-mask", outside("any", _behind_the_last_tile)),
    ("factor-inverted", both(written(syntax.factor_inverted), detectors.all_nan)),
    ("start-too-high", both(written(syntax.starts_at_infinity), detectors.all_nan)),
    ("stale-maximum", both(written(syntax.stale_in_tiles), detectors.all_nan)),
    ("start-counted-in-tiles", both(_several_tiles, detectors.first_block_only, written(_start_times_block))),
    ("only-first-tile", both(_several_tiles, detectors.first_block_only)),
    *ROW_PLACES,
    *SOFTMAX_PLACES,
)
