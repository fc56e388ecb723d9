"""Triton's front end, without a GPU: what it refuses though the interpreter runs it."""

import pytest

from grader.judge import zygotes

HEADER = "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
TYPES = {"y_ptr": "*fp32", "x_ptr": "*fp32", "n": "i32"}


def lower(body, name="kernel"):
    source = HEADER + "def kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):\n    cols = tl.arange(0, BLOCK)\n" + body
    launch = {"kernel": name, "signature": TYPES, "constants": {"BLOCK": 8}, "options": {}}
    with zygotes.get("compiled").open(source, seconds=30) as session:
        return session.lower(launch)


def test_a_right_kernel_is_taken():
    """The control: nothing is refused."""
    body = "    tl.store(y_ptr + cols, tl.load(x_ptr + cols, mask=cols < n, other=0.0), mask=cols < n)\n"

    assert (True, None) == lower(body)


@pytest.mark.parametrize(
    "body, says",
    [
        ("    tl.store(y_ptr + cols, torch.exp(tl.load(x_ptr + cols)))\n", "must be Tensor, not tensor"),
        ("    tl.store(y_ptr + cols, tl.load(x_ptr + cols), mask=cols < n and cols >= 0)\n", "'and' and 'or'"),
        (
            "    s = 0\n    for i in range(0, n):\n        s += tl.sum(tl.load(x_ptr + cols), axis=0)\n"
            "    tl.store(y_ptr, s)\n",
            "Loop-carried variable s",
        ),
        ("    x = tl.load(x_ptr + cols)\n    try:\n        y = x\n    except ValueError:\n        y = x\n", "Try"),
    ],
    ids=["torch inside", "and on masks", "type changes in a loop", "try"],
)  # fmt: skip
def test_what_no_gpu_takes_is_refused(body, says):
    """Each of these runs interpreted."""
    found, error = lower(body)

    assert found
    assert says in error["message"]


def test_a_name_that_is_no_kernel_is_said_to_be_missing():
    """A kernel inside a function cannot be found by its name; that is no fault of the answer."""
    assert (False, None) == lower("    pass\n", name="elsewhere")
