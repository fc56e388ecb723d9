# exercise: 14.1
import statistics
import torch
import triton
import triton.language as tl

def bandwidth(fn, x):
    """GB/s of fn, with x read once and as much written: the median of many runs; ValueError above peak(x)."""
    # Warm up (2 lines).
    for _ in range(10):
        fn(x)
    times = []
    for _ in range(20):
        # One run, timed as above (about 6 lines).
        clock.clear_cache()
        clock.synchronize()
        start = clock.now()
        fn(x)
        clock.synchronize()
        times.append(clock.now() - start)
    # Bytes over seconds, in GB/s; refuse an impossible rate (about 4 lines).
    rate = 2 * x.numel() * x.element_size() / statistics.median_low(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: something was measured wrongly")
    return rate

