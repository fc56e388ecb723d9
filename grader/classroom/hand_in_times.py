"""The time at which files were handed in, as nbgrader keeps it: a timestamp.txt in the folder of each assignment."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Callable

from . import file_names

FILE = "timestamp.txt"
_MAX = 200  # bytes
_TIME = re.compile(r"([0-9-]{10}[ T][0-9:]{5,8})(?:\.[0-9]+)?\s*(.*)")
_OFFSET = re.compile(r"([+-][0-9]{2}):?([0-9]{2})")


def of(found: list[tuple[str, Callable[[], bytes]]], wrapper: str) -> tuple[dict[str, str | None], list]:
    """({folder: time}, the other files) of files (name, load). wrapper: a folder around the platform's own layout.

    The layout is <student>/<assignment>/timestamp.txt. A file of this name elsewhere, or in a student's zip, is a
    student's own.
    """
    times, others = {}, []
    for name, load in found:
        folder, _, last = name.rpartition("/")
        inner = name.removeprefix(wrapper)
        in_folders = inner.count("/") >= 2 and ".zip/" not in inner.lower()
        if last == FILE and in_folders and not file_names.is_of_platform(inner):
            times[folder] = _read(load)
        else:
            others.append((name, load))
    return times, others


def at(name: str, times: dict[str, str | None]) -> str | None:
    """The time of the nearest folder around a file that has one, in UTC, such as "2026-11-22 10:15:00"."""
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in times:
            return times[name]
    return None


def _read(load: Callable[[], bytes]) -> str | None:
    """The time in a file, in UTC; None where it holds none, or one of an unknown zone."""
    try:
        day, zone = _TIME.fullmatch(load()[:_MAX].decode("utf-8-sig").strip()).groups()
        then = datetime.datetime.fromisoformat(day).replace(tzinfo=_zone(zone))
        return then.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OSError, ValueError, AttributeError, OverflowError, zoneinfo.ZoneInfoNotFoundError):
        return None


def _zone(name: str) -> datetime.tzinfo:
    if name in ("", "Z", "UTC", "GMT"):
        return datetime.UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        return datetime.datetime.fromisoformat(f"2000-01-01T00:00{offset[1]}:{offset[2]}").tzinfo
    return zoneinfo.ZoneInfo(name)
