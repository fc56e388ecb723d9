"""Open a notebook of the course anywhere: fetch the course, install what is missing, say what this machine has.

The first cell of every notebook calls this file. Where the notebook is alone, as in Colab, the cell has fetched nothing
but this text; that is why it needs the standard library and nothing else.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile

FOLDER = pathlib.Path("five_passes")  # where the course goes, beside the notebook that is alone
ARCHIVE = pathlib.Path("five_passes.zip")  # what has arrived so far; gone once it is unpacked
# Worked solutions are for whoever looks for them.
LEFT_OUT = ("tests/", "solutions/", "tools/", "locale/", "site/", ".")


class NotReady(Exception):
    """The course cannot start; the message says what to do, and is all that a notebook shows."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def start(course: str, language: str = "en") -> None:
    """Start a notebook that speaks `language`; its first cell calls this. `course`: an address, for one that is alone.

    Raises NotReady when the course is here and cannot start, and otherwise what `fetch` raises.
    """
    if "__file__" not in globals():  # this text came from the address, and is all there is
        fetch(course)
    importlib.import_module("colab_setup").ready(language)


def fetch(course: str) -> None:
    """Put the course into five_passes/, from an archive of the repository at the address `course`.

    Goes on where an earlier attempt broke off. The folder appears when it is complete. Raises OSError when network or
    disk fail, zipfile.BadZipFile when the archive is not what it should be.
    """
    if FOLDER.exists():
        raise FileExistsError(f"the folder {FOLDER} is in the way and not the course; rename or delete it")
    _download(f"{course}/archive/HEAD.zip")
    beside = FOLDER.with_name(FOLDER.name + ".new")
    try:
        _unpack(beside)
        beside.replace(FOLDER)
    except OSError:  # the disk is full: the archive is good, and stays
        raise
    except Exception as error:  # a damaged archive fails in many ways
        ARCHIVE.unlink()
        raise zipfile.BadZipFile(f"the archive was damaged and is thrown away: {error}") from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    ARCHIVE.unlink()
    importlib.invalidate_caches()


def _download(url: str) -> None:
    have = ARCHIVE.stat().st_size if ARCHIVE.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        reply = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is left to send
            return
        raise
    with reply, ARCHIVE.open("ab" if reply.status == 206 else "wb") as file:
        began = file.tell()
        shutil.copyfileobj(reply, file)
        arrived, promised = file.tell() - began, reply.headers.get("Content-Length")
    # A reply that is read in pieces ends without an error when the connection does.
    if promised and arrived < int(promised):
        raise ConnectionError(f"the connection broke off after {arrived} of {promised} bytes; they are kept")


def _unpack(folder: pathlib.Path) -> None:
    """Unpack the archive, whose files lie in one folder of any name. Reading a file compares its checksum."""
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(ARCHIVE) as archive:
        for member in archive.infolist():
            member.filename = member.filename.partition("/")[2]
            if member.filename and not member.filename.startswith(LEFT_OUT):
                archive.extract(member, folder)
    if not (folder / "grader").exists():
        raise zipfile.BadZipFile("it does not hold the course")


def said(template: str, language: str, **values: object) -> str:
    """The sentence in this language, from the catalogue of the course, which is here; in English where it has none."""
    catalogue = pathlib.Path(__file__).resolve().parent / "grader" / "language" / f"{language}.json"
    known = json.loads(catalogue.read_text(encoding="utf-8")) if catalogue.exists() else {}
    return known.get(template, template).format(**values)


def ready(language: str = "en") -> None:
    """Install what is missing, stand where lessons expect to be, and say in three lines what this machine has.

    In Colab a fourth line says how long scores are kept. Raises NotReady when the course cannot start.
    """
    try:
        _prepare(language)
    except Exception as error:
        if hasattr(error, "_render_traceback_"):
            raise
        raise NotReady(
            said(
                "The course is here and cannot start ({kind}: {error}): restart the kernel and run this cell again, "
                "and if it says the same, paste this line into your question.",
                language,
                kind=type(error).__name__,
                error=error,
            )
        ) from None


def _prepare(language: str) -> None:
    course = pathlib.Path(__file__).resolve().parent
    if not pathlib.Path("../grader").exists():
        os.chdir(course / "notebooks")  # lessons read files in ../records
    if str(course) not in sys.path:
        sys.path.insert(0, str(course))
    _install(course / "requirements.txt", language)
    from grader import device
    from grader.language import say, wrap
    from grader.notebook import progress_store

    device()
    if sentence := progress_store.kept():
        print(f"{wrap.padded(say('progress'), 9)} {say(sentence)}.")


def _install(requirements: pathlib.Path, language: str) -> None:
    """Install what is missing. What is present stays as it is, whatever its version: pip is held to it."""
    missing, present = [], []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        wanted, _, where = line.partition(";")
        name = re.match(r"\w*", wanted)[0]
        if not name or (where and platform.system() not in where):
            continue
        if importlib.util.find_spec(name) is None:
            missing.append(wanted)
        else:
            present.append(name)
    if not missing:
        return
    names = ", ".join(missing)
    print(said("Installing {names}. This may take minutes.", language, names=names))
    with tempfile.TemporaryDirectory() as folder:
        held = pathlib.Path(folder, "held.txt")
        held.write_text("".join(f"{name}=={version}\n" for name in present if (version := _version(name))))
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", str(held)]
        done = subprocess.run([*pip, *missing], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise NotReady(
            said(
                "{names} could not be installed ({last}): turn the network on, see that the disk has room, and run "
                "this cell again.",
                language,
                names=names,
                last=last,
            )
        )
    importlib.invalidate_caches()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
