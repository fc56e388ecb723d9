"""Launches on the GPU on which a tensor lies, which need not be the current one."""

from __future__ import annotations

from collections.abc import Callable

import torch


def on_its_device(launch: Callable[..., None], x: torch.Tensor, *others: object) -> None:
    """launch(x, *others), while the device of x is the current one, on which kernels run."""
    if x.is_cuda and x.get_device() != torch.cuda.current_device():
        with torch.cuda.device(x.device):
            launch(x, *others)
    else:
        launch(x, *others)
