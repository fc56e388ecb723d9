"""The text of a kernel: what may stand in it, before and after the preprocessor.

The sanitizer's callbacks count the accesses of plain C++ and nothing else. So a kernel has no assembler, no attributes,
no headers, none of the compiler's own functions and none of the runtime's names. The decision is made on the
preprocessed text, which is the text that g++ compiles, so no macro can hide a name.
"""

from __future__ import annotations

import bisect
import difflib
import itertools
import re

_MATH = "exp exp10 log log2 log10 pow sin cos tan"
_ROUNDED = "fadd fsub fmul fdiv fmaf frcp fsqrt int2float uint2float float2int"
# CUDA's own names with two underscores in front: cuda_on_cpu.h defines each of them.
CUDA = frozenset(
    """
    __global__ __device__ __host__ __shared__ __constant__ __forceinline__ __noinline__ __inline__ __restrict__
    __restrict __grid_constant__ __align__ __launch_bounds__ __syncthreads __syncthreads_count __syncthreads_or
    __syncthreads_and
    __syncwarp __threadfence __threadfence_block __threadfence_system __trap __shfl_sync __shfl_up_sync __shfl_down_sync
    __shfl_xor_sync __ballot_sync __any_sync __all_sync __activemask __reduce_add_sync __reduce_max_sync
    __reduce_min_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync __ldg __ldcs __ldcg __ldca __ldlu __stcs
    __stcg __stwb __stwt __float_as_int __int_as_float __float_as_uint __uint_as_float __popc __clz __ffs __brev __mul24
    __umul24 __saturatef __fdividef __frsqrt_rn
    """.split()
    + [f"__{name}f" for name in _MATH.split()]
    + [f"__{name}_r{direction}" for name in _ROUNDED.split() for direction in "nzud"]
)
_DIRECTIVES = frozenset("define undef if ifdef ifndef elif else endif pragma error warning".split())
_ATTRIBUTES = frozenset("maybe_unused nodiscard likely unlikely fallthrough".split())
# g++ would call the last four by itself, to copy a large struct, so they cannot be told from those of a kernel later.
_NAMES = frozenset("asm thread_local memcpy memmove memset memcmp".split())
_MARKER = re.compile(r'# (\d+) "kernel"')
_PRAGMA = re.compile(r"#pragma (unroll|nounroll|once|nv_\w+)\b")
_INCLUDES = "a kernel includes nothing: CUDA's own functions are there without a header"
_OPEN = "this launch brings no shared memory along, so the array needs a size"
_TOKEN = re.compile(
    r"""
      (?P<raw> (?:u8|[uUL])?R" )
    | (?P<comment> //[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<quoted> (?:u8|[uUL])? (?: "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'? ) )
    | (?P<number> \.?\d(?:[eEpP][+-]|'\w|[\w.])* )
    | (?P<name> (?: [^\W\d] | [$] | \\U[0-9a-f]{8} ) (?: \w | [$] | \\U[0-9a-f]{8} )* )
    | (?P<space> [^\S\n]+ )
    | (?P<mark> <: | :> | %: | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SPELLED = {"<:": "[", ":>": "]", "%:": "#"}


def refusal(line: int, sentence: str) -> str:
    """An error of the text in the form of g++'s own. line: counted from 1; 0 where it is unknown."""
    return f"kernel:{line}:1: error: {sentence}" if line else sentence


def unfit_directive(source: str) -> str:
    """The refusal of a text for a directive or a character that no kernel needs, "" if there is none."""
    text, joints = _joined(source)
    begins, names, inside = True, False, False  # of a token: it begins its line, it names a directive, it is inside one
    for token in _TOKEN.finditer(text):
        kind, word = token.lastgroup, _SPELLED.get(token[0], token[0])
        if kind in ("space", "comment"):
            continue
        sentence = ""
        if kind == "raw" or (word < " " and word != "\n"):
            sentence = f"{word!r} has no place in a kernel"
        elif names and kind == "name" and word not in _DIRECTIVES:
            included = word in ("include", "include_next", "import")
            sentence = _INCLUDES if included else f"#{word} is no directive that a kernel may have"
        elif inside and word.startswith("__has_"):
            sentence = _INCLUDES
        if sentence:
            at = token.start()
            return refusal(1 + text.count("\n", 0, at) + bisect.bisect_right(joints, at), sentence)
        names = begins and word == "#"
        inside = word != "\n" and (inside or names)
        begins = word == "\n"
    return ""


def _joined(source: str) -> tuple[str, list[int]]:
    """(text with its continued lines joined, the places in it of the joints)."""
    parts = re.split(r"\\[ \t\f\v]*\n", source)
    return "".join(parts), list(itertools.accumulate(map(len, parts[:-1])))


def preprocessed(said: str) -> tuple[str, str]:
    """(text to compile, "") for the output of g++ -E, or ("", refusal).

    said: the output for a text with `# 1 "kernel"` in front.
    """
    lines, line = said.partition('\n# 1 "kernel"\n')[2].split("\n"), 0
    tokens: list[tuple[int, str, str]] = []  # (line, kind, word)
    for number, text in enumerate(lines):
        line += 1
        marker = _MARKER.fullmatch(text)
        if marker:
            line = int(marker[1]) - 1
        elif _PRAGMA.match(text):
            lines[number] = ""
        elif re.match(r"\s*(#|%:)", text):
            pragma = re.match(r"#pragma .{,50}", text)
            return "", refusal(line, f"{pragma[0]} is no directive that a kernel may have" if pragma else _INCLUDES)
        else:
            found = ((token.lastgroup, token[0]) for token in _TOKEN.finditer(text))
            tokens += [(line, kind, _SPELLED.get(word, word)) for kind, word in found if kind != "space"]
    # __shared__ is an attribute for CUDA, and a specifier for g++: alignas stands before it.
    text = re.sub(r"((?:static\s+)?__shared__)\s+(alignas\s*\([^()]*\))", r"\2 \1", "\n".join(lines))
    return ("", refused) if (refused := _unfit(tokens)) else (text, "")


def _unfit(tokens: list[tuple[int, str, str]]) -> str:
    """The refusal of preprocessed tokens (line, kind, word), "" if all are fit."""
    words = [word for _, _, word in tokens]
    for i, (line, kind, word) in enumerate(tokens):
        sentence = _unfit_name(word) if kind == "name" else ""
        if kind in ("raw", "comment") or word == "\\":
            sentence = f"{word[:20]!r} has no place in a kernel"
        elif words[i : i + 2] == ["[", "["] and not (
            words[i + 3 : i + 5] == ["]", "]"] and words[i + 2] in _ATTRIBUTES
        ):
            sentence = "a kernel has no attributes but those of CUDA"
        elif words[i : i + 2] == ["goto", "*"]:
            sentence = "a kernel jumps to no computed place"
        elif words[i : i + 2] == ["[", "]"] and _of_unknown_size(words, i):
            sentence = "an array needs a size"
        elif word == "__shared__" and "extern" in _declaration(words, i):
            sentence = _OPEN
        if sentence:
            return refusal(line, sentence)
    return ""


def _of_unknown_size(words: list[str], i: int) -> bool:
    """Whether the [] at i is the type of an array without bounds, and no lambda, parameter or initialised array."""
    last, after = words[i - 1 : i] or [""], words[i + 2 : i + 3]
    if not re.fullmatch(r"\w+|[]>)]", last[0]) or last[0] in ("return", "operator"):
        return False
    begins = max((k for k in range(i) if words[k] == "("), default=0)
    parameter = after in ([")"], [","]) and "<" not in words[begins:i]
    return last[0] in ("]", ">", ")") or not (parameter or after in (["="], ["{"]))


def _unfit_name(name: str) -> str:
    if name.startswith("__") and name not in CUDA:
        near = [other for other in CUDA if sorted(other.split("_")) == sorted(name.split("_"))]
        near = near or difflib.get_close_matches(name, CUDA, 1, 0.8)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        return f"this course's CUDA has no '{name}', and a kernel's own names do not begin with two underscores{meant}"
    if name in _NAMES or re.match(r"_[A-Z]|(cpu|CPU)_", name):
        return f"'{name}' is not for a kernel: the check could not see what it does"
    return ""


def _declaration(words: list[str], i: int) -> list[str]:
    """The specifiers of a declaration around one of them."""
    ends = [k for k in range(max(i - 9, 0), min(i + 9, len(words))) if words[k] in (";", "{", "}")]
    return words[
        max((k for k in ends if k < i), default=max(i - 9, 0)) : min((k for k in ends if k > i), default=i + 9)
    ]
