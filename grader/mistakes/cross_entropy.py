"""The mistakes of a cross-entropy: its loss, its gradient, a test of both, and the function around them.

Facts of a case: x (M×N logits), target (M), ignore (the number of a row that does not count), scale (of a gradient),
block (columns of a tile), x_stride and y_stride; want (the right output); lse (of each row, float64). A case of the
function has `check`, the part of it that ran: "loss", "gradient", "first", "budget".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..reference import cross_entropy as reference
from ..sentence import foreign
from ..spec import Detector
from .detectors import both, formula, looks, opposite, outside, unmasked
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several
from .softmax.function import FUNCTION as OF_A_MATRIX
from .softmax.online import TILED_WALK
from .softmax.rows import ROW_PLACES, row_stride
from .testing import of_test

_LOSS = "tl.log(d) + (m - hit)"
_HIT = "tl.load(x_ptr + row * x_row_stride + target, mask=counted, other=0.0)"
_LOAD = f"    hit = {_HIT}.to(tl.float32)\n"
_GRADIENT = "scale * tl.where(cols == target, p - 1.0, p)"
_OF_TARGET = "tl.exp(tl.load(x_ptr + row * x_row_stride + target, mask=scale != 0, other=0).to(tl.float32) - lse)"
_SCALE = "tl.where(target == ignore_index, 0.0, tl.load(scale_ptr))"

MISTAKES = [
    # ---- the loss
    Mistake(
        "target-not-masked",
        "The logit of a target was loaded in a row that does not count. Its target is no column of the matrix.",
        "Which address does your load of one logit have, if the target is -100?",
        Mutant("16.1", ", mask=counted, other=0.0", "", replayed=False),
    ),
    Mistake(
        "ignored-row-counted",
        "A row that does not count has a loss.",
        "What is the loss of a row whose target is ignore_index, and which of your lines says so?",
        Mutant("16.1", f"tl.where(counted, {_LOSS}, 0.0)", _LOSS),
        Mutant("16.1", f"tl.where(counted, {_LOSS}, 0.0)", f"tl.where(target > -1000, {_LOSS}, 0.0)"),
        Mutant("16.1", f"tl.where(counted, {_LOSS}, 0.0)", f"tl.where(counted, {_LOSS}, 1.0)"),
    ),
    Mistake(
        "ignore-index-assumed",
        "Whether a row counts was decided by another number than ignore_index, or by the sign of the target.",
        "If ignore_index is 3: which rows count, and what does your condition say of them?",
        several("16.1", "target != ignore_index", "target != -100", "target >= 0", "target > -1"),
        several("16.1", "tl.where(counted,", "tl.where(target,", "tl.where(hit,"),
        several("16.2", "target == ignore_index", "target == -100", "target < 0", "target <= -1"),
        Mutant("16.4", "(target != ignore_index).sum()", "(target != -100).sum()", replayed=False),
        Mutant("16.4", "n, ignore_index, BLOCK", "n, -100, BLOCK", replayed=False),
    ),
    Mistake(
        "counted-inverted",
        "Exactly the wrong rows were left out: those that count.",
        "What does your condition say of a row whose target is a column?",
        Mutant("16.1", "target != ignore_index", "target == ignore_index"),
        Mutant("16.1", f"tl.where(counted, {_LOSS}, 0.0)", f"tl.where(counted, 0.0, {_LOSS})"),
        Mutant("16.2", "target == ignore_index", "target != ignore_index"),
        Mutant("16.2", _SCALE, "target == ignore_index"),
        Mutant("16.4", "(target != ignore_index).sum()", "(target == ignore_index).sum()", replayed=False),
    ),
    Mistake(
        "loss-without-target",
        "The logit of the target is missing in the loss: this is the log-sum-exp of the row, or a part of it.",
        "By how much does the loss change when the logit of the target grows?",
        several("16.1", _LOSS, "tl.log(d) + m", "tl.log(d)"),
    ),
    Mistake(
        "loss-without-maximum",
        "The maximum of the row is missing: the sum d belongs to shifted logits.",
        "What is the sum of exp(x) of a row, if d is the sum of exp(x - m)?",
        several("16.1", _LOSS, "tl.log(d) - hit", "tl.log(d) + hit"),
        Mutant("16.1", "m + tl.log(d))", "tl.log(d))"),
        Mutant("16.1", _LOSS, "tl.log(d) - hit", then=also("m + tl.log(d))", "tl.log(d))")),
    ),
    Mistake(
        "logarithm-left-out",
        "The sum of the exponentials was used where its logarithm belongs, or it was left out.",
        "What is the logarithm of a product, and which two factors does the sum of exp(x) have?",
        several("16.1", _LOSS, "d + (m - hit)", "m - hit"),
        several("16.1", "m + tl.log(d))", "m + d)", "m)", "d)", "m * tl.log(d))"),
        Mutant("16.1", "tl.log(d)", "d", 2),
        Mutant("16.1", "tl.log(d)", "tl.exp(d)", 2),
    ),
    Mistake(
        "sum-and-maximum-exchanged",
        "The maximum of the row and its sum have changed places in one of the lines.",
        "Of which of your two numbers is the logarithm taken, and which one is subtracted in the exponentials?",
        several("16.1", _LOSS, "tl.log(m) + (m - hit)", "tl.log(d) + (d - hit)", "tl.log(m) + (d - hit)"),
        several("16.1", "m + tl.log(d))", "d + tl.log(d))", "m + tl.log(m))", "d + tl.log(m))"),
        Mutant("16.1", "tl.maximum(m,", "tl.maximum(d,"),
    ),
    Mistake(
        "logarithm-of-base-two",
        "The logarithm has base 2, and the exponentials have base e.",
        "Which base do the exponentials of the sum have, and which base does your logarithm have?",
        Mutant("16.1", "tl.log(d)", "tl.log2(d)", 2),
        Mutant("16.1", _LOSS, "tl.log2(d) + (m - hit)"),
        Mutant("16.1", "m + tl.log(d))", "m + tl.log2(d))"),
    ),
    Mistake(
        "loss-sign",
        "A sign in the loss is wrong.",
        "Is the loss of a row larger or smaller, when its target has a larger logit?",
        several(
            "16.1",
            _LOSS,
            "(hit - m) - tl.log(d)",
            "tl.log(d) + (m + hit)",
            "tl.log(d) - (m - hit)",
            "(m - hit) - tl.log(d)",
        ),
        Mutant("16.1", "m + tl.log(d))", "m - tl.log(d))"),
        Mutant("16.1", "m + tl.log(d))", "tl.log(d) - m)"),
    ),
    Mistake(
        "loss-of-a-share",
        "This is the share of the target, or a quotient, and not minus its logarithm.",
        "Which function makes 0 of a share of 1, and a large number of a small share?",
        several("16.1", _LOSS, "tl.exp(hit - m) / d", "tl.exp(m - hit) * d", "d / tl.exp(hit - m)"),
    ),
    Mistake(
        "loss-over-columns",
        "The loss of each row was divided by the number of rows, or of columns.",
        "Of how many shares is the loss of a row the logarithm?",
        several("16.1", _LOSS, f"({_LOSS}) / n_cols", f"({_LOSS}) / tl.num_programs(0)"),
    ),
    Mistake(
        "number-in-the-logarithm",
        "A number was added before the logarithm was taken.",
        "How small can the sum of exp(x - max) of a row be, and does its logarithm need help?",
        *(Mutant("16.1", "tl.log(d)", f"tl.log(d + {number})", 2) for number in ("1e-5", "1e-4", "1.0")),
        Mutant("16.1", "m + tl.log(d))", "m + tl.log(d + 1.0))"),
        *(Mutant("16.1", _LOSS, _LOSS.replace("d)", f"d + {number})")) for number in ("1e-5", "1e-4")),
    ),
    Mistake(
        "loss-of-digits-lost",
        "The logarithm was taken of a share, which becomes 0 where the target is far below the maximum.",
        "Which terms does the logarithm of a quotient have, and which of them need no exp?",
        Mutant("16.1", _LOSS, "-tl.log(tl.exp(hit - m) / d)"),
        Mutant("16.1", _LOSS, "-tl.log(tl.exp(hit - m) / d + 1e-9)"),
    ),
    Mistake(
        "hit-of-another-place",
        "The logit of the target was loaded from another row, or from another column.",
        "Which two numbers does the address of that logit follow from?",
        several(
            "16.1",
            _HIT,
            *(
                _HIT.replace("row * x_row_stride + target", text)
                for text in (
                    "target",
                    "row + target",
                    "row * x_row_stride",
                    "row * n_cols + target",
                    "row * x_row_stride + row",
                    "row * x_row_stride + counted",
                    "row * x_row_stride + start",
                    "x_row_stride + target",
                    "row + x_row_stride + target",
                )
            ),
        ),
        several(
            "16.1", _HIT, *(_HIT.replace("+ target", text) for text in ("+ target + 1", "+ target - 1")), replayed=True
        ),
    ),
    Mistake(
        "hit-of-one-tile",
        "The logit of the target was looked for in a single tile, and another tile may hold it.",
        "Which tile holds column `target`, and what does your line find in all others?",
        Mutant("16.1", _LOAD, "    hit = tl.sum(tl.where(cols == target, x, 0.0), axis=0)\n"),
        Mutant("16.1", _LOAD, "    hit = tl.sum(tl.where(lanes == target, x, 0.0), axis=0)\n"),
    ),
    Mistake(
        "hit-as-a-product",
        "The logit of the target was cut out by a multiplication, and 0 times -inf is NaN.",
        "Which operation takes one of two numbers without computing with the other?",
        *(
            Mutant(
                "16.1",
                "        m = new\n",
                f"        m = new\n        hit += tl.sum({product}, axis=0)\n",
                then=also("    d = 0.0\n", "    d = 0.0\n    hit = 0.0\n", then=also(_LOAD, "")),
            )
            for product in (
                "x * (cols == tl.load(target_ptr + row))",
                "tl.where(cols < n_cols, x, 0.0) * (cols == tl.load(target_ptr + row))",
            )
        ),
    ),
    Mistake(
        "walk-of-one-tile",
        "The log-sum-exp belongs to the first tile of each row: the walk ends before the other columns.",
        "How often does your loop run for a row of three tiles?",
        Mutant("16.1", "range(0, n_cols, BLOCK)", "range(0, BLOCK, BLOCK)"),
    ),
    Mistake(
        "target-of-another-row",
        "The target does not belong to the row of the program.",
        "Where in memory is the target of row 2?",
        several("16.1 16.2", "tl.load(target_ptr + row)", "tl.load(target_ptr)", "tl.load(target_ptr + row * n_cols)"),
        Mutant("16.1 16.2", "tl.load(target_ptr + row)", "row"),
    ),
    Mistake(
        "losses-in-one-place",
        "All programs stored their number in the same place.",
        "How many losses and how many lse does a matrix with M rows have, and where does each program store its own?",
        Mutant("16.1", "loss_ptr + row", "loss_ptr"),
        Mutant("16.1", "lse_ptr + row", "lse_ptr"),
        Mutant("16.1", "loss_ptr + row", "loss_ptr", then=also("lse_ptr + row", "lse_ptr")),
    ),
    Mistake(
        "outputs-exchanged",
        "The loss and lse have changed places.",
        "Into which tensor does each of your two stores go?",
        Mutant(
            "16.1",
            "tl.store(loss_ptr",
            "tl.store(_ptr",
            then=also("tl.store(lse_ptr", "tl.store(loss_ptr", then=also("tl.store(_ptr", "tl.store(lse_ptr")),
        ),
    ),
    # ---- the gradient
    Mistake(
        "gradient-over-rows",
        "The gradient of each element was divided by the number of rows, or of columns.",
        "Which of the numbers that the kernel is given holds the 1 / n of a mean?",
        several("16.2", _GRADIENT, f"{_GRADIENT} / n_cols", f"{_GRADIENT} / tl.num_programs(0)"),
    ),
    Mistake(
        "onehot-missing",
        "1 was not subtracted, or not in the column of the target and only there.",
        "In which column does the gradient differ from the softmax of the row, and by how much?",
        several(
            "16.2", "tl.where(cols == target, p - 1.0, p)", "p", "tl.where(cols == target, p + 1.0, p)", "(p - 1.0)"
        ),
        several("16.2", "cols == target", "cols != target", "cols == target + 1", "cols == 0", "cols == row"),
        several("16.2", "cols == target", "cols == target - 1", "cols == lanes", "start == target"),
        several("16.2", "p - 1.0", "p - target", "p - 0.1", "p - 2.0", "1.0 - p", "x - 1.0", "1.0"),
    ),
    Mistake(
        "target-in-every-tile",
        "The target was compared with the lanes of a tile, and its column is the same in each tile.",
        "Which column does lane 0 of the second tile have?",
        Mutant("16.2", "cols == target", "lanes == target"),
    ),
    Mistake(
        "share-missing",
        "The gradient has the onehot part alone, or p and onehot are multiplied.",
        "What is the gradient in a column that is not the target?",
        several(
            "16.2",
            "tl.where(cols == target, p - 1.0, p)",
            "tl.where(cols == target, -1.0, 0.0)",
            "tl.where(cols == target, p - 1.0, 0.0)",
            "tl.where(cols == target, p, 0.0)",
            "tl.where(cols == target, -p, 0.0)",
            "tl.where(cols == target, -1.0, p)",
            "tl.where(cols == target, 0.0, p)",
            "(cols == target)",
            "tl.where(p - 1.0, cols == target, p)",
        ),
    ),
    Mistake(
        "gradient-of-the-share",
        "This is the gradient of the target's share, or of minus that share, and the loss is minus its logarithm.",
        "By what does the derivative of log(p) differ from that of p?",
        several("16.2", "scale * tl.where", *(f"{sign}scale * {_OF_TARGET} * tl.where" for sign in ("", "-"))),
    ),
    Mistake(
        "scale-on-a-part",
        "The scale was multiplied with a part of the gradient only.",
        "Which terms of the gradient does the scale multiply?",
        several("16.2", _GRADIENT, "tl.where(cols == target, scale * p - 1.0, scale * p)"),
        several(
            "16.2",
            _GRADIENT,
            "tl.where(cols == target, p - scale, p)",
            "tl.where(cols == target, scale * (p - 1.0), p)",
        ),
    ),
    Mistake(
        "scale-exchanged",
        "The scale was left out, or used by another operation than a multiplication.",
        "If the loss that arrives is twice as important, how does each element of the gradient change?",
        Mutant("16.2", _SCALE, "tl.where(target == ignore_index, 0.0, 1.0)"),
        several(
            "16.2",
            _GRADIENT,
            *(_GRADIENT.replace("scale * ", f"{text} * ") for text in ("(1 / scale)", "scale * scale")),
        ),
        several("16.2", "scale * tl.where", "scale + tl.where", "scale / tl.where"),
    ),
    Mistake(
        "scale-of-another-place",
        "Another number stands in the place of the scale.",
        "Which tensor holds the scale, and which line of yours multiplies with it?",
        several("16.2", "tl.load(scale_ptr)", "tl.load(x_ptr)", "tl.load(lse_ptr)", "tl.load(target_ptr)"),
        several("16.2", "scale * tl.where", "lse * tl.where", "start * tl.where"),
    ),
    Mistake(
        "scale-for-each-row",
        "The scale was loaded at the number of the row, but there is one for all rows.",
        "How many numbers does scale_ptr point to?",
        Mutant("16.2", "tl.load(scale_ptr)", "tl.load(scale_ptr + row)", replayed=False),
    ),
    Mistake(
        "ignored-row-has-gradient",
        "A row that does not count has a gradient.",
        "How does the loss change when a logit of a row changes that does not count?",
        Mutant("16.2", _SCALE, "tl.load(scale_ptr)"),
        Mutant("16.2", _SCALE, "tl.where(target == ignore_index, 1.0, tl.load(scale_ptr))"),
        Mutant(  # only p becomes 0, and -100 is no column, but another ignore_index may be one
            "16.2",
            _SCALE,
            "tl.load(scale_ptr)",
            then=also("tl.exp(x - lse)", "tl.where(target == ignore_index, 0.0, tl.exp(x - lse))"),
        ),
    ),
    Mistake(
        "ignored-row-not-stored",
        "The gradient of a row that does not count was never stored, so its memory holds anything.",
        "Which number is the gradient of such a row, and who stores it?",
        Mutant("16.2", "p - 1.0, p), mask=mask)", "p - 1.0, p), mask=mask & (target != ignore_index))", replayed=False),
        Mutant("16.2", "p - 1.0, p), mask=mask)", "p - 1.0, p), mask=mask & (target >= 0))", replayed=False),
    ),
    Mistake(
        "lse-of-another-row",
        "lse does not belong to the row of the program.",
        "Where in memory is the lse of row 2?",
        Mutant("16.2", "tl.load(lse_ptr + row)", "tl.load(lse_ptr)"),
    ),
    Mistake(
        "share-without-lse",
        "p is not exp(x - lse): lse is missing, has the wrong sign, or is used by another operation.",
        "What do the numbers of p in one row sum to, and what do yours sum to?",
        several(
            "16.2", "tl.exp(x - lse)", "tl.exp(x)", "tl.exp(x + lse)", "tl.exp(x) - lse", "tl.exp(x) / lse", "x / lse"
        ),
        several("16.2", "x - lse)", "x - scale)", "x - target)", "lse)", "mask - lse)"),
        several("16.2", "tl.load(lse_ptr + row)", "tl.load(x_ptr + row)", "tl.load(target_ptr + row)"),
        Mutant("16.2", "p - 1.0, p)", "p - 1.0, x)"),
    ),
    Mistake(
        "share-of-two-exponentials",
        "exp left the range of float32: p is a quotient of two exponentials, and either may become inf or 0.",
        "How large is exp(x) if x is 100, and how large is x - lse at most?",
        Mutant("16.2", "tl.exp(x - lse)", "tl.exp(x) / tl.exp(lse)"),
    ),
    Mistake(
        "scale-masked-away",
        "The load of the scale has a mask and no `other`: in a row that does not count, it holds anything.",
        "Which number does your line take as the scale of such a row?",
        Mutant("16.2", _SCALE, "tl.load(scale_ptr, mask=target != ignore_index)"),
    ),
    Mistake(
        "logit-read-after-its-gradient",
        "In place, a logit was loaded after its gradient had been stored there: the load finds the gradient.",
        "In which order does your kernel load and store the element of the target, and how often does it do each?",
    ),
    Mistake(
        "gradient-tail-missing",
        "Some columns of each row have no gradient: the walk or its mask leaves them out.",
        "Which columns do the first and the last step of your loop store?",
        Mutant("16.2", "range(0, n_cols, BLOCK)", "range(0, n_cols // BLOCK * BLOCK, BLOCK)"),
        Mutant("16.2", "range(0, n_cols, BLOCK)", "range(0, BLOCK, BLOCK)"),
        Mutant("16.2", "range(0, n_cols, BLOCK)", "range(0, n_cols, 2 * BLOCK)"),
    ),
    # ---- a test
    Mistake(
        "test-refuses-pytorch-loss",
        "The test is red even on PyTorch's own loss and gradient: it is too strict for float32, it compares with other "
        "numbers than these, its condition is turned round, or it asks for more than right numbers.",
        "For which of your inputs and in which assert is it red, and what are the two values that it compares there?",
    ),
    Mistake(
        "test-differentiates-the-loss",
        "The test asks PyTorch to differentiate the loss under test, and that one returns a plain number.",
        "Which of your two parameters gives the gradient, and what do you compare it with?",
    ),
    Mistake(
        "test-of-targets-outside",
        "A target in the test is no column of its row, and it is not -100 either.",
        "Which numbers may be the target of a row of N columns, and which ones does your test make?",
    ),
    Mistake(
        "test-calls-one",
        "The test uses only one of the two functions, or none.",
        "Which line of your test runs the loss under test, and which one runs the gradient under test?",
    ),
    Mistake(
        "test-all-rows-count",
        "Your test accepts functions that are wrong for rows that do not count.",
        "Which of your targets are -100, how many of a batch are, and which numbers of the loss and of the gradient "
        "depend on that?",
    ),
    Mistake(
        "test-few-targets",
        "Your test accepts functions that are wrong in the column of the target, for some targets.",
        "Which columns are targets in your inputs, and which columns of a row are special?",
    ),
    Mistake(
        "test-short-rows",
        "Your test accepts functions that are wrong for long rows.",
        "How many columns does a vocabulary have, how many have your inputs, and how large is a gradient there?",
    ),
    Mistake(
        "test-allows-rounded-losses",
        "Your test accepts losses that were computed from an lse in half precision.",
        "By how much may float32 be off from a loss of 2, and how much does your comparison of losses allow?",
    ),
    Mistake(
        "test-looks-at-the-target",
        "Your test accepts gradients whose error is small beside the number at the target, and as large as all others.",
        "How large is p in a row of 100 columns, and how large an error of it does your comparison allow?",
    ),
    Mistake(
        "test-ignores-the-input",
        "Your test accepts functions that change the logits.",
        "What else could a call change, besides what it returns?",
    ),
    # ---- the function
    Mistake(
        "arriving-gradient-ignored",
        "The gradient that arrives in backward has no effect.",
        "By how much must the gradient of 3 · loss differ from that of the loss, and which of your lines knows?",
    ),
    Mistake(
        "mean-over-all-rows",
        "The sum was divided by the number of all rows.",
        "By how many rows does the loss of a batch with padding have to be divided?",
    ),
    Mistake(
        "sum-not-mean",
        "The losses were added up and not averaged.",
        "If a batch is repeated, so that it has every row twice: what happens to its mean loss, and what to yours?",
    ),
    Mistake(
        "mean-divided-twice",
        "The sum of the losses was divided by a number of rows twice.",
        "How often is the sum of the losses divided on its way to your result, and by what each time?",
    ),
    Mistake(
        "mean-of-nothing",
        "No row counts, and a number came back all the same.",
        "What does the specification say of a batch in which no row counts, and what is 0 / 0 in float32?",
    ),
    Mistake(
        "loss-in-half",
        "The loss is of the dtype of the logits, and the specification says another one.",
        "Which dtype does the specification name for the loss, whatever the logits have?",
    ),
    Mistake(
        "loss-with-dimensions",
        "The loss has another number of dimensions than the specification says.",
        "How many dimensions does the specification give the loss, and what is the shape of yours?",
    ),
    Mistake(
        "no-gradient",
        "The loss cannot be differentiated, or no gradient arrives at the logits.",
        "Which object makes PyTorch call your backward, and what does it return for the logits?",
    ),
    Mistake(
        "targets-assumed-adjacent",
        "The targets are a view whose numbers do not lie side by side in memory, and the kernel takes for granted that "
        "they do.",
        "How far apart are two targets in memory, and which of your lines says so?",
    ),
    Mistake(
        "budget-exceeded",
        "The function moves more than its budget says.",
        "What do both passes move for each element of the matrix and for each row, and which of it does your budget "
        "not have?",
    ),
    Mistake(
        "budget-too-large",
        "The budget is larger than the exercise allows.",
        "How often must each logit be read, and how often must an element of a matrix be written?",
    ),
    Mistake(
        "budget-of-no-numbers",
        "The budget is not two numbers.",
        "What does the specification say that budget(m, n) returns?",
    ),
]


# ---- the loss of each row


def _losses(compute) -> Detector:
    """Matches losses that compute(x, target, hit) gives in rows that count; 0 in the others."""

    def wrong(x: torch.Tensor, facts: dict) -> torch.Tensor:
        target = facts["target"]
        hit = x.double().gather(1, target.clamp(0, x.shape[1] - 1)[:, None])[:, 0]
        return torch.where(target == facts["ignore"], 0.0, compute(x.double(), hit))

    return formula(wrong)


@looks
def _lse_is_the_loss(args, want) -> bool:
    """The second output holds what the first one should."""
    return len(args) > 1 and isinstance(args[1], torch.Tensor) and compare.alike(args[1], want)


@looks
def _outside_by_its_target(error, case) -> bool:
    """A load of one element left the tensor of the logits, in a row that does not count."""
    where, facts = (error or {}).get("where"), case.facts
    if not where or where["op"] != "load" or where["of"] != 1 or "target" not in facts:
        return False
    row = where["program"][0]
    return row < len(facts["target"]) and bool(facts["target"][row] == facts["ignore"])


@looks
def _hit_outside(error, case) -> bool:
    """A load of one element left the tensor of the logits, in a row that counts."""
    where, facts = (error or {}).get("where"), case.facts
    if not where or where["op"] != "load" or where["of"] != 1 or "target" not in facts:
        return False
    row = where["program"][0]
    of_logits = str(where["tensor"]).startswith(("x", "logits"))
    return of_logits and row < len(facts["target"]) and bool(facts["target"][row] != facts["ignore"])


@looks
def _scale_for_each_row(error) -> bool:
    where = (error or {}).get("where") or {}
    return where.get("op") == "load" and where.get("of") == 1 and str(where.get("tensor")).startswith("scale")


@looks
def _ignored_never_stored(got, target, ignore, x) -> bool:
    """Rows that do not count hold what memory held, and no other row does."""
    if got.shape != x.shape:
        return False
    never = compare.never_stored(got)
    return bool((target == ignore).any()) and bool((never.all(1) == (target == ignore)).all())


def _tile_leaves_its_row(where: dict, facts: dict) -> bool:
    """For `outside`: a tile begins in its row, where a tile should, and goes on behind the end of it."""
    begin, n = where["first"] - where["program"][0] * row_stride(where, facts), facts["x"].shape[-1]
    of_a_tile = facts["block"] and begin % facts["block"] == 0  # without one, the answer has chosen its tiles
    return bool(of_a_tile) and where["of"] > 1 and 0 <= begin < n <= (where["column"] or 0)


@looks
def _nan_behind_a_first_tile(got, x, case) -> bool:
    """All rows begin with a whole tile of -inf, and all losses are NaN."""
    return bool((x[:, : case.facts["block"]] == -torch.inf).all()) and bool(got.isnan().all())


LOSS = (
    ("target-not-masked", _outside_by_its_target),
    ("outputs-exchanged", both(_lse_is_the_loss, formula(lambda x, facts: reference.lse(x)))),
    ("loss-without-target", _losses(lambda x, hit: torch.logsumexp(x, 1))),
    ("loss-of-a-share", _losses(lambda x, hit: torch.exp(hit - torch.logsumexp(x, 1)))),
    ("loss-sign", _losses(lambda x, hit: hit - torch.logsumexp(x, 1))),
    (
        "ignored-row-counted",
        formula(lambda x, facts: reference.losses(x, facts["target"].clamp(min=0), facts["ignore"])),
    ),
    *KERNEL,
    ("hit-of-another-place", _hit_outside),
    # NaN alone names nothing, but this case and no other is NaN, in whatever order the terms are added.
    ("first-tile-minus-inf", replace(_nan_behind_a_first_tile, share=1.0)),
    ("tile-mask", outside("any", _tile_leaves_its_row)),
    *(pair for pair in TILED_WALK if pair[0] != "tile-mask"),
)


# ---- the gradient


def _gradients(compute) -> Detector:
    """Matches a gradient that compute(p, onehot, counted, scale) gives."""

    def wrong(x: torch.Tensor, facts: dict) -> torch.Tensor:
        target, ignore = facts["target"], facts["ignore"]
        counted = (target != ignore)[:, None].double()
        p, hits = torch.softmax(x.double(), 1), reference.onehot(x, target, ignore)
        return compute(p, hits, counted, facts["scale"]).to(x.dtype)

    return formula(wrong)


@looks
def _read_after_its_gradient(got, want, x, target, ignore, scale, case, evidence) -> bool:
    """In place, something was loaded once more, and either the element of the target alone is wrong, or each wrong
    element is the gradient of a gradient.
    """
    if not case.in_place or got.shape != want.shape or evidence.read <= case.budget[0]:
        return False
    counted = target != ignore
    wrong = (got - want).abs() > 1e-4 * want.abs().amax()
    of_targets = all(bool(counted[i]) and int(target[i]) == k for i, k in wrong.nonzero().tolist())
    return bool(wrong.any()) and (of_targets or _gradients_of_gradients(got, want, wrong, x, target, ignore, scale))


def _gradients_of_gradients(got, want, wrong, x, target, ignore: int, scale: float) -> bool:
    """Whether each wrong element is what the formula makes of a gradient in place of a logit, once or a few times."""
    lse, hits = reference.lse(x)[:, None], reference.onehot(x, target, ignore)
    factor, at, missing = scale * (target != ignore)[:, None].double(), want.double(), wrong.clone()
    for _ in range(8):
        at = factor * (torch.exp(at - lse) - hits)
        missing &= (got.double() - at).abs() > 1e-3 * at.abs() + 1e-6
    return not missing.any()


GRADIENT = (
    ("logit-read-after-its-gradient", _read_after_its_gradient),
    ("scale-for-each-row", _scale_for_each_row),
    ("ignored-row-not-stored", _ignored_never_stored),
    ("sign-flipped", _gradients(lambda p, hits, counted, scale: scale * counted * (hits - p))),
    ("onehot-missing", _gradients(lambda p, hits, counted, scale: scale * counted * p)),
    ("ignored-row-has-gradient", _gradients(lambda p, hits, counted, scale: scale * (p - hits))),
    *KERNEL,
    ("no-store-mask", both(unmasked("store"), outside("store", _tile_leaves_its_row))),
    ("tile-mask", both(opposite(unmasked("store")), outside("store", _tile_leaves_its_row))),
    ("tile-mask", outside("load", _tile_leaves_its_row)),
    *ROW_PLACES,
)


# ---- a test


def _never_calls_both(tree) -> bool:
    """For `written`: the test does not use one of its two parameters."""
    return bool(syntax.unused_parameters(tree, "test_cross_entropy"))


_ACCEPTING = (
    "test-takes-nan",
    "test-all-rows-count",
    "test-few-targets",
    "test-tame-values",
    "test-short-rows",
    "test-allows-rounded-losses",
    "test-looks-at-the-target",
    "test-ignores-the-input",
)


def mistakes_of_test(groups: Iterable[str]) -> tuple[tuple[str, Detector], ...]:
    """The table of a test that runs against wrong functions of these eight kinds."""
    table = of_test(groups, _ACCEPTING, "test-refuses-pytorch-loss", (("test-calls-one", _never_calls_both),))
    return ("test-differentiates-the-loss", _no_graph), ("test-of-targets-outside", _targets_outside), *table


# ---- the function


def _in_check(check: str, *more: Detector) -> Detector:
    """Matches a case of this part of the function, if all of `more` match as well."""
    return both(Detector(lambda c, e, a: c.facts.get("check") == check), *more)


_no_error = looks(lambda error: error is None)


@looks
def _in_half(want, value, check) -> bool:
    return check == "loss" and isinstance(value, torch.Tensor) and value.dtype in (torch.bfloat16, torch.float16)


@looks
def _with_dimensions(value, check) -> bool:
    return check == "loss" and isinstance(value, torch.Tensor) and value.dim() > 0


@looks
def _no_graph(error) -> bool:
    """PyTorch was asked for a gradient of a loss that has none."""
    return bool(error) and foreign.is_a(error["message"], "no-graph")


@looks
def _targets_outside(error) -> bool:
    return bool(error) and foreign.is_a(error["message"], "target-outside")


def _loss_times(factor) -> Detector:
    """Matches a loss that is factor(rows, rows that count) times the right one."""

    @looks
    def detect(want, value, target, ignore, check) -> bool:
        if check != "loss" or not isinstance(value, torch.Tensor) or compare.kind(value, want):
            return False
        wrong = want.double() * factor(len(target), max(int((target != ignore).sum()), 1))
        return bool(((value.double() - wrong).abs() <= 1e-4 * wrong.abs()) & ((wrong - want).abs() > 1e-3 * want.abs()))

    return detect


def _gradient_times(factor) -> Detector:
    """Matches a gradient that is factor(rows, rows that count, gradient that arrives) times the right one."""

    def wrong(x: torch.Tensor, facts: dict) -> torch.Tensor:
        target, ignore = facts["target"], facts["ignore"]
        times = factor(len(target), max(int((target != ignore).sum()), 1), facts.get("dloss", 1.0))
        return (times * reference.gradient(x, target, ignore, facts["scale"])).to(x.dtype)

    return both(Detector(lambda c, e, a: c.facts.get("check") == "gradient"), formula(wrong))


def _loss_from(compute) -> Detector:
    """Matches a loss that is (the sum of losses, its divisor) = compute(x, target, ignore), and not the right one."""

    @looks
    def detect(want, value, x, target, ignore, check) -> bool:
        if check != "loss" or not isinstance(value, torch.Tensor) or compare.kind(value, want):
            return False
        total, rows = compute(x, target, ignore)
        wrong = (total / rows).to(want.dtype)
        return compare.alike(value, wrong) and not compare.alike(wrong, want)

    return detect


def _sum_by_the_usual_number(x: torch.Tensor, target: torch.Tensor, ignore: int) -> tuple[torch.Tensor, torch.Tensor]:
    return reference.losses(x, target, reference.IGNORED).sum(), (target != ignore).sum()


def _mean_by_the_usual_number(x: torch.Tensor, target: torch.Tensor, ignore: int) -> tuple[torch.Tensor, torch.Tensor]:
    return reference.losses(x, target, ignore).sum(), (target != reference.IGNORED).sum()


def _mean_by_the_ignored(x: torch.Tensor, target: torch.Tensor, ignore: int) -> tuple[torch.Tensor, torch.Tensor]:
    return reference.losses(x, target, ignore).sum(), (target == ignore).sum()


@looks
def _number_of_nothing(value, target, ignore, check) -> bool:
    """No row counts, and the loss is not NaN."""
    plain = isinstance(value, torch.Tensor) and value.numel() == 1
    return check == "loss" and plain and not (target != ignore).any() and not value.isnan().any()


@looks
def _strided_targets(target, error) -> bool:
    """The failing input is the one whose targets are apart."""
    return target.stride(0) != 1 and not (error or {}).get("raised")


@looks
def _beyond_its_budget(value, evidence, check) -> bool:
    return check == "budget" and _pair(value) and (evidence.read > value[0] or evidence.written > value[1])


@looks
def _no_pair(value, error, check) -> bool:
    return check == "budget" and error is None and not _pair(value)


def _pair(value) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(isinstance(v, (int, float)) for v in value)


FUNCTION = (
    ("no-gradient", _no_graph),
    ("loss-with-dimensions", _with_dimensions),
    ("loss-in-half", _in_half),
    ("mean-of-nothing", _number_of_nothing),
    ("targets-assumed-adjacent", _strided_targets),
    ("counted-inverted", _loss_from(_mean_by_the_ignored)),
    ("ignore-index-assumed", _loss_from(_mean_by_the_usual_number)),  # if ignore_index is another, all rows count
    ("ignore-index-assumed", _loss_from(_sum_by_the_usual_number)),
    ("mean-over-all-rows", _loss_times(lambda rows, counted: counted / rows)),
    ("sum-not-mean", _loss_times(lambda rows, counted: counted)),
    ("mean-divided-twice", _loss_times(lambda rows, counted: 1 / rows)),
    ("mean-divided-twice", _loss_times(lambda rows, counted: 1 / counted)),
    ("arriving-gradient-ignored", _gradient_times(lambda rows, counted, dloss: 1 / dloss)),
    ("mean-over-all-rows", _gradient_times(lambda rows, counted, dloss: counted / rows)),
    ("sum-not-mean", _gradient_times(lambda rows, counted, dloss: counted)),
    ("kept-beside-the-graph", _in_check("first", _no_error)),
    ("budget-of-no-numbers", _no_pair),
    ("budget-exceeded", _beyond_its_budget),
    ("budget-too-large", _in_check("budget", _no_error)),
    ("target-not-masked", _outside_by_its_target),
    *(pair for pair in OF_A_MATRIX if pair[0] not in ("wrong-shape", "wrong-dtype")),  # a loss is no matrix
    *GRADIENT,
)
