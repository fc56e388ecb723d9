# exercise: 14.1
# mistake: sum-of-runs
import math

import statistics

import time

import torch

where = "cuda" if torch.cuda.is_available() else "cpu"

import triton

class Clock:
    """What a benchmark asks of the device at hand."""

    def now(self):
        """Seconds."""
        return time.perf_counter()

    def synchronize(self):
        """Wait until the queue is empty."""
        if where == "cuda":
            torch.cuda.synchronize()

    def clear_cache(self):
        """Queue 256 MB of other data, more than a cache holds."""
        if where == "cuda":
            torch.zeros(2**26, device=where)

def peak(x):
    """GB/s that the memory of x's device can deliver; inf where Triton does not know it."""
    return triton.testing.get_dram_gbps() if x.is_cuda and torch.version.cuda else math.inf

clock = Clock()

def bandwidth(fn, x):
    """GB/s of fn, if x is read and written once: the median of many runs; ValueError above peak(x)."""
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
    rate = 2 * x.numel() * x.element_size() / sum(times) / 1e9
    if rate > peak(x):
        raise ValueError(f"{rate:.0f} GB/s is above the peak of {peak(x):.0f} GB/s: something was measured wrongly")
    return rate
