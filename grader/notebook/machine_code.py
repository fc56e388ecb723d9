"""machine_code(kernel, *args): the registers and instructions of a kernel on GPUs that are not here."""

from __future__ import annotations

import inspect
import math

from .. import environment
from ..compiler import request
from ..compiler.targets import TARGETS
from ..interpreter import KernelMisuse, launch_args
from ..interpreter.triton_private import under_decorators
from ..language import say
from ..reference import residency
from ..sentence import foreign, listed, said
from .machine_table import Column, MachineCode

_HERE = "here"
_WARPS = 4  # of a launch that does not say


def machine_code(kernel, *args, grid=None, gpu="T4", num_warps=None, **constants):
    """Compile a kernel as its launch would, for GPUs that need not be here, and show what became of it. Nothing runs.

    The launch `k[(4,)](y, x, BLOCK=8)` is `machine_code(k, y, x, BLOCK=8, grid=(4,))`. gpu: a name, such as "T4" or
    "MI300X", or "here" for the GPU of this machine; a wrong name says which there are. gpu and num_warps may be lists:
    each combination is a column. Of a tensor, its dtype counts and whether 16 divides its address in bytes; of an
    integer, whether it is 1 and whether 16 divides it. Returns a MachineCode, which shows itself as a table; `+` puts
    two side by side. Raises KernelMisuse for wrong arguments, and for a kernel that Triton's compiler refuses.

    >>> machine_code(softmax_kernel, y, x, n, BLOCK=1024, gpu=["T4", "MI300X"], num_warps=[1, 4, 8])
    """
    if missing := environment.without_triton():
        raise KernelMisuse(said("machine_code needs Triton's compiler. {missing}", missing=missing))
    function, constants = _function(kernel, args, constants)
    name = function.__name__
    warps = constants.pop("num_warps", _WARPS) if num_warps is None else num_warps
    asked = [(each, _checked_warps(number)) for each in _listed(gpu) for number in _listed(warps)]
    targets = [(_target(each), {"num_warps": number}) for each, number in asked]
    bound, _ = launch_args.bind(function.fn, args, constants)
    launched = _programs(grid, bound, name)
    try:
        found = request.compiled(function, args, constants, targets)
        if len(why := {made.get("error") for made in found}) == 1 and (why := why.pop()):
            raise request.NotCompiled(said("Triton {triton} says: {why}", triton=environment.triton(), why=why))
    except request.NotCompiled as error:
        if todo := foreign.todo(inspect.getsource(function.fn)):
            raise KernelMisuse(say(said("{name} still has a TODO of {todo}", name=name, todo=todo[0]))) from None
        raise KernelMisuse(
            say(said("no machine code of {name}: {error}", name=name, error=error))
        ) from None  # a lesson prints it
    call = {"kernel": name, **{key: _shown(value) for key, value in (bound | constants).items()}}
    return MachineCode(
        [column(each, number, call, launched, made) for (each, number), made in zip(asked, found, strict=True)]
    )


def _function(kernel, args, constants: dict) -> tuple:
    """(the function with @triton.jit, the keyword arguments with those that other decorators add)."""
    try:
        function, more = under_decorators(kernel, args, constants)
    except TypeError:
        if hasattr(kernel, "__code__"):
            raise KernelMisuse(
                said("{name} is a function without @triton.jit, and no kernel", name=kernel.__name__)
            ) from None
        raise KernelMisuse(
            said(
                "machine_code takes a kernel and then the arguments of its launch, and got a {name}: "
                "machine_code(kernel, y, x, BLOCK=8, gpu='T4')",
                name=type(kernel).__name__,
            )
        ) from None
    return function, {**constants, **more}


def _listed(value) -> list:
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    if not values:
        raise KernelMisuse(
            said("gpu and num_warps are one value each or lists of some, and one of them is an empty list")
        )
    return values


def _checked_warps(number) -> int:
    if type(number) is not int or number < 1 or number & (number - 1):
        raise KernelMisuse(
            said("num_warps is a power of two, such as 1, 4 or 8, and not {number}", number=repr(number))
        )
    return number


def _target(gpu) -> tuple:
    if gpu == _HERE:
        return _here()[0]
    if not isinstance(gpu, str) or gpu not in TARGETS:
        raise KernelMisuse(
            said(
                "machine_code knows no GPU {gpu}: choose among {list}, and {HERE}",
                gpu=repr(gpu),
                list=listed(TARGETS),
                HERE=repr(_HERE),
            )
        )
    return TARGETS[gpu]


def _here() -> tuple[tuple, dict]:
    """(target, properties) of the GPU of this machine."""
    import torch

    if not torch.cuda.is_available():
        raise KernelMisuse(
            said("this machine has no GPU for gpu={HERE}: choose among {list}", HERE=repr(_HERE), list=listed(TARGETS))
        )
    found = torch.cuda.get_device_properties(torch.cuda.current_device())
    if torch.version.hip:
        architecture = found.gcnArchName.partition(":")[0]
        known = next((name for name, target in TARGETS.items() if target[1] == architecture), None)
        return ("hip", architecture, found.warp_size), residency.CARDS.get(known, {})
    return ("cuda", found.major * 10 + found.minor, 32), residency.of_nvidia(
        found.multi_processor_count,
        (found.major, found.minor),
        found.shared_memory_per_multiprocessor,
        found.max_threads_per_multi_processor,
    )


def _programs(grid, bound: dict, name: str) -> int | None:
    """The programs of the launch; None if there is no grid."""
    if grid is None:
        return None
    grid = launch_args.as_grid(grid, name)
    return math.prod(grid(bound) if callable(grid) else grid)


def _shown(value) -> str:
    """An argument in the head of a table: all that the compiler knows of a tensor, the value of anything else."""
    if launch_args.is_tensor(value):
        odd = value.data_ptr() % 16
        dtype = str(value.dtype).removeprefix("torch.")
        return said("{dtype}, address % 16 = {odd}", dtype=dtype, odd=odd) if odd else dtype
    return getattr(value, "__name__", None) or str(value)


def column(gpu: str, num_warps: int, call: dict, launched: int | None, made: dict) -> Column:
    """The column of one compilation. made: as compiler/compile.py makes it, or {"error": why}."""
    call = {"GPU": gpu, "warps": str(num_warps)} | call
    if "error" in made:
        return Column(
            call,
            error=said(
                "Triton {triton} does not compile it for {gpu}: {error}",
                triton=environment.triton(),
                gpu=gpu,
                error=made["error"],
            ),
        )
    card = _here()[1] if gpu == _HERE else residency.CARDS[gpu]
    if card:
        fits, limited = residency.of_multiprocessor(card, made["registers"], made["shared"], num_warps)
        at_once = fits * card["multiprocessor_count"]
        made |= {"programs": fits, "limited_by": limited, "at_once": at_once, "launched": launched}
    for kind in ("loads", "stores"):
        made[kind] = {int(size): number for size, number in made[kind].items()}
    made["listing"] = [tuple(pair) for pair in made["listing"]]
    return Column(call, **made)
