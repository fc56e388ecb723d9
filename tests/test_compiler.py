"""Kernels that the interpreter would run and no GPU takes: refused as text, or by Triton's front end, without a GPU."""

import pytest
import torch

from grader.judge import compiled, zygotes
from grader.spec import Call, Case

HEADER = "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"


def refused(body, header=HEADER):
    """The error of the device or of the compiler for a kernel, None without one."""
    source = header + "def kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n" + body
    call = Call("launch", "kernel", (torch.zeros(8), torch.ones(8), 8), {"BLOCK": 8}, grid=(1,))
    with zygotes.get().open(source, 30, apart=True) as session:
        evidence = session.run(call)
    if evidence.error:
        return evidence.error
    with zygotes.get("compiled").open("", 30) as session:
        return session.lower(evidence.launches[0], evidence.programs[evidence.launches[0]["program"]])


COPY = "    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n, other=0.0), mask=cols < n)\n"


def test_a_right_kernel_is_taken():
    """The control: nothing is refused."""
    assert refused(COPY) is None


def test_a_launch_is_shown_to_the_compiler_once(monkeypatch):
    """A second check of the same kernel takes its verdict from before; one with another constant does not."""
    source = HEADER + "def kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n" + COPY
    shown = []
    lower = zygotes.Session.lower
    monkeypatch.setattr(zygotes.Session, "lower", lambda self, *args: shown.append(args) or lower(self, *args))
    monkeypatch.setattr(compiled, "_taken", set())
    with zygotes.get().open(source, 30, apart=True) as session:
        for block in (8, 8, 16):
            call = Call("launch", "kernel", (torch.zeros(8), torch.ones(8), 8), {"BLOCK": block}, (1,))
            seen = Case("a copy", call, verify=lambda evidence: None), session.run(call)
            assert compiled.lower([seen], 30, []) == []

    assert [launch["constants"]["BLOCK"] for launch, _ in shown] == [8, 16]


@pytest.mark.parametrize(
    "body, says",
    [
        ("    tl.store(y_ptr + cols, torch.exp(tl.load(x_ptr + cols)))\n", "this one is PyTorch's"),
        ("    tl.store(y_ptr + cols, tl.load(x_ptr + cols), mask=cols < n and cols >= 0)\n", "'and' and 'or'"),
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
