"""The mistakes of a function that measures bandwidth: texts, wrong formulas, detectors.

The value of a case is a pair: the answer's result, and one entry (letters, waited, waiting, seconds) for each interval
between two readings of the clock, as `timed` of grader.simulated.Device has them. A letter stands for a call in the
interval: f is the first of all calls, s a call before the card has reached its speed, c a call with its data in the
cache, u any other call, and x a clear_cache(). waited and waiting say whether work was queued at the first reading and
at the second.

The facts of a case are described in reference/bandwidth.py.
"""

from __future__ import annotations

import math
import re
import statistics
from dataclasses import replace

from ..checks import syntax
from ..reference.bandwidth import MIN_RUNS, TOLERANCE, result_fault
from ..spec import Case, Detector, Evidence
from .detectors import both, looks, opposite, value, written
from .mistake import Mistake

MISTAKES = [
    Mistake(
        "peak-of-any-device",
        "The peak is the same number for every device.",
        "Which memory holds x, and where does peak look at it?",
    ),
    # ---- a clock and a queue
    Mistake(
        "clock-not-used",
        "`clock` timed no run: between two of its readings there is no call.",
        "Which object of the lesson reads the time of the device, and what runs between two of your readings?",
    ),
    Mistake(
        "not-synchronised",
        "The clock was read while the device was still working. So you measured only how long it takes to ask for "
        "the work.",
        "When the call returns, has the device finished the work?",
    ),
    Mistake(
        "other-work-timed",
        "Other work was timed together with the call: work that was still waiting when the clock was started, or "
        "work that was asked for later.",
        "Which work is in the queue between your two readings of the clock, besides the call?",
    ),
    Mistake(
        "reading-for-duration",
        "A reading of the clock was taken for a duration, or two readings were added.",
        "What does one reading of the clock say alone, and which two readings tell how long a call took?",
    ),
    Mistake(
        "cache-warm",
        "The timed calls found their data in the cache, because the call before had left it there.",
        "Where is x after one run, and where is it in a program that has done other work since?",
    ),
    Mistake(
        "warm-up-too-short",
        "Calls were timed that are slow for a reason of their own: the first one compiles, and a card at rest needs a "
        "while to reach its speed.",
        "How many calls came before the first one that you timed?",
    ),
    Mistake(
        "timed-together",
        "Several calls lie between two readings of the clock: one disturbed call among them spoils the result.",
        "Which calls are between your two readings of the clock?",
    ),
    Mistake(
        "too-few-runs",
        "A few runs are not enough: if some of them were disturbed, you cannot notice it.",
        "With how many runs does a single unusual one no longer matter?",
    ),
    Mistake(
        "mean-not-median",
        "This is the mean of the runs: a single run that was disturbed moves it.",
        "Which number of a sorted list stays the same when its largest entry grows?",
    ),
    Mistake(
        "sum-of-runs",
        "The seconds of all runs together were taken as those of one run.",
        "How many calls do your seconds belong to, and how many do your bytes belong to?",
    ),
    Mistake(
        "one-run-of-many",
        "The result comes from one particular run: the fastest, the slowest, the first, the last, or the middle of an "
        "unsorted list.",
        "Which number of your runs is typical for what a caller gets?",
    ),
    Mistake(
        "clock-backwards",
        "The rate is negative: the two readings of the clock are exchanged.",
        "Which of your two readings is the larger number?",
    ),
    # ---- bytes and seconds
    Mistake(
        "multiplied-by-time",
        "Bytes were multiplied by a time, so a slower call gets a higher rate.",
        "What should happen to the result when the call takes twice as long?",
    ),
    Mistake(
        "time-left-out",
        "These are bytes or gigabytes, not bytes per second: the time was not used.",
        "What should happen to the result when the call takes twice as long?",
    ),
    Mistake(
        "elements-not-multiplied",
        "The number of elements does not enter the rate, or not as a factor.",
        "What should happen to the bytes when the tensor has twice as many elements?",
    ),
    Mistake(
        "rows-counted",
        "The rate counts the rows of the matrix, where it should count the elements.",
        "What is len(x) of a matrix, and how many numbers does one row have?",
    ),
    Mistake(
        "elements-counted",
        "These are elements in a second, not bytes.",
        "How many bytes does one element of x have, and which attribute of x gives that number?",
    ),
    Mistake(
        "bits-counted",
        "The rate is off by a factor of 8.",
        "Does GB/s count bits or bytes?",
    ),
    Mistake(
        "gibibytes",
        "A GB was taken to be 2^30 bytes, which is a GiB.",
        "How many bytes is a GB on a data sheet?",
    ),
    Mistake(
        "rate-in-other-units",
        "The rate is wrong by a power of ten: it is not in GB/s.",
        "In which unit does the clock count, and how many bytes is a GB?",
    ),
    Mistake(
        "time-returned",
        "This is how long a call takes, not how much it moves in that time.",
        "Which unit does the docstring name?",
    ),
    Mistake(
        "rate-upside-down",
        "Time was divided by bytes.",
        "If a call moves twice as many bytes in the same time, does your result grow?",
    ),
    # ---- a result that cannot be
    Mistake(
        "impossible-accepted",
        "More than the memory of the device can deliver was reported as a result.",
        "What is `peak(x)`, in which unit, and can a measurement above it be right?",
    ),
    Mistake(
        "capped-at-peak",
        "An impossible result was replaced by the peak, which is not a measurement.",
        "What should your function tell the caller if the measurement cannot be right?",
    ),
    Mistake(
        "wrong-refusal",
        "An impossible result does not end in a ValueError that says what is wrong.",
        "Which exception does Python have for a bad value, and which sentence would help the caller?",
    ),
    Mistake(
        "possible-refused",
        "The function raised an error, although a rate below the peak can be measured here.",
        "Which rate does your function compare with `peak(x)` there, and in which unit is each of the two?",
    ),
]

_UNITS = [10.0**k for k in (-18, -15, -12, -9, -6, -3, -2, -1, 1, 2, 3, 6, 9, 18)]
_JITTER = 2e-3  # relative; two usual calls differ by less


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6)


def _timed(test) -> Detector:
    """Matches a wrong result for which test(letters, waited, waiting, seconds) holds.

    Each argument is a tuple with one element for each timed interval. The result must come from the intervals: by it, a
    call takes about as long as one of them, but for small factors.
    """

    def look(v, f) -> bool:
        if not (f["possible"] and result_fault(f["want"], v)):
            return False
        if v[1] and v[0]:
            took, times = abs(2 * f["m"] * f["n"] * f["itemsize"] / v[0] / 1e9), [t[3] for t in v[1]]
            calls = max(len(t[0].strip("x")) for t in v[1])
            if not min(times) / (8 * calls) <= took <= 8 * max(times):
                return False
        return test(*(zip(*v[1]) if v[1] else [()] * 4))

    return value(look)


def _from_times(test, only: str | None = None) -> Detector:
    """Matches a wrong result for which test(seconds of one call by that result, seconds of all intervals) holds.

    only: the letters of an interval; intervals with others are left out.
    """

    def look(v, f) -> bool:
        times = [t[3] for t in v[1] if only is None or t[0] == only]
        if not (f["possible"] and v[0] and times) or math.isclose(v[0], f["want"], rel_tol=TOLERANCE):
            return False
        return test(2 * f["m"] * f["n"] * f["itemsize"] / v[0] / 1e9, times)

    return replace(value(look), by_numbers=True)


def _one_run(only: str | None = None) -> Detector:
    """Matches the seconds of one interval."""
    return _from_times(lambda got, times: any(_close(got, t) for t in times), only)


def _rate(formula) -> Detector:
    """Matches a result that a wrong formula(facts) gives from the right time, in every case with a possible result."""

    def look(v, f) -> bool:
        return f["possible"] and math.isclose(v[0], formula(f), rel_tol=_JITTER)

    detect = value(look)

    def fits(case: Case, evidence: Evidence) -> bool:
        facts = case.facts
        measured = "m" in facts and facts["possible"] and not facts.get("peak_of")
        return not measured or bool(evidence.error) or detect(case, evidence, None)

    return replace(detect, fits=fits, exact=True, by_numbers=True)


@looks
def _possible_refused(possible, error) -> bool:
    """The answer raised an error for a result below the peak."""
    return possible and bool(error) and error["raised"]


# The right result is above the peak. The case failed, so the answer did not refuse it as it should.
_impossible_not_refused = looks(lambda possible: not possible)


@looks
def _other_clock(evidence) -> bool:
    """The answer used CUDA events or do_bench, or a clock on which no time passed: the calls are simulated."""
    error = evidence.error or {"type": "", "line": ""}
    asked = re.search(r"do_bench|\bEvent\(|elapsed_time|\.record\(", error["line"]) is not None
    by_a_zero = re.search(r"/ *0(\.0*)?\b", error["line"])
    return asked or (error["type"] == "ZeroDivisionError" and not by_a_zero)


def _a_reading(v, f: dict) -> bool:
    """By the result a call takes as long as one reading or two: each counts from before the first call was compiled."""
    if not v[0]:
        return False
    seconds, compiling = 2 * f["m"] * f["n"] * f["itemsize"] / v[0] / 1e9, f["compiling"]
    longest = max(interval[3] for interval in v[1])
    return longest < compiling and any(k * compiling <= seconds <= 1.2 * k * compiling for k in (1, 2))


# The result is that of one run with nothing else beside it; two readings of the clock have other work between them.
_clean_run = _one_run(only="u")
_other_work = _timed(lambda letters, waited, *_: any(waited) or any("x" in each for each in letters))

# A call that was slow, because it came too early, was timed.
_slow = _timed(lambda letters, *_: any(set("fs") & set(each) for each in letters))

BANDWIDTH = (
    ("peak-of-any-device", value(lambda v, f: f["peak_of"])),
    ("returns-nothing", value(lambda v, f: f["possible"] and v[0] is None)),
    ("not-a-number", value(lambda v, f: f["possible"] and not isinstance(v[0], (int, float)))),
    ("clock-not-used", _other_clock),
    ("clock-not-used", _timed(lambda letters, *_: not letters)),
    ("not-synchronised", _timed(lambda letters, waited, waiting, seconds: any(waiting))),
    ("timed-together", _timed(lambda letters, *_: any(len(each.strip("x")) > 1 for each in letters))),
    ("reading-for-duration", value(_a_reading)),
    ("one-run-of-many", both(_other_work, _clean_run)),
    ("other-work-timed", both(_other_work, opposite(_clean_run))),
    ("warm-up-too-short", both(_slow, _from_times(lambda got, times: _close(got, statistics.median(times))))),
    ("warm-up-too-short", both(_slow, _from_times(lambda got, times: any(_close(got, t) for t in times)))),
    ("warm-up-too-short", both(_slow, _from_times(lambda got, times: _close(got, statistics.fmean(times))))),
    ("cache-warm", _timed(lambda letters, *_: any("c" in each for each in letters))),
    ("too-few-runs", _timed(lambda letters, *_: len(letters) < 3)),
    ("mean-not-median", _from_times(lambda got, times: _close(got, statistics.fmean(times)))),
    ("mean-not-median", _from_times(lambda got, times: _close(got, statistics.harmonic_mean(times)))),
    ("sum-of-runs", _from_times(lambda got, times: _close(got, sum(times)))),
    ("one-run-of-many", _one_run()),
    ("warm-up-too-short", _timed(lambda letters, *_: "s" in letters and letters.count("u") < MIN_RUNS <= len(letters))),
    ("too-few-runs", _timed(lambda letters, *_: set(letters) == {"u"} and len(letters) < MIN_RUNS)),
    ("one-direction", _rate(lambda f: f["want"] / 2)),
    ("clock-backwards", _rate(lambda f: -f["want"])),
    *(("multiplied-by-time", _rate(lambda f, unit=unit: f["want"] * f["seconds"] ** 2 * unit))
      for unit in (1, *_UNITS)),
    *(("time-left-out", _rate(lambda f, unit=unit: f["want"] * f["seconds"] * unit)) for unit in (1, *_UNITS)),
    ("time-returned", _rate(lambda f: f["seconds"] / 1e9)),
    ("itemsize-upside-down", _rate(lambda f: f["want"] / f["itemsize"] ** 2)),
    *(("elements-not-multiplied", _rate(lambda f, k=k: f["want"] / (f["m"] * f["n"]) ** k)) for k in (1, 2)),
    ("elements-not-multiplied", _rate(lambda f: f["want"] / (2 * f["m"] * f["n"]))),
    *(("rows-counted", _rate(lambda f, k=k: f["want"] / (k * f["n"]))) for k in (1, 2)),
    *(("counted-twice", _rate(lambda f, k=k: f["want"] * k)) for k in (1.5, 2)),
    ("elements-counted", _rate(lambda f: f["want"] / f["itemsize"])),
    ("float32-assumed", _rate(lambda f: f["want"] * 4 / f["itemsize"])),
    ("five-passes-counted", _rate(lambda f: f["want"] * (4 + 2 / f["n"]))),
    ("five-passes-counted", _rate(lambda f: f["want"] * 4)),
    ("bits-counted", _rate(lambda f: f["want"] * 8)),
    ("gibibytes", _rate(lambda f: f["want"] * 1e9 / 2**30)),
    *(("rate-in-other-units", _rate(lambda f, unit=unit: f["want"] * unit)) for unit in _UNITS),
    *(("rate-in-other-units", _rate(lambda f, k=k: f["want"] * 1e9 / 2.0**k)) for k in (10, 20)),
    *(("time-returned", _rate(lambda f, unit=unit: f["seconds"] * unit)) for unit in (1, 1e3, 1e6, 1e9)),
    *(("rate-upside-down", _rate(lambda f, unit=unit: unit / f["want"])) for unit in (1, *_UNITS)),
    ("capped-at-peak", value(lambda v, f: not f["possible"] and math.isclose(v[0], f["peak"], rel_tol=1e-6))),
    ("error-not-raised", both(written(syntax.exception_not_raised), _impossible_not_refused)),
    ("impossible-accepted", value(lambda v, f: not f["possible"] and isinstance(v[0], (int, float)))),
    ("wrong-refusal", _impossible_not_refused),
    ("possible-refused", _possible_refused),
)  # fmt: skip
