"""Frames on a socket: a JSON header and a payload of raw bytes. No pickle and no code, so a frame is plain data."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable

from ..sentence import message, said

MAX_HEADER = 4 << 20  # bytes
_LENGTHS = struct.Struct(">IQ")  # bytes of the header, bytes of the payload


class BrokenChannel(Exception):
    """The other side closed the socket, or sent data that is not a frame."""


def send(sock, header: dict, payload: bytes | list = b"") -> None:
    """Send one frame. payload: bytes, or a list of bytes that are sent one after another. Raises OSError."""
    parts = payload if isinstance(payload, list) else [payload]
    head = json.dumps(header).encode()
    sock.sendall(_LENGTHS.pack(len(head), sum(len(p) for p in parts)) + head)
    for part in parts:
        if part:
            sock.sendall(part)


def receive(sock, max_payload: int, left: Callable[[], float] | None = None) -> tuple[dict, bytes]:
    """Receive one frame: (header, payload). Raises BrokenChannel, or TimeoutError.

    max_payload: largest allowed payload, in bytes. left: function that gives the seconds until the whole frame must be
    there; None waits as long as the socket's own timeout.
    """
    head_size, size = _LENGTHS.unpack(_exactly(sock, _LENGTHS.size, left))
    if head_size > MAX_HEADER or size > max_payload:
        raise BrokenChannel(
            said(
                "a frame of {head_size} + {size} bytes is larger than anything expected", head_size=head_size, size=size
            )
        )
    try:
        header = json.loads(_exactly(sock, head_size, left))
    except (ValueError, RecursionError) as error:
        raise BrokenChannel(said("a header that is no JSON: {error}", error=error)) from None
    if not isinstance(header, dict):
        raise BrokenChannel(said("a header that is no object"))
    return header, _exactly(sock, size, left)


class Buffered:
    """A socket that is read in large pieces, for `receive`: a small frame then takes one system call instead of two."""

    def __init__(self, sock):
        self._sock, self._rest = sock, b""

    def recv(self, size: int) -> bytes:
        """Up to `size` bytes, as a socket's recv."""
        if not self._rest:
            self._rest = self._sock.recv(max(size, 1 << 16))
        part, self._rest = self._rest[:size], self._rest[size:]
        return part


def _exactly(sock, size: int, left: Callable[[], float] | None) -> bytes:
    chunks, missing = [], size
    while missing:
        if left is not None:
            if (in_time := left()) <= 0:
                raise TimeoutError
            sock.settimeout(in_time)
        try:
            chunk = sock.recv(min(missing, 1 << 20))
        except TimeoutError:
            if left is None:
                raise
            continue  # there may be time left again
        except OSError as error:
            raise BrokenChannel(message(error)) from None
        if not chunk:
            raise BrokenChannel(said("the other side closed"))
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)
