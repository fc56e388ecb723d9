"""NVIDIA's machine code, read from the output of cuobjdump and nvdisasm."""

from __future__ import annotations

import pathlib
import re
import subprocess

import triton

from ..sentence import said
from .counts import KERNEL, Counts, line_of

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
    raise MissingTool(
        said(
            "this package of Triton {version} has no {name}, which reads NVIDIA's machine code",
            version=triton.__version__,
            name=name,
        )
    )


def with_places(ptx: str) -> str:
    """The PTX with the right places in the source.

    LLVM counts the line up with each line of inline assembly, which is how Triton writes a masked load. And before
    Triton 3.9 only a comment says which line of a kernel calls a function of Triton's.
    """
    files = {name: number for number, name in re.findall(r'^\s*\.file\s+(\d+)\s.*"(<kernel .*>)"', ptx, re.MULTILINE)}
    lines, inside = [], False
    for line in ptx.split("\n"):
        inside = "// begin inline asm" in line or (inside and "// end inline asm" not in line)
        if line.lstrip().startswith(".loc"):
            place = re.search(f"({KERNEL.pattern}):(\\d+):(\\d+)", line)
            if inside:
                continue
            if place and place[1] in files:
                line = f"\t.loc\t{files[place[1]]} {place[2]} {place[3]}"
        lines.append(line)
    return "\n".join(lines)


def usage(cubin: pathlib.Path) -> dict[str, int]:
    """What cuobjdump says of a cubin file: {"REG": registers per thread, "STACK": bytes per thread, ...}."""
    said = _run("cuobjdump", "--dump-resource-usage", str(cubin))
    (line,) = re.findall(r"^\s*(REG:.*)$", said, re.MULTILINE)[:1] or [""]
    return {name: int(value) for name, value in re.findall(r"([A-Z]+)(?:\[\d+\])?:(\d+)", line)}


def disassembled(cubin: pathlib.Path) -> str:
    """The machine code of a cubin file as text, with the places in the source that its instructions came from."""
    return _run("nvdisasm", "-c", "-gi", str(cubin))


def _run(name: str, *arguments: str) -> str:
    done = subprocess.run([tool(name), *arguments], capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr or done.stdout).strip()[-300:]
        raise MissingTool(
            said("{name} of Triton {version} fails: {strip}", name=name, version=triton.__version__, strip=last)
        )
    return done.stdout


def count(text: str) -> Counts:
    """The counts of the text of `disassembled`."""
    counts, places = Counts(), []
    for line in text.split("\n"):
        if "//## File" in line:
            said = [(file, int(at)) for file, at in _PLACE.findall(line)]
            # Where a function calls another one, each call has a line, which begins where the line above ends.
            places = [*places, *said[1:]] if places[-1:] == said[:1] and len(said) > 1 else said
        elif found := _INSTRUCTION.match(line):
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
