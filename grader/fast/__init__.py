"""The finished softmax of the course, usable without the rest of it: `from grader.fast import softmax, log_softmax`.

Runs in: any process that imports it; it is public.
May import: root.
Start reading: softmax.py, then pick.py (which kernel for which shape).

softmax    the public functions, with autograd, vmap and torch.compile
pick       which kernel for which shape
plans      what follows from a layout is kept, up to a bound
clusters   a row in thread block clusters, forward and backward: clusters.cu
short_rows short rows that begin anywhere, forward and backward: short_rows.cu
cuda_texts compiles and launches both, CUDA C++ through CuPy
launchers  one launcher a kernel: rows (a row in registers), tiled_two_pass, packed (16-bit pairs), shared (programs
           that share a row), split (two launches), online (two walks)
backward   the gradient, where no cluster computes it
"""

from .softmax import log_softmax, softmax

__all__ = ["log_softmax", "softmax"]
