"""The reference once more, with every number that an operator of PyTorch is given moved by a few roundings.

What cancels inside a reference does not move with its inputs: dp - Σ p · dp of a row with one weight is 0, and any sum
in another order is 0 and a rounding. So the operators are perturbed one by one, those of gradients and norms in parts.
What float32 has no number for is lost: two shares that are 0 in float32 are equal ones, and either may come first.
"""

from __future__ import annotations

from functools import partial

import torch
from torch._decomp import decomposition_table
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .allowed_error import jittered

# Operators that compute in several steps: taken apart, each step is perturbed.
_OF_PARTS = ("softmax", "norm", "var", "std", "logsumexp", "logaddexp", "loss", "attention", "_backward", "entropy")
# What moves numbers and computes none, by the beginning of its name.
_EXACT = (
    "abs alias amax amin arange argmax argmin as_strided bernoulli cat chunk clamp clone constant_pad copy cummax "
    "cummin detach diag empty eq expand eye fill flip full gather ge gt index isfinite isinf isnan le lift logical lt "
    "masked max maximum min minimum narrow ne neg new ones permute rand relu repeat reshape roll scatter select sign "
    "slice sort split squeeze stack t topk transpose tril triu unbind unfold unsqueeze view where zeros "
    "_local_scalar_dense _reshape _to_copy _unsafe_view"
).split()
# Small numbers that many compute as the difference of larger ones: tanh(x) as 2 sigmoid(2x) - 1, say.
_FROM_1 = frozenset("asinh atanh elu erf expm1 log1p log_sigmoid_forward sinh softplus tanh".split())

_LOST = torch.finfo(torch.float32).smallest_normal


class Rounded(TorchDispatchMode):
    """Inside the block, what operators of PyTorch are given in float64 moves up or down by a relative distance.

    What they return moves by less than float32 has a normal number for; a function that many compute from numbers near
    1, by the distance.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # True, the default, makes the first operation import torch.compile, which takes seconds

    def __init__(self, distance: float, seed: int):
        super().__init__()
        self._distance, self._generator = distance, torch.Generator().manual_seed(seed)

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        kwargs, name = kwargs or {}, operator._schema.name.removeprefix("aten::")
        if name == "_softmax":  # by way of the logarithm of the sum, as the gradients of attention compute it anew
            with self:
                return (args[0] - args[0].logsumexp(args[1], keepdim=True)).exp()
        if operator in decomposition_table and any(part in name for part in _OF_PARTS):
            with self:
                return decomposition_table[operator](*args, **kwargs)
        if operator._schema.is_mutable or name.rstrip("_") in _EXACT or name.split("_")[0] in _EXACT:
            return operator(*args, **kwargs)
        args, kwargs = _pytree.tree_map_only(torch.Tensor, self._moved, (args, kwargs))
        noise = max(_LOST, self._distance if name in _FROM_1 else 0.0)
        noisy = partial(self._noisy, noise)
        return _pytree.tree_map_only(torch.Tensor, noisy, operator(*args, **kwargs))

    def _moved(self, tensor: torch.Tensor) -> torch.Tensor:
        return jittered(tensor, self._distance, self._generator) if tensor.dtype == torch.float64 else tensor

    def _noisy(self, most: float, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.dtype != torch.float64:
            return tensor
        return tensor + most * torch.rand(tensor.shape, generator=self._generator, dtype=tensor.dtype)
