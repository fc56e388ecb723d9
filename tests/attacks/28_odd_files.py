# files: whatever else a folder may hold.
import contextlib
import os


def make(folder):
    """Write the files into this folder."""
    (folder / "report.pdf").write_bytes(b"%PDF-1.7\n\xff\xfe")
    (folder / "empty").write_bytes(b"")
    (folder / "a folder.ipynb").mkdir()
    (folder / "a folder.ipynb" / "inner.txt").write_text("text")
    (folder / "loop.ipynb").symlink_to("loop.ipynb")
    (folder / "loop").symlink_to("loop")
    (folder / "the folder again").symlink_to(".")
    (folder / "passwords.ipynb").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.ipynb")
    os.mkfifo(folder / "pipe.zip")
    (folder / "caf\udce9.ipynb").write_text("{}")
    (folder / "caf\udce9.txt").write_text("text")
    with contextlib.suppress(PermissionError):  # for root alone, and not in every container
        os.mknod(folder / "zeros.ipynb", 0o600 | 0o020000, os.makedev(1, 5))
