"""Compile what `pick` would launch on a card down to machine code, and print how many kernels that were. No GPU needed.

    python tests/slow/kernels_of_a_card.py 75|80|...|gfx942|gfx1100

It runs in a process of its own, since it replaces what asks PyTorch for the card.
"""

from __future__ import annotations

import sys

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from grader.fast import backward, launchers, pick

# Lengths that lead to different kernels, aligned and not.
COLUMNS = [129, 300, 781, 1000, 3000, 5000, 8192, 12672, 20000, 32000, 32768, 50257, 50258, 131072, 1048576]
ROWS = [1, 4096]
POINTER = {torch.float32: "*fp32", torch.bfloat16: "*bf16", torch.float16: "*fp16"}


def launches(capability: tuple[int, int]) -> list[tuple]:
    """(kernel, pointer type of a matrix, numbers, options) of each launch on a card. Capability (0, 0): AMD's."""
    found = []

    def note(kernel, grid, numbers, words=False, **options):
        found.append((kernel, "*i32" if words else POINTER[x.dtype], numbers, options))
        return lambda *tensors: None

    launchers.start = backward.start = note
    launchers.on_nvidia = pick.on_nvidia = lambda x: capability > (0, 0)
    launchers._multiprocessors = lambda device: 40
    torch.cuda.get_device_capability = lambda device=None: capability
    for dtype in POINTER:
        for m, n in ((m, n) for n in COLUMNS for m in ROWS if m * n <= 1 << 30):
            x = torch.empty(m, n, dtype=dtype)
            for log in (False, True):
                getattr(pick, pick.route(x)).plan(x, x, log)
                backward._in_triton(x, log)
    return found


def compile_for(target: GPUTarget, kernel, matrix: str, numbers: tuple[int, ...], options: dict) -> str:
    """The machine code's kind: "cubin" or "hsaco"; a kernel that was compiled before comes from Triton's cache."""
    names = kernel.arg_names
    types = dict.fromkeys((n for n in names if n.endswith("_ptr")), matrix)
    if "states_ptr" in types:
        types["states_ptr"] = "*i64" if "shared" in kernel.fn.__name__ else "*fp32"
    if "sums_ptr" in types:
        types["sums_ptr"] = "*fp32"
    constants = {n: options[n] for n in names if n in options}
    integers = dict(zip((n for n in names if n not in types and n not in constants), numbers, strict=True))
    constants |= {n: 1 for n, value in integers.items() if value == 1}  # as Triton does
    even = [n for n in names if n in types or n not in constants and integers[n] % 16 == 0]
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
