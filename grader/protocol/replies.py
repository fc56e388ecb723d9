"""Replies on the wire: packing and unpacking of a runner's value, arguments, error and observations."""

from __future__ import annotations

from typing import Any

from ..sentence import fault, message, said
from ..spec import Error, Evidence, Observations, Unreadable
from . import frames, schema
from .tensors import MAX_DIMENSIONS, describe, elements, unpack_elements
from .values import decode, encode


def pack_reply(
    value=None,
    args: tuple = (),
    error: dict | None = None,
    observed: Observations | None = None,
    limit: int = 0,
) -> tuple[dict, list[bytes]]:
    """(header, payload) of a reply.

    value: any object. args: the tensor arguments after the call. error: as spec.Error. limit: in bytes; a returned
    tensor above it, or one of more than 64 dimensions, is left out, and only its dtype and shape are sent.
    """
    header: dict[str, Any] = {}
    payload = []
    if error is not None:
        header["error"] = schema.pack(error, Error)
    elif not hasattr(value, "untyped_storage"):
        header["value"] = encode(value)
    elif value.numel() * value.element_size() > limit or value.dim() > MAX_DIMENSIONS:
        header["omitted"] = describe(str(value.dtype).removeprefix("torch."), value.shape[:16])
    else:
        header["tensor"], data = elements(value)
        payload.append(data)
    header["args"] = []
    for tensor in args:
        spec, data = elements(tensor)
        header["args"].append(spec)
        payload.append(data)
    if observed is not None:
        header["observed"] = schema.pack(observed, Observations)
    return header, payload


def unpack_reply(header: dict, payload: bytes) -> Evidence:
    """The evidence in a reply of `pack_reply`. Raises schema.Mismatch for data of any other form."""
    try:
        return _unpack(header, payload)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError, RuntimeError) as error:
        raise schema.Mismatch(message(error)) from None


def _unpack(header: dict, payload: bytes) -> Evidence:
    observed = schema.unpack(header["observed"], Observations) if "observed" in header else Observations()
    if any(launch["program"] >= len(observed.programs) for launch in observed.launches):
        raise schema.Mismatch(said("a launch of a program that did not arrive"))
    evidence, start = Evidence(**vars(observed)), 0
    if "error" in header:
        evidence.error = unpack_error(header["error"])
    if "omitted" in header:
        omitted = header["omitted"]
        dtype, shape = str(omitted["dtype"])[:50], str(tuple(omitted["shape"]))[:100]
        evidence.value = Unreadable(fault("tensor", "tensor of {dtype}, shape {tuple}", dtype=dtype, tuple=shape))
    elif "tensor" in header:
        start = header["tensor"]["nbytes"]
        evidence.value = unpack_elements(header["tensor"], payload[:start])
    elif "value" in header:
        evidence.value = decode(header["value"])
    for spec in header.get("args", []):
        end = start + spec["nbytes"]
        evidence.args.append(unpack_elements(spec, payload[start:end]))
        start = end
    return evidence


def unpack_end(header: dict) -> dict:
    """The end of a call as a host tells it, its error unpacked. Raises BrokenChannel: no host of the course says that.

    freed: numbers of the tensors that the host has dropped.
    """
    freed = header.get("freed")
    if not isinstance(freed, list) or not all(type(number) is int for number in freed):
        raise frames.BrokenChannel(said("an end that no host sends"))
    try:
        return header | ({"error": unpack_error(header["error"])} if "error" in header else {})
    except schema.Mismatch as error:
        raise frames.BrokenChannel(message(error)) from None


def unpack_error(data) -> Error:
    """The error that a runner reported, from JSON data. Raises schema.Mismatch."""
    return schema.unpack(data, Error)
