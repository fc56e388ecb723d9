"""The tools where kernels are compiled: the function runs interpreted in a process beside the notebook's."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import functools
import pathlib
import threading

import attending
import pytest
import torch
import traced
import triton
import triton.language as tl
from conftest import ROOT
from traced import copied, copy_kernel, unmasked_kernel

import grader
from grader import draw, environment, interpreter
from grader.interpreter import KernelMisuse
from grader.judge import zygotes
from grader.notebook import beside, traffic
from grader.protocol import schema
from grader.spec import Call, Panel

interpreter.install()
SOURCE = pathlib.Path(traced.__file__).read_text()


def blank(*shape):
    return torch.full(shape, float("nan"))


@pytest.fixture
def trace(capsys):
    """trace, and the lines it prints."""

    def run(*args, **kwargs):
        grader.trace(*args, **kwargs)
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def compiled(monkeypatch):
    """As where a GPU is present: kernels of this process cannot be watched."""
    monkeypatch.setattr(environment, "interpreted", lambda: False)


@pytest.fixture(scope="module", autouse=True)
def one_process():
    yield
    beside.close()


def test_a_trace_tells_the_same(trace, compiled, monkeypatch):
    """Tables alike, tensors given by keyword too, and what was stored comes back."""
    there, y = {}, blank(20)
    there["kernel"] = trace(copy_kernel, y_ptr=y, x_ptr=torch.ones(20), n=20, BLOCK=8, num_warps=2, grid=lambda m: (3,))
    there["function"] = trace(copied, torch.ones(7))
    there["stopped"] = trace(unmasked_kernel, blank(2, 5), torch.ones(2, 5), 5, 5, BLOCK=8, grid=(2,), order="reversed")
    assert torch.equal(torch.ones(20), y)
    monkeypatch.undo()

    assert there["kernel"] == trace(copy_kernel, blank(20), torch.ones(20), 20, BLOCK=8, grid=(3,))
    assert there["function"] == trace(copied, torch.ones(7))
    assert there["stopped"] == (
        trace(unmasked_kernel, blank(2, 5), torch.ones(2, 5), 5, 5, BLOCK=8, grid=(2,), order="reversed")
    )


def test_the_tiles_of_attention_are_the_same(monkeypatch):
    """The weights come back too."""
    small = [torch.randn(4, 4, generator=torch.Generator().manual_seed(n)) for n in range(3)]
    expected = draw.attention_tiles(attending.attention, *small, True, 2)
    monkeypatch.setattr(environment, "interpreted", lambda: False)
    found = draw.attention_tiles(attending.attention, *small, True, 2)

    assert repr(expected) == repr(found) and expected.page == found.page
    assert "Program 0, queries 0-1: keys 0-1 partial (1); keys 2-3 skipped." in repr(found)


@triton.autotune([triton.Config({"BLOCK": 8}), triton.Config({"BLOCK": 16})], key=["n"])
@triton.heuristics({"EVEN": lambda given: given["n"] % given["BLOCK"] == 0, "ODD": lambda given: not given["EVEN"]})
@triton.jit
def two_decorators_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr, ODD: tl.constexpr):
    tl.static_assert(EVEN != ODD)
    cols = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n), mask=cols < n)


def tuned(x):
    y = torch.empty_like(x)
    two_decorators_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](y, x, x.numel())
    return y


def naive(x):
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)


WEIGHT = torch.arange(50.0).view(10, 5)
attention = torch.nn.functional.scaled_dot_product_attention
X = torch.randn(6, 10, generator=torch.Generator().manual_seed(0))
Q = torch.randn(2, 3, 8, 16, generator=torch.Generator().manual_seed(0))
FUNCTIONS = {
    "library": (functools.partial(torch.softmax, dim=1), X),
    "log": (lambda x: torch.log_softmax(x, dim=1), X),
    "attention": (lambda q, k, v: attention(q, k, v, is_causal=True), Q, Q.clone(), Q.clone()),
    "einsum": (lambda x, w: torch.einsum("ij,jk->ik", x, w), X, WEIGHT),
    "captured": (lambda x: x @ WEIGHT, X),
    "autotuned": (tuned, X),
    "compiled": (naive, X),
    "a compiled module": (torch.nn.Linear(10, 3), X),
    "half": (naive, X.half()),
    "bfloat16": (lambda x: torch.softmax(x, dim=1), X.bfloat16()),
    "transposed": (naive, X.T),
    "expanded": (naive, X[:1].expand(4, 10)),
    "columns": (naive, X[:, 1::2]),
    "module": (torch.nn.Sequential(torch.nn.Linear(10, 3), torch.nn.Softmax(1)), X),
    "in place": (torch.Tensor.exp_, X.clone()),
    "gradient": (lambda x: torch.softmax(x, dim=1).sum().backward(), X.clone().requires_grad_()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_traffic_counts_the_same(name, monkeypatch):
    """Whatever PyTorch takes: the tables are equal to the letter, and what it says beside them."""
    function, *given = FUNCTIONS[name]
    if "compiled" in name:
        function = torch.compile(function)  # here and not above: it imports the compiler, which takes seconds
    here = traffic.count(function, given, {})
    monkeypatch.setattr(environment, "interpreted", lambda: False)
    there = traffic.count(function, given, {})

    assert here == there
    assert ("torch.compile" in here.note) == ("compiled" in name)
    assert here.rows


def test_a_tensor_of_a_gpu_becomes_one_of_the_cpu(compiled):
    """Wherever the function asks for one."""
    from grader.notebook import beside_worker

    with beside_worker.OnTheCpu():
        made = [
            torch.empty(3, device="cuda"), torch.ones(3, device=torch.device("cuda", 0)), X.to("cuda:0"), X.cuda(),
            torch.nn.Linear(3, 4, device="cuda").weight, X.new_zeros(3, device="cuda"),
        ]  # fmt: skip

    assert {each.device.type for each in made} == {"cpu"}


def _place(x):
    return x.storage_offset(), x.stride(), x.tolist()


def test_a_slice_keeps_its_place_on_the_way(compiled):
    """Strides and offset, which decide over the sectors; the values with them."""
    part = torch.arange(24.0).reshape(3, 8)[1:, 3:]

    assert (11, (8, 1), part.tolist()) == beside.run(_place, part)


def test_what_a_function_changes_and_prints_comes_back(compiled, capsys):
    """Arguments, tensors that it captured, and views of one memory."""
    kept, memory = torch.zeros(2), torch.zeros(4)

    def changes(first, second):
        kept.add_(1)
        first.fill_(2)
        print("first", first.tolist(), "second", second.tolist())

    traffic.count(changes, (memory[:3], memory[1:]), {})

    assert (kept.tolist(), memory.tolist()) == ([1, 1], [2, 2, 2, 0])
    assert capsys.readouterr().out == "first [2.0, 2.0, 2.0] second [2.0, 2.0, 0.0]\n"


@pytest.mark.whole
def test_an_autotuned_kernel_says_what_it_runs_with(trace, compiled, monkeypatch):
    """Once, in the notebook's language: nothing can be timed where kernels are interpreted."""
    beside.close()
    first, again = (trace(two_decorators_kernel, blank(8), torch.ones(8), 8, grid=(1,)) for _ in range(2))

    said = "is autotuned, and interpreted kernels are not timed: it runs with BLOCK=8, num_warps=4"
    assert [f"two_decorators_kernel {said}", *again] == first
    beside.close()
    monkeypatch.setattr(grader.language.choose, "_used", "zh_Hans")
    chinese, *_ = trace(two_decorators_kernel, blank(8), torch.ones(8), 8, grid=(1,))
    assert chinese.startswith("two_decorators_kernel 是自动调优的内核")


def _exits(x):
    os._exit(3)


def _raises_an_end(x):
    raise EOFError("of its own")


def lock_of(_):
    return threading.Lock()


@pytest.mark.whole
def test_errors_are_sentences_too(compiled):
    """A launch that does not fit, a call that fails, one that ends its process, and one that cannot go there."""
    with pytest.raises(KernelMisuse, match="missing 1 required"):
        grader.trace(copy_kernel, blank(4), blank(4), BLOCK=4, grid=(1,))
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        grader.trace(copied, 3)
    with pytest.raises(KernelMisuse, match="_exits ended the process in which it ran"):
        grader.trace(_exits, blank(1))
    lock = threading.Lock()
    with pytest.raises(KernelMisuse, match="it uses something that cannot go there .*lock"):
        grader.trace(lambda x: lock, blank(1))
    assert traffic.count(copied, (torch.ones(7),), {}).unit == 7  # another process takes over
    started = beside._process
    with pytest.raises(EOFError, match="of its own"):
        grader.trace(_raises_an_end, blank(1))
    grader.trace(lambda x: lock_of(copied(x)), torch.ones(7))  # what no process can send comes back to nobody
    assert beside._process is started


def test_a_notebook_that_fails_on_a_gpu_is_found_out():
    """An error in a given cell, a check without full points, one that ran interpreted alone, another first cell."""
    import nbformat
    import notebooks_on_a_gpu as slow

    stored = nbformat.read(ROOT / "solutions" / "04_one_row.ipynb", as_version=4)  # it ran without a GPU
    error = nbformat.v4.new_output("error", ename="RuntimeError", evalue="no such operator", traceback=[])
    given = next(cell for cell in stored.cells if "traffic(" in cell.source)
    check = next(cell for cell in stored.cells if cell.id == "check-4-1")
    assert slow.problems("solutions/04_one_row", stored, hidden=True) == []
    assert "the first cell" in slow.problems("solutions/04_one_row", stored, hidden=False)[0]
    assert "4.1 does not say where it ran" in slow.problems("solutions/04_one_row", stored, hidden=False)[1]

    given.outputs.append(error)
    check.outputs[0]["data"]["text/plain"] = slow.said(check).replace("3 of 3 points", "0 of 3 points")
    found = slow.problems("solutions/04_one_row", stored, hidden=True)
    assert "ends in RuntimeError: no such operator" in found[0] and "4.1 has not full points" in found[1]
    error.evalue = "TODO 4.1"
    assert slow.problems("notebooks/04_one_row", stored, hidden=True) == []


@pytest.mark.parametrize("field, value", [
    ("touched", [[1, 2, 3]]), ("touched", 3), ("shape", []), ("grid", "x"), ("lanes", float("inf")),
    ("masked", [["a"] * 4]),
])  # fmt: skip
def test_a_forged_panel_ends_the_answer(field, value):
    """What comes from a worker is looked at before it is believed."""
    with zygotes.get().open(SOURCE, 10) as session:
        sent = vars(session.run(Call("call", "copied", (torch.ones(7),), trace=True)).panels[0])

    assert sent == vars(schema.unpack(sent | {"extra": 1}, Panel))
    with pytest.raises(ValueError):
        schema.unpack(sent | {field: value}, Panel)
