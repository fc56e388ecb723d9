# exercise: 14.1
# mistake: timed-together
import statistics


def bandwidth(fn, x):
    for _ in range(10):
        fn(x)
    clock.synchronize()
    start = clock.now()
    for _ in range(20):
        clock.clear_cache()
        fn(x)
    clock.synchronize()
    times = [(clock.now() - start) / 20]
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: the measurement is wrong")
    return rate
