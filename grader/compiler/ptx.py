"""The loads of a kernel's PTX, whose widths NVIDIA's assembler keeps. To disassemble takes longer than to compile."""

from __future__ import annotations

import re
from collections import Counter

_LOAD = re.compile(r"\bld\.(?:[\w:]+\.)*?global(?:\.[\w:]+)*?\.(?:v(\d)\.)?[bufs](\d+)\s")
_COPY = re.compile(r"\bcp\.async\.c[ag]\.shared\.global[^;\[]*\[[^\]]*\],\s*\[[^\]]*\],\s*(\w+)")


def loads(text: str) -> Counter:
    """The instructions of a PTX text that load from global memory, by the bytes that each moves for a thread."""
    found = Counter(int(vector or 1) * int(bits) // 8 for vector, bits in _LOAD.findall(text))
    return found + Counter(int(size, 0) for size in _COPY.findall(text))
