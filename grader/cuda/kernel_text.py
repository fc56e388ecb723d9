"""The text of a kernel: what may stand in it, before and after the preprocessor.

A kernel is plain C++ with CUDA's names: it has no assembler, no attributes, no headers, few of the compiler's own
functions and none of the runtime's names. So guard.py gets what g++ makes of C++, and nothing else. The decision is
made on the preprocessed text, which is the text that g++ compiles, so no macro can hide a name.
"""

from __future__ import annotations

import bisect
import difflib
import functools
import itertools
import pathlib
import re

from . import functions

_HEADER = (pathlib.Path(__file__).parent / "cuda_on_cpu.h").read_text(encoding="utf-8")


def _defined(header: str) -> frozenset[str]:
    """The names with two underscores in front that cuda_on_cpu.h defines, as macros or as functions."""
    rounded = re.findall(r"^CPU_(?:ROUNDED|TO_WHOLE)\((__\w+)", header, re.MULTILINE)
    others = re.findall(
        r"(?:#define |CPU_REDUCED\(|^(?:template <class T> )?inline [\w ]+ )(__\w+)", header, re.MULTILINE
    )
    return frozenset(others + [f"{name}_r{direction}" for name in rounded for direction in "nzud"])


CUDA = _defined(_HEADER)
# Of them those that are macros to other compilers too, with their parameters: __shared__, __align__(bytes).
SPECIFIERS = tuple(re.findall(r"^#define (__[a-z]+(?:_[a-z]+)*__(?:\([^)]*\))?) ?", _HEADER, re.MULTILINE))
_DIRECTIVES = frozenset("define undef if ifdef ifndef elif else endif pragma error warning".split())
_CONDITIONS = frozenset("if ifdef ifndef elif".split())
_ATTRIBUTES = frozenset("maybe_unused nodiscard likely unlikely fallthrough".split())
_NAMES = frozenset("asm thread_local".split())
_MARKER = re.compile(r'# (\d+) "kernel"')
_PRAGMA = re.compile(r"#pragma (unroll|nounroll|once|nv_\w+)\b")
_INCLUDES = "a kernel includes nothing: CUDA's own functions are there without a header"
_FILLED = "shared memory holds nothing at first, so a declaration gives it no value"
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
    if (at := source.find("\r")) >= 0:  # the end of a line to some compilers
        return refusal(1 + source.count("\n", 0, at), f"{source[at]!r} has no place in a kernel")
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


@functools.cache  # each launch asks twice, and an answer has few texts
def asks(source: str) -> bool:
    """Whether it may be another text for another compiler: it has conditions, joins names, or has a compiler's names.

    Those are the names that C++ keeps for compilers, without the ones that the header defines.
    """
    begins, names = True, False  # as in unfit_directive
    for token in _TOKEN.finditer(_joined(source)[0]):
        kind, word = token.lastgroup, _SPELLED.get(token[0], token[0])
        if kind in ("space", "comment"):
            continue
        if word == "#" and not begins or names and word in _CONDITIONS:
            return True
        if kind == "name" and re.match("__|_[A-Z]", word) and word not in CUDA:
            return True
        names = begins and word == "#"
        begins = word == "\n"
    return False


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
    text = re.sub(r"\blong(\s+)double\b", r"\1double", text)  # as on a GPU
    return ("", refused) if (refused := _unfit(tokens)) else (functions.with_bounds(text), "")


def words(text: str) -> list[str]:
    """The tokens of a text that `preprocessed` took."""
    lines = [line for line in text.split("\n") if not _MARKER.fullmatch(line)]
    return [token[0] for token in _TOKEN.finditer("\n".join(lines)) if token.lastgroup != "space" and token[0] != "\n"]


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
        elif word == "__shared__" and _is_given_a_value(words, i):
            sentence = _FILLED
        if sentence:
            return refusal(line, sentence)
    return ""


def _of_unknown_size(words: list[str], i: int) -> bool:
    """Whether the [] at i is the type of an array without bounds, and no lambda, parameter or initialised array."""
    last, after = words[i - 1 : i] or [""], words[i + 2 : i + 3]
    if not re.fullmatch(r"\w+|[]>)]", last[0]) or last[0] in ("return", "operator", "delete"):
        return False
    begins = max((k for k in range(i) if words[k] == "("), default=0)
    parameter = after in ([")"], [","]) and "<" not in words[begins:i]
    return last[0] in ("]", ">", ")") or not (parameter or after in (["="], ["{"]))


def _is_given_a_value(words: list[str], i: int) -> bool:
    """Whether the declaration with __shared__ at i ends with a value."""
    depth, of_a_type = 0, False
    for word in words[i:]:
        if depth == 0 and word == ";":
            break
        if depth == 0 and (word == "=" or word == "{" and not of_a_type):
            return True
        of_a_type = (of_a_type or word in ("struct", "union", "class", "enum")) and (depth > 0 or word != "}")
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
    return False


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
