"""Laps: replays of the same orders by turns with a copy, poisoned before, compared after."""

from __future__ import annotations

import functools
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import torch

from .. import spec
from ..sentence import Said, fault, message, said
from . import floor
from .card import Launched, Made, Play, Replay, Results
from .families import Family

Plays = Callable[[list[torch.Tensor], Made], Results]  # gives the orders for these inputs


class Card(Protocol):
    """The GPU as laps need it. grader.timing.card.Cuda is one; tests have another, without a GPU."""

    device: torch.device

    def record(self) -> spec.Card: ...  # noqa: D102
    def blank(self, shape: tuple[int, ...], dtype: torch.dtype, place: int) -> torch.Tensor: ...  # noqa: D102
    def generator(self, seed: int) -> torch.Generator: ...  # noqa: D102
    def prepared(self, play: Play, inputs: Sequence[torch.Tensor]) -> Replay: ...  # noqa: D102
    def time(self, run: Callable[[], object]) -> tuple[float, bool]: ...  # noqa: D102
    def tune(self, runs: list[Callable[[], object]], tensors: list[torch.Tensor]) -> tuple[int, float]: ...  # noqa: D102
    def cuda(self, source: str, function: str) -> Launched: ...  # noqa: D102
    def look(self) -> None: ...  # noqa: D102


STARTS = 6  # sets of addresses, by turns: where memory lies makes a difference of some per cent
WARM, LEAST, MOST = 6, 30, 300  # rounds that do not count; rounds that do
SECONDS = 0.9  # after which no more than the least number of rounds is run
_TRIES = 8
_PIECE = 1 << 16  # bytes: with other sizes, an H200 takes up to a half longer
_COPY = "copy"


@dataclass
class _Runner:
    """One function in a race: its replays, one for each set of addresses, and its times in µs."""

    replays: list[Replay]
    times: list[float] = field(default_factory=list)
    refused: Said | None = None


class Wrong(Exception):
    """A function that cannot race. The message is a sentence."""


def measure(
    card: Card, plays: dict[str, Plays], family: Family, shape: spec.Shape, dtype: str, seed: int
) -> dict[str, spec.Lap]:
    """The laps of some functions on one shape, by name, each by turns with the others and with a copy.

    seed: the numbers, the places in memory and the order of the turns follow from it.
    """
    rng = random.Random(seed)
    kinds = family.inputs(shape.sizes, getattr(torch, dtype))
    starts, originals = [_placed(card, kinds, rng) for _ in range(STARTS)], _placed(card, kinds, rng)
    blank = spec.Lap(shape, dtype)
    runners: dict[str, _Runner] = {}
    laps: dict[str, spec.Lap] = {}
    for name, play in plays.items():
        try:
            for inputs in starts:
                family.fill(inputs, card.generator(rng.getrandbits(62)))
            runners[name] = _Runner([card.prepared(functools.partial(play, inputs), inputs) for inputs in starts])
        except Exception as error:  # of Triton's compiler, of the card's memory
            laps[name] = replace(blank, refused=_failed(error))
    moved = sum(family.moved(shape.sizes)) * getattr(torch, dtype).itemsize
    runners[_COPY] = _Runner([card.prepared(_copy(card, moved, rng), ())] * STARTS)
    _race(card, runners, family, starts, originals, rng)
    copied = _quartiles(runners[_COPY].times)[1] if len(runners[_COPY].times) >= LEAST else None
    elements = (family.least or family.moved)(shape.sizes)
    least = floor.microseconds(*(n * getattr(torch, dtype).itemsize for n in elements), card.record())
    for name in plays:
        if name in runners:
            laps[name] = _lap(runners[name], blank, copied, least)
    return laps


def _placed(card: Card, kinds: list, rng: random.Random) -> list[torch.Tensor]:
    return [card.blank(sizes, dtype, rng.getrandbits(30)) for sizes, dtype in kinds]


def _copy(card: Card, moved: int, rng: random.Random) -> Play:
    """A copy that reads half of so many bytes, and writes the other half. A card copies whole pieces faster."""
    size = max(1, round(moved / (2 * _PIECE))) * _PIECE // 4
    source, target = (card.blank((size,), torch.float32, rng.getrandbits(30)) for _ in range(2))
    source.zero_()
    return lambda made: target.copy_(source)


def _race(card: Card, runners: dict[str, _Runner], family: Family, starts: list, originals: list, rng) -> None:
    """Take turns until there are enough times of each."""
    began, done = time.monotonic(), 0
    while done < LEAST + WARM or (done < MOST + WARM and time.monotonic() - began < SECONDS):
        turns = [name for name, runner in runners.items() if runner.refused is None]
        if turns == [_COPY]:
            return
        for name in rng.sample(turns, len(turns)):
            runner = runners[name]
            try:
                took = _turn(card, runner.replays[done % STARTS], family, starts[done % STARTS], originals, rng, name)
            except Exception as error:
                runner.refused = _failed(error)
                continue
            if done >= WARM:
                runner.times.append(took)
        done += 1
        if done % STARTS == 0:
            card.look()


def _turn(card: Card, replay: Replay, family: Family, inputs: list, originals: list, rng, name: str) -> float:
    """The time of one replay, in µs. Raises Wrong for a result or an input that is not as it has to be.

    Where the card was faster than Python, it is taken again, for some times.
    """
    for _ in range(_TRIES):
        took, ahead = _one_turn(card, replay, family, inputs, originals, rng, name)
        if ahead:
            break
    return took


def _one_turn(
    card: Card, replay: Replay, family: Family, inputs: list, originals: list, rng, name: str
) -> tuple[float, bool]:
    seed = rng.getrandbits(62)  # nobody but this function has ever seen the numbers that follow from it
    if name == _COPY:
        family.fill(inputs, card.generator(seed))
        return card.time(replay.run)
    replay.poison(card.generator(rng.getrandbits(62)))
    family.fill(inputs, card.generator(seed))
    took, ahead = card.time(replay.run)
    family.fill(originals, card.generator(seed))
    if wrong := family.fault(originals, inputs[0] if family.in_place else replay.result):
        raise Wrong(said("a timed replay has another result: {wrong}", wrong=wrong))
    if not family.in_place and not all(map(_same, inputs, originals)):
        raise Wrong(said("a timed replay changed its input"))
    return took, ahead


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a, b)


def _lap(runner: _Runner, blank: spec.Lap, copied: float | None, least: float) -> spec.Lap:
    first = runner.replays[0]
    notes = (first.why,) if first.why is not None else ()
    lap = replace(blank, way=first.way, notes=notes, replays=len(runner.times), copy=copied)
    if runner.refused is not None:
        return replace(lap, refused=runner.refused)
    low, median, high = _quartiles(runner.times)
    if median < least:
        return replace(
            lap,
            refused=said(
                "{took} µs is not possible: at the peak of this card its bytes take {least} µs",
                took=f"{median:.2f}",
                least=f"{least:.2f}",
            ),
        )
    return replace(lap, microseconds=median, quartiles=(low, high))


def _quartiles(times: list[float]) -> tuple[float, float, float]:
    """The means of the quartiles at each set of addresses: those of all times would jump between two sets."""
    each = [statistics.quantiles(times[start::STARTS], n=4) for start in range(STARTS)]
    low, median, high = map(statistics.fmean, zip(*each))
    return low, median, high


def _failed(error: Exception) -> Said:
    if isinstance(error, Wrong):
        return error.args[0]
    return fault(spec.WORDS, "{kind}: {message}", kind=type(error).__name__, message=str(message(error))[:300])
