# exercise: 14.1
import torch


def bandwidth(fn, x):
    for i in range(10):
        _ = fn(x)
    times = torch.empty(20, dtype=torch.float64)
    for i in range(20):
        clock.clear_cache()
        clock.synchronize()
        start = clock.now()
        fn(x)
        clock.synchronize()
        times[i] = clock.now() - start
    rate = 2 * x.element_size() * x.nelement() / torch.quantile(times, 0.5) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s, so something went wrong")
    return rate
