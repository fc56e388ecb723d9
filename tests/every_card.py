"""Machine code of the shipped kernels and of the solutions' for the GPUs that people have: make cards. No GPU needed.

What `pick` would launch on a card is asked of `pick`, with CPU tensors and the card's capability.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

from grader import lessons

CAPABILITIES = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)]
AMD = ["gfx942", "gfx1100"]
COLUMNS = [1, 3, 33, 129, 256, 300, 781, 1000, 1300, 2048, 3000, 4096, 5000, 8192, 12672, 12673, 16384, 20000, 28672,
           32000, 32767, 32768, 50257, 50258, 65536, 128256, 131072, 999999, 1048576]  # fmt: skip

_COMPILE = """
import json, sys
import torch, triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

target, columns = json.loads(sys.argv[1])
amd = isinstance(target, str)
gpu = GPUTarget("hip", target, 64 if target.startswith("gfx9") else 32) if amd else GPUTarget("cuda", 10 * target[0] + target[1], 32)
torch.cuda.get_device_capability = lambda device=None: (0, 0) if amd else tuple(target)

from grader.fast import backward, launchers, pick

wanted = {}

def note(kernel, grid, numbers, words=False, **options):
    names = kernel.arg_names
    constants = {name: options[name] for name in names if name in options}
    rest = {name: value for name, value in options.items() if name not in names}
    wanted[repr((kernel.fn.__name__, numbers, words, sorted(options.items()), element))] = (kernel, constants, rest, numbers, words, element)
    return lambda *tensors: None

launchers.start = backward.start = note
launchers.on_nvidia = pick.on_nvidia = lambda x: not amd
launchers._multiprocessors = lambda device: 40
for dtype, element in ((torch.float32, "fp32"), (torch.bfloat16, "bf16"), (torch.float16, "fp16")):
    for n in columns:
        for m in (1, 40, 4096):
            if m * n > 1 << 30:
                continue
            x = torch.empty(m, n, dtype=dtype)
            getattr(pick, pick.route(x)).plan(x, x)
            backward._in_triton(x, False)
            backward._in_triton(x, True)

built = set()
for kernel, constants, options, numbers, words, element in wanted.values():
    names = kernel.arg_names
    pointers = [name for name in names if name.endswith("_ptr")]
    kinds = dict.fromkeys(pointers, "*i32" if words else "*" + element)
    kinds |= {"states_ptr": "*i64" if "shared" in kernel.fn.__name__ else "*fp32", "sums_ptr": "*fp32"}
    integers = dict(zip([name for name in names if name not in pointers and name not in constants], numbers, strict=True))
    ones = {name: 1 for name, value in integers.items() if value == 1}  # Triton makes them constants
    types = {name: "constexpr" if name in constants or name in ones else kinds[name] if name in pointers else "i32" for name in names}
    even = [name for name in names if name in pointers or integers.get(name, 1) % 16 == 0]
    key = repr((kernel.fn.__name__, sorted(constants.items()), sorted(options.items()), types, even))
    if key in built:
        continue
    built.add(key)
    values = {(names.index(name),): value for name, value in (constants | ones).items()}
    source = ASTSource(kernel, types, values, {(names.index(name),): [["tt.divisibility", 16]] for name in even})
    asm = triton.compile(source, target=gpu, options={k: v for k, v in options.items() if not amd or k == "num_warps"}).asm
    assert ("hsaco" in asm or "amdgcn" in asm) if amd else "cubin" in asm, key
print(len(built), "kernels built")
"""

_SOLUTIONS = """
import json, sys
import torch, triton
from grader import lessons
from grader.compiler import request
from grader.judge import extract

values = {"BLOCK": 1024, "ROWS": 4, "SPLITS": 8, "num_stages": 2}
text, targets = json.loads(sys.argv[1])
space = {"__name__": "answer"}
open("answer.py", "w").write(text)
sys.path.insert(0, ".")
import answer
built = 0
for name, kernel in vars(answer).items():
    if not isinstance(kernel, triton.JITFunction) or not any(n.endswith("_ptr") for n in kernel.arg_names):
        continue
    args = {}
    for p in kernel.params:
        if p.is_constexpr:
            args[p.name] = values.get(p.name, 32)
        else:
            args[p.name] = torch.empty(64, 1000) if p.name.endswith("_ptr") else 1000
    for column in request.compiled(kernel, [], args, [(tuple(t), {"num_warps": 4}) for t in targets]):
        assert not column.get("error"), (name, column["error"])
        built += 1
print(built, "kernels built")
"""


def _run(program: str, argument, folder) -> str:
    environment = os.environ | {"TRITON_INTERPRET": "0", "FIVE_PASSES_WORKER": "1", "PYTHONPATH": str(ROOT)}
    environment["TRITON_CACHE_DIR"] = str(folder / "cache")
    # In a file, since Triton reads the source of kernels; what they are called with is the argument.
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(path), json.dumps(argument)], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.stdout.endswith("kernels built\n"), done.stderr[-1500:]
    return done.stdout


@pytest.mark.parametrize("target", [*CAPABILITIES, *AMD], ids=str)
def test_every_kernel_that_pick_can_choose_becomes_machine_code(target, tmp_path):
    """For each dtype, the lengths that lead to different kernels, few rows and many."""
    assert int(_run(_COMPILE, [target, COLUMNS], tmp_path).split()[0]) > 60
