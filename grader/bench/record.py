"""The header of every record that was measured without a GPU."""

from __future__ import annotations

import datetime
import os
import pathlib

from ..environment import has_gpu, version


def here() -> dict:
    """This machine as a record describes it: processor, cores of this process, whether it has a GPU."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return {"processor": processor, "cores": len(os.sched_getaffinity(0)), "gpu": has_gpu()}


def header(what: str, command: str) -> dict:
    """The header of a record without a GPU: description (what), command, date, machine, load, versions."""
    return {
        "what": what,
        "command": command,
        "date": datetime.date.today().isoformat(),
        "machine": here(),
        "others": f"{os.getloadavg()[0]:.1f} processes were running before on average",
        "versions": {name: version(name) for name in ("torch", "triton", "numpy")},
    }
