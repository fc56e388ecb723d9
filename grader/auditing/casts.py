"""What a reference makes whole numbers of that has no whole number: NaN, infinities. Hardware does not agree on it."""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Casts(TorchDispatchMode):
    """Inside the block, a cast of NaN or an infinity to a whole number gives `filling`. met: whether there was one."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as for Rounded

    def __init__(self, filling: int):
        super().__init__()
        self._filling, self.met = filling, False

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        result = operator(*args, **(kwargs or {}))
        if operator is not torch.ops.aten._to_copy.default or not args[0].is_floating_point():
            return result
        if result.is_floating_point() or result.dtype is torch.bool or bool((finite := args[0].isfinite()).all()):
            return result
        self.met = True
        return torch.where(finite, result, self._filling)
