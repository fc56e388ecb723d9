"""Messages of others are of a kind, and only grader/sentence/foreign looks at their words."""

import ast
import math
import os
import subprocess

import numpy
import pytest
import torch
import triton
import triton.language as tl
from conftest import ROOT

from grader.cuda import report
from grader.mistakes import errors
from grader.sentence import fault, foreign, said

HERE = {"math": math, "numpy": numpy, "torch": torch, "triton": triton, "tl": tl}
# {kind: a text in which Python, NumPy or PyTorch raises it here}
RUN = {
    "undefined": "y",
    "infinity-undefined": "inf",
    "unbound": "def f():\n    k += 1\nf()",
    "nothing-of-that-name-in-a-module": "tl.programid",
    "about-a-call": "range(0, 3, 0)",
    "positional-argument": "(lambda x: x)()",
    "argument-missing": "(lambda x: x)()",
    "dtype-missing": "def zeros(shape, dtype): ...\nzeros(3)",
    "arguments-unexpected": "torch.zeros(3).max(1, 2, 3, 4)",
    "keyword-unexpected": "def max(x): ...\nmax(3, dim=1)",
    "keyword-of-tensors": "max([1], dim=1)",
    "argument-of-another-type": "isinstance(3, 4)",
    "one-row-expected": "torch.outer(torch.zeros(2, 2), torch.zeros(2))",
    "not-callable": "(1)()",
    "not-iterable": "iter(1)",
    "not-a-tuple": "iter(1.5)",
    "not-subscriptable": "(1)[0]",
    "no-attribute": "(1).shape",
    "no-attribute-of-a-launched-function": "(lambda: 0).arg_names",
    "no-attribute-of-none": "None.shape",
    "no-method-of-a-configuration": "{}.all_kwargs",
    "no-called-range": "(1).func",
    "no-type-of-a-number": "(1).type",
    "no-apply": "(lambda: 0).apply",
    "about-none": "None[0]",
    "about-a-tuple": "(1, 2) / 2",
    "about-a-range": "range(3) + 1",
    "range-for-a-block": "range(3).dtype",
    "tuple-for-a-tensor": "torch.empty_like((1,))",
    "list-for-a-number": "[1] - [1]",
    "tensor-for-a-number": "float(torch.zeros(2))",
    "block-for-a-number": "numpy.zeros(2).item()",
    "block-to-a-builtin": "class tensor: ...\ntensor() < tensor()",
    "tensor-for-a-count": "'-' * torch.zeros(2)",
    "truth-of-a-tensor": "bool(torch.zeros(2))",
    "text-for-a-number": "-'inf'",
    "text-indexed": "'abc'['a']",
    "text-as-an-index": "[1]['a']",
    "ellipsis": "...[0]",
    "pair-of-values-and-places": "1 - torch.zeros(2, 2).max(1)",
    "function-for-a-value": "range(len)",
    "whole-number-needed": "range(1.5)",
    "bits-of-a-fraction": "1.5 & 1",
    "about-xor": "1.5 ^ 2",
    "xor-of-mixed-numbers": "2 ^ 1.5",
    "xor-of-fractions": "torch.zeros(2) ^ 2.0",
    "matrix-product-in-a-kernel": "1 @ 2",
    "operands-misfit": "1 + 'a'",
    "zero-division": "1 / 0",
    "zero-step": "range(0, 3, 0)",
    "exp-too-large": "math.exp(1e4)",
    "outside-the-domain": "math.sqrt(-1)",
    "key": "{}['ROWS']",
    "dtype": "{}[torch.float32]",
    "index-outside": "torch.zeros(2)[5]",
    "place-of-a-list-outside": "[1][3]",
    "index-no-number": "torch.zeros(2)[0, 0]",
    "axis-outside": "numpy.zeros(2).sum(axis=3)",
    "values-to-unpack": "a, b = 1, 2, 3",
    "nothing-to-unpack": "a, = ()",
    "nothing-to-reduce": "max([])",
    "elements-misfit": "torch.zeros(3).view(2)",
    "shapes-misfit": "torch.zeros(2) + torch.zeros(3)",
    "tensors-misfit": "torch.zeros(2) + torch.zeros(3)",
    "blocks-misfit": "numpy.zeros(2) + numpy.zeros(3)",
    "product-misfit": "torch.zeros(2, 3) @ torch.zeros(2, 3)",
    "dtypes-differ": "torch.zeros(2, 2) @ torch.zeros(2, 2).double()",
    "text-not-closed": "compile('x = \"a', '', 'exec')",
    "character-of-no-language": "compile('x = 1，2', '', 'exec')",
    "indentation": "compile('if x:\\ny = 1', '', 'exec')",
    "target-outside": "torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([5]))",
    "no-graph": "torch.ones(2).sum().backward()",
    "changed-in-place": "x = torch.ones(2, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ny.sum().backward()",
    "no-such-device": "torch.zeros(2, device='cuda')",
    "no-memory": "torch.empty(1 << 50)",
}
# {kind: a text that g++ refuses with it}
COMPILED = {
    "comment-of-python": "# a comment",
    "loop-of-python": "int f(int n) { for (int i : n) {} }",
    "no-such-type": "flaot x;",
    "letters-behind-a-number": "float x = 1.5ff;",
    "no-cpp": "int f() { return 3 }",
    "about-std": "float x = std::max(1, 2);",
    "about-a-header": "namespace cg = cooperative_groups;",
    "shared-and-not": "extern thread_local float a[3];\nextern float a[3];",
}
# {kind: messages} of Triton, which the stored answers raise for real, and of other machines and versions.
SAID = {
    "undefined-in-a-kernel": ["n is not defined"],
    "plain-global": ["Cannot access global variable PAD from within @jit'ed function."],
    "argument-of-a-launch-twice": ["the launch got multiple values for keyword argument 'ROWS'"],
    "argument-missing": ["expected at least 2 arguments, got 1"],
    "no-such-parameter": ["key contains names that are not kernel arguments: m. Valid argument names are: n."],
    "letters-for-parameters": [
        "key contains names that are not kernel arguments: r, o, w. Valid argument names are: n."
    ],
    "print-format": [
        "fp32[4] is not string",
        "Cannot evaluate f-string containing non-constexpr conversion values, found conversion of type fp32",
    ],
    "shipped-softmax": ["this is the course's own softmax, or its choice of a kernel"],
    "nvidia-needed": ["pairs needs an NVIDIA GPU and 16-bit rows that consist of 32-bit words"],
    "no-float32-matrix": ["softmax takes a float32 matrix, and x has the shape (3,) and the type torch.float32"],
    "no-attribute-of-a-block": ["'tensor' object has no attribute 'element_ty'"],
    "no-attribute-of-a-block-in-a-method": ["'int' object has no attribute 'to_tensor'"],
    "block-for-a-tensor": ["exp(): argument 'input' (position 1) must be Tensor, not tensor"],
    "block-indexed": ["unsupported tensor index: 1", "'constexpr' object is not subscriptable"],
    "text-for-a-number": [
        "cannot convert -inf of type <class 'str'> to tensor",
        "can't assign a str to a torch.FloatTensor",
    ],
    "function-for-a-value": ["cannot convert f of type <class 'function'> to tensor"],
    "whole-number-needed": ["range argument must have type `constexpr[int]`"],
    "fraction-in-a-kernel": ["unexpected type fp32"],
    "number-indexed": ["too many indices for tensor of rank 0"],
    "axis-of-numbers": ["axis [3.] out of bounds for shape []"],
    "shapes-misfit": ["Expected pointer argument to have shape [4, 4] but got [4, 1]"],
    "blocks-misfit": ["Cannot make_shape_compatible: incompatible dimensions at index 1: 2 and 4"],
    "product-misfit": ["input and other must have equal reduction dimensions"],
    "no-matrices": ["Both inputs must be either 2D or 3D", "input and other must have equal ranks >= 2"],
    "dtypes-differ": ["Both operands must be same dtype. Got fp32 and fp16", "Float did not match Double"],
    "half-refused": ["Expected dtype ['fp32', 'fp64'] but got bf16"],
    "bitcast": ["Cannot bitcast data-type of size 8 to data-type of size 1"],
    "outside-of-a-kernel": ["Cannot call @triton.jit'd outside of the scope of a kernel"],
    "jit-forgotten": [
        "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)"
    ],
    "warps-no-power-of-two": ["num_warps must be a power of 2"],
    "about-warps": ["num_warps=64 is too many"],
    "block-pointers-removed": ["Block pointers have been removed in favor of the tensor descriptor API"],
    "descriptor-misaligned": ["stride must be 16-byte aligned", "last dim must be contiguous"],
    "no-power-of-two": ["arange's range must be a power of 2", "Shape element 0 must be a power of 2"],
    "no-constexpr": ["arange's arguments must be of type tl.constexpr"],
    "too-many-elements": ["numel (2097152) exceeds triton maximum tensor numel (1048576)"],
    "arange-backwards": ["arange's end argument must be greater than the start argument"],
    "arange-outside": ["arange must fit in int32"],
    "no-such-axis-of-the-grid": ["program_id axis must be 0, 1, or 2 but got -1"],
    "type-changed-in-a-loop": ["Loop-carried variable m has initial type int32 but is re-assigned to fp32 in loop!"],
    "logical-operators": [
        "Logical operators 'and' and 'or' are deprecated for non-scalar tensors; please use '&' or '|' instead"
    ],
    "loop-left": ["unsupported AST node type: Break"],
    "returns": [
        "ret(): incompatible function arguments. The following argument types are supported:\n    1. ret(self)"
    ],
    "mask-of-numbers": ["Mask must have boolean scalar type"],
    "mask-for-a-number": ["Mask argument cannot be block type if pointer argument is not a block"],
    "other-without-mask": ["`other` cannot be provided without `mask`"],
    "block-to-one-address": ["Value argument cannot be block type if pointer argument is not a block"],
    "not-an-address": ["Unsupported ptr type <['8'], fp32> in `tl.store`"],
    "cast-to-an-address": ["cannot cast [1.] to <['1'], pointer<bf16>>"],
    "address-for-a-value": ["cannot cast [5497558139056] to fp32", "Unsupported lhs dtype pointer<fp32>"],
    "address-with-a-fraction": ["invalid operands of type pointer<fp32> and triton.language.float32"],
    "address-as-an-operand": ["invalid operands of type pointer<fp32> and triton.language.int32"],
    "context-misused": [
        "save_for_backward can only save variables, but argument 0 is of type list",
        "attribute 'saved_tensors' of 'torch._C._FunctionBase' objects is not writable",
    ],
    "gradients-miscounted": ["function F returned an incorrect number of gradients (expected 1, got 2)"],
    "gradient-of-another-shape": [
        "Function F returned an invalid gradient at index 0 - got [1] but expected shape compatible with [2]"
    ],
    "no-backward": ["You must implement either the backward or vjp method for your custom autograd.Function"],
    "no-such-device": [
        "Found no NVIDIA driver on your system.",
        "CUDA error: invalid device ordinal",
        "torch.cuda.Stream requires CUDA support",
        "Tried to instantiate dummy base class Event",
    ],
    "no-driver": ["0 active drivers ([]). There should only be one."],
    "no-memory": ["CUDA out of memory. Tried to allocate 93.13 GiB."],
    "gave-up": ["g++: fatal error: Killed signal terminated program cc1plus", "virtual memory exhausted"],
    "chained-comparison": ["simultaneous multiple comparison is not supported"],
    "return-in-a-loop": ["We use SCF, so the loop body should only have one block"],
    "wrong-device": [
        "Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)",
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    ],
    "illegal-access": ["CUDA error: an illegal memory access was encountered\nCompile with `TORCH_USE_CUDA_DSA`."],
    "not-mapped": ["/tmp/kernel0.so: failed to map segment from shared object"],
    "compiler-ended": ["LLVM ERROR: Cannot select: intrinsic %llvm.nvvm.wgmma"],
    "character-of-no-cpp": ["extended character ， is not valid in an identifier", "unknown name 'a，b'"],
    "comment-of-python": ["#pragma omp is no directive that a kernel may have"],
    "colon": ["found ':' in nested-name-specifier, expected '::'"],
    "call-with-a-place": ["too many arguments to function 'float max(float, float, cpu_spot)', 'cpu_spot'"],
}


def raised(text):
    """The message of the error that a text raises."""
    with pytest.raises(Exception) as caught:
        exec(compile(text, "<text>", "exec"), dict(HERE))
    return str(caught.value)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("kind", RUN)
def test_what_python_and_pytorch_say_is_of_its_kind(kind):
    message = raised(RUN[kind])

    assert foreign.is_a(message, kind), message


@pytest.mark.parametrize("kind", COMPILED)
def test_what_gcc_says_is_of_its_kind(kind):
    command = ["g++", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(
        command, input=COMPILED[kind], capture_output=True, text=True, env=os.environ | {"LC_ALL": "C"}
    )
    _, message = foreign.first_error(done.stderr)

    assert foreign.names_a_line(done.stderr) and foreign.is_a(message, kind), done.stderr


@pytest.mark.parametrize("kind, message", [(kind, each) for kind, messages in SAID.items() for each in messages])
def test_what_other_machines_say_is_of_its_kind(kind, message):
    assert foreign.is_a(message, kind)


def test_every_kind_has_an_example_and_a_use():
    assert {*foreign.KINDS} == RUN.keys() | COMPILED.keys() | SAID.keys()
    tables = (errors._OF_A_COMPILED_LINE, errors._IN_SUCH_A_LINE, errors._IN_A_KERNEL, errors._IN_PLAIN_PYTHON)
    asked = {row[0] for table in (*tables, errors._SYNTAX) for row in table} - {""}
    asked |= errors._OF_A_KIND.keys() | errors._OF_A_WIDE_KIND.keys() | report._ADVICE.keys()
    asked |= {kind for path in (*MODULES, WORDING) for kind in asked_for(path)}
    assert {*foreign.KINDS} == asked


def test_the_name_in_a_message_is_told():
    assert "y" == foreign.name_in("name 'y' is not defined", "undefined")
    assert "" == foreign.name_in("name 'y' is not defined", "unbound")
    assert "1" == foreign.name_in(SAID["blocks-misfit"][0], "blocks-misfit")
    assert foreign.is_a("'int' object is not iterable", "not-iterable", "float", "int")
    assert not foreign.is_a("'int' object is not iterable", "not-iterable", "float")
    with pytest.raises(KeyError):
        foreign.is_a("name 'y' is not defined", "no such kind")


def test_a_sentence_of_the_engine_has_no_kind_of_others():
    """Whatever its words are; one of Python's stays Python's when it has got a template."""
    assert not foreign.is_a(said("name 'y' is not defined, and num_warps is 3"), "about-warps")
    assert not foreign.is_a(fault("no-grid", "call it outside of the scope of a kernel"), "outside-of-a-kernel")
    assert foreign.is_a(foreign.recognised("name 'y' is not defined"), "undefined")


def test_a_message_is_put_into_one_line():
    launch = "functools.partial(<function f at 0x7f>, grid=(3,)) got multiple values for argument 'x'"
    assert "the launch got multiple values for argument 'x'" == foreign.unwrapped(launch)
    assert "8 is no block" == foreign.unwrapped("'constexpr[8]' is no block")
    assert "no such thing" == foreign.without_repr("ValueError('no such thing')")
    assert ("4.1", "2", "3") == foreign.todo("TODO 4.1 (2 of 3): load") and ("4.1", None, None) == foreign.todo(
        "TODO 4.1"
    )
    assert foreign.todo("TODO: later") is None
    first = "CUDA error: out of memory\nCompile with `TORCH_USE_CUDA_DSA`."
    assert "CUDA error: out of memory" == foreign.last_line({"type": "RuntimeError", "message": first})
    assert "RuntimeError" == foreign.last_line({"type": "RuntimeError", "message": " "})


def test_the_first_error_of_a_compiler_is_told_with_the_line_of_the_kernel():
    led = "kernel:7:3:   required from here\nmemory.h:9:1: error: static assertion failed: no such access\n"
    assert (7, "no such access") == foreign.first_error(led)
    gap = "kernel:2:1: error: expected ';'\nkernel:4:1: error: static assertion failed: TODO 12.1\n"
    assert (0, "static assertion failed: TODO 12.1") == foreign.first_error(gap)
    infinity = "kernel:3:9: error: 'inf' was not declared in this scope; did you mean 'int'?\n"
    assert (3, "'inf' was not declared in this scope; did you mean 'INFINITY'?") == foreign.first_error(infinity)
    assert "error: no such name" == foreign.of_nvrtc("a warning\nerror: no such name\n1 error\n")


# ---- nobody else looks at the words of a message

MODULES = [
    path
    for path in sorted((ROOT / "grader").rglob("*.py"))
    if "skeleton" not in path.parts and path.parent != ROOT / "grader" / "sentence" / "foreign"
]
WORDING = ROOT / "grader" / "sentence" / "foreign" / "wording.py"
_MESSAGES = {"message", "sentence", "told"}  # names that hold one
_PARTS = {"message", "error_message", "stderr"}  # of an exception, a warning, a process
_LOOKS = {
    "startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count",
    "search", "match", "fullmatch", "findall", "finditer",
}  # fmt: skip
_SAME = {"str", "strip", "lower", "splitlines", "replace", "repr", "split", "partition", "join"}  # still a message


def asked_for(path):
    """The kinds that a module asks for by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = node.args[{"is_a": 1, "name_in": 1, "_error": 0}.get(called, len(node.args)) :][:1]
            yield from (each.value for each in given if isinstance(each, ast.Constant))


def looks_at_words(text):
    """Lines of a module that match a message by its words: with in, ==, a method of str, or a pattern."""
    tree = ast.parse(text)
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    return sorted({line for each in [tree, *functions] for line in _looks(each)})


def _looks(function):
    nodes = [*ast.walk(function)]
    names = set(_MESSAGES) | {h.name for h in nodes if isinstance(h, ast.ExceptHandler) and h.name}
    errors_of_it = {"error"} | names  # `str` of one is its message

    def holds(node):
        """Whether an expression is a message, or a part of one."""
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.Attribute):
            return node.attr in _PARTS
        if isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return key == "message" or (not isinstance(key, str) and holds(node.value))
        if isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called == "get" and node.args and getattr(node.args[0], "value", "") == "message":
                return True
            if called == "message":  # of sentence.said
                return True
            if called == "str" and any(getattr(each, "id", "") in errors_of_it for each in node.args):
                return True
            within = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            return called in _SAME and any(holds(each) for each in [*within, *node.args])
        if isinstance(node, ast.BoolOp):
            return any(map(holds, node.values))
        if isinstance(node, ast.BinOp):
            return holds(node.left) or holds(node.right)
        return isinstance(node, ast.NamedExpr) and holds(node.value)

    pairs = [
        (target, node.value if hasattr(node, "value") else node.iter)
        for node in nodes
        if isinstance(node, (ast.Assign, ast.NamedExpr, ast.For, ast.comprehension))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    for _ in range(3):  # a name that holds a message gives it to the next one
        names |= {target.id for target, value in pairs if isinstance(target, ast.Name) and holds(value)}
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            words = [s for s in sides if isinstance(s, ast.Constant) and isinstance(s.value, str) and s.value]
            words += [s for s in sides[:-1] if isinstance(node.ops[0], (ast.In, ast.NotIn)) and not holds(s)]
            if words and any(map(holds, sides[1:] if isinstance(node.ops[0], (ast.In, ast.NotIn)) else sides)):
                yield node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in _LOOKS | {"sub"}:
            if any(map(holds, [node.func.value, *node.args])):
                yield node.lineno


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_looks_at_the_words_of_a_message(path):
    assert [] == looks_at_words(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "def f(error): return 'out of memory' in error['message']",
        "def f(error): return 'out of memory' not in (error or {}).get('message', '')",
        "def f(error): return error['message'].strip() == 'ROWS'",
        "def f(error): return re.search('shapes', error['message'])",
        "def f(error):\n    said_by = error['message']\n    return said_by.startswith('shapes')",
        "def f(error):\n    for line in error['message'].splitlines():\n        if _PATTERN.match(line): return line",
        "def f(error): return next(line for line in error['message'].splitlines() if 'error' in line)",
        "try: f()\nexcept OSError as error:\n    if 'map segment' in str(error): raise",
        "def f(message): return message.endswith('?')",
        "def f(kind, message): return (kind, word in message)",
        "def f(case, evidence): return bool(_KNOWN.search(evidence.error['message'] or ''))",
        "def f(error): return re.search('active drivers', str(error))",
        "def f(caught): return any('deprecated' in str(warning.message) for warning in caught)",
        "def f(done): return [line for line in done.stderr.splitlines() if line.startswith('LLVM ERROR')]",
        "detect = lambda c, e, a: 'nan' in e.error['message']",
        "def f(record): return record['message'].removeprefix('right numbers, but')",
    ],
)
def test_one_that_does_is_found(text):
    assert looks_at_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "def f(error): return foreign.is_a(error['message'], 'no-memory')",
        "def f(message): return kind_of(message) == 'refused' and 'x' in named(message, 'name')",
        "def f(error): return re.search('exp', error['line'])",
        "def f(record): return bool(record['message']) or record['message'] != ''",
        "def f(error): return error['type'] == 'KeyError' and 'ValueError' in error['kinds']",
    ],
)
def test_one_that_asks_for_kinds_and_values_is_not(text):
    assert [] == looks_at_words(text)
