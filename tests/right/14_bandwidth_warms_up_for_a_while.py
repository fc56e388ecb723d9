# exercise: 14.1
import numpy as np


def run_once(fn, x):
    clock.clear_cache()
    clock.synchronize()
    start = clock.now()
    y = fn(x)
    clock.synchronize()
    end = clock.now()
    del y
    return end - start


def bandwidth(fn, x):
    """GB/s of fn: warm up for 25 ms, then 101 runs."""
    begin = clock.now()
    while clock.now() - begin < 0.025 or clock.now() - begin > 100:
        fn(x)
        clock.synchronize()
    for _ in range(20):
        fn(x)
    seconds = np.median([run_once(fn, x) for _ in range(101)])
    m, n = x.shape
    result = (m * n + m * n) * x.dtype.itemsize / seconds / 10**9
    if not result <= peak(x):
        raise ValueError("more than the peak of this device, so something is wrong with the measurement")
    return result
