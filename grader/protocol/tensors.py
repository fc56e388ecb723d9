"""Tensors as a description and raw bytes."""

from __future__ import annotations


def pack(tensor) -> tuple[dict, bytes]:
    """(description, bytes) of a CPU tensor with its whole storage, so that gaps between rows travel too."""
    storage = tensor.untyped_storage()
    spec = {
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "strides": list(tensor.stride()),
        "offset": tensor.storage_offset(),
        "nbytes": storage.nbytes(),
    }
    import ctypes

    return spec, ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def unpack(spec: dict, data: bytes):
    """The tensor that `pack` described."""
    import torch

    dtype = getattr(torch, spec["dtype"])
    flat = torch.frombuffer(bytearray(data), dtype=dtype) if data else torch.empty(0, dtype=dtype)
    return flat.as_strided(spec["shape"], spec["strides"], spec["offset"])


def elements(tensor) -> tuple[dict, bytes]:
    """(description, bytes) of a tensor's elements in row-major order, without gaps."""
    flat = tensor.detach().cpu().contiguous().clone()
    return pack(flat)


_ROWS, _ELEMENTS = 64, 1 << 16  # the course's kernels are interpreted on them: more would take minutes


def unfit(tensor) -> str | None:
    """Why a tensor is not handed to a kernel of the course, None when it is."""
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
