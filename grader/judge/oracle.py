"""The oracle: it runs functions of the course on tensors that an answer chose, each source in its own process."""

from __future__ import annotations

from ..protocol.tensors import unfit
from ..spec import Call, Evidence, Given
from . import zygotes


class Oracle:
    """The sessions that run Given functions, until `close`. seconds: time limit for each source."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._sessions: dict[str, zygotes.Session] = {}

    def run(self, given: Given, tensor) -> Evidence:
        """The evidence of given.name(tensor). Its error is a ValueError for a tensor that is too large.

        Raises NoWorker, Deadline or Died, and AttributeError if it is not a tensor.
        """
        refused = unfit(tensor)
        if refused:
            error = {"type": "ValueError", "kinds": ["ValueError"], "message": refused, "line": "", "raised": False}
            return Evidence(error=error | {"todo": None, "where": None})
        if given.source not in self._sessions:
            self._sessions[given.source] = zygotes.get().open(given.source, self._seconds)
        return self._sessions[given.source].run(Call("call", given.name, (tensor,), poison=False))

    def close(self) -> None:
        """End the processes."""
        for session in self._sessions.values():
            session.close()
