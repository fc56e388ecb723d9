"""The course's own functions, run on tensors that an answer chose: each text in a child process of its own."""

from __future__ import annotations

from ..protocol.tensors import unfit
from ..spec import Call, Evidence, Given
from . import zygotes


class Runner:
    """Runs given functions until it is closed. It believes a tensor no more than its shape and size."""

    def __init__(self, seconds: float):
        self._seconds = seconds
        self._sessions: dict[str, zygotes.Child] = {}

    def run(self, given: Given, tensor) -> Evidence:
        """What given.name makes of a tensor. Raises Deadline or Died."""
        refused = unfit(tensor)
        if refused:
            return Evidence(error={"type": "ValueError", "kinds": ["ValueError"], "message": refused, "line": ""})
        if given.source not in self._sessions:
            self._sessions[given.source] = zygotes.get().open(given.source, self._seconds)
        return self._sessions[given.source].run(Call("call", given.name, (tensor,), poison=False))

    def close(self) -> None:
        """End the processes."""
        for session in self._sessions.values():
            session.close()
