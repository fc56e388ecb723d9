# exercise: 14.1
# mistake: clock-not-used
import statistics

import torch


def bandwidth(fn, x):
    for _ in range(10):
        fn(x)
    times = []
    for _ in range(20):
        clock.clear_cache()
        clock.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        fn(x)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    rate = 2 * x.numel() * x.element_size() / statistics.median(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: the measurement is wrong")
    return rate
