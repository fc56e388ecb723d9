"""The wire to the device: one question at a time, from any thread."""

from __future__ import annotations

import socket
import threading

from ..protocol import frames
from ..protocol.errors import exception

MAX_REPLY = 1 << 26  # bytes


class Wire:
    """The host's end of the socket to the device. kernels: numbers of those that the device has admitted, by text."""

    def __init__(self, channel: socket.socket):
        self.kernels: dict[str, int] = {}
        self._channel, self._lock = channel, threading.Lock()
        self._arriving = frames.Buffered(channel)
        self._freed: list[int] = []

    def ask(self, header: dict, payload: bytes = b"") -> tuple[dict, bytes]:
        """The reply to one order. Raises the error of the device; `on_device` of it is the number of its record."""
        with self._lock:
            self._send(header, payload)
            reply, data = frames.receive(self._arriving, MAX_REPLY)
        if "error" in reply:
            error = exception(reply["error"])
            error.on_device = reply["number"]
            raise error
        return reply, data

    def tell(self, header: dict) -> None:
        """Send the end of a call, which has no reply."""
        with self._lock:
            self._send(header)

    def _send(self, header: dict, payload: bytes = b"") -> None:
        freed, self._freed = self._freed, []
        frames.send(self._channel, header | {"freed": freed}, payload)

    def receive(self) -> tuple[dict, bytes]:
        """The next order of the device, between calls."""
        return frames.receive(self._arriving, 0)

    def free(self, number: int) -> None:
        """Tell the device, with the next order, that nobody holds this tensor any more."""
        self._freed.append(number)
