"""Kernels that the interpreter would run and no GPU takes: refused as text, or by Triton's front end, without a GPU."""

import contextlib

import pytest
import torch

from grader.judge import compiled, zygotes
from grader.judge.time_limit import TimeLimit
from grader.spec import Call

HEADER = "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"


def kernel(body, header=HEADER):
    return header + "def kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n" + body


def launch(block=8):
    return Call("launch", "kernel", (torch.zeros(8), torch.ones(8), 8), {"BLOCK": block}, grid=(1,))


def refused(body, header=HEADER):
    """The error of the device or of the compiler for a kernel, None without one."""
    front_end = compiled.FrontEnd(TimeLimit(30), [])
    with zygotes.get().open(kernel(body, header), 30, apart=True) as session, contextlib.closing(front_end):
        evidence = session.run(launch(), None, front_end.lower)
    return evidence.error or next(iter(front_end.refusals), None)


COPY = "    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n, other=0.0), mask=cols < n)\n"


def test_a_right_kernel_is_taken():
    """The control: nothing is refused."""
    assert refused(COPY) is None


def test_a_launch_is_shown_to_the_compiler_once(monkeypatch):
    """A second check of the same kernel takes its outcome from before; one with another constant does not."""
    shown = []
    lower = zygotes.Session.lower
    monkeypatch.setattr(zygotes.Session, "lower", lambda self, *args: shown.append(args) or lower(self, *args))
    monkeypatch.setattr(compiled, "_lowered", {})
    for _ in range(2):
        front_end = compiled.FrontEnd(TimeLimit(30), [])
        with zygotes.get().open(kernel(COPY), 30, apart=True) as session, contextlib.closing(front_end):
            for block in (8, 8, 16):
                assert session.run(launch(block), None, front_end.lower).error is None

    assert [order["constants"]["BLOCK"] for _, order, _ in shown] == [["int", "0x8"], ["int", "0x10"]]


@pytest.mark.parametrize(
    "body, says",
    [
        ("    tl.store(y_ptr + cols, torch.exp(tl.load(x_ptr + cols)))\n", "this one is PyTorch's"),
        ("    tl.store(y_ptr + cols, tl.load(x_ptr + cols), mask=cols < n and cols >= 0)\n", "are deprecated"),
        (
            "    s = 0\n    for i in range(0, n):\n        s += tl.sum(tl.load(x_ptr + cols), axis=0)\n"
            "    tl.store(y_ptr, s)\n",
            "Loop-carried variable s",
        ),
        ("    x = tl.load(x_ptr + cols)\n    try:\n        y = x\n    except ValueError:\n        y = x\n", "`try`"),
    ],
    ids=["torch inside", "and on masks", "type changes in a loop", "try"],
)  # fmt: skip
def test_what_no_gpu_takes_is_refused(body, says):
    """Python would run each of these."""
    assert says in refused(body)["message"]


def test_a_plain_global_is_refused_and_a_constexpr_is_not():
    """The compiler sees the globals of an answer as they are."""
    body = COPY.replace("0.0", "PAD")

    assert "global variable PAD" in refused(body, "PAD = 0.0\n" + HEADER)["message"]
    assert refused(body, HEADER.replace("\n\n", "\nPAD = tl.constexpr(0.0)\n\n")) is None
