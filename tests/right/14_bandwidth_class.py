# exercise: 14.1
import math
import statistics
from time import perf_counter
import torch

perf = perf_counter


class Benchmark:
    warmup: int = 10
    repetitions: int = 31

    def __init__(self, fn, x):
        self._fn, self._x, self.__times = fn, x, []

    @property
    def n_bytes(self) -> int:
        return 2 * math.prod(self._x.shape) * self._x.dtype.itemsize

    def run(self):
        for i in range(self.warmup + self.repetitions):
            clock.clear_cache()
            clock.synchronize()
            t0 = clock.now()
            self._fn(self._x)
            clock.synchronize()
            t1 = clock.now()
            if i >= self.warmup:
                self.__times.append(t1 - t0)
        return self

    def rate(self) -> float:
        _, middle, _ = statistics.quantiles(self.__times, n=4, method="inclusive")
        return self.n_bytes / middle / 10**9

    def __repr__(self):
        return f"<{type(self).__name__} of {self._x.shape}>"


def bandwidth(fn, x):
    benchmark = Benchmark(fn, x)
    rate = benchmark.run().rate()
    print(benchmark, x)
    if not rate <= peak(x):
        raise ValueError(f"{rate} GB/s is more than the peak of {peak(x)} GB/s")
    return rate
