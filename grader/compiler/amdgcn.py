"""AMD's machine code, read from the assembly that LLVM writes."""

from __future__ import annotations

import re

from .counts import Counts, line_of

_INSTRUCTION = re.compile(r"^\t([a-z]\w+[^;]*)")
_PLACE = re.compile(r"^\s*\.loc\s+\d+\s+\d+.*?;\s*(.*)")
_MEMORY = re.compile(r"(?:global|buffer|flat)_(load|store)_(\w+)")
_BYTES = ((r"x4|b128", 16), (r"x3|b96", 12), (r"x2|b64", 8), (r"byte|[iu]8|_b8", 1), (r"short|[biu]16", 2))
_SHUFFLE = re.compile(r"\w+_dpp$|ds_b?permute|ds_swizzle|v_permlane|v_readlane")
_SPECIAL = re.compile(r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_")


def usage(text: str) -> dict[str, int]:
    """The metadata of a kernel: {"vgpr_count": vector registers per thread, "vgpr_spill_count": ..., ...}."""
    return {name: int(value) for name, value in re.findall(r"^\s*\.(\w+):\s+(\d+)\s*$", text, re.MULTILINE)}


def count(text: str) -> Counts:
    """The counts of an assembly text."""
    counts, places = Counts(), []
    for line in text.split("\n"):
        if found := _PLACE.match(line):  # such as "standard.py:216:16 @[ kernel.py:24:20 ]"
            places = [(file, int(at)) for file, at in re.findall(r"([^\[\]@]+?):(\d+):\d+", found[1])]
        elif found := _INSTRUCTION.match(line):
            instruction = found[1].strip()
            counts.listing.append((line_of(places), instruction.replace("\t", " ")))
            _count(instruction.split()[0], counts)
    return counts


def _count(name: str, counts: Counts) -> None:
    if memory := _MEMORY.match(name):
        kind, what = memory.groups()
        size = next((size for pattern, size in _BYTES if re.search(pattern, what)), 4)
        (counts.loads if kind == "load" else counts.stores)[size] += 1
    counts.shuffles += bool(_SHUFFLE.match(name))
    counts.barriers += name in ("s_barrier", "s_barrier_wait")
    counts.special += bool(_SPECIAL.match(name))
