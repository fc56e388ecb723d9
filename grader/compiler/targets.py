"""GPUs by name, as Triton's compiler calls them: (backend, architecture, threads of a warp)."""

from __future__ import annotations

from ..gpus import GPUS

TARGETS = {gpu.name: (*gpu.target, gpu.warp) for gpu in GPUS.values() if gpu.target}
