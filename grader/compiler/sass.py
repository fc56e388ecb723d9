"""NVIDIA's machine code, read from the output of cuobjdump and nvdisasm."""

from __future__ import annotations

import pathlib
import re
import subprocess

import triton

from .counts import Counts, line_of

_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
_PLACE = re.compile(r'File "(.*?)", line (\d+)')
_BITS = ((".256", 32), (".128", 16), (".64", 8), (".U16", 2), (".S16", 2), (".U8", 1), (".S8", 1))


class MissingTool(RuntimeError):
    """A tool that some wheels of Triton do not have."""


def tool(name: str) -> str:
    """The path of a tool in Triton's wheel. Raises MissingTool."""
    path = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / name
    for found in (path, path.with_suffix(".exe")):
        if found.exists():
            return str(found)
    raise MissingTool(f"this package of Triton {triton.__version__} has no {name}, which reads NVIDIA's machine code")


def usage(cubin: pathlib.Path) -> dict[str, int]:
    """What cuobjdump says of a cubin file: {"REG": registers a thread, "STACK": bytes a thread, ...}."""
    said = _run("cuobjdump", "--dump-resource-usage", str(cubin))
    (line,) = re.findall(r"^\s*(REG:.*)$", said, re.MULTILINE)[:1] or [""]
    return {name: int(value) for name, value in re.findall(r"([A-Z]+)(?:\[\d+\])?:(\d+)", line)}


def disassembled(cubin: pathlib.Path) -> str:
    """The machine code of a cubin file as text, with the places in the source that its instructions came from."""
    return _run("nvdisasm", "-c", "-gi", str(cubin))


def _run(name: str, *arguments: str) -> str:
    done = subprocess.run([tool(name), *arguments], capture_output=True, text=True)
    if done.returncode:
        raise MissingTool(f"{name} of Triton {triton.__version__} fails: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def count(text: str) -> Counts:
    """The counts of the text of `disassembled`."""
    counts, places, fresh = Counts(), [], False
    for line in text.split("\n"):
        if "//## File" in line:  # the places of an inlined instruction stand in several lines
            places = [*([] if fresh else places), *((file, int(at)) for file, at in _PLACE.findall(line))]
            fresh = False
            continue
        found = _INSTRUCTION.match(line)
        if not found:
            continue
        fresh = True
        counts.listing.append((line_of(places), found[1]))
        _count(re.sub(r"^@!?U?P\w+\s+", "", found[1]).split()[0], counts)
    while counts.listing and counts.listing[-1][1] == "NOP":  # up to a round address
        counts.listing.pop()
    return counts


def _count(operation: str, counts: Counts) -> None:
    name = operation.split(".")[0]
    if name in ("LDG", "LDGSTS", "LD"):
        counts.loads[_bytes(operation)] += 1
    elif name in ("STG", "ST"):
        counts.stores[_bytes(operation)] += 1
    counts.shuffles += name == "SHFL"
    counts.reductions += name in ("REDUX", "CREDUX")
    counts.barriers += name == "BAR"
    counts.special += name == "MUFU"


def _bytes(operation: str) -> int:
    return next((size for part, size in _BITS if f"{part}." in f"{operation}."), 4)
