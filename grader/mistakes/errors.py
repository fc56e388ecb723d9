"""The mistake behind an exception, from its type, its message and its line."""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Callable

import numpy
import torch

from ..sentence import Said, kind_of, named

_OF_TORCH = "|".join(name for kind in (torch.Tensor, numpy.ndarray) for name in dir(kind) if not name.startswith("_"))
_OF_MATH = "|".join(name for name in dir(math) if not name.startswith("_"))
_FUNCTION = r"'(function|method|builtin_function_or_method|InterpretedFunction|JITFunction)'"
_NOT_CALLED = "function-not-called"
_INFINITY = r"\b(name|attribute) '([iI]nf(ty|inity)?|INF(INITY)?|[nN]a[nN]|NAN|NINF)'( is not defined|$)"
# A pattern of a message of Triton, PyTorch or Python, and the id of the mistake. The first pattern that fits decides.
_TRANSLATIONS = [
    (r"^cannot access (local|free) variable", "assigned-later"),
    (_INFINITY, "infinity-undefined"),
    (r"^string indices must be", "kinds-misfit"),
    (r"^(list|tuple) indices must be integers or slices, not str", "list-for-dictionary"),
    (r"has no attribute 'to_tensor'", "arguments-misfit"),  # of a block's method, which got a block to begin with
    (r"num_warps must be a power of (2|two)", "bad-num-warps"),
    (r"must be a power of (2|two)|[Ss]hape element.*power of 2", "block-not-power-of-two"),
    (r"inputs must be either 2D or 3D", "dot-of-no-matrix"),
    (r"arange's arguments must be of type tl\.constexpr|must be.*constexpr", "block-not-constexpr"),
    (r"numel .*exceeds|exceeds triton maximum tensor numel|maximum tensor numel", "block-too-large"),
    (r"axis \[[^\]]*\] out of bounds|axis tensor.*|invalid literal for int.*axis", "max-for-maximum"),
    (r"axis -?\d+ (is )?out of bounds|invalid axis|out of bounds for (shape|array)", "axis-out-of-range"),
    (r"'ellipsis' object", "placeholder-left"),
    (r"is a function of triton\.language", "tl-on-the-host"),
    (r"is a kernel: launch it with a grid|outside of the scope of a kernel", "no-grid"),
    (r"'function' object is not subscriptable", "no-jit"),
    (r"end argument must be greater than the start", "arange-backwards"),
    (r"cannot convert .* of type <class 'str'> to tensor|must be \w+, not str$", "text-for-number"),
    (r"'str' object has no attribute '(dtype|scalar)'|unary .: 'str'|can't assign a str to", "text-for-number"),
    (r"return_types\.(max|min|sort|topk|median|mode|kthvalue)", "values-and-places"),
    (_FUNCTION + r" object (cannot be interpreted as an int|is not subscriptable)", _NOT_CALLED),
    (_FUNCTION + r" object has no attribute '(dtype|shape|to|type)'", _NOT_CALLED),
    (r"(not supported between instances of|unsupported operand type).*" + _FUNCTION, _NOT_CALLED),
    (_FUNCTION + " object is not iterable", _NOT_CALLED),
    (r"cannot unpack non-iterable (function|method|builtin_function_or_method) object", _NOT_CALLED),
    (r"^module '[\w.]+' has no attribute", "no-such-function"),
    (r"^the launch got multiple values", "argument-given-twice"),
    (r"too many indices for tensor of rank 0", "number-not-block"),
    (r"of type <class '(method|function)'> to tensor$", _NOT_CALLED),
    (r"forget to add @triton\.jit", "imported-by-name"),
    (r"global variable", "plain-global"),
    (r"names that are not kernel arguments: (\w, ){2,}\w\.", "text-for-names"),
    (r"names that are not kernel arguments", "name-of-no-parameter"),
    (r"(zeros|full)\(\) missing .*'dtype'", "dtype-missing"),
    (r"\"bitwise_xor_\w+\" not implemented", "xor-for-power"),
    (r"unsupported operand type\(s\) for \^: '(int' and 'float|float' and 'int)'", "whole-number-needed"),
    (r"object is not callable", "called-no-function"),
    (r"not compiled with CUDA enabled|Found no NVIDIA driver|No CUDA GPUs are available|cudaGetDeviceCount"
     r"|invalid device ordinal", "device-by-name"),
    (r"missing .*required positional argument", "missing-argument"),
    (r"expected (at least )?\d+ arguments?, got [01]$", "missing-argument"),
    (r"\(\) got (multiple values for|an unexpected keyword) argument|\(\) takes .* but \d+ w", "arguments-misfit"),
    (r"is an invalid keyword argument for|takes (exactly|at least|at most) (\d+|one) arguments? \(\d+ given"
     r"|expected \d+ arguments, got|missing required argument '", "arguments-misfit"),
    (r"received an invalid combination of arguments|expected (at most )?\d+ arguments?, got", "arguments-misfit"),
    (r"0 active drivers", "interpret-too-late"),
    (r"Loop-carried variable|re-assigned to .* in loop", "loop-type-changes"),
    (r"'and' and 'or'|Logical operators", "and-or-on-masks"),
    (r"can't allocate memory|Cannot allocate memory|out of memory|Unable to allocate", "out-of-memory"),
    (r"must be Tensor, not tensor|must be real number, not tensor", "torch-in-kernel"),
    (r"'function' object has no attribute 'arg_names'", "autotune-of-a-function"),
    (r"'(constexpr|tensor)' object is not (iterable|subscriptable)|unsupported tensor index", "indexing-pointer"),
    (r"Expected dtype \['fp32', 'fp64'\] but got (fp16|bf16)", "half-exp"),
    (r"Mask must have boolean scalar type", "mask-of-numbers"),
    (rf"'tensor' object has no attribute '({_OF_TORCH})'", "torch-in-kernel"),
    (r"\bhas no attribute 'all_kwargs'", "config-without-triton"),
    (r"'tensor' object has no attribute", "no-such-attribute"),
    (r"can only convert an array of size 1", "indexing-pointer"),
    (r"`other` cannot be provided without `mask`", "other-without-mask"),
    (r"[Mm]ask argument cannot be block type", "mask-for-a-number"),
    (r"[Vv]alue argument cannot be block type", "block-to-one-address"),
    (r"Unsupported ptr type", "not-an-address"),
    (r"to (<\[.*\], )?pointer<", "cast-to-pointer"),
    (r"^cannot cast \[", "address-for-value"),
    (r"'pointer_type' object has no attribute|\] to <\[|Unsupported [lr]hs dtype pointer", "address-for-value"),
    (r"invalid operands of type (?=.*pointer<).*(?<!pointer<)\b(fp|bf|float)\d+", "address-and-fraction"),
    (r"invalid operands of type .*pointer<", "address-computed-with"),
    (r"^arange must fit in int32", "arange-outside"),
    (r"(program_id|num_programs) axis must be", "no-such-grid-axis"),
    (r"^\w+ is not defined$", "name-undefined"),
    (r"num_warps", "bad-num-warps"),
    (r"did not match (Double|Float|Half|BFloat16)|attributes? .dtype.* (is|are) not equal", "dtypes-differ"),
    (r"to have the same dtype|must be same dtype", "dtypes-differ"),
    (r"\bret\(\): incompatible", "returns-from-kernel"),
    (r"Boolean value of Tensor with more than one value", "truth-of-a-tensor"),
    (r"^math range error$", "exp-out-of-range"),
    (r"cannot be accessed from Triton", "wrong-device"),
    (r"illegal memory access|not supported on global/shared address space", "illegal-access"),
    (r"returned an incorrect number of gradients", "gradients-miscounted"),
    (r"returned an invalid gradient", "gradient-shape"),
    (r"implement either the backward", "no-backward"),
    (r"must have equal ranks >= 2", "dot-of-no-matrix"),
    (r"shapes cannot be multiplied|not compatible for matmul|equal reduction dimensions", "dot-shapes"),
    (r"the course's own softmax", "shipped-called"),
    (r"needs an NVIDIA GPU", "needs-nvidia"),
    (r"size of tensor a \(\d+\) must match|doesn't match the broadcast shape", "shapes-do-not-line-up"),
    (r"could not be broadcast together|make_shape_compatible|to have shape \[.* but got", "shapes-do-not-line-up"),
    (r"cannot reshape array|is invalid for input of size", "elements-do-not-fill"),
    (r"values to unpack", "unpacked-into-others"),
    (r"[Ii]ndex .*out of (bounds|range)|Dimension out of range|^too many indices", "index-outside"),
    (r"non-zero size|^no (mean|median) for empty|of empty (iterable|sequence)|non-empty TensorList"
     r"|\(\) (iterable argument|arg) is (empty|an empty sequence)", "nothing-to-reduce"),
    (r"^math domain error$|expected a (positive|nonnegative) input", "outside-the-domain"),
    (r"arg 3 must not be zero", "step-zero"),
    (r"division (or modulo )?by zero|modulo by zero", "divides-by-zero"),
    (r"cannot be converted to Scalar|only one element tensors can be", "tensor-for-number"),
    (r"cannot be interpreted as an integer|can be converted to an index|^unexpected type (fp|bf)\d+$"
     r"|indices must be integers|as indices must be long|argument 'size' .*must be tuple of ints"
     r"|must have type `constexpr\[int\]`", "whole-number-needed"),
]  # fmt: skip
# The line that g++ refuses, in backticks, with its words. The first pattern that fits decides.
_OF_THE_COMPILER = [
    (r"extended character", "foreign-sign"),
    (r"`: [^`]*[\uff01-\uff65\u2018-\u201d]", "foreign-sign"),
    (r"(stray '?.?#|invalid preprocessing directive|: #.* is no directive)",
     "comment-of-python"),
    (r"(`for [^(]|: 'begin' was not declared)", "loop-of-python"),
    (r"`[^`]*\bfor\s*\([^;`]*,[^;`]*,[^;`]*\)", "loop-of-python"),
    (r"does not name a type", "cuda-does-not-compile"),
    (r": (unable to find numeric literal|invalid suffix)", "letters-behind-a-number"),
    (r": (expected|stray|missing|unterminated|invalid digit|'else' without|exponent has"
     r"|too many decimal|(break|continue) statement)", "cuda-does-not-compile"),
    (r"", "cuda-not-allowed"),
]  # fmt: skip
# Python's own words for things of the wrong kind. They fit in a plain function as in a kernel.
_KINDS = [
    (r"'range' object has no attribute|operand .*'range'|instances of .*'range'|'list' object has no attribute 'dtype'"
     r"|cannot convert .* of type <class '(list|range)'> to tensor", "range-for-a-block"),
    (r"object has no attribute '\w+'", "no-such-attribute"),
    (r"argument '\w+' .*must be|^isinstance\(\) arg"
     r"|^Expected dtype .* but got|argument must be callable", "argument-of-another-kind"),
    (r"unsupported operand type|bad operand type|not supported between instances|object is not (callable|iterable"
     r"|subscriptable|an iterator)|can only concatenate|can't multiply sequence|has no len\(\)|unhashable type"
     r"|does not support item (assignment|deletion)|cannot unpack non-iterable|must be an iterable",
     "kinds-misfit"),
]  # fmt: skip
_BUILTIN = r"(?<![\w.])(max|min|sum|abs)\("
# Functions of the modules that an answer imports, whose names mean nothing without the module.
_OF_A_MODULE = {name for module in (torch, math) for name in dir(module) if not hasattr(builtins, name)}
_OF_A_MODULE |= {"store", "program_id", "num_programs", "cdiv", "next_power_of_2", "static_range", "constexpr"}
_MODULES = (
    "math",
    "torch",
    "np",
    "numpy",
    "triton",
    "tl",
    "random",
    "statistics",
    "itertools",
    "functools",
    "re",
    "collections",
    "operator",
    "time",
)
_UNKNOWN_NAME = re.compile(r"name '(\w+)' is not defined|global variable (\w+)|^(\w+) is not defined")
_FROM_BLOCK = r"^'(int|float|tensor|constexpr)' object is not iterable$|bad operand type for abs|instances of 'tensor'"
# (message, line of the answer, mistake): messages that say enough only beside their line.
_IN_SUCH_A_LINE = [
    # The check's own launch, which is no line of the answer.
    (r"^'(?!function\b)\w+' object is not subscriptable$", r"^$", "answer-is-no-function"),
    (r"'function' object is not subscriptable", r"^(?!.*\w\[.*\]\().", _NOT_CALLED),  # no launch
    (r"invalid operands of type (?=.*pointer<).*(?<!pointer<)\b(fp|bf|float)\d+", r"^[^-+]+$", "address-for-value"),
    (r"^too many indices|only integers, slices", r"\w\[[\"']", "list-for-dictionary"),
    (r"^only integer tensors of a single element", r"[\"'] *\*|\* *[\"']", "text-for-number"),
    (r"^'float' object is not iterable$", _BUILTIN, "one-number-given"),  # no block has a number of Python
    (r"'(dim|axis|keepdims?)' is an invalid keyword argument for (max|min|sum)\(\)", _BUILTIN, "python-builtin"),
    (r"sum\(\) got an unexpected keyword argument '(dim|axis|keepdims?)'", _BUILTIN, "python-builtin"),
    (r"\bBoolean value of Tensor with more than one", _BUILTIN, "python-builtin"),
    # tl.zeros raises it in Triton's own code, and then there is no line of the answer.
    (r"(?<!'dtype' )\bobject is not iterable", r"^$|\b(full|zeros)\(", "shape-not-a-tuple"),
    (r"^unexpected type (fp|bf)\d+$", r"//|%", "floor-division"),
    (r"unsupported operand type\(s\) for &: 'float'", r"^$", "bad-num-warps"),  # Triton looks at the bits of num_warps
    (r"\barray of size 1", r"range\(", "loop-over-a-block"),
    (r"\barray of size 1", r"\b(float|int|bool)\(", "python-cast"),
    (r"unsupported operand type\(s\) for \^", r"(?<![\w.\]])\d[\d.]* *\^", "xor-for-power"),
    (r"must be a power of (2|two)|power of 2", r"arange\(\s*[1-9]", "arange-from-one"),
    (r"forget to add @triton\.jit", r"^(def |(?!.*(?<![\w.])\w+\().)", "triton-outside-kernel"),
    (r"annot\sbitcast", r"\b(and|or|not)\b", "and-or-on-masks"),
    # An operation made a block with a number for each pair of rows.
    (r"\bmaximum tensor numel", r"^(?!.*(\b(arange|zeros|full|load|store)\(|None)).", "lined-up-with-columns"),
]
# As these, but of lines of a kernel, and of all other lines.
_IN_A_KERNEL = [
    (r"index out of range$", r"\b(reduce|associative_scan)\(", "combines-too-few"),
    (r"unexpected keyword argument '(dim|keepdim)'", "", "torch-keyword"),
    (r"^'(int|float)' object has no attribute 'type'$", r"\b(load|store)\(", "not-an-address"),
    (r"^'NoneType' object has no attribute", "", "kinds-misfit"),  # an attribute that Triton looks for
    (r"^'int' object is not iterable$", r"(?<![\w.])(sorted|list|set|max|min|sum|any|all)\(\w+\)", "python-builtin"),
    # An interpreted block counts its axes when it is indexed.
    (r"^'int' object is not iterable$", r"^(?!.*\bfor\b).*[\w)\]]\[", "indexing-pointer"),
    (r"^'\w+' object has no attribute 'func'$", "", "loop-without-range"),
    (r"unsupported AST node type: (Break|Continue)", "", "loop-left"),
    (_FROM_BLOCK, _BUILTIN, "python-builtin"),
    (r"^'(int|tensor)' object is not iterable$", r"[\[(].*\bfor\b.*\bin\b", "lanes-one-by-one"),
    (r"^'(int|float|tensor|constexpr)' object is not iterable$", r"^for \w+ in [^()]+:", "loop-without-range"),
    (r"unsupported operand type\(s\) for @", "", "matmul-in-kernel"),
]
_IN_PLAIN_PYTHON = [
    (r"^'int' object is not iterable$", _BUILTIN, "one-number-given"),
    (
        r"^'(int|float)' object is not iterable$",
        r"\bfor\b.*\bin\b(?!.*\b(zip|enumerate|sum|min|max|list)\()",
        "loop-over-a-number",
    ),
    (r"'range' object has no attribute|operand .*'range'|instances of .*'range'", "", "kinds-misfit"),
]
_OF_THE_DEVICE = ("RefusedKernel", "RefusedOperator", "LeftForHost")  # these say why in words of their own
# Why Python cannot read a text.
_SYNTAX = [
    (r"^.*unterminated (triple-quoted )?(f-)?string", "text-not-closed"),
    (r"in the line `[^`]*\b(float\d?|int|const|void|extern|__\w+__)\b[^`]*[;{]\s*(//[^`]*)?`", "line-of-cpp"),
    (r"^.*invalid (non-printable )?character", "foreign-sign"),
    (r"unexpected indent|expected an indented block|unindent does not match|inconsistent use of tabs"
     r"|'(return|yield)' outside function", "indentation"),
]  # fmt: skip
_TOOL = re.compile("name '(traffic|trace|check|hint|progress|hierarchy|steps|machine_code)' is not defined")
_UNBOUND = re.compile(r"^cannot access local variable '(\w+)'")
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
    "no-jit": "helper-no-jit",
    "unbound": "assigned-later",
    "returns": "returns-from-kernel",
    "numbers-to-host": "numbers-to-host",
    "foreign-function": lambda sentence, kind: _of_a_foreign_function(sentence),
    "no-attribute": lambda sentence, kind: _of_an_attribute(named(sentence, "unknown")),
    "part-of-a-block": lambda sentence, kind: (
        "indexing-pointer" if re.match(r"`\w+_ptr\[", named(sentence, "words")) else "assigned-to-a-part"
    ),
    "argument": lambda sentence, kind: _of_an_argument(named(sentence, "of"), kind),
    "not-sent": lambda sentence, kind: None if kind in _OF_THE_DEVICE else "argument-of-another-kind",
    "launch-arguments": "launch-arguments",
    "grid": "grid-not-a-tuple",
    "bfloat16": "bf16-arithmetic",
    "mask-of-numbers": "mask-of-numbers",
    "refused": lambda sentence, kind: _of_the_compiler(sentence),
    "no-text": "kernel-text-expected",
    "no-kernel": "kernel-not-found",
    "outside": "cuda-outside",
    "nowhere": "wild-address",
    "misaligned": "misaligned",
    "race-still-read": "shared-reused",
    "race-stored-soon": "shared-reused",
    "race-read": lambda sentence, kind: (
        "shared-two-writers" if re.search(r"`[^`]*\[\d+\] *[-+*/]=", named(sentence, "at")) else "barrier-missing"
    ),
    "race-stored": "barrier-missing",
    "race-stored-over": "shared-two-writers",
    "barrier": "barrier-divergent",
    "shuffle": lambda sentence, kind: (
        "shuffle-mask-short" if _SHORT_MASK.search(named(sentence, "at")) else "shuffle-divergent"
    ),
    "own-mask": "lane-outside-its-mask",
    "lanes": "shuffle-divergent",
    "index": "shared-too-small",
    "shared-size": "shared-too-large",
    "division": "divides-by-zero",
}
_SHORT_MASK = re.compile(r"_sync\((0x(?!f{8}u?,)[0-9a-f]+|(?!4294967295)\d+)u?,")
TRANSLATED = (
    frozenset(mistake for _, mistake in _TRANSLATIONS + _OF_THE_COMPILER + _KINDS)
    | frozenset(mistake for mistake in _OF_OUR_OWN.values() if isinstance(mistake, str))
    | {"refuses-the-right-ones", "library-softmax", "torch-in-kernel", "pointer-knows-no-shape", "no-such-attribute"}
    | {"indexing-pointer", "assigned-to-a-part", "argument-of-another-kind", _NOT_CALLED, "shuffle-mask-short"}
)


def of_syntax(why: str) -> str:
    """The id of the mistake in a text that Python cannot read. why: its words."""
    return next((mistake for pattern, mistake in _SYNTAX if re.search(pattern, why)), "not-python")


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
        foreign = error.get("kernel") and name in ("torch", "np", "numpy", "math") and not number
        return "torch-in-kernel" if foreign else "module-not-imported"
    return "module-left-out" if _called_alone(name, error["line"]) else None


def from_error(error: dict) -> str | None:
    """The id of the mistake behind an exception (type, message, line); None where it may have several causes."""
    kind, message = error["type"], error["message"]
    if kind == "NameError" and (tool := _TOOL.match(message)) and _calls(tool[1], error["line"]):
        return "tool-in-answer"
    if (unbound := _unbound(message)) and _changes(unbound, error["line"]):
        return "changed-before-set"
    if found := _UNKNOWN_NAME.search(message):
        if mistake := _of_unknown(next(filter(None, found.groups())), error):
            return mistake
    if kind in _TYPES and not re.search(rf"^cannot access|{_INFINITY}", message):
        return of_syntax(message) if _TYPES[kind] == "not-python" else _TYPES[kind]
    if message == "'function' object is not subscriptable" and re.search(r"\.\w+\[", error["line"]):
        return _NOT_CALLED
    if re.search(r"(?<![\w.])print\(", error["line"]) and re.search(r"is not string|f-string|formats", message):
        return "print-in-kernel"
    if error.get("raised") and kind != "NotImplementedError":
        return "refuses-the-right-ones"
    # A record without this word, as of an error in a cell of the notebook, is most often one of a kernel.
    where = _IN_A_KERNEL if error.get("kernel", True) else _IN_PLAIN_PYTHON
    for of_message, of_line, mistake in where + _IN_SUCH_A_LINE:
        if re.search(of_message, message) and re.search(of_line, error["line"]):
            return mistake
    known = _TRANSLATIONS if kind in _OF_THE_DEVICE else _TRANSLATIONS + _KINDS
    if own := _OF_OUR_OWN.get(kind_of(message)):
        found = own if isinstance(own, str) else own(message, kind)
    else:
        found = next((mistake for pattern, mistake in known if re.search(pattern, message, re.MULTILINE)), None)
    return found or _OF_OTHER_WORDS.get(kind)


def _unbound(message: str) -> str:
    """The local variable that has no value, "" where the message is about something else."""
    if kind_of(message) == "unbound":
        return named(message, "name").strip("'")
    found = _UNBOUND.match(message)
    return found[1] if found else ""


def _of_a_foreign_function(sentence: Said) -> str | None:
    """A kernel used a function or a value that is not Triton's."""
    if "softmax" in named(sentence, "words"):
        return "library-softmax"
    return "torch-in-kernel" if kind_of(named(sentence, "kind")) == "library" else None


def _of_an_attribute(name: str) -> str:
    """A kernel read an attribute that nothing in it has."""
    if name.startswith(("stride", "shape", "size", "numel")):
        return "pointer-knows-no-shape"
    return "torch-in-kernel" if re.fullmatch(f"{_OF_TORCH}|{_OF_MATH}", name) else "no-such-attribute"


def _of_an_argument(of: str, kind: str) -> str | None:
    """A launch got an object of this type."""
    if of in ("function", "method", "builtin_function_or_method"):
        return _NOT_CALLED
    return None if kind in _OF_THE_DEVICE else "argument-of-another-kind"


def _of_the_compiler(sentence: Said) -> str:
    """g++ refused a line of a kernel in CUDA C++."""
    code = named(named(sentence, "value"), "value")
    words = f"`{code}`: {named(sentence, 'advice')}"
    return next(mistake for pattern, mistake in _OF_THE_COMPILER if re.search(pattern, words, re.MULTILINE))
