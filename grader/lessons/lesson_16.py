"""Lesson 16, cross-entropy: the loss of a row of logits, its gradient, a test of both, and a function for others."""

from __future__ import annotations

import pathlib
import random

import torch

from ..checks import compare, inputs
from ..mistakes.cross_entropy import FUNCTION, GRADIENT, LOSS, mistakes_of_test
from ..reference import cross_entropy as reference
from ..reference import far_rows, softmax_function
from ..sentence import fault, said
from ..spec import Call, Case, Evidence, Exercise, Given, Out

_HERE = pathlib.Path(__file__).parent
_DRIVER = (_HERE / "drivers" / "cross_entropy.py").read_text(encoding="utf-8")
_RIGHT, _WRONG = ((_HERE / "lesson_16_functions" / f"{n}.py").read_text(encoding="utf-8") for n in ("right", "wrong"))
IGNORED = reference.IGNORED

# name of a right pair of functions -> its method, for the label of a case
RIGHT = {
    "reference": said("PyTorch's own"),
    "tiled": said("a walk in tiles"),
    "by_hits": said("the logit of the target taken from a sum"),
    "base_two": said("powers of two with a scaled exponent"),
    "exact": said("float64, rounded at the end"),
}

# kind of wrong pairs -> their names. The feedback is about the first kind that the test accepts.
WRONG = {
    said("returning nan"): ("all_nan",),
    said("wrong for rows that do not count"): ("ignored_counted", "divided_by_all", "ignored_gradient"),
    said("wrong in the column of the target"): ("next_column", "never_the_last", "one_forgotten"),
    said("wrong on large or low logits"): ("no_shift", "zero_for_maximum", "clipped"),
    said("wrong for long rows"): ("first_tile", "lost_tail"),
    said("a little wrong in each loss"): ("rounded_lse",),
    said("a little wrong in each gradient"): ("only_the_target", "not_averaged", "rounded"),
    said("changing their input"): ("in_place",),
}


def _ends(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Targets at both ends of a row, and drawn ones."""
    target = torch.randint(n, (m,), generator=g)
    target[0], target[-1] = n - 1, 0
    return target


def _some(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Drawn targets; every third row, from row 0 on, does not count."""
    target = torch.randint(n, (m,), generator=g)
    target[::3] = IGNORED
    return target


def _low(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Targets in the last half of a row, which `leading_minus_inf` leaves finite."""
    return torch.randint(n // 2, n, (m,), generator=g)


def _first(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Targets in the first half of a row."""
    return torch.randint(n // 2, (m,), generator=g)


def _zeros(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Logits that say nothing: what takes a logit for a condition is wrong here."""
    return torch.zeros(m, n)


# Label, input family, targets, rows, columns, columns of a tile, dtype.
_ROWS = [
    (said("one tile"), inputs.randn, _ends, 2, 4, 4, torch.float32),
    (said("several tiles"), inputs.randn, _ends, 2, 10, 4, torch.float32),
    (said("rows that do not count"), inputs.randn, _some, 4, 9, 4, torch.float32),
    (said("a tile larger than a row"), inputs.randn, _ends, 3, 5, 8, torch.float32),
    (said("one column"), inputs.randn, _ends, 25, 1, 4, torch.float32),
    (said("ascending"), inputs.ascending, _ends, 3, 12, 4, torch.float32),
    (said("descending"), inputs.descending, _ends, 3, 13, 4, torch.float32),
    (said("values around -200"), inputs.far_below_zero, _ends, 3, 14, 4, torch.float32),
    (said("100 ± 30"), inputs.large, _ends, 3, 15, 4, torch.float32),
    (said("first half +200, the rest -200"), inputs.cliff, _ends, 2, 16, 8, torch.float32),
    (said("first half -200, the rest +200"), inputs.rising_cliff, _ends, 2, 16, 4, torch.float32),
    (said("a first tile of -inf"), inputs.leading_minus_inf, _low, 2, 12, 4, torch.float32),
    (said("a last tile of -inf"), inputs.trailing_minus_inf, _first, 2, 12, 4, torch.float32),
    (said("constant rows"), inputs.constant, _ends, 3, 11, 4, torch.float32),
    (said("an outlier among the last values of each row"), inputs.last_outliers, _ends, 4, 13, 4, torch.float32),
    ("bfloat16", inputs.randn, _some, 5, 21, 8, torch.bfloat16),
    ("float16", inputs.randn, _ends, 3, 22, 8, torch.float16),
    (said("a vocabulary of 300"), inputs.randn, _some, 4, 300, 64, torch.float32),
    (said("all logits 0"), _zeros, _ends, 6, 17, 8, torch.float32),
    (said("values of -2.2e38"), inputs.lowest, _ends, 2, 14, 8, torch.float32),
]


def _loss_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, targets, m, n, block, dtype) in enumerate(_ROWS):
        g = inputs.generator(seed + i)
        cases.append(_loss_case(label, family(m, n, g).to(dtype), targets(m, n, g), block))
    g = inputs.generator(seed)
    other = torch.randint(1, 9, (6,), generator=g)
    other[1::2] = 3
    x, target, n = inputs.randn(5, 6, g), _some(5, 6, g), softmax_function.any_length(seed, 900)
    return [
        *cases,
        _loss_case(said("a column as ignore_index"), inputs.randn(6, 9, g), other, 4, ignore=3),
        _loss_case(said("gaps between the rows"), inputs.row_strided(inputs.randn(3, 6, g), 4), _ends(3, 6, g), 4),
        _loss_case(said("programs in reversed order"), inputs.randn(4, n, g), _some(4, n, g), 16, order="reversed"),
        _loss_case(said("a row of many tiles"), inputs.randn(1, 190, g), _ends(1, 190, g), 4),
        far_rows.case(lambda label: _loss_case(label, x, target, 4), {"x_stride": (2, 4)}),
    ]


def _loss_case(label: str, x: torch.Tensor, target: torch.Tensor, block: int, ignore=IGNORED, order="forward") -> Case:
    (m, n), want, lse = x.shape, reference.losses(x, target, ignore), reference.lse(x)
    allowed = reference.losses_bound(x)

    def verify(evidence: Evidence) -> str | None:
        losses, stored = evidence.args[:2]
        anything = torch.where(target == ignore, torch.nan, lse)  # of a row that does not count
        return reference.wrong_row(said("loss"), losses, want, allowed) or reference.wrong_row(
            "lse", stored, anything, allowed
        )

    return Case(
        said("{label}, {m}×{n} in tiles of {block}", label=label, m=m, n=n, block=block),
        Call(
            "launch",
            "cross_entropy_kernel",
            (Out((m,)), Out((m,)), x, target, x.stride(0), n, ignore),
            {"BLOCK": block},
            grid=(m,),
            order=order,
        ),
        verify=verify,
        size=m * n,
        budget=(m * n + m, 2 * m),
        may_read_less=True,
        least_read=int((target != ignore).sum()) * n,
        may_write_less=True,  # lse of a row that does not count
        unit=m * n,
        tile=block,
        largest=2 * block,
        loads=softmax_function.OF_A_WALK,
        interpreted_only=softmax_function.lowest(x),
        facts=_facts(x, target, ignore, block) | {"out": 0, "want": want.float(), "lse": lse},
    )


def _facts(x: torch.Tensor, target: torch.Tensor, ignore: int, block: int, scale: float = 1.0) -> dict:
    return {
        "x": x, "target": target, "ignore": ignore, "block": block, "scale": scale,
        "x_stride": x.stride(0), "y_stride": 1,
    }  # fmt: skip


def _gradient_cases(seed: int) -> list[Case]:
    cases, rng = [], random.Random(seed)
    for i, (label, family, targets, m, n, block, dtype) in enumerate(_ROWS[:-1]):  # lse says nothing of the lowest
        g = inputs.generator(seed + i)
        make = _gradient_case if i % 3 else _in_place_case
        cases.append(make(label, family(m, n, g).to(dtype), targets(m, n, g), block, rng.uniform(0.05, 0.5)))
    g = inputs.generator(seed)
    other = torch.randint(1, 9, (6,), generator=g)
    other[1::2] = 3
    x, target, vocabulary = inputs.randn(5, 6, g), _some(5, 6, g), softmax_function.any_length(seed, 900)
    wide = inputs.row_strided(inputs.randn(3, 6, g), 4)
    places = {"dx": (0, 5), "x": (1, 6)}
    return [
        *cases,
        _gradient_case(said("a column as ignore_index"), inputs.randn(6, 9, g), other, 4, 0.25, ignore=3),
        _gradient_case(said("gaps between the rows"), wide, _ends(3, 6, g), 4, -0.5, dx_gap=2),
        _gradient_case(said("a row of many tiles"), inputs.randn(1, 190, g), _ends(1, 190, g), 4, 2.0),
        _in_place_case(
            said("a vocabulary of {n}", n=vocabulary), inputs.randn(4, vocabulary, g), _some(4, vocabulary, g), 16, 0.5
        ),
        far_rows.case(
            lambda label: _gradient_case(label, x, target, 4, 0.3), places, lambda strides: {"x_stride": strides["x"]}
        ),
    ]


def _gradient_case(
    label: str, x: torch.Tensor, target: torch.Tensor, block: int, scale: float, ignore=IGNORED, dx_gap=0
) -> Case:
    (m, n), number = x.shape, torch.tensor([scale])
    scale = number.item()
    args = (
        Out((m, n), compare.name(x.dtype), (n + dx_gap, 1)), x, target, reference.lse(x).float(), number,
        n + dx_gap, x.stride(0), n, ignore,
    )  # fmt: skip
    want = reference.gradient(x, target, ignore, scale).to(x.dtype)
    return Case(
        said("{label}, {m}×{n} in tiles of {block}", label=label, m=m, n=n, block=block),
        Call("launch", "cross_entropy_gradient_kernel", args, {"BLOCK": block}, grid=(m,)),
        verify=lambda e: reference.wrong_gradient(e.args[0], x, target, ignore, scale),
        size=m * n,
        budget=(m * n + 2 * m, m * n),
        may_read_less=True,
        least_read=int((target != ignore).sum()) * n,
        unit=m * n,
        tile=block,
        largest=2 * block,
        loads=softmax_function.OF_A_WALK,
        facts=_facts(x, target, ignore, block, scale) | {"out": 0, "want": want, "y_stride": n + dx_gap},
    )


def _in_place_case(label: str, x: torch.Tensor, target: torch.Tensor, block: int, scale: float) -> Case:
    (m, n), number = x.shape, torch.tensor([scale])
    scale = number.item()
    return Case(
        said("{label}, {m}×{n} in tiles of {block}, in place", label=label, m=m, n=n, block=block),
        Call("call", "check_in_place", (x, target, reference.lse(x).float(), number, IGNORED, block)),
        verify=lambda e: reference.wrong_gradient(e.value, x, target, IGNORED, scale),
        size=1000 + m * n,  # its mutants are not replayed: the same failure of a launch is reported first
        budget=(m * n + 2 * m, m * n),
        may_read_less=True,
        least_read=int((target != IGNORED).sum()) * n,
        unit=m * n,
        in_place=True,
        facts=_facts(x, target, IGNORED, block, scale)
        | {"want": reference.gradient(x, target, IGNORED, scale).to(x.dtype), "y_stride": x.stride(0)},
    )


def _test_cases(seed: int) -> list[Case]:
    """Right pairs and then wrong ones, each kind in an order that depends on the seed; as in lesson 06."""
    first, *right = [(said("a right pair ({style})", style=style), _RIGHT, name, None) for name, style in RIGHT.items()]
    wrong = [
        (said("pair {i} of those {group}", i=i, group=group), _WRONG, name, group)
        for group, names in WRONG.items()
        for i, name in enumerate(names, 1)
    ]
    chance = random.Random(seed)
    chance.shuffle(right)
    chance.shuffle(wrong)
    return [_test_case(*pair, size, 0 < size <= len(right)) for size, pair in enumerate([first, *right, *wrong])]


def _test_case(label: str, source: str, name: str, group: str | None, size: int, together: bool) -> Case:
    return Case(
        label,
        Call("call", "test_cross_entropy", (Given(source, f"{name}_loss"), Given(source, f"{name}_gradient"))),
        verify=lambda e: said("your test accepts wrong functions") if group and not e.error else None,
        size=size,
        expects_error=group is not None,
        may_call_library=True,
        group=group,
        alone=not together,
        facts={"reference": name == "reference"},
    )


# Label, input family, targets, rows, columns, dtype.
_CALLS = [
    (said("a few rows"), inputs.randn, _ends, 3, 5, torch.float32),
    (said("rows that do not count"), inputs.randn, _some, 5, 7, torch.float32),
    (said("one row"), inputs.randn, _ends, 1, 6, torch.float32),
    (said("100 ± 30"), inputs.large, _some, 4, 12, torch.float32),
    ("bfloat16", inputs.randn, _some, 5, 40, torch.bfloat16),
    ("float16", inputs.randn, _ends, 3, 41, torch.float16),
    (said("a vocabulary of 700"), inputs.randn, _some, 4, 700, torch.float32),
]
_MOST = 16384  # columns that a kernel holds at a time


def _function_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, targets, m, n, dtype) in enumerate(_CALLS):
        g = inputs.generator(seed + i)
        x, target = family(m, n, g).to(dtype), targets(m, n, g)
        cases += [_call_case(label, x, target), _backward_case(label, x, target, g)]
    g = inputs.generator(seed)
    x, target, one = inputs.randn(4, 6, g), _some(4, 6, g), inputs.randn(3, 8, g)
    apart = torch.stack([_ends(4, 6, g), torch.full((4,), 77)], 1)[:, 0]
    column = torch.tensor([1, 2, 1])
    long, words = inputs.randn(1, 20_001, g), _ends(1, 20_001, g)
    return [
        *cases,
        _call_case(said("ignore_index given"), one, column, 1),
        _backward_case(said("ignore_index given"), one, column, g, 1),
        _call_case(said("no row counts"), inputs.randn(2, 4, g), torch.full((2,), IGNORED)),
        _call_case(said("gaps between the rows"), inputs.row_strided(x), target),
        _backward_case(said("gaps between the rows"), inputs.row_strided(x), target, g),
        _call_case(said("every other number as targets"), x, apart),
        _call_case(said("a transposed view"), inputs.column_strided(x), target, may_refuse=True),
        _call_case(said("a very long row"), long, words),
        _first_case(inputs.randn(3, 6, g), _ends(3, 6, g), g),
        *(_budget_case(m, n, g) for m, n in ((5, 300), (9, 260))),
        *softmax_function.any_lengths(seed, lambda label, x: _call_case(label, x, _ends(*x.shape, g))),
        *softmax_function.any_lengths(seed + 1, lambda label, x: _backward_case(label, x, _ends(*x.shape, g), g)),
        far_rows.of_function(_call_case(far_rows.LABEL, one, _ends(3, 8, g)), 0),
        far_rows.of_function(_backward_case(far_rows.LABEL, one, _ends(3, 8, g), g), 0),
        *_refusals(g),
        *_apart_cases(g),
    ]


def _apart_cases(g: torch.Generator) -> list[Case]:
    """Views whose columns lie apart, which an answer may refuse; also where a row, or a column, is alone."""
    cases = []
    for label, m, n in ((said("two columns that lie apart"), 3, 2), (said("columns that lie apart"), 1, 6)):
        x, target = inputs.every_other_column(inputs.randn(m, n, g)), _ends(m, n, g)
        cases.append(_call_case(label, x, target, may_refuse=True))
    x, target = inputs.column_strided(inputs.randn(4, 6, g)), _some(4, 6, g)
    return [*cases, _backward_case(said("a transposed view"), x, target, g, may_refuse=True)]


def _few(m: int) -> int:
    """Elements that a call may move besides matrices, in each direction."""
    return 8 * m + 16


def _call_case(label: str, x: torch.Tensor, target: torch.Tensor, *ignore: int, may_refuse: bool = False) -> Case:
    (m, n), at = x.shape, (*ignore, IGNORED)[0]
    want = reference.mean(x, target, at).float()
    allowed = float(reference.losses_bound(x).amax())

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            return softmax_function.refused(None, evidence, said("this input"), ("ValueError", "TypeError"))
        wrong = compare.kind(evidence.value, want) or _wrong_loss(evidence.value, want, allowed)
        return wrong or _launch_fault(evidence)

    return Case(
        said("the loss, {label}, {m}×{n}", label=label, m=m, n=n),
        Call("call", "check_loss", (x, target, *ignore)),
        verify=verify,
        size=m * n if (target != at).any() else 4000,  # a mean of nothing says little about a mistake
        budget=(m * n + _few(m), _few(m)) if x.is_contiguous() else None,
        may_read_less=True,
        may_write_less=True,
        unit=m * n,
        largest=_MOST * 2,
        tile=_MOST,
        expects_error=may_refuse,
        facts=_facts(x, target, at, 0) | {"want": want, "check": "loss"},
    )


def _wrong_loss(got: torch.Tensor, want: torch.Tensor, allowed: float) -> str | None:
    if abs(got.item() - want.item()) <= allowed + 1e-6 * abs(want.item()) or want.isnan() and got.isnan():
        return None
    digits = compare.apart(got.item(), want.item(), 6)
    return said(
        "the loss {is_now}, expected {expected}",
        is_now=compare.is_now(got, digits),
        expected=f"{want.item():.{digits}g}",
    )


def _launch_fault(evidence: Evidence) -> str | None:
    """None where a kernel of the answer was launched, with warps that exist; else a sentence."""
    if sentence := softmax_function.warps_fault(evidence):
        return sentence
    return None if evidence.launches else said("no kernel was launched")


def _scale(target: torch.Tensor, ignore: int, dloss: torch.Tensor) -> float:
    return dloss.item() / max(int((target != ignore).sum()), 1)


def _backward_case(
    label: str, x: torch.Tensor, target: torch.Tensor, g: torch.Generator, *ignore: int, may_refuse: bool = False
) -> Case:
    (m, n), at, dloss = x.shape, (*ignore, IGNORED)[0], 0.5 + torch.rand((), generator=g)
    scale = _scale(target, at, dloss)

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            return softmax_function.refused(None, evidence, said("this input"), ("ValueError", "TypeError"))
        return reference.wrong_gradient(evidence.value, x, target, at, scale) or _launch_fault(evidence)

    return Case(
        said("the gradient, {label}, {m}×{n}", label=label, m=m, n=n),
        Call("call", "check_gradient", (x, target, dloss, *ignore)),
        verify=verify,
        size=m * n,
        expects_error=may_refuse,
        facts=_facts(x, target, at, 0, scale)
        | {"want": reference.gradient(x, target, at, scale).to(x.dtype), "check": "gradient", "dloss": dloss.item()},
    )


def _first_case(x: torch.Tensor, target: torch.Tensor, g: torch.Generator) -> Case:
    dloss, m = 0.5 + torch.rand((), generator=g), len(x)
    scale = _scale(target, IGNORED, dloss)
    return Case(
        said("the gradient of a first loss, after a second one"),
        Call("call", "check_first_gradient", (x, target, (target + 1) % x.shape[1], dloss)),
        verify=lambda e: reference.wrong_gradient(e.value, x, target, IGNORED, scale),
        size=1000 + m,
        facts={"check": "first"},
    )


def _budget_case(m: int, n: int, g: torch.Generator) -> Case:
    """A forward and a backward pass within the budget that the answer states, and that one within the exercise's."""
    x, target = inputs.randn(m, n, g), _some(m, n, g)
    most = 2 * m * n + _few(m), m * n + _few(m)

    def verify(evidence: Evidence) -> str | None:
        stated = evidence.value
        if not isinstance(stated, (tuple, list)) or len(stated) != 2 or not all(_whole(each) for each in stated):
            return said("budget returned {shown}, expected two numbers (read, written)", shown=compare.shown(stated))
        for word, moved, stated_one, most_one in zip(
            (said("read"), said("written")), (evidence.read, evidence.written), stated, most
        ):
            if moved > stated_one:
                return fault(
                    "way",
                    "{moved} elements are {word} in both passes, and your budget says {stated}",
                    moved=moved,
                    word=word,
                    stated=stated_one,
                )
            if stated_one > most_one:
                return said(
                    "your budget says {stated} elements {word}, and the exercise allows {most}",
                    stated=stated_one,
                    word=word,
                    most=most_one,
                )
        return None

    return Case(
        said("the budget of both passes, {m}×{n}", m=m, n=n),
        Call("call", "check_budget", (x, target, torch.rand((), generator=g) + 0.5)),
        verify=verify,
        size=5000 + m * n,
        budget=most,
        may_read_less=True,
        may_write_less=True,
        unit=m * n,
        facts={"check": "budget", "m": m, "n": n},
    )


def _whole(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _refusals(g: torch.Generator) -> list[Case]:
    x, target = inputs.randn(4, 6, g), torch.randint(6, (4,), generator=g)
    unfit = [
        (said("a vector of logits"), x[0], target[:1]),
        (said("three dimensions"), x[None], target[None]),
        (said("float64 logits"), x.double(), target),
        (said("logits that are integers"), x.long(), target),
        (said("float32 targets"), x, target.float()),
        (said("int32 targets"), x, target.int()),
        (said("one target too few"), x, target[:3]),
        (said("a matrix of targets"), x, target[:, None]),
    ]
    return [_refusal(label, logits, targets) for label, logits, targets in unfit]


def _refusal(label: str, x: torch.Tensor, target: torch.Tensor) -> Case:
    return Case(
        said("an input it cannot take: {label}", label=label),
        Call("call", "check_loss", (x, target)),
        verify=lambda e: softmax_function.refused(None, e, label, ("ValueError", "TypeError")),
        size=10_000,
        facts={"refuses": True},
        expects_error=True,
    )


EXERCISES = [
    Exercise(
        id="16.1",
        title="cross_entropy_kernel",
        names=("cross_entropy_kernel",),
        points=2,
        cases=_loss_cases,
        kernels=True,
        hints=(
            said(
                "The first walk of 8.3 gives m and d. After it, only single numbers are left: no tile, no second walk."
            ),
            said(
                "The loss is log(d) + m - x[target]. The address of that one logit is computed as that of a tile, "
                "with the target in place of the columns. For which rows must it not be loaded?"
            ),
            said(
                "`hit = tl.load(<begin of the row> + target, mask=<the row counts>, other=0.0)`, then "
                "`tl.store(loss_ptr + row, tl.where(<the row counts>, <loss>, 0.0))`."
            ),
        ),
        mistakes=LOSS,
    ),
    Exercise(
        id="16.2",
        title="cross_entropy_gradient_kernel",
        names=("cross_entropy_gradient_kernel",),
        points=1,
        cases=_gradient_cases,
        kernels=True,
        driver=_DRIVER,
        hints=(
            said("p follows from one logit and from lse. At the target, p becomes p - 1."),
            said(
                "Load target, lse and the scale once, before the loop. Which number as a scale makes the gradient of "
                "a row 0?"
            ),
            said("`<scale> * tl.where(cols == target, p - 1.0, p)`, with `p = tl.exp(<tile> - lse)`."),
        ),
        mistakes=GRADIENT,
    ),
    Exercise(
        id="16.3",
        title="test_cross_entropy",
        names=("test_cross_entropy",),
        points=1,
        cases=_test_cases,
        open_book=said("its functions, right and wrong ones, lie in the grader; their order is drawn"),
        groups=tuple(WRONG),
        imports=("torch.distributed.tensor", "unittest.mock", "pytest"),  # the first: torch.testing.assert_close
        hints=(
            said(
                "Make a list of pairs (logits, target) that differ in one property each: values, length of the rows, "
                "targets, rows that do not count."
            ),
            said(
                "The right loss and the right gradient come from torch.nn.functional.cross_entropy, of logits in "
                "float64 that require a gradient. How large is an element of the gradient in a row of 5000?"
            ),
            said(
                "`right = x.double().requires_grad_()`, `want = <PyTorch's loss of right>`, `want.backward()`, then "
                "an assert on the loss and one on `(dx - right.grad).abs() <= <share> * right.grad.abs() + <tiny>`."
            ),
        ),
        mistakes=mistakes_of_test(WRONG),
    ),
    Exercise(
        id="16.4",
        title="cross_entropy, budget",
        names=("cross_entropy", "budget"),
        points=2,
        cases=_function_cases,
        kernels=True,
        driver=_DRIVER,
        imports=("torch.fx.experimental.symbolic_shapes",),  # torch.autograd.grad imports it
        hints=(
            said(
                "An autograd function as in 11.3: forward launches the kernel of 16.1, backward that of 16.2. A plain "
                "function around it refuses what does not fit, and calls `apply`."
            ),
            said(
                "forward keeps the logits, the targets, lse, and the number of rows that count as a tensor. backward "
                "makes the scale from that number and from the gradient that arrives."
            ),
            said(
                "`ctx.save_for_backward(logits, target, lse, counted)` and `return losses.sum() / counted`; in "
                "backward `scale = dloss / counted`, a launch, `return dx, None, None`."
            ),
        ),
        mistakes=FUNCTION,
    ),
]
