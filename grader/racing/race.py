"""A race of one answer: the check first, and then the clock."""

from __future__ import annotations

import datetime
import time
from collections.abc import Sequence

from .. import environment
from ..judge import render, zygotes
from ..judge.judge import judge
from ..protocol import schema
from ..protocol.replies import unpack_error
from ..sentence import Said, fault, message, said
from ..spec import WORDS, Answer, Card, Error, Exercise, Lap, Result, Shape, bounded
from . import events
from .raced import Raced

SECONDS = 120.0  # for all shapes of one entrant: the driver starts, Triton compiles, and an autotuner tries
OWN = "answer"  # the name of an answer's laps, beside those of its peers


def cannot_race_here(exercise: str) -> Said | None:
    """Why no answer to an exercise can race on this machine, as one sentence for a learner; None where all is there."""
    if not environment.has_gpu():
        return said("A race needs a GPU that Triton compiles for, and this machine has none.")
    import torch

    if not torch.cuda.is_available():
        return said("A race needs a GPU of NVIDIA: it replays CUDA graphs.")
    if events.EVENTS[exercise].cuda and not environment.has_cupy():
        return environment.needs_cupy()
    return None


def card_name() -> str:
    """The name of the GPU that races, as a Card has it."""
    import torch

    return torch.cuda.get_device_name(0)


def exercises() -> tuple[str, ...]:
    """Ids of the exercises that race, in the order of the course."""
    return tuple(events.EVENTS)


def does_not_race(exercise: str) -> Said:
    """The sentence about an exercise that has no race."""
    return said("{exercise} has nothing to time. These race: {list}.", exercise=exercise, list=", ".join(exercises()))


def shapes(exercise: str, secret: bytes, drawn: int = events.SHAPES_DRAWN) -> tuple[Shape, ...]:
    """The shapes of an exercise: those that everybody knows, and `drawn` more that follow from the secret.

    Raises KeyError for one that does not race.
    """
    return events.shapes(exercise, secret, drawn)


def race(
    exercise: Exercise,
    answer: Answer,
    secret: bytes,
    on: Sequence[Shape] | None = None,
    peers: bool = False,
    checked: Result | None = None,
) -> Raced:
    """Check an answer, and time it on the GPU of this machine if it passes. No behaviour of an answer makes it raise.

    secret: the numbers, their places in memory and the drawn shapes follow from it. on: None takes `shapes`. peers:
    whether the course's own functions are timed beside it. checked: the verdict, where it is known; None asks `judge`.
    """
    date = datetime.date.today().isoformat()
    if exercise.id not in events.EVENTS:
        return Raced(exercise.id, None, refused=does_not_race(exercise.id), date=date)
    if why := cannot_race_here(exercise.id):
        return Raced(exercise.id, None, refused=why, date=date)
    checked = checked or judge(exercise, answer, seed=events.seed(secret, "check", exercise.id))
    if checked.status != "passed":
        why = said("only an answer that passes its check races, and this one does not: {why}", why=checked.message)
        return Raced(exercise.id, None, refused=why, date=date)
    began = time.monotonic()
    timed = _Timed(exercise, answer, secret, peers)
    refused = Said("")
    try:
        timed.run(on if on is not None else shapes(exercise.id, secret))
    except (zygotes.Deadline, zygotes.Died, zygotes.NoWorker) as error:
        refused = said("the race ended early: {error}", error=message(error))
    return Raced(
        exercise.id,
        timed.card,
        tuple(timed.laps),
        {name: tuple(laps) for name, laps in timed.peers.items()},
        checked=True,
        refused=refused or timed.refused,
        seconds=time.monotonic() - began,
        date=date,
    )


def _raised(error: Error) -> Said:
    return fault(WORDS, "{words}", words=bounded(render.error_sentence(error)))


class _Timed:
    """One entrant on the card. laps, peers, card, refused: what there is so far."""

    def __init__(self, exercise: Exercise, answer: Answer, secret: bytes, peers: bool):
        self._exercise, self._answer, self._secret, self._with_peers = exercise, answer, secret, peers
        self.card: Card | None = None
        self.laps: list[Lap] = []
        self.peers: dict[str, list[Lap]] = {}
        self.refused = Said("")

    def run(self, on: Sequence[Shape]) -> None:
        """Time it on these shapes. Raises Deadline, Died or NoWorker."""
        with zygotes.get().race(
            zygotes.get("compiled"),
            self._answer.source,
            SECONDS,
            "\n".join((self._exercise.driver, events.DRIVER)),
            self._exercise.kernels,
            self._exercise.modules,
        ) as session:
            if session.loading_error is not None:
                self.refused = _raised(session.loading_error)
                return
            for shape in on:
                self._keep(session.ask(self._lap(shape)), shape)
            self.card = schema.unpack(session.ask({"op": "card"})["card"], Card)

    def _lap(self, shape: Shape) -> dict:
        event = events.EVENTS[self._exercise.id]
        return {
            "op": "lap", "name": event.cuda or "race_" + self._exercise.id.replace(".", "_"), "cuda": bool(event.cuda),
            "family": event.family, "shape": schema.pack(shape, Shape), "dtype": event.dtype, "peers": self._with_peers,
            "seed": events.seed(self._secret, self._exercise.id, self._answer.digest(), shape),
        }  # fmt: skip

    def _keep(self, reply: dict, shape: Shape) -> None:
        dtype = events.EVENTS[self._exercise.id].dtype
        try:
            if "error" in reply:
                self.laps.append(Lap(shape, dtype, refused=_raised(unpack_error(reply["error"]))))
                return
            found = {name: schema.unpack(lap, Lap) for name, lap in dict(reply["laps"]).items()}
        except (schema.Mismatch, KeyError, TypeError, ValueError) as error:
            raise zygotes.Died(said("a reply that makes no sense: {error}", error=message(error))) from None
        self.laps.append(found.pop(OWN))
        for name, lap in found.items():
            self.peers.setdefault(name, []).append(lap)
