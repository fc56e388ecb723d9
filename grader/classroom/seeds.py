"""Seeds of a grading run: nobody foretells them without the secret, and with it they come out the same again."""

from __future__ import annotations

import hmac
import os
import pathlib
import secrets

_LEAST = 16  # bytes that a secret must have


class NoSecret(Exception):
    """The file of the secret holds none."""


def secret(file: pathlib.Path) -> bytes:
    """The secret that a file holds. Raises NoSecret when it cannot be read or is shorter than 16 bytes."""
    try:
        found = file.read_bytes().strip()
    except OSError as error:
        raise NoSecret(f"the secret {str(file)!r} cannot be read: {error.strerror}") from None
    if len(found) < _LEAST:
        raise NoSecret(f"the secret {str(file)!r} holds {len(found)} bytes: it wants {_LEAST} or more")
    return found


def own_secret(folder: pathlib.Path) -> bytes:
    """The secret of a folder of results: made by the first run, for its owner's eyes only, and used by every later one.

    Raises OSError when it cannot be written.
    """
    file = folder / "secret"
    if not file.exists():
        beside = folder / "secret.new"
        beside.unlink(missing_ok=True)
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write(secrets.token_hex() + "\n")
            f.flush()
            os.fsync(f.fileno())
        beside.replace(file)
    return secret(file)


def name(secret: bytes) -> str:
    """What a row says of its secret: enough to tell two of them apart, and nothing about either."""
    return _mac(secret, b"name").hex()[:16]


def of_submission(secret: bytes, sha256: str) -> bytes:
    """The key of one file, from which its seeds are made. Whoever grades the file needs no more than that."""
    return _mac(secret, b"submission " + sha256.encode())


def of_exercise(key: bytes, exercise_id: str) -> int:
    """The seed of one exercise of one file, below 2**62: its cases add small numbers to it."""
    return int.from_bytes(_mac(key, exercise_id.encode())[:8], "big") >> 2


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")
