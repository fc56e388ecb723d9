"""launch(source, x): a run of a CUDA kernel on a matrix, on the CPU, in a process of its own."""

from __future__ import annotations

import re

import torch

from .. import environment
from ..checks import compare
from ..interpreter import KernelMisuse
from ..judge import zygotes
from ..judge.session import Deadline
from ..language import say
from ..sentence import message, said
from ..spec import Call, Evidence, Out


def launch(source: str, x, threads: int = 64):
    """Run the kernel (y, x, n_cols) of a CUDA source with one block for each row. Print its traffic, and return y.

    source: text of the CUDA source. x: float32 matrix of shape (m, n). threads: of a block, a multiple of 32 up to
    1024. The kernel runs on the CPU, and each access is checked. Returns y, a float32 matrix of shape (m, n).
    Raises KernelMisuse for wrong arguments, and for an error of the kernel.
    """
    name, evidence = run(source, x, threads)
    barriers = evidence.launches[0]["options"]["barriers"] // len(x)
    moved = said(
        "read {value} MN, wrote {value2} MN",
        value=f"{evidence.read / x.numel():.2f}",
        value2=f"{evidence.written / x.numel():.2f}",
    )
    print(
        say(
            said(
                "{name}, {count}×{shape} with {threads} threads per block: {moved}; barriers in a block: {barriers}",
                name=name,
                count=len(x),
                shape=x.shape[1],
                threads=threads,
                moved=moved,
                barriers=barriers,
            )
        )
    )
    return evidence.args[0]


def run(source: str, x, threads: int, requests: bool = False) -> tuple[str, Evidence]:
    """(name of the kernel, evidence of its launch). requests: whether to count those to shared memory too."""
    if not isinstance(source, str):
        raise KernelMisuse(
            say(said("launch takes the text of a kernel, not an object of the type {name}", name=type(source).__name__))
        )
    if not isinstance(x, torch.Tensor):
        raise KernelMisuse(
            say(said("launch takes a matrix of float32, not an object of the type {name}", name=type(x).__name__))
        )
    if x.dim() != 2 or x.dtype != torch.float32:
        kind = compare.name(x.dtype)
        raise KernelMisuse(
            say(
                said(
                    "launch takes a matrix of float32, and x has the shape {tuple} and the type {kind}",
                    tuple=tuple(x.shape),
                    kind=kind,
                )
            )
        )
    if not x.numel():
        raise KernelMisuse(
            say(
                said(
                    "launch takes a matrix with at least one element, and this one is {count}×{shape}",
                    count=len(x),
                    shape=x.shape[1],
                )
            )
        )
    if threads % 32 or not 32 <= threads <= 1024:
        raise KernelMisuse(
            say(said("a thread block is made of whole warps, 32 to 1024 threads, not {threads}", threads=threads))
        )
    if not environment.has_compiler():
        raise KernelMisuse(say(said("CUDA kernels are compiled by g++ here, and this machine has none")))
    found = re.search(r"__global__\s+void\s+(\w+)", source)
    name = found[1] if found else "kernel"
    (m, n), x = x.shape, x.cpu().contiguous()  # the kernel expects rows without gaps
    call = Call("cuda", "source", (Out((m, n)), x, n), {"function": name, "threads": threads}, (m,), requests=requests)
    with zygotes.get().open(
        said("source = {source}", source=repr(source)), seconds=60, apart=True, tools=True
    ) as session:
        try:
            evidence = session.run(call)
        except Deadline as error:
            raise Deadline(say(message(error))) from None
    if evidence.error:
        raise KernelMisuse(say(evidence.error["message"]))  # a lesson prints it
    return name, evidence
