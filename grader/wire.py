"""What crosses the line between judge and worker: frames of a JSON header and raw bytes. No pickle, no code."""

from __future__ import annotations

import json
import math
import struct
import time
from dataclasses import dataclass
from fractions import Fraction

MAX_HEADER = 4 << 20  # bytes
_LENGTHS = struct.Struct(">IQ")


class BrokenChannel(Exception):
    """The other side went away or sent something that is no frame."""


def send(sock, header: dict, payload: bytes | list = b"") -> None:
    """Send one frame. payload: bytes, or a list of them to be joined on the way out."""
    parts = payload if isinstance(payload, list) else [payload]
    head = json.dumps(header).encode()
    sock.sendall(_LENGTHS.pack(len(head), sum(len(p) for p in parts)) + head)
    for part in parts:
        if part:
            sock.sendall(part)


def receive(sock, max_payload: int, end: float | None = None) -> tuple[dict, bytes]:
    """Receive one frame, of at most max_payload bytes after its header. Raises BrokenChannel or TimeoutError.

    end: when to give up, by time.monotonic(), however slowly the bytes come.
    """
    head_size, size = _LENGTHS.unpack(_exactly(sock, _LENGTHS.size, end))
    if head_size > MAX_HEADER or size > max_payload:
        raise BrokenChannel(f"a frame of {head_size} + {size} bytes is larger than anything expected")
    try:
        header = json.loads(_exactly(sock, head_size, end))
    except (ValueError, RecursionError) as error:
        raise BrokenChannel(f"a header that is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise BrokenChannel("a header that is no object")
    return header, _exactly(sock, size, end)


def _exactly(sock, size: int, end: float | None) -> bytes:
    chunks, left = [], size
    while left:
        if end is not None and (in_time := end - time.monotonic()) <= 0:
            raise TimeoutError
        if end is not None:
            sock.settimeout(in_time)
        try:
            chunk = sock.recv(min(left, 1 << 20))
        except TimeoutError:
            raise
        except OSError as error:
            raise BrokenChannel(str(error)) from None
        if not chunk:
            raise BrokenChannel("the other side closed")
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


# ---- tensors that an answer chose

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


# ---- plain Python values -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Once:
    """Values that the other side can walk along once: they arrive as an iterator."""

    values: list


_MAX_ITEMS = 10_000
_DTYPES = frozenset("float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 bool".split())


def encode(value, depth: int = 0):
    """A plain value (number, text, None, ..., dtype, list, tuple, dict) as tagged JSON; of others the type name."""
    if depth > 8:
        return ["?", "something nested very deeply"]
    if value is None or isinstance(value, bool):
        return ["const", value]
    if value is Ellipsis:
        return ["ellipsis"]
    if isinstance(value, int):
        return ["int", hex(value)] if value.bit_length() < 4096 else ["?", "an integer of over 4096 bits"]
    if isinstance(value, float):
        return ["float", repr(float(value))]
    if isinstance(value, str):
        return ["str", value[:_MAX_ITEMS]]
    if isinstance(value, Fraction):
        return ["fraction", hex(value.numerator), hex(value.denominator)]
    if isinstance(value, Once):
        return ["once"] + [encode(v, depth + 1) for v in value.values]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__ if type(value) in (list, tuple) else "tuple"] + [
            encode(v, depth + 1) for v in value[:_MAX_ITEMS]
        ]
    if isinstance(value, dict):
        pairs = list(value.items())[:_MAX_ITEMS]
        return ["dict"] + [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in pairs]
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "shape", None) in ((), None):
        try:
            return encode(item(), depth + 1)
        except Exception:
            pass
    if (type(value).__module__, type(value).__name__) == ("torch", "dtype"):
        return ["dtype", str(value).removeprefix("torch.")]
    # A tl.constexpr wraps a plain value.
    if type(value).__name__ == "constexpr":
        return encode(value.value, depth + 1)
    return ["?", type(value).__name__]


class Unreadable:
    """Stands for a value that has no plain form; equal to nothing."""

    def __init__(self, kind: str):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"


def decode(data):
    """The value that `encode` wrote. Malformed data becomes an Unreadable."""
    try:
        return _decode(data)
    except (ValueError, TypeError, IndexError, KeyError, RecursionError, ZeroDivisionError):
        return Unreadable("malformed value")


def _decode(data):
    tag, *rest = data
    if tag == "const":
        return rest[0] if rest[0] in (None, True, False) else Unreadable("malformed value")
    if tag == "ellipsis":
        return ...
    if tag == "int":
        return int(rest[0], 16)
    if tag == "float":
        return float(rest[0])
    if tag == "str":
        return str(rest[0])
    if tag == "fraction":
        return Fraction(int(rest[0], 16), int(rest[1], 16))
    if tag == "dtype" and rest[0] in _DTYPES:
        import torch

        return getattr(torch, rest[0])
    if tag == "list":
        return [_decode(v) for v in rest]
    if tag == "once":
        return iter([_decode(v) for v in rest])
    if tag == "tuple":
        return tuple(_decode(v) for v in rest)
    if tag == "dict":
        return {_decode(k): _decode(v) for k, v in rest}
    return Unreadable(str(rest[0]) if rest else "unknown value")


def same_number(a, b, rel: float = 1e-9) -> bool:
    """Whether two plain values are the same number; booleans are no numbers."""
    if isinstance(a, bool) or isinstance(b, bool) or not all(isinstance(v, (int, float, Fraction)) for v in (a, b)):
        return False
    try:
        return a == b or math.isclose(a, b, rel_tol=rel)
    except OverflowError:  # an integer too large for a float
        return False


# ---- tensors -----------------------------------------------------------------------------------------------------


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
