"""A process beside the notebook's in which kernels are interpreted, for a notebook that compiles its kernels.

Triton chooses once a process, on import, whether kernels are compiled. So where there is a GPU, the tools that watch a
kernel run the learner's function in this second process, as a notebook without a GPU would run it itself: with all of
PyTorch, on the CPU. It is no sandbox: the function is the learner's own, and nothing is judged.
"""

from __future__ import annotations

import atexit
import inspect
import io
import linecache
import os
import pickle
import subprocess
import sys
import threading

import torch

from .. import environment
from ..interpreter import KernelMisuse
from ..interpreter.triton_private import is_kernel, tuners
from ..language import language
from ..sentence import said
from . import beside_worker as worker

_one_at_a_time = threading.Lock()
_process: subprocess.Popen | None = None


def run(work, target, *given):
    """work(target, *given), computed in the process beside this one.

    work: a function of the course. target: the learner's function or kernel. Tensors go there as copies on the CPU, and
    what changed in them comes back. What the function prints is printed here. Raises what it raises, and KernelMisuse
    for a function that cannot go there.
    """
    name = getattr(target, "__name__", said("the function"))
    try:
        order, storages = _packed((language(), work, target, given))
    except ImportError:
        raise KernelMisuse(
            said(
                "{name} runs in a process of its own here, and the package that brings it there is missing: "
                "pip install cloudpickle",
                name=name,
            )
        ) from None
    except Exception as error:
        raise KernelMisuse(
            said(
                "{name} runs in a process of its own here, and it uses something that cannot go there ({error})",
                name=name,
                error=error,
            )
        ) from None
    reply = _asked(name, order)
    sys.stdout.write(reply.printed)
    for number, content in reply.changed.items():
        _bytes_of(storages[number]).copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
    if reply.error is not None:
        raise reply.error
    return reply.value


def close() -> None:
    """End the process. The next run starts another one."""
    global _process
    if _process is not None:
        _process.kill()
        _process.wait()
        _process.stdin.close()
        _process.stdout.close()
        _process = None


def _asked(name: str, order: bytes) -> worker.Reply:
    """The reply to an order. Raises KernelMisuse where the process ends without one."""
    with _one_at_a_time:
        process = _started()
        try:
            pickle.dump(order, process.stdin)  # bytes within bytes: what cannot be read ends no stream
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, OSError):
            close()
            raise KernelMisuse(said("{name} ended the process in which it ran", name=name)) from None
        except BaseException:  # an interrupt: what runs there is of no use any more
            close()
            raise


def _started() -> subprocess.Popen:
    global _process
    if _process is None or _process.poll() is not None:
        atexit.register(close)
        _process = subprocess.Popen(
            [sys.executable, "-c", f"from {worker.__name__} import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ
            | {
                "FIVE_PASSES_WORKER": "1",
                "TRITON_INTERPRET": "1",
                "PYTHONPATH": os.pathsep.join([str(environment.ROOT), *filter(None, sys.path)]),
            },
            start_new_session=True,  # an interrupt of the notebook is no interrupt of this process
        )
    return _process


def _packed(order) -> tuple[bytes, list[torch.UntypedStorage]]:
    """(an order as bytes, the storages of all tensors in it, which the reply calls by their places in this list)."""
    import cloudpickle  # only where there is a GPU, or something like it

    packed, storages = io.BytesIO(), []
    known: dict[int, worker.Storage] = {}

    class Pickler(cloudpickle.Pickler):
        def reducer_override(self, value):
            if isinstance(value, torch.Tensor) and value.layout == torch.strided and not value.is_meta:
                return worker.tensor, _parts(value.detach(), _storage(value), value)
            if is_kernel(value) or isinstance(value, tuners()):
                return _named(value) or _kernel(value)
            if (plain := uncompiled(value)) is not value:
                return worker.same, (plain,)
            return super().reducer_override(value)

    def _storage(value: torch.Tensor) -> worker.Storage:
        storage = value.untyped_storage()
        key = storage.data_ptr() or id(storage)
        if key not in known:
            content = _bytes_of(storage).cpu().numpy().tobytes()
            known[key] = worker.Storage(len(storages), content)
            storages.append(storage)
        return known[key]

    Pickler(packed).dump(order)
    return packed.getvalue(), storages


def _parts(plain: torch.Tensor, storage: worker.Storage, value: torch.Tensor) -> tuple:
    place = storage, plain.dtype, plain.storage_offset(), tuple(plain.shape), plain.stride()
    return *place, value.requires_grad, type(value) is torch.nn.Parameter


def _bytes_of(storage: torch.UntypedStorage) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


def _named(value) -> tuple | None:
    """A kernel of a module that the other process can import: it is imported there, and is interpreted."""
    function = _innermost(value)
    module = sys.modules.get(function.__module__)
    found = getattr(module, function.__name__, None)
    if found is value and function.__module__ != "__main__":
        return worker.imported, (function.__module__, function.__name__)
    return None


def _kernel(value) -> tuple:
    """A kernel by its function and its decorators."""
    autotuner, heuristics = tuners()
    if isinstance(value, autotuner):
        pruned = {
            "early_config_prune": value.early_config_prune,
            "perf_model": value.perf_model,
            "top_k": value.configs_top_k,
        }
        return worker.autotuned, (value.fn, value.configs, value.keys, pruned)
    if isinstance(value, heuristics):
        return worker.with_heuristics, (value.fn, value.values)
    file = value.fn.__code__.co_filename
    return worker.kernel, (value.fn, file, linecache.getlines(file))


def uncompiled(value):
    """What torch.compile was given to make this function or module; any other value as it is."""
    if inspect.isfunction(value):
        return getattr(value, "_torchdynamo_orig_callable", value)
    return getattr(value, "_orig_mod", value) if isinstance(value, torch.nn.Module) else value


def _innermost(value):
    while not inspect.isfunction(value):
        value = value.fn
    return value
