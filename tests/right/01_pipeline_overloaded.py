# exercise: 1.1
from typing import Any, Generic, NamedTuple, TypeVar, overload

import torch

T = TypeVar("T", bound=torch.Tensor)


class Parts(NamedTuple):
    numerator: torch.Tensor
    denominator: torch.Tensor

    def ratio(self) -> torch.Tensor:
        return self.numerator / self.denominator


class Pipeline(Generic[T]):
    def __init__(self, *steps):
        self.steps = steps

    def __rshift__(self, other):
        return Pipeline(*self.steps, other)

    def __call__(self, value: T) -> Any:
        for f in self.steps:
            value = f(value)
        return value


@overload
def naive_softmax(x: torch.Tensor) -> torch.Tensor: ...
@overload
def naive_softmax(x: None) -> None: ...
def naive_softmax(x):
    pipeline = (
        Pipeline()
        >> (lambda x: (x, x.amax(1, keepdim=True)))
        >> (lambda pair: torch.sub(*pair))
        >> torch.exp
        >> (lambda e: Parts(e, e.sum(1, keepdim=True)))
        >> Parts.ratio
    )
    return pipeline(x)
