"""The mistakes in reading a profile (lesson 17): in predicting a counter, naming a limit, a line, and the headroom.

Facts of a case: the arguments of the function and want (the right value); in 17.2 the kernel that was profiled as well.
"""

from __future__ import annotations

import math

from ..checks.compare import same_number
from ..reference import profiles
from ..reference.profiles import CONFLICTS, COPY, FEW, LIMITS, PAGES, SPILLS, TWICE, UNCOALESCED
from ..spec import Detector
from . import detectors
from .mistake import Mistake
from .mutant import Mutant, several

_LAST = "return len({place // 32 for place in places})"
_BUSY = 'report["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"] > 50'
_SPILL = 'report["sass__inst_executed_register_spilling"] > 0'
_FIRST = _SPILL + ':\n        return "spills"'
_BLAMED = '\n        return "uncoalesced"'
_EXCESS = 'report["derived__memory_l2_theoretical_sectors_global_excessive"]'
_LOADED = 'report["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]'
_UNCOALESCED = (
    'report["memory_l2_theoretical_sectors_global"] > 2 * report["memory_l2_theoretical_sectors_global_ideal"]'
)
_TURNS = 'report["memory_l1_wavefronts_shared"]'
_CONFLICTS = f'{_TURNS} > 2 * report["memory_l1_wavefronts_shared_ideal"]'
_TWICE = 'report["dram__bytes_read.sum"] > 1.5 * report["dram__bytes_write.sum"]'
_LAUNCH = 'max(1.0, report["gpu__time_duration.sum"] * 1e-9 / enough)'
_MOVED = '(report["dram__bytes_read.sum"] + report["dram__bytes_write.sum"])'

MISTAKES = [
    Mistake(
        "lanes-not-sectors",
        "This is the number of lanes, as if each lane needed a sector of its own.",
        "How many numbers of 4 bytes lie in one sector?",
        Mutant("17.1", _LAST, "return lanes"),
        Mutant("17.1", _LAST, "return len(places)"),
        Mutant("17.1", "place // 32", "place / 32"),
    ),
    Mistake(
        "sector-start-ignored",
        "The sectors are counted as if the first element lay at the beginning of one.",
        "If 32 numbers of 4 bytes begin at byte 20, in which sector does the last one end?",
        Mutant("17.1", "[address + lane", "[lane"),
        Mutant("17.1", _LAST, "return -(-((lanes - 1) * stride + 1) * itemsize // 32)"),
    ),
    Mistake(
        "only-wanted-bytes",
        "This is how many sectors would hold the bytes that are wanted, if they lay side by side.",
        "Where do the elements lie, and what else is in their sectors?",
        Mutant("17.1", _LAST, "return -(-lanes * itemsize // 32)"),
    ),
    Mistake(
        "request-stride-ignored",
        "The elements are taken to be neighbours.",
        "How many bytes after the element of lane 0 does that of lane 1 begin?",
        Mutant("17.1", "lane * stride * itemsize", "lane * itemsize"),
    ),
    Mistake(
        "sectors-between-counted",
        "The sectors from the first element to the last are counted, with those between them that no lane needs.",
        "If each lane's element lies 100 elements further, which sectors of memory move?",
        Mutant("17.1", _LAST, "return places[-1] // 32 - places[0] // 32 + 1"),
    ),
    Mistake(
        "sector-behind-the-end",
        "One sector too many is counted where the elements end at the end of a sector.",
        "The bytes 0 to 31 are one sector. In which sector is the last byte that is wanted?",
        Mutant("17.1", _LAST, "return (places[-1] + itemsize) // 32 - places[0] // 32 + 1"),
    ),
    Mistake(
        "elements-for-bytes",
        "The size of an element has no effect where it should: a sector has 32 bytes, and not 32 elements.",
        "How many elements of 2 bytes lie in a sector, and how many of 8 bytes?",
        Mutant("17.1", "lane * stride * itemsize", "lane * stride"),
        Mutant("17.1", "place // 32", "place // itemsize // 8"),
    ),
    Mistake(
        "sector-of-another-size",
        "Pieces of memory of another size are counted, and not sectors.",
        "How many bytes has a sector?",
        *several("17.1", "place // 32", "place // 128", "place // 64", "place // 16", "place // 8"),
    ),
    Mistake(
        "sector-rounded-up",
        "Only its first byte is counted to a sector, and the others to the next one.",
        "In which sectors are the bytes 0, 1, 31 and 32?",
        Mutant("17.1", "place // 32", "-(-place // 32)"),
    ),
    Mistake(
        "one-place-for-all",
        "The result is 1 for every request, as if all lanes asked for the same place.",
        "Which part of your expression is another one for each lane?",
        Mutant("17.1", " + lane * stride * itemsize", ""),
        Mutant("17.1", "place // 32", "address // 32"),
    ),
    Mistake(
        "another-distance-of-lanes",
        "The elements of neighbouring lanes are taken to lie another distance apart.",
        "How many bytes lie between the beginnings of two elements that are `stride` elements apart?",
        *several(
            "17.1", "lane * stride * itemsize", "lane * itemsize * itemsize", "lane * stride / itemsize",
            "(lane + stride) * itemsize", "lane * stride * stride",
        ),
        Mutant("17.1", "address + lane", "address - lane"),
    ),
    Mistake(
        "address-in-elements",
        "The address was multiplied by the size of an element, and it is in bytes already.",
        "In which unit is each of the four arguments?",
        Mutant("17.1", "address + lane * stride * itemsize", "(address + lane * stride) * itemsize"),
    ),
    Mistake(
        "remainders-not-sectors",
        "This is how many different places within a sector the lanes ask for, and not in how many sectors they lie.",
        "Which operation gives the number of a sector, and which the place within it?",
        Mutant("17.1", "place // 32", "place % 32"),
    ),
    Mistake(
        "lanes-miscounted",
        "More or fewer lanes are counted than ask for an element.",
        "With which number does the count of the lanes begin, and with which does it end?",
        *several("17.1", "range(lanes)", "range(lanes - 1)", "range(lanes + 1)", "range(1, lanes)", "range(32)",
                 "range(stride)"),
    ),
    Mistake(
        "no-number-of-sectors",
        "What came back is no number.",
        "What does the docstring say the function returns?",
        Mutant("17.1", _LAST, "return {place // 32 for place in places}"),
        Mutant("17.1", _LAST, "return places"),
    ),
    Mistake(
        "part-of-a-sector",
        "This is not a whole number, and a sector moves as a whole.",
        "Which sectors move if a request wants one byte of each of two sectors?",
        Mutant("17.1", _LAST, "return ((lanes - 1) * stride + 1) * itemsize / 32"),
    ),
    Mistake(
        "no-limit-name",
        "One of the six names was expected.",
        "Which names does the table have, and which does each of your return lines give?",
        Mutant("17.2", '"too few warps"', '"few warps"'),
        Mutant("17.2", '"copy limit"', '"at the limit of a copy"'),
    ),
    Mistake(
        "one-limit-for-all",
        "Every launch gets the same name.",
        "Which metric of the report does each of your conditions look at?",
        Mutant("17.2", _SPILL, _SPILL + " or True"),
    ),
    Mistake(
        "excess-is-no-limit",
        "This launch is as fast as a copy, and its few excessive sectors do not slow it down.",
        "How busy is memory here, and how many times the ideal do the sectors reach in a launch that is slow for them?",
        *several("17.2", _FIRST, *(f"{_FIRST}\n    if {_EXCESS} > {limit}:{_BLAMED}" for limit in ("0", "10**7"))),
    ),
    Mistake(
        "wide-loads-blamed",
        "The requests of this launch touch many sectors, and every byte of them is wanted.",
        "How many bytes does a warp ask for if each thread loads four numbers at once, and what is the ideal for that?",
        Mutant("17.2", _FIRST, f"{_FIRST}\n    if {_LOADED} > 10 * {_LOADED.replace('sectors', 'requests')}:{_BLAMED}"),
    ),
    Mistake(
        "idle-memory-at-its-limit",
        "Memory is idle most of the time in this launch, and you say that memory is its limit.",
        "How many percent of the time is memory busy here, and from how many percent on do you call it the limit?",
        Mutant("17.2", _BUSY, _BUSY.replace("> 50", "> 0.5")),
        Mutant("17.2", 'return "too few warps"', 'return "copy limit"'),
    ),
    Mistake(
        "second-reading-missed",
        "Memory is as busy as in a copy, but it delivers each number twice.",
        "Which two counters of bytes are equal for a copy, and how do they compare here?",
        Mutant("17.2", '"reads twice" if twice else "copy limit"', '"copy limit"'),
        Mutant("17.2", _TWICE, _TWICE.replace("1.5", "3")),
    ),
    Mistake(
        "hardly-more-read",
        "This launch reads hardly more than it writes: the last bytes of its result are still in the L2 cache.",
        "How many times the bytes written are the bytes read, in this launch and in one that reads everything twice?",
        Mutant("17.2", _TWICE, _TWICE.replace("1.5 *", "1.0 *")),
        Mutant("17.2", _FIRST, f'{_FIRST}\n    if {_TWICE.split(" > ")[0]} > 300e6:\n        return "reads twice"'),
        Mutant("17.2", '"reads twice" if twice else "copy limit"', '"reads twice"'),
    ),
    Mistake(
        "no-conflict-there",
        "Shared memory took no more turns in this launch than are ideal.",
        "Which two counters of wavefronts does the report have, and what is their ratio here?",
        Mutant("17.2", _FIRST, f"{_FIRST}\n    if {_TURNS} > 0:{_BLAMED.replace('uncoalesced', 'bank conflicts')}"),
    ),
    Mistake(
        "cached-reading-counted",
        "This launch reads its numbers twice, but the second time from the L1 cache: memory delivers them once.",
        "Which counters are about memory itself, and which about what the warps ask for?",
        Mutant(
            "17.2", _FIRST,
            f'{_FIRST}\n    if {_LOADED} > 1.5 * {_LOADED.replace("op_ld", "op_st")}:\n        return "reads twice"',
        ),
    ),
    Mistake(
        "spill-traffic-missed",
        "Much of what memory moves here are registers that were stored and loaded again.",
        "Which metric counts the instructions that do this, whatever the number of registers?",
        Mutant("17.2", _SPILL, 'report["launch__registers_per_thread"] == 255'),
        Mutant("17.2", _SPILL, 'report["launch__registers_per_thread"] > 64'),
        Mutant("17.2", _SPILL, "False"),
    ),
    Mistake(
        "consequence-not-cause",
        "You name what follows from the spills of this launch, and not the spills.",
        "Which metric is 0 in every launch that has enough registers?",
        Mutant(
            "17.2", _FIRST,
            'report["sm__warps_active.avg.pct_of_peak_sustained_active"] < 20:\n        return "too few warps"\n'
            f"    if {_FIRST}",
        ),
    ),
    Mistake(
        "enough-warps-blamed",
        "This launch has several times the resident warps of one that has too few, and another limit.",
        "How many percent of the warps are active here, and how many in a launch that has too few?",
        Mutant("17.2", _UNCOALESCED, "False"),
        Mutant("17.2", _CONFLICTS, "False"),
    ),
    Mistake(
        "excess-of-other-kind",
        "One kind of excess is taken for the other: sectors belong to global memory, wavefronts to shared memory.",
        "Which of the two counters is far above its ideal in this launch?",
        Mutant("17.2", '"bank conflicts"', '"uncoalesced"'),
        Mutant("17.2", 'return "uncoalesced"', 'return "bank conflicts"'),
    ),
    Mistake(
        "few-warps-missed",
        "Neither sectors nor wavefronts are above their ideals in this launch, nothing spills, and memory is idle.",
        "Which percentage of this report is far lower than in all the others?",
        Mutant("17.2", _UNCOALESCED, _UNCOALESCED.replace("> 2 *", ">=")),
        Mutant("17.2", _CONFLICTS, _CONFLICTS.replace("> 2 *", ">=")),
    ),
    Mistake(
        "line-that-waits",
        "This line has the most samples: here the warps wait. The numbers that they wait for were asked for elsewhere.",
        "Which columns count what is moved, and which counts where warps stand?",
        Mutant("17.3", "key=excess", 'key=lambda row: row["# Samples"]'),
    ),
    Mistake(
        "total-not-excess",
        "This line moves the most, but all of it, or most of it, is wanted.",
        "How far is each line above its own ideal?",
        Mutant("17.3", ' - row["L2 Theoretical Sectors Global Ideal"]', ""),
        Mutant("17.3", ' - row["L1 Wavefronts Shared Ideal"]', ""),
    ),
    Mistake(
        "ratio-not-excess",
        "This line is the most times above its ideal, and yet it costs little.",
        "What costs more: 20 sectors where one would do, or 3,000 where 1,000 would do?",
        Mutant(
            "17.3", 'row["L2 Theoretical Sectors Global"] - row["L2 Theoretical Sectors Global Ideal"]',
            'row["L2 Theoretical Sectors Global"] / max(1, row["L2 Theoretical Sectors Global Ideal"])',
        ),
        Mutant(
            "17.3", 'row["L1 Wavefronts Shared"] - row["L1 Wavefronts Shared Ideal"]',
            'row["L1 Wavefronts Shared"] / max(1, row["L1 Wavefronts Shared Ideal"])',
        ),
    ),
    Mistake(
        "columns-of-other-limit",
        "This line has the largest number of a column that says nothing of this limit.",
        "Which columns does the limit of this page have?",
        Mutant("17.3", 'if limit == "bank conflicts"', 'if limit == "conflicts"'),
        Mutant("17.3", 'return row["L2 Theoretical Sectors Local"]', 'return row["L2 Theoretical Sectors Global"]'),
        Mutant("17.3", 'limit == "uncoalesced"', 'limit != "bank conflicts"'),
    ),
    Mistake(
        "least-excess",
        "This line has the smallest excess of all.",
        "Which end of the order does your function take?",
        Mutant("17.3", "return max(page", "return min(page"),
    ),
    Mistake(
        "place-not-line",
        "This is the place of a row in the list, and not the number of its line.",
        "Which entry of a row is the number of its line?",
        Mutant("17.3", 'max(page, key=excess)["line"]', "page.index(max(page, key=excess))"),
        Mutant("17.3", 'max(page, key=excess)["line"]', "page.index(max(page, key=excess)) + 1"),
    ),
    Mistake(
        "no-line-number",
        "What came back is not the number of a line.",
        "Which entry of a row is a number of a line, and which is its text?",
        Mutant("17.3", 'max(page, key=excess)["line"]', "max(page, key=excess)"),
        Mutant("17.3", 'max(page, key=excess)["line"]', 'max(page, key=excess)["text"]'),
        Mutant("17.3", 'max(page, key=excess)["line"]', "max(map(excess, page))"),
    ),
    Mistake(
        "faster-than-possible",
        "A number below 1 came back: the launch would get slower at its best.",
        "What can a launch win that is already faster than the copy?",
        Mutant("17.4", _LAUNCH, 'report["gpu__time_duration.sum"] * 1e-9 / enough'),
    ),
    Mistake(
        "moved-not-least",
        "The bytes that the launch moved were taken, and not those that it must move.",
        "If a launch reads everything twice, at the speed of a copy, how much can it win?",
        Mutant(
            "17.4", "least_bytes / copy_rate",
            '(report["dram__bytes_read.sum"] + report["dram__bytes_write.sum"]) / copy_rate',
        ),
    ),
    Mistake(
        "bytes-counted-both-ways",
        "The result is half of what it should be: the least bytes were counted twice.",
        "Which bytes does `copy_rate` count, those read, those written, or both, and which does `least_bytes`?",
        Mutant("17.4", "least_bytes / copy_rate", "2 * least_bytes / copy_rate"),
    ),
    Mistake(
        "nanoseconds-as-seconds",
        "The result is off by a power of ten.",
        "In which unit is the time of the report, and in which is bytes / (bytes per second)?",
        Mutant("17.4", " * 1e-9", ""),
        Mutant("17.4", "1e-9", "1e-6"),
        Mutant("17.4", "1e-9", "1e-3"),
        Mutant("17.4", "1e-9", "1e-8"),
    ),
    Mistake(
        "one-for-every-launch",
        "The result is 1.0 for every launch, also for one that takes several times as long as it must.",
        "Which two numbers does your last line choose between, and how large are they for this report?",
        Mutant("17.4", _LAUNCH, f"max(1.0, 1 / {_LAUNCH})", replayed=False),
        Mutant("17.4", _LAUNCH, "1.0", replayed=False),
    ),
    Mistake(
        "headroom-of-bytes",
        "The bytes that moved were compared with the least, and the time has no part in it.",
        "What can a launch win that moves no byte too many, and takes four times as long as a copy?",
        several("17.4", _LAUNCH, f"max(1.0, {_MOVED} / least_bytes)", f"{_MOVED} / least_bytes"),
    ),
    Mistake(
        "headroom-upside-down",
        "This is the part of its time that the launch would need, and not how many times as fast it would be.",
        "Which of the two times is the larger one?",
        Mutant("17.4", _LAUNCH, 'enough / (report["gpu__time_duration.sum"] * 1e-9)'),
        Mutant("17.4", _LAUNCH, 'min(1.0, enough / (report["gpu__time_duration.sum"] * 1e-9))'),
    ),
    Mistake(
        "never-above-one",
        "The result is never above 1, so no launch could win anything.",
        "Which of two numbers does your last line take, and which one should it take?",
        Mutant("17.4", "max(1.0", "min(1.0"),
    ),
    Mistake(
        "percent-of-the-peak",
        "The number was computed from the percentage of the peak.",
        "How many percent of its peak does memory reach in a copy, and how many in a launch that moves bytes in vain?",
        Mutant(
            "17.4", _LAUNCH,
            'max(1.0, 100 / report["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"])',
        ),
    ),
    Mistake(
        "gain-not-factor",
        "This is the factor minus 1.",
        "Which number stands for a launch that takes twice as long as it must?",
        Mutant("17.4", _LAUNCH, _LAUNCH + " - 1"),
    ),
    Mistake(
        "factor-in-percent",
        "This is the factor in percent.",
        "Which number stands for a launch that takes twice as long as it must?",
        Mutant("17.4", _LAUNCH, "100 * " + _LAUNCH),
    ),
    Mistake(
        "saving-not-factor",
        "This is the part of the time that could be saved, and not how many times as fast the launch could be.",
        "If half of the time can be saved, how many times as fast is that?",
        Mutant("17.4", _LAUNCH, f"1 - 1 / {_LAUNCH}"),
        Mutant("17.4", _LAUNCH, f"100 * (1 - 1 / {_LAUNCH})"),
    ),
]  # fmt: skip


# ---- 17.1


def _span(f: dict) -> int:
    """Bytes from the first element to the end of the last one."""
    return ((f["lanes"] - 1) * f["stride"] + 1) * f["itemsize"]


def _first(f: dict) -> int:
    return f["address"] // profiles.SECTOR


def _counted(formula) -> Detector:
    """Matches the number that a wrong formula(facts) gives in every case."""
    return detectors.value_formula(lambda v, f: same_number(v, formula(f)))


def _with(**changed):
    """A wrong formula: the right one with other arguments, each computed from the facts."""
    names = ("address", "lanes", "stride", "itemsize")
    return lambda f: profiles.request_sectors(**{n: changed[n](f) if n in changed else f[n] for n in names})


def _touched(f: dict, step: float | None = None, size: int = profiles.SECTOR) -> int:
    """Pieces of memory of `size` bytes that the lanes touch, each `step` bytes after the one before."""
    step = f["stride"] * f["itemsize"] if step is None else step
    return len({(f["address"] + lane * step) // size for lane in range(f["lanes"])})


SECTORS = (
    ("returns-nothing", detectors.nothing),
    ("lanes-not-sectors", _counted(lambda f: f["lanes"])),
    ("only-wanted-bytes", _counted(lambda f: math.ceil(f["lanes"] * f["itemsize"] / profiles.SECTOR))),
    ("sector-start-ignored", _counted(_with(address=lambda f: 0))),
    ("sector-start-ignored", _counted(lambda f: math.ceil(_span(f) / profiles.SECTOR))),
    ("request-stride-ignored", _counted(_with(stride=lambda f: 1))),
    (
        "sectors-between-counted",
        _counted(lambda f: (f["address"] + _span(f) - 1) // profiles.SECTOR - _first(f) + 1),
    ),
    ("sector-behind-the-end", _counted(lambda f: (f["address"] + _span(f)) // profiles.SECTOR - _first(f) + 1)),
    ("elements-for-bytes", _counted(_with(itemsize=lambda f: 1))),
    *(("sector-of-another-size", _counted(lambda f, size=size: _touched(f, size=size)))
      for size in (4, 8, 16, 31, 33, 64, 128, 256, 512)),
    ("address-in-elements", _counted(_with(address=lambda f: f["address"] * f["itemsize"]))),
    ("sector-rounded-up", _counted(lambda f: len({-(-(f["address"] + i * f["stride"] * f["itemsize"]) // 32)
                                                  for i in range(f["lanes"])}))),
    ("one-place-for-all", _counted(lambda f: 1)),
    *(("another-distance-of-lanes", _counted(lambda f, step=step: _touched(f, step(f)))) for step in (
        lambda f: f["itemsize"] ** 2,
        lambda f: f["stride"] / f["itemsize"],
        lambda f: f["stride"] ** 2,
        lambda f: -f["stride"] * f["itemsize"],
        lambda f: f["stride"] + f["itemsize"],
        lambda f: f["itemsize"] / max(1, f["stride"]),
    )),
    ("another-distance-of-lanes", _counted(lambda f: profiles.request_sectors(
        f["address"] + f["stride"] * f["itemsize"], f["lanes"], 1, f["itemsize"]))),
    *(("lanes-miscounted", _counted(_with(lanes=lanes))) for lanes in (
        lambda f: f["lanes"] - 1,
        lambda f: f["lanes"] + 1,
        lambda f: 32,
        lambda f: f["stride"],
    )),
    ("lanes-miscounted", _counted(lambda f: profiles.request_sectors(
        f["address"] + f["stride"] * f["itemsize"], f["lanes"] - 1, f["stride"], f["itemsize"]))),
    ("no-number-of-sectors", detectors.value(lambda v, f: not isinstance(v, (int, float)))),
    ("part-of-a-sector", detectors.value(lambda v, f: isinstance(v, float) and v != int(v))),
)  # fmt: skip


# ---- 17.2


def _named(name: str, test) -> Detector:
    """Matches a case to which the answer gives this name, and for which test(facts) holds."""
    return detectors.value(lambda v, f: v == name and v != f["want"] and test(f))


def _busy(f: dict) -> bool:
    return f["report"][profiles.DRAM] > 50


LIMIT = (
    ("returns-nothing", detectors.nothing),
    *(("one-limit-for-all", detectors.value_formula(lambda v, f, name=name: v == name)) for name in LIMITS),
    ("no-limit-name", detectors.value(lambda v, f: v not in LIMITS)),
    ("excess-is-no-limit", _named(UNCOALESCED, lambda f: f["kernel"] == "odd_rows")),
    ("idle-memory-at-its-limit", _named(COPY, lambda f: not _busy(f))),
    ("second-reading-missed", _named(COPY, lambda f: f["want"] == TWICE)),
    ("hardly-more-read", _named(TWICE, lambda f: f["want"] in (COPY, FEW))),
    ("no-conflict-there", _named(CONFLICTS, lambda f: f["want"] in (COPY, TWICE, SPILLS))),
    ("cached-reading-counted", _named(TWICE, lambda f: f["want"] == CONFLICTS)),
    ("spill-traffic-missed", _named(COPY, lambda f: f["want"] == SPILLS)),
    ("spill-traffic-missed", _named(TWICE, lambda f: f["want"] == SPILLS)),
    ("consequence-not-cause", _named(FEW, lambda f: f["want"] == SPILLS)),
    ("enough-warps-blamed", _named(FEW, lambda f: f["want"] != SPILLS)),
    ("excess-of-other-kind", _named(UNCOALESCED, lambda f: f["want"] == CONFLICTS)),
    ("excess-of-other-kind", _named(CONFLICTS, lambda f: f["want"] == UNCOALESCED)),
    # Behind the other kind of excess: an answer that exchanges the two says so of the launches with conflicts alone.
    (
        "wide-loads-blamed",
        _named(UNCOALESCED, lambda f: f["want"] in (COPY, TWICE, SPILLS, CONFLICTS) and f["kernel"] != "odd_rows"),
    ),
    ("few-warps-missed", detectors.value(lambda v, f: f["want"] == FEW and v in (UNCOALESCED, CONFLICTS))),
)


# ---- 17.3


def _line_with(key, limits=PAGES) -> Detector:
    """Matches the line of a row with the largest key(row, limit), on a page of one of these limits."""

    def test(v, f):
        if f["limit"] not in limits:
            return False
        most = max(key(row, f["limit"]) for row in f["page"])
        return v not in f["want"] and any(v == row["line"] and key(row, f["limit"]) == most for row in f["page"])

    return detectors.value(test)


def _total(row: dict, limit: str) -> int:
    return row[profiles.COLUMNS[limit][0]]


def _ratio(row: dict, limit: str) -> float:
    counted, ideal = profiles.COLUMNS[limit]
    return row[counted] / max(1, row[ideal])


def _smallest(v, f: dict) -> bool:
    """The line of a row with the smallest excess."""
    found = {row["line"]: profiles.excess(row, f["limit"]) for row in f["page"]}
    return v in found and found[v] == min(found.values())


def _of_another(limit: str):
    """The number of another limit's columns, or its excess."""

    def test(v, f):
        if f["limit"] == limit or v in f["want"]:
            return False
        counted, _ = profiles.COLUMNS[limit]
        totals = [row["line"] for row in f["page"] if row[counted] == max(r[counted] for r in f["page"])]
        return v in totals or v in profiles.culprits(f["page"], limit)

    return detectors.value(test)


def _place(v, first: int, f: dict) -> bool:
    """The place of the right row in the list, if the count begins with `first`."""
    return type(v) is int and 0 <= v - first < len(f["page"]) and f["page"][v - first]["line"] in f["want"]


CULPRIT = (
    ("returns-nothing", detectors.nothing),
    ("place-not-line", detectors.value(lambda v, f: _place(v, 0, f) or _place(v, 1, f))),
    ("no-line-number", detectors.value(lambda v, f: v not in [row["line"] for row in f["page"]])),
    ("least-excess", detectors.value_formula(_smallest)),
    ("total-not-excess", _line_with(_total)),
    ("ratio-not-excess", _line_with(_ratio, (UNCOALESCED, CONFLICTS))),
    ("line-that-waits", _line_with(lambda row, limit: row[profiles.SAMPLES])),
    *(("columns-of-other-limit", _of_another(limit)) for limit in (UNCOALESCED, CONFLICTS, SPILLS)),
)  # fmt: skip


# ---- 17.4


def _speed(formula) -> Detector:
    """Matches the number of a wrong formula(seconds, facts), with or without a least value of 1, in every case."""

    def test(v, f):
        wrong = formula(f["report"][profiles.TIME] * 1e-9, f)
        return any(same_number(v, each, rel=1e-5) for each in (wrong, max(1.0, wrong)))

    return detectors.value_formula(test)


def _raw(seconds: float, f: dict) -> float:
    return seconds * f["rate"] / f["least"]


def _moved(seconds: float, f: dict) -> float:
    report = f["report"]
    return seconds * f["rate"] / (report[profiles.READ] + report[profiles.WRITTEN])


HEADROOM = (
    ("returns-nothing", detectors.nothing),
    ("faster-than-possible", detectors.value_formula(
        lambda v, f: same_number(v, _raw(f["report"][profiles.TIME] * 1e-9, f), rel=1e-5))),
    ("one-for-every-launch", detectors.value_formula(lambda v, f: same_number(v, 1.0))),
    ("bytes-counted-both-ways", _speed(lambda s, f: _raw(s, f) / 2)),
    ("factor-in-percent", detectors.value_formula(lambda v, f: same_number(v, 100 * f["want"], rel=1e-5))),
    *(("nanoseconds-as-seconds", _speed(lambda s, f, k=k: _raw(s, f) * 10.0**k))
      for k in (*range(1, 10), 18)),
    *(("nanoseconds-as-seconds", detectors.value_formula(  # with a least value, all of these are 1
        lambda v, f, k=k: same_number(v, _raw(f["report"][profiles.TIME] * 1e-9, f) * 10.0**k, rel=1e-5)))
      for k in range(-9, 0)),
    ("headroom-upside-down", _speed(lambda s, f: 1 / _raw(s, f))),
    ("headroom-upside-down", detectors.value_formula(lambda v, f: same_number(v, 1 / f["want"], rel=1e-5))),
    ("never-above-one", detectors.value_formula(
        lambda v, f: same_number(v, min(1.0, _raw(f["report"][profiles.TIME] * 1e-9, f)), rel=1e-5))),
    ("rounded", detectors.value_formula(lambda v, f: v in (round(f["want"]), int(f["want"])))),
    ("moved-not-least", _speed(_moved)),
    ("percent-of-the-peak", _speed(lambda s, f: 100 / f["report"][profiles.DRAM])),
    ("gain-not-factor", detectors.value_formula(lambda v, f: same_number(v, f["want"] - 1, rel=1e-5)
                                                or abs(v - f["want"] + 1) < 1e-9)),
    *(("saving-not-factor", detectors.value_formula(
        lambda v, f, k=k: abs(v - k * (1 - 1 / f["want"])) < 1e-5 * k)) for k in (1, 100)),
)  # fmt: skip
