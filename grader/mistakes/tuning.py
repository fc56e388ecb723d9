"""Mistakes in predicting, choosing and tuning the configuration of a kernel (lesson 15)."""

from __future__ import annotations

import ast
import itertools
import math
import re
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..reference import tuning
from ..sentence import foreign
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, looks, opposite, written, written_like
from .mistake import Mistake
from .mutant import Mutant
from .softmax.function import WRAPPER
from .wide_loads import programs_without_rows

MISTAKES = [
    Mistake(
        "config-without-triton",
        "A configuration is not an object that triton.autotune can use.",
        "Which class makes a configuration, and what do its arguments look like?",
    ),
    Mistake(
        "not-candidates",
        "The result is no list of candidates that came in.",
        "What does the function get, and what does its caller want to do with the result?",
    ),
    Mistake(
        "too-many-kept",
        "More candidates were kept than a third of them.",
        "How many candidates came in, and how many may stay?",
    ),
    Mistake(
        "no-candidate",
        "No candidate was kept, so there is nothing to time.",
        "For the list named above, how many candidates are left after each of your lines?",
    ),
    Mistake(
        "little-under-way",
        "Only candidates were kept that have few bytes under way.",
        "How many programs are resident, and how many bytes does each of them load?",
        Mutant("15.1", "(min(under_way, 65536), warps)", "warps", replayed=False),
    ),
    Mistake(
        "bytes-of-one-program",
        "The candidates were ranked by the size of one program alone: its bytes, its rows or its warps.",
        "How many such programs are resident, and how many bytes do all of them ask for at once?",
        Mutant("15.1", "(min(under_way, 65536), warps)", 'c["bytes"]', replayed=False),
    ),
    Mistake(
        "few-warps-resident",
        "The candidates that were kept have few resident warps. Others have twice as many. Their bytes under way are "
        "enough, or at least no fewer.",
        "Once enough bytes are under way, which candidate has more warps to compute while others wait?",
        Mutant("15.1", "(min(under_way, 65536), warps)", "under_way", replayed=False),
    ),
    Mistake(
        "spills-kept",
        "Every candidate that was kept spills.",
        "Which entry of a candidate counts the values that found no register?",
    ),
    Mistake(
        "no-pair",
        "The result is no pair of two integers, the rows of a tile and the warps.",
        "What does the docstring say the function returns, and in which order?",
    ),
    Mistake(
        "not-timed",
        "No run of this configuration was recorded.",
        "Which rows and warps does the text name, and how many elements does a thread have with yours?",
    ),
    Mistake(
        "tile-too-small",
        "The tile has fewer rows than any that is fast: a program loads so little that memory waits for programs.",
        "How many bytes does one tile have, and how many programs fit on a multiprocessor?",
        Mutant("15.2", "2048 // row_bytes", "1", replayed=False),
    ),
    Mistake(
        "tile-too-large",
        "The tile has more rows than any that is fast: a program holds so much that few fit beside each other.",
        "How many bytes does one tile have, and how many registers do they take?",
    ),
    Mistake(
        "too-few-warps",
        "Fewer warps share the tile than in any fast configuration with as many rows.",
        "How many numbers does each thread hold, and how many programs fit then?",
        Mutant("15.2", "rows * row_bytes // 2048", "rows * row_bytes // 16384", replayed=False),
    ),
    Mistake(
        "too-many-warps",
        "More warps share the tile than in any fast configuration with as many rows.",
        "How many bytes does each thread load, and what do all warps of a program do in a reduction?",
        Mutant("15.2", "rows * row_bytes // 2048", "rows * row_bytes // 512", replayed=False),
    ),
    Mistake(
        "not-autotuned",
        "The function launched no kernel with triton.autotune.",
        "Which kernel does the function launch: the one that triton.autotune has made, or the one below @triton.jit?",
    ),
    Mistake(
        "configuration-without-rows",
        "The grid asked the configuration for ROWS, and this launch has none.",
        "Where do your configurations name ROWS, and is the kernel that you launch the one that triton.autotune made?",
    ),
    Mistake(
        "trials-add-up",
        "Each trial worked on what the trial before it had left: the kernel changes its own input.",
        "How often does tuning run the kernel, and what is in x when the second run begins?",
        Mutant("15.3", ', restore_value=["x_ptr"]', "", replayed=False),
    ),
    Mistake(
        "name-of-no-parameter",
        "autotune was given a name, and no parameter of the kernel has it.",
        "Where does that name stand: among the parameters of the kernel, or only in the function that launches it?",
        Mutant("15.3", 'restore_value=["x_ptr"]', 'restore_value=["x"]', replayed=False),
    ),
    Mistake(
        "not-in-place",
        "After the call, x holds the same numbers as before.",
        "Which tensor does the kernel store in, for which lanes, and does your function reach the launch?",
        Mutant("15.3", "](x, x.stride(0)", "](x.clone(), x.stride(0)", replayed=False),
    ),
    Mistake(
        "input-cleared",
        "The kernel worked on zeros: x was cleared before it ran.",
        "What does `reset_to_zero` do to a tensor, and what should x hold when a run begins?",
        Mutant("15.3", "restore_value", "reset_to_zero", replayed=False),
    ),
    Mistake(
        "grid-of-one-configuration",
        "Rows were left out: the grid fits one number of rows of a tile, and another configuration has another.",
        "When is the number of rows of a tile known, and who can tell the grid?",
        Mutant("15.3", 'meta["ROWS"]', "8", replayed=False),
    ),
    Mistake(
        "autotune-of-a-function",
        "triton.autotune got a plain function. It needs a kernel, and @triton.jit makes one.",
        "If two decorators stand above a function, which of them gets the function first?",
    ),
    Mistake(
        "warps-in-the-dictionary",
        "num_warps stands in the dictionary of a configuration, which is for parameters of the kernel.",
        "Which arguments does triton.Config take beside the dictionary?",
    ),
    Mistake(
        "nothing-to-choose",
        "There are too few configurations, or they are too much alike.",
        "Which rows and which warps do you want to see timed?",
    ),
    Mistake(
        "key-too-narrow",
        "The configuration that was the fastest for the first matrix was taken for rows of another length.",
        "Which argument of the kernel decides which configuration is the fastest, and where is it named?",
        Mutant("15.3", 'key=["n_cols"]', "key=[]", replayed=False),
    ),
    Mistake(
        "tuned-every-call",
        "A matrix of a known shape was tuned once more.",
        "How often is your autotuned kernel made, and what does it remember then?",
    ),
]


def _kept(test) -> Detector:
    """Matches when test(kept candidates, facts) holds for a list of candidates that is not too long."""

    @looks
    def detect(asked, most, value, error, case) -> bool:
        some = None if error or not isinstance(value, list) else tuning.kept(value[0], asked)
        return bool(some) and len(some) <= most and test(some, case.facts)

    return detect


def _listed(test) -> Detector:
    """Matches when test(kept candidates or None, facts) holds."""
    return detectors.value(lambda v, f: "asked" in f and test(tuning.kept(v[0], f["asked"]), f))


def _under_way(candidate: dict) -> int:
    return candidate["resident"] * candidate["bytes"]


def _warps(candidate: dict) -> int:
    return candidate["resident"] * candidate["num_warps"]


def _best(facts: dict) -> dict:
    """The fastest candidate."""
    reached = {id(c): tuning.speed(facts["dtype"], facts["n"], (c["rows"], c["num_warps"])) for c in facts["asked"]}
    return max(facts["asked"], key=lambda c: reached[id(c)])


def _largest(entry: str):
    """Whether no candidate that was left out without spilling has more of this entry than one that was kept."""

    def test(some: list[dict], facts: dict) -> bool:
        left = [c[entry] for c in facts["asked"] if c not in some and not c["n_spills"]]
        return bool(left) and max(left) <= min(c[entry] for c in some)

    return test


_ENOUGH = 65536  # bytes under way on a multiprocessor, by the rule that lesson 15 finds

WORTH = (
    ("returns-nothing", detectors.value(lambda v, f: v[0] is None)),
    ("list-changed", detectors.value(lambda v, f: v[1] != f["asked"])),
    ("not-candidates", _listed(lambda some, f: some is None)),
    ("no-candidate", _listed(lambda some, f: some == [])),
    ("too-many-kept", _listed(lambda some, f: len(some or []) > f["most"])),
    ("spills-kept", _kept(lambda some, f: all(c["n_spills"] for c in some))),
    *(("bytes-of-one-program", _kept(_largest(entry))) for entry in ("bytes", "rows", "num_warps")),
    (
        "little-under-way",
        _kept(lambda some, f: max(map(_under_way, some)) < max(tuning.UNDER_WAY, 0.7 * _under_way(_best(f)))
              and max(map(_under_way, some)) < _ENOUGH),
    ),
    (
        "few-warps-resident",
        _kept(lambda some, f: 2 * max(map(_warps, some)) <= _warps(_best(f))
              and max(map(_under_way, some)) >= min(_ENOUGH, 0.7 * _under_way(_best(f)))
              and min(_ENOUGH, max(map(_under_way, some))) <= _under_way(_best(f))),
    ),
)  # fmt: skip


def _pair(test) -> Detector:
    """Matches when test(rows, warps, facts) holds for a pair that was timed."""

    def holds(value, facts):
        pair = tuning.pair_of(value)
        return "timed" in facts and pair in facts["timed"] and test(*pair, facts)

    return detectors.value(holds)


def _swapped(value, facts: dict) -> bool:
    """For `value_formula`: warps and rows of a fast configuration, in this order."""
    pair = tuning.pair_of(value)
    return bool(pair) and pair[::-1] in facts["fast"]


def _beside(rows: int, facts: dict) -> list[int]:
    """The warps of the fast configurations with this number of rows."""
    return [warps for each, warps in facts["fast"] if each == rows]


CONFIGURATION = (
    ("returns-nothing", detectors.nothing),
    ("no-pair", detectors.value(lambda v, f: "timed" in f and tuning.pair_of(v) is None)),
    ("state-swapped", detectors.value_formula(_swapped)),
    (
        "not-timed",
        detectors.value(lambda v, f: "timed" in f and tuning.pair_of(v) and tuning.pair_of(v) not in f["timed"]),
    ),
    ("tile-too-small", _pair(lambda rows, warps, f: rows < min(each for each, _ in f["fast"]))),
    ("tile-too-large", _pair(lambda rows, warps, f: rows > max(each for each, _ in f["fast"]))),
    ("too-few-warps", _pair(lambda rows, warps, f: warps < min(_beside(rows, f), default=0))),
    ("too-many-warps", _pair(lambda rows, warps, f: warps > max(_beside(rows, f), default=64))),
)


@looks
def _softmax_of_softmax(x, like_x, launches) -> bool:
    """The result is the softmax of a softmax, as often as there were launches."""
    want = x.double()
    for _ in launches:
        want = torch.softmax(want, 1)
    return len(launches) > 1 and compare.tensor(like_x.double(), want, 1e-4, 1e-6) is None


@looks
def _rows_left(x, like_x, launches) -> bool:
    """The last rows hold what they held before, because a grid was too small for the rows of its tiles.

    For the tiles of another configuration it was large enough.
    """
    rows = [each["grid"][0] * each["constants"].get("ROWS", 1) for each in launches]
    short = min(rows, default=len(x)) < len(x) <= max(rows, default=0) and not _rounded_down(x, launches)
    return short and bool((like_x[-1] == x[-1]).all())


@looks
def _last_rows_left(x, like_x, launches) -> bool:
    """The last row holds what it held before: every grid was too small for the rows of its tiles, or rounded down."""
    rows = [each["grid"][0] * each["constants"].get("ROWS", 1) for each in launches]
    short = max(rows, default=len(x)) < len(x) or _rounded_down(x, launches)
    return short and bool((like_x[-1] == x[-1]).all())


def _rounded_down(x: torch.Tensor, launches: list) -> bool:
    """Whether every grid is the number of rows divided by ROWS, without the rest."""
    return all(each["grid"][0] == len(x) // each["constants"].get("ROWS", 1) for each in launches)


@looks
def _first_tile_alone(x, like_x, launches) -> bool:
    """Programs enough for all rows were launched, and the rows behind the largest tile hold what they held before."""
    tiles = [(each["grid"][0], each["constants"].get("ROWS", 1)) for each in launches]
    behind = max((rows for _, rows in tiles), default=len(x))
    return behind < len(x) <= min(a * b for a, b in tiles) and bool((like_x[behind:] == x[behind:]).all())


@looks
def _more_programs_than_tiles(x, launches) -> bool:
    """A launch has more programs than its tiles of ROWS rows need."""
    rows = len(x)
    return any(each["grid"][0] > -(-rows // each["constants"].get("ROWS", 1)) for each in launches)


@looks
def _short_block(x, launches) -> bool:
    """A block has at most half of the columns: it is no power of two near their number."""
    blocks = [each["constants"].get("BLOCK") for each in launches]
    return any(type(block) is int and 2 * block <= x.shape[1] for block in blocks)


@looks
def _configured_by_nobody(evidence) -> bool:
    """A grid asked for ROWS, which only a configuration of triton.autotune gives."""
    return _missing_key(evidence) == "ROWS"


@looks
def _pointer_unknown(source, evidence) -> bool:
    """A launch found no argument of a name that the answer gives to restore_value or reset_to_zero.

    Triton 3.9 refuses such a name before any launch, with an error that has words (`errors.py`).
    """
    key = _missing_key(evidence)
    given = rf"(restore_value|reset_to_zero)\s*=\s*[\[(][^\])]*'{key}'"
    return bool(key) and bool(re.search(given, source.replace('"', "'")))


@looks
def _text_for_names(source, evidence) -> bool:
    """As _pointer_unknown, where the answer gives a text and no list: its first letter was looked for."""
    letter = _missing_key(evidence)
    given = rf"(restore_value|reset_to_zero)\s*=\s*'{letter}"
    return len(letter) == 1 and bool(re.search(given, source.replace('"', "'")))


def _missing_key(evidence) -> str:
    """The name that a dictionary was asked for in vain, "" where no such error ended the call."""
    error = evidence.error
    return foreign.name_in(error["message"], "key") if error and error["type"] == "KeyError" else ""


def _whole_tile_reduced(case: Case, evidence: Evidence) -> bool:
    """A maximum, a sum or both were one number for all rows of a tile, of as many rows as one of the launches had."""
    x, got = case.facts.get("x"), evidence.value
    if x is None or evidence.error or not isinstance(got, torch.Tensor) or got.shape != x.shape:
        return False
    sizes = {rows for each in evidence.launches if type(rows := each["constants"].get("ROWS")) is int and rows > 1}
    for rows, one_maximum, one_sum in itertools.product(sizes, (True, False), (True, False)):
        told = []
        for tile in torch.nn.functional.pad(x, (0, 0, 0, -len(x) % rows), value=-math.inf).split(rows):
            e = torch.exp(tile - (tile.max() if one_maximum else tile.amax(1, keepdim=True)))
            told.append(e / (e.sum() if one_sum else e.sum(1, keepdim=True)))
        if (one_maximum or one_sum) and torch.allclose(got, torch.cat(told)[: len(x)], 1e-4, 1e-30, equal_nan=True):
            return True
    return False


def _lost(case: Case, evidence: Evidence) -> float:
    """The weight of a match: a row of padding makes all rows of its tile NaN, as many other mistakes do."""
    return detectors.loss_weight(evidence.value, torch.softmax(case.facts["x"].double(), 1))


def _returned(test, narrow: bool = False) -> Detector:
    """Matches when test(result, x) holds for a result of the shape of x. narrow: also where x has one column."""

    @looks
    def detect(x, like_x) -> bool:
        return (narrow or x.shape[1] > 1) and test(like_x, x)

    return detect


def _said(fact: str, test) -> Detector:
    """Matches when test(value) holds in the case that has this fact."""
    return detectors.value(lambda v, f: fact in f and isinstance(v, tuple) and test(v))


def _warps_in_a_dictionary(tree: ast.AST) -> bool:
    """A dictionary that goes to triton.Config has an entry for the warps."""
    given = [call.args[0] for call in syntax.calls(tree, "Config") if call.args]
    keys = [key for each in given if isinstance(each, ast.Dict) for key in each.keys]
    return any(isinstance(key, ast.Constant) and key.value in ("num_warps", "num_stages") for key in keys)


_OF_ONE_LAUNCH = ("launch-per-row", "no-kernel", "grid-of-columns", "grid-too-large")  # trials are launches as well
TUNED = (
    ("more-traffic", detectors.value(lambda v, f: "traffic" in f and isinstance(v, torch.Tensor))),
    ("text-for-names", _text_for_names),
    ("name-of-no-parameter", _pointer_unknown),
    ("not-autotuned", _said("choices", lambda v: v[2] == 0)),
    ("configuration-without-rows", _configured_by_nobody),
    ("warps-in-the-dictionary", both(written(_warps_in_a_dictionary), _said("choices", lambda v: v[2] > 0))),
    ("nothing-to-choose", _said("choices", lambda v: v[2] > 0)),
    ("tuned-every-call", _said("tunings", lambda v: len(v) == 3 and v[2])),
    ("key-too-narrow", _said("tunings", lambda v: len(v) == 2 and v[0] and not v[1])),
    ("not-in-place", replace(_returned(lambda got, x: bool((got == x).all()), narrow=True), share=0.6)),
    ("input-cleared", _returned(lambda got, x: bool(((got - 1 / x.shape[1]).abs() < 1e-6).all()))),
    ("trials-add-up", _softmax_of_softmax),
    ("grid-of-one-configuration", _rows_left),
    ("grid-too-small", _last_rows_left),
    ("block-constant", _short_block),
    (
        "whole-tile-reduced",
        Detector(lambda case, evidence, answer: _whole_tile_reduced(case, evidence), _whole_tile_reduced, _lost),
    ),
    ("first-tile-only", both(opposite(written_like("_.program_id(0)")), _first_tile_alone)),
    ("programs-without-rows", both(programs_without_rows, _more_programs_than_tiles)),
    *(pair for pair in WRAPPER if pair[0] not in _OF_ONE_LAUNCH),
)
