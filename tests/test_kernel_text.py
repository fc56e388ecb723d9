"""Kernels as text: what a process that runs answers sends, and what the process of the ledger takes."""

import importlib
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import traceback

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch
import triton
import triton.language as tl
from conftest import ROOT, stored

from grader import interpreter
from grader.device_side import kernel_text
from grader.device_side.kernel_text import RefusedKernel, admit
from grader.host_side.kernel_source import UnreadableKernel, collect
from grader.interpreter.triton_private import REWRITER_NAMES, is_kernel
from grader.protocol import schema
from grader.protocol.kernels import Global, KernelFunction, KernelProgram

interpreter.install()
HEADER = "import triton\nimport triton.language as tl\n"
LANGUAGE = {"tl": Global("module", "triton.language"), "triton": Global("module", "triton")}
_counted = itertools.count()


@pytest.fixture(scope="module")
def module_of(tmp_path_factory):
    """module_of(text): the module that a text defines, imported from a file."""
    folder = tmp_path_factory.mktemp("texts")

    def imported(text):
        name = f"text_{next(_counted)}"
        path = folder / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return imported


def sent(kernel):
    """The program of a kernel, after its way through JSON."""
    data = json.dumps(schema.pack(collect(kernel.fn), KernelProgram))
    return schema.unpack(json.loads(data), KernelProgram)


def one(body, header="def kernel(x, y):", names=None, **others):
    """A program of one function with a body, and of others: their sources by name. The names reach all of them."""
    names = LANGUAGE | {"kernel": Global("function", index=0)} | (names or {})
    names |= {name: Global("function", index=i + 1) for i, name in enumerate(others)}
    lines = [header] + [f"    {line}" for line in body.split("\n")]
    functions = [KernelFunction("kernel", "\n".join(lines), True, names)]
    return KernelProgram(functions + [KernelFunction(name, text, True, names) for name, text in others.items()])


# Kernels of the course


def courses_modules(module_of):
    """Modules with the kernels of grader/fast, of tests/right, and of the lessons (without their cells)."""
    for path in sorted((ROOT / "grader" / "fast").glob("*.py")):
        yield importlib.import_module(f"grader.fast.{path.stem}")
    for answer in stored("right"):
        # The fields of named tuples that a launch brings are known at the launch alone.
        if "triton.jit" in answer.source and "named_tuple_arguments" not in answer.name:
            yield module_of(answer.source)
    for path in sorted((ROOT / "solutions").glob("[01]*.py")):
        yield module_of(definitions(path.read_text(encoding="utf-8")))


def definitions(text):
    """The imports of Triton, the constants for kernels and the kernels of a lesson."""
    import ast

    kept = []
    for node in ast.parse(text).body:
        code = ast.unparse(node)
        if code.startswith(("import triton", "import math", "@triton.jit")) or "= tl.constexpr(" in code.split("\n")[0]:
            kept.append(code)
    return "\n".join(kept)


@pytest.mark.whole
def test_every_kernel_of_the_course_arrives(module_of):
    """Nothing in them is refused, and the names that they get are those that they use."""
    seen = 0
    for module in courses_modules(module_of):
        for kernel in [v for v in vars(module).values() if is_kernel(v) and v.fn.__module__ == module.__name__]:
            made = admit(sent(kernel))
            assert made.fn.__name__ == kernel.fn.__name__
            constants = [n for n, a in kernel.fn.__annotations__.items() if str(a).endswith("constexpr")]
            assert set(constants) <= set(made.fn.__annotations__)
            seen += 1

    assert seen > 250


@pytest.mark.parametrize("name", ["05_language_by_another_name", "08_reduce_states", "10_walk_helper", "04_helpers"])
def test_a_kernel_computes_the_same_after_its_journey(module_of, name):
    """The original and the kernel that arrived, launched on the same numbers."""
    module = module_of(next(answer.source for answer in stored("right") if answer.name == name))
    kernel = [value for value in vars(module).values() if is_kernel(value)][-1]
    x, y, z = torch.randn(3, 12), torch.zeros(3, 12), torch.zeros(3, 12)
    sizes = [{"n_rows": 3, "BLOCK": 16}.get(name, 12) for name in kernel.arg_names[2:]]
    kernel[(3,)](y, x, *sizes)
    admit(sent(kernel))[(3,)](z, x, *sizes)

    assert y.abs().sum() > 0
    assert torch.equal(y, z)


def test_the_namespace_of_a_kernel_holds_what_it_uses_and_nothing_else(module_of):
    """Triton's rewriting adds its own global names, NumPy among them; they are taken out again."""
    module = module_of(HEADER + "SCALE = 2.0\n\n@triton.jit\ndef kernel(y):\n    a = SCALE\n    tl.store(y, a)\n")
    names = admit(sent(module.kernel)).fn.__globals__

    assert names.keys() - REWRITER_NAMES == {"__builtins__", "__name__", "__language", "tl", "SCALE"}
    assert "__import__" not in names["__builtins__"]


# Odd but right


def doubled(kernel):
    """What a kernel (y, x, n, BLOCK) stores for 0 to 4."""
    y, x = torch.zeros(5), torch.arange(5.0)
    kernel[(1,)](y, x, 5, BLOCK=8)
    return y.tolist()


JIT = "@triton.jit\n"
SIGNATURE = JIT + "def kernel(y, x, n, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n"
LOAD = "    a = tl.load(x + cols, mask=cols < n, other=0.0)\n"
STORE = "    tl.store(y + cols, {}, mask=cols < n)\n"


def whole(above, value, between=""):
    return HEADER + above + "\n\n" + SIGNATURE + LOAD + between + STORE.format(value)


ODD = {
    "constexpr global": whole("TWO = tl.constexpr(2.0)", "a * TWO"),
    "constexpr dtype": whole("KIND = tl.constexpr(tl.float32)", "a.to(KIND) * 2"),
    "plain global": whole("TWO = 2.0", "a * TWO"),
    "tuple global": whole("TWO = (1.0, 2.0)", "a * TWO[1]"),
    "alias of a function": whole("where = tl.cdiv", "a * where(3, 2)"),
    "alias of a dtype": whole("f32 = tl.float32", "(a * 2).to(f32)"),
    "name from triton.language": whole("from triton.language import cdiv, float32", "a.to(float32) * cdiv(3, 2)"),
    "everything from triton.language": whole("from triton.language import *", "a * cdiv(3, 2)"),
    "the module of mathematics": whole("import triton.language.math", "tl.math.sqrt(a * a) * 2"),
    "the module by its whole name": whole("import triton.language", "triton.language.sqrt(a * a) * 2"),
    "libdevice is imported": whole("from triton.language.extra import libdevice", "a * 2"),
    "cdiv of triton": whole("", "a * triton.cdiv(3, 2)"),
    "inf of math": whole("import math", "tl.where(cols < n, a * 2, -math.inf)"),
    "pi of numpy": whole("import numpy as np", "a * 2 * (np.pi / np.pi)"),
    "attribute of an object": whole(
        "from types import SimpleNamespace\nc = SimpleNamespace(d=SimpleNamespace(n=2))", "a * c.d.n"
    ),
    "helper": whole(JIT + "def twice(v):\n    return v * 2", "twice(a)"),
    "plain helper": whole("def twice(v):\n    return v * 2", "twice(a)"),
    "helper of a helper": whole(
        JIT + "def one(v):\n    return v\n@triton.jit\ndef twice(v):\n    return one(v) + one(v)", "twice(a)"
    ),
    "helpers that call each other": whole(
        JIT + "def even(v, N: tl.constexpr):\n    if N == 0:\n        return v\n    return odd(v, N - 1)\n"
        "@triton.jit\ndef odd(v, N: tl.constexpr):\n    return even(v, N - 1)",
        "even(a, 4) * 2",
    ),
    "helper that is given a function": whole(
        JIT + "def twice(v):\n    return v * 2\n@triton.jit\ndef use(f: tl.constexpr, v):\n    return f(v)",
        "use(twice, a)",
    ),
    "several decorators": whole(
        "@triton.jit\n@(lambda f: f)\n# between\n@(\n    lambda f: f\n)\ndef twice(v):\n    return v * 2", "twice(a)"
    ),
    "wrapped": whole(
        "import functools\ndef same(f):\n    @functools.wraps(f)\n    def g(*a, **k):\n        return f(*a, **k)\n"
        "    return g\n"
        "@same\ndef twice(v):\n    return v * 2",
        "twice(a)",
    ),
    "many returns": whole(
        JIT + "def twice(v, N: tl.constexpr):\n    if N == 1:\n        return v\n    else:\n        return v * 2",
        "twice(a, 2)",
    ),
    "tuples": whole(JIT + "def pair(v):\n    return v, v * 2", "last + 0 * first", "    first, last = pair(a)\n"),
    "default value": whole(
        JIT + "def scaled(v, BY: tl.constexpr = 2, *, plus=0.0):\n    return v * BY + plus", "scaled(a)"
    ),
    "default value that is a name": whole(
        "N = 2\n@triton.jit\n"
        "def scaled(v, BY: tl.constexpr = N, kind: tl.constexpr = tl.float32):\n    return (v * BY).to(kind)",
        "scaled(a)",
    ),
    "keyword-only parameters": whole(JIT + "def scaled(v, *, by):\n    return v * by", "scaled(a, by=2)"),
    "positional-only parameters": whole(JIT + "def scaled(v, /, by):\n    return v * by", "scaled(a, by=2)"),
    "annotations of other kinds": whole(
        JIT + "def scaled(v: 'a block', by: [print][0] = 2) -> tl.tensor:\n    return v * by", "scaled(a)"
    ),
    "constexpr under two names": whole(
        "C = tl.constexpr", "tl.zeros((BLOCK, M), tl.float32).sum(axis=1) + a * 2"
    ).replace("BLOCK: tl.constexpr)", "BLOCK: C, M: 'tl.constexpr' = 8)"),
    "header of many lines": whole(
        JIT + "def scaled(\n    v: int,  # a block\n    by=2,\n):\n    # nothing\n\n    return v * by", "scaled(a)"
    ),
    "function of one line": whole(JIT + "def scaled(v: int, by=2): return v * by", "scaled(a)"),
    "function of one line after two": whole(JIT + "def scaled(v: int,\n  by=2): w = v; return w * by", "scaled(a)"),
    "docstring and comments": whole(
        '@triton.jit\ndef twice(v):  # type: (int) -> int\n    """Twice.\n\n    Or more: é.\n    """\n    # nothing\n'
        "    w = v * 2  # type: ignore\n    return w",
        "twice(a)",
    ),
    "static_range": whole("", "b", "    b = a * 0\n    for i in tl.static_range(2):\n        b += a\n"),
    "while": whole("", "b", "    b = a * 0\n    i = 0\n    while i < 2:\n        b += a\n        i += 1\n"),
    "if on a constexpr": whole("", "b", "    if BLOCK == 8:\n        b = a * 2\n    else:\n        b = a\n"),
    "conditional expression": whole("", "a * (2 if BLOCK > 4 else 3)"),
    "local constexpr": whole("", "a * TWO", "    TWO: tl.constexpr = 2\n"),
    "comprehension": whole("", "a * parts[1]", "    parts = [i + 1 for i in (0, 1)]\n"),
    "walrus": whole("", "a + b", "    tl.static_assert((b := a) is not None)\n"),
    "text with a value": whole(
        "", "a * 2", "    tl.static_assert(BLOCK == 8, f'{BLOCK!r}')\n    assert BLOCK, 'none'\n"
    ),
    "starred argument": whole(JIT + "def add(v, w):\n    return v + w", "add(*b)", "    b = (a, a)\n"),
    "reduce with a function": whole(
        JIT + "def larger(v, w):\n    return tl.maximum(v, w)", "a * 2 + 0 * tl.reduce(a, 0, larger)"
    ),
    "methods and properties": whole("", "a.to(tl.float32) * 2 + 0 * a.sum().to(a.dtype) + 0 * a.shape[0]"),
    "private local names": whole("", "_b * 2", "    _b = a\n"),
    "local name of a global": whole("", "time * 2", "    time = a\n"),
    "PropagateNan": whole("", "tl.maximum(a, a, propagate_nan=tl.PropagateNan.ALL) * 2"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_style_that_is_right_is_taken(module_of, name):
    """Each of these kernels doubles its numbers."""
    assert doubled(admit(sent(module_of(ODD[name]).kernel))) == [0, 2, 4, 6, 8]


def test_a_kernel_inside_a_function_keeps_what_it_closes_over(module_of):
    """Its names are those of the function around it, and its text is not indented."""
    inner = "".join(f"    {line}\n" for line in (SIGNATURE + LOAD + STORE.format("twice(a) * by")).splitlines())
    text = (
        f"{HEADER}def made(by):\n    @triton.jit\n    def twice(v):\n        return v * 2\n{inner}    return kernel\n"
    )

    assert doubled(admit(sent(module_of(text).made(1)))) == [0, 2, 4, 6, 8]


def test_a_kernel_without_a_text_is_an_error_in_one_sentence():
    """A function that was made by exec has no lines."""
    names = {}
    exec("def kernel(x):\n    pass", names)

    with pytest.raises(UnreadableKernel, match="^the text of kernel cannot be read: define it with `def`"):
        collect(names["kernel"])


def test_an_error_shows_the_line_of_the_learner(module_of):
    """The text that runs has the lines of the answer, and a traceback finds them, also after a changed header."""
    text = whole("", "a", "    a = cols[0, 0]  # here\n").replace("n, BLOCK", "n: 'a number',\n    BLOCK")
    with pytest.raises(Exception, match="too many indices|rank|.") as caught:
        doubled(admit(sent(module_of(text).kernel)))
    frames = traceback.extract_tb(caught.value.__traceback__)

    assert [f.line for f in frames if f.filename.startswith("<kernel kernel ")] == ["a = cols[0, 0]  # here"]


@pytest.mark.skipif(triton.__version__ < "3.6", reason="before Triton 3.6 a launch replaces it for good")
def test_a_name_imported_from_the_language_is_the_function_that_no_launch_replaces(module_of):
    """Such a kernel fails with "did you forget to add @triton.jit", as it does where it is written."""
    module = module_of(whole("from triton.language import exp", "exp(a)"))

    assert module.exp is admit(sent(module.kernel)).fn.__globals__["exp"]


# Wrong, and taken all the same: it fails later, as it always does


@pytest.mark.parametrize(
    "value, kind, message",
    [
        ("abs(a, a)", TypeError, "takes exactly one argument"),
        ("a / total", NameError, "name 'total' is not defined"),
        ("np.exp(a)", NameError, "name 'np' is not defined"),
        ("math.inf", NameError, "name 'math' is not defined"),
        ("interpreter_builder.options", NameError, "is not defined"),
        ("tl.tanh(a)", AttributeError, "module 'triton.language' has no attribute 'tanh'"),
        ("tl.sum(a, dim=0)", TypeError, "unexpected keyword argument 'dim'"),
        ("a @ a", TypeError, "unsupported operand"),
        ("twice(a)", TypeError, "missing 1 required positional argument"),
    ],
)  # fmt: skip
def test_a_harmless_mistake_fails_when_it_runs(module_of, value, kind, message):
    """The names of mistakes follow from these messages."""
    made = admit(sent(module_of(whole("@triton.jit\ndef twice(v, w):\n    return v * 2", value)).kernel))

    with pytest.raises(kind, match=message):
        doubled(made)


# Escapes

HELPER = "def helper(v):\n    return v"
# The body of a kernel (x, y), and a part of the sentence that refuses it.
ESCAPES = [
    # statements
    ("import os", "no such construct"),
    ("from triton.runtime import interpreter", "no such construct"),
    ("from triton.language import *", "no such construct"),
    ("try:\n    a = 1 / 0\nexcept Exception as e:\n    tb = e", "no such construct"),
    ("class A:\n    pass", "`class`"),
    ("with x as b:\n    pass", "`with`"),
    ("del x", "`del`"),
    ("global np\nnp = 1", "`global`"),
    ("yield x", "`yield`"),
    ("a = yield from x", "`yield`"),
    ("raise ValueError", "`raise`"),
    ("def inner():\n    pass", "a function inside a kernel"),
    ("async def inner():\n    pass", "`async`"),
    ("match x:\n    case object(handle=h):\n        pass", "`match`"),
    # expressions
    ("f = lambda: 0", "`lambda`"),
    ("g = (a for a in x)", "a generator"),
    ("g = {a: a for a in x}", "a dictionary"),
    ("g = {1: 2}", "a dictionary"),
    ("a = b'bytes'", "numbers, text"),
    ("a = 1j", "numbers, text"),
    ("f'{x:>9999999999}'", "no formats"),
    ("f'{x.handle}'", "`handle`"),
    ("f'{x.handle!r}'", "`handle`"),
    ("x[0] = 1", "cannot assign to a part"),
    ("x.shape = 1", "cannot set an attribute"),
    ("x.handle.data[0] = 1", "cannot assign to a part|cannot set"),
    ("for x.handle in y:\n    pass", "cannot set an attribute"),
    ("[0 for x.data in y]", "cannot set an attribute"),
    ("(x.T, x.handle), b = y, y", "cannot set an attribute"),
    # names
    ("a = __builtins__", "may not use this name"),
    ("a = __import__('os')", "may not use this name"),
    ("a = __name__", "may not use this name"),
    ("a = __language.core", "may not use this name"),
    ("__language = x", "may not use this name"),
    ("a = interpreter_semantic.builder", "may not use this name"),
    ("interpreter_semantic = x", "may not use this name"),
    ("_InterpreterComparison = x", "may not use this name"),
    ("a = __\U0001d41builtins__", "may not use this name"),
    ("\uff4f\uff50\uff45\uff4e('a')", "this function of Python"),
    ("x.\U0001d421andle", "`handle`"),
    ("open('/etc/passwd')", "this function of Python"),
    ("eval('1')", "this function of Python"),
    ("exec('1')", "this function of Python"),
    ("getattr(x, 'handle')", "this function of Python"),
    ("hasattr(x, 'handle')", "this function of Python"),
    ("setattr(x, 'handle', 0)", "this function of Python"),
    ("vars(x)", "this function of Python"),
    ("type(x)", "this function of Python"),
    ("object()", "this function of Python"),
    ("globals()", "this function of Python"),
    ("breakpoint()", "this function of Python"),
    ("ValueError('a')", "this function of Python"),
    ("memoryview(x)", "this function of Python"),
    ("str(x)", "this function of Python"),
    ("[open for open in (1,)]\na = open", "this function of Python"),
    ("[tl for tl in (1,)]\na = tl", "a module is no value"),
    ("a = [tl for tl in (tl,)]", "a module is no value"),
    # attributes of values
    ("x.handle", "`handle`"),
    ("x.handle.data.tofile('a')", "`handle`"),
    ("x.data", "`data`"),
    ("x.T.handle", "`handle`"),
    ("x.sum().handle", "`handle`"),
    ("(x + y).handle", "`handle`"),
    ("(x if y else y).handle", "`handle`"),
    ("x[0].handle", "`handle`"),
    ("(b := x).handle", "`handle`"),
    ("x.h\u00aandle", "`handle`"),
    ("x.__class__", "`__class__`"),
    ("x._semantic", "`_semantic`"),
    ("x.type.to_ir(y)", "`to_ir`"),
    ("x.dtype.kind()", "`kind`"),
    ("''.format(x)", "`format`"),
    ("'{0.handle}'.format(x)", "`format`"),
    ("'{0.handle}'.format_map(x)", "`format_map`"),
    ("'a'.join(x)", "`join`"),
    ("'a'.encode()", "`encode`"),
    ("(1).to_bytes(8)", "`to_bytes`"),
    ("float.fromhex('1')", "`fromhex`"),
    ("int.from_bytes(x)", "`from_bytes`"),
    ("len.__self__", "`__self__`"),
    ("range.__class__.__base__.__subclasses__()", "not public"),
    ("().__class__.__base__", "not public"),
    ("[].append(x)", "`append`"),
    ("zip.mro()", "`mro`"),
    ("helper.fn", "`fn`"),
    ("helper.__globals__", "`__globals__`"),
    ("helper.rewriter.fn", "`rewriter`"),
    ("helper.run(x)", "`run`"),
    ("helper.pre_run_hooks.append(x)", "`pre_run_hooks`"),
    ("kernel.fn", "`fn`"),
    ("tl.sum.fn.__globals__", "not public"),
    ("tl.load.fn", "`fn`"),
    # parts of Triton's language that are not for kernels
    ("tl.core", "another part"),
    ("tl.core.inspect", "another part"),
    ("tl.core.builtin(x)", "another part"),
    ("tl.standard.core.extern_elementwise('a', 'b', x, y, True)", "another part"),
    ("tl.math.core", "another part"),
    ("tl.math.wraps(x)", "another part"),
    ("tl.random.jit", "another part"),
    ("tl.extra.pkgutil", "another part"),
    ("tl.extra.module_from_spec", "another part"),
    ("tl.str_to_ty('*fp32', None)", "another part"),
    ("tl.tensor(x, y)", "another part"),
    ("tl.tensor.handle", "another part"),
    ("tl.block_type(x, y)", "another part"),
    ("tl.dtype('fp32')", "another part"),
    ("tl.PropagateNan.mro()", "another part|no value"),
    ("triton.runtime", "another part"),
    ("triton.language.core", "another part"),
    ("triton.jit(x)", "another part"),
    ("triton.testing", "another part"),
    ("a = tl", "a module is no value"),
    ("a = tl.math", "a module is no value"),
    ("helper(tl)", "a module is no value"),
    ("helper(triton.language)", "a module is no value"),
    # calls
    ("helper[(1,)](x)", "calls functions by their names"),
    ("tl.sum[(1,)](x)", "calls functions by their names"),
    ("helper(x)(y)", "calls functions by their names"),
    ("helper(**x)", "no `\\*\\*`"),
    ("tl.load(x, member=helper)", "may not set `member`"),
    ("tl.load(x, _semantic=y)", "may not set `_semantic`"),
    ("tl.load(x, __builtins__=y)", "may not set `__builtins__`"),
    ("x.sum(_builder=y)", "may not set `_builder`"),
]  # fmt: skip


@pytest.mark.parametrize("body, why", ESCAPES, ids=[body.replace("\n", ";") for body, _ in ESCAPES])
def test_an_escape_is_refused_in_one_sentence(body, why):
    """It names the construct and the line. A kernel without it is taken."""
    with pytest.raises(RefusedKernel, match=why) as caught:
        admit(one(body, helper=HELPER))
    assert "\n" not in str(caught.value)


def test_a_sentence_names_the_construct_and_the_line():
    """The control: the same kernel without it is taken."""
    names = {"torch": Global("foreign", "PyTorch's", "torch"), "exp": Global("foreign", "Python's")}
    admit(one("y = tl.exp(x)", names=names))
    with pytest.raises(RefusedKernel) as caught:
        admit(one("pass\ny = torch.exp(x)  # e", names=names))
    with pytest.raises(RefusedKernel, match="^`exp` in the line `y = exp.x.`: a kernel takes .* this one is Python's$"):
        admit(one("y = exp(x)", names=names))

    why = "a kernel takes Triton's own functions and dtypes, and this one is PyTorch's"
    assert f"`torch.exp` in the line `y = torch.exp(x)  # e`: {why}" == str(caught.value)


# A text of which another reader makes something else, or that runs before the kernel does

RUNS = "open('{marker}', 'w')"
HIDDEN = {
    "a def in a text": 'def kernel(x):\n    a = """\ndef kernel(x):\n    {runs}  # """',
    "a def in a continued text": "def kernel(x):\n    a = '\\\ndef kernel(x): {runs} #'",
    "two definitions": "def kernel(x):\n    pass\n{runs}",
    "no definition": "kernel = {runs}",
    "an asynchronous one": "async def kernel(x):\n    {runs}",
    "another name": "def other(x):\n    pass",
    "a form feed": "def kernel(x):\n    a = '\x0c'\n",
    "a carriage return": "def kernel(x):\n    a = 1 # \r    {runs}\n",
    "a line separator": "def kernel(x):\n    a = 1 # \u2028    {runs}\n",
    "a next line": "def kernel(x):\n    a = 1 # \x85    {runs}\n",
    "a null": "def kernel(x):\n    a = 1 # \0    {runs}\n",
    "half a character": "def kernel(x):\n    a = '\ud800'\n",
    "no Python": "def kernel(x):\n    return return",
    "a long number": "def kernel(x):\n    a = " + "1" * 5000,
    "a long text": "def kernel(x):\n    a = '" + "1" * 300_000 + "'",
    "many brackets": "def kernel(x):\n    a = " + "(" * 5000 + ")" * 5000,
    "many signs": "def kernel(x):\n    a = " + "-" * 50_000 + "x",
    "a long sum": "def kernel(x):\n    a = x" + " + x" * 20_000,
    "many attributes": "def kernel(x):\n    a = x" + ".T" * 50_000,
    "many blocks": "def kernel(x):\n" + "".join(" " * i + "if x:\n" for i in range(1, 200)) + " " * 200 + "pass",
    "a comprehension's name": "def kernel(x):\n    return [x := 1 for x in (1,)]",
    "two stars": "def kernel(**x):\n    pass",
    "a parameter of the interpreter": "def kernel(interpreter_semantic):\n    a = 1",
    "a parameter that Triton fills in": "def kernel(x, _semantic=None):\n    pass",
    "a hidden parameter": "def kernel(__language):\n    pass",
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN)
def test_a_text_with_two_readings_is_refused(tmp_path, name):
    """Triton cuts a text at `def` and parses it again; other readers end lines elsewhere."""
    marker = tmp_path / "marker"
    source = HIDDEN[name].replace("{runs}", RUNS.format(marker=marker))
    with pytest.raises(RefusedKernel) as caught:
        admit(KernelProgram([KernelFunction("kernel", source, True, LANGUAGE)]))

    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert not marker.exists()


def test_a_def_in_a_docstring_is_text(tmp_path):
    """Triton cuts a text at a line that begins with `def`; here that line is no code."""
    marker = tmp_path / "marker"
    source = 'def kernel(x):\n    """\ndef kernel(x):\n    {runs}  # """\n    a = 1 / 0'
    function = KernelFunction("kernel", source.replace("{runs}", RUNS.format(marker=marker)), True, LANGUAGE)
    made = admit(KernelProgram([function]))

    with pytest.raises(Exception, match="division by zero") as caught:
        made[(1,)](torch.zeros(1))
    assert "    a = 1 / 0" in "".join(traceback.format_exception(caught.value))
    assert not marker.exists()


FIELDS = Global("named", value=[["handle", "max"], [2.0]])


def test_a_field_of_a_named_tuple_is_no_attribute_of_anything_else():
    """A field may be called as an attribute that leads out of Triton's language is."""
    names = LANGUAGE | {"State": FIELDS}

    def of(body):
        return KernelProgram([KernelFunction("kernel", f"def kernel(x):\n    {body}", True, names)], ["handle", "max"])

    admit(of("s = State(x, max=1.0)\n    tl.store(x, s.handle + s.max)"))
    made = admit(of("s = State(handle=x)\n    tl.store(s.handle, s.max + 1)\n    y = x.handle"))
    x = torch.zeros(1)
    with pytest.raises(Exception, match="has no attribute 'handle__field'") as caught:
        made[(1,)](x)

    assert x.item() == 3.0
    assert "    y = x.handle" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "value",
    [None, "handle", [["handle"]], [["__class__"], []], [["a b"], []], [["def"], []], [["a"], [1, 2]]],
)
def test_a_named_tuple_has_plain_fields(value):
    """They arrive from a stranger."""
    names = LANGUAGE | {"State": Global("named", value=value)}
    with pytest.raises(RefusedKernel, match="fields of a named tuple"):
        admit(KernelProgram([KernelFunction("kernel", "def kernel(x):\n    y = State(x)", True, names)]))


@pytest.mark.parametrize(
    "source",
    [
        "@{runs}\ndef kernel(x):\n    pass",
        "def kernel(x: {runs}):\n    pass",
        "def kernel(x: (a := {runs}), *y: {runs}):\n    pass",
        "def kernel(x, *, y: {runs}):\n    pass",
        "def kernel(x) -> {runs}:\n    pass",
        "def kernel(n={runs}):\n    pass",
        "def kernel(*, n={runs}):\n    pass",
        "def kernel(n=(lambda: {runs})()):\n    pass",
        "def kernel(x: '{runs}.constexpr'):\n    pass",
    ],
)
def test_nothing_of_a_header_runs(tmp_path, source):
    """Decorators and most annotations are dropped, and a default value is what arrived beside the text."""
    marker = tmp_path / "marker"
    runs = RUNS.format(marker=marker).replace("'", '"') if "'" in source else RUNS.format(marker=marker)
    function = KernelFunction("kernel", source.format(runs=runs), True, LANGUAGE, {"n": Global("plain", value=3)})
    made = admit(KernelProgram([function]))

    assert made.fn.__annotations__ == {}
    assert (made.fn.__defaults__ or tuple((made.fn.__kwdefaults__ or {"n": 3}).values())) == (3,)
    assert not marker.exists()


@pytest.mark.parametrize(
    "source",
    [
        'def\tkernel(x):\n    """\n{runs}  # """',
        'def \\\n  kernel(x):\n    """\n{runs}  # """',
        'def kernel(x, n="""\ndef kernel(x):\n    {runs}  # """):\n    pass',
    ],
)
def test_a_header_that_triton_would_not_find_is_written_anew(tmp_path, source):
    """Triton would take another line for it, and run that."""
    marker = tmp_path / "marker"
    source = source.replace("{runs}", RUNS.format(marker=marker))
    function = KernelFunction("kernel", source, True, LANGUAGE, {"n": Global("plain", value=3)})
    admit(KernelProgram([function]))[(1,)](torch.zeros(1))

    assert not marker.exists()


# Meanings that no honest sender sends


@pytest.mark.parametrize(
    "meaning, body",
    [
        (Global("module", "os"), "a.system('true')"),
        (Global("module", "builtins"), "a.open('a')"),
        (Global("module", "triton.language.core"), "a.inspect"),
        (Global("module", "triton.language.core"), "a.load(x)"),
        (Global("module", "triton.runtime"), "a.jit"),
        (Global("library", "os", "system"), "a('true')"),
        (Global("library", "triton.language", "core"), "a.inspect"),
        (Global("library", "triton.language", "tensor"), "a(x, y)"),
        (Global("library", "triton.language", "__loader__"), "a(x)"),
        (Global("library", "triton.language.math", "load.fn"), "a(x)"),
        (Global("function", index=7), "a(x)"),
        (Global("function", index=-1), "a(x)"),
        (Global("plain", value=object()), "b = a"),
        (Global("plain", value=iter([1])), "b = a"),
        (Global("plain", value=torch.float32), "b = a"),
        (Global("plain", value=(1, {2: 3})), "b = a"),
        (Global("plain", value="text"), "a.format(x)"),
        (Global("plain", value=3, constexpr=True), "a.value.real"),
        (Global("foreign", "PyTorch's", "torch"), "b = a"),
        (Global("foreign", "PyTorch's", "torch"), "a.exp(x)"),
        (Global("foreign", "PyTorch's", "torch", constexpr=True), "b = a.value"),
    ],
)  # fmt: skip
def test_a_meaning_that_is_none_is_refused(meaning, body):
    """The sender says what a name means; that gives no object which Triton's language does not have."""
    with pytest.raises(RefusedKernel):
        admit(one(body, names={"a": meaning}))


@pytest.mark.parametrize("name", ["__builtins__", "__import__", "interpreter_semantic", "open.x", "x", "unused"])
def test_a_meaning_of_a_name_that_the_text_does_not_use_is_left_out(name):
    """So the sender puts nothing into the namespace beside the names that were checked."""
    names = admit(one("y = x", names={name: Global("plain", value=1), "open": Global("foreign")})).fn.__globals__

    assert names.keys() - REWRITER_NAMES == {"__builtins__", "__name__", "__language"}
    assert 1 not in names.values()


def test_a_foreign_object_arrives_as_the_attributes_that_are_used():
    """Each is a meaning of its own; a module keeps its name unless Triton's compiler goes by it."""
    names = {"a": Global("foreign", "", "triton.language.extra.libdevice"), "a.b": Global("plain", value=2.0)}
    holder = admit(one("c = a.b", names=names | {"a.c": Global("plain", value=3.0)})).fn.__globals__["a"]

    assert vars(holder) == {"b": 2.0}


@pytest.mark.parametrize(
    "default", [Global("foreign", "x"), Global("function", index=0), Global("module", "triton.language"), None]
)
def test_a_default_value_is_a_constant(default):
    """Anything else is refused, also where the text says a number."""
    defaults = {} if default is None else {"n": default}

    with pytest.raises(RefusedKernel, match="a default value of a kernel is"):
        admit(KernelProgram([KernelFunction("kernel", "def kernel(n=3):\n    pass", True, {}, defaults)]))


def test_no_program_keeps_a_value_for_the_next_one():
    """A list would: it arrives as a tuple."""
    defaults = {"n": Global("plain", value=[1, [2]])}
    source = "def kernel(x, n=[1, [2]]):\n    n += [x]\n    m = a"
    names = {"a": Global("plain", value=[3])}
    made = admit(KernelProgram([KernelFunction("kernel", source, True, names, defaults)]))

    assert made.fn.__defaults__ == ((1, (2,)),)
    assert made.fn.__globals__["a"] == (3,)


def test_a_kernel_is_not_launched_by_a_kernel():
    """Not by way of an argument either, where the text alone does not show it."""
    launched = "def launched(v):\n    tl.store(v, 1.0)"
    program = one("b = by(x, launched)", by="def by(v, f):\n    g = f[(1,)]\n    g(v)", launched=launched)

    with pytest.raises(interpreter.KernelMisuse, match="launched is launched inside a kernel"):
        admit(program)[(1,)](torch.zeros(1), 0)


@pytest.mark.parametrize("spoiled", ["source", "name", "jit", "names", "defaults"])
def test_what_is_no_program_does_not_arrive(spoiled):
    """The types of all fields are checked where a message is unpacked."""
    data = schema.pack(one("pass"), KernelProgram)
    data["functions"][0][spoiled] = 7

    with pytest.raises(schema.Mismatch):
        schema.unpack(data, KernelProgram)


def test_a_program_has_a_function():
    """None is no kernel, and neither are thousands."""
    for count in (0, 1000):
        with pytest.raises(RefusedKernel):
            admit(KernelProgram([KernelFunction("kernel", "def kernel():\n    pass", True)] * count))


def test_no_attribute_of_the_list_leads_out_of_the_language():
    """Objects that are no blocks, types or constants have none of them, but two that give text and None."""
    samples = [
        0,
        0.5,
        True,
        None,
        ...,
        "a",
        (),
        range(3),
        slice(3),
        zip(),
        enumerate(()),
        len,
        float,
        type,
        os,
        "".join,
    ]
    samples += [triton.jit, tl.sum, tl.load, tl.range, test_a_program_has_a_function]

    assert {name for sample in samples for name in kernel_text._ATTRIBUTES & set(dir(sample))} == {"name", "split"}
    assert kernel_text._ATTRIBUTES & set(dir([])) == {"sort"}


# The same kernels, where Triton compiles

_LOWERED = """
import importlib.util, json, re, sys
sys.path.insert(0, sys.argv[1])
from grader.device_side.kernel_text import admit
from grader.host_side.kernel_source import collect
from grader.interpreter.triton_private import make_ir

def outcome(kernel):
    types = {n: {"y": "*fp32", "x": "*fp32", "n": "i32"}.get(n, "constexpr") for n in kernel.arg_names}
    try:
        make_ir(kernel, types, {"BLOCK": 8}, {}, ("cuda", 80, 32))
    except Exception as error:
        return re.sub("0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")
    return "lowered"

found = []
for path in sys.argv[2:]:
    spec = importlib.util.spec_from_file_location("text", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found.append([outcome(module.kernel), outcome(admit(collect(module.kernel.fn)))])
print(json.dumps(found))
"""
LOWERED = {
    "tuples": "lowered", "default value that is a name": "lowered", "constexpr global": "lowered",
    "inf of math": "lowered",
    "reduce with a function": "lowered", "several decorators": "lowered", "alias of a dtype": "lowered",
    "helper that is given a function": "lowered", "header of many lines": "lowered",
    "plain global": "Cannot access global", "plain helper": "Cannot access global",
    "attribute of an object": "Cannot access global",
}  # fmt: skip


@pytest.mark.whole
def test_the_compiler_says_the_same_of_a_kernel_that_arrived(tmp_path):
    """Without TRITON_INTERPRET the same function gives Triton's JITFunction, and the front end lowers or refuses it."""
    paths = [tmp_path / f"text_{i}.py" for i in range(len(LOWERED))]
    for path, name in zip(paths, LOWERED):
        path.write_text(ODD[name], encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["FIVE_PASSES_WORKER"] = "1"
    command = [sys.executable, "-c", _LOWERED, str(ROOT), *map(str, paths)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]
    outcomes = dict(zip(LOWERED, json.loads(done.stdout)))

    assert {name: both for name, both in outcomes.items() if both[0] != both[1]} == {}
    assert {name: both[0] for name, both in outcomes.items() if LOWERED[name] not in both[0]} == {}
