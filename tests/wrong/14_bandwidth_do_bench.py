# exercise: 14.1
# mistake: clock-not-used
from triton.testing import do_bench


def bandwidth(fn, x):
    rate = 2 * x.nbytes / (do_bench(lambda: fn(x), return_mode="median") * 1e-3) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate} GB/s is more than {peak(x)} GB/s")
    return rate
