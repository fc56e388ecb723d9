"""The oracle: it runs functions of the course on tensors that an answer chose, each source in its own process."""

from __future__ import annotations

from ..protocol.tensors import unfit
from ..spec import Call, Evidence, Given
from . import zygotes
from .time_limit import TimeLimit


class Oracle:
    """The sessions that run Given functions, until `close`.

    limit: the time of the answer, from which they take theirs.
    """

    def __init__(self, limit: TimeLimit):
        self._limit = limit
        self._sessions: dict[str, zygotes.Session] = {}

    def run(self, given: Given, *tensors, until: float | None = None) -> Evidence:
        """The evidence of given.name(*tensors). Its error is a ValueError for a tensor that is too large.

        until: the second of the limit at which it has to be done; None: that of a call of its own.

        Raises NoWorker, Deadline or Died, and AttributeError if one is not a tensor.
        """
        refused = next((sentence for each in tensors if (sentence := unfit(each))), None)
        if refused:
            error = {"type": "ValueError", "kinds": ["ValueError"], "message": refused, "line": "", "raised": False}
            return Evidence(error=error | {"todo": None, "where": None})
        if given.source not in self._sessions:
            self._sessions[given.source] = zygotes.get().open(given.source, self._limit)
        return self._sessions[given.source].run(Call("call", given.name, tensors, poison=False), until=until)

    def close(self) -> None:
        """End the processes."""
        for session in self._sessions.values():
            session.close()
