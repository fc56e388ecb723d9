# exercise: 14.1
import statistics


def bandwidth(fn, x):
    for _ in range(10):
        fn(x)
    times = []
    for _ in range(20):
        clock.clear_cache()
        clock.synchronize()
        start = clock.now()
        fn(x)
        clock.synchronize()
        times.append(clock.now() - start)
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: something was measured wrongly")
    return rate
