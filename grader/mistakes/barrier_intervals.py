"""Mistakes in counting and in predicting the shuffles between the barriers of a kernel (exercise 12.8).

Facts of a case: want (the right numbers), and ptx (a text) or num_warps.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace

from ..spec import Detector
from .detectors import looks, nothing, value, value_formula
from .mistake import Mistake

MISTAKES = [
    # ---- counted in a text
    Mistake(
        "interval-last-missing",
        "The barrier interval after the last barrier is missing.",
        "What does your loop do with its last count when the text ends?",
    ),
    Mistake(
        "interval-first-missing",
        "The barrier interval in front of the first barrier is missing.",
        "How many barrier intervals does a text with one barrier have?",
    ),
    Mistake(
        "intervals-empty-dropped",
        "A barrier interval without a shuffle was left out, so the number of barriers is lost.",
        "How many numbers belong to two barriers with nothing between them?",
    ),
    Mistake(
        "interval-not-reset",
        "Each number also includes the shuffles of all barrier intervals before it.",
        "What should the count be right after a barrier?",
    ),
    Mistake(
        "intervals-summed",
        "One number came back for the whole kernel, and not one number for each barrier interval.",
        "Which of these shuffles come before a barrier, and how does a barrier stand in a line of the text?",
    ),
    Mistake(
        "intervals-as-text",
        "Texts were returned, and not the number of shuffles in each barrier interval.",
        "What is to be counted in a barrier interval, and does your list hold these counts?",
    ),
    Mistake(
        "lists-in-the-list",
        "Your list holds lists, and each of its items should be one number.",
        "How many numbers should your list hold for two barrier intervals, and what does it hold instead?",
    ),
    Mistake(
        "butterflies-only",
        "Only butterflies were counted, and `shfl.sync` has other forms.",
        "What do the names of all shuffles begin with?",
    ),
    Mistake(
        "barriers-among-shuffles",
        "Barriers were counted as shuffles.",
        "Which part of the name do a shuffle and a barrier have in common?",
    ),
    Mistake(
        "no-shuffle-found",
        "No shuffle was counted in any text.",
        "Into which parts does your function cut the text, and which words does it look for in each of them?",
    ),
    Mistake(
        "shuffles-counted-again",
        "Each number is a multiple of the right one: every shuffle was counted more than once.",
        "By how much does your count grow at one shuffle?",
    ),
    Mistake(
        "first-interval-off",
        "The number of the first barrier interval is wrong, and all the others are right.",
        "In the first barrier interval, which number does your count begin with, and which lines does it count?",
    ),
    Mistake(
        "cut-elsewhere",
        "Each shuffle was counted once, and some of them in another barrier interval than their own.",
        "At which line does your loop begin a new number?",
    ),
    Mistake(
        "intervals-miscounted",
        "There are more numbers than barrier intervals, or fewer.",
        "How many barrier intervals does a text with three barriers have?",
    ),
    Mistake(
        "text-for-a-list",
        "A text came back, and a list was expected.",
        "What is the type of your result, and what is its first item?",
    ),
    Mistake(
        "no-list-returned",
        "A list was expected, with a number for each barrier interval.",
        "How many barrier intervals does the case above have, and what does your function return for them?",
    ),
    Mistake(
        "pieces-counted",
        "In every barrier interval, one too many was counted.",
        "Into how many pieces does split cut a text in which the separator stands once?",
    ),
    Mistake(
        "counted-too-much",
        "In no barrier interval too few were counted, and in some too many.",
        "Which text does your function search for each barrier interval, and what does it count there?",
    ),
    Mistake(
        "counted-too-little",
        "In no barrier interval too many were counted, and in some too few.",
        "Which shuffle of the smallest text does your count pass over?",
    ),
    # ---- predicted
    Mistake(
        "first-level-steps",
        "The first level has another number of steps than a butterfly over the 32 lanes of a warp.",
        "How often can 32 be halved until one is left?",
    ),
    Mistake(
        "second-level-steps",
        "The second level has another number of steps than a butterfly over the results of the warps.",
        "How often can the number of warps be halved until one is left?",
    ),
    Mistake(
        "levels-miscounted",
        "The list has more numbers than the reductions have levels, or fewer.",
        "How many levels does one reduction have, and how many reductions does 5.1 have?",
    ),
    Mistake(
        "reductions-differ",
        "The two reductions got different numbers, and both run over the same threads.",
        "In which of its steps would a sum need other shuffles than a maximum?",
    ),
    Mistake(
        "one-warp-miscounted",
        "One warp has no second level, and the number of its shuffles is another one.",
        "How many shuffles does one reduction take within a warp, and how many reductions are there?",
    ),
    Mistake(
        "one-reduction-predicted",
        "These are the shuffles of one reduction, and the kernel has more.",
        "How often does 5.1 turn a row into one number?",
    ),
    Mistake(
        "second-level-full",
        "The second level was filled up to a full warp, but the compiler knows how many warps there are.",
        "How many steps does a butterfly over the results of the warps take, if nothing is filled up?",
    ),
    Mistake(
        "one-warp-with-barriers",
        "A single warp was given barriers, or a second level.",
        "For which other threads would the threads of a single warp wait?",
    ),
    Mistake(
        "second-level-in-series",
        "The steps of the second level grow in number as the warps do.",
        "How often can the results of the warps be halved?",
    ),
    Mistake(
        "lanes-across-warps",
        "The threads of all warps shuffle with each other, in one level.",
        "With which threads can a thread shuffle?",
    ),
    Mistake(
        "levels-in-another-order",
        "The numbers are right, but their order is wrong.",
        "Which reduction does the kernel begin with, and which of its two levels comes first?",
    ),
    Mistake(
        "empty-intervals-predicted",
        "The answer also has barrier intervals without a shuffle. Their number differs between versions of Triton.",
        "Which of your numbers are no shuffles?",
    ),
    Mistake(
        "instructions-of-all-warps",
        "Each warp was given shuffles of its own, but all warps run the same text.",
        "If eight warps run an instruction, how often is it in the text?",
    ),
]


def _last(test) -> Detector:
    """Matches a plain value; asked only where nothing else explains it. The test says how the numbers are wrong."""
    return replace(value(test), last=True)


@looks
def _no_list(error, value) -> bool:
    """Another object than a list came back, and no text."""
    return not error and not isinstance(value, (list, tuple, str))


def _numbers(v) -> bool:
    return isinstance(v, (list, tuple)) and all(isinstance(n, (int, float)) for n in v)


def _pairs(v, f: dict) -> zip:
    """(number, right number) of each barrier interval. Raises ValueError unless there are as many of both."""
    return zip(v, f["want"], strict=True)


def _levels(test):
    """Matches four numbers for several warps: test(first level, second level, steps of a right second level)."""

    def levels(v, f: dict) -> bool:
        (a, b), warps = v[:2], f["num_warps"]
        return _numbers(v) and warps > 1 and list(v) == [a, b] * 2 and test(a, b, int(math.log2(warps)))

    return _last(levels)


def _counted(pattern: str, ptx: str) -> list[int]:
    return [len(re.findall(pattern, part)) for part in ptx.split("bar.sync")]


def _with_barriers(want: list[int]) -> list[list[int]]:
    """The counts with each barrier as a shuffle of the barrier interval that it ends, or of the one that it begins."""
    return [[n + 1 for n in want[:-1]] + want[-1:], want[:1] + [n + 1 for n in want[1:]]]


def _holds_text(part) -> bool:
    """Whether a part of an answer is a text, or a list of texts."""
    return isinstance(part, str) or isinstance(part, list) and any(isinstance(line, str) for line in part)


_LISTS_IN_IT = value(lambda v, f: any(isinstance(part, (list, tuple)) for part in v))

COUNTED = (
    ("returns-nothing", nothing),
    ("text-for-a-list", value(lambda v, f: isinstance(v, str))),
    ("text-for-number", value(lambda v, f: any(isinstance(part, str) and part.strip().isdigit() for part in v))),
    ("intervals-as-text", value(lambda v, f: any(_holds_text(part) for part in v))),
    ("lists-in-the-list", _LISTS_IN_IT),
    ("pieces-counted", value_formula(lambda v, f: list(v) == [n + 1 for n in f["want"]])),
    ("intervals-summed", value_formula(lambda v, f: v == sum(f["want"]) or list(v) == [sum(f["want"])])),
    ("no-list-returned", _no_list),
    ("no-shuffle-found", value_formula(lambda v, f: "ptx" in f and len(v) > 0 and not any(v))),
    ("interval-last-missing", value_formula(lambda v, f: list(v) == f["want"][:-1])),
    ("interval-first-missing", value_formula(lambda v, f: list(v) == f["want"][1:])),
    ("intervals-empty-dropped", value_formula(lambda v, f: list(v) == [n for n in f["want"] if n])),
    ("interval-not-reset", value_formula(lambda v, f: list(v) == [*itertools.accumulate(f["want"])])),
    ("butterflies-only", value_formula(lambda v, f: list(v) == _counted(r"shfl\.sync\.bfly", f["ptx"]))),
    ("barriers-among-shuffles", value_formula(lambda v, f: list(v) in _with_barriers(f["want"]))),
    (
        "shuffles-counted-again",
        _last(lambda v, f: f["ptx"] and any(list(v) == [k * n for n in f["want"]] for k in range(2, 100))),
    ),
    ("first-interval-off", _last(lambda v, f: f["ptx"] and v[0] != f["want"][0] and list(v[1:]) == f["want"][1:])),
    ("intervals-miscounted", _last(lambda v, f: f["ptx"] and _numbers(v) and len(v) != len(f["want"]))),
    ("cut-elsewhere", _last(lambda v, f: f["ptx"] and _numbers(v) and min(v) >= 0 and sum(v) == sum(f["want"]))),
    ("counted-too-much", _last(lambda v, f: f["ptx"] and _numbers(v) and all(n >= m for n, m in _pairs(v, f)))),
    ("counted-too-little", _last(lambda v, f: f["ptx"] and _numbers(v) and all(n <= m for n, m in _pairs(v, f)))),
)


def _predicted(formula):
    """Matches the prediction that formula(log2 of the warps, warps), a known wrong one, gives in every case."""
    return value_formula(lambda v, f: list(v) == formula(int(math.log2(f["num_warps"])), f["num_warps"]))


def _others_right(v, f: dict) -> bool:
    """One warp has the shuffles of two levels, or of two barrier intervals, and any other number of warps is right."""
    return [n for n in v if n] == [5, 5] if f["num_warps"] == 1 else list(v) == f["want"]


PREDICTED = (
    ("returns-nothing", nothing),
    ("lists-in-the-list", _LISTS_IN_IT),
    ("intervals-summed", value_formula(lambda v, f: v == sum(f["want"]))),
    ("no-list-returned", _no_list),
    ("one-warp-with-barriers", value_formula(_others_right)),
    ("one-reduction-predicted", _predicted(lambda across, warps: [5, across])),
    ("one-reduction-predicted", _predicted(lambda across, warps: [5, across] if across else [5])),
    ("second-level-full", _predicted(lambda across, warps: [5, 5, 5, 5])),
    ("second-level-full", _predicted(lambda across, warps: [5, 5, 5, 5] if across else [10])),
    ("second-level-in-series", _predicted(lambda across, warps: [5, warps] * 2 if across else [10])),
    ("second-level-in-series", _predicted(lambda across, warps: [5, warps - 1] * 2 if across else [10])),
    ("lanes-across-warps", _predicted(lambda across, warps: [5 + across] * 2)),
    ("lanes-across-warps", _predicted(lambda across, warps: [10 + 2 * across])),
    ("levels-in-another-order", value_formula(lambda v, f: sorted(v) == sorted(f["want"]))),
    ("empty-intervals-predicted", value_formula(lambda v, f: [n for n in v if n] == f["want"])),
    ("one-reduction-predicted", _predicted(lambda across, warps: [5, across] if across else [10])),
    ("levels-in-another-order", _last(lambda v, f: f["num_warps"] > 1 and sorted(v) == sorted(f["want"]))),
    ("first-level-steps", _levels(lambda first, second, across: first != 5)),
    ("second-level-steps", _levels(lambda first, second, across: first == 5 and second != across)),
    ("reductions-differ", _last(lambda v, f: _numbers(v) and len(v) == 4 and list(v[:2]) != list(v[2:]))),
    ("one-warp-miscounted", _last(lambda v, f: _numbers(v) and f["num_warps"] == 1 and len(v) == 1)),
    ("one-warp-with-barriers", _last(lambda v, f: _numbers(v) and f["num_warps"] == 1 and len(v) > 1)),
    ("levels-miscounted", _last(lambda v, f: _numbers(v) and f["num_warps"] > 1 and len(v) != 4)),
    ("instructions-of-all-warps", value(lambda v, f: f["num_warps"] > 1 and v[0] == 5 * f["num_warps"] and v != [10])),
)
