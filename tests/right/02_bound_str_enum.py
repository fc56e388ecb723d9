# exercise: 2.4
import enum


class Bound(enum.StrEnum):
    MEMORY = enum.auto()
    COMPUTE = enum.auto()


def bound_by(intensity, flops, bandwidth):
    match flops / bandwidth:
        case balance if intensity < balance:
            return Bound.MEMORY
        case _:
            return Bound.COMPUTE
