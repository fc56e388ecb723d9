"""Single edits of CUDA C++ text that people really make, found by tokens: there is no parser of C++ here.

`edits(text)` gives every version of a kernel's text. Comments stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\s+|0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?[fFuUlL]*"
    r"|\w+(?:\.\w+)*|<<=|>>=|[-+*/%&|^<>=!]=|\+\+|--|&&|\|\||<<|>>|.",
    re.DOTALL,
)
SWAPPED = {
    "<": ["<=", ">"], "<=": ["<"], ">": [">=", "<"], ">=": [">"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*"], "%": ["/"], "&&": ["||"], "||": ["&&"], "^": ["|", "+"],
    "+=": ["=", "-="], "-=": ["+="], "*=": ["/=", "="], "/=": ["*=", "-="], "<<=": [">>="], ">>=": ["<<="],
    "fmaxf": ["fminf"], "max": ["min"], "fminf": ["fmaxf"], "__expf": ["exp2f", ""], "expf": ["exp2f", ""],
    "INFINITY": ["0.0f", "1e4f", "FLT_MAX"], "true": ["false"], "false": ["true"],
    "blockIdx.x": ["threadIdx.x", "0"], "threadIdx.x": ["blockIdx.x", "0"], "blockDim.x": ["gridDim.x", "32"],
    "__syncthreads": ["__syncwarp"], "__syncwarp": ["__syncthreads"],
    "__shfl_xor_sync": ["__shfl_down_sync"], "__shfl_down_sync": ["__shfl_up_sync"],
    "__shared__": [""], "0xffffffff": ["0xffff"], "0xffffffffu": ["0xffff"],
    "ms": ["ds"], "ds": ["ms"], "lane": ["warp", "me"], "warp": ["lane"], "warps": ["32"], "m": ["d"], "d": ["m"],
    "x": ["y"], "y": ["x"], "half": ["1"], "offset": ["1"], "int": ["float"], "n_cols": ["blockDim.x"],
}  # fmt: skip
COMPONENTS = {"x": "y", "y": "z", "z": "w", "w": "x"}
CALL = re.compile(r"(\w+)\(([^(),;]+), ([^(),;]+)((?:, [^(),;]+)*)\)")
CHOICE = re.compile(r"([\w\[\].]+ [<>=!]=? [\w.\[\]]+) \? ([^:;]+) : ([^;,)]+)")
GUARD = re.compile(r"if \((?:[^()]|\([^()]*\))*\) ")
FACTOR = re.compile(
    r" \* (__\w+\([^()]*\)|[\w.\[\]]+)| / ([\w.\[\]]+)(?=[;,)])| [+-] (\w+\([^()]*\)|[\w.\[\]]+)(?=[;,)\] ])"
)


def edits(text: str) -> Iterator[str]:
    """The text with one edit, for every edit."""
    begin = 0
    for match in TOKEN.finditer(text):
        token, (begin, end) = match.group(), match.span()
        for other in _others(token):
            yield text[:begin] + other + text[end:]
    clear = _blank(text)
    for begin, end, other in [*_statements(clear), *_patterns(clear)]:
        yield text[:begin] + other + text[end:]


def _others(token: str) -> list[str]:
    if re.fullmatch(r"\d+", token):
        value = int(token)
        return [str(value + 1), str(value - 1)] + [str(value // 2), str(2 * value)] * (value > 3)
    if re.fullmatch(r"\d*\.?\d+\.?(e[+-]?\d+)?f?|\d+\.f?", token):
        return ["1.0f" if float(token.rstrip("f")) == 0 else "0.0f", f"(2 * {token})"]
    head, _, component = token.rpartition(".")
    if head and token not in SWAPPED and component in COMPONENTS:
        return [f"{head}.{COMPONENTS[component]}"]
    return SWAPPED.get(token, [])


def _blank(text: str) -> str:
    """The text with spaces for its comments, of the same length."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: " " * len(m.group()), text, flags=re.DOTALL)


def _statements(clear: str) -> Iterator[tuple[int, int, str]]:
    """Statements that end with a semicolon, dropped; so are whole loops."""
    depth, begin = 0, 0
    for at, letter in enumerate(clear):
        depth += (letter == "(") - (letter == ")")
        if letter in "{}":
            begin = at + 1
        elif letter == ";" and not depth:
            body = clear[begin:at]
            start = begin + len(body) - len(body.lstrip())
            yield start, at + 1, ";"
            begin = at + 1


def _patterns(clear: str) -> Iterator[tuple[int, int, str]]:
    for match in GUARD.finditer(clear):
        yield *match.span(), ""
    for match in CHOICE.finditer(clear):
        test, yes, no = match.groups()
        yield from ((*match.span(), other) for other in (yes, no, f"{test} ? {no} : {yes}"))
    for match in CALL.finditer(clear):
        name, first, second, rest = match.groups()
        yield *match.span(), f"{name}({second}, {first}{rest})"
        yield *match.span(), first
        yield *match.span(), second
    for match in FACTOR.finditer(clear):
        yield *match.span(), ""
