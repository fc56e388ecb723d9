# exercise: 12.2
from dataclasses import dataclass
from typing import Callable, Generic, TypeVar

T = TypeVar("T")


@dataclass
class Warp(Generic[T]):
    lanes: list[T]

    def shuffle_xor(self, offset: int) -> "Warp[T]":
        return Warp([self.lanes[i ^ offset] for i, _ in enumerate(self.lanes)])

    def __matmul__(self, pair):
        combine, offset = pair
        return Warp([*map(combine, self.lanes, self.shuffle_xor(offset).lanes)])


def butterfly(lanes: list[T], combine: Callable[[T, T], T]) -> list[T]:
    warp, offset = Warp(list(lanes)), len(lanes) >> 1
    while offset:
        warp @= (combine, offset)
        offset >>= 1
    return warp.lanes
