"""The loop of a process that serves one session: a request of the judge, and the reply to it."""

from __future__ import annotations

import socket
from collections.abc import Callable

from ..isolation.linux import limits
from ..protocol import frames
from ..protocol.replies import pack_reply
from ..sentence import tree
from ..spec import Error

MOST = 1 << 30  # bytes of a request

Handle = Callable[[dict, bytes], tuple[dict, list[bytes]]]


def serve(channel: socket.socket, handle: Handle, described: Callable[[BaseException], Error]) -> None:
    """Reply to requests until the judge closes its channel.

    handle: from a header and a payload to those of the reply. described: an exception of it as plain data.
    """
    frames.send(channel, {"too_little_memory": tree.pack(limits.too_little_memory())})
    while True:
        try:
            header, payload = frames.receive(channel, MOST)
        except frames.BrokenChannel:
            return
        try:
            reply, data = handle(header, payload)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are answers too
            reply, data = pack_reply(error=described(error))
        frames.send(channel, reply, data)
