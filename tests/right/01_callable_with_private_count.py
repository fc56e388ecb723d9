# exercise: 1.1
import enum
import torch
import torch.nn.functional as F


class Axis(enum.IntEnum):
    ROWS = 0
    COLS = 1


class _Softmax:
    __slots__ = ("_axis", "__count")

    def __init__(self, axis: Axis = Axis.COLS):
        self._axis = axis
        self.__count = 0

    @property
    def count(self):
        return self.__count

    @staticmethod
    def _shift(x, m):
        return x - m

    @classmethod
    def default(cls):
        return cls()

    def __call__(self, x):
        self.__count += 1
        axis = int(self._axis)
        m = x.amax(axis, keepdim=True)
        e = self._shift(x, m).exp()
        return e / e.sum(axis, keepdim=True)

    def benchmark(self):
        return self.count


softmax_of_rows = _Softmax.default()
naive_softmax = lambda x: softmax_of_rows(x)
