"""Tensors on the wire: a description in JSON and the raw bytes of the storage.

The description holds dtype, shape, strides and offset (both in elements) and nbytes.
"""

from __future__ import annotations

import ctypes
import math

from ..sentence import fault, said
from ..spec.unstored import MARKS

MAX_DIMENSIONS = 64  # of a tensor in a reply; many of PyTorch's operations take no more


def pack(tensor) -> tuple[dict, bytes]:
    """(description, bytes) of a CPU tensor with its whole storage, including the gaps between rows."""
    storage = tensor.untyped_storage()
    spec = {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "strides": list(tensor.stride()),
        "offset": tensor.storage_offset(),
        "nbytes": storage.nbytes(),
    }
    return spec, ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def unpack(spec: dict, data: bytes):
    """The tensor of a description and the bytes of its storage.

    Raises ValueError, or PyTorch's errors if the two do not fit. Strides of 0 can make it larger than its bytes.
    """
    return _flat(data, _dtype(spec)).as_strided(spec["shape"], spec["strides"], spec["offset"])


def unpack_several(specs: list[dict], data: bytes) -> list:
    """The tensors of several descriptions, whose bytes follow each other. Raises the errors of `unpack`."""
    tensors, start = [], 0
    for spec in specs:
        tensors.append(unpack(spec, data[start : start + spec["nbytes"]]))
        start += spec["nbytes"]
    return tensors


def unpack_elements(spec: dict, data: bytes):
    """The tensor of `elements`. Raises ValueError, or an error of PyTorch, if its bytes are not those of its elements.

    A tensor that fits takes no more memory than its bytes, whatever is computed from it.
    """
    shape, dtype = spec["shape"], _dtype(spec)
    if not all(type(n) is int and n >= 0 for n in shape) or len(shape) > MAX_DIMENSIONS:
        raise ValueError(said("a shape of up to 64 lengths expected"))
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(said("{count} bytes arrived for a tensor of shape {shape}", count=len(data), shape=shape))
    return _flat(data, dtype).reshape(shape)


def _flat(data: bytes, dtype):
    import torch

    return torch.frombuffer(bytearray(data), dtype=dtype) if data else torch.empty(0, dtype=dtype)


def _dtype(spec: dict):
    """The dtype that a description names. Raises ValueError. Other names of torch are not looked up: some load more."""
    import torch

    dtype = vars(torch).get(spec["dtype"])
    if not isinstance(dtype, torch.dtype):
        raise ValueError(said("no such dtype"))
    return dtype


def describe(dtype: str, shape, strides=None) -> dict:
    """The description of a tensor that is sent without its bytes. strides: in elements."""
    spec = {"dtype": dtype, "shape": [int(n) for n in shape]}
    return spec if strides is None else spec | {"strides": [int(s) for s in strides]}


def blank(spec: dict):
    """A tensor for a description of `describe` with strides. Its storage holds marked NaN, also in the gaps."""
    import torch

    shape, strides = spec["shape"], spec["strides"]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if all(shape) else 0
    integers, mark, _ = MARKS[spec["dtype"]]
    storage = torch.full((size,), mark, dtype=getattr(torch, integers)).view(getattr(torch, spec["dtype"]))
    return storage.as_strided(shape, strides)


def elements(tensor) -> tuple[dict, bytes]:
    """(description, bytes) of the elements of a tensor on any device, in row-major order without gaps."""
    flat = tensor.detach().cpu().contiguous().clone()
    return pack(flat)


_ROWS, _ELEMENTS = 64, 1 << 16  # the limits of a tensor: interpreted kernels would take minutes for more


def unfit(tensor) -> str | None:
    """The reason why kernels of the course are not run on a tensor: it is empty or too large. None if they are."""
    shape = "×".join(map(str, tensor.shape))
    if tensor.numel() == 0:
        return fault("empty", "{shape} is a tensor without elements", shape=shape)
    behind = tensor.untyped_storage().nbytes() // tensor.element_size()
    if (tensor.dim() > 1 and len(tensor) > _ROWS) or max(behind, tensor.numel()) > _ELEMENTS:
        return fault(
            "too-large",
            "{shape} is more than a check can interpret: keep to {ROWS} rows and {ELEMENTS} "
            "elements; a view of something larger counts with all of it",
            shape=shape,
            ROWS=_ROWS,
            ELEMENTS=f"{_ELEMENTS:,}",
        )
    return None
