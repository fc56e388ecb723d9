"""Compile what would be launched on a card down to machine code, and print how many kernels that were. No GPU needed.

    python tests/slow/kernels_of_a_card.py 75|80|...|gfx942|gfx1100

It runs in a process of its own, since it replaces what asks PyTorch for the card.
"""

from __future__ import annotations

import sys

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from grader.fast import backward, column_launchers, launchers, loss_launchers, pick

# Lengths that lead to different kernels, aligned and not.
COLUMNS = [129, 300, 781, 1000, 3000, 5000, 8192, 12672, 20000, 32000, 32768, 50257, 50258, 131072, 1048576]
ROWS = [1, 4096]
# Outer parts, steps, inner elements: short and long columns, steps that begin at a vector and anywhere.
COLUMNS_OF = [(64, 21, 4096), (64, 1000, 256), (100, 333, 77), (2, 50000, 128), (1, 4096, 50257)]
POINTER = {torch.float32: "*fp32", torch.bfloat16: "*bf16", torch.float16: "*fp16"}
# Arguments that are no matrix of logits, probabilities or gradients.
OTHERS = {"targets_ptr": "*i64", "states_ptr": "*fp32", "smoothing": "fp32"}
OTHERS |= dict.fromkeys(("sums_ptr", "parts_ptr", "pieces_ptr", "weight_ptr"), "*fp32")


def launches(capability: tuple[int, int]) -> list[tuple]:
    """(kernel, pointer type of a matrix, numbers, options) of each launch on a card. Capability (0, 0): AMD's."""
    found = []

    def note(kernel, grid, numbers, words=False, **options):
        found.append((kernel, "*i32" if words else POINTER[x.dtype], numbers, options))
        return lambda *tensors: None

    for module in (launchers, backward, column_launchers, loss_launchers):
        module.start = note
    for module in (launchers, pick, loss_launchers):
        module.on_nvidia = lambda x: capability > (0, 0)
    launchers._multiprocessors = lambda device: 40
    torch.cuda.get_device_capability = lambda device=None: capability
    for dtype in POINTER:
        for m, n in ((m, n) for n in COLUMNS for m in ROWS if m * n <= 1 << 30):
            x = torch.empty(m, n, dtype=dtype)
            for log in (False, True):
                getattr(pick, pick.route(x)).plan(x, x, log)
                backward._in_triton(x, log)
            for reduction, smoothing in (("none", 0.0), ("mean", 0.1)):
                settings = loss_launchers.Settings(-100, smoothing, reduction)
                loss_launchers._plan_forward(x, x, settings)
                loss_launchers._plan_backward(x, x, 0, settings)
        loss_launchers._plan_scale(x)
        for lies in (column_launchers.Shape(*shape) for shape in COLUMNS_OF):
            for log in (False, True):
                column_launchers._plan_forward(x, x, lies, log)
                column_launchers._plan_backward(x, x, x, lies, log)
    return found


def compile_for(target: GPUTarget, kernel, matrix: str, numbers: tuple[int, ...], options: dict) -> str:
    """The machine code's kind: "cubin" or "hsaco"; a kernel that was compiled before comes from Triton's cache."""
    names = kernel.arg_names
    types = {n: OTHERS.get(n, matrix) for n in names if n.endswith("_ptr") or n in OTHERS}
    if "shared" in kernel.fn.__name__:
        types["states_ptr"] = "*i64"
    constants = {n: options[n] for n in names if n in options}
    integers = dict(zip((n for n in names if not n.endswith("_ptr") and n not in constants), numbers, strict=True))
    integers.pop("smoothing", None)
    constants |= {n: 1 for n, value in integers.items() if value == 1}  # as Triton does
    even = [n for n in names if n.endswith("_ptr") or n in integers and n not in constants and integers[n] % 16 == 0]
    source = ASTSource(
        kernel,
        {n: "constexpr" if n in constants else types.get(n, "i32") for n in names},
        {(names.index(n),): value for n, value in constants.items()},
        {(names.index(n),): [["tt.divisibility", 16]] for n in even},
    )
    kept = {n: v for n, v in options.items() if n not in names and (target.backend == "cuda" or n == "num_warps")}
    (code,) = {"cubin", "hsaco"} & triton.compile(source, target=target, options=kept).asm.keys()
    return code


def main(card: str) -> None:
    """Compile every launch."""
    if card.startswith("gfx"):
        target, capability = GPUTarget("hip", card, 64 if card.startswith("gfx9") else 32), (0, 0)
    else:
        target, capability = GPUTarget("cuda", int(card), 32), divmod(int(card), 10)
    kinds = {repr(launch): launch for launch in launches(capability)}
    for launch in kinds.values():
        compile_for(target, *launch)
    print(len(kinds), "launches")


if __name__ == "__main__":
    main(sys.argv[1])
