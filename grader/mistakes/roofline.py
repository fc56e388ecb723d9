"""The mistakes in the traffic of a softmax, in its least time, and in its bound: exercise 1.2 and lesson 02.

Most detectors compare the answer's number with a wrong formula. A wrong formula takes the facts of a case by name.

Facts of a case: the arguments of the function, by their names in `reference.roofline` (m and n; itemsize and bandwidth;
intensity, flops and bandwidth), and want (the right value). A case about a claim has `claim`, the letter of the claim.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from fractions import Fraction

from ..checks import syntax
from ..checks.compare import same_number
from ..checks.examples import like
from ..reference.roofline import at_the_balance, five_pass_traffic, one_pass_traffic
from ..sentence import foreign
from ..spec import Detector
from . import detectors
from .detectors import looks
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "five-passes-counted",
        "Reads or writes of the five passes were counted, and not those of one fused kernel.",
        "If a row stays on the chip from the first step to the last, which steps still touch memory?",
    ),
    Mistake(
        "vectors-on-chip",
        "A row maximum or a row sum is counted as if it were in memory.",
        "Where is it while its row is on the chip?",
    ),
    Mistake(
        "input-read-again",
        "The matrix is counted more than once among the elements read.",
        "Where is a row after the kernel has read it for the first time?",
    ),
    Mistake(
        "steps-stored",
        "The matrix is counted more than once among the elements written.",
        "Where are the intermediate numbers of a row until the result is done?",
    ),
    Mistake("one-row-counted", "Only the elements of one row are counted.", "How many rows does the matrix have?"),
    Mistake(
        "one-column-counted", "Only the elements of one column are counted.", "How many columns does the matrix have?"
    ),
    Mistake("one-element-counted", "Only one element is counted.", "How many elements does the matrix have?"),
    Mistake(
        "one-count-for-both",
        "The elements read and the elements written are counted together, in one of the two numbers.",
        "How many elements does the kernel read, and how many does it write?",
    ),
    Mistake(
        "both-counts-doubled",
        "Both numbers are twice the right ones.",
        "Of how many matrices does the kernel read elements, and of how many does it write some?",
    ),
    Mistake(
        "one-line-left-out",
        "One row or one column of the matrix is not counted.",
        "With which row and which column does your count begin, and with which does it end?",
    ),
    Mistake(
        "same-for-every-matrix",
        "The answer is the same number for every matrix.",
        "What is the ratio of a matrix with one column, and what is it for 1,000 columns?",
    ),
    Mistake(
        "bandwidth-changed",
        "The bandwidth was multiplied or divided by a number before it was used.",
        "How many bytes does the card move in a second, in both directions together?",
    ),
    Mistake(
        "one-direction",
        "Reading and writing both take time, and only one of the two is counted.",
        "What else does a softmax do with memory, besides what you counted?",
    ),
    Mistake(
        "two-ratios",
        "A tuple or a list came back, and the ratio is one plain number.",
        "How many elements does each version move in all, whatever the direction?",
    ),
    Mistake(
        "ratio-doubled",
        "This is twice the ratio.",
        "How many elements does each version move in all, whatever the direction?",
    ),
    Mistake(
        "divided-by-one-factor",
        "Only the first factor after the division sign divides, and the others multiply.",
        "In which order does Python compute a / b * c, and where do parentheses change that?",
    ),
    Mistake(
        "earlier-wrong",
        "Your fused_traffic is used here, and it does not give the right numbers yet: 2.1 comes first.",
        'What does check("2.1") say?',
    ),
    Mistake(
        "pair-for-number",
        "fused_traffic and naive_traffic give two numbers each, and you cannot divide a pair.",
        "Which one number do you need of the two, and which function of Python makes it?",
    ),
    Mistake(
        "counted-twice",
        "Elements are counted more often than they are moved.",
        "How often is an element moved, and how often does your line count it?",
    ),
    Mistake(
        "vectors-weigh-double",
        "The row maxima and row sums have twice the share of the ratio that they should have.",
        "How many of them are stored and loaded in all, and which number are they divided by?",
    ),
    Mistake(
        "ratio-upside-down", "The two sides of the division are exchanged.", "Which of the two versions moves more?"
    ),
    Mistake(
        "one-less",
        "This is the right ratio minus 1.",
        "How many times does the smaller number of elements fit into the larger one?",
    ),
    Mistake(
        "not-a-ratio",
        "This is a number of elements, or a product of two such numbers. It is not a ratio.",
        "Which operation tells how many times one number fits into another?",
    ),
    Mistake(
        "two-matrices",
        "The two versions are counted for matrices of different shapes.",
        "Which two numbers does each of your calls get, in which order?",
    ),
    Mistake(
        "saving-not-ratio",
        "This number says how much is saved. The exercise asks how many times as much is moved.",
        "What would you get for two versions that move the same, and what should it be?",
    ),
    Mistake(
        "rounded",
        "Digits are missing, in the result or in a number on the way to it.",
        "Which operator or function of yours gives only some of the digits?",
    ),
    Mistake(
        "itemsize-forgotten",
        "These are elements divided by bytes per second.",
        "Which unit is left when elements are divided by bytes per second?",
    ),
    Mistake(
        "itemsize-upside-down",
        "The number of elements was divided by the size of one of them.",
        "How many bytes are 100 elements of 2 bytes each, and how many are 100 of 4?",
    ),
    Mistake(
        "bandwidth-left-out",
        "The bandwidth has no effect on the result.",
        "What happens to the time when the card is twice as fast?",
    ),
    Mistake(
        "itemsize-added",
        "The size of an element was added to the number of elements.",
        "How many bytes are 100 elements of 2 bytes each?",
    ),
    Mistake(
        "other-matrix-counted",
        "This is the time of another matrix or of another element size: one factor was used in place of another.",
        "Which of your factors counts rows, which counts columns, and which counts bytes?",
    ),
    Mistake(
        "float32-assumed",
        "Every element was taken to have four bytes.",
        "What says how large an element is: a parameter, or the tensor itself?",
    ),
    Mistake(
        "bits-not-bytes",
        "The time is off by a factor of 8.",
        "Does the bandwidth count bits or bytes?",
    ),
    Mistake(
        "not-in-seconds",
        "The time is right, but its unit is not.",
        "Which unit does the bandwidth have, and which unit should the time have?",
    ),
    Mistake(
        "not-a-time",
        "This number is not a time: its unit is not seconds.",
        "Bytes on one side, bytes per second on the other: which operation leaves seconds?",
    ),
    Mistake(
        "other-words",
        'One of two words was expected: "memory" or "compute".',
        "Which word does each of your return lines give?",
    ),
    Mistake(
        "always-one-answer",
        "The answer is the same for every kernel and every card.",
        "For a kernel that does little arithmetic and for one that does very much: what does each line of yours give?",
    ),
    Mistake(
        "card-left-out",
        "The same kernel gets the same word on every card.",
        "Which two numbers describe the card, and where does your function use them?",
    ),
    Mistake(
        "number-left-out",
        "At least one of the three numbers has no effect on the answer.",
        "In which unit is each of the three numbers, and which operation on two of them gives the unit of the third?",
    ),
    Mistake(
        "units-do-not-match",
        "Two numbers with different units were compared.",
        "Which unit does each side of your comparison have?",
    ),
    Mistake(
        "intensity-per-element",
        "One side of the comparison was multiplied or divided by a number, and neither side needs one.",
        "Which units do the two sides have without that number?",
    ),
    Mistake(
        "faster-side-named",
        "Your word names the side that takes less time, and the side that takes more time holds the kernel back.",
        "Which takes longer: to move one byte of this kernel, or to do the arithmetic for one byte?",
    ),
    Mistake(
        "claim-missing",
        'A dictionary with the keys "a" to "f" was expected.',
        "Of which type is your object, and which keys does it have?",
    ),
    Mistake(
        "not-true-or-false",
        "An entry is neither True nor False.",
        "Of which type is that entry, and of which type are True and False?",
    ),
    Mistake(
        "myth-believed",
        "You say that this claim is true, but it is not.",
        "Which number of your own can you put beside it?",
    ),
    Mistake(
        "truth-doubted",
        "You say that this claim is false, but it is true.",
        "Which number of your own supports it?",
    ),
]

_NO_PAIR = detectors.value(
    lambda v, f: not isinstance(v, (tuple, list)) or len(v) != 2 or any(isinstance(n, str) for n in v)
)
_A_NUMBER = detectors.value(lambda v, f: _is_number(v))
_NO_NUMBER = detectors.value(lambda v, f: not _is_number(v))
_VECTORS = [(a, b) for a in range(3) for b in range(3) if (a, b) != (0, 0)]
_UNITS = [10.0**k for k in (-12, -9, -6, -3, 3, 6, 9, 12)] + [2.0**k for k in (-30, -20, -10, 10, 20, 30)]


def _is_number(v) -> bool:
    """Whether a value is a plain number. True and False are none."""
    return isinstance(v, (int, float, Fraction)) and not isinstance(v, bool)


def _without_the_matrix(tree: ast.AST) -> bool:
    """For `written`: ideal_speedup uses neither m nor n."""
    return syntax.unused_parameters(tree, "ideal_speedup") == {0, 1}


def _in_function(name: str, example: str) -> Detector:
    """Matches a text whose function of this name has an expression that looks like the example, as `like` has it."""
    return detectors.written(lambda tree: any(like(function, example) for function in syntax.functions(tree, name)))


_ANOTHER_BANDWIDTH = detectors.written_like(
    "bandwidth * _number", "_number * bandwidth", "bandwidth / _number", "bandwidth // _number"
)


def _number(formula) -> Detector:
    """Matches the number that a wrong formula(**facts) gives."""
    return detectors.value_formula(lambda v, f: same_number(v, formula(**f), rel=1e-6))


def _word(test) -> Detector:
    """As value_formula, for a word. At the balance either word is right, and tells nothing."""
    return detectors.value_formula(
        lambda v, f: at_the_balance(f["intensity"], f["flops"], f["bandwidth"]) or test(v, f)
    )


def _rule(test) -> Detector:
    """Matches the word of a wrong rule: "memory" where test(intensity, flops, bandwidth) holds, else "compute"."""
    words = {True: "memory", False: "compute"}
    return _word(lambda v, f: v == words[bool(test(f["intensity"], f["flops"], f["bandwidth"]))])


def _powers_of_ten(tree: ast.AST) -> bool:
    """For `written`: a power of ten from 1,000 up, or its inverse, as in `flops / 1e12`."""
    numbers = [n.value for n in syntax.nodes(tree) if isinstance(n, ast.Constant) and isinstance(n.value, (int, float))]
    tens = [n for n in syntax.nodes(tree) if isinstance(n, ast.BinOp) and ast.unparse(n).startswith("10 **")]
    return bool(tens) or any(n in (10.0**k, 10.0**-k) for n in numbers for k in range(3, 16))


def _wrong_word(v, f: dict) -> bool:
    """The other one of the two words."""
    return v in ("memory", "compute") and v != f["want"]


def _ignores(*some: set[int]) -> Detector:
    """Matches a wrong word from a bound_by whose unused parameters are exactly one of these sets of positions."""
    unused = detectors.written(lambda tree: syntax.unused_parameters(tree, "bound_by") in some)
    return detectors.both(detectors.value(_wrong_word), unused)


def _multiple(which: int, a: int, b: int) -> Detector:
    """Matches a pair in which number `which` (0: read, 1: written) is a·mn + b·m. The other one may be wrong, too."""
    same = detectors.value_formula(lambda v, f: v[which] == a * f["m"] * f["n"] + b * f["m"])
    return replace(same, by_numbers=False)


def _beside_the_matrix(v, f: dict, right) -> list[int | Fraction]:
    """For each wrong number of a pair (read, written): its distance from the right multiple of m·n."""
    m, n = f["m"], f["n"]
    pairs = [(got, want) for got, want in zip(v, right(m, n)) if not same_number(got, want)]
    return [abs(got - want // (m * n) * m * n) for got, want in pairs]


def _terms(right) -> tuple[tuple[str, Detector], ...]:
    """Names the wrong term of a pair of counts: a few vectors are less than a matrix, unless that is small."""

    def vectors(v, f):
        return all(away <= 12 * (f["m"] + f["n"]) for away in _beside_the_matrix(v, f, right))

    def matrix(v, f):
        off = _beside_the_matrix(v, f, right)
        return len(v) == 2 and bool(off) and (f["m"] * f["n"] < 1000 or not vectors(v, f))

    wrong = detectors.value(lambda v, f: len(v) == 2 and vectors(v, f) and bool(_beside_the_matrix(v, f, right)))
    fits = detectors.value(lambda v, f: len(v) == 2 and vectors(v, f))
    beside = replace(wrong, fits=lambda case, evidence: fits(case, evidence, None), exact=True)
    return ("vectors-miscounted", beside), ("matrix-miscounted", detectors.value(matrix))


def _five_over_one(m: int, n: int, k: int, l: int) -> Fraction:
    """The five passes over an m × n matrix, divided by one pass over a k × l matrix."""
    return Fraction(sum(five_pass_traffic(m, n)), sum(one_pass_traffic(k, l)))


_SIDES = [(a, b, c, d) for a in "mn" for b in "mn" for c in "mn" for d in "mn" if {a, b} != {c, d}]


@looks
def _pair_as_number(error) -> bool:
    """Python refused arithmetic with a tuple, such as the pair that fused_traffic returns."""
    return error is not None and foreign.is_a(error["message"], "about-a-tuple")


def _sevenfold(v, f: dict) -> bool:
    """The number read is 7·mn, with or without vectors of m elements."""
    return v[0] in (7 * f["m"] * f["n"] + k * f["m"] for k in range(4))


def _claim(test) -> Detector:
    """Matches an entry of the claims' dictionary for which test(entry) holds."""
    return detectors.value(lambda v, f: test(v[f["claim"]]))


def _decimals(v) -> int:
    """How many decimals a rounded number has. One with many was computed from rounded ones, and may be off by 1."""
    count = len(repr(float(v)).rstrip("0").partition(".")[2])
    return count if count < 6 and "e" not in repr(float(v)) else 0


# The answer's text defines a fused_traffic that gives wrong numbers for a matrix of 7×11. The text of an earlier
# exercise is part of the answer to a later one that uses it.
_TRAFFIC_IS_WRONG = detectors.written(
    lambda tree: syntax.worked_out(tree, "fused_traffic", 7, 11) not in (None, (7 * 11, 7 * 11))
)
# The number is less than 1 away from the right one, and the answer's text has an operation that cuts digits.
_ROUNDED = detectors.both(
    detectors.value(lambda v, f: abs(v - f["want"]) < 10.0 ** -_decimals(v)),
    detectors.written(syntax.cuts_digits),
)

NAIVE_TRAFFIC = (
    ("returns-nothing", detectors.nothing),
    ("not-two-numbers", _NO_PAIR),
    *(
        ("vectors-forgotten", detectors.traffic(lambda m, n, a=a, b=b: (5 * m * n + a * m, 3 * m * n + b * m)))
        for a in range(3)
        for b in range(3)
        if (a, b) != (2, 2)
    ),
    ("vectors-of-n", detectors.traffic(lambda m, n: (5 * m * n + 2 * n, 3 * m * n + 2 * n))),
    ("read-written-swapped", detectors.traffic(lambda m, n: five_pass_traffic(m, n)[::-1])),
    ("seven-mn", detectors.value(_sevenfold)),
    ("bytes-not-elements", detectors.traffic(lambda m, n: tuple(4 * t for t in five_pass_traffic(m, n)))),
    ("fused-counted", detectors.traffic(one_pass_traffic)),
    *_terms(five_pass_traffic),
)

FUSED_TRAFFIC = (
    ("returns-nothing", detectors.nothing),
    ("not-two-numbers", _NO_PAIR),
    *(
        ("vectors-on-chip", detectors.traffic(lambda m, n, a=a, b=b: (m * n + a * m, m * n + b * m)))
        for a, b in _VECTORS
    ),
    ("bytes-not-elements", detectors.traffic(lambda m, n: (4 * m * n, 4 * m * n))),
    ("one-row-counted", detectors.traffic(lambda m, n: (n, n))),
    ("one-line-left-out", detectors.traffic(lambda m, n: (m * (n - 1), m * (n - 1)))),
    ("one-line-left-out", detectors.traffic(lambda m, n: ((m - 1) * n, (m - 1) * n))),
    ("one-count-for-both", detectors.traffic(lambda m, n: (2 * m * n, 0))),
    ("one-count-for-both", detectors.traffic(lambda m, n: (0, 2 * m * n))),
    ("both-counts-doubled", detectors.traffic(lambda m, n: (2 * m * n, 2 * m * n))),
    ("input-read-again", _multiple(0, 2, 0)),
    ("input-read-again", _multiple(0, 3, 0)),
    ("steps-stored", _multiple(1, 2, 0)),
    *(("five-passes-counted", _multiple(0, 5, k)) for k in range(3)),
    *(("five-passes-counted", _multiple(1, 3, k)) for k in range(3)),
    *_terms(one_pass_traffic),
)

IDEAL_SPEEDUP = (
    ("earlier-wrong", _TRAFFIC_IS_WRONG),
    ("pair-for-number", _pair_as_number),
    ("returns-nothing", detectors.nothing),
    ("two-ratios", detectors.value(lambda v, f: isinstance(v, (tuple, list)))),
    ("not-a-number", _NO_NUMBER),
    ("ratio-upside-down", _number(lambda want, m, n: 1 / want)),
    ("divided-by-one-factor", _number(lambda want, m, n: want * (m * n) ** 2)),
    ("divided-by-one-factor", _number(lambda want, m, n: want * n * n)),
    ("ratio-doubled", _number(lambda want, m, n: 2 * want)),
    ("same-for-every-matrix", detectors.both(_A_NUMBER, detectors.written(_without_the_matrix))),
    ("seven-mn", detectors.both(_number(lambda want, m, n: 5), _in_function("ideal_speedup", "7"))),
    ("one-less", detectors.both(_number(lambda want, m, n: want - 1), _in_function("ideal_speedup", "_ - 1"))),
    ("one-direction", _number(lambda want, m, n: want + 1)),
    *(("one-direction", _number(lambda want, m, n, k=k: k)) for k in (3, 5)),
    ("saving-not-ratio", _number(lambda want, m, n: (want - 1) * 2 * m * n)),
    ("saving-not-ratio", _number(lambda want, m, n: 1 - 1 / want)),
    ("rounded", _ROUNDED),
    *(("vectors-forgotten", _number(lambda want, m, n, k=k: 4 + Fraction(k, 2 * n))) for k in range(4)),
    ("vectors-weigh-double", _number(lambda want, m, n: 4 + Fraction(4, n))),
    ("vectors-of-n", _number(lambda want, m, n: 4 + Fraction(2, m))),
    *(
        ("not-a-ratio", _number(lambda want, m, n, k=k: k(sum(five_pass_traffic(m, n)), 2 * m * n)))
        for k in (lambda five, one: five * one, lambda five, one: five + one, max, min, lambda five, one: one / 2)
    ),
    *(
        ("one-direction", _number(lambda want, m, n, k=k, l=l: Fraction(five_pass_traffic(m, n)[k], l * m * n)))
        for k in (0, 1)
        for l in (1, 2)
    ),
    ("one-less", _number(lambda want, m, n: want - 1)),
    *(
        ("two-matrices", _number(lambda want, sides=sides, **f: _five_over_one(*(f[side] for side in sides))))
        for sides in _SIDES
    ),
)

_ASKS_TRAFFIC = _in_function("floor_time", "fused_traffic")

FLOOR_TIME = (
    ("earlier-wrong", _TRAFFIC_IS_WRONG),
    ("pair-for-number", _pair_as_number),
    ("returns-nothing", detectors.nothing),
    ("not-a-number", _NO_NUMBER),
    *(
        (
            "bandwidth-changed",
            detectors.both(_number(lambda want, k=k, **f: want * k), _ANOTHER_BANDWIDTH),
        )
        for k in (2, Fraction(1, 2))
    ),
    ("one-direction", _number(lambda want, **f: want / 2)),
    ("counted-twice", _number(lambda want, **f: want * 2)),
    ("itemsize-forgotten", _number(lambda want, itemsize, **f: want / itemsize)),
    ("itemsize-forgotten", _number(lambda want, itemsize, **f: want / itemsize / 2)),
    ("float32-assumed", _number(lambda want, itemsize, **f: want * 4 / itemsize)),
    ("five-passes-counted", _number(lambda want, n, **f: want * (4 + Fraction(2, n)))),
    ("five-passes-counted", detectors.both(_number(lambda want, **f: want * 4), detectors.opposite(_ASKS_TRAFFIC))),
    *(("vectors-on-chip", _number(lambda want, n, k=k, **f: want * (1 + Fraction(k, 2 * n)))) for k in range(1, 5)),
    ("bits-not-bytes", _number(lambda want, **f: want * 8)),
    ("bits-not-bytes", _number(lambda want, **f: want / 8)),
    *(("not-in-seconds", _number(lambda want, unit=unit, **f: want * Fraction(unit))) for unit in _UNITS),
    ("not-a-time", _number(lambda want, **f: 1 / want)),
    ("not-a-time", _number(lambda want, bandwidth, **f: bandwidth)),
    *(
        ("bandwidth-left-out", _number(lambda want, bandwidth, k=k, **f: want * bandwidth * k))
        for k in (1, Fraction(1, 10**9), 10**9)
    ),
    *(("bandwidth-left-out", _number(lambda want, m, n, k=k, **f: k * m * n)) for k in (1, 2)),
    ("itemsize-upside-down", _number(lambda want, itemsize, **f: want / itemsize**2)),
    *(
        (
            "itemsize-added",
            _number(lambda want, m, n, itemsize, bandwidth, k=k: Fraction(k * m * n + itemsize, bandwidth)),
        )
        for k in (1, 2)
    ),
    *(("counted-twice", _number(lambda want, k=k, **f: want * k)) for k in (Fraction(3, 2), 3)),
    *(("one-row-counted", _number(lambda want, m, k=k, **f: want / m / k)) for k in (1, 2)),
    *(("one-column-counted", _number(lambda want, n, k=k, **f: want / n / k)) for k in (1, 2)),
    *(
        ("other-matrix-counted", _number(lambda want, a=a, b=b, **f: want * f[a] / f[b]))
        for a, b in (("m", "n"), ("n", "m"), ("itemsize", "m"), ("itemsize", "n"), ("n", "itemsize"), ("m", "itemsize"))
    ),
    ("one-element-counted", _number(lambda want, m, n, **f: want / m / n)),
    ("one-element-counted", _number(lambda want, m, n, **f: want / m / n / 2)),
    ("not-a-time", _number(lambda want, bandwidth, **f: want * bandwidth**2)),
    ("rounded", _ROUNDED),
)

BOUND_BY = (
    ("returns-nothing", detectors.nothing),
    ("units-do-not-match", detectors.written(_powers_of_ten)),
    ("other-words", detectors.value(lambda v, f: v not in ("memory", "compute"))),
    ("always-one-answer", _ignores({0, 1, 2})),
    ("card-left-out", _ignores({1, 2})),
    ("number-left-out", _ignores({0}, {1}, {2}, {0, 1}, {0, 2})),
    *(("units-do-not-match", _rule(rule)) for rule in (
        lambda intensity, flops, bandwidth: intensity * flops < bandwidth,
        lambda intensity, flops, bandwidth: intensity * flops > bandwidth,
        lambda intensity, flops, bandwidth: intensity < bandwidth / flops,
        lambda intensity, flops, bandwidth: intensity > bandwidth / flops,
    )),
    *(("intensity-per-element", _rule(rule)) for rule in (
        lambda intensity, flops, bandwidth: 4 * intensity < flops / bandwidth,
        lambda intensity, flops, bandwidth: intensity / 4 < flops / bandwidth,
    )),
    *(("rounded", _rule(rule)) for rule in (
        lambda intensity, flops, bandwidth: intensity < flops // bandwidth,
        lambda intensity, flops, bandwidth: intensity < round(flops / bandwidth),
    )),
    ("faster-side-named", _word(_wrong_word)),
    *(("always-one-answer", detectors.value_formula(lambda v, f, word=word: v == word))
      for word in ("memory", "compute")),
    ("card-left-out", _rule(lambda intensity, flops, bandwidth: intensity < 1)),
)  # fmt: skip

MYTHS = (
    ("value-left-out", detectors.value(lambda v, f: v is None or v[f["claim"]] in (None, ...))),
    ("claim-missing", detectors.value(lambda v, f: not isinstance(v, dict) or f["claim"] not in v)),
    ("not-true-or-false", _claim(lambda entry: not isinstance(entry, bool))),
    ("myth-believed", _claim(lambda entry: entry)),
    ("truth-doubted", _claim(lambda entry: not entry)),
)
