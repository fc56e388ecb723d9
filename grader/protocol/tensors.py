"""Tensors on the wire: a description in JSON and the raw bytes of the storage.

The description holds dtype, shape, strides and offset (both in elements) and nbytes.
"""

from __future__ import annotations

import ctypes


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
    """The tensor of a description and the bytes of its storage. Raises PyTorch's errors if the two do not fit."""
    import torch

    dtype = getattr(torch, spec["dtype"])
    flat = torch.frombuffer(bytearray(data), dtype=dtype) if data else torch.empty(0, dtype=dtype)
    return flat.as_strided(spec["shape"], spec["strides"], spec["offset"])


def describe(dtype: str, shape, strides=None) -> dict:
    """The description of a tensor that is sent without its bytes. strides: in elements."""
    spec = {"dtype": dtype, "shape": [int(n) for n in shape]}
    return spec if strides is None else spec | {"strides": [int(s) for s in strides]}


def blank(spec: dict):
    """A tensor for a description of `describe` with strides. Its storage holds NaN, also in the gaps."""
    import torch

    shape, strides = spec["shape"], spec["strides"]
    size = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if all(shape) else 0
    storage = torch.full((size,), float("nan"), dtype=getattr(torch, spec["dtype"]))
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
        return f"{shape} is a tensor without elements"
    behind = tensor.untyped_storage().nbytes() // tensor.element_size()
    if (tensor.dim() > 1 and len(tensor) > _ROWS) or max(behind, tensor.numel()) > _ELEMENTS:
        return (
            f"{shape} is more than a check can interpret: keep to {_ROWS} rows and {_ELEMENTS:,} elements; "
            "a view of something larger counts with all of it"
        )
    return None
