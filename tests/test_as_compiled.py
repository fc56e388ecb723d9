"""What runs interpreted is what Triton's code generator visited for the types and constants of the launch."""

import contextlib

import numpy as np
import pytest
import torch
import triton.language as tl

from grader.device_side import visited
from grader.judge import compiled, zygotes
from grader.judge.time_limit import TimeLimit
from grader.spec import Call

HEADER = "import torch\nimport triton\nimport triton.language as tl\n\n"
JIT = "@triton.jit\n"
OPENING = "    cols = tl.arange(0, BLOCK)\n    x = tl.load(x_ptr + cols)\n"
X = torch.arange(1.0, 9.0)
OTHERWISE = ("to Triton's compiler, a value in this line is", "a line that Triton's compiler leaves out")


def kernel(body, above="", parameters="y_ptr, x_ptr, n, BLOCK: tl.constexpr"):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f"{HEADER}{above}\n{JIT}def kernel({parameters}):\n{OPENING}{lines}"


def launch(n=8, **constants):
    return Call("launch", "kernel", (torch.zeros(8), X, n), {"BLOCK": 8, **constants}, grid=(1,))


def run(source, *calls):
    """[(y or None, message of an error or "", messages of the compiler)], one for each call."""
    front_end, found = compiled.FrontEnd(TimeLimit(30), []), []
    with contextlib.closing(front_end), zygotes.get().open(source, 30, "", front_end.lower, apart=True) as session:
        assert session.loading_error is None
        for call in calls:
            evidence = session.run(call, None, front_end.lower)
            y = evidence.args[0] if evidence.args and call.kind == "launch" else evidence.value
            refused, front_end.refusals = front_end.refusals, []
            error = evidence.error["message"] if evidence.error else ""
            found.append((None if error else y, error, [each["message"] for each in refused]))
    return found


ADD = f"{JIT}def add(a, b):\n    return a + b\n"
SCALED = (
    f"{JIT}def scaled(a, k: tl.constexpr = 3):\n    if k == 3:\n        return a\n    else:\n        return a * k\n"
)
# (body of a kernel, what it stores in units of x), and what stands above it
SAME = {
    "branch left out": (
        "if BLOCK == 8:\n    tl.store(y_ptr + cols, x)\nelse:\n    tl.store(y_ptr + cols, 2 * x)",
        1,
        "",
    ),
    "return in a branch": (
        "if BLOCK == 8:\n    tl.store(y_ptr + cols, x)\n    return\ntl.store(y_ptr + cols, 0 * x)",
        1,
        "",
    ),
    "return": ("tl.store(y_ptr + cols, x)\nreturn\ntl.store(y_ptr + cols, 0 * x)", 1, ""),
    "return at run time": ("tl.store(y_ptr + cols, x)\nif n > 3:\n    return\ntl.store(y_ptr + cols, 0 * x)", 1, ""),
    "global constant": ("if PAD > 1:\n    tl.store(y_ptr + cols, x * PAD)", 2, "PAD = tl.constexpr(2)\n"),
    "value of a constant": ("tl.store(y_ptr + cols, x * BLOCK.value)", 8, ""),
    "unrolled": ("for i in tl.static_range(3):\n    if i == 2:\n        tl.store(y_ptr + cols, x * i)", 2, ""),
    "unrolled in a loop": (
        "a = x * 0\nfor i in range(0, n):\n    for j in tl.static_range(2):\n        if j == 1:\n            a += x\n"
        "        else:\n            a += 2 * x\ntl.store(y_ptr + cols, a)",
        24,
        "",
    ),
    "helper twice": ("tl.store(y_ptr + cols, scaled(x) + scaled(x, 2))", 3, SCALED),
    "helper in a helper": (
        "tl.store(y_ptr + cols, f(g(x, 1), g(x, 2)))",
        6,
        f"{JIT}def g(a, k: tl.constexpr):\n    return a * k\n"
        f"{JIT}def f(a, b):\n    return g(a, 1) + g(b, 2) + g(a, 1)\n",
    ),
    "recursion": (
        "tl.store(y_ptr + cols, x * r(3))",
        1,
        f"{JIT}def r(k: tl.constexpr):\n    if k == 0:\n        return 1\n    else:\n        return r(k - 1)\n",
    ),
    "reduced by one's own": ("tl.store(y_ptr + cols, x * (tl.reduce(x, 0, add) / 36))", 1, ADD),
    "max of a block": ("tl.store(y_ptr + cols, x * max(cols * 0, 2))", 2, ""),
    "counter": ("for i in range(0, 1):\n    tl.store(y_ptr + cols + 8 * i.to(tl.int64), x)", 1, ""),
    "counter that overflows": ("for i in range(1, 2):\n    tl.store(y_ptr + cols, x * (1 + i * 65536 * 65536))", 1, ""),
    "counter divided": ("for i in range(-1, 0):\n    tl.store(y_ptr + cols, x * (1 + i // 2))", 1, ""),
    "type": ("if x.dtype == tl.float32:\n    tl.store(y_ptr + cols, x)", 1, ""),
}


@pytest.mark.parametrize("body, times, above", SAME.values(), ids=SAME)
def test_a_kernel_with_one_meaning_runs(body, times, above):
    """Branches, loops and helpers of several kinds; none is refused, and each gives what the compiled one would."""
    ((y, error, refused),) = run(kernel(body, above), launch())

    assert (error, refused) == ("", [])
    assert torch.equal(y, times * X)


def test_the_parts_of_a_list_are_rounds_of_a_loop():
    """Triton 3.4 has no lists in a kernel, and says so."""
    ((y, _, refused),) = run(kernel("t = [x * i for i in (1, 2, 3) if i > 1]\ntl.store(y_ptr + cols, t[1])"), launch())

    assert torch.equal(y, 3 * X)
    assert refused in ([], ["unsupported AST node type: ListComp"])


def test_a_constant_may_be_a_type_and_a_text():
    """They travel to the compiler as what they are."""
    source = kernel(
        "if HOW == 'twice':\n    tl.store(y_ptr + cols, x.to(OUT) * 2)",
        "",
        "y_ptr, x_ptr, n, BLOCK: tl.constexpr, OUT: tl.constexpr = tl.float16, HOW: tl.constexpr = 'twice'",
    )

    assert [(error, refused) for _, error, refused in run(source, launch())] == [("", [])]


WORK = "    tl.store(y_ptr + cols, x)\n"
OF_A_NUMBER = f"{JIT}def work(y_ptr, cols, x, v):\n    if isinstance(v, int):\n    {WORK}"
TOLD_APART = {
    "counter": (
        "for i in range(0, n - 7):\n    work(y_ptr, cols, x, i)\nif n > 100:\n    work(y_ptr, cols, x, 0)",
        OF_A_NUMBER,
        8,
    ),
    "the integer 1": (f"if isinstance(n, int):\n    return\n{WORK.strip()}", "", 1),
    "counter without a helper": (f"for i in range(0, 1):\n    if isinstance(i, int):\n    {WORK}", "", 8),
    "constant in a helper": ("if n > 100:\n    work(y_ptr, cols, x, 5)\nwork(y_ptr, cols, x, n)", OF_A_NUMBER, 8),
}


@pytest.mark.parametrize("body, above, n", TOLD_APART.values(), ids=TOLD_APART)
def test_a_kernel_that_tells_the_interpreter_from_the_compiler_stores_nothing_there(body, above, n):
    """Either it runs as compiled, which stores nothing, or it is refused."""
    ((y, error, _),) = run(kernel(body, above), launch(n))

    assert torch.equal(y, 0 * X) if not error else any(text in error for text in OTHERWISE)


def test_the_integer_1_in_a_tuple_is_a_constant():
    """Triton's launcher looks into tuples."""
    source = kernel(
        "if isinstance(s[0], int):\n    return\ntl.store(y_ptr + cols, x)", "", "y_ptr, x_ptr, s, BLOCK: tl.constexpr"
    )
    source += "\ndef f(x):\n    y = torch.zeros_like(x)\n    kernel[(1,)](y, x, (1, 5), BLOCK=8)\n    return y\n"

    ((_, error, _),) = run(source, Call("call", "f", (X,)))

    assert OTHERWISE[0] in error


def test_a_kernel_that_differs_fails_the_call_that_catches_its_error():
    """The compiled one would have gone on."""
    source = kernel("tl.store(y_ptr + cols, x)\nif isinstance(n, int):\n    tl.store(y_ptr + cols, 0 * x)")
    source += """
def f(x):
    y = torch.zeros_like(x)
    try:
        kernel[(1,)](y, x, 1, BLOCK=8)
    except Exception:
        pass
    return y
"""
    ((_, error, _),) = run(source, Call("call", "f", (X,)))

    assert OTHERWISE[0] in error


def test_each_launch_that_the_compiler_refuses_is_told_to_the_judge():
    """The first one may be in a case in which an error is expected, or be caught."""
    source = kernel("tl.store(y_ptr + cols, x + PAD)", "PAD = 1.0\n")

    told = [refused for _, _, refused in run(source, launch(), launch())]

    assert [len(refused) for refused in told] == [1, 1]
    assert all("PAD" in message for (message,) in told)


def test_a_launch_while_the_answer_is_imported_is_lowered_too():
    """The judge answers the device then, and the call after it gets its own reply."""
    source = kernel("tl.store(y_ptr + cols, 2 * x)")
    source += "\ndef f(x):\n    y = torch.zeros_like(x)\n    kernel[(1,)](y, x, 8, BLOCK=8)\n    return y\n"
    source += "\nf(torch.ones(8))\n"

    ((y, error, refused),) = run(source, Call("call", "f", (X,)))

    assert (error, refused) == ("", []) and torch.equal(y, 2 * X)


def test_the_compiler_is_asked_once_for_a_text_a_signature_and_constants(monkeypatch):
    """Another n is none of them, unless it is 1."""
    asked, lower = [], zygotes.Session.lower
    monkeypatch.setattr(compiled, "_lowered", {})
    monkeypatch.setattr(zygotes.Session, "lower", lambda self, *args: asked.append(args[1]) or lower(self, *args))
    source = kernel(
        "tl.store(y_ptr + cols, x * n * K)", "", "y_ptr, x_ptr, n, BLOCK: tl.constexpr, K: tl.constexpr = 1"
    )

    found = run(source, launch(2), launch(3), launch(1), launch(2, K=2), launch(2))

    assert [float(y[0]) for y, _, _ in found] == [2, 3, 1, 4, 2]
    assert [(each["constants"].get("n"), each["constants"]["K"]) for each in asked] == [
        (None, ["int", "0x1"]),
        (["int", "0x1"], ["int", "0x1"]),
        (None, ["int", "0x2"]),
    ]


KEYS = [
    (3, ["number", "3"]),
    (True, ["number", "1"]),
    (np.float32(0.5), ["number", "0.5"]),
    ("a", ["text", "a"]),
    (None, ["none"]),
    (tl.constexpr(2), ["number", "2"]),
    (tl.float32, ["type", "fp32"]),
    ((1, "a", object()), ["tuple", ["number", "1"], ["text", "a"], None]),
    (object(), None),
    (max, None),
]


@pytest.mark.parametrize("value, expected", KEYS)
def test_the_key_of_a_value(value, expected):
    """Of a number, a text, None, a type, or a tuple; no other value is a constant."""
    assert visited.key(value) == expected


SAMES = [
    (None, ["number", "3"], True),
    (["number", "3"], None, False),
    (["number", "3"], ["number", "3.0"], True),
    (["number", "3"], ["number", "4"], False),
    (["number", "0.1"], ["number", "0.10000000149011612"], True),
    (["number", "1e300"], ["number", "inf"], True),
    (["number", "nan"], ["number", "nan"], True),
    (["text", "3"], ["number", "3"], False),
    (["tuple", ["number", "1"], None], ["tuple", ["number", "1"], ["none"]], True),
    (["tuple", ["number", "1"]], ["tuple", ["number", "1"], ["none"]], False),
]


@pytest.mark.parametrize("known, seen, expected", SAMES)
def test_a_constant_of_the_compiler_in_the_interpreter(known, seen, expected):
    """The interpreter may hold it in float32; where the compiler knows nothing, anything goes."""
    assert visited.same(known, seen) == expected
