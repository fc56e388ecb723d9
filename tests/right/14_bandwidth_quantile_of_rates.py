# exercise: 14.1
import statistics


class Impossible(ValueError):
    """A rate above the peak."""


def too_fast(rate, most):
    raise Impossible(f"{rate} GB/s are more than the {most} GB/s of the memory")


def bandwidth(fn, x):
    [fn(x) for _ in range(15)]
    rates = []
    while len(rates) < 24:
        clock.clear_cache()
        clock.synchronize()
        t0 = clock.now()
        fn(x)
        clock.synchronize()
        t1 = clock.now()
        rates.append(2 * x.nbytes / (t1 - t0))
    rate = statistics.quantiles(rates, n=4)[1] / 1e9
    if rate > peak(x):
        too_fast(rate, peak(x))
    return float(rate)
