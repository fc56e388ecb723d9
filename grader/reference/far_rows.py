"""Cases whose rows or heads lie so far apart that the number of an element passes 2^31, at the cost of a few."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ..sentence import said
from ..spec import Call, Case, Evidence, Out
from . import softmax_function

_STRIDE = 1 << 30  # elements: row 2 begins at 2^31, the first whole number that int32 does not have
_SIZE = 10**7  # another failure is reported first
_OF_HEADS, _HEAD_STRIDES = (0, 2, 3, 4), 5  # places of o, q, k and v among the arguments of 13.3; of the first stride
_MATRIX = {"y_stride": (0, 2), "x_stride": (1, 3)}  # output, input, and the row strides of both


LABEL = said("rows more than 2^30 elements apart")


def case(
    make: Callable[[str], Case],
    places: dict[str, tuple[int, int]] = _MATRIX,
    facts: Callable[[dict[str, int]], dict] = dict,
) -> Case:
    """A case whose launch gets such row strides, all different.

    make: makes the case, of a label, with contiguous tensors of three rows or more. places: for the name of a row
    stride, the places of its tensor and of itself among the arguments of the call. facts: makes facts of the strides by
    these names.
    """
    near = make(LABEL)
    strides = {name: _STRIDE + 16 * number for number, name in enumerate(places, 1)}
    # Few machines hold such a tensor, so it runs in the interpreter alone.
    return replace(
        near,
        call=_with_strides(near.call, {places[name]: stride for name, stride in strides.items()}),
        size=_SIZE,
        interpreted_only=True,
        facts=near.facts | facts(strides) | {"far": tuple(strides.values())},
    )


def of_function(case: Case, *places: int, may_refuse: bool = False) -> Case:
    """The case of a function, with tensor arguments whose rows lie so far apart.

    case: with contiguous matrices of three rows. places: of these, among the tensor arguments. may_refuse: whether the
    function may refuse views.
    """

    def verify(evidence: Evidence) -> str | None:
        if evidence.error:
            return softmax_function.refused(None, evidence, said("this input"))
        return case.verify(evidence)

    tensors = [arg for arg in case.call.args if hasattr(arg, "untyped_storage")]
    strides = {place: _STRIDE + 16 * number for number, place in enumerate(places, 1)}
    of_tensors = tuple((strides[n], 1) if n in strides else () for n in range(len(tensors)))
    return replace(
        case,
        call=replace(case.call, strides=of_tensors),
        verify=verify if may_refuse else case.verify,
        expects_error=may_refuse,
        size=_SIZE,
        dear=True,  # what is wrong in near rows is wrong in far ones too, where its traces look otherwise
        budget=None,  # it may copy the rows first
        interpreted_only=True,
        facts=case.facts | {"far": tuple(strides.values())},
    )


def of_heads(near: Case, axis: int) -> Case:
    """A launch of 13.3 whose heads (axis 1) or batches (axis 0) of one head lie so far apart.

    near: with contiguous tensors, and three of them along the axis.
    """
    args, of_tensors, far = list(near.call.args), {}, []
    for number, tensor in enumerate(_OF_HEADS):
        shape = args[tensor].shape
        strides = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
        strides[axis] = args[_HEAD_STRIDES + 3 * number + axis] = _STRIDE + 16 * (number + 1)
        of_tensors[tensor] = tuple(strides)
        far.append(strides[axis])
        if isinstance(args[tensor], Out):
            args[tensor] = replace(args[tensor], strides=None)
    tensors = [n for n, arg in enumerate(args) if isinstance(arg, Out) or hasattr(arg, "untyped_storage")]
    return replace(
        near,
        call=replace(near.call, args=tuple(args), strides=tuple(of_tensors.get(n, ()) for n in tensors)),
        size=_SIZE,
        dear=True,  # what is wrong in near heads is wrong in far ones too, where its traces look otherwise
        budget=None,  # that of the largest case is shown
        interpreted_only=True,
        facts=near.facts | {"far": tuple(far), "apart": (shape[axis], math.prod(shape[2:]))},
    )


def _with_strides(call: Call, strides: dict[tuple[int, int], int]) -> Call:
    """The call with other row strides. strides: by the places of a tensor and of its row stride."""
    args: list = list(call.args)
    of_tensors: dict[int, tuple[int, ...]] = {}
    for (tensor, place), stride in strides.items():
        args[place], of_tensors[tensor] = stride, (stride, 1)
        if isinstance(args[tensor], Out):
            args[tensor] = replace(args[tensor], strides=None)
    tensors = [n for n, arg in enumerate(args) if isinstance(arg, Out) or hasattr(arg, "untyped_storage")]
    return replace(call, args=tuple(args), strides=tuple(of_tensors.get(n, ()) for n in tensors))
