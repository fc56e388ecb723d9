"""Mistakes in counting and in predicting the shuffles between the barriers of a kernel (exercise 12.5).

Facts of a case: want (the right numbers), and ptx (a text) or num_warps.
"""

from __future__ import annotations

import itertools
import math
import re

from .detectors import nothing, value, value_formula
from .mistake import Mistake

MISTAKES = [
    # ---- counted in a text
    Mistake(
        "stretch-last-missing",
        "The stretch behind the last barrier is missing.",
        "What does your loop do with its last count when the text ends?",
    ),
    Mistake(
        "stretch-first-missing",
        "The stretch in front of the first barrier is missing.",
        "How many stretches does a text with one barrier have?",
    ),
    Mistake(
        "stretches-empty-dropped",
        "A stretch without a shuffle was left out, so the number of barriers is lost.",
        "How many numbers belong to two barriers with nothing between them?",
    ),
    Mistake(
        "stretch-not-reset",
        "Each number also includes the shuffles of all stretches before it.",
        "What should the count be right behind a barrier?",
    ),
    Mistake(
        "stretches-summed",
        "One number came back for the whole kernel.",
        "Which of these shuffles are in front of a barrier, and which are behind it?",
    ),
    Mistake(
        "stretches-as-text",
        "The stretches were returned, and not the number of shuffles in each of them.",
        "Which part of a stretch is to be counted?",
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
        "No shuffle was found in any text.",
        "With which character does an instruction's line begin?",
    ),
    # ---- predicted
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
        "The second level has a step for each warp.",
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
        "empty-stretches-predicted",
        "The answer also has stretches without a shuffle. Their number is not the same in all versions of Triton.",
        "Which of your numbers are no shuffles?",
    ),
    Mistake(
        "instructions-of-all-warps",
        "Each warp was given shuffles of its own, but all warps run the same text.",
        "If eight warps run an instruction, how often is it in the text?",
    ),
]


def _counted(pattern: str, ptx: str) -> list[int]:
    return [len(re.findall(pattern, part)) for part in ptx.split("bar.sync")]


def _with_barriers(want: list[int]) -> list[list[int]]:
    """The counts with each barrier as a shuffle of the stretch that it ends, or of the one that it begins."""
    return [[n + 1 for n in want[:-1]] + want[-1:], want[:1] + [n + 1 for n in want[1:]]]


COUNTED = (
    ("returns-nothing", nothing),
    ("stretches-as-text", value(lambda v, f: any(isinstance(part, (str, list)) for part in v))),
    ("stretches-summed", value_formula(lambda v, f: v == sum(f["want"]) or list(v) == [sum(f["want"])])),
    ("no-shuffle-found", value_formula(lambda v, f: len(v) > 0 and not any(v))),
    ("stretch-last-missing", value_formula(lambda v, f: list(v) == f["want"][:-1])),
    ("stretch-first-missing", value_formula(lambda v, f: list(v) == f["want"][1:])),
    ("stretches-empty-dropped", value_formula(lambda v, f: list(v) == [n for n in f["want"] if n])),
    ("stretch-not-reset", value_formula(lambda v, f: list(v) == [*itertools.accumulate(f["want"])])),
    ("butterflies-only", value_formula(lambda v, f: list(v) == _counted(r"shfl\.sync\.bfly", f["ptx"]))),
    ("barriers-among-shuffles", value_formula(lambda v, f: list(v) in _with_barriers(f["want"]))),
)


def _predicted(formula):
    """Matches the prediction that formula(log2 of the warps, warps), a known wrong one, gives in every case."""
    return value_formula(lambda v, f: list(v) == formula(int(math.log2(f["num_warps"])), f["num_warps"]))


def _others_right(v, f: dict) -> bool:
    """One warp has the shuffles of two levels, or of two stretches, and any other number of warps is right."""
    return [n for n in v if n] == [5, 5] if f["num_warps"] == 1 else list(v) == f["want"]


PREDICTED = (
    ("returns-nothing", nothing),
    ("stretches-summed", value_formula(lambda v, f: v == sum(f["want"]))),
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
    ("empty-stretches-predicted", value_formula(lambda v, f: [n for n in v if n] == f["want"])),
    ("instructions-of-all-warps", value(lambda v, f: f["num_warps"] > 1 and v[0] == 5 * f["num_warps"])),
)
