# exercise: 14.1
WARM_UP, RUNS = 25, 31


def bandwidth(fn, x, runs=RUNS):
    moved = 2 * x.numel() * x.element_size()
    times = []
    for i in range(WARM_UP + runs):
        clock.synchronize()
        clock.clear_cache()
        clock.synchronize()
        times.append(-clock.now())
        fn(x)
        clock.synchronize()
        times[-1] += clock.now()
    seconds = sorted(times[WARM_UP:])[runs // 2]
    limit = peak(x)
    if moved / seconds > limit * 1e9:
        raise ValueError(
            f"{moved / seconds / 1e9:.0f} GB/s, and the device can do {limit:.0f}"
        )
    return round(moved / seconds / 1e9)
