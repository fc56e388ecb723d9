"""The seeds of a grading run, derived from a secret: not predictable without it, and reproducible with it."""

from __future__ import annotations

import hmac
import pathlib
import secrets

from .. import atomic_files
from ..sentence import counted, said

_MIN_BYTES = 16  # of a secret
_COLOURS = "amber azure coral green indigo ivory jade lilac olive pearl ruby rust sand silver teal white".split()
_BIRDS = (
    "avocet bunting crane curlew dipper dunlin egret eider falcon finch gannet godwit grebe heron hoopoe ibis jackdaw "
    "jay kestrel lark linnet magpie martin osprey owl petrel plover puffin raven robin swift wren"
).split()


class NoSecret(Exception):
    """The file holds no secret."""


def secret(file: pathlib.Path) -> bytes:
    """The secret in a file. Raises NoSecret if the file cannot be read or holds fewer than 16 bytes."""
    try:
        found = file.read_bytes().strip()
    except OSError as error:
        raise NoSecret(
            said("the secret {file} cannot be read: {strerror}", file=repr(str(file)), strerror=error.strerror)
        ) from None
    if len(found) < _MIN_BYTES:
        raise NoSecret(
            said(
                "the secret {file} holds {size}: it wants {MIN_BYTES} or more",
                file=repr(str(file)),
                size=counted(len(found), "byte"),
                MIN_BYTES=_MIN_BYTES,
            )
        )
    return found


def own_secret(folder: pathlib.Path) -> bytes:
    """The secret of a folder of results. The first run makes it, readable by its owner alone; later runs use it again.

    Raises OSError if it cannot be written.
    """
    file = folder / "secret"
    if not file.exists():
        atomic_files.write(file, secrets.token_hex() + "\n", sync=True, mode=0o600)
    return secret(file)


def name(secret: bytes) -> str:
    """A public name of the secret, for a row: it differs between secrets and reveals nothing about them."""
    return _mac(secret, b"name").hex()[:16]


def of_submission(secret: bytes, sha256: str) -> bytes:
    """The key of one file, from which its seeds are made. The process that grades the file gets this key alone."""
    return _mac(secret, b"submission " + sha256.encode())


def of_exercise(key: bytes, exercise_id: str) -> int:
    """The seed of one exercise of one file. It is below 2**62, because cases add small numbers to it."""
    return int.from_bytes(_mac(key, exercise_id.encode())[:8], "big") >> 2


def pseudonym(secret: bytes, student: str) -> str:
    """A name for a student, such as "amber-heron-4172": the same in every run with this secret, and no hint without it.

    Two students of a class may get the same one; at 300 students, the odds are below one in a hundred.
    """
    number = int.from_bytes(_mac(secret, b"pseudonym " + student.encode("utf-8", "surrogatepass"))[:8], "big")
    number, colour = divmod(number, len(_COLOURS))
    number, bird = divmod(number, len(_BIRDS))
    return f"{_COLOURS[colour]}-{_BIRDS[bird]}-{number % 10_000:04}"


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
