"""The finished softmax of the course, usable without the rest of it: `from grader.fast import softmax, cross_entropy`.

Runs in: any process that imports it; it is public.
May import: root.
Start reading: softmax.py, then pick.py (which kernel for which shape).

softmax    softmax and log_softmax, with autograd, vmap and torch.compile
pick       which kernel for which shape
plans      what follows from a layout is kept, up to a bound
clusters   a row in thread block clusters, forward and backward: clusters.cu
short_rows short rows that begin anywhere, forward and backward: short_rows.cu
cuda_texts compiles and launches both, CUDA C++ through CuPy
launchers  one launcher a kernel: rows (a row in registers), tiled_two_pass, packed (16-bit pairs), shared (programs
           that share a row), split (two launches), online (two walks)
backward   the gradient, where no cluster computes it
on_device  for which tensors kernels run, and on which GPU

column_launchers  which kernel for softmax along another dimension than the last one in memory
column_clusters   columns in thread blocks and clusters of them, forward and backward: column_clusters.cu
columns           the same in Triton, and columns that no cluster holds

cross_entropy     the loss, with autograd, vmap and torch.compile
linear_cross_entropy  that of a linear layer, by chunks of its logits
loss_rows         losses of many rows in CUDA C++: losses.cu
loss_launchers    which kernel for which logits
losses            kernels of the loss and of its gradient
"""

from .cross_entropy import cross_entropy
from .linear_cross_entropy import linear_cross_entropy
from .softmax import log_softmax, softmax

__all__ = ["cross_entropy", "linear_cross_entropy", "log_softmax", "softmax"]
