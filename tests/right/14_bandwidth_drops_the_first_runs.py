# exercise: 14.1
import torch


def bandwidth(fn, x):
    times = torch.empty(60)
    for i in range(len(times)):
        clock.clear_cache()
        clock.synchronize()
        begin = clock.now()
        fn(x)
        clock.synchronize()
        times[i] = clock.now() - begin
    gbs = 2 * x.nbytes / times[20:].median() * 1e-9
    if gbs > peak(x):
        raise ValueError(f"{gbs:.0f} GB/s cannot be: the memory delivers {peak(x):.0f}")
    return gbs
