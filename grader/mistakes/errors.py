"""The mistake behind an exception, from its type, its message and its line."""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable

import numpy
import torch

from ..sentence import Said, foreign, kind_of, named

_OF_TORCH = {name for kind in (torch.Tensor, numpy.ndarray) for name in dir(kind) if not name.startswith("_")}
_OF_MATH = {name for name in dir(math) if not name.startswith("_")}
_NOT_CALLED = "function-not-called"
# A kind of a message of others, as foreign.kinds knows it, and the id of the mistake. The first kind that fits decides.
_OF_A_KIND = {
    "unbound": "assigned-later",
    "return-in-a-loop": "returns-from-kernel",
    "infinity-undefined": "infinity-undefined",
    "text-indexed": "kinds-misfit",
    "text-as-an-index": "list-for-dictionary",
    "no-attribute-of-a-block-in-a-method": "arguments-misfit",  # which got a block to begin with
    "warps-no-power-of-two": "bad-num-warps",
    "no-power-of-two": "block-not-power-of-two",
    "no-matrices": "dot-of-no-matrix",
    "no-constexpr": "block-not-constexpr",
    "too-many-elements": "block-too-large",
    "axis-of-numbers": "max-for-maximum",
    "axis-outside": "axis-out-of-range",
    "ellipsis": "placeholder-left",
    "outside-of-a-kernel": "no-grid",
    "arange-backwards": "arange-backwards",
    "text-for-a-number": "text-for-number",
    "pair-of-values-and-places": "values-and-places",
    "function-for-a-value": _NOT_CALLED,
    "nothing-of-that-name-in-a-module": "no-such-function",
    "argument-of-a-launch-twice": "argument-given-twice",
    "number-indexed": "number-not-block",
    "jit-forgotten": "triton-outside-kernel",
    "plain-global": "plain-global",
    "letters-for-parameters": "text-for-names",
    "no-such-parameter": "name-of-no-parameter",
    "dtype-missing": "dtype-missing",
    "xor-of-fractions": "xor-for-power",
    "xor-of-mixed-numbers": "whole-number-needed",
    "not-callable": "called-no-function",
    "no-such-device": "device-by-name",
    "argument-missing": "missing-argument",
    "arguments-unexpected": "arguments-misfit",
    "no-driver": "interpret-too-late",
    "block-pointers-removed": "block-pointers-removed",
    "descriptor-misaligned": "descriptor-misaligned",
    "type-changed-in-a-loop": "loop-type-changes",
    "logical-operators": "and-or-on-masks",
    "no-memory": "out-of-memory",
    "block-for-a-tensor": "torch-in-kernel",
    "no-attribute-of-a-launched-function": "autotune-of-a-function",
    "block-indexed": "indexing-pointer",
    "half-refused": "half-exp",
    "mask-of-numbers": "mask-of-numbers",
    "no-method-of-a-configuration": "config-without-triton",
    "no-attribute-of-a-block": "no-such-attribute",
    "block-for-a-number": "indexing-pointer",
    "other-without-mask": "other-without-mask",
    "mask-for-a-number": "mask-for-a-number",
    "block-to-one-address": "block-to-one-address",
    "not-an-address": "not-an-address",
    "cast-to-an-address": "cast-to-pointer",
    "address-for-a-value": "address-for-value",
    "address-with-a-fraction": "address-and-fraction",
    "address-as-an-operand": "address-computed-with",
    "arange-outside": "arange-outside",
    "no-such-axis-of-the-grid": "no-such-grid-axis",
    "undefined-in-a-kernel": "name-undefined",
    "about-warps": "bad-num-warps",
    "dtypes-differ": "dtypes-differ",
    "returns": "returns-from-kernel",
    "truth-of-a-tensor": "truth-of-a-tensor",
    "exp-too-large": "exp-out-of-range",
    "wrong-device": "wrong-device",
    "illegal-access": "illegal-access",
    "gradients-miscounted": "gradients-miscounted",
    "gradient-of-another-shape": "gradient-shape",
    "no-backward": "no-backward",
    "product-misfit": "dot-shapes",
    "shipped-softmax": "shipped-called",
    "nvidia-needed": "needs-nvidia",
    "shapes-misfit": "shapes-do-not-line-up",
    "elements-misfit": "elements-do-not-fill",
    "values-to-unpack": "unpacked-into-others",
    "index-outside": "index-outside",
    "nothing-to-reduce": "nothing-to-reduce",
    "outside-the-domain": "outside-the-domain",
    "zero-step": "step-zero",
    "zero-division": "divides-by-zero",
    "tensor-for-a-number": "tensor-for-number",
    "fraction-in-a-kernel": "whole-number-needed",
    "whole-number-needed": "whole-number-needed",
}
# Python's own words for things of the wrong kind. They fit in a plain function as in a kernel.
_OF_A_WIDE_KIND = {
    "range-for-a-block": "range-for-a-block",
    "no-attribute": "no-such-attribute",
    "argument-of-another-type": "argument-of-another-kind",
    "operands-misfit": "kinds-misfit",
}
_BUILTIN = r"(?<![\w.])(max|min|sum|abs)\("
# A line that g++ refuses. Rows, here and below: (kind or "", names in the message, pattern of the line, mistake).
_OF_A_COMPILED_LINE = [
    ("character-of-no-cpp", (), "", "foreign-sign"),
    ("comment-of-python", (), r"^(?!#(?: *pragma|embed|ident|line|warning|elifn?def)\b)", "comment-of-python"),
    ("", (), r"^for [^(]", "loop-of-python"),
    ("loop-of-python", (), "", "loop-of-python"),
    ("", (), r"\bfor\s*\([^;]*,[^;]*,[^;]*\)", "loop-of-python"),
    ("no-such-type", (), "", "cuda-does-not-compile"),
    ("letters-behind-a-number", (), "", "letters-behind-a-number"),
    ("no-cpp", (), "", "cuda-does-not-compile"),
    ("", (), "", "cuda-not-allowed"),
]
# Functions of the modules that an answer imports, whose names mean nothing without the module.
_OF_A_MODULE = {name for module in (torch, math) for name in dir(module) if not hasattr(builtins, name)}
_OF_A_MODULE |= {"store", "program_id", "num_programs", "cdiv", "next_power_of_2", "static_range", "constexpr"}
_MODULES = "math torch np numpy triton tl random statistics itertools functools re collections operator time".split()
# Messages that say enough only beside their line.
_IN_SUCH_A_LINE = [
    ("no-driver", (), r"\bdriver\.active\b|\bget_active_torch_device\b", "asks-the-driver"),
    ("not-subscriptable", ("function",), r"\.\w+\[", _NOT_CALLED),
    ("not-subscriptable", ("function",), r"^(?!.*\w\[.*\]\().", _NOT_CALLED),  # no launch
    ("not-subscriptable", ("function",), "", "no-jit"),
    ("not-subscriptable", (), r"^$", "answer-is-no-function"),  # the check's own launch, which is no line of the answer
    ("address-with-a-fraction", (), r"^[^-+]+$", "address-for-value"),
    ("index-no-number", (), r"\w\[[\"']", "list-for-dictionary"),
    ("tensor-for-a-count", (), r"[\"'] *\*|\* *[\"']", "text-for-number"),
    ("not-iterable", ("float",), _BUILTIN, "one-number-given"),  # no block has a number of Python
    ("keyword-of-tensors", (), _BUILTIN, "python-builtin"),
    ("truth-of-a-tensor", (), _BUILTIN, "python-builtin"),
    # tl.zeros raises it in Triton's own code, and then there is no line of the answer.
    ("not-a-tuple", (), r"^$|\b(full|zeros)\(", "shape-not-a-tuple"),
    ("fraction-in-a-kernel", (), r"//|%", "floor-division"),
    ("bits-of-a-fraction", (), r"^$", "bad-num-warps"),  # Triton looks at the bits of num_warps
    ("block-for-a-number", (), r"range\(", "loop-over-a-block"),
    ("block-for-a-number", (), r"\b(float|int|bool)\(", "python-cast"),
    ("about-xor", (), r"(?<![\w.\]])\d[\d.]* *\^", "xor-for-power"),
    ("no-power-of-two", (), r"arange\(\s*[1-9]", "arange-from-one"),
    ("bitcast", (), r"\b(and|or|not)\b", "and-or-on-masks"),
    ("chained-comparison", (), r"[&|]", "mask-precedence"),
    # An operation made a block with a number for each pair of rows.
    ("too-many-elements", (), r"^(?!.*(\b(arange|zeros|full|load|store)\(|None)).", "lined-up-with-columns"),
]
# As these, but of lines of a kernel, and of all other lines.
_IN_A_KERNEL = [
    ("keyword-unexpected", ("dim", "keepdim"), "", "torch-keyword"),
    ("no-type-of-a-number", (), r"\b(load|store)\(", "not-an-address"),
    ("no-attribute-of-none", (), "", "kinds-misfit"),  # an attribute that Triton looks for
    ("not-iterable", ("int",), r"(?<![\w.])(sorted|list|set|max|min|sum|any|all)\(\w+\)", "python-builtin"),
    # An interpreted block counts its axes when it is indexed.
    ("not-iterable", ("int",), r"^(?!.*\bfor\b).*[\w)\]]\[", "indexing-pointer"),
    ("no-called-range", (), "", "loop-without-range"),
    ("loop-left", (), "", "loop-left"),
    ("not-iterable", ("int", "float", "tensor", "constexpr"), _BUILTIN, "python-builtin"),
    ("block-to-a-builtin", (), _BUILTIN, "python-builtin"),
    ("not-iterable", ("int", "tensor"), r"[\[(].*\bfor\b.*\bin\b", "lanes-one-by-one"),
    ("not-iterable", ("int", "float", "tensor", "constexpr"), r"^for \w+ in [^()]+:", "loop-without-range"),
    ("matrix-product-in-a-kernel", (), "", "matmul-in-kernel"),
]
_IN_PLAIN_PYTHON = [
    ("not-iterable", ("int",), _BUILTIN, "one-number-given"),
    ("not-iterable", ("int", "float"), r"\bfor\b.*\bin\b(?!.*\b(zip|enumerate|sum|min|max|list)\()",
     "loop-over-a-number"),
    ("about-a-range", (), "", "kinds-misfit"),
]  # fmt: skip
_OF_THE_DEVICE = ("RefusedKernel", "RefusedOperator", "LeftForHost")  # these say why in words of their own
# A text that Python cannot read.
_SYNTAX = [
    ("text-not-closed", (), "", "text-not-closed"),
    ("", (), r"\b(float\d?|int|const|void|extern|__\w+__)\b.*[;{]\s*(//.*)?$", "line-of-cpp"),
    ("character-of-no-language", (), "", "foreign-sign"),
    ("indentation", (), "", "indentation"),
]
_TOOLS = ("traffic", "trace", "check", "hint", "progress", "hierarchy", "steps", "machine_code")
_TYPES = {
    "NameError": "name-undefined",
    "UnboundLocalError": "name-undefined",
    "SyntaxError": "not-python",
    "IndentationError": "not-python",
    "TabError": "not-python",
    "RecursionError": "calls-itself",
    "SystemExit": "exits",
    "KeyboardInterrupt": "exits",
    "MemoryError": "out-of-memory",
    "ModuleNotFoundError": "module-not-read",
}
# Where no message says more.
_OF_OTHER_WORDS = {
    "RefusedKernel": "refused-by-compiler",
    "KeyError": "no-such-entry",
    "FileNotFoundError": "file-not-there",
}
# The mistake behind an error of the engine, by the kind of its sentence: an id, or a function of sentence and type.
_OF_OUR_OWN: dict[str, str | Callable[[Said, str], str | None]] = {
    "no-function": "answer-is-no-function",
    "notebook-value": "notebook-global",
    "language-on-the-host": "tl-on-the-host",
    "no-grid": "no-grid",
    "no-jit": "helper-no-jit",
    "unbound": "assigned-later",
    "wrong-device": "wrong-device",
    "returns": "returns-from-kernel",
    "numbers-to-host": "numbers-to-host",
    "foreign-function": lambda sentence, kind: _of_a_foreign_function(sentence),
    "no-attribute": lambda sentence, kind: _of_an_attribute(named(sentence, "unknown")),
    "step-of-a-loop": lambda sentence, kind: "step-zero" if named(sentence, "step") == "0" else "step-counts-down",
    "part-of-a-block": lambda sentence, kind: (
        "indexing-pointer" if re.match(r"`\w+_ptr\[", named(sentence, "words")) else "assigned-to-a-part"
    ),
    "argument": lambda sentence, kind: _of_an_argument(named(sentence, "of"), kind),
    "not-sent": lambda sentence, kind: None if kind in _OF_THE_DEVICE else "argument-of-another-kind",
    "launch-arguments": "launch-arguments",
    "grid": "grid-not-a-tuple",
    "grid-too-long": "grid-axis-too-long",
    "bfloat16": "bf16-arithmetic",
    "mask-of-numbers": "mask-of-numbers",
    "combines-too-few": "combines-too-few",
    "no-multiple": "alignment-promised",
    "refused": lambda sentence, kind: _of_the_compiler(sentence),
    "no-text": "kernel-text-expected",
    "no-kernel": "kernel-not-found",
    "outside": "cuda-outside",
    "nowhere": "wild-address",
    "misaligned": "misaligned",
    "race-still-read": "shared-reused",
    "race-stored-soon": "shared-reused",
    "race-read": lambda sentence, kind: (
        "shared-two-writers" if re.search(r"\[\d+\] *[-+*/]=", _code(sentence)) else "barrier-missing"
    ),
    "race-stored": "barrier-missing",
    "race-stored-over": "shared-two-writers",
    "barrier": "barrier-divergent",
    "shuffle": lambda sentence, kind: (
        "shuffle-mask-short" if _SHORT_MASK.search(_code(sentence)) else "shuffle-divergent"
    ),
    "own-mask": "lane-outside-its-mask",
    "lanes": "shuffle-divergent",
    "index": "shared-too-small",
    "shared-size": "shared-too-large",
    "division": "divides-by-zero",
}
_SHORT_MASK = re.compile(r"_sync\((0x(?!f{8}u?,)[0-9a-f]+|(?!4294967295)\d+)u?,")
TRANSLATED = (
    frozenset((_OF_A_KIND | _OF_A_WIDE_KIND).values())
    | frozenset(mistake for *_, mistake in _OF_A_COMPILED_LINE)
    | frozenset(mistake for mistake in _OF_OUR_OWN.values() if isinstance(mistake, str))
    | {"refuses-the-right-ones", "library-softmax", "torch-in-kernel", "pointer-knows-no-shape", "no-jit"}
    | {"indexing-pointer", "assigned-to-a-part", "argument-of-another-kind", _NOT_CALLED, "shuffle-mask-short"}
)


def of_syntax(why: str) -> str:
    """The id of the mistake in a text that Python cannot read. why: a message of Python's, or judge.extract's of it."""
    message, line = named(why, "message") or why, named(why, "line")
    return _first(_SYNTAX, named(message, "message") or message, line) or "not-python"


def _first(rows: list[tuple], message: str, line: str) -> str | None:
    """The mistake of the first row that fits a message and its line."""
    for kind, names, of_line, mistake in rows:
        if (not kind or kind_of(message) == kind or foreign.is_a(message, kind, *names)) and re.search(of_line, line):
            return mistake
    return None


def _of_a_kind(kinds: dict[str, str], message: str) -> str | None:
    """The mistake of the first kind that fits a message."""
    return next((mistake for kind, mistake in kinds.items() if foreign.is_a(message, kind)), None)


def _called_alone(name: str, line: str) -> bool:
    """Whether a line calls a function of a module without the name of the module. `line` does not define it."""
    return name in _OF_A_MODULE and _calls(name, line) and not re.match(rf"{name} *=", line)


def _calls(name: str, line: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){name}\(", line))


def _changes(name: str, line: str) -> bool:
    """Whether a line is `name += ...`, with any operator."""
    return bool(re.match(rf"{name} *([-+*/%@&|^]|//|\*\*|<<|>>)=", line))


def _of_unknown(name: str, error: dict) -> str | None:
    """The id of the mistake behind a name that has no value, None if it may be any."""
    if re.search(rf"\{{(.*,)?\s*{name}\s*:(?!.*\bfor\b)", error["line"]):
        return "key-without-quotes"
    if name in _MODULES:
        number = re.search(rf"\b{name}\.(inf|nan|pi|tau|e)\b", error["line"])  # it may stand in a kernel
        if error.get("kernel") and re.search(rf"\b{name}\.inf\b", error["line"]):
            return "number-of-a-module"
        foreign = error.get("kernel") and name in ("torch", "np", "numpy", "math") and not number
        return "torch-in-kernel" if foreign else "module-not-imported"
    return "module-left-out" if _called_alone(name, error["line"]) else None


def from_error(error: dict) -> str | None:
    """The id of the mistake behind an exception (type, message, line); None where it may have several causes."""
    kind, message, line = error["type"], error["message"], error["line"]
    unknown = foreign.name_in(message, "undefined")
    if kind == "NameError" and unknown in _TOOLS and _calls(unknown, line):
        return "tool-in-answer"
    unbound = foreign.name_in(message, "unbound")
    if kind_of(message) == "unbound":
        unbound = named(message, "name").strip("'")
    if unbound and _changes(unbound, line):
        return "changed-before-set"
    unknown = unknown or foreign.name_in(message, "plain-global") or foreign.name_in(message, "undefined-in-a-kernel")
    if unknown and (mistake := _of_unknown(unknown, error)):
        return mistake
    if kind in _TYPES and not unbound and not foreign.is_a(message, "infinity-undefined"):
        return of_syntax(message) if _TYPES[kind] == "not-python" else _TYPES[kind]
    if re.search(r"(?<![\w.])print\(", line) and foreign.is_a(message, "print-format"):
        return "print-in-kernel"
    if error.get("raised") and kind != "NotImplementedError":
        return "refuses-the-right-ones"
    # A record without this word, as of an error in a cell of the notebook, is most often one of a kernel.
    where = _IN_A_KERNEL if error.get("kernel", True) else _IN_PLAIN_PYTHON
    if mistake := _first(where + _IN_SUCH_A_LINE, message, line):
        return mistake
    if own := _OF_OUR_OWN.get(kind_of(message)):
        found = own if isinstance(own, str) else own(message, kind)
    elif foreign.name_in(message, "no-attribute-of-a-block") in _OF_TORCH:
        found = "torch-in-kernel"
    else:
        found = _of_a_kind(_OF_A_KIND if kind in _OF_THE_DEVICE else _OF_A_KIND | _OF_A_WIDE_KIND, message)
    return found or _OF_OTHER_WORDS.get(kind)


def _of_a_foreign_function(sentence: Said) -> str | None:
    """A kernel used a function or a value that is not Triton's."""
    if "softmax" in named(sentence, "words"):
        return "library-softmax"
    return "torch-in-kernel" if kind_of(named(sentence, "kind")) == "library" else None


def _of_an_attribute(name: str) -> str:
    """A kernel read an attribute that nothing in it has."""
    if name.startswith(("stride", "shape", "size", "numel")):
        return "pointer-knows-no-shape"
    return "torch-in-kernel" if name in _OF_TORCH | _OF_MATH else "no-such-attribute"


def _of_an_argument(of: str, kind: str) -> str | None:
    """A launch got an object of this type."""
    if of in ("function", "method", "builtin_function_or_method"):
        return _NOT_CALLED
    return None if kind in _OF_THE_DEVICE else "argument-of-another-kind"


def _of_the_compiler(sentence: Said) -> str | None:
    """g++ refused a line of a kernel in CUDA C++."""
    code = named(named(sentence, "value"), "value")
    return _first(_OF_A_COMPILED_LINE, named(sentence, "advice"), code)


def _code(sentence: Said) -> str:
    """The line of a kernel in CUDA C++ that a sentence begins with."""
    return named(named(sentence, "at"), "value")
