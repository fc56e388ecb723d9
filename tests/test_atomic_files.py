"""Files are written whole or not at all."""

import os

import pytest

from grader import atomic_files


@pytest.mark.parametrize("data, held", [("é\n", "é\n".encode()), (b"\0\1", b"\0\1"), ([b"a", b"b"], b"ab"), ("", b"")])
def test_it_takes_the_place_of_the_old_one(tmp_path, data, held):
    """Text, bytes, pieces; nothing else is left in the folder."""
    file = tmp_path / "file"
    file.write_text("old")
    atomic_files.write(file, data, sync=True)

    assert held == file.read_bytes() and os.listdir(tmp_path) == ["file"]


def test_a_write_that_fails_leaves_the_old_one(tmp_path):
    """The generator of the pieces raises half-way, as a full disk would."""

    def pieces():
        yield b"new"
        raise OSError("No space left on device")

    file = tmp_path / "file"
    file.write_text("old")
    with pytest.raises(OSError, match="No space"):
        atomic_files.write(file, pieces())

    assert file.read_text() == "old" and os.listdir(tmp_path) == ["file"]


def test_a_secret_is_for_its_owner_alone(tmp_path):
    """From the first byte on."""
    atomic_files.write(tmp_path / "secret", "x", mode=0o600)

    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
