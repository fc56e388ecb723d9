# exercise: 14.1
# mistake: clock-not-used
import statistics
from grader.simulated import Device

gpu = Device(seconds=100e-6)


def bandwidth(fn, x):
    for _ in range(10):
        fn(x)
    times = []
    for _ in range(20):
        gpu.clear_cache()
        gpu.synchronize()
        start = gpu.now()
        fn(x)
        gpu.synchronize()
        times.append(gpu.now() - start)
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: the measurement is wrong")
    return rate
