"""What kind of message is one of Python, PyTorch, NumPy, Triton, g++ or the dynamic linker?

The program asks for a kind, and for the name or number in a message, and never looks at its words. A message may be of
several kinds: "about-" begins the name of a wide one. tests/test_foreign.py has an example of each.
"""

from __future__ import annotations

import functools
import re

from ..said import Said
from . import templates

# {kind: pattern}. The first group that holds anything is the name or the number in the message.
_PATTERNS = {
    # ---- names
    "undefined": r"name '(\w+)' is not defined",
    "undefined-in-a-kernel": r"^(\w+) is not defined",
    "infinity-undefined": r"\b(?:name|attribute) '([iI]nf(?:ty|inity)?|INF(?:INITY)?|[nN]a[nN]|NAN|NINF)'"
    r"(?: is not defined|$)",
    "unbound": r"^cannot access (?:local|free) variable '(\w+)'",
    "plain-global": r"global variable(?: (\w+))?",
    "nothing-of-that-name-in-a-module": r"^module '[\w.]+' has no attribute",
    # ---- calls
    "about-a-call": r"^(\w+)\(\) ",
    "positional-argument": r"positional argument",
    "argument-missing": r"missing .*required positional argument|expected (?:at least )?\d+ arguments?, got [01]$",
    "dtype-missing": r"(?:zeros|full)\(\) missing .*'dtype'",
    "arguments-unexpected": r"\(\) got (?:multiple values for|an unexpected keyword) argument|\(\) takes .* but \d+ w"
    r"|is an invalid keyword argument for|takes (?:exactly|at least|at most) (?:\d+|one) arguments? \(\d+ given"
    r"|expected \d+ arguments, got|missing required argument '"
    r"|received an invalid combination of arguments|expected (?:at most )?\d+ arguments?, got",
    "argument-of-a-launch-twice": r"^the launch got multiple values",  # as wording.unwrapped says it
    "keyword-unexpected": r"unexpected keyword argument '(\w+)'",
    "keyword-of-tensors": r"'(?:dim|axis|keepdims?)' is an invalid keyword argument for (?:max|min|sum)\(\)"
    r"|sum\(\) got an unexpected keyword argument '(?:dim|axis|keepdims?)'",
    "argument-of-another-type": r"argument '\w+' .*must be|^isinstance\(\) arg|^Expected dtype .* but got"
    r"|argument must be callable",
    "one-row-expected": r"Expected 1-D argument",
    "no-such-parameter": r"names that are not kernel arguments",
    "letters-for-parameters": r"names that are not kernel arguments: (?:\w, ){2,}\w\.",
    "print-format": r"is not string|f-string|formats",
    "shipped-softmax": r"the course's own softmax",
    "nvidia-needed": r"needs an NVIDIA GPU",
    "no-float32-matrix": r"softmax takes a float32 matrix",
    # ---- values of a type that does not fit
    "not-callable": r"'(\w+)' object is not callable|object is not callable",
    "not-iterable": r"'(\w+)' object is not iterable",
    "not-a-tuple": r"(?<!'dtype' )\bobject is not iterable",
    "not-subscriptable": r"'(\w+)' object is not subscriptable",
    "no-attribute": r"object has no attribute '(\w+)'",
    "no-attribute-of-a-block": r"'tensor' object has no attribute '(\w+)'",
    "no-attribute-of-a-launched-function": r"'function' object has no attribute 'arg_names'",
    "no-attribute-of-none": r"^'NoneType' object has no attribute",
    "no-attribute-of-a-block-in-a-method": r"has no attribute 'to_tensor'",
    "no-method-of-a-configuration": r"\bhas no attribute 'all_kwargs'",
    "no-called-range": r"^'\w+' object has no attribute 'func'$",
    "no-type-of-a-number": r"^'(?:int|float)' object has no attribute 'type'$",
    "no-apply": r"attribute 'apply'|\bapply\(\)",
    "about-none": r"'NoneType'",
    "about-a-tuple": r"'tuple'",
    "about-a-range": r"'range' object has no attribute|operand .*'range'|instances of .*'range'",
    "range-for-a-block": r"'range' object has no attribute|operand .*'range'|instances of .*'range'"
    r"|'list' object has no attribute 'dtype'|cannot convert .* of type <class '(?:list|range)'> to tensor",
    "tuple-for-a-tensor": r"'tuple' object has no attribute|must be Tensor, not tuple|is a tuple|'tuple' and"
    r"|and 'tuple'",
    "list-for-a-number": r"'(?:list|tuple)' and '|' and '(?:list|tuple)'",
    "block-for-a-tensor": r"must be Tensor, not tensor|must be real number, not tensor",
    "block-for-a-number": r"\bconvert an array of size 1",
    "block-to-a-builtin": r"bad operand type for abs|instances of 'tensor'",
    "block-indexed": r"'(?:constexpr|tensor)' object is not (?:iterable|subscriptable)|unsupported tensor index",
    "tensor-for-a-number": r"cannot be converted to Scalar|only one element tensors can be",
    "tensor-for-a-count": r"^only integer tensors of a single element",
    "truth-of-a-tensor": r"\bBoolean value of Tensor with more than one value",
    "text-for-a-number": r"cannot convert .* of type <class 'str'> to tensor|must be \w+, not str$"
    r"|'str' object has no attribute '(?:dtype|scalar)'|unary .: 'str'|can't assign a str to",
    "text-indexed": r"^string indices must be",
    "text-as-an-index": r"^(?:list|tuple) indices must be integers or slices, not str",
    "ellipsis": r"'ellipsis' object",
    "pair-of-values-and-places": r"return_types\.(?:max|min|sort|topk|median|mode|kthvalue)",
    "function-for-a-value": r"'(?:function|method|builtin_function_or_method|InterpretedFunction|JITFunction)'"
    r" object (?:cannot be interpreted as an int|is not subscriptable|is not iterable"
    r"|has no attribute '(?:dtype|shape|to|type)')"
    r"|(?:not supported between instances of|unsupported operand type).*"
    r"'(?:function|method|builtin_function_or_method|InterpretedFunction|JITFunction)'"
    r"|cannot unpack non-iterable (?:function|method|builtin_function_or_method) object"
    r"|of type <class '(?:method|function)'> to tensor$",
    "whole-number-needed": r"cannot be interpreted as an integer|can be converted to an index"
    r"|indices must be integers|as indices must be long|argument 'size' .*must be tuple of ints"
    r"|must have type `constexpr\[int\]`",
    "fraction-in-a-kernel": r"^unexpected type (?:fp|bf)\d+$",
    "bits-of-a-fraction": r"unsupported operand type\(s\) for &: 'float'",
    "about-xor": r"unsupported operand type\(s\) for \^",
    "xor-of-mixed-numbers": r"unsupported operand type\(s\) for \^: '(?:int' and 'float|float' and 'int)'",
    "xor-of-fractions": r"\"bitwise_xor_\w+\" not implemented",
    "gave-up": r"signal terminated program|memory exhausted|out of memory|internal compiler error",
    "chained-comparison": r"^simultaneous multiple comparison",
    "return-in-a-loop": r"loop body should only have one block",
    "matrix-product-in-a-kernel": r"unsupported operand type\(s\) for @",
    "operands-misfit": r"unsupported operand type|bad operand type|not supported between instances"
    r"|object is not (?:callable|iterable|subscriptable|an iterator)|can only concatenate|can't multiply sequence"
    r"|has no len\(\)|unhashable type|does not support item (?:assignment|deletion)|cannot unpack non-iterable"
    r"|must be an iterable",
    # ---- numbers
    "zero-division": r"division (?:or modulo )?by zero|modulo by zero",
    "zero-step": r"arg 3 must not be zero",
    "exp-too-large": r"^math range error$",
    "outside-the-domain": r"^math domain error$|expected a (?:positive|nonnegative) input",
    # ---- shapes and places
    "key": r"^['\"]*(\w+)['\"]*$",  # all that a KeyError says
    "dtype": r"torch\.",  # of a KeyError
    "index-outside": r"[Ii]ndex .*out of (?:bounds|range)|Dimension out of range|^too many indices",
    "place-of-a-list-outside": r"index out of range",
    "index-no-number": r"^too many indices|only integers, slices",
    "number-indexed": r"too many indices for tensor of rank 0",
    "axis-of-numbers": r"axis \[[^\]]*\] out of bounds|axis tensor|invalid literal for int.*axis",
    "axis-outside": r"axis -?\d+ (?:is )?out of bounds|invalid axis|out of bounds for (?:shape|array)",
    "values-to-unpack": r"values to unpack",
    "nothing-to-unpack": r"not enough values to unpack \(expected 1, got 0\)",
    "nothing-to-reduce": r"non-zero size|^no (?:mean|median) for empty|of empty (?:iterable|sequence)"
    r"|non-empty TensorList|\(\) (?:iterable argument|arg) is (?:empty|an empty sequence)",
    "elements-misfit": r"cannot reshape array|is invalid for input of size",
    "shapes-misfit": r"size of tensor a \(\d+\) must match|doesn't match the broadcast shape"
    r"|could not be broadcast together|make_shape_compatible|to have shape \[.* but got",
    "tensors-misfit": r"size of tensor a",
    "blocks-misfit": r"incompatible dimensions(?: at index (\d+))?|could not be broadcast",
    "product-misfit": r"shapes cannot be multiplied|not compatible for matmul|equal reduction dimensions",
    "no-matrices": r"inputs must be either 2D or 3D|must have equal ranks >= 2",
    # ---- dtypes
    "dtypes-differ": r"did not match (?:Double|Float|Half|BFloat16)|attributes? .dtype.* (?:is|are) not equal"
    r"|to have the same dtype|must be same dtype",
    "half-refused": r"Expected dtype \['fp32', 'fp64'\] but got (?:fp16|bf16)",
    "bitcast": r"annot\sbitcast",
    # ---- Triton's language
    "outside-of-a-kernel": r"outside of the scope of a kernel",
    "jit-forgotten": r"forget to add @triton\.jit",
    "warps-no-power-of-two": r"num_warps must be a power of (?:2|two)",
    "about-warps": r"num_warps",
    "block-pointers-removed": r"^Block pointers have been removed",
    # Of a tensor descriptor: its base, its strides, the start of a block.
    "descriptor-misaligned": r"must be 16-byte aligned|^last dim must be contiguous",
    "no-power-of-two": r"must be a power of (?:2|two)|[Ss]hape element.*power of 2|power of 2",
    "no-constexpr": r"must be.*constexpr",
    "too-many-elements": r"numel .*exceeds|maximum tensor numel",
    "arange-backwards": r"end argument must be greater than the start",
    "arange-outside": r"^arange must fit in int32",
    "no-such-axis-of-the-grid": r"(?:program_id|num_programs) axis must be",
    "type-changed-in-a-loop": r"Loop-carried variable|re-assigned to .* in loop",
    "logical-operators": r"'and' and 'or'|Logical operators",
    "loop-left": r"unsupported AST node type: (Break|Continue)",
    "returns": r"\bret\(\): incompatible",
    "mask-of-numbers": r"Mask must have boolean scalar type",
    "mask-for-a-number": r"[Mm]ask argument cannot be block type",
    "other-without-mask": r"`other` cannot be provided without `mask`",
    "block-to-one-address": r"[Vv]alue argument cannot be block type",
    "not-an-address": r"Unsupported ptr type",
    "cast-to-an-address": r"to (?:<\[.*\], )?pointer<",
    "address-for-a-value": r"^cannot cast \[|'pointer_type' object has no attribute|\] to <\["
    r"|Unsupported [lr]hs dtype pointer",
    "address-with-a-fraction": r"invalid operands of type (?=.*pointer<).*(?<!pointer<)\b(?:fp|bf|float)\d+",
    "address-as-an-operand": r"invalid operands of type .*pointer<",
    # ---- autograd
    "changed-in-place": r"modified by an inplace operation|to handle view\+inplace",
    "context-misused": r"can only save variables|'saved_tensors'.* not writable",
    "target-outside": r"Target -?\d+ is out of bounds",
    "no-graph": r"does not require grad and does not have a grad_fn",
    "gradients-miscounted": r"returned an incorrect number of gradients",
    "gradient-of-another-shape": r"returned an invalid gradient",
    "no-backward": r"implement either the backward",
    # ---- the machine
    "no-such-device": r"not compiled with CUDA enabled|Found no NVIDIA driver|No CUDA GPUs are available"
    r"|cudaGetDeviceCount|invalid device ordinal|requires CUDA support|Tried to instantiate dummy base class"
    r"|CUDA error: OS call failed",  # a build with CUDA, in a sandbox that has no device
    "no-driver": r"0 active drivers",
    "no-memory": r"can't allocate memory|Cannot allocate memory|out of memory|Unable to allocate",
    "wrong-device": r"cannot be accessed from Triton|^Expected all tensors to be on the same device",
    "illegal-access": r"illegal memory access|not supported on global/shared address space",
    "not-mapped": r"failed to map segment",
    "compiler-ended": r"^LLVM ERROR",
    # ---- texts that Python cannot read
    "text-not-closed": r"unterminated (?:triple-quoted )?(?:f-)?string",
    "character-of-no-language": r"invalid (?:non-printable )?character",
    "indentation": r"unexpected indent|expected an indented block|unindent does not match|inconsistent use of tabs"
    r"|'(?:return|yield)' outside function",
    # ---- texts that g++ cannot read; the course's own preprocessor writes as g++ does
    "character-of-no-cpp": r"extended character|^[^`]*[\uff01-\uff65\u2018-\u201d]",
    "comment-of-python": r"stray '?.?#|invalid preprocessing directive|^#.* is no directive",
    "loop-of-python": r"^'begin' was not declared",
    "no-such-type": r"does not name a type",
    "letters-behind-a-number": r"^(?:unable to find numeric literal|invalid suffix)",
    "no-cpp": r"^(?:expected|stray|missing|unterminated|invalid digit|'else' without|exponent has|too many decimal"
    r"|(?:break|continue) statement)",
    "about-std": r"'std'",
    "about-a-header": r"'cooperative_groups'|'(?:cub|thrust)' has not been declared",
    "shared-and-not": r"thread-local",
    "colon": r"nested-name-specifier",
    "call-with-a-place": r"'cpu_spot'",  # cuda_on_cpu.h gives it to the functions that it stands for
}
KINDS = tuple(_PATTERNS)
# A gap that a learner has not filled, as tools/build.py writes it.
_TODO = re.compile(r"TODO (\d+\.\d+)(?: \((\d+) of (\d+)\))?")


def is_a(message: str, kind: str, *names: str) -> bool:
    """Whether a message is of this kind and, where names are given, has one of them in it.

    A sentence of the engine is of no kind of these: it has one of its own (said.kind_of). Raises KeyError for a kind
    that is not in KINDS.
    """
    found = _found(message, kind)
    return found is not None and (not names or _first(found) in names)


def name_in(message: str, kind: str) -> str:
    """The name or the number in a message of this kind, "" where it is of another kind or names nothing."""
    found = _found(message, kind)
    return _first(found) if found else ""


def todo(message: str) -> tuple[str, str | None, str | None] | None:
    """(exercise, step, number of steps) of the error that an answer's gap raises; None for another message."""
    found = _TODO.search(message)
    return (found[1], found[2], found[3]) if found else None


def gap(source: str) -> str | None:
    """What the first gap in the source of an answer says where it raises its error; None where all are filled."""
    found = _TODO.search(source)
    return found[0] if found else None


def _found(message: str, kind: str) -> re.Match | None:
    pattern = _compiled(kind)
    if isinstance(message, Said) and not templates.is_known(message):
        return None
    return pattern.search(message)


def _first(found: re.Match) -> str:
    return next(filter(None, found.groups()), "")


@functools.cache
def _compiled(kind: str) -> re.Pattern:
    return re.compile(_PATTERNS[kind], re.MULTILINE)
