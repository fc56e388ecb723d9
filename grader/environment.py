"""Facts about this machine: GPU, compiler, versions, and whether kernels run interpreted or compiled."""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os
import pathlib
import platform
import shutil
import sys
import threading

from .sentence import Said, said

# Device files of GPU drivers. Where none exists there is no GPU, and torch need not be imported to find out.
_DRIVER_FILES = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/kfd", "/dev/dxg", "/dev/dri")
ROOT = pathlib.Path(__file__).resolve().parent.parent  # the folder of the course, or of Python's packages
INSTALLED = any(ROOT.glob("five_passes-*.dist-info"))  # as a package among others, without lessons
COURSE = ROOT / "grader" if INSTALLED else ROOT  # what no answer may read
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_triton_was_first = False
_WITHOUT_TRITON = {
    "darwin": said("Triton has no package for macOS. Colab or a dev container runs all of the course"),
    "win32": said(
        "Triton has no package of its own for Windows. WSL, a dev container or Colab runs "
        "all of the course; pip install triton-windows runs its kernels, but not its checks"
    ),
}


def has_gpu() -> bool:
    """Whether PyTorch finds a GPU that Triton can compile for."""
    if sys.platform == "linux" and not any(pathlib.Path(f).exists() for f in _DRIVER_FILES):
        return False
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available() or bool(getattr(torch, "xpu", None) and torch.xpu.is_available())


def has_compiler() -> bool:
    """Whether g++ is installed. It compiles kernels in CUDA C++ to run on a CPU."""
    return shutil.which("g++") is not None


def has_cupy() -> bool:
    """Whether CuPy is installed. It compiles kernels in CUDA C++ for a GPU."""
    return importlib.util.find_spec("cupy") is not None


def needs_cupy() -> Said:
    """How to get CuPy, at a command line and in a notebook."""
    import torch

    major = (torch.version.cuda or "12").split(".")[0]
    return said(
        "The kernels in CUDA C++ need CuPy, which compiles them for a GPU. Install it with `pip install "
        "cupy-cuda{major}x` (in a cell of a notebook: `%pip`), then run this again.",
        major=major,
    )


def give_memory_to_kernels() -> None:
    """Let kernels on a GPU make tensor descriptors: Triton asks the host for their memory."""
    import torch
    import triton

    if hasattr(triton, "set_allocator"):
        triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))


def return_free_memory() -> None:
    """Give the system back what malloc keeps of memory that is free. It takes milliseconds, and never raises.

    A check leaves tens of MB of that behind, which a hub would pay for each of its learners.
    """
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):  # of glibc alone
        trim(ctypes.c_size_t(0))


def prepare() -> None:
    """Choose interpreted or compiled kernels for this process, by TRITON_INTERPRET, before Triton is imported."""
    global _triton_was_first
    _triton_was_first = "triton" in sys.modules
    if "TRITON_INTERPRET" not in os.environ and not _triton_was_first and not has_gpu():
        os.environ["TRITON_INTERPRET"] = "1"


def spare_threads() -> None:
    """Let NumPy compute in one thread where no other can start: its library would end the process instead.

    Call it before NumPy is imported.
    """
    try:
        thread = threading.Thread(target=len, args=("",))
        thread.start()
        thread.join()
    except RuntimeError:
        os.environ |= dict.fromkeys(_THREADS, "1")


def interpreted() -> bool:
    """Whether kernels decorated in this process run interpreted."""
    return os.environ.get("TRITON_INTERPRET", "0").lower() in ("1", "true", "on", "yes")


def without_triton() -> str | None:
    """Advice for a machine without Triton, as a sentence without its full stop; None if Triton is installed."""
    if triton():
        return None
    return _WITHOUT_TRITON.get(
        sys.platform, said("Triton is not installed: pip install triton, then restart the kernel")
    )


def version(package: str) -> str | None:
    """The installed version of a package, None if it is absent."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def triton() -> str | None:
    """The installed version of Triton, or of its package for Windows; None without either."""
    return version("triton") or version("triton-windows")


def device() -> None:
    """Print three lines about this machine: device, versions, and how kernels run."""
    from .language import say, wrap

    for what, state in facts().items():
        print(f"{wrap.padded(say(what), 9)} {say(state)}")


def facts() -> dict[str, str]:
    """The three lines of device(), as {name: text}."""
    versions = said(
        "Python {python_version}, torch {version}, Triton {triton}",
        python_version=platform.python_version(),
        version=version("torch"),
        triton=triton(),
    )
    return {said("device"): _name(), said("versions"): versions, said("mode"): _mode()}


def order() -> str:
    """The order of the imports of Triton and grader, as text. Only if grader is first can it choose the mode."""
    return said("Triton, then grader") if _triton_was_first else said("grader first, as it should be")


def _name() -> str:
    if not has_gpu():
        return said("CPU, no GPU that Triton compiles for")
    import torch

    backend = torch.cuda if torch.cuda.is_available() else torch.xpu
    return backend.get_device_name(0)


def _mode() -> str:
    if missing := without_triton():
        return said("PyTorch only: {missing}", missing=missing)
    if not interpreted() and not has_gpu():
        return said("broken: Triton was imported before grader. Restart the kernel and run the first cell first")
    if interpreted():
        return said("interpreted: every kernel runs on the CPU, each access checked first")
    return said("compiled for the GPU; checks also run interpreted")
