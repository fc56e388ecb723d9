"""own_card("08"): what a lesson shows of the recorded GPU, measured on this machine's, by the clock of a race.

A lesson calls it below what it shows of the record. It takes seconds: some of the recorded shapes, as far as they fit.
"""

from __future__ import annotations

import functools
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import environment
from ..language import say, wrap
from ..sentence import Said, foreign, joined, message, said
from . import own_rows
from .own_rows import Heat

_SECONDS = 20.0  # of one call; what was not begun by then is left out
_WARM, _LEAST, _MOST = 3, 15, 60  # rounds that do not count; rounds that do
_TRIES = 4
_EACH = 0.5  # seconds of a heat after which the least number of rounds is enough
_ROOM = 0.5  # of the free memory, that a heat may take
_WIDE = 40  # columns of the names


@dataclass(frozen=True)
class Time:
    """Microseconds of one function: the median, and the distance of the quartiles as a part of it."""

    microseconds: float
    spread: float


def own_card(lesson: str, *mine) -> None:
    """Measure what a lesson shows of an H200 on this machine's GPU, and print both side by side.

    mine: your own functions, in place of the course's: the five passes and the one pass for "05", online_softmax for
    "08", split_softmax for "09", the texts of the three kernels for "12". Each result is compared with PyTorch's
    first. Without a GPU it says so in a sentence.
    """
    if lesson not in own_rows.LESSONS:
        print(say(said("Nothing is measured for {lesson}; there are: {list}.", lesson=repr(lesson), list=_lessons())))
        return
    if not _can_measure():
        print(say(said("No NVIDIA GPU here that runs compiled kernels, so nothing was measured on this machine.")))
        return
    from ..timing.card import Cuda

    show(lesson, mine, Cuda())


def _lessons() -> str:
    return ", ".join(own_rows.LESSONS)


def _can_measure() -> bool:
    if environment.interpreted() or not environment.has_gpu():
        return False
    import torch

    return torch.cuda.is_available()


def show(lesson: str, mine: tuple, card) -> None:
    """Print the heats of a lesson, each when it has been measured. card: as timing.laps has it."""
    began, left_out = time.monotonic(), []
    device, heats = own_rows.of(lesson, mine)
    print(say(said("{here}, now, beside {device} in the record", here=card.record().name, device=device)))
    for heat in heats:
        if time.monotonic() - began > _SECONDS or not _fits(heat):
            left_out.append(heat.name)
            continue
        try:
            times = measured(heat, card)
        except Exception as error:  # such as the card's memory
            left_out.append(heat.name)
            print(say(said("{heat}: {error}", heat=heat.name, error=_sentence(error))))
            continue
        print("\n".join(_lines(heat, times)))
    if lesson in own_rows.NEEDS_CUPY and not environment.has_cupy():
        print(say(environment.needs_cupy()))
    if left_out:
        shown = joined("{one}, {two}", left_out)
        print(say(said("left out, for want of time or of this card's memory: {list}", list=shown)))


def measured(heat: Heat, card) -> dict[str, Time | Said]:
    """{name: its time, or a sentence that says why it has none} of the functions of a heat.

    They take turns in an order that is drawn, each as a graph where it can be captured, with an empty L2 cache.
    """
    found: dict[str, Time | Said] = {}
    replays, times = {}, {}
    makes, compare = heat.setup()
    for name, make in makes.items():
        try:
            run = make()
            if wrong := compare(name, run()):
                found[name] = wrong
                continue
            replays[name], times[name] = card.prepared(functools.partial(_played, run), ()), []
        except Exception as error:  # of an answer, of Triton's compiler, of a launch that this card does not take
            found[name] = _sentence(error)
    rng, began, done = random.Random(0), time.monotonic(), 0
    while done < _WARM + _LEAST or (done < _WARM + _MOST and time.monotonic() - began < _EACH):
        for name in rng.sample(list(replays), len(replays)):
            took = _turn(card, replays[name])
            if done >= _WARM:
                times[name].append(took)
        done += 1
    for name, of in times.items():
        low, middle, high = statistics.quantiles(of, n=4)
        found[name] = Time(statistics.median(of), (high - low) / middle)
    return found


def _turn(card, replay) -> float:
    """The time of one run, in µs. Where the card was faster than Python, it is taken again, for some times."""
    for _ in range(_TRIES):
        took, ahead = card.time(replay.run)
        if ahead:
            break
    return took


def _played(run: Callable[[], object], made) -> object:
    return run()


def _fits(heat: Heat) -> bool:
    import torch

    return not torch.cuda.is_available() or heat.bytes <= _ROOM * torch.cuda.mem_get_info()[0]


def _lines(heat: Heat, times: Mapping[str, Time | Said]) -> list[str]:
    """The table of a heat: for each function its speed as a share of the base's, recorded and here, and its µs here."""
    base = times.get(heat.base)
    heads = say(said("recorded")), say(said("here"))
    head = wrap.padded(say(heat.name), _WIDE) + "".join(wrap.padded(each, -10) for each in heads)
    lines = [head + "  " + say(said("(speed of {base} = 1)", base=heat.base))]
    for name, told in heat.names.items():
        found, line = times.get(name), wrap.padded("  " + say(told), _WIDE)
        recorded = heat.recorded.get(name)
        line += f"{heat.recorded[heat.base] / recorded:10.2f}" if recorded else wrap.padded("–", -10)
        if isinstance(found, Time):
            share = f"{base.microseconds / found.microseconds:10.2f}" if isinstance(base, Time) else " " * 10
            line += f"{share}  {found.microseconds:10.1f} µs ± {found.spread / 2:.0%}"
        elif found is not None:
            line += "  " + say(found)
        lines.append(line)
    if heat.ratio and all(isinstance(times.get(name), Time) for name in heat.ratio.names):
        slow, fast = (times[name].microseconds for name in heat.ratio.names)  # type: ignore[union-attr]
        lines.append("  " + say(heat.ratio.sentence(slow / fast)))
    return lines


def _sentence(error: Exception) -> Said:
    told = foreign.recognised(str(message(error)).strip().split("\n")[0][:160])
    return said("{type}: {message}", type=type(error).__name__, message=told)
