"""Host and device: an answer's Python holds handles, and numbers, kernels and counts live in another process."""

import re
import socket

import pytest
import torch
import triton
from conftest import ROOT

from grader import lessons
from grader.device_side import server
from grader.device_side.memory import FEW, FEW_AT_ONCE
from grader.host_side import answer
from grader.judge import extract, zygotes
from grader.judge.judge import judge
from grader.judge.session import Died, to_lower
from grader.mistakes.errors import from_error
from grader.protocol import frames
from grader.spec import Call, Unreadable

X = torch.arange(12.0).reshape(3, 4)


def run(source, call, seconds=20.0, **job):
    with zygotes.get().open(source, seconds, apart=True, **job) as session:
        assert session.loading_error is None, session.loading_error
        return session.run(call)


def value(body, *args):
    """The evidence of f(x), whose body is given."""
    return run(f"import torch\ndef f(x):\n    {body}", Call("call", "f", args or (X,)))


def verdict(number, *cells, seconds=20.0):
    exercise = lessons.exercises()[number]
    return judge(exercise, extract.extract(list(cells), exercise.names), seconds=seconds)


SAME = [
    "return x * 2 + 1",
    "return x[1:, ::2]",
    "return x.t().contiguous()",
    "y = torch.empty_like(x); y[0] = x[1]; y[1:] = 0; return y",
    "y = x.clone(); v = y[0]; v += 1; return y",
    "y = x.clone(); torch.exp(y, out=y); return y",
    "return torch.einsum('mn,kn->mk', x, x)",
    "return torch.cat([x[:1], x[2:]])",
    "return torch.where(x > 3, x, torch.tensor(-1.0))",
    "return torch.stack([row.sum() for row in x])",
    "return x.max(dim=1).values",
    "a, b = torch.split(x, 2, dim=1); return a - b",
    "return x.double().sum(dim=0)",
    "return (x - x.mean()).norm()",
    "return x.new_full((2, 2), 7.0)",
    "return torch.nn.functional.pad(x, (1, 0))",
    "y = x.sort(dim=1, descending=True).values; return y.view(-1)[:5]",
    "import copy; return copy.deepcopy(x)",
    "import copy; y = copy.copy(x); y += 1; return x",
    "y = x.requires_grad_().mean(); return __import__('copy').deepcopy(x)",
    "y = torch.empty(0).resize_(x.shape); y.copy_(x); return y.resize_(2, 3)",
    "y = x[:1].clone(); y.resize_(2, 4)[1] = 5; return y",
    "return torch._foreach_add(torch._foreach_exp([x, x[0]]), [x, x[1]], alpha=2)[1]",
    "y = x.clone(); torch._foreach_mul_([y[0], y[1]], [2.0, 3.0]); return y",
    "f = lambda: torch.rand(9, generator=torch.Generator().manual_seed(3)); return f() - f()",
    "import torch.nn.functional as F; return F.relu(x - 5)",
    "y = x.detach().requires_grad_(); (y ** 3).sum().backward(); return y.grad",
    "return torch.compile(lambda v: v + 1, backend='eager')(x)",
    "return torch.from_numpy(__import__('numpy').ones((3, 4), 'float32')) + x",
    "y = x.sum(dim=1); y.unsqueeze_(1); return x / y",
    "y = x[:1].clone(); y.squeeze_(); v = y.view(2, 2); y.add_(1); return v",
    "y = x.clone(); v = y.view(-1); y.t_(); y[0] = 5; return v",
    "y = torch.empty(0); torch.amax(x, dim=1, keepdim=True, out=y); return (x - y) / y.shape[0]",
    "y = x.clone(); y.data = y.data * 2; return y",
    "with torch.inference_mode(): return (x.t() @ x[:, :2]).reshape(-1).chunk(2)[0]",
    "return x.to(torch.promote_types(x.dtype, torch.float64))",
    "with torch.profiler.record_function('twice'): return x * 2",
]


def test_an_interpreted_kernel_is_wrapped_for_an_operator_whatever_pytorch_says(monkeypatch):
    """PyTorch 2.11 and older refuse it; what is no kernel stays refused."""

    def older(kernel):
        raise RuntimeError("wrap_triton only works on functions annotated with triton.jit or triton.autotune")

    def function(x_ptr):
        pass

    monkeypatch.setattr(answer, "_wrap_triton", older)
    kernel = triton.jit(function)

    assert answer._for_an_operator(kernel) is kernel
    with pytest.raises(RuntimeError, match="only works on functions annotated"):
        answer._for_an_operator(function)


ON_ONE_DEVICE = [
    "return x + torch.ones(4, device=x.device)",
    "return x + torch.ones(4, device='cuda' if torch.cuda.is_available() else 'cpu')",
    "return x + torch.tensor([1.0, 2.0, 3.0, 4.0], device=x.device)",
    "return x + torch.arange(4).to(x.device)",
    "return x + torch.ones_like(torch.zeros(4), device=x.device)",
    "with torch.device(x.device): return x + torch.ones(4)",
    "torch.set_default_device(x.device); return x + torch.ones(4)",
    "return torch.as_tensor(x) + torch.asarray(x)",
    "return x * torch.tensor(2.0)",
    "return x + (torch.tensor(0.0) + x.max())",
    "return torch.where(x > 3, x, torch.tensor(-1.0))",
    "return x[torch.tensor([0, 2])]",
    "y = torch.zeros(3, 4); y[0] = x[0]; return y",
    "y = torch.empty(3, 4); y.copy_(x); return y",
    "y = torch.ones(4, requires_grad=True); (y * y).sum().backward(); return y.grad",
    "return torch.vmap(lambda row: row + torch.ones(4, device=row.device))(x)",
]
ON_TWO = [
    "return x + torch.ones(4)",
    "return torch.cat([x, torch.tensor([[1.0, 2.0, 3.0, 4.0]])])",
    "y = torch.empty(3, 4); return torch.exp(x, out=y)",
    "y = torch.zeros(3, 4); y += x; return y",
    "total = torch.tensor(0.0); total += x.sum(); return total",
    "return torch.where(x > 3, x, torch.zeros(4))",
    "return x @ torch.eye(4)",
    "return x.gather(1, torch.zeros(3, 1, dtype=torch.long))",
    "y = torch.zeros(4); return x + y.new_ones(4)",
    "with torch.inference_mode(): return x + torch.ones(4)",
    "return torch.vmap(lambda row: row + torch.ones(4))(x)",
    "f = lambda g: g + torch.ones(4); y = x.clone().requires_grad_(); y.register_hook(f); y.sum().backward(); return y",
]


@pytest.mark.parametrize("body", ON_ONE_DEVICE)
def test_tensors_of_one_device_meet(body):
    """As on a GPU: a device was named, or PyTorch lets a tensor of the CPU take part."""
    source = f"import torch\ndef f(x):\n    {body}"
    there = run(source, Call("call", "f", (X,)), elsewhere=True)
    names = {}
    exec(source, names)
    try:
        assert there.error is None, there.error
        torch.testing.assert_close(there.value, names["f"](X.clone()), equal_nan=True)
    finally:
        torch.set_default_device(None)


@pytest.mark.parametrize("body", ON_TWO)
def test_a_tensor_made_without_a_device_meets_no_input(body):
    source = f"import torch\ndef f(x):\n    {body}"
    assert from_error(run(source, Call("call", "f", (X,)), elsewhere=True).error) == "wrong-device"
    assert run(source, Call("call", "f", (X,))).error is None  # an exercise that no GPU runs


@pytest.mark.parametrize("body", SAME)
def test_pytorch_gives_the_same_with_handles(body):
    """Views, writing in place, autograd and NumPy beside it."""
    names = {"torch": torch}
    exec(f"def f(x):\n    {body}", names)

    expected, evidence = names["f"](X.clone()), value(body)

    assert evidence.error is None, evidence.error
    assert torch.equal(expected, evidence.value) and expected.dtype == evidence.value.dtype


SHAPES = [
    ("(tuple(x.shape), x.stride(), x.numel(), x.is_contiguous(), x.dtype)", ((3, 4), (4, 1), 12, True, torch.float32)),
    ("(x.element_size(), x.nbytes, len(x), x.dim(), x.is_cuda)", (4, 48, 3, 2, False)),
    ("(x[:, 1:].storage_offset(), x[:, 1:].stride(), x.t().is_contiguous())", (1, (4, 1), False)),
    ("isinstance(x, torch.Tensor)", True),
    ("(type(x) is torch.Tensor, x.__class__.__name__, type(x.shape).__name__)", (True, "Tensor", "Size")),
    ("(isinstance(int, type), type('A', (type,), {})('B', (), {}).__name__, str(type[int]))", (True, "B", "type[int]")),
    ("torch.allclose(x, x + 1e-9)", True),
    ("(x.data_ptr() % 16, x[0, 1:].data_ptr() - x.data_ptr())", (0, 4)),
    ("bool((x > 100).any())", False),
    ("float(x.max())", 11.0),
    ("f'{x[0, 1]:.1f}'", "1.0"),
    ("x[0, :3].tolist()", [0.0, 1.0, 2.0]),
]


@pytest.mark.parametrize("expression, expected", SHAPES)
def test_a_handle_knows_its_shape_and_may_ask_for_a_few_numbers(expression, expected):
    """A maximum, a condition and a shape are no transfer of a row."""
    assert expected == value(f"return {expression}").value


BIG = torch.ones(3, 400)
IN_A_THREAD = """
import torch
from concurrent.futures import ThreadPoolExecutor
def in_a_thread(do):
    with ThreadPoolExecutor() as pool:
        return pool.submit(do).result()
"""
LEAVING = ["x.tolist()", "x.numpy()", "__import__('numpy').asarray(x)", "[v.item() for v in x.view(-1)]",
           "in_a_thread(lambda: torch.empty(3, 400).copy_(x))",
           "x.view(torch.int32).tolist()", "x.view(torch.int32).numpy()"]  # fmt: skip


@pytest.mark.parametrize("expression", LEAVING)
def test_a_row_does_not_leave_the_device(expression):
    """Whatever operation asks for it."""
    error = run(IN_A_THREAD + f"def f(x): return {expression}", Call("call", "f", (BIG,))).error

    assert error["type"] == "LeftForHost"
    assert "takes the numbers of a tensor to the host" in error["message"]


def test_a_few_numbers_are_few():
    """The two limits: of one operation, and of a whole call."""
    assert value("return x.view(-1)[:16].tolist()", BIG).error is None
    assert value("return x.view(-1)[:17].tolist()", BIG).error is not None
    assert (FEW_AT_ONCE, FEW) == (16, 256)
    assert value("return [v.item() for v in x.view(-1)[:256]][0]", BIG).error is None
    assert value("return [v.item() for v in x.view(-1)[:257]][0]", BIG).error is not None


NOTHING = ["torch.from_dlpack(torch.utils.dlpack.to_dlpack(x)).clone()", "__import__('numpy').from_dlpack(x)",
"torch.save(x, 'file')",
           "__import__('pickle').dumps(x)", "__import__('ctypes').string_at(x.data_ptr(), 4)",
           "bytes(x.untyped_storage())", "memoryview(x)"]  # fmt: skip


@pytest.mark.parametrize("expression", NOTHING)
def test_the_host_has_no_numbers(expression):
    """It ends in an error, ends the process of the answer, or gives other numbers."""
    try:
        evidence = value(f"return {expression}", BIG)
    except zygotes.Died:
        return
    assert evidence.error is not None or not torch.equal(BIG, evidence.value)


LIBRARY = ["torch.softmax(x, 1)", "torch.nn.functional.softmax(x, 1)", "x.log_softmax(1).exp()",
           "torch._softmax(x, 1, False)",
           "torch.ops.aten._softmax.default(x, 1, False)", "torch.logsumexp(x, 1)", "torch.nn.Softmax(1)(x)",
           "torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])",
           "torch.nn.functional.cross_entropy(x, torch.tensor([0, 1, 2]))", "torch.special.softmax(x, 1)",
           "torch.nn.functional.gumbel_softmax(x)", "torch.nn.functional.softmin(x, 1)"]  # fmt: skip


@pytest.mark.parametrize("expression", LIBRARY)
def test_a_library_softmax_is_refused_as_an_operator(expression):
    """Under any name that Python has for it."""
    evidence = value(f"return {expression}")

    assert evidence.error["type"] == "RefusedOperator"
    assert any("soft" in name or "logsumexp" in name or "attention" in name for name in evidence.torch_ops)


REFUSED = ["torch.from_file('/etc/passwd', size=4, dtype=torch.uint8)", "torch.ops.aten.set_(x, x)", "x.to_sparse()"]


@pytest.mark.parametrize("expression", REFUSED)
def test_operators_that_no_exercise_needs_are_refused(expression):
    """The device has a list of what it runs."""
    assert value(f"return {expression}").error is not None


def test_an_error_of_the_device_names_the_line_of_the_answer():
    """Of the host's Python, and PyTorch's own words."""
    error = value("return x @ x").error

    assert error["line"] == "return x @ x"
    assert "shapes cannot be multiplied" in error["message"]


def test_a_host_that_speaks_for_the_device_is_not_heard():
    """Frames that it sends by itself are orders like any others."""
    forged = """
import gc, json, struct, torch
def f(x):
    import socket
    wire = next(o for o in gc.get_objects() if type(o).__name__ == "Wire")
    def say(header):
        head = json.dumps(header).encode()
        wire._channel.sendall(struct.pack(">IQ", len(head), 0) + head)
    say({"op": "done", "tensor": x._reference.number, "observed": {"read": 5}, "freed": []})
    return x
"""
    evidence = run(forged, Call("call", "f", (X,)))

    assert torch.equal(X, evidence.value)
    assert evidence.read == 0


ENDS = {  # what a host tells at the end of a call, and what comes of it
    "{'op': 'done', 'error': 5, 'freed': []}": None,
    "{'op': 'done', 'error': {}, 'freed': []}": None,
    "{'op': 'done', 'error': {'type': 5, 'kinds': 5}, 'freed': []}": None,
    "{'op': 'done', 'error': [], 'number': 0, 'freed': []}": None,
    "{'op': 'done', 'tensor': 1, 'freed': 5}": None,
    "{'op': 'done', 'tensor': 1, 'freed': [[1]]}": None,
    "{'op': 'done', 'tensor': 1}": None,
    "{'op': 'done', 'tensor': [1], 'freed': []}": "Malformed",
    "{'op': 'done', 'freed': []}": "",
    "{'op': 'done', 'value': 5, 'freed': []}": "",
}


@pytest.mark.parametrize("end", ENDS)
def test_an_end_that_no_host_sends_is_an_error_or_the_end(end):
    """The device ends with it, refuses it, or hands on a value that is none; none of its own code trips over it."""
    source = f"""
from grader.protocol import frames
def f(x):
    frames.send(x._reference.wire._channel, {end})
    return x
"""
    if ENDS[end] is None:
        with pytest.raises(Died):
            run(source, Call("call", "f", (X,)))
        return
    evidence = run(source, Call("call", "f", (X,)))
    assert (evidence.error or {"type": ""})["type"] == ENDS[end]
    assert evidence.error or isinstance(evidence.value, Unreadable)


def test_a_device_whose_host_is_gone_ends_without_an_error():
    """What the host said before is still there, and nobody reads what it is told."""
    (judge, ours), (host, theirs) = socket.socketpair(), socket.socketpair()
    with judge:
        frames.send(host, {})
        host.close()
        frames.send(judge, {"op": "load", "driver": ""})
        server.serve(ours.detach(), theirs.detach(), (), None)


def test_counts_cannot_be_reached():
    """Every object of the host may change, and the counts stay."""
    source = """
import gc, torch
def f(x):
    for o in gc.get_objects():
        if type(o).__name__ in ("Ledger", "TorchLedger", "Memory", "Server", "Kernels"):
            raise RuntimeError(type(o).__name__)
    return x * 2
"""
    evidence = run(source, Call("call", "f", (X,)))

    assert evidence.error is None and (evidence.read, evidence.written) == (12, 12)


VIEWS = {
    "as integers": "x.view(torch.int32).clone().view(torch.float32)",
    "as complex numbers": "torch.view_as_real(torch.view_as_complex(x.view(3, 2, 2)).clone()).view(3, 4)",
    "as wide numbers": "x.view(torch.float64).clone().view(torch.float32)",
    "as wide integers": "x.view(torch.int64).clone().view(torch.float32)",
}


@pytest.mark.parametrize("expression", VIEWS.values(), ids=VIEWS)
def test_numbers_count_whatever_dtype_they_are_seen_as(expression):
    """A copy of 12 numbers reads 12 and writes 12."""
    evidence = value(f"return {expression}")

    assert torch.equal(X, evidence.value)
    assert (evidence.read, evidence.written) == (12, 12)


def test_integers_made_of_numbers_count():
    """A copy by way of integers is a copy; the places of the maxima are none."""
    assert (lambda e: (e.read, e.written))(value("return (x * 1).to(torch.int32)")) == (24, 24)
    assert (lambda e: (e.read, e.written))(value("return x.argmax(dim=1)")) == (12, 0)


KERNEL = """
import torch
import triton
import triton.language as tl

{decorators}
def double(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(y_ptr + i, 2 * x, mask=i < n)

def f(x):
    y = torch.empty_like(x)
    {launch}
    return y
"""
LAUNCHES = {
    "jit": ("@triton.jit", "double[(3,)](y, x, 12, BLOCK=4)"),
    "a list": ("@triton.jit", "double[[3]](y, x, 12, BLOCK=4)"),
    "a function": ("@triton.jit", "double[lambda meta: (triton.cdiv(meta['n'], meta['BLOCK']),)](y, x, 12, BLOCK=4)"),
    "by name": ("@triton.jit", "double[(3,)](y_ptr=y, x_ptr=x, n=12, BLOCK=4, num_warps=2)"),
    "autotune": (
        "@triton.autotune([triton.Config({'BLOCK': 8}), triton.Config({'BLOCK': 4})], key=['n'])\n@triton.jit",
        "double[lambda meta: (triton.cdiv(12, meta['BLOCK']),)](y, x, 12)",
    ),
    "heuristics": (
        "@triton.heuristics({'BLOCK': lambda args: triton.next_power_of_2(args['n'])})\n@triton.jit",
        "double[(1,)](y, x, 12)",
    ),
    "heuristics over an argument": (
        "@triton.heuristics({'BLOCK': lambda args: 16})\n@triton.jit",
        "double[(1,)](y, x, 12, BLOCK=4)",
    ),
    "both": (
        "@triton.autotune([triton.Config({}, num_warps=2)], key=['n'])\n"
        "@triton.heuristics({'BLOCK': lambda args: 16})\n@triton.jit",
        "double[(1,)](y, x, 12)",
    ),
    "jit of a function": ("", "triton.jit(double)[(3,)](y, x, 12, BLOCK=4)"),
}


@pytest.mark.parametrize("decorators, launch", LAUNCHES.values(), ids=LAUNCHES)
def test_kernels_are_launched_however_they_are_decorated(decorators, launch):
    """A kernel's text and its first fitting configuration go to the device, and its text on to the compiler."""
    evidence = run(KERNEL.format(decorators=decorators, launch=launch), Call("call", "f", (X,)))

    assert evidence.error is None, evidence.error
    assert torch.equal(2 * X, evidence.value)
    assert [evidence.read, evidence.written, evidence.launches[0]["program"]] == [12, 12, 0]
    with zygotes.get("compiled").open("", 20) as session:
        visited, error = session.lower(evidence.programs[0], to_lower(evidence.launches[0]))
    assert error is None and visited


def test_an_object_that_is_no_kernel_launches_nothing():
    """A class with a [grid] of its own, where the check launches."""
    fake = """
import torch
class Fake:
    def __getitem__(self, grid):
        return lambda y, x, *args, **kwargs: y.copy_(x)
copy_kernel = Fake()
"""
    result = verdict("3.1", fake)

    assert (result.status, result.score) == ("error", 0)
    assert "'Fake' object is not subscriptable" in result.message


def test_the_clock_wants_the_matrix_it_gave():
    """14.1's questions go over the wire, and their arguments count."""
    source = """
import statistics
def bandwidth(fn, x):
    times = []
    for _ in range(40):
        clock.clear_cache(); clock.synchronize()
        start = clock.now()
        fn(ARGUMENT)
        clock.synchronize()
        times.append(clock.now() - start)
    rate = 2 * x.numel() * x.element_size() / statistics.median(times[12:]) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is more than the memory can do")
    return rate
"""
    assert verdict("14.1", source.replace("ARGUMENT", "x")).status == "passed"
    assert "other arguments than it takes" in verdict("14.1", source.replace("ARGUMENT", "None")).message


ANY_PYTHON = {
    "star imports": "from math import *\nfrom statistics import *",
    "a private attribute": "class Mine:\n    _x = 1\n    def __getattr__(self, name): return 2\nm = Mine()._x",
    "a method called benchmark": "class T:\n    def benchmark(self): return 3\nt = T().benchmark()",
    "cudnn": "torch.backends.cudnn.benchmark = False",
    "logging": "import logging, gc, inspect, threading, os\nlogging.getLogger(__name__).info('x')\ngc.collect()",
    "open": "with open('note', 'w') as f: f.write('x')",
    "getattr": "e = getattr(torch, 'exp')",
    "dataclass": "from dataclasses import dataclass, field\n@dataclass\nclass D:\n    x: int = field(default=1)",
    "no_grad": "torch.set_grad_enabled(False)",
}


@pytest.mark.parametrize("python", ANY_PYTHON.values(), ids=ANY_PYTHON)
def test_any_python_is_welcome(python):
    """What an answer does counts, and never how it is written."""
    right = (ROOT / "tests" / "attacks" / "00_control_right.py").read_text(encoding="utf-8")
    source = "import torch\n" + python + "\n" + re.sub(r"^# .*$", "", right, flags=re.MULTILINE)
    exercise = lessons.exercises()["1.1"]
    from grader.spec import Answer

    assert judge(exercise, Answer(source)).status == "passed"


TELLING = """
import torch
def f(x, times):
    one, told = torch.zeros(1), []
    for i in range(times):
        try:
            one.take(torch.tensor(5))
        except Exception as error:
            told.append(str(error))
    return x
"""


def test_a_call_that_asks_for_too_much_has_failed_whatever_it_returns():
    """Each further request would tell whether it is refused; messages count by their length."""
    assert run(TELLING, Call("call", "f", (X, 3))).error is None
    assert run(TELLING, Call("call", "f", (X, 100))).error["type"] == "LeftForHost"


def test_an_operator_that_pytorch_makes_of_others_runs_as_these():
    """As in inference_mode, where PyTorch does not take it apart before it is dispatched; and the device runs none."""
    assert torch.equal(X.square(), value("with torch.inference_mode(): return torch.square(x)").value)
    forged = """
import torch
def f(x):
    order = {"op": "operator", "name": "aten::tensor_split", "overload": "tensor_indices_or_sections"}
    places, kwargs = torch.tensor([1, 3]), {}
    args = [{"tensor": t._reference.number} for t in (x, places)]
    return str(x._reference.wire.ask(order | {"args": args, "kwargs": kwargs}))
"""
    assert run(forged, Call("call", "f", (X,))).error["type"] == "RefusedOperator"


@pytest.mark.parametrize("call", ["apply_(abs)", "map_(x, max)", "map2_(x, x, max)"])
def test_python_for_each_number_is_refused(call):
    """PyTorch's own would read memory that a handle does not have, and end the process."""
    assert "calls Python for each number" in value(f"return x.{call}").error["message"]
